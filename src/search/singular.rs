//! Singular extensions: a move that alone keeps the score is searched deeper; if others keep it too, less deep or not
//! at all (multi-cut). The idea is from Anantharaman, Campbell and Hsu (1988), this form from Stockfish.

use super::node::{Context, CutOrAllNode, Known, NodeType};
use super::params;
use super::report::Bound;
use super::worker::Worker;
use crate::board::Board;
use crate::types::{Move, Score, is_decisive};

impl Worker {
    /// The score of the table if it thinks so well of `m` that this may be the only good move.
    fn singular_candidate<N: NodeType>(&self, context: &Context, m: Move) -> Option<Score> {
        let Known { entry, score } = context.known?;
        let promising = !N::ROOT
            && context.excluded.is_none()
            && context.tt_move == Some(m)
            && context.depth >= params::se_min_depth()
            && entry.depth >= context.depth - params::se_tt_depth()
            && matches!(entry.bound, Some(Bound::Lower | Bound::Exact))
            && !is_decisive(score)
            && context.ply < 2 * self.root_depth as usize;
        promising.then_some(score)
    }

    /// Searches the other moves against a lowered score, if `m` may be singular. Returns by how many plies to extend
    /// it, or a score that ends the node.
    pub(super) fn singular_extension<N: NodeType>(
        &mut self,
        board: &Board,
        context: &Context,
        m: Move,
    ) -> Result<i32, Score> {
        let Some(tt_score) = self.singular_candidate::<N>(context, m) else { return Ok(0) };
        let &Context { beta, depth, ply, cut_node, .. } = context;
        let singular_beta = tt_score - params::se_margin(depth, context.tt_pv && !N::PV);
        let static_eval = self.stack.at(ply).static_eval;
        self.stack.at_mut(ply).excluded = Some(m);
        let score = self.node::<CutOrAllNode>(board, singular_beta - 1, singular_beta, (depth - 1) / 2, ply, cut_node);
        self.stack.at_mut(ply).excluded = None;
        self.stack.at_mut(ply).static_eval = static_eval;
        if score < singular_beta {
            let double = !N::PV && score < singular_beta - params::se_double_margin();
            let triple = double && !board.is_noisy(m) && score < singular_beta - params::se_triple_margin();
            return Ok(1 + i32::from(double) + i32::from(triple));
        }
        if singular_beta >= beta && !is_decisive(score) {
            return Err(singular_beta);
        }
        Ok(match (tt_score >= beta, cut_node) {
            (true, _) => -2 + i32::from(N::PV),
            (false, true) => -1,
            (false, false) => 0,
        })
    }
}
