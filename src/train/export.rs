//! From trained weights to a network file, and what is lost on the way.

use thiserror::Error;

use super::gradient::{MICRO_BATCH, Workspace};
use super::model::{OUTPUT_BIAS_UNIT, Parameters, quantised, row_unit};
use super::optimiser::PARAMETER_LIMIT;
use super::position::{PackedPosition, Sample, Target};
use crate::nnue::network::{HIDDEN, Network, NetworkError, QA, QB, SCALE, Weights};

/// Why there is no network file.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ExportError {
    #[error("it has {0} hidden values, the engine {HIDDEN}")]
    Hidden(usize),
    #[error("a weight is not a number")]
    NotANumber,
    #[error("{0}")]
    Network(#[from] NetworkError),
}

/// How evaluations differ, in units of the evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Differences {
    /// Mean of the absolute differences.
    pub mean: f64,
    /// The largest.
    pub largest: f64,
}

/// How the exported network differs from the trained one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QuantisationReport {
    /// Positions that were evaluated.
    pub positions: usize,
    /// The engine's evaluation against that with which the network was trained and judged.
    pub exported: Differences,
    /// The engine's evaluation against that with the exact weights of the optimiser, which nobody is to use.
    pub exact: Differences,
    /// Mean of the absolute evaluations, in units of the evaluation: the scale of the network.
    pub mean_evaluation: f64,
    /// Weights that stand at the limit.
    pub clipped: usize,
    /// All weights.
    pub weights: usize,
}

/// Rounds weights to the numbers of inference.
///
/// # Errors
///
/// When the hidden layer has not the size of the engine's or a weight is not a number.
pub fn quantise<const WIDTH: usize>(parameters: &Parameters<WIDTH>) -> Result<Box<Weights>, ExportError> {
    if parameters.hidden() != HIDDEN {
        return Err(ExportError::Hidden(parameters.hidden()));
    }
    if parameters.values().iter().any(|value| value.is_nan()) {
        return Err(ExportError::NotANumber);
    }
    let mut weights = Weights::zeroed();
    for (index, tile) in parameters.tiles().iter().enumerate() {
        let lanes = index * WIDTH..(index + 1) * WIDTH;
        let transformer = weights.ft_weights.iter_mut().chain([&mut weights.ft_bias]);
        let output = weights.output_weights.as_flattened_mut();
        for (row, (values, target)) in tile.iter().zip(transformer.chain(output)).enumerate() {
            quantise_row(values, row_unit(row), &mut target[lanes.clone()]);
        }
    }
    quantise_row(parameters.output_bias(), OUTPUT_BIAS_UNIT, &mut weights.output_bias);
    Ok(weights)
}

fn quantise_row(values: &[f32], unit: f32, numbers: &mut [i16]) {
    for (number, value) in numbers.iter_mut().zip(values) {
        // What 16 bits cannot hold saturates, and is too much for the engine.
        *number = quantised(*value, unit) as i16;
    }
}

/// Makes a network of trained weights.
///
/// # Errors
///
/// When they do not quantise, or the engine would refuse them.
pub fn export<const WIDTH: usize>(parameters: &Parameters<WIDTH>, description: String) -> Result<Network, ExportError> {
    Ok(Network::new(quantise(parameters)?, description)?)
}

/// What the quantised network says of a position, in units of the evaluation for the side to move: inference as it is
/// defined, with numbers that cannot overflow.
#[must_use]
pub fn evaluate_quantised(weights: &Weights, position: &PackedPosition) -> i64 {
    let mut sample = Sample::default();
    position.unpack(Target { wdl: 0.0, score_scale: 1.0 }, &mut sample);
    let mut sum = 0;
    for side in 0..2 {
        let mut hidden = weights.ft_bias.map(i64::from);
        for &feature in sample.features(side) {
            for (value, &weight) in hidden.iter_mut().zip(&weights.ft_weights[usize::from(feature)]) {
                *value += i64::from(weight);
            }
        }
        for (value, &weight) in hidden.iter().zip(&weights.output_weights[sample.bucket][side]) {
            sum += value.clamp(&0, &i64::from(QA)).pow(2) * i64::from(weight);
        }
    }
    let output = sum / i64::from(QA) + i64::from(weights.output_bias[sample.bucket]);
    output * i64::from(SCALE) / i64::from(QA * QB)
}

/// Compares a network with the weights that it was made of, on some positions.
pub fn compare<const WIDTH: usize>(
    exact: &Parameters<WIDTH>,
    weights: &Weights,
    positions: &[PackedPosition],
    workspace: &mut Workspace<WIDTH>,
) -> QuantisationReport {
    let mut trained = exact.clone();
    trained.set_quantised(exact);
    let values = exact.values();
    let evaluations: Vec<i64> = positions.iter().map(|position| evaluate_quantised(weights, position)).collect();
    QuantisationReport {
        positions: positions.len(),
        exported: differences(&evaluations, &trained, positions, workspace),
        exact: differences(&evaluations, exact, positions, workspace),
        mean_evaluation: evaluations.iter().map(|evaluation| evaluation.unsigned_abs() as f64).sum::<f64>()
            / positions.len().max(1) as f64,
        clipped: values.iter().filter(|value| value.abs() >= PARAMETER_LIMIT).count(),
        weights: values.len(),
    }
}

/// How the evaluations of a network in `f32` differ from others.
fn differences<const WIDTH: usize>(
    evaluations: &[i64],
    parameters: &Parameters<WIDTH>,
    positions: &[PackedPosition],
    workspace: &mut Workspace<WIDTH>,
) -> Differences {
    let mut differences = Differences::default();
    for (evaluations, positions) in evaluations.chunks(MICRO_BATCH).zip(positions.chunks(MICRO_BATCH)) {
        for (&evaluation, &output) in evaluations.iter().zip(workspace.evaluate(parameters, positions)) {
            let difference = (evaluation as f64 - f64::from(output) * f64::from(SCALE)).abs();
            differences.mean += difference;
            differences.largest = differences.largest.max(difference);
        }
    }
    differences.mean /= positions.len().max(1) as f64;
    differences
}
