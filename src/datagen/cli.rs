//! The command line of `rokade datagen`.

use std::ffi::OsString;
use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use lexopt::{Arg, Parser};
use thiserror::Error;

use super::adjudicate::AdjudicationError;
use super::progress;
use super::run::{Progress, generate};
use super::settings::{MAX_PLIES, NODES, Settings, THREADS};

const HELP: &str = "\
Plays games against itself and keeps them as data to train a network on.

Usage: rokade datagen --out DIR (--games N | --positions N | --hours H) [OPTIONS]

  --out DIR          Folder for the games; made if need be. Files in it are never
                     overwritten: another run adds to it.
  --games N          Stop after N games.
  --positions N      Stop after N usable positions: side to move not in check, best
                     move quiet, four pieces or more, no mate in sight.
  --hours H          Stop after H hours; fractions are fine.
                     Of several goals the first that is reached counts.

  --nodes N          Soft node limit of each search, varied by 10 % [500]
  --threads N        Games played at a time [2]
  --seed S           Seed of the random numbers [a random one]
  --dfrc PERCENT     Games from double Chess960 start positions [15]
  --book FILE        Begin the other games from the lines of a FEN or EPD file and
                     4 or 5 random plies [the start position and 8 or 9]
  --adjudicate RULES When to call a game: win=SCORE:PLIES for a score so high for so
                     many plies in a row, draw=SCORE:PLIES:AFTER for one so near to
                     zero, after so many plies of the game; both with a comma, or
                     none [win=1000:4,draw=10:10:80]
  --max-plies N      Longer games are draws [400]
  --help             Show this.

A killed run loses only the games that are not over. 'rokade data DIR/*.games' shows
what there is.
";

/// Most hours of a run: more than a year.
const MAX_HOURS: f64 = 10_000.0;

/// What the command line asks for.
#[derive(Debug, PartialEq)]
enum Request {
    Help,
    Generate(Box<Settings>),
}

/// Why the command line is not understood.
#[derive(Debug, Error)]
enum ArgsError {
    #[error("{0}")]
    Syntax(#[from] lexopt::Error),
    #[error("{option} needs a number from {least} to {most}, not '{found}'")]
    Number { option: &'static str, least: String, most: String, found: String },
    #[error("--adjudicate: {0}")]
    Adjudication(#[from] AdjudicationError),
    #[error("--out DIR is missing")]
    NoFolder,
    #[error("one of --games, --positions and --hours is missing")]
    NoGoal,
}

/// Runs `rokade datagen` with these words after its name. The exit code is 2 for a command line that is not
/// understood, and 1 for a run that failed.
#[must_use]
pub fn run_datagen(words: &[OsString]) -> ExitCode {
    match parse(words) {
        Ok(Request::Help) => print(HELP),
        Ok(Request::Generate(settings)) => run(&settings),
        Err(error) => fail(&error, 2),
    }
}

fn run(settings: &Settings) -> ExitCode {
    let mut display = progress::Display::new(settings.goal);
    let result = generate(settings, &mut |progress| display.update(progress));
    display.finish();
    match result {
        Ok(progress) => print(&summary(settings, &progress)),
        Err(error) => fail(&error, 1),
    }
}

fn print(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn fail(error: &dyn Display, code: u8) -> ExitCode {
    // If standard error is closed, the exit code has to do.
    let _ = writeln!(io::stderr(), "rokade datagen: {error}");
    ExitCode::from(code)
}

fn summary(settings: &Settings, progress: &Progress) -> String {
    let (tally, seconds) = (&progress.tally, progress.elapsed.as_secs_f64());
    let per_ply = tally.nodes as f64 / tally.plies.max(1) as f64;
    let nodes = tally.nodes + tally.opening_nodes;
    format!(
        "{} games, {} plies, {} usable positions in {seconds:.1} s: {:.0} positions and {:.0} nodes a second\n\
         {per_ply:.0} nodes a ply; {} openings left out, {:.1} % of the nodes for openings; seed {}\n",
        tally.games,
        tally.plies,
        tally.usable,
        tally.usable as f64 / seconds.max(0.001),
        nodes as f64 / seconds.max(0.001),
        tally.rejected,
        100.0 * tally.opening_nodes as f64 / nodes.max(1) as f64,
        settings.seed,
    )
}

fn parse(words: &[OsString]) -> Result<Request, ArgsError> {
    let mut parser = Parser::from_args(words);
    let mut settings = Settings { seed: RandomState::new().hash_one(0), ..Settings::default() };
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Request::Help),
            Arg::Long("out") => settings.out = PathBuf::from(parser.value()?),
            Arg::Long("games") => settings.goal.games = Some(number(&mut parser, "--games", 1..=u64::MAX)?),
            Arg::Long("positions") => settings.goal.positions = Some(number(&mut parser, "--positions", 1..=u64::MAX)?),
            Arg::Long("hours") => {
                let hours = number(&mut parser, "--hours", 0.0..=MAX_HOURS)?;
                settings.goal.time = Some(Duration::from_secs_f64(hours * 3600.0));
            }
            Arg::Long("nodes") => settings.nodes = number(&mut parser, "--nodes", NODES)?,
            Arg::Long("threads") => settings.threads = number(&mut parser, "--threads", THREADS)?,
            Arg::Long("seed") => settings.seed = number(&mut parser, "--seed", 0..=u64::MAX)?,
            Arg::Long("dfrc") => settings.dfrc_percent = number(&mut parser, "--dfrc", 0..=100)?,
            Arg::Long("book") => settings.book = Some(PathBuf::from(parser.value()?)),
            Arg::Long("adjudicate") => settings.adjudication = parser.value()?.to_string_lossy().parse()?,
            Arg::Long("max-plies") => settings.max_plies = number(&mut parser, "--max-plies", MAX_PLIES)?,
            unknown => return Err(unknown.unexpected().into()),
        }
    }
    check(settings)
}

fn check(settings: Settings) -> Result<Request, ArgsError> {
    let goal = &settings.goal;
    if settings.out.as_os_str().is_empty() {
        return Err(ArgsError::NoFolder);
    }
    if goal.games.is_none() && goal.positions.is_none() && goal.time.is_none() {
        return Err(ArgsError::NoGoal);
    }
    Ok(Request::Generate(Box::new(settings)))
}

/// The value of an option that takes a number within a range.
fn number<T>(parser: &mut Parser, option: &'static str, range: RangeInclusive<T>) -> Result<T, ArgsError>
where
    T: FromStr + PartialOrd + Display,
{
    let found = parser.value()?.to_string_lossy().into_owned();
    match found.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => {
            let (least, most) = (range.start().to_string(), range.end().to_string());
            Err(ArgsError::Number { option, least, most, found })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datagen::settings::Goal;

    fn parse_text(text: &str) -> Result<Request, String> {
        let words: Vec<OsString> = text.split_whitespace().map(OsString::from).collect();
        parse(&words).map_err(|error| error.to_string())
    }

    fn settings(text: &str) -> Settings {
        match parse_text(text) {
            Ok(Request::Generate(settings)) => *settings,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn defaults_hold_unless_something_is_said() {
        let goal = Goal { games: Some(10), ..Goal::default() };
        let expected = Settings { out: "d".into(), goal, seed: 7, ..Settings::default() };
        assert_eq!(settings("--out d --games 10 --seed 7"), expected);
        assert_ne!(settings("--out d --games 10").seed, settings("--out d --games 10").seed);
    }

    #[test]
    fn every_option_is_read() {
        let text = "--out=d --games 1 --positions 2 --hours 0.5 --nodes 1000 --threads 3 --seed 18446744073709551615 \
            --dfrc 100 --book b.epd --adjudicate draw=5:6:7 --max-plies 200";
        let goal = Goal { games: Some(1), positions: Some(2), time: Some(Duration::from_secs(1800)) };
        let expected = Settings {
            out: "d".into(),
            goal,
            nodes: 1_000,
            threads: 3,
            seed: u64::MAX,
            dfrc_percent: 100,
            book: Some("b.epd".into()),
            adjudication: "draw=5:6:7".parse().expect("rules"),
            max_plies: 200,
            ..Settings::default()
        };
        assert_eq!(settings(text), expected);
        assert_eq!(parse_text("--nodes 5000 --help --nonsense"), Ok(Request::Help));
    }

    #[test]
    fn faults_are_named() {
        for (text, complaint) in [
            ("", "--out DIR is missing"),
            ("--out d", "one of --games, --positions and --hours is missing"),
            ("--games 10", "--out DIR is missing"),
            ("--out d --games", "missing argument for option '--games'"),
            ("--out d --games 0", "--games needs a number from 1 to 18446744073709551615, not '0'"),
            ("--out d --games ten", "--games needs a number from 1 to 18446744073709551615, not 'ten'"),
            ("--out d --hours NaN", "--hours needs a number from 0 to 10000, not 'NaN'"),
            ("--out d --hours -1", "--hours needs a number from 0 to 10000, not '-1'"),
            ("--out d --games 1 --nodes 9", "--nodes needs a number from 10 to 100000000, not '9'"),
            ("--out d --games 1 --threads 0", "--threads needs a number from 1 to 1024, not '0'"),
            ("--out d --games 1 --dfrc 101", "--dfrc needs a number from 0 to 100, not '101'"),
            ("--out d --games 1 --nonsense", "invalid option '--nonsense'"),
            ("--out d --games 1 word", "unexpected argument \"word\""),
        ] {
            assert_eq!(parse_text(text), Err(complaint.to_owned()), "{text}");
        }
        assert!(
            parse_text("--out d --games 1 --adjudicate win").is_err_and(|text| text.starts_with("--adjudicate: 'win'"))
        );
    }
}
