//! The win model fitted on self-play games: maximum likelihood of the results, by Fisher scoring.

use std::fmt::{self, Display};

use super::record::{GameResult, Ply};
use crate::board::Board;
use crate::eval::{MATERIAL, WinModel, material};
use crate::types::{Color, Score};

/// Width of a bin of scores.
const BIN: i32 = 10;
/// Scores beyond this are left out: they tell nothing about the middle of the curve.
const MOST: Score = 2_000;
const SCORE_BINS: usize = (2 * MOST / BIN + 1) as usize;
/// Steps of the fit at most; a dozen are enough.
const STEPS: usize = 100;
/// The fit has come to rest when no parameter moves by more than this.
const REST: f64 = 1e-6;
/// Chances are kept this far from nought.
const LEAST_CHANCE: f64 = 1e-9;

/// The coefficients of both polynomials.
type Parameters = [f64; 6];

/// Results by material and score of the side to move.
#[derive(Clone, Debug)]
pub(super) struct Results {
    /// Losses, draws and wins; rows of score bins, one for each material.
    bins: Vec<[u32; 3]>,
    /// What was seen of the game that is read.
    game: Vec<(usize, Color)>,
}

/// A bin with something in it.
struct Bin {
    score: f64,
    material: u32,
    /// Losses, draws and wins.
    counts: [f64; 3],
}

/// A fitted model and how well it fits.
pub(super) struct Fit {
    model: WinModel,
    positions: f64,
    /// Mean of the negative logarithm of the chance that the model gave to what happened.
    loss: f64,
    /// The same for a model that knows only how often each result occurs.
    blind_loss: f64,
    /// Mean score, and chances of win, draw and loss in percent: as predicted and as they were.
    calibration: Vec<(f64, [f64; 3], [f64; 3])>,
}

impl Default for Results {
    fn default() -> Self {
        Self { bins: vec![[0; 3]; MATERIAL.count() * SCORE_BINS], game: Vec::new() }
    }
}

impl Results {
    /// Notes a position of a game whose result is told later.
    pub(super) fn add_position(&mut self, board: &Board, ply: &Ply) {
        let score = Score::from(ply.score);
        if score.abs() <= MOST {
            let row = (material(board).clamp(*MATERIAL.start(), *MATERIAL.end()) - MATERIAL.start()) as usize;
            let column = ((score + MOST + BIN / 2) / BIN) as usize;
            self.game.push((row * SCORE_BINS + column.min(SCORE_BINS - 1), board.stm()));
        }
    }

    /// Ends a game.
    pub(super) fn end_game(&mut self, result: GameResult) {
        for (bin, stm) in self.game.drain(..) {
            let white = result.index();
            self.bins[bin][if stm == Color::White { white } else { 2 - white }] += 1;
        }
    }

    /// Adds the games of others.
    pub(super) fn merge(&mut self, other: &Self) {
        for (sum, counts) in self.bins.iter_mut().zip(&other.bins) {
            for (sum, count) in sum.iter_mut().zip(counts) {
                *sum += count;
            }
        }
    }

    fn filled(&self) -> Vec<Bin> {
        let bins = self.bins.iter().enumerate().filter(|(_, counts)| counts.iter().any(|&count| count > 0));
        bins.map(|(index, counts)| {
            let material = MATERIAL.start() + (index / SCORE_BINS) as u32;
            let score = (index % SCORE_BINS) as i32 * BIN - MOST;
            Bin { score: score.into(), material, counts: counts.map(f64::from) }
        })
        .collect()
    }

    /// Fits the model. `None` if there are too few games of all kinds for it.
    pub(super) fn fit(&self) -> Option<Fit> {
        let bins = self.filled();
        let mut parameters: Parameters = [150.0, 0.0, 0.0, 80.0, 0.0, 0.0];
        let mut best = likelihood(&bins, &parameters);
        for _ in 0..STEPS {
            let step = scoring_step(&bins, &parameters)?;
            let mut share = 1.0;
            // Too long a step is halved until it leads uphill.
            let (next, value) = loop {
                let next: Parameters = std::array::from_fn(|i| parameters[i] + share * step[i]);
                let value = likelihood(&bins, &next);
                if value >= best || share < 1e-3 {
                    break (next, value);
                }
                share /= 2.0;
            };
            let moved = (0..6).map(|i| (next[i] - parameters[i]).abs()).fold(0.0, f64::max);
            if value < best {
                break;
            }
            (parameters, best) = (next, value);
            if moved < REST {
                break;
            }
        }
        Some(Fit::new(&bins, model(&parameters), best))
    }
}

impl Fit {
    fn new(bins: &[Bin], model: WinModel, likelihood: f64) -> Self {
        let mut totals = [0.0; 3];
        for bin in bins {
            (0..3).for_each(|i| totals[i] += bin.counts[i]);
        }
        let positions: f64 = totals.iter().sum();
        let blind_loss = -totals.iter().map(|&count| count / positions * (count / positions).ln()).sum::<f64>();
        let calibration = [-400, -200, -100, -50, 0, 50, 100, 200, 400]
            .into_iter()
            .filter_map(|score| calibrate(bins, &model, score.into()))
            .collect();
        Self { model, positions, loss: -likelihood / positions, blind_loss, calibration }
    }
}

impl Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |numbers: &[f64; 3]| numbers.map(|number| format!("{number:.2}")).join(", ");
        writeln!(
            f,
            "\nwin model         {} positions, loss {:.5} (blind {:.5})",
            self.positions, self.loss, self.blind_loss
        )?;
        writeln!(f, "midpoint          [{}]", list(&self.model.midpoint))?;
        writeln!(f, "spread            [{}]", list(&self.model.spread))?;
        for material in [17, 38, 58, 78] {
            let [midpoint, spread] = [self.model.midpoint(material), self.model.spread(material)];
            writeln!(f, "material {material:2}       midpoint {midpoint:.0}, spread {spread:.0}")?;
        }
        writeln!(f, "\nscore about     win, draw, loss in percent: model, games")?;
        for (score, predicted, seen) in &self.calibration {
            let text = |chances: &[f64; 3]| chances.map(|chance| format!("{chance:5.1}")).join(" ");
            writeln!(f, "{score:11.0}     {}   {}", text(predicted), text(seen))?;
        }
        Ok(())
    }
}

fn model(parameters: &Parameters) -> WinModel {
    let [a, b, c, d, e, g] = *parameters;
    WinModel { midpoint: [a, b, c], spread: [d, e, g] }
}

/// The chances of loss, draw and win in a bin, and their derivatives by midpoint and spread.
fn chances(bin: &Bin, model: &WinModel) -> ([f64; 3], [[f64; 2]; 3]) {
    let (midpoint, spread) = (model.midpoint(bin.material), model.spread(bin.material));
    let side = |score: f64| {
        let z = (score - midpoint) / spread;
        let chance = 1.0 / (1.0 + (-z).exp());
        let slope = chance * (1.0 - chance) / spread;
        (chance, [-slope, -slope * z])
    };
    let ((win, by_win), (loss, by_loss)) = (side(bin.score), side(-bin.score));
    let by_draw = [-by_win[0] - by_loss[0], -by_win[1] - by_loss[1]];
    ([loss, 1.0 - win - loss, win].map(|chance| chance.max(LEAST_CHANCE)), [by_loss, by_draw, by_win])
}

fn likelihood(bins: &[Bin], parameters: &Parameters) -> f64 {
    let model = model(parameters);
    let of_bin = |bin: &Bin| {
        let (chances, _) = chances(bin, &model);
        (0..3).map(|i| bin.counts[i] * chances[i].ln()).sum::<f64>()
    };
    bins.iter().map(of_bin).sum()
}

/// The gradient of the likelihood, divided by the expected information. `None` if that is singular.
fn scoring_step(bins: &[Bin], parameters: &Parameters) -> Option<Parameters> {
    let (mut gradient, mut information) = ([0.0; 6], [[0.0; 6]; 6]);
    let model = model(parameters);
    for bin in bins {
        let (chances, slopes) = chances(bin, &model);
        let games: f64 = bin.counts.iter().sum();
        let x = WinModel::variable(bin.material);
        let powers = [1.0, x, x * x];
        for outcome in 0..3 {
            let by: Parameters = std::array::from_fn(|i| slopes[outcome][i / 3] * powers[i % 3]);
            for row in 0..6 {
                gradient[row] += bin.counts[outcome] / chances[outcome] * by[row];
                for column in 0..6 {
                    information[row][column] += games / chances[outcome] * by[row] * by[column];
                }
            }
        }
    }
    solve(information, gradient)
}

/// Solves a linear system by Gaussian elimination with pivots.
fn solve(mut matrix: [[f64; 6]; 6], mut right: Parameters) -> Option<Parameters> {
    for column in 0..6 {
        let pivot = (column..6).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        if matrix[column][column].abs() < 1e-12 {
            return None;
        }
        for row in column + 1..6 {
            let factor = matrix[row][column] / matrix[column][column];
            let (above, below) = matrix.split_at_mut(row);
            for (value, pivot) in below[0].iter_mut().zip(above[column]).skip(column) {
                *value -= factor * pivot;
            }
            right[row] -= factor * right[column];
        }
    }
    let mut solution = [0.0; 6];
    for row in (0..6).rev() {
        let known: f64 = (row + 1..6).map(|i| matrix[row][i] * solution[i]).sum();
        solution[row] = (right[row] - known) / matrix[row][row];
    }
    Some(solution)
}

/// Compares model and games for scores within 25 of one. `None` if there are no such games.
fn calibrate(bins: &[Bin], model: &WinModel, score: f64) -> Option<(f64, [f64; 3], [f64; 3])> {
    let (mut sum, mut games, mut predicted, mut seen) = (0.0, 0.0, [0.0; 3], [0.0; 3]);
    for bin in bins.iter().filter(|bin| (bin.score - score).abs() <= 25.0) {
        let count: f64 = bin.counts.iter().sum();
        let (chances, _) = chances(bin, model);
        games += count;
        sum += count * bin.score;
        for outcome in 0..3 {
            predicted[2 - outcome] += count * chances[outcome];
            seen[2 - outcome] += bin.counts[outcome];
        }
    }
    let percent = |count: f64| 100.0 * count / games;
    (games > 0.0).then(|| (sum / games, predicted.map(percent), seen.map(percent)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Results drawn from a known model.
    fn drawn(model: &WinModel, positions: usize) -> Results {
        let (mut results, mut rng) = (Results::default(), Rng::new(7));
        for _ in 0..positions {
            let row = rng.below(MATERIAL.count() as u64) as usize;
            let column = rng.below(81) as usize + SCORE_BINS / 2 - 40;
            let score = column as i32 * BIN - MOST;
            let material = MATERIAL.start() + row as u32;
            let (win, loss) = (model.chance(score, material), model.chance(-score, material));
            let at = rng.below(1 << 30) as f64 / f64::from(1 << 30);
            let result = if at < win {
                2
            } else if at < win + loss {
                0
            } else {
                1
            };
            results.bins[row * SCORE_BINS + column][result] += 1;
        }
        results
    }

    #[test]
    fn a_known_model_is_found_again() {
        let known = WinModel { midpoint: [220.0, -60.0, 10.0], spread: [90.0, 15.0, -20.0] };
        let Some(fit) = drawn(&known, 300_000).fit() else { panic!("no fit") };
        for material in [17, 40, 58, 78] {
            let (expected, found) = (known.midpoint(material), fit.model.midpoint(material));
            assert!((expected - found).abs() < 5.0, "midpoint at {material}: {found}, not {expected}");
            let (expected, found) = (known.spread(material), fit.model.spread(material));
            assert!((expected - found).abs() < 5.0, "spread at {material}: {found}, not {expected}");
        }
        assert!(fit.loss < fit.blind_loss);
        assert!(fit.to_string().contains("300000 positions"), "{fit}");
    }

    #[test]
    fn results_are_seen_by_the_side_to_move() {
        let mut results = Results::default();
        let mut black_to_move = Board::startpos();
        black_to_move.make_null();
        for (board, score) in [(Board::startpos(), 35), (black_to_move, -35), (Board::startpos(), 2_500)] {
            results.add_position(
                &board,
                &Ply { m: crate::types::Move::normal(crate::types::Square::E2, crate::types::Square::E4), score },
            );
        }
        results.end_game(GameResult::WhiteWins);
        let row = (78 - MATERIAL.start()) as usize * SCORE_BINS;
        let bin = |score: i32| results.bins[row + ((score + MOST + BIN / 2) / BIN) as usize];
        assert_eq!((bin(35), bin(-35)), ([0, 0, 1], [1, 0, 0]));
        assert_eq!(results.bins.iter().flatten().sum::<u32>(), 2);
    }

    #[test]
    fn without_games_there_is_no_fit() {
        assert!(Results::default().fit().is_none());
    }
}
