//! Pruning: ending a node before its moves are tried, and skipping moves that promise nothing.

use super::draw::{likely_tt_key_after, tt_key};
use super::move_picker::MovePicker;
use super::node::{Context, CutOrAllNode, Known, TriedMove};
use super::params;
use super::report::Bound;
use super::static_eval::better_estimate;
use super::tt::NewEntry;
use super::worker::Worker;
use crate::board::Board;
use crate::types::{DRAW, MATE_IN_MAX_PLY, Score, TB_WIN_IN_MAX_PLY, is_decisive};

impl Worker {
    /// Ends a node of the null window without trying its moves.
    pub(super) fn prune_node(&mut self, board: &Board, context: &Context) -> Option<Score> {
        let &Context { alpha, beta, depth, ply, improving, known, .. } = context;
        let eval = better_estimate(context.static_eval, known);
        // Reverse futility: so far above beta that the opponent will not catch up.
        if depth <= params::rfp_max_depth()
            && eval - params::rfp_margin(depth, improving) >= beta
            && eval < TB_WIN_IN_MAX_PLY
            && beta > -TB_WIN_IN_MAX_PLY
        {
            return Some((eval + beta) / 2);
        }
        // Razoring: so far below alpha that only captures could help.
        if depth <= params::razoring_max_depth() && eval + params::razoring_margin(depth) <= alpha {
            let score = self.qsearch::<CutOrAllNode>(board, alpha, alpha + 1, ply);
            if score <= alpha {
                return Some(score);
            }
        }
        if depth >= params::nmp_min_depth()
            && eval >= beta
            && context.static_eval >= beta + params::nmp_margin(depth)
            && beta > -TB_WIN_IN_MAX_PLY
            && self.null_move_allowed(ply)
            && board.has_non_pawn_material(board.stm())
            && let Some(score) = self.try_null_move(board, context, eval)
        {
            return Some(score);
        }
        let is_refuted = |Known { entry, score }: Known| {
            entry.depth >= depth - 3 && score < beta + params::probcut_margin(improving)
        };
        if depth >= params::probcut_min_depth() && !is_decisive(beta) && !known.is_some_and(is_refuted) {
            return self.probcut(board, context);
        }
        None
    }

    /// Null move: if passing still fails high, a real move will. Not twice in a row, and not where zugzwang is the
    /// rule; at great depth a search without null moves must agree.
    fn try_null_move(&mut self, board: &Board, context: &Context, eval: Score) -> Option<Score> {
        let &Context { beta, depth, ply, cut_node, .. } = context;
        let reduction = params::nmp_reduction(depth, eval - beta);
        let child = self.play_null(board, ply);
        let score = -self.node::<CutOrAllNode>(&child, -beta, -beta + 1, depth - reduction, ply + 1, !cut_node);
        self.unplay();
        if self.stopped {
            return Some(DRAW);
        }
        if score < beta {
            return None;
        }
        // A mate behind a null move is no proof.
        let score = if score >= TB_WIN_IN_MAX_PLY { beta } else { score };
        if depth < params::nmp_verification_min_depth() || self.nmp_min_ply > 0 {
            return Some(score);
        }
        self.nmp_min_ply = ply + (depth - reduction).max(1) as usize * 3 / 4;
        let verified = self.node::<CutOrAllNode>(board, beta - 1, beta, depth - reduction, ply, false);
        self.nmp_min_ply = 0;
        (verified >= beta || self.stopped).then_some(score)
    }

    /// ProbCut: a capture that beats beta by a margin in a shallow search will beat it in a deep one.
    fn probcut(&mut self, board: &Board, context: &Context) -> Option<Score> {
        let &Context { beta, depth, ply, cut_node, improving, static_eval, .. } = context;
        let high_beta = beta + params::probcut_margin(improving);
        let mut picker = MovePicker::noisy(board, context.tt_move);
        while let Some(picked) = picker.next(board, &self.histories, &self.stack, ply) {
            let m = picked.m;
            self.shared.tt.prefetch(likely_tt_key_after(board, m));
            if !board.see_ge(m, high_beta - static_eval) {
                continue;
            }
            let child = self.play(board, m, ply);
            let mut score = -self.qsearch::<CutOrAllNode>(&child, -high_beta, -high_beta + 1, ply + 1);
            let probe_depth = depth - params::probcut_reduction();
            if score >= high_beta && probe_depth > 0 {
                score = -self.node::<CutOrAllNode>(&child, -high_beta, -high_beta + 1, probe_depth, ply + 1, !cut_node);
            }
            self.unplay();
            if self.stopped {
                return Some(DRAW);
            }
            if score >= high_beta {
                let new = NewEntry {
                    best: Some(m),
                    score,
                    raw_eval: None,
                    depth: probe_depth + 1,
                    bound: Some(Bound::Lower),
                    pv: context.tt_pv,
                };
                self.shared.tt.store(tt_key(board), ply, &new);
                return Some(if is_decisive(score) { score } else { score - (high_beta - beta) });
            }
        }
        None
    }

    /// Whether a move is not worth a search: late, hopeless, bad in the past, or losing material.
    pub(super) fn skips_move(&self, board: &Board, context: &Context, tried: &TriedMove) -> bool {
        let &TriedMove { m, quiet, count, history } = tried;
        let &Context { alpha, depth, in_check, improving, static_eval, .. } = context;
        // Shortly before a draw by the 50-move rule, or on the way to mate, the only winning move may look like nothing.
        if self.seeks_mate
            || !board.has_non_pawn_material(board.stm())
            || board.halfmove_clock() >= params::PRUNING_MAX_CLOCK
        {
            return false;
        }
        if !quiet {
            return depth <= params::see_max_depth()
                && count > 1
                && !board.see_ge(m, params::see_noisy_threshold(depth));
        }
        if depth <= params::lmp_max_depth() && count > params::lmp_count(depth, improving) {
            return true;
        }
        // The depth that a reduced search would have.
        let reduction = (params::lmr_start(depth, count) - params::lmr_history(history)) / params::LMR_ONE;
        let lmr_depth = (depth - reduction).clamp(1, depth);
        let futile = !in_check
            && lmr_depth <= params::fp_max_depth()
            && alpha < MATE_IN_MAX_PLY
            && static_eval + params::fp_margin(lmr_depth) <= alpha
            && !board.gives_direct_check(m);
        if futile {
            return true;
        }
        if count <= 1 {
            return false;
        }
        (depth <= params::history_pruning_max_depth() && history < params::history_threshold(depth))
            || depth <= params::see_max_depth() && !board.see_ge(m, params::see_quiet_threshold(lmr_depth))
    }
}
