//! The program: a UCI loop, or the words of the command line as commands.

use std::env;
use std::process::ExitCode;

use rokade::uci;

mod cpu;

fn main() -> ExitCode {
    let words: Vec<String> = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if words.is_empty() { uci::run() } else { uci::run_command_line(&words) }
}
