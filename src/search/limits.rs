//! What a search was asked to do. What the clock is turned into is decided in `time`.

use std::time::{Duration, Instant};

use super::strength::Strength;
use crate::tb;
use crate::types::Move;

/// The clock of the side to move. Times may be zero; the front end turns negative ones into zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// Time added after the move.
    pub increment: Duration,
    /// Moves to the next time control; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// The limits of one search. The first that is reached ends it; with none it runs until it is stopped or has searched
/// as deep as it can.
#[derive(Clone, Debug)]
pub struct Limits {
    /// When the request arrived; all times count from here.
    pub start: Instant,
    /// Play on a clock.
    pub clock: Option<Clock>,
    /// Think so long.
    pub movetime: Option<Duration>,
    /// Time to keep in hand for the way to the user and back, taken from the clock or the move time once.
    pub move_overhead: Duration,
    /// Measure thinking time in nodes, so many to a millisecond; 0 for the clock on the wall.
    pub nodes_per_millisecond: u32,
    /// Deepest iteration, in plies.
    pub depth: Option<u32>,
    /// Nodes to search, all threads together.
    pub nodes: Option<u64>,
    /// End the search between root moves once so many nodes are searched; cheaper to overrun than `nodes`, as
    /// self-play wants it.
    pub soft_nodes: Option<u64>,
    /// Stop when a mate in so many moves or fewer is proved.
    pub mate: Option<u32>,
    /// The opponent is to move yet: time limits count only from the ponder hit on.
    pub ponder: bool,
    /// Search only these root moves; empty for all.
    pub search_moves: Vec<Move>,
    /// How many best lines to report, at least 1.
    pub multi_pv: usize,
    /// How the endgame tables are used.
    pub tables: tb::Settings,
    /// Play below full strength.
    pub strength: Option<Strength>,
}

impl Default for Limits {
    /// No limit, the start is now.
    fn default() -> Self {
        Self {
            start: Instant::now(),
            clock: None,
            movetime: None,
            move_overhead: Duration::ZERO,
            nodes_per_millisecond: 0,
            depth: None,
            nodes: None,
            soft_nodes: None,
            mate: None,
            ponder: false,
            search_moves: Vec::new(),
            multi_pv: 1,
            tables: tb::Settings::default(),
            strength: None,
        }
    }
}

impl Limits {
    /// The nodes that may be searched, if they are limited.
    pub(super) fn node_limit(&self) -> Option<u64> {
        let of_level = self.strength.map(|strength| strength.nodes());
        self.nodes.into_iter().chain(of_level).min()
    }

    /// A search to a fixed depth.
    #[must_use]
    pub fn to_depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// A search of a fixed number of nodes.
    #[must_use]
    pub fn to_nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }
}
