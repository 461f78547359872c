//! What a search says while it runs and when it ends: data, no text.

use std::time::Duration;

use crate::types::{Move, Score};

/// How a score relates to the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The true value is at most the score (a fail low).
    Upper = 1,
    /// The true value is at least the score (a fail high).
    Lower = 2,
    /// The score is the value.
    Exact = 3,
}

/// One line of analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Depth of the iteration, in plies.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// Place of the line among the best, from 1.
    pub multipv: usize,
    /// The score, for the side to move.
    pub score: Score,
    /// Whether the score is exact.
    pub bound: Bound,
    /// Nodes searched by all threads.
    pub nodes: u64,
    /// Use of the transposition table by this search, in permille.
    pub hashfull: u32,
    /// Tablebase hits of all threads.
    pub tbhits: u64,
    /// Time since the start.
    pub time: Duration,
    /// The variation: legal, and cut where the game ends. Empty only when the position has no legal move.
    pub pv: Vec<Move>,
}

/// What a search tells its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A new line of analysis.
    Line(Line),
    /// The root move that is searched now, with its place in the order from 1.
    CurrentMove {
        /// Depth of the iteration.
        depth: u32,
        /// The move.
        current: Move,
        /// Its number, from 1.
        number: usize,
    },
    /// The search is over; nothing follows.
    Finished {
        /// The best move; `None` only when the position has no legal move.
        best: Option<Move>,
        /// The expected, legal reply.
        ponder: Option<Move>,
    },
}
