//! A training from the data to the network file: all seeds, with checkpoints, and the best of them exported.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::checkpoint::{Checkpoint, Finished, check_replaceable, replace_file};
use super::error::TrainError;
use super::export;
use super::gradient::Workspace;
use super::loader::{self, Dataset, Split};
use super::options::{CURVES_EXTENSION, Options};
use super::plot;
use super::progress::Progress;
use super::run::{Positions, Run};
use super::settings::Settings;
use crate::nnue::network::HIDDEN;

/// Hidden values that are trained together. At 64 the sums of a row fit the registers of AVX2 and a tile's weights
/// half of the second-level cache of most CPUs.
const WIDTH: usize = 64;
const TILES: usize = HIDDEN / WIDTH;
const _: () = assert!(TILES * WIDTH == HIDDEN);

/// Held-out positions on which the quantised network is compared.
const COMPARED: usize = 100_000;
/// Origins of games that the description names, at most.
const MAX_ORIGINS: usize = 40;

/// Trains as the options ask and writes the network.
///
/// # Errors
///
/// When files cannot be read or written, nothing usable is in the data, a checkpoint does not fit, or the network
/// would be refused by the engine.
pub(super) fn train(options: &Options) -> Result<(), TrainError> {
    // Found out before the work, not after it.
    for path in [Some(&options.out), options.checkpoint.as_ref()].into_iter().flatten() {
        check_replaceable(path).map_err(TrainError::io(path))?;
    }
    let resumed = options.resume.as_deref().map(load_checkpoint).transpose()?;
    let settings = settings(options, resumed.as_ref())?;
    let mut progress = Progress::new();
    let dataset = load_data(options, &settings, &mut progress)?;
    let mut session = Session::new(options, settings, resumed, &dataset, progress)?;
    session.train_all()?;
    session.export()
}

/// The settings of the checkpoint, or the defaults, with the changes that the command line asks for. A checkpoint
/// allows none: nothing it says would be true of the network.
fn settings(options: &Options, resumed: Option<&Checkpoint<WIDTH>>) -> Result<Settings, TrainError> {
    let Some(checkpoint) = resumed else { return Ok(options.settings(Settings::default())) };
    let asked = options.settings(checkpoint.settings.clone());
    match asked.difference(&checkpoint.settings) {
        None => Ok(asked),
        Some(setting) => Err(TrainError::Setting {
            name: setting.name,
            found: (setting.get)(&asked),
            expected: (setting.get)(&checkpoint.settings),
        }),
    }
}

fn load_checkpoint(path: &Path) -> Result<Checkpoint<WIDTH>, TrainError> {
    let checkpoint = Checkpoint::load(path, HIDDEN);
    checkpoint.map_err(|source| TrainError::Checkpoint { path: path.to_owned(), source })
}

fn load_data(options: &Options, settings: &Settings, progress: &mut Progress) -> Result<Dataset, TrainError> {
    let files = loader::find_files(&options.data)?;
    progress.begin_loading(files.len());
    let split = Split { held_out: settings.held_out, seed: settings.split_seed };
    let threads = NonZeroUsize::new(settings.threads).unwrap_or(NonZeroUsize::MIN);
    let dataset = loader::load(&files, split, threads, |statistics| progress.loaded(statistics))?;
    progress.end_loading(&dataset);
    Ok(dataset)
}

/// A training under way.
struct Session<'a> {
    options: &'a Options,
    dataset: &'a Dataset,
    /// Where it stands.
    state: Checkpoint<WIDTH>,
    /// Where that is kept.
    checkpoint: Option<PathBuf>,
    workspaces: Vec<Workspace<WIDTH>>,
    progress: Progress,
}

impl<'a> Session<'a> {
    fn new(
        options: &'a Options,
        settings: Settings,
        resumed: Option<Checkpoint<WIDTH>>,
        dataset: &'a Dataset,
        progress: Progress,
    ) -> Result<Self, TrainError> {
        if resumed.as_ref().is_some_and(|checkpoint| checkpoint.fingerprint != dataset.fingerprint) {
            return Err(TrainError::OtherData);
        }
        let workspaces = vec![Workspace::new(TILES); settings.threads];
        let fingerprint = dataset.fingerprint;
        let fresh = || Checkpoint { settings, fingerprint, finished: Vec::new(), current: None };
        let state = resumed.unwrap_or_else(fresh);
        let checkpoint = options.checkpoint.clone().or_else(|| options.resume.clone());
        Ok(Self { options, dataset, state, checkpoint, workspaces, progress })
    }

    /// Trains with every seed that is left.
    fn train_all(&mut self) -> Result<(), TrainError> {
        let settings = self.state.settings.clone();
        let epochs_done = self.state.finished.len() as u64 * u64::from(settings.epochs)
            + self.state.current.as_ref().map_or(0, |run| u64::from(run.epochs));
        let epochs = (settings.seeds * u64::from(settings.epochs)).saturating_sub(epochs_done);
        self.progress.begin_training(epochs * self.dataset.training.len() as u64);
        while (self.state.finished.len() as u64) < settings.seeds {
            let seed = settings.seed.wrapping_add(self.state.finished.len() as u64);
            let run = self.state.current.take().unwrap_or_else(|| Run::new(TILES, seed));
            self.train_seed(run, &settings)?;
        }
        self.progress.end_training();
        Ok(())
    }

    /// Trains a run to its end.
    fn train_seed(&mut self, mut run: Run<WIDTH>, settings: &Settings) -> Result<(), TrainError> {
        while run.epochs < settings.epochs {
            let begin = Instant::now();
            let positions = Positions { training: &self.dataset.training, held_out: &self.dataset.held_out };
            let result = run.train_epoch(positions, settings, &mut self.workspaces, |count| self.progress.step(count));
            self.progress.epoch(&run, settings, result, positions.training.len(), begin.elapsed());
            if !(result.training.is_finite() && result.held_out.is_finite()) {
                return Err(TrainError::Diverged);
            }
            self.state.current = Some(run.clone());
            self.save()?;
        }
        self.state.current = None;
        let best = run.best.ok_or(TrainError::Diverged)?;
        self.state.finished.push(Finished { seed: run.seed, history: run.history, best });
        self.save()
    }

    fn save(&self) -> Result<(), TrainError> {
        let Some(path) = &self.checkpoint else { return Ok(()) };
        self.state.save(path).map_err(TrainError::io(path))
    }

    /// Writes the best network and the curves, and reports on both.
    fn export(&mut self) -> Result<(), TrainError> {
        let finished = self.state.finished.iter();
        let winner = finished.min_by(|a, b| a.best.loss.total_cmp(&b.best.loss)).ok_or(TrainError::Diverged)?;
        let network = export::export(&winner.best.parameters, self.describe(winner))?;
        let compared = &self.dataset.held_out[..self.dataset.held_out.len().min(COMPARED)];
        if let Some(workspace) = self.workspaces.first_mut() {
            let report = export::compare(&winner.best.parameters, &network.weights, compared, workspace);
            self.progress.quantised(&report);
        }
        let out = &self.options.out;
        replace_file(out, &network.to_bytes()).map_err(TrainError::io(out))?;
        let curves = out.with_extension(CURVES_EXTENSION);
        plot::draw(&curves, &self.state.finished)?;
        self.progress.finished(winner, network.checksum, out, &curves);
        Ok(())
    }

    /// What the network file says about its training, a line each: name, space, value.
    fn describe(&self, winner: &Finished<WIDTH>) -> String {
        let statistics = &self.dataset.statistics;
        let mut text = format!("trainer rokade {}\n", env!("CARGO_PKG_VERSION"));
        let mut line = |name: &str, value: &dyn std::fmt::Display| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name} {value}");
        };
        line("games", &statistics.games);
        line("positions", &self.dataset.training.len());
        line("held-out-games", &statistics.held_out_games);
        line("held-out-positions", &self.dataset.held_out.len());
        line("data-fingerprint", &format_args!("{:016x}", self.dataset.fingerprint));
        for (origin, games) in statistics.origins.iter().take(MAX_ORIGINS) {
            line("origin", &format_args!("net {:016x}, {} nodes: {games} games", origin.network, origin.nodes));
        }
        line("best-seed", &winner.seed);
        line("best-epoch", &winner.best.epoch);
        line("held-out-loss", &format_args!("{:.6}", winner.best.loss));
        text + &self.state.settings.to_lines()
    }
}
