//! Quiescence: captures and promotions until the position is quiet enough for the static evaluation.

use super::draw::{likely_tt_key_after, tt_key};
use super::move_picker::MovePicker;
use super::node::{Known, NodeType};
use super::params;
use super::report::Bound;
use super::static_eval::better_estimate;
use super::tt::NewEntry;
use super::worker::Worker;
use crate::board::Board;
use crate::types::{DRAW, INFINITE, MAX_PLY, Score, TB_WIN_IN_MAX_PLY, is_decisive, mated_in};

impl Worker {
    /// The score of `board` when the side to move may stop the exchanges at any time. In check all moves are tried.
    pub(super) fn qsearch<N: NodeType>(&mut self, board: &Board, mut alpha: Score, beta: Score, ply: usize) -> Score {
        if self.enter_node::<N>(ply) || self.is_draw(board, ply) {
            return DRAW;
        }
        let in_check = board.in_check();
        if ply >= MAX_PLY - 1 {
            return if in_check { DRAW } else { self.evaluate(board, ply) };
        }
        alpha = self.raised_by_repetition(board, alpha, ply);
        if alpha >= beta {
            return alpha;
        }

        let key = tt_key(board);
        let entry = self.shared.tt.probe(key);
        let known = entry.map(|entry| Known { entry, score: entry.score(ply, board.halfmove_clock()) });
        if let (false, Some(Known { entry, score })) = (N::PV, known)
            && entry.cuts(score, beta)
        {
            return score;
        }

        let mut raw_eval = None;
        let mut best_score = -INFINITE;
        let mut futility = -INFINITE;
        if !in_check {
            let raw = entry.and_then(|entry| entry.raw_eval()).unwrap_or_else(|| self.raw_eval(board, ply));
            raw_eval = Some(raw);
            let static_eval = self.corrected(board, raw, ply);
            // Standing pat proves no mate: the line to it would be missing.
            best_score = better_estimate(static_eval, known.filter(|known| !is_decisive(known.score)));
            if best_score >= beta {
                if entry.is_none() {
                    self.store_static(key, ply, raw, Some((best_score, Bound::Lower)));
                }
                return best_score;
            }
            alpha = alpha.max(best_score);
            futility = static_eval + params::qsearch_fp_margin();
        }

        if in_check {
            self.note_threats(board, ply);
        }
        let old_alpha = alpha;
        let tt_move = entry.and_then(|entry| entry.best).filter(|&m| board.is_legal(m));
        let mut picker =
            if in_check { MovePicker::new(board, tt_move, None) } else { MovePicker::noisy(board, tt_move) };
        let mut best_move = None;
        let mut count = 0;
        while let Some(picked) = picker.next(board, &self.histories, &self.stack, ply) {
            let m = picked.m;
            count += 1;
            self.shared.tt.prefetch(likely_tt_key_after(board, m));
            if best_score > -TB_WIN_IN_MAX_PLY {
                // In check, quiet evasions are only a way out of mate.
                if in_check && !board.is_noisy(m) && count > 1 {
                    picker.skip_quiets();
                    continue;
                }
                // The capture cannot bring enough.
                let gain = futility + board.material_gain(m);
                if !in_check && gain <= alpha && !board.see_ge(m, 1) {
                    best_score = best_score.max(gain);
                    continue;
                }
            }
            let child = self.play(board, m, ply);
            let score = -self.qsearch::<N::Child>(&child, -beta, -alpha, ply + 1);
            self.unplay();
            if self.stopped {
                return DRAW;
            }
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.stack.extend_pv(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        if in_check && count == 0 {
            return mated_in(ply);
        }

        let bound = match best_score {
            score if score >= beta => Bound::Lower,
            score if score > old_alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let pv = N::PV || entry.is_some_and(|entry| entry.pv);
        let new = NewEntry { best: best_move, score: best_score, raw_eval, depth: 0, bound: Some(bound), pv };
        self.shared.tt.store(key, ply, &new);
        best_score
    }
}
