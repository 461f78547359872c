//! The command line of `rokade train`.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

use super::settings::{SETTINGS, Setting, Settings};

/// How the name of the picture of the losses ends; the rest is that of the network.
pub const CURVES_EXTENSION: &str = "svg";

/// What the command line asks for.
pub enum Request {
    /// The text about the options.
    Help,
    /// A training.
    Train(Options),
}

/// The options of a training.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Files of games, and folders of such files.
    pub data: Vec<PathBuf>,
    /// Where the network goes.
    pub out: PathBuf,
    /// Where the state of the training goes after each epoch.
    pub checkpoint: Option<PathBuf>,
    /// A state to go on from.
    pub resume: Option<PathBuf>,
    /// Settings that were given, by name: changes to the defaults, or to those of the checkpoint.
    given: Vec<(&'static str, String)>,
}

/// What is wrong with a command line, in one line.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(String);

impl Request {
    /// Reads the words after `train`.
    ///
    /// # Errors
    ///
    /// When a word is unknown, a value is missing or out of range, or `--data` or `--out` is missing.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, UsageError> {
        let mut parser = Parser::from_args(words);
        let mut options = Options::default();
        while let Some(argument) = parser.next().map_err(one_line)? {
            let name = match argument {
                Arg::Long("help") | Arg::Short('h') => return Ok(Self::Help),
                Arg::Long(name) => name.to_owned(),
                other => return Err(one_line(other.unexpected())),
            };
            match name.as_str() {
                "data" => options.data.extend(parser.values().map_err(one_line)?.map(PathBuf::from)),
                "out" => options.out = path(&mut parser)?,
                "checkpoint" => options.checkpoint = Some(path(&mut parser)?),
                "resume" => options.resume = Some(path(&mut parser)?),
                name => options.add_setting(name, &mut parser)?,
            }
        }
        if options.data.is_empty() {
            return Err(UsageError("--data is missing: which games to train on".into()));
        }
        if options.out.as_os_str().is_empty() {
            return Err(UsageError("--out is missing: where the network goes".into()));
        }
        if options.out.extension().is_some_and(|extension| extension == CURVES_EXTENSION) {
            return Err(UsageError(format!("--out ends in .{CURVES_EXTENSION}, like the curves that go beside it")));
        }
        Ok(Self::Train(options))
    }
}

impl Options {
    fn add_setting(&mut self, name: &str, parser: &mut Parser) -> Result<(), UsageError> {
        let setting = Settings::find(name).ok_or_else(|| UsageError(format!("unknown option --{name}")))?;
        let value = parser.value().map_err(one_line)?.string().map_err(one_line)?;
        if (setting.set)(&mut Settings::default(), &value).is_none() {
            return Err(UsageError(format!("--{name} takes {}, not '{value}'", setting.range)));
        }
        self.given.push((setting.name, value));
        Ok(())
    }

    /// Some settings with the changes that the command line asks for.
    #[must_use]
    pub fn settings(&self, mut base: Settings) -> Settings {
        for (name, value) in &self.given {
            // They were found to be good when they were read.
            let _ = Settings::find(name).and_then(|setting| (setting.set)(&mut base, value));
        }
        base
    }
}

fn path(parser: &mut Parser) -> Result<PathBuf, UsageError> {
    parser.value().map(PathBuf::from).map_err(one_line)
}

/// An error of the parser, whose text may quote words with line breaks.
fn one_line(error: impl std::fmt::Display) -> UsageError {
    UsageError(error.to_string().split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The text about the options.
#[must_use]
pub fn help() -> String {
    let default = Settings::default();
    let line = |setting: &Setting| {
        let option = format!("--{} {}", setting.name, (setting.get)(&default));
        format!("  {option:<24}{} ({})\n", setting.help, setting.range)
    };
    let settings: String = SETTINGS.iter().map(line).collect();
    format!("{HEAD}{settings}{TAIL}")
}

const HEAD: &str = "\
Trains the evaluation network on self-play games.

usage: rokade train --data PATH... --out NET [options]

  --data PATH...          files of games, or folders of them (*.games)
  --out NET               where the network goes; the curves of the losses go beside it, ending in .svg
  --checkpoint FILE       keep the state of the training there after each epoch
  --resume FILE           go on from such a state, with its settings and the same data, to the same end, bit for bit;
                          new states go there, too, unless --checkpoint names another file
  --help                  this text

Settings, with their defaults:

";

const TAIL: &str = "
Positions are used if the side to move is not in check, the best move is quiet, the score is below 10000 and there are
four pieces or more. Of each seed the epoch with the lowest held-out loss counts, and the best seed is exported, if the
engine accepts it. All settings are written into the network file.
";

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Request, UsageError> {
        Request::parse(line.split_whitespace().map(OsString::from))
    }

    fn options(line: &str) -> Options {
        match parse(line) {
            Ok(Request::Train(options)) => options,
            Ok(Request::Help) => panic!("{line}: help"),
            Err(error) => panic!("{line}: {error}"),
        }
    }

    #[test]
    fn options_are_read_in_any_order() {
        let options = options("--wdl=0.3 --data a b/c --epochs 3 --out net --data d --epochs 4 --checkpoint state");
        assert_eq!(options.data, ["a", "b/c", "d"].map(PathBuf::from));
        assert_eq!(options.out, PathBuf::from("net"));
        assert_eq!((options.checkpoint.clone(), options.resume.clone()), (Some("state".into()), None));
        let settings = options.settings(Settings::default());
        assert_eq!(settings, Settings { wdl: 0.3, epochs: 4, ..Settings::default() });
        let resumed = options.settings(Settings { batch: 7, ..Settings::default() });
        assert_eq!(resumed, Settings { wdl: 0.3, epochs: 4, batch: 7, ..Settings::default() });
    }

    #[test]
    fn every_setting_is_an_option_and_in_the_help() {
        let help = help();
        for setting in &SETTINGS {
            let value = (setting.get)(&Settings::default());
            let line = format!("--data d --out o --{} {value}", setting.name);
            assert_eq!(options(&line).settings(Settings::default()), Settings::default());
            assert!(help.contains(&format!("--{} {value}", setting.name)), "{}", setting.name);
        }
        assert!(help.lines().all(|line| line.len() <= 120), "{help}");
        assert!(matches!(parse("--wdl 0.5 --help"), Ok(Request::Help)));
    }

    #[test]
    fn bad_command_lines_get_one_line() {
        for (line, part) in [
            ("", "--data is missing"),
            ("--out net", "--data is missing"),
            ("--data d", "--out is missing"),
            ("--data --out net", "--data"),
            ("--data d --out", "--out"),
            ("--data d --out net.svg", "--out ends in .svg"),
            ("--data d --out net --elo 3", "unknown option --elo"),
            ("--data d --out net -q", "-q"),
            ("net --data d", "net"),
            ("--data d --out net --epochs 0", "--epochs takes 1 to 10000, not '0'"),
            ("--data d --out net --wdl", "--wdl"),
        ] {
            let error = parse(line).err().unwrap_or_else(|| panic!("{line} is taken")).to_string();
            assert!(error.contains(part) && error.lines().count() == 1, "{line}: {error}");
        }
    }
}
