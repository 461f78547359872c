//! The inner loops of inference, for each kind of CPU. The only intrinsics of the engine that compute are here.
//!
//! Every kernel gives the same numbers as `scalar`, bit for bit. Which one is used is decided once, by what the
//! machine can do, not by what the program was compiled for.

use once_cell::sync::Lazy;

use super::network::Row;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
pub mod scalar;

/// A set of kernels.
#[derive(Clone, Copy)]
pub struct Kernels {
    /// The instruction set.
    pub name: &'static str,
    /// `target = source + added - removed`, row by row.
    pub update: fn(source: &Row, target: &mut Row, added: &[&Row], removed: &[&Row]),
    /// The sum over both accumulators of `clamp(x, 0, QA)^2 * weight`; the side to move comes first.
    pub forward: fn(us: &Row, them: &Row, weights: &[Row; 2]) -> i32,
}

static BEST: Lazy<Kernels> = Lazy::new(|| available().pop().unwrap_or(scalar::KERNELS));

impl Kernels {
    /// The fastest kernels of this machine.
    #[must_use]
    pub fn best() -> Self {
        *BEST
    }
}

/// All kernels that this machine can run, the fastest last.
#[must_use]
pub fn available() -> Vec<Kernels> {
    #[allow(unused_mut)]
    let mut kernels = vec![scalar::KERNELS];
    #[cfg(target_arch = "x86_64")]
    kernels.extend([avx2::kernels(), avx512::kernels()].into_iter().flatten());
    #[cfg(target_arch = "aarch64")]
    kernels.push(neon::KERNELS);
    kernels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::network::{HIDDEN, MAX_OUTPUT_WEIGHT};

    /// Rows of pseudo-random numbers within plus and minus `limit`.
    fn rows(count: usize, limit: i16, seed: u64) -> Vec<Row> {
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as i32 % (2 * i32::from(limit) + 1) - i32::from(limit)) as i16
        };
        (0..count).map(|_| std::array::from_fn(|_| next())).collect()
    }

    #[test]
    fn kernels_equal_the_scalar_ones_bit_for_bit() {
        for seed in 0..200 {
            let data = rows(9, 505, seed);
            let accumulators = rows(2, 1_000, seed + 1_000);
            let weights: [Row; 2] = [rows(1, MAX_OUTPUT_WEIGHT, seed + 2_000)[0], rows(1, 127, seed + 3_000)[0]];
            let (added, removed) = (seed as usize % 4, seed as usize / 4 % 4);
            let added: Vec<&Row> = data[1..=added].iter().collect();
            let removed: Vec<&Row> = data[5..5 + removed].iter().collect();
            let mut expected = [0; HIDDEN];
            (scalar::KERNELS.update)(&data[0], &mut expected, &added, &removed);
            let sum = (scalar::KERNELS.forward)(&accumulators[0], &accumulators[1], &weights);
            for kernels in available() {
                let mut target = [1; HIDDEN];
                (kernels.update)(&data[0], &mut target, &added, &removed);
                assert_eq!(target, expected, "{}", kernels.name);
                let found = (kernels.forward)(&accumulators[0], &accumulators[1], &weights);
                assert_eq!(found, sum, "{}", kernels.name);
            }
        }
    }

    #[test]
    fn the_scalar_kernel_equals_the_definition() {
        for seed in 0..50 {
            let accumulators = rows(2, 1_000, seed);
            let weights: [Row; 2] = [rows(1, 127, seed + 2_000)[0], rows(1, 127, seed + 3_000)[0]];
            let term = |x: i16, weight: i16| {
                let active = i64::from(x.clamp(0, 255));
                active * active * i64::from(weight)
            };
            let expected: i64 = accumulators
                .iter()
                .zip(&weights)
                .map(|(row, weights)| row.iter().zip(weights).map(|(&x, &weight)| term(x, weight)).sum::<i64>())
                .sum();
            let found = (scalar::KERNELS.forward)(&accumulators[0], &accumulators[1], &weights);
            assert_eq!(i64::from(found), expected);
        }
    }
}
