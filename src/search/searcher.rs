//! A search that is called like a function, in the calling thread and without reports: for self-play and tests.

use std::sync::Arc;

use super::limits::Limits;
use super::pool::Shared;
use super::tt::{HashError, TranspositionTable};
use super::worker::Worker;
use crate::nnue::kernels::Kernels;
use crate::nnue::network::Network;
use crate::rules::Game;
use crate::types::{Move, Score};

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The best move; `None` only when the position has no legal move.
    pub best: Option<Move>,
    /// Its score, for the side to move.
    pub score: Score,
    /// Nodes searched.
    pub nodes: u64,
    /// Depth of the last completed iteration.
    pub depth: u32,
}

/// A search thread's state without a thread: table and histories, which last from search to search.
pub struct Searcher {
    worker: Worker,
    tt: Arc<TranspositionTable>,
}

impl Searcher {
    /// A searcher with a table of so many megabytes.
    ///
    /// # Errors
    ///
    /// When the memory is not to be had.
    pub fn new(hash_mb: usize) -> Result<Self, HashError> {
        let tt = Arc::new(TranspositionTable::new(hash_mb)?);
        let shared = Arc::new(Shared::new(Game::default(), Limits::default(), Arc::clone(&tt), Arc::default(), 1));
        Ok(Self { worker: Worker::new(0, shared, Network::embedded(), None), tt })
    }

    /// Evaluates with another network from now on, and forgets the game.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.worker.set_network(network);
        self.clear();
    }

    /// Computes with these kernels from now on, whatever is best on this machine.
    pub fn set_kernels(&mut self, kernels: Kernels) {
        self.worker.set_kernels(kernels);
    }

    /// Forgets the game.
    pub fn clear(&mut self) {
        self.tt.clear(1);
        self.worker.clear();
    }

    /// Searches within the limits, of which at least one must be set.
    pub fn search(&mut self, game: &Game, limits: Limits) -> SearchResult {
        self.tt.new_search();
        let shared = Shared::new(game.clone(), limits, Arc::clone(&self.tt), Arc::default(), 1);
        self.worker.search(Arc::new(shared));
        let (best, score, depth) = match self.worker.best() {
            Some((best, score, depth)) => (Some(best), score, depth),
            None => (None, game_over_score(game), 0),
        };
        SearchResult { best, score, nodes: self.worker.nodes, depth }
    }
}

/// The score of a position without a legal move: mate or stalemate.
pub(super) fn game_over_score(game: &Game) -> Score {
    if game.board().in_check() { crate::types::mated_in(0) } else { crate::types::DRAW }
}
