//! The alpha-beta search of one node, in numbered steps.
//!
//! Principal variation search with a fail-soft window. Steps 1 to 6 learn what is known of the node without a search,
//! and end it by draw, table or a static margin where that is enough. Step 7 tries the moves one by one (`try_moves`,
//! steps 8 to 12): each may be skipped, extended, or searched less deep when it comes late. Steps 13 and 14 teach the
//! histories and store the result. Margins and formulas are in `params`, what prunes in `pruning`, reductions in
//! `reduction`, the order of the moves in `move_picker`, what histories learn in `learning`.

use arrayvec::ArrayVec;

use super::draw::{likely_tt_key_after, tt_key};
use super::move_picker::MovePicker;
use super::params;
use super::report::Bound;
use super::tt::{Entry, NewEntry};
use super::worker::Worker;
use crate::board::Board;
use crate::types::{DRAW, INFINITE, MAX_PLY, Move, Score, TB_WIN_IN_MAX_PLY, is_decisive, mate_in, mated_in};

/// What kind of node is searched, as a type.
pub(super) trait NodeType {
    /// The root of the tree.
    const ROOT: bool;
    /// A node whose window is open.
    const PV: bool;
    /// The kind of its first child.
    type Child: NodeType;
}

pub(super) struct RootNode;
pub(super) struct PvNode;
pub(super) struct CutOrAllNode;

impl NodeType for RootNode {
    const ROOT: bool = true;
    const PV: bool = true;
    type Child = PvNode;
}

impl NodeType for PvNode {
    const ROOT: bool = false;
    const PV: bool = true;
    type Child = Self;
}

impl NodeType for CutOrAllNode {
    const ROOT: bool = false;
    const PV: bool = false;
    type Child = Self;
}

/// What the table knows of a position, with the score as seen from the root.
#[derive(Clone, Copy)]
pub(super) struct Known {
    pub(super) entry: Entry,
    pub(super) score: Score,
}

/// What the steps of a node share.
pub(super) struct Context {
    /// The best score that is sure; rises while moves are tried.
    pub(super) alpha: Score,
    pub(super) beta: Score,
    /// How deep the moves are searched; falls when alpha rises.
    pub(super) depth: i32,
    pub(super) ply: usize,
    pub(super) cut_node: bool,
    pub(super) in_check: bool,
    pub(super) improving: bool,
    /// The corrected static evaluation; meaningless in check.
    pub(super) static_eval: Score,
    /// What the table knows of the node.
    pub(super) known: Option<Known>,
    /// Whether the node is or was in a principal variation.
    pub(super) tt_pv: bool,
    pub(super) tt_move: Option<Move>,
    /// Whether the table's move captures or promotes.
    pub(super) tt_noisy: bool,
    /// The move that a singular search leaves out.
    pub(super) excluded: Option<Move>,
}

/// A move that is being tried.
pub(super) struct TriedMove {
    pub(super) m: Move,
    pub(super) quiet: bool,
    /// Its number in the node, from 1.
    pub(super) count: usize,
    /// What the histories say of it.
    pub(super) history: i32,
}

/// How many moves of each kind the histories are told about.
type MovesTried = ArrayVec<Move, 64>;

/// What came of trying the moves.
pub(super) struct Tries {
    pub(super) best_score: Score,
    pub(super) best_move: Option<Move>,
    /// How many moves there were.
    pub(super) count: usize,
    /// The quiet and the other moves that were searched before the best.
    pub(super) quiets: MovesTried,
    pub(super) noisy: MovesTried,
}

impl Worker {
    /// The score of `board` for its side to move: exact inside the window, else a bound.
    pub(super) fn node<N: NodeType>(
        &mut self,
        board: &Board,
        mut alpha: Score,
        mut beta: Score,
        mut depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        // Step 1. At the horizon only captures matter; a check puts it off.
        let in_check = board.in_check();
        if in_check && ply < 2 * self.root_depth as usize {
            depth += 1;
        }
        if depth <= 0 {
            return self.qsearch::<N>(board, alpha, beta, ply);
        }
        if self.enter_node::<N>(ply) {
            return DRAW;
        }

        // Step 2. Draws, the end of the stack, and mates that are nearer than anything to be found here.
        if !N::ROOT {
            if self.is_draw(board, ply) {
                return DRAW;
            }
            if ply >= MAX_PLY - 1 {
                return if in_check { DRAW } else { self.evaluate(board, ply) };
            }
            alpha = self.raised_by_repetition(board, alpha, ply).max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // Step 3. Transposition table. A search without one of the moves says nothing about the position itself.
        let excluded = self.stack.at(ply).excluded;
        self.stack.at_mut(ply + 2).cutoffs = 0;
        let key = tt_key(board);
        let entry = self.shared.tt.probe(key);
        let known = entry.map(|entry| Known { entry, score: entry.score(ply, board.halfmove_clock()) });
        let tt_move = if N::ROOT { self.root_tt_move() } else { entry.and_then(|entry| entry.best) };
        let tt_move = tt_move.filter(|&m| board.is_legal(m));
        if let (false, None, Some(Known { entry, score })) = (N::PV, excluded, known)
            && entry.depth >= depth
            && entry.cuts(score, beta)
        {
            if score >= beta {
                self.learn_from_tt_cutoff(board, ply, depth, tt_move);
            }
            return score;
        }

        // Step 4. Endgame tables.
        let (mut floor, mut ceiling) = (-INFINITE, INFINITE);
        if !N::ROOT && excluded.is_none() && self.probe_men > 0 {
            match self.table_bounds(board, (alpha, beta), depth, ply) {
                Ok(bounds) => (floor, ceiling) = bounds,
                Err(score) => return score,
            }
            alpha = alpha.max(floor);
        }

        // Step 5. Static evaluation, and what it says of the opponent's last move.
        let (raw_eval, static_eval) = self.static_eval(board, entry, in_check, ply);
        if let (Some(raw), None) = (raw_eval, entry) {
            self.store_static(key, ply, raw, None);
        }
        self.stack.at_mut(ply).static_eval = (!in_check).then_some(static_eval);
        let improving = !in_check && self.is_improving(static_eval, beta, ply);
        if !in_check && excluded.is_none() {
            self.judge_last_move(board, static_eval, ply);
        }

        // Step 6. Look less deep where the order is poor, and prune the whole node.
        if (N::PV || cut_node) && excluded.is_none() && !N::ROOT {
            depth -= params::iir(depth, tt_move.and(entry).map(|entry| entry.depth));
        }
        let tt_pv = N::PV || entry.is_some_and(|entry| entry.pv);
        let tt_noisy = tt_move.is_some_and(|m| board.is_noisy(m));
        let mut context = Context {
            alpha,
            beta,
            depth,
            ply,
            cut_node,
            in_check,
            improving,
            static_eval,
            known,
            tt_pv,
            tt_move,
            tt_noisy,
            excluded,
        };
        if !N::PV
            && !in_check
            && !self.seeks_mate
            && excluded.is_none()
            && let Some(score) = self.prune_node(board, &context)
        {
            return score;
        }

        // Step 7. Try the moves: steps 8 to 12.
        let mut tries = match self.try_moves::<N>(board, &mut context, floor) {
            Ok(tries) => tries,
            Err(score) => return score,
        };

        // Step 13. Mate and stalemate.
        if tries.count == 0 {
            return match (excluded, in_check) {
                (Some(_), _) => alpha,
                (None, true) => mated_in(ply),
                (None, false) => DRAW,
            };
        }

        // Step 14. Learn from the result, and store it.
        context = Context { alpha, depth, ..context };
        self.learn_from_moves::<N>(board, &context, &tries);
        // A cutoff from a shallow search is softened: the position is not as good as that.
        if tries.best_score >= beta && !is_decisive(tries.best_score) && !is_decisive(beta) {
            tries.best_score = (tries.best_score * depth + beta) / (depth + 1);
        }
        let bound = match tries.best_score {
            score if score >= beta && score < ceiling => Bound::Lower,
            // Where search and tables meet is the value.
            score if score > alpha || score == floor => Bound::Exact,
            _ => Bound::Upper,
        };
        tries.best_score = tries.best_score.min(ceiling);
        if excluded.is_none() && !(N::ROOT && self.pv_index > 0) {
            let Tries { best_move: best, best_score: score, .. } = tries;
            let new = NewEntry { best, score, raw_eval, depth, bound: Some(bound), pv: tt_pv };
            self.shared.tt.store(key, ply, &new);
            self.learn_correction(board, &context, &tries, bound);
        }
        tries.best_score
    }

    /// Steps 8 to 12: tries the moves until one is better than beta. The score starts from `floor`. `Err` is the score
    /// of a node that ends at once.
    fn try_moves<N: NodeType>(&mut self, board: &Board, context: &mut Context, floor: Score) -> Result<Tries, Score> {
        let &mut Context { beta, depth, ply, improving, tt_move, excluded, .. } = context;
        self.note_threats(board, ply);
        let mut picker = MovePicker::new(board, tt_move, self.stack.at(ply).killer);
        let mut tries =
            Tries { best_score: floor, best_move: None, count: 0, quiets: MovesTried::new(), noisy: MovesTried::new() };
        while let Some(picked) = picker.next(board, &self.histories, &self.stack, ply) {
            // Step 8. The next move.
            let m = picked.m;
            if Some(m) == excluded || N::ROOT && !self.root_move_is_open(m) {
                continue;
            }
            self.shared.tt.prefetch(likely_tt_key_after(board, m));
            tries.count += 1;
            let quiet = !board.is_noisy(m);
            let tried = TriedMove { m, quiet, count: tries.count, history: self.history_of(board, picked, quiet, ply) };

            // Step 9. Skip it if it promises nothing.
            if !N::ROOT && tries.best_score > -TB_WIN_IN_MAX_PLY && self.skips_move(board, context, &tried) {
                if quiet && tried.count > params::lmp_count(depth, improving) {
                    picker.skip_quiets();
                }
                continue;
            }

            // Step 10. Extend it if it is the only good one.
            let extension = self.singular_extension::<N>(board, context, m)?;

            // Step 11. Make the move and search it.
            let nodes_before = self.nodes;
            if N::ROOT {
                self.report_current_move(m, tried.count);
                self.stack.clear_pv(1);
            }
            let child = self.play(board, m, ply);
            let mut score = self.search_child::<N>(&child, context, &tried, extension);
            self.unplay();
            if self.stopped {
                return Err(DRAW);
            }

            // Step 12. Keep what is better.
            if N::ROOT {
                score = self.settled_score(m, score);
                let better = tried.count == 1 || score > context.alpha;
                self.update_root_move(m, score, better, self.nodes - nodes_before);
                self.check_soft_nodes();
            }
            tries.best_score = tries.best_score.max(score);
            if score > context.alpha {
                tries.best_move = Some(m);
                if N::PV {
                    self.stack.extend_pv(ply, m);
                }
                if score >= beta {
                    self.stack.at_mut(ply).cutoffs += 1;
                    break;
                }
                context.alpha = score;
                context.depth = params::depth_after_raise(depth, score);
            }
            // A full list only means that later moves are not remembered.
            let _ = if quiet { tries.quiets.try_push(m) } else { tries.noisy.try_push(m) };
        }
        Ok(tries)
    }

    /// Counts the node. Returns whether the search has been stopped.
    pub(super) fn enter_node<N: NodeType>(&mut self, ply: usize) -> bool {
        if N::PV {
            self.stack.clear_pv(ply);
            self.seldepth = self.seldepth.max(ply + 1);
        }
        self.count_node();
        self.stopped
    }
}
