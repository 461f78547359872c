//! AdamW (Loshchilov and Hutter 2017) and the learning rate over time.

use std::thread;

/// How much of the mean of gradients remains from step to step.
const MEAN_DECAY: f32 = 0.9;
/// How much of the mean of squared gradients remains.
const SQUARE_DECAY: f32 = 0.999;
/// Keeps steps small where gradients are nearly zero.
const EPSILON: f32 = 1e-8;

/// No parameter may be larger: an output weight of this size is the largest that quantisation can hold.
pub const PARAMETER_LIMIT: f32 = 1.98;

/// The state of the optimiser.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    /// Steps taken.
    pub steps: u64,
    /// The moving mean of the gradients.
    pub means: Vec<f32>,
    /// The moving mean of their squares.
    pub squares: Vec<f32>,
}

/// What is the same for all parameters in one step.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Gradients are sums over this many positions.
    gradient_scale: f32,
    rate: f32,
    /// What remains of a parameter.
    keep: f32,
    mean_correction: f32,
    square_correction: f32,
}

impl AdamW {
    /// The state before the first step for so many parameters.
    #[must_use]
    pub fn new(parameters: usize) -> Self {
        Self { steps: 0, means: vec![0.0; parameters], squares: vec![0.0; parameters] }
    }

    /// Takes a step. The gradient is the sum of `gradients`, in their order, over `positions` positions; they are
    /// cleared. The work is shared by as many threads as there are gradients, which does not change the result.
    pub fn step(
        &mut self,
        parameters: &mut [f32],
        mut gradients: Vec<&mut [f32]>,
        positions: usize,
        rate: f64,
        weight_decay: f64,
    ) {
        self.steps += 1;
        let step = Step {
            gradient_scale: 1.0 / positions as f32,
            rate: rate as f32,
            keep: (1.0 - rate * weight_decay) as f32,
            mean_correction: correction(MEAN_DECAY, self.steps),
            square_correction: correction(SQUARE_DECAY, self.steps),
        };
        let share = parameters.len().div_ceil(gradients.len().max(1)).max(1);
        let shares = parameters.chunks_mut(share).zip(self.means.chunks_mut(share)).zip(self.squares.chunks_mut(share));
        thread::scope(|scope| {
            for ((parameters, means), squares) in shares {
                let mut gradients = split_off(&mut gradients, parameters.len());
                scope.spawn(move || step.apply(parameters, means, squares, &mut gradients));
            }
        });
    }
}

/// What makes a mean over few steps, begun at zero, the size it should have.
fn correction(decay: f32, steps: u64) -> f32 {
    (1.0 / (1.0 - f64::from(decay).powi(i32::try_from(steps).unwrap_or(i32::MAX)))) as f32
}

/// Takes the first numbers of every gradient.
fn split_off<'a>(gradients: &mut [&'a mut [f32]], length: usize) -> Vec<&'a mut [f32]> {
    let take = |gradient: &mut &'a mut [f32]| {
        let (head, tail) = std::mem::take(gradient).split_at_mut(length);
        *gradient = tail;
        head
    };
    gradients.iter_mut().map(take).collect()
}

impl Step {
    /// The step for some of the parameters.
    fn apply(self, parameters: &mut [f32], means: &mut [f32], squares: &mut [f32], gradients: &mut [&mut [f32]]) {
        // The sum goes into the first gradient, then all are cleared.
        let Some((sum, others)) = gradients.split_first_mut() else { return };
        for other in others {
            for (sum, part) in sum.iter_mut().zip(other.iter_mut()) {
                *sum += std::mem::take(part);
            }
        }
        let states = parameters.iter_mut().zip(means).zip(squares).zip(sum.iter_mut());
        for (((parameter, mean), square), gradient) in states {
            let gradient = std::mem::take(gradient) * self.gradient_scale;
            *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * gradient;
            *square = SQUARE_DECAY * *square + (1.0 - SQUARE_DECAY) * gradient * gradient;
            let size = (*square * self.square_correction).sqrt() + EPSILON;
            let next = *parameter * self.keep - self.rate * self.mean_correction * *mean / size;
            *parameter = next.clamp(-PARAMETER_LIMIT, PARAMETER_LIMIT);
        }
    }
}

/// The learning rate: it rises in a straight line, then falls along half a cosine wave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The highest rate.
    pub peak: f64,
    /// The last rate, as a share of the highest.
    pub final_share: f64,
    /// Steps until the highest rate.
    pub warmup: u64,
    /// All steps of the training.
    pub steps: u64,
}

impl Schedule {
    /// The rate of a step, from 0.
    #[must_use]
    pub fn rate(&self, step: u64) -> f64 {
        if step < self.warmup {
            return self.peak * (step + 1) as f64 / self.warmup as f64;
        }
        let length = self.steps.saturating_sub(self.warmup).max(1);
        let progress = ((step - self.warmup) as f64 / length as f64).min(1.0);
        let wave = 0.5 + 0.5 * (std::f64::consts::PI * progress).cos();
        self.peak * (self.final_share + (1.0 - self.final_share) * wave)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published algorithm, one parameter at a time, in `f64`.
    fn published(mut parameter: f64, gradients: &[f64], rate: f64, decay: f64) -> f64 {
        let (mut mean, mut square) = (0.0, 0.0);
        for (index, gradient) in gradients.iter().enumerate() {
            mean = 0.9 * mean + 0.1 * gradient;
            square = 0.999 * square + 0.001 * gradient * gradient;
            let power = index as i32 + 1;
            let (mean, square) = (mean / (1.0 - 0.9_f64.powi(power)), square / (1.0 - 0.999_f64.powi(power)));
            parameter =
                (parameter - rate * decay * parameter - rate * mean / (square.sqrt() + 1e-8)).clamp(-1.98, 1.98);
        }
        parameter
    }

    #[test]
    fn steps_are_those_of_the_published_algorithm() {
        let start = [0.5_f32, -0.25, 0.0, 1.97, -1.9];
        let gradients = [[0.3, -2.0, 0.001, -5.0, 4.0], [0.1, 1.0, 0.001, -5.0, 0.0], [-0.7, 1.0, 0.002, -5.0, 0.1]];
        let mut parameters = start;
        let mut optimiser = AdamW::new(start.len());
        for gradient in gradients {
            // As two threads would have it for four positions.
            let (mut first, mut second) = (gradient.map(|g: f32| g * 3.0), gradient);
            optimiser.step(&mut parameters, vec![&mut first, &mut second], 4, 0.01, 0.1);
            assert_eq!((first, second), ([0.0; 5], [0.0; 5]));
        }
        for (index, &found) in parameters.iter().enumerate() {
            let gradients = gradients.map(|gradient| f64::from(gradient[index]));
            let expected = published(f64::from(start[index]), &gradients, 0.01, 0.1);
            assert!((f64::from(found) - expected).abs() < 1e-6, "{index}: {found}, expected {expected}");
        }
        assert_eq!(parameters[3], PARAMETER_LIMIT);
    }

    #[test]
    fn the_rate_rises_and_falls() {
        let schedule = Schedule { peak: 0.001, final_share: 0.01, warmup: 10, steps: 110 };
        let near = |step, rate: f64| assert!((schedule.rate(step) - rate).abs() < 1e-9, "{}", schedule.rate(step));
        near(0, 0.0001);
        near(9, 0.001);
        near(10, 0.001);
        near(60, 0.000_505);
        near(110, 0.000_01);
        near(1_000, 0.000_01);
        assert!(Schedule { warmup: 0, ..schedule }.rate(0) == 0.001);
    }
}
