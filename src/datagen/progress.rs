//! Shows how far a run is: a bar on a terminal, a line now and then elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{FormattedDuration, HumanCount, ProgressBar, ProgressStyle};

use super::run::Progress;
use super::settings::Goal;

/// Steps of the bar.
const STEPS: u64 = 1_000;
/// Time between two lines where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// The display of one run, on standard error.
pub(super) struct Display {
    goal: Goal,
    /// `None` where there is no terminal.
    bar: Option<ProgressBar>,
    next_line: Duration,
}

impl Display {
    pub(super) fn new(goal: Goal) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:24} {percent:>3} %  {msg}");
            let bar = ProgressBar::new(STEPS);
            style.map_or(bar.clone(), |style| bar.with_style(style))
        });
        Self { goal, bar, next_line: LINE_INTERVAL }
    }

    pub(super) fn update(&mut self, progress: &Progress) {
        if let Some(bar) = &self.bar {
            bar.set_position((fraction(&self.goal, progress) * STEPS as f64) as u64);
            bar.set_message(describe(&self.goal, progress));
        } else if progress.elapsed >= self.next_line {
            self.next_line = progress.elapsed + LINE_INTERVAL;
            // Nobody has to listen.
            let _ = writeln!(io::stderr(), "{}", describe(&self.goal, progress));
        }
    }

    pub(super) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How much of the nearest goal is reached, 0 to 1.
fn fraction(goal: &Goal, progress: &Progress) -> f64 {
    let share = |done: f64, wanted: f64| if wanted > 0.0 { (done / wanted).min(1.0) } else { 1.0 };
    let games = goal.games.map(|games| share(progress.tally.games as f64, games as f64));
    let positions = goal.positions.map(|positions| share(progress.tally.usable as f64, positions as f64));
    let time = goal.time.map(|time| share(progress.elapsed.as_secs_f64(), time.as_secs_f64()));
    [games, positions, time].into_iter().flatten().fold(0.0, f64::max)
}

/// Games, usable positions, their rate, and the time left once it can be guessed.
fn describe(goal: &Goal, progress: &Progress) -> String {
    let (tally, seconds) = (&progress.tally, progress.elapsed.as_secs_f64());
    let rate = (tally.usable as f64 / seconds.max(0.001)) as u64;
    let (games, usable, rate) = (HumanCount(tally.games), HumanCount(tally.usable), HumanCount(rate));
    let fraction = fraction(goal, progress);
    let left = if fraction > 0.0 {
        let left = Duration::try_from_secs_f64(seconds * (1.0 - fraction) / fraction).unwrap_or(Duration::MAX);
        format!(", {} left", FormattedDuration(Duration::from_secs(left.as_secs())))
    } else {
        String::new()
    };
    format!("{games} games, {usable} positions, {rate}/s{left}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datagen::play::Tally;

    #[test]
    fn the_nearest_goal_counts() {
        let tally = Tally { games: 1_500, usable: 90_000, ..Tally::default() };
        let progress = Progress { tally, elapsed: Duration::from_secs(60) };
        let games = Goal { games: Some(3_000), ..Goal::default() };
        assert_eq!(describe(&games, &progress), "1,500 games, 90,000 positions, 1,500/s, 00:01:00 left");
        let time = Goal { time: Some(Duration::from_secs(80)), ..games };
        assert_eq!(describe(&time, &progress), "1,500 games, 90,000 positions, 1,500/s, 00:00:20 left");
        let positions = Goal { positions: Some(1), ..time };
        assert!(describe(&positions, &progress).ends_with(" 00:00:00 left"));
        assert_eq!(describe(&Goal::default(), &progress), "1,500 games, 90,000 positions, 1,500/s");
        assert_eq!(describe(&games, &Progress::default()), "0 games, 0 positions, 0/s");
    }
}
