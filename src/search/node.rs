//! The alpha-beta search of one node, in numbered steps.
//!
//! Principal variation search with a fail-soft window. Before any move is made a node may end by draw, table or a
//! static margin; each move may be skipped, or searched less deep when it comes late. Margins and formulas are in
//! `params`, the order of the moves in `move_picker`.

use arrayvec::ArrayVec;

use super::history::PieceTo;
use super::move_picker::{MovePicker, Picked, QuietScores};
use super::params;
use super::report::Bound;
use super::tt::{Entry, NewEntry};
use super::worker::Worker;
use crate::board::Board;
use crate::eval;
use crate::rules::dead;
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

/// What the steps of a node share.
pub(super) struct Context {
    pub(super) alpha: Score,
    pub(super) beta: Score,
    pub(super) depth: i32,
    pub(super) ply: usize,
    pub(super) cut_node: bool,
    pub(super) in_check: bool,
    pub(super) improving: bool,
    /// The corrected static evaluation; meaningless in check.
    pub(super) static_eval: Score,
    pub(super) tt_pv: bool,
    pub(super) tt_move: Option<Move>,
    /// Whether the table's move captures or promotes.
    pub(super) tt_noisy: bool,
}

/// A move that is being tried.
pub(super) struct TriedMove {
    pub(super) m: Move,
    pub(super) quiet: bool,
    /// Its number in the node, from 1.
    pub(super) count: usize,
    /// What the histories say of it, if it is quiet.
    pub(super) history: i32,
}

/// How many moves of each kind the histories are told about.
type Tried = ArrayVec<Move, 64>;

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
        // Step 1. At the horizon only captures matter.
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
            alpha = alpha.max(mated_in(ply));
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
        let tt_score = entry.map(|entry| entry.score(ply, board.halfmove_clock()));
        let tt_move = if N::ROOT { self.root_tt_move() } else { entry.and_then(|entry| entry.best) };
        let tt_move = tt_move.filter(|&m| board.is_legal(m));
        if let (false, None, Some(entry), Some(score)) = (N::PV, excluded, entry, tt_score)
            && entry.depth >= depth
            && entry.cuts(score, beta)
        {
            if score >= beta {
                self.reward_tt_move(board, ply, depth, tt_move);
            }
            return score;
        }

        // Step 4. Endgame tables.
        let (mut floor, mut ceiling) = (-INFINITE, INFINITE);
        if !N::ROOT
            && excluded.is_none()
            && self.probe_men > 0
            && let Some((score, bound)) = self.probe_tables(board, depth, ply)
        {
            match bound {
                Bound::Lower if score < beta => floor = score,
                Bound::Upper if score > alpha => ceiling = score,
                _ => {
                    self.store_table_score(key, ply, depth, (score, bound));
                    return score;
                }
            }
            alpha = alpha.max(floor);
        }

        // Step 5. Static evaluation.
        let (raw_eval, static_eval) = self.static_eval(board, entry, in_check, ply);
        if let (Some(raw), None) = (raw_eval, entry) {
            self.store_static(key, ply, raw, None);
        }
        self.stack.at_mut(ply).static_eval = (!in_check).then_some(static_eval);
        let improving = !in_check && self.is_improving(static_eval, ply);
        let tt_pv = N::PV || entry.is_some_and(|entry| entry.pv);

        // Step 6. Internal iterative reduction: without a hash move the order is poor, so look less deep.
        if tt_move.is_none() && excluded.is_none() && depth >= params::iir_min_depth() && (N::PV || cut_node) {
            depth -= 1;
        }
        let tt_noisy = tt_move.is_some_and(|m| board.is_noisy(m));
        let mut context =
            Context { alpha, beta, depth, ply, cut_node, in_check, improving, static_eval, tt_pv, tt_move, tt_noisy };

        // Step 7. Prune the whole node.
        if !N::PV && !in_check && !self.seeks_mate && excluded.is_none() {
            let eval = better_estimate(static_eval, entry, tt_score);
            if let Some(score) = self.prune_node(board, &context, eval, entry, tt_score) {
                return score;
            }
        }

        // Step 8. Try the moves.
        self.note_threats(board, ply);
        let killer = self.stack.at(ply).killer;
        let mut picker = MovePicker::new(board, tt_move, killer);
        let (mut best_score, mut best_move, mut count) = (floor, None, 0);
        let (mut quiets_tried, mut noisy_tried) = (Tried::new(), Tried::new());
        while let Some(picked) = picker.next(board, &self.histories, &self.stack, ply) {
            let m = picked.m;
            if Some(m) == excluded || N::ROOT && !self.root_move_is_open(m) {
                continue;
            }
            count += 1;
            self.shared.tt.prefetch(board.likely_key_after(m));
            let quiet = !board.is_noisy(m);
            let tried = TriedMove { m, quiet, count, history: self.history_of(board, picked, quiet, ply) };

            // Step 9. Skip moves that promise nothing.
            if !N::ROOT && best_score > -TB_WIN_IN_MAX_PLY && self.skips_move(board, &context, &tried) {
                if quiet && count > params::lmp_count(depth, improving) {
                    picker.skip_quiets();
                }
                continue;
            }

            // Step 10. Extend a move that is the only good one.
            let mut extension = 0;
            if !N::ROOT
                && excluded.is_none()
                && tt_move == Some(m)
                && let (Some(entry), Some(score)) = (entry, tt_score)
                && self.is_singular_candidate(&context, entry, score)
            {
                match self.singular_extension::<N>(board, &context, m, score) {
                    Ok(plies) => extension = plies,
                    Err(score) => return score,
                }
            }

            // Step 11. Make the move and search it.
            let nodes_before = self.nodes;
            if N::ROOT {
                self.report_current_move(m, count);
                self.stack.clear_pv(1);
            }
            let child = self.play(board, m, ply);
            let mut score = self.search_child::<N>(&child, &context, &tried, extension);
            self.unplay();
            if self.stopped {
                return DRAW;
            }

            // Step 12. Keep what is better.
            if N::ROOT {
                score = self.settled_score(m, score);
                self.update_root_move(m, score, count == 1 || score > context.alpha, self.nodes - nodes_before);
                self.check_soft_nodes();
            }
            if score > best_score {
                best_score = score;
                if score > context.alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.stack.extend_pv(ply, m);
                    }
                    if score >= beta {
                        self.stack.at_mut(ply).cutoffs += 1;
                        break;
                    }
                    context.alpha = score;
                }
            }
            // A full list only means that later moves are not remembered.
            let _ = if quiet { quiets_tried.try_push(m) } else { noisy_tried.try_push(m) };
        }

        // Step 13. Mate and stalemate.
        if count == 0 {
            return match (excluded, in_check) {
                (Some(_), _) => alpha,
                (None, true) => mated_in(ply),
                (None, false) => DRAW,
            };
        }

        // Step 14. Learn from the result, and store it.
        if let Some(m) = best_move.filter(|_| best_score >= beta) {
            self.update_histories(board, ply, depth, m, &quiets_tried, &noisy_tried);
            // A cutoff from a shallow search is softened: the position is not as good as that.
            if !is_decisive(best_score) && !is_decisive(beta) {
                best_score = (best_score * depth + beta) / (depth + 1);
            }
        }
        let bound = match best_score {
            score if score >= beta && score < ceiling => Bound::Lower,
            // Where search and tables meet is the value.
            score if score > alpha || score == floor => Bound::Exact,
            _ => Bound::Upper,
        };
        best_score = best_score.min(ceiling);
        if excluded.is_none() && !(N::ROOT && self.pv_index > 0) {
            let new = NewEntry { best: best_move, score: best_score, raw_eval, depth, bound: Some(bound), pv: tt_pv };
            self.shared.tt.store(key, ply, &new);
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
        best_score
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

    /// Whether the position is a draw: by the 50-move rule unless it is mate, because nobody can win, or by repetition.
    /// Inside the tree the first repetition counts; a position from before the search, or its root, must come a
    /// third time.
    pub(super) fn is_draw(&self, board: &Board, ply: usize) -> bool {
        if board.halfmove_clock() >= 100 {
            return !board.in_check() || !board.has_no_legal_move();
        }
        if board.is_insufficient_material() || self.is_root_dead || is_newly_dead(board) {
            return true;
        }
        let reach = self.stack.at(ply).reversible.min(board.halfmove_clock().into()).min(self.keys.len());
        let mut seen_before_search = false;
        for back in (4..=reach).step_by(2) {
            if self.keys[self.keys.len() - back] == board.key() {
                if back < ply || seen_before_search {
                    return true;
                }
                seen_before_search = true;
            }
        }
        false
    }

    /// The raw static evaluation (for the table) and the one to work with.
    fn static_eval(
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

    /// Notes what the histories of quiet moves go by.
    pub(super) fn note_threats(&mut self, board: &Board, ply: usize) {
        self.stack.at_mut(ply).threats = board.attacked_by(!board.stm());
    }

    /// Whether the side to move stands better than at its last turn without check.
    fn is_improving(&self, static_eval: Score, ply: usize) -> bool {
        let earlier = [2, 4].into_iter().find_map(|back| self.stack.before(ply, back).static_eval);
        earlier.is_none_or(|earlier| static_eval > earlier)
    }

    /// Searches a move: the first of a node with the full window, the others with a null window around alpha,
    /// late ones less deep, and again when they surprise.
    fn search_child<N: NodeType>(
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
                score = -self.node::<CutOrAllNode>(child, -alpha - 1, -alpha, new_depth, ply + 1, !cut_node);
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
        let &Context { depth, ply, cut_node, improving, tt_pv, tt_noisy, .. } = context;
        let mut reduction = params::lmr_start(depth, tried.count);
        if tried.quiet {
            reduction -= params::lmr_history(tried.history);
            reduction += i32::from(cut_node) * params::lmr_cut_node();
            reduction += i32::from(tt_noisy) * params::lmr_tt_noisy();
        } else {
            reduction -= params::lmr_noisy();
        }
        reduction += i32::from(!improving) * params::lmr_not_improving();
        reduction += i32::from(self.stack.at(ply + 1).cutoffs > 2) * params::lmr_cutoffs();
        reduction -= i32::from(child.in_check()) * params::lmr_check();
        reduction -= i32::from(tt_pv) * params::lmr_tt_pv();
        reduction -= i32::from(N::PV) * params::lmr_pv();
        reduction / params::LMR_ONE
    }

    /// What the histories say of a quiet move; nothing is asked of others.
    fn history_of(&self, board: &Board, picked: Picked, quiet: bool, ply: usize) -> i32 {
        if let Some(history) = picked.history {
            return history;
        }
        if !quiet {
            return 0;
        }
        QuietScores::new(board, &self.histories, &self.stack, ply).of(picked.m)
    }

    /// Rewards the table's move for a cutoff without a search.
    fn reward_tt_move(&mut self, board: &Board, ply: usize, depth: i32, tt_move: Option<Move>) {
        if let Some(m) = tt_move.filter(|&m| !board.is_noisy(m)) {
            self.note_threats(board, ply);
            self.update_quiet_histories(board, ply, m, params::history_bonus(depth));
        }
    }

    /// Rewards the move that cut off and blames those tried before it.
    fn update_histories(&mut self, board: &Board, ply: usize, depth: i32, m: Move, quiets: &[Move], noisy: &[Move]) {
        let (bonus, malus) = (params::history_bonus(depth), params::history_malus(depth));
        if board.is_noisy(m) {
            self.histories.update_capture(board, m, bonus);
        } else {
            self.stack.at_mut(ply).killer = Some(m);
            self.update_quiet_histories(board, ply, m, bonus);
            for &other in quiets {
                self.update_quiet_histories(board, ply, other, malus);
            }
        }
        for &other in noisy {
            self.histories.update_capture(board, other, malus);
        }
    }

    fn update_quiet_histories(&mut self, board: &Board, ply: usize, m: Move, bonus: i32) {
        self.histories.update_quiet(board.stm(), self.stack.at(ply).threats, m, bonus);
        if let Some(now) = PieceTo::new(board, m) {
            self.histories.update_pawn(board, now, bonus);
            for back in [1, 2, 4] {
                self.histories.update_continuation(self.stack.before(ply, back).moved, now, bonus);
            }
        }
    }
}

/// Whether neither side can win since the last move, a capture or a pawn move, locked the pawns. The other moves of a
/// dead game come after such a move or after a dead root, so that they need no test of their own.
#[inline]
fn is_newly_dead(board: &Board) -> bool {
    board.halfmove_clock() == 0 && dead::may_be_locked(board) && dead::is_dead_statically(board)
}

/// The key under which a position is stored. Near the 50-move limit it changes with the clock, so that what was
/// true with much time left is not taken for true with little.
pub(super) fn tt_key(board: &Board) -> u64 {
    const FREE_PLIES: u16 = 16;
    const STEP: u16 = 8;
    let clock = board.halfmove_clock();
    if clock < FREE_PLIES {
        return board.key();
    }
    board.key() ^ u64::from((clock - FREE_PLIES) / STEP + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The table's score where it says more than the static evaluation.
pub(super) fn better_estimate(static_eval: Score, entry: Option<Entry>, tt_score: Option<Score>) -> Score {
    match (entry.and_then(|entry| entry.bound), tt_score) {
        (Some(Bound::Exact), Some(score)) => score,
        (Some(Bound::Lower), Some(score)) => static_eval.max(score),
        (Some(Bound::Upper), Some(score)) => static_eval.min(score),
        _ => static_eval,
    }
}
