//! The search: alpha-beta with a transposition table on one or more threads.
//!
//! A `Pool` owns the threads; a search is started with a `Game` and `Limits` and reports `Event`s. Nothing here
//! prints, parses or knows the protocol.

mod binding;
mod correction;
mod draw;
mod history;
mod learning;
mod limits;
mod move_picker;
mod node;
mod params;
mod pool;
mod prefetch;
mod pruning;
mod qsearch;
mod reduction;
mod report;
mod searcher;
mod singular;
mod stack;
mod static_eval;
mod strength;
mod tables;
mod time;
mod tt;
mod tunable;
mod vote;
mod worker;

pub use limits::{Clock, Limits};
#[cfg(feature = "tune")]
pub use params::ALL as TUNABLES;
pub use pool::{Pool, ThreadsError};
pub use report::{Bound, Event, Line};
pub use searcher::{SearchResult, Searcher};
pub use strength::Strength;
pub use tt::HashError;
#[cfg(feature = "tune")]
pub use tunable::Tunable;
