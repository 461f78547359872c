//! The numbers of the search and the formulas they appear in. Scores are centipawns, depths plies.

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
/// A reduction shrinks by one for so much history.
pub(super) const LMR_HISTORY_DIV: i32 = 8_192;

static LMR_TABLE: Lazy<[[i8; 64]; 64]> = Lazy::new(|| {
    let mut table = [[0; 64]; 64];
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (count, reduction) in row.iter_mut().enumerate().skip(1) {
            *reduction = (0.8 + (depth as f64).ln() * (count as f64).ln() / 2.25) as i8;
        }
    }
    table
});

/// The basic reduction of the `count`th move.
pub(super) fn lmr_base(depth: i32, count: usize) -> i32 {
    LMR_TABLE[depth.clamp(0, 63) as usize][count.min(63)].into()
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
