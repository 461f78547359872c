//! `rokade data`: checks files of self-play games with the rules, and describes what is in them.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lexopt::{Arg, Parser};
use thiserror::Error;

use super::fit::Results;
use super::play::result_on_board;
use super::record::{GameRecord, GameResult, IllegalMove, RecordError, ShardReader, is_usable};
use super::statistics::{Repeats, Statistics};
use crate::rules::{Ending, Fault};

const HELP: &str = "\
Checks files of self-play games and describes what is in them.

Usage: rokade data [--fit] FILES...

  --fit              Fit the win model of src/eval/win_model.rs on the games, too.

Every move must be legal, no game may go on when it is over by the Laws, and no result
may contradict the last position. Files that are damaged or hold a faulty game are
named and left out; then the exit code is 1. A file that ends within a game, as a
killed run leaves it, is good without it.
";

/// Most different positions that are remembered to find repeated ones; with more, the share is estimated.
const MOST_KEYS: usize = 1 << 22;

/// Why a file is bad.
#[derive(Debug, Error)]
enum FileError {
    #[error("{0}")]
    Record(#[from] RecordError),
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("game {game}, {reason}")]
    Illegal { game: u64, reason: IllegalMove },
    #[error("game {game}: the result is {recorded:?}, but the last position says {played:?}")]
    Result { game: u64, recorded: GameResult, played: GameResult },
    #[error("game {game} goes on after {plies} plies, where it was over: {}", ending.name())]
    PastEnd { game: u64, plies: usize, ending: Ending },
}

/// What a good file holds.
struct Contents {
    statistics: Statistics,
    /// Keys of the usable positions.
    keys: Vec<u64>,
    /// Bytes of an unfinished game at the end.
    truncated: u64,
    /// For the win model, if one is to be fitted.
    results: Option<Results>,
}

/// What the command line asks for.
#[derive(Default)]
struct Request {
    /// None if help is asked for.
    files: Vec<PathBuf>,
    fit: bool,
}

/// What all files hold.
#[derive(Default)]
struct Report {
    good: usize,
    bad: usize,
    cut_short: usize,
    statistics: Statistics,
    repeats: Repeats,
    /// For the win model, if one is to be fitted.
    results: Option<Results>,
}

/// Runs `rokade data` with these words after its name. The exit code is 1 if a file is bad, and 2 for a command line
/// that is not understood.
#[must_use]
pub fn run_data(words: &[OsString]) -> ExitCode {
    let request = match parse(words) {
        Ok(request) => request,
        Err(error) => {
            complain(&error);
            return ExitCode::from(2);
        }
    };
    if request.files.is_empty() {
        return print(HELP, ExitCode::SUCCESS);
    }
    let mut report = Report { results: request.fit.then(Results::default), ..Report::default() };
    for file in &request.files {
        report.add_file(file);
    }
    let mut text = report.describe();
    if let Some(results) = &report.results {
        let fit = results.fit();
        text += &fit.map_or("no win model: too few games\n".to_owned(), |fit| fit.to_string());
    }
    print(&text, if report.bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn parse(words: &[OsString]) -> Result<Request, lexopt::Error> {
    let mut parser = Parser::from_args(words);
    let mut request = Request::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Request::default()),
            Arg::Long("fit") => request.fit = true,
            Arg::Value(file) => request.files.push(PathBuf::from(file)),
            unknown => return Err(unknown.unexpected()),
        }
    }
    if request.files.is_empty() { Err("no files are named".into()) } else { Ok(request) }
}

fn print(text: &str, code: ExitCode) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => code,
        Err(_) => ExitCode::FAILURE,
    }
}

fn complain(what: &dyn Display) {
    // If standard error is closed, the exit code has to do.
    let _ = writeln!(io::stderr(), "rokade data: {what}");
}

impl Report {
    /// Reads a file; a bad one adds nothing but its name.
    fn add_file(&mut self, path: &Path) {
        match read_file(path, self.results.is_some()) {
            Ok(contents) => {
                if contents.truncated > 0 {
                    complain(&format_args!("{}: {} bytes of an unfinished game", path.display(), contents.truncated));
                }
                self.add(&contents);
            }
            Err(error) => {
                self.bad += 1;
                complain(&format_args!("{}: {error}; left out", path.display()));
            }
        }
    }

    fn add(&mut self, contents: &Contents) {
        self.good += 1;
        self.cut_short += usize::from(contents.truncated > 0);
        self.statistics.merge(&contents.statistics);
        if let (Some(sum), Some(results)) = (&mut self.results, &contents.results) {
            sum.merge(results);
        }
        for &key in &contents.keys {
            self.repeats.add(key, MOST_KEYS);
        }
    }

    fn describe(&self) -> String {
        let Self { good, bad, cut_short, statistics, repeats, .. } = self;
        let how = if repeats.is_exact() { "counted" } else { "estimated" };
        format!(
            "files             {good} good, {cut_short} of them cut short; {bad} bad\n{statistics}\n\
             repeats           {:.2} % of the usable positions ({how})\n",
            repeats.percent()
        )
    }
}

/// Reads and checks a file, and collects what the win model is fitted on if that is asked for.
fn read_file(path: &Path, with_results: bool) -> Result<Contents, FileError> {
    let mut reader = ShardReader::open(path)?;
    let results = with_results.then(Results::default);
    let mut contents = Contents { statistics: Statistics::default(), keys: Vec::new(), truncated: 0, results };
    let mut number = 0;
    for game in reader.by_ref() {
        number += 1;
        contents.add_game(number, &game?)?;
    }
    contents.truncated = reader.truncated();
    if let Some(header) = reader.header() {
        contents.statistics.add_shard(header, fs::metadata(path)?.len());
    }
    Ok(contents)
}

impl Contents {
    fn add_game(&mut self, number: u64, record: &GameRecord) -> Result<(), FileError> {
        let game = record.replay(|board, ply| {
            self.statistics.add_position(board, ply);
            if let Some(results) = &mut self.results {
                results.add_position(board, ply);
            }
            if is_usable(board, ply) {
                self.keys.push(board.key());
            }
        });
        let game = game.map_err(|reason| FileError::Illegal { game: number, reason })?;
        if let Some(Fault::PastEnd { ending, plies }) = game.fault(None, None) {
            return Err(FileError::PastEnd { game: number, plies, ending });
        }
        match result_on_board(&game) {
            Some(played) if played != record.result => {
                Err(FileError::Result { game: number, recorded: record.result, played })
            }
            _ => {
                self.statistics.add_game(record);
                if let Some(results) = &mut self.results {
                    results.end_game(record.result);
                }
                Ok(())
            }
        }
    }
}
