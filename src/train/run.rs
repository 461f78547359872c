//! One training: from the first weights of a seed, epoch by epoch, to the last.

use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

use super::gradient::Workspace;
use super::model::Parameters;
use super::optimiser::AdamW;
use super::position::{PackedPosition, Target};
use super::random::{Permutation, fold};
use super::settings::Settings;

/// Points of the curve of training losses in an epoch, at most.
const POINTS_PER_EPOCH: usize = 20;

/// The losses of a training.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct History {
    /// Epochs gone by and the mean loss since the last point.
    pub training: Vec<(f64, f64)>,
    /// Mean loss of the held-out positions after each epoch.
    pub held_out: Vec<f64>,
}

/// The weights that judged the held-out positions best.
#[derive(Clone, Debug, PartialEq)]
pub struct Best<const WIDTH: usize> {
    /// After how many epochs.
    pub epoch: u32,
    /// Mean loss of the held-out positions.
    pub loss: f64,
    /// The exact weights; the loss is that of the quantised ones.
    pub parameters: Parameters<WIDTH>,
}

/// All that a training has come to: with it, its settings and its data it can be continued.
#[derive(Clone, Debug, PartialEq)]
pub struct Run<const WIDTH: usize> {
    /// The seed of weights and orders.
    pub seed: u64,
    /// Epochs finished.
    pub epochs: u32,
    /// The exact weights.
    pub parameters: Parameters<WIDTH>,
    /// The optimiser's state.
    pub optimiser: AdamW,
    /// Losses so far.
    pub history: History,
    /// The best weights so far; none before the end of the first epoch.
    pub best: Option<Best<WIDTH>>,
}

/// Positions to train on and positions to judge by.
#[derive(Clone, Copy, Debug)]
pub struct Positions<'a> {
    /// What the network learns.
    pub training: &'a [PackedPosition],
    /// What it is judged by.
    pub held_out: &'a [PackedPosition],
}

/// The losses of an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpochResult {
    /// Mean loss of the training positions, each as it was when it was met.
    pub training: f64,
    /// Mean loss of the held-out positions at the end.
    pub held_out: f64,
}

impl<const WIDTH: usize> Run<WIDTH> {
    /// A training that has not begun.
    #[must_use]
    pub fn new(tiles: usize, seed: u64) -> Self {
        let parameters = Parameters::random(tiles, fold(0, seed));
        let optimiser = AdamW::new(parameters.values().len());
        Self { seed, epochs: 0, parameters, optimiser, history: History::default(), best: None }
    }

    /// Trains for an epoch: each position once, in an order of its own. `progress` hears how many positions each
    /// step took.
    ///
    /// There is a workspace for each thread; the result depends on their number in the last bits, for sums are made in
    /// another order.
    pub fn train_epoch(
        &mut self,
        positions: Positions<'_>,
        settings: &Settings,
        workspaces: &mut [Workspace<WIDTH>],
        mut progress: impl FnMut(usize),
    ) -> EpochResult {
        let training = positions.training;
        let order = Permutation::new(training.len(), fold(fold(1, self.seed), u64::from(self.epochs)));
        let batches = settings.batches(training.len());
        let mut quantised = self.parameters.clone();
        let mut curve = Curve { epoch: self.epochs, batches, ..Curve::default() };
        for index in 0..batches {
            let places = part(0..training.len(), index, batches);
            let count = places.len();
            let batch = Batch { positions: training, order: &order, places };
            let loss = self.step(&batch, settings, workspaces, &mut quantised);
            self.history.training.extend(curve.add(index, count, loss));
            progress(count);
        }
        self.epochs += 1;
        quantised.set_quantised(&self.parameters);
        let held_out = mean_loss(workspaces, &quantised, positions.held_out, settings.target());
        self.note_held_out(held_out);
        EpochResult { training: curve.total / training.len().max(1) as f64, held_out }
    }

    /// Takes a step against the gradient of a batch, at the exact weights or, late in the training, at the quantised
    /// ones. Returns the summed loss.
    fn step(
        &mut self,
        batch: &Batch<'_>,
        settings: &Settings,
        workspaces: &mut [Workspace<WIDTH>],
        quantised: &mut Parameters<WIDTH>,
    ) -> f64 {
        let (step, count, training) = (self.optimiser.steps, batch.places.len(), batch.positions.len());
        let weights = if step < settings.exact_steps(training) {
            &self.parameters
        } else {
            quantised.set_quantised(&self.parameters);
            &*quantised
        };
        let target = settings.target();
        let loss = in_parallel(workspaces, batch.places.clone(), |workspace, places| {
            workspace.learn(weights, batch.positions, batch.indices(places), target)
        });
        let rate = settings.schedule(training).rate(step);
        let gradients = workspaces.iter_mut().map(|workspace| workspace.gradient.values_mut()).collect();
        self.optimiser.step(self.parameters.values_mut(), gradients, count, rate, settings.weight_decay);
        loss
    }

    /// Notes the loss of the held-out positions, and the weights if it is the lowest so far.
    fn note_held_out(&mut self, loss: f64) {
        self.history.held_out.push(loss);
        if self.best.as_ref().is_none_or(|best| loss < best.loss) {
            self.best = Some(Best { epoch: self.epochs, loss, parameters: self.parameters.clone() });
        }
    }
}

/// Sums up losses into points of a curve.
#[derive(Clone, Copy, Debug, Default)]
struct Curve {
    epoch: u32,
    batches: usize,
    /// All losses of the epoch.
    total: f64,
    /// Loss and positions since the last point.
    loss: f64,
    positions: usize,
}

impl Curve {
    /// Adds the summed loss of a batch; returns the point that is complete with it, if there is one.
    fn add(&mut self, batch: usize, positions: usize, loss: f64) -> Option<(f64, f64)> {
        self.total += loss;
        self.loss += loss;
        self.positions += positions;
        let points = POINTS_PER_EPOCH.min(self.batches);
        let point = |batch: usize| batch * points / self.batches;
        if point(batch + 1) == point(batch) {
            return None;
        }
        let epochs = f64::from(self.epoch) + (batch + 1) as f64 / self.batches as f64;
        let mean = self.loss / self.positions as f64;
        (self.loss, self.positions) = (0.0, 0);
        Some((epochs, mean))
    }
}

/// Some places of positions in an order.
struct Batch<'a> {
    positions: &'a [PackedPosition],
    order: &'a Permutation,
    places: Range<usize>,
}

impl Batch<'_> {
    fn indices(&self, places: Range<usize>) -> impl Iterator<Item = usize> {
        places.map(|place| self.order.at(place))
    }
}

/// The part of a range that is number `index` of `count` nearly equal ones.
fn part(range: Range<usize>, index: usize, count: usize) -> Range<usize> {
    let bound = |index: usize| range.start + (range.len() as u128 * index as u128 / count as u128) as usize;
    bound(index)..bound(index + 1)
}

/// The mean loss of positions.
pub fn mean_loss<const WIDTH: usize>(
    workspaces: &mut [Workspace<WIDTH>],
    parameters: &Parameters<WIDTH>,
    positions: &[PackedPosition],
    target: Target,
) -> f64 {
    let sum = in_parallel(workspaces, 0..positions.len(), |workspace, places| {
        workspace.loss(parameters, &positions[places], target)
    });
    sum / positions.len().max(1) as f64
}

/// Gives each workspace a thread and a share of the places, and sums up what comes back, in the order of the shares.
fn in_parallel<const WIDTH: usize>(
    workspaces: &mut [Workspace<WIDTH>],
    places: Range<usize>,
    work: impl Fn(&mut Workspace<WIDTH>, Range<usize>) -> f64 + Sync,
) -> f64 {
    let (count, work) = (workspaces.len(), &work);
    thread::scope(|scope| {
        let spawn = |(index, workspace)| {
            let share = part(places.clone(), index, count);
            scope.spawn(move || work(workspace, share))
        };
        let threads: Vec<_> = workspaces.iter_mut().enumerate().map(spawn).collect();
        let join =
            |thread: thread::ScopedJoinHandle<'_, f64>| thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        threads.into_iter().map(join).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_a_range_evenly() {
        for (range, count) in [(0..10, 3), (5..6, 4), (7..7, 2), (100..1_000, 7)] {
            let parts: Vec<_> = (0..count).map(|index| part(range.clone(), index, count)).collect();
            assert_eq!(parts.iter().cloned().flatten().collect::<Vec<_>>(), range.clone().collect::<Vec<_>>());
            let (shortest, longest) = (parts.iter().map(Range::len).min(), parts.iter().map(Range::len).max());
            assert!(longest.zip(shortest).is_some_and(|(longest, shortest)| longest - shortest <= 1), "{parts:?}");
        }
    }

    #[test]
    fn a_curve_has_some_points_an_epoch_and_ends_with_it() {
        for (batches, expected) in [(1, 1), (7, 7), (20, 20), (333, 20)] {
            let mut curve = Curve { epoch: 2, batches, ..Curve::default() };
            let points: Vec<_> = (0..batches).filter_map(|batch| curve.add(batch, 10, 5.0)).collect();
            assert_eq!(points.len(), expected);
            assert!(points.iter().all(|&(_, loss)| (loss - 0.5).abs() < 1e-12));
            assert_eq!(points.last().map(|&(epochs, _)| epochs), Some(3.0));
            assert!((curve.total - 5.0 * batches as f64).abs() < 1e-9);
        }
    }

    #[test]
    fn the_best_weights_are_those_of_the_lowest_held_out_loss() {
        let mut run = Run::<8>::new(1, 1);
        for (loss, best) in [(0.3, 1), (0.2, 2), (0.25, 2), (0.1, 4), (f64::NAN, 4)] {
            run.epochs += 1;
            run.parameters.values_mut()[0] = run.epochs as f32;
            run.note_held_out(loss);
            let kept = run.best.as_ref().expect("weights");
            assert_eq!((kept.epoch, kept.parameters.values()[0]), (best, best as f32));
        }
    }
}
