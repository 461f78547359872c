//! Numbers in memory from the begin of a cache line on.
//!
//! Rows of weights are whole cache lines then, and no vector load or store touches two of them: that makes training
//! faster by a third.

use std::ops::{Deref, DerefMut};

const CACHE_LINE_BYTES: usize = 64;
const CACHE_LINE: usize = CACHE_LINE_BYTES / size_of::<f32>();

/// A list of numbers of fixed length, the first of which begins a cache line.
#[derive(Debug)]
pub(super) struct AlignedNumbers {
    storage: Vec<f32>,
    /// Where the numbers begin, and how many there are.
    start: usize,
    length: usize,
}

impl AlignedNumbers {
    /// So many zeros.
    #[must_use]
    pub(super) fn zeroed(length: usize) -> Self {
        let storage = vec![0.0; length + CACHE_LINE - 1];
        // The storage never moves again, for it never grows. Without an answer nothing but speed is lost.
        let start = storage.as_ptr().align_offset(CACHE_LINE_BYTES).min(CACHE_LINE - 1);
        Self { storage, start, length }
    }
}

impl From<&[f32]> for AlignedNumbers {
    fn from(numbers: &[f32]) -> Self {
        let mut aligned = Self::zeroed(numbers.len());
        aligned.copy_from_slice(numbers);
        aligned
    }
}

impl Deref for AlignedNumbers {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.storage[self.start..][..self.length]
    }
}

impl DerefMut for AlignedNumbers {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.storage[self.start..][..self.length]
    }
}

impl Clone for AlignedNumbers {
    // A copy of the storage could begin elsewhere in its cache line.
    fn clone(&self) -> Self {
        Self::from(&**self)
    }
}

impl PartialEq for AlignedNumbers {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_a_cache_line_and_copies_do_too() {
        for length in [0, 1, 15, 16, 17, 1_000, 200_000] {
            let mut numbers = AlignedNumbers::zeroed(length);
            numbers.iter_mut().enumerate().for_each(|(index, number)| *number = index as f32);
            let copy = numbers.clone();
            assert_eq!(copy, numbers);
            for numbers in [copy, numbers] {
                assert_eq!(numbers.len(), length);
                assert_eq!(numbers.as_ptr().addr() % CACHE_LINE_BYTES, 0);
            }
        }
    }
}
