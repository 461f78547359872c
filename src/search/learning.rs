//! What the histories learn from the nodes of the search.

use super::history::PieceTo;
use super::node::{Context, NodeType, Tries};
use super::params;
use super::report::Bound;
use super::worker::Worker;
use crate::board::Board;
use crate::types::{Move, Score, is_decisive};

impl Worker {
    /// Notes what the histories of quiet moves go by.
    pub(super) fn note_threats(&mut self, board: &Board, ply: usize) {
        self.stack.at_mut(ply).threats = board.threats_of(!board.stm());
    }

    /// A cutoff by the table, without a search, speaks for its move.
    pub(super) fn learn_from_tt_cutoff(&mut self, board: &Board, ply: usize, depth: i32, tt_move: Option<Move>) {
        if let Some(m) = tt_move.filter(|&m| !board.is_noisy(m)) {
            self.note_threats(board, ply);
            self.update_quiet(board, ply, m, params::history_bonus(depth));
        }
    }

    /// How the static evaluation changed with the opponent's last move says whether that was good.
    pub(super) fn judge_last_move(&mut self, board: &Board, static_eval: Score, ply: usize) {
        if ply == 0 {
            return;
        }
        let last = self.stack.before(ply, 1);
        let (Some(m), Some(before)) = (last.quiet_move, last.static_eval) else { return };
        let (threats, bonus) = (last.threats, params::eval_difference_bonus(-(before + static_eval)));
        self.histories.update_quiet(!board.stm(), &threats, m, bonus);
    }

    /// Rewards the move that cut off and blames those tried before it; where no move was good enough, the opponent's
    /// last move was good.
    pub(super) fn learn_from_moves<N: NodeType>(&mut self, board: &Board, context: &Context, tries: &Tries) {
        let &Context { alpha, beta, depth, ply, in_check, static_eval, .. } = context;
        if tries.best_score >= beta {
            // A cutoff that the static evaluation did not promise says more.
            let surprise = i32::from(!in_check && static_eval <= alpha);
            if let Some(m) = tries.best_move {
                self.learn_from_cutoff(board, ply, depth + surprise, m, tries);
            }
        } else if tries.best_score <= alpha && !N::ROOT && context.excluded.is_none() {
            self.reward_last_move(board, ply, params::history_bonus(depth) * params::history_unanswered() / 100);
        }
    }

    fn reward_last_move(&mut self, board: &Board, ply: usize, bonus: i32) {
        let last = self.stack.before(ply, 1);
        let (Some(m), Some(moved), threats) = (last.quiet_move, last.moved, last.threats) else { return };
        self.histories.update_quiet(!board.stm(), &threats, m, bonus);
        for back in [2, 3] {
            self.histories.update_continuation(self.stack.before(ply, back).moved, moved, bonus);
        }
    }

    fn learn_from_cutoff(&mut self, board: &Board, ply: usize, depth: i32, m: Move, tries: &Tries) {
        let (bonus, malus) = (params::history_bonus(depth), params::history_malus(depth));
        if board.is_noisy(m) {
            self.histories.update_capture(board, m, bonus);
        } else {
            self.stack.at_mut(ply).killer = Some(m);
            self.update_quiet(board, ply, m, bonus);
            for &other in &tries.quiets {
                self.update_quiet(board, ply, other, malus);
            }
        }
        for &other in &tries.noisy {
            self.histories.update_capture(board, other, malus);
        }
    }

    fn update_quiet(&mut self, board: &Board, ply: usize, m: Move, bonus: i32) {
        self.histories.update_quiet(board.stm(), &self.stack.at(ply).threats, m, bonus);
        if let Some(now) = PieceTo::new(board, m) {
            self.histories.update_pawn(board, now, bonus);
            for back in [1, 2, 4] {
                self.histories.update_continuation(self.stack.before(ply, back).moved, now, bonus);
            }
        }
    }

    /// The corrections learn how far the search came from the static evaluation, where it says so: not if a capture
    /// decided, and not if the score is a bound on the near side.
    pub(super) fn learn_correction(&mut self, board: &Board, context: &Context, tries: &Tries, bound: Bound) {
        let &Context { depth, ply, in_check, static_eval, .. } = context;
        let &Tries { best_score, best_move, .. } = tries;
        let quiet_result = best_move.is_none_or(|m| !board.is_noisy(m));
        let says_nothing = match bound {
            Bound::Lower => best_score <= static_eval,
            Bound::Upper => best_score >= static_eval,
            Bound::Exact => false,
        };
        if !in_check && quiet_result && !says_nothing && !is_decisive(best_score) {
            let line = self.last_moves(ply);
            self.corrections.update(board, line, best_score - static_eval, depth);
        }
    }
}
