//! Kernels for 64-bit ARM, where NEON is always there: eight 16-bit numbers at a time.

use std::arch::aarch64::{
    int16x8_t, vaddq_s16, vaddq_s32, vaddvq_s32, vdupq_n_s16, vdupq_n_s32, vget_low_s16, vld1q_s16, vmaxq_s16,
    vminq_s16, vmlal_high_s16, vmlal_s16, vmulq_s16, vst1q_s16, vsubq_s16,
};

use super::Kernels;
use crate::nnue::network::{HIDDEN, QA, Row};

const LANES: usize = 8;
const _: () = assert!(HIDDEN.is_multiple_of(LANES));

/// The kernels.
pub(super) const KERNELS: Kernels = Kernels { name: "neon", update, forward };

fn load(row: &Row, at: usize) -> int16x8_t {
    debug_assert!(at + LANES <= HIDDEN);
    // SAFETY: NEON is part of the architecture, and all callers step through the row in whole vectors.
    unsafe { vld1q_s16(row.as_ptr().add(at)) }
}

fn update(source: &Row, target: &mut Row, added: &[&Row], removed: &[&Row]) {
    for at in (0..HIDDEN).step_by(LANES) {
        let mut values = load(source, at);
        // SAFETY: NEON is part of the architecture; the store stays inside the row as `load` does.
        unsafe {
            for row in added {
                values = vaddq_s16(values, load(row, at));
            }
            for row in removed {
                values = vsubq_s16(values, load(row, at));
            }
            vst1q_s16(target.as_mut_ptr().add(at), values);
        }
    }
}

fn forward(us: &Row, them: &Row, weights: &[Row; 2]) -> i32 {
    // SAFETY: NEON is part of the architecture.
    unsafe {
        let (zero, one) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
        let (mut low, mut high) = (vdupq_n_s32(0), vdupq_n_s32(0));
        for at in (0..HIDDEN).step_by(LANES) {
            for (row, weights) in [(us, &weights[0]), (them, &weights[1])] {
                let active = vminq_s16(vmaxq_s16(load(row, at), zero), one);
                let weighted = vmulq_s16(active, load(weights, at));
                low = vmlal_s16(low, vget_low_s16(active), vget_low_s16(weighted));
                high = vmlal_high_s16(high, active, weighted);
            }
        }
        vaddvq_s32(vaddq_s32(low, high))
    }
}
