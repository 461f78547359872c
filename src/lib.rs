//! Rokade, a UCI chess engine for standard chess, Chess960 and double Chess960.
//!
//! Dependencies between the modules run one way:
//!
//! ```text
//! types <- board <- {rules, perft} <- eval <- search <- {uci, bench} <- main
//! ```
//!
//! The board knows the rules of single moves, `rules` those of whole games. The search reports data and never
//! prints; all text of the engine is made in `uci`. A test reads the `use` lines and fails on an arrow the other way.

pub mod bench;
pub mod board;
pub mod eval;
pub mod perft;
pub mod rules;
pub mod search;
pub mod types;
pub mod uci;
