//! The numbers of the search and the formulas they appear in. Scores are in units of the evaluation, depths plies.

use once_cell::sync::Lazy;

use crate::types::Score;

/// No move is skipped from this half-move clock on.
pub(super) const PRUNING_MAX_CLOCK: u16 = 90;

/// First aspiration window to each side.
pub(super) const ASPIRATION_BASE: Score = 14;
/// Aspiration starts at this depth.
pub(super) const ASPIRATION_MIN_DEPTH: i32 = 4;

/// Reverse futility pruning (static null move).
pub(super) const RFP_MAX_DEPTH: i32 = 8;

/// The margin above beta that lets a node return at once.
pub(super) fn rfp_margin(depth: i32, improving: bool) -> Score {
    75 * (depth - i32::from(improving))
}

/// Razoring.
pub(super) const RAZORING_MAX_DEPTH: i32 = 3;

/// The margin below alpha from which only quiescence is asked.
pub(super) fn razoring_margin(depth: i32) -> Score {
    220 * depth
}

/// Null-move pruning.
pub(super) const NMP_MIN_DEPTH: i32 = 3;

/// How much shallower the null move is searched.
pub(super) fn nmp_reduction(depth: i32, eval_above_beta: Score) -> i32 {
    3 + depth / 3 + (eval_above_beta / 200).min(3)
}

/// From this depth on a search without null moves must agree.
pub(super) const NMP_VERIFICATION_MIN_DEPTH: i32 = 14;

/// ProbCut.
pub(super) const PROBCUT_MIN_DEPTH: i32 = 5;
/// How much shallower the probe is.
pub(super) const PROBCUT_REDUCTION: i32 = 4;

/// By how much a probe must beat beta.
pub(super) fn probcut_margin(improving: bool) -> Score {
    if improving { 140 } else { 190 }
}

/// Pruning of quiet moves with a bad history.
pub(super) const HISTORY_MAX_DEPTH: i32 = 4;

/// The history that a quiet move must have.
pub(super) fn history_threshold(depth: i32) -> i32 {
    -4_000 * depth
}

/// Internal iterative reduction.
pub(super) const IIR_MIN_DEPTH: i32 = 4;

/// Late move pruning.
pub(super) const LMP_MAX_DEPTH: i32 = 8;

/// How many moves are tried before quiet ones are skipped.
pub(super) fn lmp_count(depth: i32, improving: bool) -> usize {
    ((3 + depth * depth) / if improving { 1 } else { 2 }) as usize
}

/// Futility pruning of quiet moves.
pub(super) const FP_MAX_DEPTH: i32 = 7;

/// What a quiet move may gain at most.
pub(super) fn fp_margin(depth: i32) -> Score {
    90 + 85 * depth
}

/// Pruning of moves that lose material.
pub(super) const SEE_MAX_DEPTH: i32 = 8;

/// How much a quiet move may lose.
pub(super) fn see_quiet_threshold(depth: i32) -> Score {
    -60 * depth
}

/// How much a noisy move may lose.
pub(super) fn see_noisy_threshold(depth: i32) -> Score {
    -100 * depth
}

/// Late move reductions start at this depth.
pub(super) const LMR_MIN_DEPTH: i32 = 3;
/// Reductions are counted in fractions of a ply: so many make one.
pub(super) const LMR_ONE: i32 = 1_024;
/// A reduction shrinks by one ply for so much history.
pub(super) const LMR_HISTORY_DIV: i32 = 8_192;
/// More reduction where a cutoff is expected.
pub(super) const LMR_CUT_NODE: i32 = 1_536;
/// More reduction of quiet moves when the table's move is none.
pub(super) const LMR_TT_NOISY: i32 = 512;
/// More reduction when things get worse.
pub(super) const LMR_NOT_IMPROVING: i32 = 768;
/// More reduction when the nodes of the next ply keep cutting off.
pub(super) const LMR_CUTOFFS: i32 = 768;
/// Less reduction of checks.
pub(super) const LMR_CHECK: i32 = 1_024;
/// Less reduction where the principal variation has been.
pub(super) const LMR_TT_PV: i32 = 1_024;
/// Less reduction where it is.
pub(super) const LMR_PV: i32 = 1_024;

static LMR_TABLE: Lazy<[[i32; 64]; 64]> = Lazy::new(|| {
    let mut table = [[0; 64]; 64];
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (count, reduction) in row.iter_mut().enumerate().skip(1) {
            let plies = 0.6 + (depth as f64).ln() * (count as f64).ln() / 2.25;
            *reduction = (plies * f64::from(LMR_ONE)) as i32;
        }
    }
    table
});

/// The basic reduction of the `count`th move, in fractions of a ply.
pub(super) fn lmr_base(depth: i32, count: usize) -> i32 {
    LMR_TABLE[depth.clamp(0, 63) as usize][count.min(63)]
}

/// Singular extensions.
pub(super) const SE_MIN_DEPTH: i32 = 6;
/// The table's search may have been so many plies shallower.
pub(super) const SE_TT_DEPTH: i32 = 3;
/// So far below the singular margin for two plies.
pub(super) const SE_DOUBLE_MARGIN: Score = 16;
/// And for three.
pub(super) const SE_TRIPLE_MARGIN: Score = 90;

/// How far the other moves must fall short of the table's score.
pub(super) fn se_margin(depth: i32) -> Score {
    depth * 3 / 2
}

/// Futility margin of quiescence captures.
pub(super) const QSEARCH_FP_MARGIN: Score = 160;

/// What a good move gains in the histories.
pub(super) fn history_bonus(depth: i32) -> i32 {
    (170 * depth - 60).min(1_900)
}

/// What the moves tried before it lose.
pub(super) fn history_malus(depth: i32) -> i32 {
    -(190 * depth).min(1_500)
}
