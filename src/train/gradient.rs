//! The network forwards and backwards: evaluations, loss and gradient of positions.
//!
//! Positions are taken in micro-batches, and each micro-batch goes through one tile of the hidden layer after the
//! other, so that the tile's weights (or their gradient) stay in the second-level cache. The inner loops are over
//! the lanes of a row, whose number is known at compile time: the compiler makes vector code of them.

use super::aligned::AlignedNumbers;
use super::model::{BIAS_ROW, Parameters, Tile, output_row};
use super::position::{PackedPosition, Sample, Target, sigmoid};

/// Positions that go through a tile together.
pub const MICRO_BATCH: usize = 256;

/// Partial sums of an output, so that summing up is vector code, too. Their number is part of the result: sums of
/// floating-point numbers depend on their order.
const PARTIAL_SUMS: usize = 8;

/// What one thread needs to work on a micro-batch, and the gradient it gathers.
#[derive(Clone, Debug)]
pub struct Workspace<const WIDTH: usize> {
    samples: Vec<Sample>,
    /// By tile, sample and side: the hidden values before activation, then the loss's derivatives by them.
    hidden: AlignedNumbers,
    /// By sample: the output of the network, then the loss's derivative by it.
    outputs: Vec<f32>,
    partial_sums: Vec<[f32; PARTIAL_SUMS]>,
    /// The sum of the gradients of all positions since it was last cleared.
    pub gradient: Parameters<WIDTH>,
}

impl<const WIDTH: usize> Workspace<WIDTH> {
    /// A workspace for networks of so many tiles.
    #[must_use]
    pub fn new(tiles: usize) -> Self {
        const { assert!(WIDTH.is_multiple_of(PARTIAL_SUMS)) };
        Self {
            samples: vec![Sample::default(); MICRO_BATCH],
            hidden: AlignedNumbers::zeroed(tiles * MICRO_BATCH * 2 * WIDTH),
            outputs: vec![0.0; MICRO_BATCH],
            partial_sums: vec![[0.0; PARTIAL_SUMS]; MICRO_BATCH],
            gradient: Parameters::zeroed(tiles),
        }
    }

    /// Adds the gradient of the summed loss to `gradient` and returns that loss: over those of the positions whose
    /// indices are given.
    pub fn learn(
        &mut self,
        parameters: &Parameters<WIDTH>,
        positions: &[PackedPosition],
        mut indices: impl Iterator<Item = usize>,
        target: Target,
    ) -> f64 {
        let mut total = 0.0;
        while let Some((count, loss)) = self.judge_next(parameters, positions, &mut indices, target) {
            total += loss;
            self.backward(parameters, count);
        }
        total
    }

    /// The summed loss of positions.
    pub fn loss(&mut self, parameters: &Parameters<WIDTH>, positions: &[PackedPosition], target: Target) -> f64 {
        let mut indices = 0..positions.len();
        let mut total = 0.0;
        while let Some((_, loss)) = self.judge_next(parameters, positions, &mut indices, target) {
            total += loss;
        }
        total
    }

    /// Runs the network on the next micro-batch: its size and its summed loss, or `None` after the last.
    fn judge_next(
        &mut self,
        parameters: &Parameters<WIDTH>,
        positions: &[PackedPosition],
        indices: &mut impl Iterator<Item = usize>,
        target: Target,
    ) -> Option<(usize, f64)> {
        let count = self.fill(positions, indices, target);
        (count > 0).then(|| {
            self.forward(parameters, count);
            (count, self.judge(count))
        })
    }

    /// The outputs of the network (logits of the expectation) for the first `MICRO_BATCH` positions.
    pub fn evaluate(&mut self, parameters: &Parameters<WIDTH>, positions: &[PackedPosition]) -> &[f32] {
        let any_target = Target { wdl: 0.0, score_scale: 1.0 };
        let count = self.fill(positions, &mut (0..positions.len()), any_target);
        self.forward(parameters, count);
        &self.outputs[..count]
    }

    /// Unpacks the next micro-batch and returns how many positions it has.
    fn fill(
        &mut self,
        positions: &[PackedPosition],
        indices: &mut impl Iterator<Item = usize>,
        target: Target,
    ) -> usize {
        let mut chosen = [0; MICRO_BATCH];
        let mut count = 0;
        for (slot, index) in chosen.iter_mut().zip(indices) {
            *slot = index;
            count += 1;
        }
        // Positions come from all over the memory. A loop with nothing else in it lets the waits for them overlap.
        let mut packed = [PackedPosition::default(); MICRO_BATCH];
        for (slot, &index) in packed.iter_mut().zip(&chosen[..count]) {
            *slot = positions[index];
        }
        for (sample, position) in self.samples.iter_mut().zip(&packed[..count]) {
            position.unpack(target, sample);
        }
        count
    }

    /// Computes hidden values and outputs.
    fn forward(&mut self, parameters: &Parameters<WIDTH>, count: usize) {
        self.partial_sums[..count].fill([0.0; PARTIAL_SUMS]);
        for (tile, hidden) in parameters.tiles().iter().zip(rows_of_tiles(&mut self.hidden)) {
            for ((sample, hidden), sums) in self.samples[..count].iter().zip(hidden).zip(&mut self.partial_sums) {
                for (side, values) in hidden.iter_mut().enumerate() {
                    transform(tile, sample.features(side), values);
                    add_activations(values, &tile[output_row(sample.bucket, side)], sums);
                }
            }
        }
        let bias = parameters.output_bias();
        for ((output, sums), sample) in self.outputs.iter_mut().zip(&self.partial_sums).zip(&self.samples[..count]) {
            *output = bias[sample.bucket] + sums.iter().sum::<f32>();
        }
    }

    /// Replaces outputs by the derivatives of the loss, the squared error of the expectation, and returns the loss.
    fn judge(&mut self, count: usize) -> f64 {
        let mut loss = 0.0;
        for (output, sample) in self.outputs[..count].iter_mut().zip(&self.samples) {
            let expectation = sigmoid(*output);
            let error = expectation - sample.target;
            loss += f64::from(error * error);
            *output = 2.0 * error * expectation * (1.0 - expectation);
        }
        loss
    }

    /// Adds to the gradient what follows from the derivatives by the outputs.
    fn backward(&mut self, parameters: &Parameters<WIDTH>, count: usize) {
        let (gradient, bias_gradient) = self.gradient.parts_mut();
        let hidden = rows_of_tiles(&mut self.hidden);
        for ((tile, gradient), hidden) in parameters.tiles().iter().zip(gradient).zip(hidden) {
            for ((sample, &slope), hidden) in self.samples[..count].iter().zip(&self.outputs).zip(hidden) {
                for (side, values) in hidden.iter_mut().enumerate() {
                    let row = output_row(sample.bucket, side);
                    derive_activations(values, slope, &tile[row], &mut gradient[row]);
                    derive_transform(values, sample.features(side), gradient);
                }
            }
        }
        for (sample, slope) in self.samples[..count].iter().zip(&self.outputs) {
            bias_gradient[sample.bucket] += slope;
        }
    }
}

/// The hidden values by tile, sample and side.
fn rows_of_tiles<const WIDTH: usize>(hidden: &mut [f32]) -> impl Iterator<Item = &mut [[[f32; WIDTH]; 2]]> {
    let (rows, _) = hidden.as_chunks_mut();
    rows.as_chunks_mut().0.chunks_exact_mut(MICRO_BATCH)
}

/// Hidden values before activation: the biases and the rows of the active inputs.
#[inline(never)]
fn transform<const WIDTH: usize>(tile: &Tile<WIDTH>, features: &[u16], values: &mut [f32; WIDTH]) {
    let mut sums = tile[BIAS_ROW];
    for &feature in features {
        add_row(&mut sums, &tile[usize::from(feature)]);
    }
    *values = sums;
}

/// Adds the squared clipped ReLU of hidden values, times their output weights, to the partial sums of an output.
#[inline(never)]
fn add_activations<const WIDTH: usize>(
    values: &[f32; WIDTH],
    weights: &[f32; WIDTH],
    partial_sums: &mut [f32; PARTIAL_SUMS],
) {
    let mut sums = *partial_sums;
    let (values, weights) = (values.as_chunks::<PARTIAL_SUMS>().0, weights.as_chunks::<PARTIAL_SUMS>().0);
    for (values, weights) in values.iter().zip(weights) {
        for lane in 0..PARTIAL_SUMS {
            let active = values[lane].clamp(0.0, 1.0);
            sums[lane] += active * active * weights[lane];
        }
    }
    *partial_sums = sums;
}

/// Replaces hidden values by the derivatives of the loss by them, and adds the derivatives by the output weights.
#[inline(never)]
fn derive_activations<const WIDTH: usize>(
    values: &mut [f32; WIDTH],
    slope: f32,
    weights: &[f32; WIDTH],
    weights_gradient: &mut [f32; WIDTH],
) {
    for lane in 0..WIDTH {
        let active = values[lane].clamp(0.0, 1.0);
        weights_gradient[lane] += slope * active * active;
        // Below 0 the derivative 2 * active is 0 by itself; beyond 1 it is not.
        let derivative = if values[lane] < 1.0 { 2.0 * active } else { 0.0 };
        values[lane] = slope * weights[lane] * derivative;
    }
}

/// Adds the derivatives by hidden values to those by the biases and by the weights of the active inputs.
#[inline(never)]
fn derive_transform<const WIDTH: usize>(values: &[f32; WIDTH], features: &[u16], gradient: &mut Tile<WIDTH>) {
    let values = *values;
    add_row(&mut gradient[BIAS_ROW], &values);
    for &feature in features {
        add_row(&mut gradient[usize::from(feature)], &values);
    }
}

#[inline(always)]
fn add_row<const WIDTH: usize>(sums: &mut [f32; WIDTH], row: &[f32; WIDTH]) {
    for lane in 0..WIDTH {
        sums[lane] += row[lane];
    }
}
