//! `rokade referee`: replays the games of PGN files and judges them by the Laws.

mod judge;
mod report;
mod words;

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use pgn_reader::Reader;

use judge::Judge;
pub use judge::{GameFault, Judgment, Standing};
use report::Totals;
use words::Words;

const HELP: &str = "\
Replays the games of PGN files and judges them by the Laws of Chess.

Usage: rokade referee FILES...

A line for each game: its number, its plies, the result in the file, the result by
the rules with its reason, and what is wrong with it, if anything is; then totals. A
game may start from a FEN; Chess960 is understood. The exit code is 0 only if no game
is faulty. A file named - is the standard input.
";

/// Longest tag line that is read in full, in bytes.
const LONGEST_TAG: usize = 1 << 16;

/// The lines go to the standard output, the progress to the standard error.
struct Output {
    lines: BufWriter<io::Stdout>,
    bar: Option<ProgressBar>,
}

impl Output {
    fn say(&mut self, line: &dyn Display) -> io::Result<()> {
        match &self.bar {
            // What is written past the bar would be drawn over.
            Some(bar) if io::stdout().is_terminal() => bar.suspend(|| writeln!(io::stdout(), "{line}")),
            _ => writeln!(self.lines, "{line}"),
        }
    }
}

/// Runs `rokade referee` with these words after its name. The exit code is 1 if a game is faulty or a file cannot be
/// read, and 2 for a command line that is not understood.
#[must_use]
pub fn run_command_line(words: &[OsString]) -> ExitCode {
    let asks_for_help = |word: &OsString| word == "--help" || word == "-h";
    if words.iter().any(asks_for_help) {
        return if io::stdout().write_all(HELP.as_bytes()).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let is_option = |word: &&OsString| word.as_encoded_bytes().starts_with(b"-") && *word != "-";
    if let Some(option) = words.iter().find(is_option) {
        complain(&format_args!("there is no option {}", option.to_string_lossy()));
        return ExitCode::from(2);
    }
    if words.is_empty() {
        complain(&"no files are named; --help says more");
        return ExitCode::from(2);
    }
    let mut output = Output { lines: BufWriter::new(io::stdout()), bar: None };
    match judge_files(words, &mut output) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // Whoever listened has read enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

fn complain(what: &dyn Display) {
    // If standard error is closed, the exit code has to do.
    let _ = writeln!(io::stderr(), "rokade referee: {what}");
}

/// Judges the files in order; whether all could be read and nothing was wrong with them. An error is one of writing.
fn judge_files(files: &[OsString], output: &mut Output) -> io::Result<bool> {
    let mut totals = Totals::default();
    let mut is_clean = true;
    for file in files {
        if let Err(reason) = judge_file(Path::new(file), &mut totals, output) {
            if reason.kind() == ErrorKind::BrokenPipe {
                return Err(reason);
            }
            is_clean = false;
            output.lines.flush()?;
            complain(&format_args!("{}: {reason}", file.to_string_lossy()));
        }
    }
    output.say(&totals)?;
    output.lines.flush()?;
    Ok(is_clean && totals.faults == 0)
}

/// Judges the games of a file as it is read, so that its length does not matter.
fn judge_file(path: &Path, totals: &mut Totals, output: &mut Output) -> io::Result<()> {
    let (input, length): (Box<dyn Read>, u64) = if path == Path::new("-") {
        (Box::new(io::stdin()), 0)
    } else {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::other("this is a folder"));
        }
        (Box::new(file), metadata.len())
    };
    output.bar = progress_bar(length);
    let input = output.bar.clone().unwrap_or_else(ProgressBar::hidden).wrap_read(input);
    let outcome = judge_games(input, totals, output);
    if let Some(bar) = output.bar.take() {
        bar.finish_and_clear();
    }
    outcome
}

fn judge_games(input: impl Read, totals: &mut Totals, output: &mut Output) -> io::Result<()> {
    let before = totals.games;
    let mut is_cut_short = false;
    for judgment in games(input) {
        match judgment {
            Ok(judgment) => {
                totals.add(&judgment);
                output.say(&report::line(totals.games, &judgment))?;
            }
            // What the reader makes nothing of, as opposed to what cannot be read at all.
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                is_cut_short = true;
                totals.faults += 1;
                output.say(&format_args!("after game {}: {error}", totals.games))?;
            }
            Err(error) => return Err(error),
        }
    }
    if totals.games == before && !is_cut_short { Err(io::Error::other("there are no games in it")) } else { Ok(()) }
}

/// The judgments on the games of a PGN, one by one as it is read.
///
/// An error of the kind `InvalidData` is a part that cannot be understood, after which reading goes on; any other is
/// one of the input.
pub fn games(input: impl Read) -> impl Iterator<Item = io::Result<Judgment>> {
    let (words, oddities) = Words::new(input);
    let mut judge = Judge::new(oddities);
    let mut reader = Reader::build(words).set_supported_tag_line_length(LONGEST_TAG).finish();
    let mut has_failed = false;
    std::iter::from_fn(move || {
        if has_failed {
            return None;
        }
        let judgment = reader.read_game(&mut judge).transpose();
        has_failed = judgment
            .as_ref()
            .is_some_and(|game| game.as_ref().is_err_and(|error| error.kind() != ErrorKind::InvalidData));
        judgment
    })
}

/// A bar for a file of a known length, if somebody watches.
fn progress_bar(length: u64) -> Option<ProgressBar> {
    if length == 0 || !io::stderr().is_terminal() {
        return None;
    }
    let style = ProgressStyle::with_template("{bar:24} {percent:>3} %  {bytes} of {total_bytes}, {eta} left").ok()?;
    Some(ProgressBar::new(length).with_style(style))
}
