//! Kernels for x86-64 with AVX-512, with the multiply-accumulate instruction of VNNI where the machine has it:
//! thirty-two 16-bit numbers at a time.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_add_epi32, _mm512_dpwssd_epi32, _mm512_loadu_si512, _mm512_madd_epi16,
    _mm512_max_epi16, _mm512_min_epi16, _mm512_mullo_epi16, _mm512_reduce_add_epi32, _mm512_set1_epi16,
    _mm512_setzero_si512, _mm512_storeu_si512, _mm512_sub_epi16,
};

use super::Kernels;
use crate::nnue::network::{HIDDEN, QA, Row};

const LANES: usize = 32;
/// Vectors that stay in registers while rows are added to them.
const TILE: usize = 8;
const _: () = assert!(HIDDEN.is_multiple_of(TILE * LANES));

/// The best kernels of this file that the machine can run.
pub(super) fn kernels() -> Option<Kernels> {
    let has_avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
    if has_avx512 && is_x86_feature_detected!("avx512vnni") {
        return Some(Kernels { name: "avx512vnni", update, forward: forward_vnni });
    }
    has_avx512.then_some(Kernels { name: "avx512", update, forward })
}

fn update(source: &Row, target: &mut Row, added: &[&Row], removed: &[&Row]) {
    // SAFETY: these kernels are only handed out where AVX-512 F and BW were detected.
    unsafe { update_avx512(source, target, added, removed) }
}

fn forward(us: &Row, them: &Row, weights: &[Row; 2]) -> i32 {
    // SAFETY: these kernels are only handed out where AVX-512 F and BW were detected.
    unsafe { forward_avx512(us, them, weights) }
}

fn forward_vnni(us: &Row, them: &Row, weights: &[Row; 2]) -> i32 {
    // SAFETY: this kernel is only handed out where AVX-512 F, BW and VNNI were detected.
    unsafe { forward_avx512vnni(us, them, weights) }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn load(row: &Row, at: usize) -> __m512i {
    debug_assert!(at + LANES <= HIDDEN);
    // SAFETY: all callers step through the row in whole vectors, which the assertion above the functions allows.
    unsafe { _mm512_loadu_si512(row.as_ptr().add(at).cast()) }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn update_avx512(source: &Row, target: &mut Row, added: &[&Row], removed: &[&Row]) {
    for tile in (0..HIDDEN).step_by(TILE * LANES) {
        let mut values: [__m512i; TILE] = std::array::from_fn(|vector| load(source, tile + vector * LANES));
        for row in added {
            for (vector, value) in values.iter_mut().enumerate() {
                *value = _mm512_add_epi16(*value, load(row, tile + vector * LANES));
            }
        }
        for row in removed {
            for (vector, value) in values.iter_mut().enumerate() {
                *value = _mm512_sub_epi16(*value, load(row, tile + vector * LANES));
            }
        }
        for (vector, value) in values.into_iter().enumerate() {
            // SAFETY: as in `load`.
            unsafe { _mm512_storeu_si512(target.as_mut_ptr().add(tile + vector * LANES).cast(), value) };
        }
    }
}

/// Accumulator values cut to the range of the activation, and the same times the weights.
#[target_feature(enable = "avx512f,avx512bw")]
fn activate(row: &Row, weights: &Row, at: usize) -> (__m512i, __m512i) {
    let one = _mm512_set1_epi16(QA as i16);
    let active = _mm512_min_epi16(_mm512_max_epi16(load(row, at), _mm512_setzero_si512()), one);
    (active, _mm512_mullo_epi16(active, load(weights, at)))
}

#[target_feature(enable = "avx512f,avx512bw")]
fn forward_avx512(us: &Row, them: &Row, weights: &[Row; 2]) -> i32 {
    let (mut sum_us, mut sum_them) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    for at in (0..HIDDEN).step_by(LANES) {
        for (sum, row, weights) in [(&mut sum_us, us, &weights[0]), (&mut sum_them, them, &weights[1])] {
            let (active, weighted) = activate(row, weights, at);
            *sum = _mm512_add_epi32(*sum, _mm512_madd_epi16(active, weighted));
        }
    }
    _mm512_reduce_add_epi32(_mm512_add_epi32(sum_us, sum_them))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn forward_avx512vnni(us: &Row, them: &Row, weights: &[Row; 2]) -> i32 {
    let (mut sum_us, mut sum_them) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    for at in (0..HIDDEN).step_by(LANES) {
        for (sum, row, weights) in [(&mut sum_us, us, &weights[0]), (&mut sum_them, them, &weights[1])] {
            let (active, weighted) = activate(row, weights, at);
            *sum = _mm512_dpwssd_epi32(*sum, active, weighted);
        }
    }
    _mm512_reduce_add_epi32(_mm512_add_epi32(sum_us, sum_them))
}
