//! Portable kernels: the reference for the others, written so that a compiler can vectorise them.

use super::Kernels;
use crate::nnue::network::{QA, Row};

/// Kernels for any machine.
pub const KERNELS: Kernels = Kernels { name: "portable", update, forward };

fn update(source: &Row, target: &mut Row, added: &[&Row], removed: &[&Row]) {
    *target = *source;
    for row in added {
        for (value, weight) in target.iter_mut().zip(*row) {
            *value = value.wrapping_add(*weight);
        }
    }
    for row in removed {
        for (value, weight) in target.iter_mut().zip(*row) {
            *value = value.wrapping_sub(*weight);
        }
    }
}

fn forward(us: &Row, them: &Row, weights: &[Row; 2]) -> i32 {
    half(us, &weights[0]) + half(them, &weights[1])
}

/// One accumulator's part of the sum.
fn half(accumulator: &Row, weights: &Row) -> i32 {
    let terms = accumulator.iter().zip(weights).map(|(&value, &weight)| {
        let active = value.clamp(0, QA as i16);
        // The product fits 16 bits, since a network with larger weights is refused.
        i32::from(active.wrapping_mul(weight)) * i32::from(active)
    });
    terms.sum()
}
