//! The trainer of the evaluation network: games of self-play in, a quantised network file out; on the CPU, in `f32`.
//!
//! `loader` reads games into packed `position`s. A `run` takes them in a `random` order, sums up their `gradient`s on
//! the `model` and lets the `optimiser` take steps. `session` trains with one or more seeds as `options` and
//! `settings` ask, keeps `checkpoint`s, and has the best `export`ed and its losses `plot`ted. `progress` has all text.
//!
//! The shape of the network and its inputs are those of [`crate::nnue`]; nothing of it is said here again.
//!
//! The same data, settings and seed give the same network, bit for bit, on the same kind of machine: orders are
//! computed from seeds, and sums are made in an order that does not depend on which thread is faster.

mod aligned;
pub mod checkpoint;
pub mod error;
pub mod export;
pub mod gradient;
pub mod loader;
pub mod model;
pub mod optimiser;
pub mod options;
mod plot;
pub mod position;
mod progress;
pub mod random;
pub mod run;
mod session;
pub mod settings;

use std::ffi::OsString;
use std::process::ExitCode;

use options::Request;

/// Exit code of a command line that makes no sense.
const USAGE: u8 = 2;

/// Runs `rokade train` with the words that follow on its command line.
///
/// Standard output gets a line for each epoch and a report, standard error one line if something is wrong; the exit
/// code is 2 for a wrong command line, 1 for any other failure.
pub fn run_command_line(words: &[OsString]) -> ExitCode {
    match Request::parse(words.iter().cloned()) {
        Ok(Request::Help) => {
            progress::show(&options::help());
            ExitCode::SUCCESS
        }
        Ok(Request::Train(options)) => match session::train(&options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                progress::complain(&error.to_string());
                ExitCode::FAILURE
            }
        },
        Err(error) => {
            progress::complain(&error.to_string());
            ExitCode::from(USAGE)
        }
    }
}
