//! Shows a person how far a count is, on a terminal, when it takes long.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{FormattedDuration, HumanCount, ProgressBar, ProgressStyle};

use crate::perft::Progress;

/// A count that is over before this shows nothing.
const PATIENCE: Duration = Duration::from_secs(2);

/// The display of one count, on standard error.
pub(super) struct PerftProgress {
    start: Instant,
    /// `None` before it is time, and where there is no terminal.
    bar: Option<ProgressBar>,
}

impl PerftProgress {
    pub(super) fn new(start: Instant) -> Self {
        Self { start, bar: None }
    }

    pub(super) fn update(&mut self, progress: Progress) {
        let elapsed = self.start.elapsed();
        if elapsed < PATIENCE || !io::stderr().is_terminal() {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| new_bar(progress.all_parts));
        bar.set_position(progress.parts as u64);
        let speed = (progress.nodes as f64 / elapsed.as_secs_f64()) as u64;
        let mut text = format!("{} nodes, {}/s", HumanCount(progress.nodes), HumanCount(speed));
        if progress.parts > 0 {
            let left = (progress.all_parts - progress.parts) as f64 / progress.parts as f64;
            let seconds = (elapsed.as_secs_f64() * left) as u64;
            text += &format!(", {} left", FormattedDuration(Duration::from_secs(seconds)));
        }
        bar.set_message(text);
    }

    pub(super) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(parts: usize) -> ProgressBar {
    let bar = ProgressBar::new(parts as u64);
    match ProgressStyle::with_template("{bar:24} {percent:>3} %  {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
