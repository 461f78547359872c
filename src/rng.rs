//! Random numbers that are the same everywhere: SplitMix64 (Steele, Lea and Flood, 2014).

/// A stream of random numbers. Fast and good enough for openings and keys; not for secrets.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

/// The golden ratio, the step of the state.
pub(crate) const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Rng {
    /// The stream of a seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }
}

/// What only self-play needs.
#[cfg(any(test, feature = "datagen"))]
impl Rng {
    /// A stream that depends on all of several numbers, and has nothing in common with that of other numbers.
    pub(crate) fn from_parts(parts: [u64; 3]) -> Self {
        Self(parts.into_iter().fold(0, |state, part| mix(state.wrapping_add(STEP) ^ mix(part.wrapping_add(STEP)))))
    }

    /// A number from 0 to `bound - 1`; `bound` is not 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        // The high half of the product; for bounds far below 2^64 as even as can be.
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// One of a list; `None` if it is empty.
    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len() as u64) as usize)
    }
}

/// Mixes the bits of a number: one to one, and every input bit reaches every output bit.
pub(crate) const fn mix(z: u64) -> u64 {
    let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_published_generator() {
        let mut rng = Rng::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(expected.map(|_| rng.next()), expected);
    }

    #[test]
    fn bounds_hold_and_every_number_comes() {
        let mut rng = Rng::new(1);
        let mut counts = [0; 6];
        for _ in 0..6_000 {
            counts[rng.below(6) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
        assert_eq!(rng.pick::<u8>(&[]), None);
    }

    #[test]
    fn every_part_makes_another_stream() {
        let first = |parts| Rng::from_parts(parts).next();
        let numbers = [[1, 2, 3], [1, 3, 2], [2, 2, 3], [1, 2, 4], [0, 0, 0]].map(first);
        for (index, number) in numbers.iter().enumerate() {
            assert!(!numbers[..index].contains(number));
        }
        assert_eq!(first([1, 2, 3]), numbers[0]);
    }
}
