//! Pseudo-random numbers and orders that depend on nothing but their seeds.

use crate::rng::{self, STEP, mix};

/// Adds a number to a hash; the order of the numbers counts.
#[inline]
#[must_use]
pub fn fold(hash: u64, number: u64) -> u64 {
    mix(hash.wrapping_add(STEP) ^ number)
}

/// Random weights.
#[derive(Clone, Debug)]
pub struct Rng(rng::Rng);

impl Rng {
    /// The numbers of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(rng::Rng::new(seed))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next()
    }

    /// An even number between -`limit` and `limit`.
    pub fn within(&mut self, limit: f32) -> f32 {
        // 24 bits are what an f32 holds exactly.
        let unit = (self.bits() >> 40) as f32 / (1_u64 << 24) as f32;
        limit * (2.0 * unit - 1.0)
    }
}

/// Rounds of the Feistel network; four make it a pseudo-random permutation (Luby and Rackoff 1988).
const ROUNDS: usize = 4;

/// A pseudo-random order of the numbers below a length, computed where it is asked for: it takes no memory, needs no
/// time to be set up, and can be entered anywhere, so that a training can be resumed.
///
/// A Feistel network permutes the numbers below the next power of four; from those beyond the length it walks on
/// until it is back below (fewer than four steps on average).
#[derive(Clone, Debug)]
pub struct Permutation {
    length: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// The order of a seed.
    #[must_use]
    pub fn new(length: usize, seed: u64) -> Self {
        let bits = u64::BITS - (length as u64).saturating_sub(1).leading_zeros();
        let mut rng = Rng::new(seed);
        Self { length: length as u64, half_bits: bits.div_ceil(2).max(1), keys: std::array::from_fn(|_| rng.bits()) }
    }

    /// What stands at a place; `place` is below the length.
    #[inline]
    #[must_use]
    pub fn at(&self, place: usize) -> usize {
        debug_assert!((place as u64) < self.length);
        let mut number = place as u64;
        loop {
            number = self.encrypt(number);
            if number < self.length {
                return number as usize;
            }
        }
    }

    #[inline]
    fn encrypt(&self, number: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for key in self.keys {
            (left, right) = (right, left ^ mix(key ^ right) & mask);
        }
        left << self.half_bits | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_has_every_number_once() {
        for length in [1, 2, 3, 4, 5, 16, 17, 100, 1_000, 4_096, 70_001] {
            let order = Permutation::new(length, 7);
            let mut seen = vec![false; length];
            for place in 0..length {
                assert!(!std::mem::replace(&mut seen[order.at(place)], true), "{length}: twice at {place}");
            }
        }
    }

    #[test]
    fn neighbours_are_torn_apart_and_seeds_differ() {
        const LENGTH: usize = 100_000;
        let [first, second] = [1, 2].map(|seed| Permutation::new(LENGTH, seed));
        let near = |a: usize, b: usize| a.abs_diff(b) < LENGTH / 100;
        let count = |is: &dyn Fn(usize) -> bool| (0..LENGTH - 1).filter(|&place| is(place)).count();
        // About 2 % of all pairs are that near by chance.
        let neighbours = count(&|place| near(first.at(place), first.at(place + 1)));
        let fixed = count(&|place| near(first.at(place), place));
        let alike = count(&|place| near(first.at(place), second.at(place)));
        for found in [neighbours, fixed, alike] {
            assert!((1_800..2_200).contains(&found), "{neighbours} {fixed} {alike}");
        }
    }

    #[test]
    fn numbers_fill_their_range() {
        let mut rng = Rng::new(3);
        let numbers: Vec<f32> = (0..10_000).map(|_| rng.within(2.0)).collect();
        assert!(numbers.iter().all(|number| number.abs() <= 2.0));
        let mean = numbers.iter().sum::<f32>() / 10_000.0;
        let square = numbers.iter().map(|number| number * number).sum::<f32>() / 10_000.0;
        assert!(mean.abs() < 0.05 && (square - 4.0 / 3.0).abs() < 0.05, "{mean} {square}");
    }
}
