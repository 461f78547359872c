//! The static evaluation as the search uses it: kept in the table, corrected, compared with earlier ones.

use super::history::PieceTo;
use super::node::Known;
use super::params;
use super::report::Bound;
use super::tt::{Entry, NewEntry};
use super::worker::Worker;
use crate::board::Board;
use crate::eval;
use crate::types::{DRAW, INFINITE, Score};

impl Worker {
    /// The raw static evaluation (for the table) and the one to work with.
    pub(super) fn static_eval(
        &mut self,
        board: &Board,
        entry: Option<Entry>,
        in_check: bool,
        ply: usize,
    ) -> (Option<Score>, Score) {
        if in_check {
            return (None, -INFINITE);
        }
        let raw = entry.and_then(|entry| entry.raw_eval()).unwrap_or_else(|| self.raw_eval(board, ply));
        (Some(raw), self.corrected(board, raw, ply))
    }

    /// Keeps the static evaluation of a new position, and what it proves, so that it need not be made again if the
    /// node ends without a search.
    pub(super) fn store_static(&self, key: u64, ply: usize, raw: Score, proved: Option<(Score, Bound)>) {
        let (score, bound) = proved.map_or((DRAW, None), |(score, bound)| (score, Some(bound)));
        let new = NewEntry { best: None, score, raw_eval: Some(raw), depth: 0, bound, pv: false };
        self.shared.tt.store(key, ply, &new);
    }

    /// A raw evaluation, brought nearer to what searches found in such positions, and to a draw as the clock runs.
    pub(super) fn corrected(&self, board: &Board, raw: Score, ply: usize) -> Score {
        let correction = self.corrections.value(board, self.last_moves(ply));
        eval::bounded(eval::scale_by_clock(raw, board.halfmove_clock()) + correction)
    }

    /// The last move of the line, and the one before.
    pub(super) fn last_moves(&self, ply: usize) -> [Option<PieceTo>; 2] {
        [1, 2].map(|back| self.stack.before(ply, back).moved)
    }

    /// Whether the side to move stands better than at its last turn without check, or well above beta.
    pub(super) fn is_improving(&self, static_eval: Score, beta: Score, ply: usize) -> bool {
        let earlier = [2, 4].into_iter().find_map(|back| self.stack.before(ply, back).static_eval);
        earlier.is_none_or(|earlier| static_eval > earlier) || static_eval >= beta + params::improving_beta_margin()
    }
}

/// The table's score where it says more than the static evaluation.
pub(super) fn better_estimate(static_eval: Score, known: Option<Known>) -> Score {
    match known.and_then(|Known { entry, score }| Some((entry.bound?, score))) {
        Some((Bound::Exact, score)) => score,
        Some((Bound::Lower, score)) => static_eval.max(score),
        Some((Bound::Upper, score)) => static_eval.min(score),
        None => static_eval,
    }
}
