//! Kernels for x86-64 with AVX2: sixteen 16-bit numbers at a time.

use std::arch::x86_64::{
    __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_add_epi16, _mm256_add_epi32,
    _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_max_epi16,
    _mm256_min_epi16, _mm256_mullo_epi16, _mm256_set1_epi16, _mm256_setzero_si256, _mm256_storeu_si256,
    _mm256_sub_epi16,
};

use super::Kernels;
use crate::nnue::network::{HIDDEN, QA, Row};

const LANES: usize = 16;
/// Vectors that stay in registers while rows are added to them.
const TILE: usize = 8;
const _: () = assert!(HIDDEN.is_multiple_of(TILE * LANES));

/// The kernels, if the machine has AVX2.
pub(super) fn kernels() -> Option<Kernels> {
    is_x86_feature_detected!("avx2").then_some(Kernels { name: "avx2", update, forward })
}

fn update(source: &Row, target: &mut Row, added: &[&Row], removed: &[&Row]) {
    // SAFETY: these kernels are only handed out where AVX2 was detected.
    unsafe { update_avx2(source, target, added, removed) }
}

fn forward(us: &Row, them: &Row, weights: &[Row; 2]) -> i32 {
    // SAFETY: these kernels are only handed out where AVX2 was detected.
    unsafe { forward_avx2(us, them, weights) }
}

#[target_feature(enable = "avx2")]
fn load(row: &Row, at: usize) -> __m256i {
    debug_assert!(at + LANES <= HIDDEN);
    // SAFETY: all callers step through the row in whole vectors, which the assertion above the functions allows.
    unsafe { _mm256_loadu_si256(row.as_ptr().add(at).cast()) }
}

#[target_feature(enable = "avx2")]
fn update_avx2(source: &Row, target: &mut Row, added: &[&Row], removed: &[&Row]) {
    for tile in (0..HIDDEN).step_by(TILE * LANES) {
        let mut values: [__m256i; TILE] = std::array::from_fn(|vector| load(source, tile + vector * LANES));
        for row in added {
            for (vector, value) in values.iter_mut().enumerate() {
                *value = _mm256_add_epi16(*value, load(row, tile + vector * LANES));
            }
        }
        for row in removed {
            for (vector, value) in values.iter_mut().enumerate() {
                *value = _mm256_sub_epi16(*value, load(row, tile + vector * LANES));
            }
        }
        for (vector, value) in values.into_iter().enumerate() {
            // SAFETY: as in `load`.
            unsafe { _mm256_storeu_si256(target.as_mut_ptr().add(tile + vector * LANES).cast(), value) };
        }
    }
}

#[target_feature(enable = "avx2")]
fn forward_avx2(us: &Row, them: &Row, weights: &[Row; 2]) -> i32 {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
    let (mut sum_us, mut sum_them) = (zero, zero);
    for at in (0..HIDDEN).step_by(LANES) {
        for (sum, row, weights) in [(&mut sum_us, us, &weights[0]), (&mut sum_them, them, &weights[1])] {
            let active = _mm256_min_epi16(_mm256_max_epi16(load(row, at), zero), one);
            let weighted = _mm256_mullo_epi16(active, load(weights, at));
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(active, weighted));
        }
    }
    let sum = _mm256_add_epi32(sum_us, sum_them);
    let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b01_00_11_10>(sum));
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b10_11_00_01>(sum));
    _mm_cvtsi128_si32(sum)
}
