//! The program: a UCI loop, the words of the command line as commands, or a tool that the first word names.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

#[cfg(feature = "datagen")]
use rokade::datagen;
#[cfg(feature = "train")]
use rokade::train;
use rokade::{referee, uci};

mod cpu;

fn main() -> ExitCode {
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    match words.first().and_then(|word| word.to_str()) {
        Some("referee") => return referee::run_command_line(&words[1..]),
        #[cfg(feature = "datagen")]
        Some("datagen") => return datagen::run_datagen(&words[1..]),
        #[cfg(feature = "datagen")]
        Some("data") => return datagen::run_data(&words[1..]),
        #[cfg(feature = "train")]
        Some("train") => return train::run_command_line(&words[1..]),
        #[cfg(feature = "tune")]
        Some("tune") => return uci::print_tunables(),
        _ => {}
    }
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if words.is_empty() { uci::run() } else { uci::run_command_line(&words) }
}
