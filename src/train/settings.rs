//! What determines a training besides its data: one table of settings, from which the command line, its help, the
//! checkpoints and the description in the network file are made.

use super::optimiser::Schedule;
use super::position::Target;

/// The settings of a training. Equal settings and equal data give equal networks.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // Each is described in `SETTINGS`.
pub struct Settings {
    pub wdl: f64,
    pub score_scale: f64,
    pub epochs: u32,
    pub batch: usize,
    pub lr: f64,
    pub final_lr_share: f64,
    pub warmup: u64,
    pub weight_decay: f64,
    pub quantised_share: f64,
    pub seed: u64,
    pub seeds: u64,
    pub threads: usize,
    pub held_out: f64,
    pub split_seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            wdl: 0.1,
            score_scale: 400.0,
            epochs: 8,
            batch: 16_384,
            lr: 0.001,
            final_lr_share: 0.01,
            warmup: 100,
            weight_decay: 0.1,
            quantised_share: 0.25,
            seed: 1,
            seeds: 1,
            threads: 2,
            held_out: 0.02,
            split_seed: 0,
        }
    }
}

/// A setting as the user sees it.
pub struct Setting {
    /// Its option on the command line, without the dashes.
    pub name: &'static str,
    /// What values it takes.
    pub range: &'static str,
    /// What it means.
    pub help: &'static str,
    /// Its value as text.
    pub get: fn(&Settings) -> String,
    /// Sets it from text; `None`, and nothing changes, if that is no value for it.
    pub set: fn(&mut Settings, &str) -> Option<()>,
}

/// A row of the table: name, field, type, range of the value in code and in words, help.
macro_rules! setting {
    ($name:literal, $field:ident: $kind:ty, $range:expr, $words:literal, $help:literal) => {
        Setting {
            name: $name,
            range: $words,
            help: $help,
            get: |settings| settings.$field.to_string(),
            set: |settings, text| {
                let value: $kind = text.parse().ok()?;
                ($range).contains(&value).then(|| settings.$field = value)
            },
        }
    };
}

/// Of a short training no more than one part in so many is warm-up.
const WARMUP_DIVISOR: u64 = 10;

/// The smallest positive number.
const ABOVE_0: f64 = f64::MIN_POSITIVE;

/// All settings.
pub const SETTINGS: [Setting; 14] = [
    setting!("wdl", wdl: f64, 0.0..=1.0, "0 to 1", "share of the game's result in the target; the rest is the score"),
    setting!("score-scale", score_scale: f64, 1.0..=10_000.0, "1 to 10000", "score that stands for an expectation of 73 %"),
    setting!("epochs", epochs: u32, 1..=10_000, "1 to 10000", "how often each position is seen"),
    setting!("batch", batch: usize, 1..=1 << 24, "1 to 16777216", "positions per step, at most"),
    setting!("lr", lr: f64, ABOVE_0..=1.0, "above 0, to 1", "highest learning rate"),
    setting!("final-lr-share", final_lr_share: f64, 0.0..=1.0, "0 to 1", "last learning rate, as a share of the highest"),
    setting!("warmup", warmup: u64, 0..=1_000_000, "0 to 1000000", "steps until the highest learning rate; at most a tenth of all"),
    setting!("weight-decay", weight_decay: f64, 0.0..=10.0, "0 to 10", "decoupled weight decay"),
    setting!("quantised-share", quantised_share: f64, 0.0..=1.0, "0 to 1", "last share of the steps, with quantised weights"),
    setting!("seed", seed: u64, 0..=u64::MAX, "0 to 2^64-1", "seed of the first weights and of the order of positions"),
    setting!("seeds", seeds: u64, 1..=1_000, "1 to 1000", "train with so many seeds, from --seed on; keep the best"),
    setting!("threads", threads: usize, 1..=256, "1 to 256", "threads; the result depends on it in the last bits"),
    setting!("held-out", held_out: f64, ABOVE_0..=0.5, "above 0, to 0.5", "share of games kept apart to judge by"),
    setting!("split-seed", split_seed: u64, 0..=u64::MAX, "0 to 2^64-1", "another number keeps other games apart"),
];

impl Settings {
    /// The setting of a name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// All settings, a line each: name, space, value.
    #[must_use]
    pub fn to_lines(&self) -> String {
        SETTINGS.iter().map(|setting| format!("{} {}\n", setting.name, (setting.get)(self))).collect()
    }

    /// Reads what `to_lines` wrote; `None` if a setting is missing, unknown or out of its range.
    #[must_use]
    pub fn from_lines(lines: &str) -> Option<Self> {
        let mut settings = Self::default();
        for line in lines.lines() {
            let (name, value) = line.split_once(' ')?;
            (Self::find(name)?.set)(&mut settings, value)?;
        }
        (settings.to_lines() == lines).then_some(settings)
    }

    /// The first setting that differs.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| (setting.get)(self) != (setting.get)(other))
    }

    /// What the network is to predict.
    #[must_use]
    pub fn target(&self) -> Target {
        Target { wdl: self.wdl as f32, score_scale: self.score_scale as f32 }
    }

    /// How many batches an epoch over so many positions has; they differ by one position at most.
    #[must_use]
    pub fn batches(&self, positions: usize) -> usize {
        positions.div_ceil(self.batch)
    }

    /// Steps of the whole training.
    #[must_use]
    pub fn steps(&self, positions: usize) -> u64 {
        self.batches(positions) as u64 * u64::from(self.epochs)
    }

    /// Steps before those in which gradients are taken with quantised weights.
    #[must_use]
    pub fn exact_steps(&self, positions: usize) -> u64 {
        (self.steps(positions) as f64 * (1.0 - self.quantised_share)).round() as u64
    }

    /// The learning rate over the whole training.
    #[must_use]
    pub fn schedule(&self, positions: usize) -> Schedule {
        let steps = self.steps(positions);
        Schedule {
            peak: self.lr,
            final_share: self.final_lr_share,
            warmup: self.warmup.min(steps / WARMUP_DIVISOR),
            steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_written_and_read() {
        let settings = Settings {
            wdl: 0.3,
            score_scale: 380.5,
            epochs: 3,
            batch: 77,
            lr: 0.1 + 0.2,
            final_lr_share: 0.5,
            warmup: 0,
            weight_decay: 1e-9,
            quantised_share: 0.75,
            seed: u64::MAX,
            seeds: 3,
            threads: 7,
            held_out: 0.125,
            split_seed: 9,
        };
        assert_eq!(Settings::from_lines(&settings.to_lines()), Some(settings.clone()));
        // Each differs from its default, so a setting that was forgotten in the table would have been lost.
        let default = Settings::default();
        for setting in &SETTINGS {
            assert_ne!((setting.get)(&settings), (setting.get)(&default), "{}", setting.name);
        }
        assert_eq!(default.difference(&Settings { warmup: 5, ..default.clone() }).map(|s| s.name), Some("warmup"));
        assert!(default.difference(&default).is_none());
    }

    #[test]
    fn every_position_has_its_batch_and_every_step_its_rate() {
        let settings = Settings { batch: 100, epochs: 8, warmup: 50, ..Settings::default() };
        assert_eq!((settings.batches(1), settings.batches(100), settings.batches(101)), (1, 1, 2));
        assert_eq!((settings.steps(1_000), settings.exact_steps(1_000)), (80, 60));
        assert_eq!((settings.schedule(1_000).warmup, settings.schedule(10_000).warmup), (8, 50));
        assert_eq!(settings.schedule(1_000).steps, 80);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let refused = [
            ("wdl", "1.1"),
            ("wdl", "NaN"),
            ("wdl", "-0.1"),
            ("wdl", "x"),
            ("epochs", "0"),
            ("batch", "0"),
            ("lr", "0"),
            ("lr", "inf"),
            ("seeds", "0"),
            ("threads", "0"),
            ("held-out", "0"),
            ("held-out", "0.6"),
            ("seed", "-1"),
            ("seed", "18446744073709551616"),
            ("score-scale", "0"),
            ("warmup", ""),
        ];
        for (name, value) in refused {
            let mut settings = Settings::default();
            let set = Settings::find(name).expect(name).set;
            assert_eq!(set(&mut settings, value), None, "{name} {value}");
            assert_eq!(settings, Settings::default());
        }
        assert!(Settings::find("elo").is_none());
    }

    #[test]
    fn lines_that_are_not_settings_are_refused() {
        let lines = Settings::default().to_lines();
        let (_, without_first) = lines.split_once('\n').expect("lines");
        for bad in ["", "wdl", without_first, &format!("{lines}elo 3\n"), &lines.replace("wdl 0.1", "wdl 2")] {
            assert_eq!(Settings::from_lines(bad), None, "{bad}");
        }
    }
}
