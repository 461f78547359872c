//! The alpha-beta search of one node, in numbered steps.
//!
//! Principal variation search with a fail-soft window. Before any move is made a node may end by draw, table or a
//! static margin; each move may be skipped, or searched less deep when it comes late. Margins and formulas are in
//! `params`, the order of the moves in `move_picker`.

use arrayvec::ArrayVec;

use super::history::PieceTo;
use super::move_picker::{MovePicker, quiet_score};
use super::params;
use super::report::Bound;
use super::tt::{Entry, NewEntry};
use super::worker::Worker;
use crate::board::Board;
use crate::eval;
use crate::types::{DRAW, INFINITE, MATE_IN_MAX_PLY, MAX_PLY, Move, Score, TB_WIN_IN_MAX_PLY, mate_in, mated_in};

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
struct Context {
    alpha: Score,
    beta: Score,
    depth: i32,
    ply: usize,
    cut_node: bool,
    in_check: bool,
    improving: bool,
    /// The corrected static evaluation; meaningless in check.
    static_eval: Score,
    tt_pv: bool,
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
        // Step 1. At the horizon; checks are looked at one ply deeper.
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

        // Step 3. Transposition table.
        let key = tt_key(board);
        let entry = self.shared.tt.probe(key);
        let tt_score = entry.map(|entry| entry.score(ply, board.halfmove_clock()));
        if let (false, Some(entry), Some(score)) = (N::PV, entry, tt_score)
            && entry.depth >= depth
            && entry.cuts(score, beta)
        {
            return score;
        }
        let tt_move = if N::ROOT { self.root_tt_move() } else { entry.and_then(|entry| entry.best) };

        // Step 4. Static evaluation.
        let (raw_eval, static_eval) = self.static_eval(board, entry, in_check, ply);
        self.stack.at_mut(ply).static_eval = (!in_check).then_some(static_eval);
        let improving = !in_check && self.stack.before(ply, 2).static_eval.is_none_or(|earlier| static_eval > earlier);
        let tt_pv = N::PV || entry.is_some_and(|entry| entry.pv);
        // Step 5. Internal iterative reduction: without a hash move the order is poor, so look less deep.
        if tt_move.is_none() && depth >= params::IIR_MIN_DEPTH && (N::PV || cut_node) {
            depth -= 1;
        }
        let mut context = Context { alpha, beta, depth, ply, cut_node, in_check, improving, static_eval, tt_pv };

        // Step 6. Prune the whole node.
        if !N::PV && !in_check {
            let eval = better_estimate(static_eval, entry, tt_score);
            if let Some(score) = self.prune_node(board, &context, eval) {
                return score;
            }
        }

        // Step 7. Try the moves.
        let killer = self.stack.at(ply).killer;
        let mut picker = MovePicker::new(board, tt_move, killer);
        let (mut best_score, mut best_move, mut count) = (-INFINITE, None, 0);
        let (mut quiets_tried, mut noisy_tried) = (Tried::new(), Tried::new());
        while let Some(m) = picker.next(board, &self.histories, &self.stack, ply) {
            if N::ROOT && !self.root_move_is_open(m) {
                continue;
            }
            count += 1;
            let quiet = !board.is_noisy(m);

            // Step 8. Skip moves that promise nothing.
            if !N::ROOT && best_score > -TB_WIN_IN_MAX_PLY && self.skips_move(board, &context, m, quiet, count) {
                if quiet && count > params::lmp_count(depth, improving) {
                    picker.skip_quiets();
                }
                continue;
            }

            // Step 9. Make the move and search it.
            let nodes_before = self.nodes;
            if N::ROOT {
                self.report_current_move(m, count);
            }
            let child = self.play(board, m, ply);
            let score = self.search_child::<N>(board, &child, &context, m, quiet, count);
            self.unplay();
            if self.stopped {
                return DRAW;
            }

            // Step 10. Keep what is better.
            if N::ROOT {
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
                        break;
                    }
                    context.alpha = score;
                }
            }
            // A full list only means that later moves are not remembered.
            let _ = if quiet { quiets_tried.try_push(m) } else { noisy_tried.try_push(m) };
        }

        // Step 11. Mate and stalemate.
        if count == 0 {
            return if in_check { mated_in(ply) } else { DRAW };
        }

        // Step 12. Learn from a cutoff, and store the result.
        if let Some(m) = best_move.filter(|_| best_score >= beta) {
            self.update_histories(board, ply, depth, m, &quiets_tried, &noisy_tried);
        }
        if !(N::ROOT && self.pv_index > 0) {
            let bound = match best_score {
                score if score >= beta => Bound::Lower,
                score if score > alpha => Bound::Exact,
                _ => Bound::Upper,
            };
            let new = NewEntry { best: best_move, score: best_score, raw_eval, depth, bound: Some(bound), pv: tt_pv };
            self.shared.tt.store(key, ply, &new);
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

    /// Whether the position is a draw: by the 50-move rule unless it is mate, by material, or by repetition.
    /// Inside the tree the first repetition counts; a position from before the search, or its root, must come a
    /// third time.
    pub(super) fn is_draw(&self, board: &Board, ply: usize) -> bool {
        if board.halfmove_clock() >= 100 {
            return !board.in_check() || !board.has_no_legal_move();
        }
        if board.is_insufficient_material() {
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
        (Some(raw), eval::scale_by_clock(raw, board.halfmove_clock()))
    }

    /// Ends a node of the null window without trying its moves.
    fn prune_node(&mut self, board: &Board, context: &Context, eval: Score) -> Option<Score> {
        let &Context { alpha, beta, depth, ply, improving, .. } = context;
        // Reverse futility: so far above beta that the opponent will not catch up.
        if depth <= params::RFP_MAX_DEPTH
            && eval - params::rfp_margin(depth, improving) >= beta
            && eval < TB_WIN_IN_MAX_PLY
            && beta > -TB_WIN_IN_MAX_PLY
        {
            return Some((eval + beta) / 2);
        }
        // Razoring: so far below alpha that only captures could help.
        if depth <= params::RAZORING_MAX_DEPTH && eval + params::razoring_margin(depth) <= alpha {
            let score = self.qsearch::<CutOrAllNode>(board, alpha, alpha + 1, ply);
            if score <= alpha {
                return Some(score);
            }
        }
        // Null move: if passing still fails high, a real move will. Not twice in a row, and not where zugzwang is
        // the rule.
        if depth >= params::NMP_MIN_DEPTH
            && eval >= beta
            && context.static_eval >= beta
            && beta > -TB_WIN_IN_MAX_PLY
            && self.null_move_allowed(ply)
            && board.has_non_pawn_material(board.stm())
        {
            let reduction = params::nmp_reduction(depth, eval - beta);
            let child = self.play_null(board, ply);
            let score =
                -self.node::<CutOrAllNode>(&child, -beta, -beta + 1, depth - reduction, ply + 1, !context.cut_node);
            self.unplay();
            if self.stopped {
                return Some(DRAW);
            }
            if score >= beta {
                // A mate behind a null move is no proof.
                return Some(if score >= TB_WIN_IN_MAX_PLY { beta } else { score });
            }
        }
        None
    }

    /// Whether a move is not worth a search: late, hopeless or losing material.
    fn skips_move(&self, board: &Board, context: &Context, m: Move, quiet: bool, count: usize) -> bool {
        let &Context { alpha, depth, in_check, improving, static_eval, .. } = context;
        // Shortly before a draw by the 50-move rule the only winning move may look like nothing.
        if !board.has_non_pawn_material(board.stm()) || board.halfmove_clock() >= params::PRUNING_MAX_CLOCK {
            return false;
        }
        if quiet {
            let late = depth <= params::LMP_MAX_DEPTH && count > params::lmp_count(depth, improving);
            let futile = !in_check
                && depth <= params::FP_MAX_DEPTH
                && alpha < MATE_IN_MAX_PLY
                && static_eval + params::fp_margin(depth) <= alpha;
            if late || futile {
                return true;
            }
        }
        let threshold = if quiet { params::see_quiet_threshold(depth) } else { params::see_noisy_threshold(depth) };
        depth <= params::SEE_MAX_DEPTH && count > 1 && !board.see_ge(m, threshold)
    }

    /// Searches a move: the first of a node with the full window, the others with a null window around alpha,
    /// late ones less deep, and again when they surprise.
    fn search_child<N: NodeType>(
        &mut self,
        board: &Board,
        child: &Board,
        context: &Context,
        m: Move,
        quiet: bool,
        count: usize,
    ) -> Score {
        let &Context { alpha, beta, depth, ply, cut_node, .. } = context;
        let new_depth = depth - 1;
        let mut score = -INFINITE;
        if depth >= params::LMR_MIN_DEPTH && count > 1 + usize::from(N::ROOT) {
            let reduction = self.reduction::<N>(board, child, context, m, quiet, count);
            let reduced = (new_depth - reduction).clamp(1, new_depth);
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
    fn reduction<N: NodeType>(
        &self,
        board: &Board,
        child: &Board,
        context: &Context,
        m: Move,
        quiet: bool,
        count: usize,
    ) -> i32 {
        let mut reduction = params::lmr_base(context.depth, count);
        if quiet {
            let earlier = [1, 2, 4].map(|back| self.stack.before(context.ply, back).moved);
            reduction -= quiet_score(board, &self.histories, earlier, m) / params::LMR_HISTORY_DIV;
            reduction += i32::from(context.cut_node);
        } else {
            reduction -= 1;
        }
        reduction + i32::from(!context.improving)
            - i32::from(child.in_check())
            - i32::from(context.tt_pv)
            - i32::from(N::PV)
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
        self.histories.update_quiet(board.stm(), m, bonus);
        if let Some(now) = PieceTo::new(board, m) {
            for back in [1, 2, 4] {
                self.histories.update_continuation(self.stack.before(ply, back).moved, now, bonus);
            }
        }
    }
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
