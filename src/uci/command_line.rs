//! The words of the command line, taken as commands.

use std::time::Instant;

use crossbeam_channel::Receiver;

use super::command::{self, Command, SyntaxError, Verb};
use super::engine::{Complaint, Engine, Halt, Manner, Search, Step};
use super::line::{InputLine, canonicalize};
use super::output;
use crate::search::Event;

/// Carries out the commands one after the other, each to its end. The first fault ends it.
///
/// A search that only a `stop` would end goes on until the program is killed: nobody is there to say it.
pub(super) fn run(words: &[String]) -> Result<(), Halt> {
    let (mut engine, events) = Engine::new(Manner::CommandLine);
    for line in commands(words) {
        let Some(command) = parse(&line)? else { continue };
        match engine.execute(command, Instant::now())? {
            Step::Done => {}
            Step::Quit => break,
            Step::Search(search) => finish_search(&engine, search, &events)?,
            Step::Work(work) => work.answers.iter().try_for_each(|answer| output::say(&answer))?,
        }
    }
    Ok(())
}

/// Quoted words are a command each, unless the first is a plain word and what is quoted is only a part, like a FEN.
fn commands(words: &[String]) -> Vec<String> {
    let is_quoted = |word: &&String| word.trim().contains(char::is_whitespace);
    let is_command = |word: &&String| word.split_whitespace().next().and_then(Verb::parse).is_some();
    let is_list =
        words.first().filter(is_quoted).is_some() || words.iter().filter(is_quoted).any(|word| is_command(&word));
    if is_list { words.to_vec() } else { vec![words.join(" ")] }
}

fn parse(line: &str) -> Result<Option<Command>, Complaint> {
    match canonicalize(line.as_bytes()) {
        None => Ok(None),
        Some(InputLine::Unknown(words)) => Err(SyntaxError::UnknownCommand(words).into()),
        Some(InputLine::Command(line)) => Ok(Some(command::parse(&line)?)),
    }
}

fn finish_search(engine: &Engine, mut search: Search, events: &Receiver<Event>) -> Result<(), Halt> {
    for event in events {
        engine.report(event, &mut search)?;
        if let Some(result) = search.result {
            return Ok(engine.say_best_move(result)?);
        }
    }
    Ok(())
}
