//! The weights in training: `f32`, cut into tiles.
//!
//! A tile has a share of the hidden values and all weights that belong to them, so that training can take one tile
//! after the other and have its weights in the cache.
//!
//! Training knows two versions of the weights: the exact ones, which the optimiser moves, and those that are left of
//! them when they are quantised, which count in the end. Held-out losses are those of the quantised weights. With
//! gradients at these, too, in the last part of a training the network learns to do without the digits it will lose;
//! from the first step on they would only be in its way.

use super::aligned::AlignedNumbers;
use super::random::Rng;
use crate::nnue::features::FEATURES;
use crate::nnue::network::{OUTPUT_BUCKETS, QA, QB};

/// The row of a tile where the biases of the hidden values stand.
pub const BIAS_ROW: usize = FEATURES;
/// Rows of a tile: one for each input, the biases, and two for each output bucket.
pub const ROWS: usize = FEATURES + 1 + 2 * OUTPUT_BUCKETS;

/// The weights of `WIDTH` hidden values: a row for each input, one of biases, then the output weights.
pub type Tile<const WIDTH: usize> = [[f32; WIDTH]; ROWS];

/// Pieces of a middling position.
const TYPICAL_PIECES: f32 = 20.0;
/// Standard deviation of the first hidden values: about half of them start on the slope of the clipped ReLU, which
/// is from 0 to 1, and next to none above it.
const FIRST_SPREAD: f32 = 0.28;

/// The row of the output weights of a bucket that multiply the hidden values of the side to move (0) or of the other
/// side (1).
#[inline]
#[must_use]
pub const fn output_row(bucket: usize, side: usize) -> usize {
    BIAS_ROW + 1 + 2 * bucket + side
}

/// What 1.0 in a row of a tile is in the numbers of inference.
#[inline]
#[must_use]
pub const fn row_unit(row: usize) -> f32 {
    if row <= BIAS_ROW { QA as f32 } else { QB as f32 }
}

/// What 1.0 of an output bias is in the numbers of inference.
pub const OUTPUT_BIAS_UNIT: f32 = (QA * QB) as f32;

/// The whole number of inference that stands for a weight.
#[inline]
#[must_use]
pub fn quantised(value: f32, unit: f32) -> f32 {
    (value * unit).round_ties_even()
}

/// All weights of a network with `WIDTH` times `tiles` hidden values. Gradients have the same shape.
///
/// In units of the network: 1.0 is the end of the clipped ReLU's slope, and an output of 1.0 is a logit of 1.0.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters<const WIDTH: usize> {
    /// The tiles, then the output biases.
    values: AlignedNumbers,
}

impl<const WIDTH: usize> Parameters<WIDTH> {
    /// Numbers of a tile.
    const TILE: usize = ROWS * WIDTH;

    /// Parameters that are all zero.
    #[must_use]
    pub fn zeroed(tiles: usize) -> Self {
        Self { values: AlignedNumbers::zeroed(tiles * Self::TILE + OUTPUT_BUCKETS) }
    }

    /// The parameters that a training starts from. All output buckets begin equal: each sees only a part of the
    /// positions and should not have to find the same thing anew.
    #[must_use]
    pub fn random(tiles: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut parameters = Self::zeroed(tiles);
        // Even numbers within a limit have a third of its square as their variance.
        let input_limit = FIRST_SPREAD * (3.0 / TYPICAL_PIECES).sqrt();
        let output_limit = (1.0 / (2 * tiles * WIDTH) as f32).sqrt();
        for tile in parameters.parts_mut().0 {
            for weight in tile[..FEATURES].as_flattened_mut() {
                *weight = rng.within(input_limit);
            }
            for side in 0..2 {
                let row = std::array::from_fn(|_| rng.within(output_limit));
                (0..OUTPUT_BUCKETS).for_each(|bucket| tile[output_row(bucket, side)] = row);
            }
        }
        parameters
    }

    /// Parameters of numbers in the order of `values`; `None` if they are not some tiles' worth.
    #[must_use]
    pub fn from_values(values: &[f32]) -> Option<Self> {
        let tiles = values.len().checked_sub(OUTPUT_BUCKETS)?;
        (tiles > 0 && tiles.is_multiple_of(Self::TILE)).then(|| Self { values: values.into() })
    }

    /// All numbers: tile by tile, row by row, then the output biases.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// All numbers, to be changed.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// How many hidden values each side has.
    #[must_use]
    pub fn hidden(&self) -> usize {
        self.tiles().len() * WIDTH
    }

    /// The tiles; hidden value `i` is lane `i % WIDTH` of tile `i / WIDTH`.
    #[must_use]
    pub fn tiles(&self) -> &[Tile<WIDTH>] {
        let (rows, _) = self.values[..self.values.len() - OUTPUT_BUCKETS].as_chunks();
        rows.as_chunks().0
    }

    /// The biases of the output buckets.
    #[must_use]
    pub fn output_bias(&self) -> &[f32] {
        &self.values[self.values.len() - OUTPUT_BUCKETS..]
    }

    /// Makes these the parameters that are left of others when they are quantised.
    pub fn set_quantised(&mut self, exact: &Self) {
        let (tiles, output_bias) = self.parts_mut();
        for (tile, exact) in tiles.iter_mut().zip(exact.tiles()) {
            for (row, (values, exact)) in tile.iter_mut().zip(exact).enumerate() {
                set_quantised(values, exact, row_unit(row));
            }
        }
        set_quantised(output_bias, exact.output_bias(), OUTPUT_BIAS_UNIT);
    }

    /// The tiles and the output biases, to be changed.
    pub fn parts_mut(&mut self) -> (&mut [Tile<WIDTH>], &mut [f32]) {
        let in_tiles = self.values.len() - OUTPUT_BUCKETS;
        let (tiles, output_bias) = self.values.split_at_mut(in_tiles);
        let (rows, _) = tiles.as_chunks_mut();
        (rows.as_chunks_mut().0, output_bias)
    }
}

fn set_quantised(values: &mut [f32], exact: &[f32], unit: f32) {
    for (value, exact) in values.iter_mut().zip(exact) {
        *value = quantised(*exact, unit) / unit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_in_a_tile_or_a_bias() {
        let mut parameters = Parameters::<8>::zeroed(3);
        let (tiles, bias) = parameters.parts_mut();
        assert_eq!((tiles.len(), bias.len()), (3, OUTPUT_BUCKETS));
        tiles.as_flattened_mut().as_flattened_mut().fill(1.0);
        bias.fill(1.0);
        assert!(parameters.values().iter().all(|&value| value == 1.0));
        assert_eq!(parameters.hidden(), 24);
    }

    #[test]
    fn buckets_begin_equal_and_seeds_differ() {
        let parameters = Parameters::<8>::random(2, 5);
        for tile in parameters.tiles() {
            for side in 0..2 {
                assert!(tile[output_row(0, side)].iter().any(|&weight| weight != 0.0));
                assert!((1..OUTPUT_BUCKETS).all(|bucket| tile[output_row(bucket, side)] == tile[output_row(0, side)]));
            }
        }
        assert_eq!(parameters, Parameters::random(2, 5));
        assert_ne!(parameters, Parameters::random(2, 6));
    }

    #[test]
    fn quantised_parameters_are_near_and_quantised_for_good() {
        let exact = Parameters::<8>::random(2, 5);
        let mut rounded = Parameters::zeroed(2);
        rounded.set_quantised(&exact);
        assert_ne!(rounded, exact);
        for (rounded, exact) in rounded.values().iter().zip(exact.values()) {
            assert!((rounded - exact).abs() <= 0.5 / QB as f32 + 1e-6);
        }
        let mut again = Parameters::zeroed(2);
        again.set_quantised(&rounded);
        assert_eq!(again, rounded);
    }

    #[test]
    fn only_whole_tiles_are_parameters() {
        let values = Parameters::<8>::random(2, 5).values().to_vec();
        assert!(Parameters::<8>::from_values(&values).is_some());
        assert!(Parameters::<8>::from_values(&values[1..]).is_none());
        assert!(Parameters::<8>::from_values(&[0.0; OUTPUT_BUCKETS]).is_none());
        assert!(Parameters::<8>::from_values(&[]).is_none());
    }
}
