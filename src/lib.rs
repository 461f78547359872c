//! Rokade, a UCI chess engine for standard chess, Chess960 and double Chess960.
//!
//! Dependencies between the modules run one way:
//!
//! ```text
//! {types, rng} <- board <- {rules, perft, nnue, tb} <- eval <- search <- {uci, bench, datagen} <- main
//!                    rules <- referee <- main
//! ```
//!
//! `train` sees only the board, the network and the records of `datagen`, and only `main` sees it.
//!
//! The board knows the rules of single moves, `rules` those of whole games. The search reports data and never
//! prints; all text of the engine is made in `uci`. A test reads the `use` lines and fails on an arrow the other way.

pub mod bench;
pub mod board;
#[cfg(feature = "datagen")]
pub mod datagen;
pub mod eval;
pub mod nnue;
pub mod perft;
pub mod referee;
mod rng;
pub mod rules;
pub mod search;
pub mod tb;
#[cfg(feature = "train")]
pub mod train;
pub mod types;
pub mod uci;
