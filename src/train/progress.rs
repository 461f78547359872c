//! What the user sees of a training: lines on standard output, a bar on standard error if that is a terminal.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::checkpoint::Finished;
use super::export::{Differences, QuantisationReport};
use super::loader::{Dataset, Statistics};
use super::run::{EpochResult, Run};
use super::settings::Settings;

/// Tells how a training goes.
pub(super) struct Progress {
    /// Hidden where standard error is no terminal.
    bar: ProgressBar,
    /// When the first step was begun.
    begin: Instant,
    /// Positions trained on since then, and in all to come then.
    positions: u64,
    goal: u64,
}

impl Progress {
    /// Nothing done yet.
    #[must_use]
    pub(super) fn new() -> Self {
        Self { bar: ProgressBar::hidden(), begin: Instant::now(), positions: 0, goal: 0 }
    }

    /// So many files are to be read.
    pub(super) fn begin_loading(&mut self, files: usize) {
        self.bar = bar(files as u64, "reading  {wide_bar} {pos}/{len} files, {msg}, {eta} left");
    }

    /// A file more is read.
    pub(super) fn loaded(&mut self, statistics: &Statistics) {
        self.bar.set_position(statistics.files as u64);
        self.bar.set_message(format!("{} games", statistics.games));
    }

    /// All files are read.
    pub(super) fn end_loading(&mut self, dataset: &Dataset) {
        self.bar.finish_and_clear();
        let statistics = &dataset.statistics;
        for fault in &statistics.faults {
            complain(&format!("not used: {fault}"));
        }
        let usable = dataset.training.len() + dataset.held_out.len();
        self.say(&format!(
            "data: {} files ({} with faults), {} games, {} plies, {usable} usable positions",
            statistics.files,
            statistics.faults.len(),
            statistics.games,
            statistics.plies,
        ));
        self.say(&format!("held out: {} games, {} positions", statistics.held_out_games, dataset.held_out.len()));
    }

    /// So many positions are to be trained on, counted again in each epoch.
    pub(super) fn begin_training(&mut self, goal: u64) {
        self.bar = bar(goal, "training {wide_bar} {percent} %, {per_sec}, {eta} left");
        (self.begin, self.positions, self.goal) = (Instant::now(), 0, goal);
    }

    /// A step is done.
    pub(super) fn step(&mut self, positions: usize) {
        self.positions += positions as u64;
        self.bar.set_position(self.positions);
    }

    /// An epoch is done.
    pub(super) fn epoch<const WIDTH: usize>(
        &mut self,
        run: &Run<WIDTH>,
        settings: &Settings,
        result: EpochResult,
        positions: usize,
        time: Duration,
    ) {
        let left = self.begin.elapsed().as_secs_f64() / self.positions.max(1) as f64
            * self.goal.saturating_sub(self.positions) as f64;
        self.say(&format!(
            "seed {} epoch {}/{}: training {:.6}, held out {:.6}; {:.0} positions/s, {} left",
            run.seed,
            run.epochs,
            settings.epochs,
            result.training,
            result.held_out,
            positions as f64 / time.as_secs_f64(),
            duration(left),
        ));
    }

    /// All seeds are done.
    pub(super) fn end_training(&mut self) {
        self.bar.finish_and_clear();
    }

    /// The best network is quantised.
    pub(super) fn quantised(&self, report: &QuantisationReport) {
        let off = |differences: Differences| {
            format!("{:.2} cp on average, {:.2} at most", differences.mean, differences.largest)
        };
        self.say(&format!(
            "exported: on {} held-out positions off the trained one by {}",
            report.positions,
            off(report.exported)
        ));
        self.say(&format!(
            "off the exact weights by {}; {} of {} weights at the limit",
            off(report.exact),
            report.clipped,
            report.weights
        ));
        self.say(&format!("mean size of the evaluation there: {:.0} cp", report.mean_evaluation));
    }

    /// The files are written.
    pub(super) fn finished<const WIDTH: usize>(
        &self,
        best: &Finished<WIDTH>,
        checksum: u64,
        out: &Path,
        curves: &Path,
    ) {
        self.say(&format!(
            "best: seed {}, epoch {}, held out {:.6}; network {checksum:016x} in {}, curves in {}",
            best.seed,
            best.best.epoch,
            best.best.loss,
            out.display(),
            curves.display(),
        ));
    }

    /// Writes a line without damage to the bar.
    fn say(&self, line: &str) {
        self.bar.suspend(|| {
            // Whoever closed the output does not want to hear of it; the training goes on.
            let _ = writeln!(io::stdout(), "{line}");
        });
    }
}

/// Writes a line about something wrong.
pub(super) fn complain(line: &str) {
    // There is no better place to say that this one is closed.
    let _ = writeln!(io::stderr(), "rokade train: {line}");
}

/// Writes a text as it is.
pub(super) fn show(text: &str) {
    let _ = write!(io::stdout(), "{text}");
}

fn bar(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    // A template that is wrong leaves the usual look.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A time in seconds as `2 h 05 min`, `3 min 20 s` or `12 s`.
fn duration(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3_600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_readable() {
        let texts = [0.4, 59.2, 61.0, 3_599.0, 3_600.0, 90_061.0].map(duration);
        assert_eq!(texts, ["0 s", "59 s", "1 min 01 s", "59 min 59 s", "1 h 00 min", "25 h 01 min"]);
    }
}
