//! The program: a UCI loop, or the words of the command line as commands.

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use rokade::uci;

mod cpu;

fn main() -> ExitCode {
    if let Some(complaint) = cpu::complaint() {
        // If standard error is closed, the exit code has to do.
        let _ = io::stderr().write_all(complaint.as_bytes());
        return ExitCode::FAILURE;
    }
    start()
}

/// Apart from `main`, so that nothing of it is done before the CPU is known to be able to.
#[inline(never)]
fn start() -> ExitCode {
    let words: Vec<String> = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if words.is_empty() { uci::run() } else { uci::run_command_line(&words) }
}
