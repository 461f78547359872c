//! What the endgame tables mean for the search: bounds inside the tree, and scores of root moves.

use super::draw::tt_key;
use super::report::Bound;
use super::tt::NewEntry;
use super::worker::{RootMove, Worker};
use crate::board::Board;
use crate::tb::Outcome;
use crate::types::{DRAW, INFINITE, MAX_PLY, Score, TB_WIN, is_mate};

/// A table's word is as good as a search so much deeper.
const EXTRA_DEPTH: i32 = 6;

/// The most that is claimed of a move between a draw and a decision.
const EDGE: Score = 50;

impl Worker {
    /// What the tables say of a node inside the tree: an exact score or a bound. Only right after a capture or pawn
    /// move, where the half-move clock cannot spoil it; what follows such a node is mostly decided there.
    fn probe_tables(&mut self, board: &Board, depth: i32, ply: usize) -> Option<(Score, Bound)> {
        let settings = &self.shared.limits.tables;
        let is_covered =
            board.halfmove_clock() == 0 && depth >= settings.min_depth && board.occupied().count() <= self.probe_men;
        if !is_covered || board.in_check() && board.has_no_legal_move() {
            return None;
        }
        let wdl = self.shared.tables.wdl(board)?;
        self.tb_hits += 1;
        Some(match wdl.outcome(0, settings.fifty_move_rule)? {
            Outcome::Win => (TB_WIN - ply as Score, Bound::Lower),
            Outcome::Loss => (ply as Score - TB_WIN, Bound::Upper),
            _ => (DRAW, Bound::Exact),
        })
    }

    /// Between which scores a node inside the tree lies by the tables, or its score if they settle the window.
    pub(super) fn table_bounds(
        &mut self,
        board: &Board,
        (alpha, beta): (Score, Score),
        depth: i32,
        ply: usize,
    ) -> Result<(Score, Score), Score> {
        match self.probe_tables(board, depth, ply) {
            None => Ok((-INFINITE, INFINITE)),
            Some((score, Bound::Lower)) if score < beta => Ok((score, INFINITE)),
            Some((score, Bound::Upper)) if score > alpha => Ok((-INFINITE, score)),
            Some((score, bound)) => {
                self.store_table_score(tt_key(board), ply, depth, (score, bound));
                Err(score)
            }
        }
    }

    /// Keeps what the tables said in the hash table, where it is found sooner.
    fn store_table_score(&self, key: u64, ply: usize, depth: i32, (score, bound): (Score, Bound)) {
        let depth = (depth + EXTRA_DEPTH).min(MAX_PLY as i32 - 1);
        let new = NewEntry { best: None, score, raw_eval: None, depth, bound: Some(bound), pv: false };
        self.shared.tt.store(key, ply, &new);
    }
}

impl RootMove {
    /// Whether the tables know that it wins.
    pub(super) fn is_won(&self) -> bool {
        matches!(self.table_outcome, Some((Outcome::Win, _)))
    }

    /// The score by which root moves are compared. Of moves that win by the tables one that mates is best, and else the
    /// one that comes soonest to a capture, a pawn move or mate: that makes progress even where no mate is in sight.
    pub(super) fn settled_score(&self, score: Score) -> Score {
        match self.table_outcome {
            Some((Outcome::Win, plies)) if !(is_mate(score) && score > DRAW) => table_win(plies),
            _ => score,
        }
    }

    /// The score to report. Moves that draw or lose by the tables are compared by their usual scores, which say what is
    /// hard to play against, but they are not worth that.
    pub(super) fn shown_score(&self, score: Score) -> Score {
        match self.table_outcome {
            Some((Outcome::Draw, _)) => DRAW,
            // A ply decides, so that nothing is promised but what the search has proved.
            Some((Outcome::EdgeWin | Outcome::EdgeLoss, _)) if !is_mate(score) => score.clamp(-EDGE, EDGE),
            Some((Outcome::Loss, plies)) if !(is_mate(score) && score < DRAW) => -table_win(plies),
            _ => score,
        }
    }
}

/// The score of a win by the tables that comes to its next stage in so many plies.
fn table_win(plies: i32) -> Score {
    TB_WIN - plies.clamp(0, MAX_PLY as i32)
}
