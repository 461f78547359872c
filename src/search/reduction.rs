//! The search of one move: with which window, how deep at first, and whether again. Late moves are searched less deep
//! (late move reductions), and once more when they turn out better than expected.

use super::move_picker::{Picked, QuietScores};
use super::node::{Context, CutOrAllNode, NodeType, TriedMove};
use super::params;
use super::worker::Worker;
use crate::board::Board;
use crate::types::{INFINITE, Score};

impl Worker {
    /// Searches a move: the first of a node with the full window, the others with a null window around alpha,
    /// late ones less deep, and again when they surprise.
    pub(super) fn search_child<N: NodeType>(
        &mut self,
        child: &Board,
        context: &Context,
        tried: &TriedMove,
        extension: i32,
    ) -> Score {
        let count = tried.count;
        let &Context { alpha, beta, depth, ply, cut_node, .. } = context;
        let new_depth = depth - 1 + extension;
        let mut score = -INFINITE;
        if depth >= params::lmr_min_depth() && count > 1 + usize::from(N::ROOT) {
            let reduction = self.reduction::<N>(child, context, tried);
            let reduced = (new_depth - reduction).clamp(1, new_depth.max(1));
            score = -self.node::<CutOrAllNode>(child, -alpha - 1, -alpha, reduced, ply + 1, true);
            if score > alpha && reduced < new_depth {
                let again = new_depth + i32::from(score > alpha + params::lmr_deeper_margin(new_depth));
                score = -self.node::<CutOrAllNode>(child, -alpha - 1, -alpha, again, ply + 1, !cut_node);
            }
        } else if !N::PV || count > 1 {
            score = -self.node::<CutOrAllNode>(child, -alpha - 1, -alpha, new_depth, ply + 1, !cut_node);
        }
        if N::PV && (count == 1 || score > alpha) {
            score = -self.node::<N::Child>(child, -beta, -alpha, new_depth, ply + 1, false);
        }
        score
    }

    /// By how many plies a late move is searched less deep.
    fn reduction<N: NodeType>(&self, child: &Board, context: &Context, tried: &TriedMove) -> i32 {
        let &Context { alpha, depth, ply, cut_node, improving, tt_pv, tt_noisy, known, .. } = context;
        let mut reduction = params::lmr_start(depth, tried.count);
        if tried.quiet {
            reduction -= params::lmr_history(tried.history);
            reduction += i32::from(cut_node) * params::lmr_cut_node();
            reduction += i32::from(tt_noisy) * params::lmr_tt_noisy();
            reduction -= i32::from(self.stack.at(ply).killer == Some(tried.m)) * params::lmr_killer();
        } else {
            reduction -= params::lmr_noisy();
        }
        reduction += i32::from(!improving) * params::lmr_not_improving();
        reduction += i32::from(self.stack.at(ply + 1).cutoffs > 2) * params::lmr_cutoffs();
        reduction -= i32::from(child.in_check()) * params::lmr_check();
        if tt_pv {
            reduction -= params::lmr_tt_pv();
            reduction -= i32::from(known.is_some_and(|known| known.score > alpha)) * params::lmr_tt_pv_high();
        }
        reduction -= i32::from(N::PV) * params::lmr_pv();
        reduction / params::LMR_ONE
    }

    /// What the histories say of a quiet move; nothing is asked of others.
    pub(super) fn history_of(&self, board: &Board, picked: Picked, quiet: bool, ply: usize) -> i32 {
        if let Some(history) = picked.history {
            return history;
        }
        if !quiet {
            return 0;
        }
        QuietScores::new(board, &self.histories, &self.stack, ply).of(picked.m)
    }
}
