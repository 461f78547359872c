//! Self-play: games that the engine plays against itself, kept as data to train a network on.
//!
//! `generate` plays them on several threads and writes them to the shards of a folder; `record` is the format of
//! these files, which the trainer reads. The tools `rokade datagen` and `rokade data` are made here as well.

mod adjudicate;
mod cli;
mod data;
mod fit;
mod openings;
mod play;
mod progress;
pub mod record;
mod run;
mod settings;
mod shards;
mod statistics;

pub use adjudicate::{Adjudication, AdjudicationError, DrawRule, WinRule};
pub use cli::run_datagen;
pub use data::run_data;
pub use openings::BookError;
pub use play::{PlayError, Tally};
pub use record::is_usable;
pub use run::{DatagenError, Progress, generate};
pub use settings::{Goal, MAX_PLIES, NODES, Settings, THREADS};
pub use shards::ShardsError;
