//! The numbers of the search and the formulas they appear in. Scores are in units of the evaluation, depths plies,
//! reductions fractions of a ply.

use once_cell::sync::Lazy;

use super::tunable::tunables;
use crate::types::{Score, is_decisive};

/// No move is skipped from this half-move clock on.
pub(super) const PRUNING_MAX_CLOCK: u16 = 90;

/// Reductions are counted in fractions of a ply: so many make one.
pub(super) const LMR_ONE: i32 = 1_024;

tunables! {
    /// First aspiration window to each side, for a score of zero.
    aspiration_base = 13, 5..=40, 2;
    /// It grows with the square of the score, divided by this.
    aspiration_score_div = 10_436, 4_000..=40_000, 1_500;
    /// Aspiration starts at this depth.
    aspiration_min_depth = 4, 3..=8, 1;

    /// Reverse futility pruning (static null move): the deepest nodes.
    rfp_max_depth = 7, 4..=14, 1;
    /// For each ply, and less one ply when things improve.
    rfp_depth_margin = 78, 30..=150, 6;

    /// Razoring: the deepest nodes.
    razoring_max_depth = 4, 1..=8, 1;
    /// For each ply.
    razoring_depth_margin = 213, 80..=500, 16;

    /// Null-move pruning: the least depth.
    nmp_min_depth = 3, 1..=6, 1;
    /// By how much the static evaluation must beat beta at depth 0.
    nmp_margin_base = 73, -100..=300, 15;
    /// And how much less for each ply.
    nmp_margin_depth = 13, 0..=40, 3;
    /// The reduction in plies at depth 0.
    nmp_base = 4, 2..=6, 1;
    /// A ply more for so much depth.
    nmp_depth_div = 3, 2..=6, 1;
    /// And for so much more than beta.
    nmp_eval_div = 194, 80..=400, 16;
    /// But not more than so many.
    nmp_eval_max = 3, 1..=6, 1;
    /// From this depth on a search without null moves must agree.
    nmp_verification_min_depth = 14, 10..=20, 1;

    /// ProbCut: the least depth.
    probcut_min_depth = 5, 3..=8, 1;
    /// How much shallower the probe is.
    probcut_reduction = 5, 2..=6, 1;
    /// By how much a probe must beat beta.
    probcut_base = 183, 80..=350, 12;
    /// Less when things improve.
    probcut_improving_margin = 43, 0..=120, 8;

    /// Internal iterative reduction: the least depth.
    iir_min_depth = 5, 2..=8, 1;
    /// A table entry so much shallower counts for little.
    iir_entry_depth = 3, 2..=12, 1;

    /// Things are improving if the static evaluation is so far above beta.
    improving_beta_margin = 96, 20..=250, 12;

    /// Once a move has raised alpha, the others are searched so much less deep.
    alpha_raise_reduction = 1, 0..=2, 1;
    /// But not from this depth on.
    alpha_raise_max_depth = 14, 6..=24, 1;

    /// Quiet moves that check without being lost come first.
    order_check = 10_036, 2_000..=20_000, 900;
    /// A piece that leaves or enters the attack of a lesser piece gains or loses so much for each centipawn.
    order_threat = 7, 2..=24, 2;

    /// Late move pruning: the deepest nodes.
    lmp_max_depth = 9, 4..=12, 1;
    /// Moves that are tried at depth 0.
    lmp_base = 4, 1..=8, 1;

    /// Futility pruning of quiet moves: the deepest nodes, after the reduction.
    fp_max_depth = 7, 4..=12, 1;
    /// What a quiet move may gain at depth 0.
    fp_base = 80, 20..=200, 10;
    /// And for each ply.
    fp_depth_margin = 84, 40..=160, 8;

    /// Pruning of quiet moves with a bad history: the deepest nodes.
    history_pruning_max_depth = 4, 2..=8, 1;
    /// The history that they may lack, for each ply.
    history_pruning_margin = 3_636, 1_500..=8_000, 300;

    /// Pruning of moves that lose material: the deepest nodes.
    see_max_depth = 8, 4..=12, 1;
    /// What a quiet move may lose for each ply.
    see_quiet_margin = 52, 20..=120, 6;
    /// What a noisy move may lose for each ply.
    see_noisy_margin = 92, 40..=180, 8;

    /// Late move reductions: the least depth.
    lmr_min_depth = 3, 2..=4, 1;
    /// What every late move is reduced by.
    lmr_base = 648, 0..=1_500, 80;
    /// The logarithms of depth and number are divided by this.
    lmr_log_div = 2_250, 1_500..=3_500, 100;
    /// A reduction shrinks by one ply for so much history.
    lmr_history_div = 8_245, 4_000..=16_000, 500;
    /// Less reduction of captures and promotions.
    lmr_noisy = 1_027, 0..=2_048, 100;
    /// More reduction where a cutoff is expected.
    lmr_cut_node = 1_498, 0..=3_072, 128;
    /// More reduction of quiet moves when the table's move is none.
    lmr_tt_noisy = 537, 0..=2_048, 100;
    /// More reduction when things get worse.
    lmr_not_improving = 721, 0..=2_048, 100;
    /// More reduction when the nodes of the next ply keep cutting off.
    lmr_cutoffs = 848, 0..=2_048, 100;
    /// Less reduction of checks.
    lmr_check = 896, 0..=2_048, 100;
    /// Less reduction where the principal variation has been.
    lmr_tt_pv = 968, 0..=2_048, 100;
    /// Still less if the table's score beats alpha.
    lmr_tt_pv_high = 308, 0..=2_048, 100;
    /// Less reduction of the killer.
    lmr_killer = 700, 0..=2_048, 100;
    /// Less reduction where it is.
    lmr_pv = 1_149, 0..=2_048, 100;

    /// A reduced move that beats alpha by so much at depth 0 is searched again a ply deeper than without reduction.
    lmr_deeper_base = 40, 10..=120, 8;
    /// And by so much more for each ply.
    lmr_deeper_depth = 2, 0..=10, 1;

    /// Singular extensions: the least depth.
    se_min_depth = 5, 4..=9, 1;
    /// The table's search may have been so many plies shallower.
    se_tt_depth = 3, 2..=5, 1;
    /// How far the other moves must fall short of the table's score for each ply, in sixteenths.
    se_depth_margin = 23, 8..=48, 3;
    /// And so much more where the principal variation has been.
    se_tt_pv_margin = 15, 0..=48, 3;
    /// So far below the singular margin for two plies.
    se_double_margin = 16, 0..=50, 4;
    /// And for three.
    se_triple_margin = 90, 30..=200, 10;

    /// Futility of captures in quiescence.
    qsearch_fp_margin = 156, 60..=300, 12;

    /// What a correction counts for, in sixty-fourths: by the pawns.
    correction_pawns = 62, 0..=200, 10;
    /// By the minor pieces.
    correction_minors = 77, 0..=200, 10;
    /// By the pieces of one colour.
    correction_non_pawns = 84, 0..=200, 10;
    /// By the last two moves.
    correction_continuation = 74, 0..=200, 10;

    /// What the opponent's last move gains where all answers fail, in percent of what a good move gains.
    history_unanswered = 104, 0..=250, 15;

    /// What a move gains in the histories for each unit by which it changed the static evaluation.
    eval_difference_factor = 11, 0..=24, 2;
    /// And in any case.
    eval_difference_offset = 132, 0..=400, 30;
    /// But neither gains nor loses more than so much by it.
    eval_difference_max = 1_193, 400..=3_000, 150;

    /// What a good move gains in the histories for each ply.
    history_bonus_depth = 188, 80..=400, 16;
    /// Less this.
    history_bonus_offset = 69, 0..=300, 16;
    /// But no more than this.
    history_bonus_max = 1_952, 800..=4_000, 150;
    /// What the moves tried before it lose for each ply.
    history_malus_depth = 196, 80..=500, 20;
    /// But no more than this.
    history_malus_max = 1_500, 600..=4_000, 150;
}

/// The first aspiration window to each side of a score.
pub(super) fn aspiration_window(score: Score) -> Score {
    let score = score.clamp(-2_000, 2_000);
    aspiration_base() + score * score / aspiration_score_div()
}

/// The margin above beta that lets a node return at once.
pub(super) fn rfp_margin(depth: i32, improving: bool) -> Score {
    rfp_depth_margin() * (depth - i32::from(improving))
}

/// The margin below alpha from which only quiescence is asked.
pub(super) fn razoring_margin(depth: i32) -> Score {
    razoring_depth_margin() * depth
}

/// By how much the static evaluation must beat beta before a null move is tried.
pub(super) fn nmp_margin(depth: i32) -> Score {
    nmp_margin_base() - nmp_margin_depth() * depth
}

/// How much shallower the null move is searched.
pub(super) fn nmp_reduction(depth: i32, eval_above_beta: Score) -> i32 {
    nmp_base() + depth / nmp_depth_div() + (eval_above_beta / nmp_eval_div()).min(nmp_eval_max())
}

/// By how much a probe must beat beta.
pub(super) fn probcut_margin(improving: bool) -> Score {
    probcut_base() - i32::from(improving) * probcut_improving_margin()
}

/// The history that a quiet move must have.
pub(super) fn history_threshold(depth: i32) -> i32 {
    -history_pruning_margin() * depth
}

/// How much less deep to search a node whose order is poor, given the depth of the table's entry that has a move.
pub(super) fn iir(depth: i32, entry_depth: Option<i32>) -> i32 {
    let poor = entry_depth.is_none_or(|entry_depth| entry_depth + iir_entry_depth() < depth);
    i32::from(depth >= iir_min_depth() && poor)
}

/// How deep the other moves are searched once a move has raised alpha to `score`.
pub(super) fn depth_after_raise(depth: i32, score: Score) -> i32 {
    let reduces = (3..alpha_raise_max_depth()).contains(&depth) && !is_decisive(score);
    depth - if reduces { alpha_raise_reduction() } else { 0 }
}

/// How many moves are tried before quiet ones are skipped.
pub(super) fn lmp_count(depth: i32, improving: bool) -> usize {
    ((lmp_base() + depth * depth) / if improving { 1 } else { 2 }) as usize
}

/// What a quiet move may gain at most.
pub(super) fn fp_margin(depth: i32) -> Score {
    fp_base() + fp_depth_margin() * depth
}

/// How much a quiet move may lose.
pub(super) fn see_quiet_threshold(depth: i32) -> Score {
    -see_quiet_margin() * depth
}

/// How much a noisy move may lose.
pub(super) fn see_noisy_threshold(depth: i32) -> Score {
    -see_noisy_margin() * depth
}

/// Natural logarithms in units of [`LMR_ONE`].
static LOGARITHMS: Lazy<[i32; 64]> =
    Lazy::new(|| std::array::from_fn(|index| ((index.max(1) as f64).ln() * f64::from(LMR_ONE)).round() as i32));

/// The reduction of the `count`th move before anything else is known of it.
pub(super) fn lmr_start(depth: i32, count: usize) -> i32 {
    lmr_base() + LOGARITHMS[depth.clamp(0, 63) as usize] * LOGARITHMS[count.min(63)] / lmr_log_div()
}

/// How much less a move with such a history is reduced.
pub(super) fn lmr_history(history: i32) -> i32 {
    history * LMR_ONE / lmr_history_div()
}

/// By how much a reduced move must beat alpha to be searched deeper than without reduction.
pub(super) fn lmr_deeper_margin(depth: i32) -> Score {
    lmr_deeper_base() + lmr_deeper_depth() * depth
}

/// How far the other moves must fall short of the table's score.
pub(super) fn se_margin(depth: i32, was_pv: bool) -> Score {
    depth * (se_depth_margin() + i32::from(was_pv) * se_tt_pv_margin()) / 16
}

/// What the corrections by pawns, minor pieces, white and black pieces and the last moves count for.
pub(super) fn correction_weights() -> [i32; 5] {
    let by_color = correction_non_pawns();
    [correction_pawns(), correction_minors(), by_color, by_color, correction_continuation()]
}

/// What a move gains in the histories by a change of the static evaluation in its favour.
pub(super) fn eval_difference_bonus(difference: Score) -> i32 {
    let limit = eval_difference_max();
    (eval_difference_factor() * difference).clamp(-limit, limit) + eval_difference_offset()
}

/// What a good move gains in the histories.
pub(super) fn history_bonus(depth: i32) -> i32 {
    (history_bonus_depth() * depth - history_bonus_offset()).min(history_bonus_max())
}

/// What the moves tried before it lose.
pub(super) fn history_malus(depth: i32) -> i32 {
    -(history_malus_depth() * depth).min(history_malus_max())
}
