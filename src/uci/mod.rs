//! The front end: the UCI protocol on standard input and output, and the same commands on the command line.
//!
//! A reader thread turns standard input into lines and notes when each arrived. The main thread owns the engine, waits
//! for lines and search events together and never blocks on a search. While a search is under way, `stop`, `ponderhit`,
//! `isready`, `debug` and `quit` act at once; everything else waits in order until `bestmove` is out. While perft or
//! the bench is under way `stop` and `quit` act at once.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::mem;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, never, select, unbounded};

use crate::search::Event;
use command::{Command, SyntaxError};
use engine::{Engine, Halt, Manner, Search, Step, Work};
use line::{InputLine, canonicalize};

pub mod command;
mod command_line;
pub mod convert;
mod engine;
pub mod line;
mod options;
mod output;
mod progress;

/// How long `quit` waits for a search to end and say its move.
const QUIT_PATIENCE: Duration = Duration::from_secs(1);

/// Speaks UCI on standard input and output until `quit` or the end of input.
#[must_use]
pub fn run() -> ExitCode {
    exit_code(FrontEnd::new().and_then(FrontEnd::run))
}

/// Carries out commands from the command line. Each argument is a command if one of them is a quoted command; otherwise
/// the arguments are the words of one command.
#[must_use]
pub fn run_command_line(words: &[String]) -> ExitCode {
    exit_code(command_line::run(words))
}

/// Prints the numbers of the search for a tuner.
#[cfg(feature = "tune")]
#[must_use]
pub fn print_tunables() -> ExitCode {
    exit_code(output::say(&output::tunables()).map_err(Halt::from))
}

fn exit_code(outcome: Result<(), Halt>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever listened has gone away, perhaps with enough read.
        Err(Halt::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(halt) => {
            // If standard error is closed too, the exit code has to do.
            let _ = writeln!(io::stderr(), "rokade: {halt}");
            ExitCode::FAILURE
        }
    }
}

/// A line of input, understood or not, and when it arrived.
struct Request {
    arrival: Instant,
    command: Result<Command, SyntaxError>,
}

impl Request {
    /// Reads a line; `None` when there is nothing on it.
    fn read(bytes: &[u8], arrival: Instant) -> Option<Self> {
        let command = match canonicalize(bytes)? {
            InputLine::Command(line) => command::parse(&line),
            InputLine::Unknown(words) => Err(SyntaxError::UnknownCommand(words)),
        };
        Some(Self { arrival, command })
    }
}

/// What the engine is busy with.
enum Activity {
    Idle,
    Searching(Search),
    Working(Work),
}

/// What the front end waits for.
enum Incoming {
    Line(Vec<u8>, Instant),
    EndOfInput,
    Event(Event),
    Answer(String),
    WorkDone,
}

struct FrontEnd {
    engine: Engine,
    lines: Receiver<(Vec<u8>, Instant)>,
    events: Receiver<Event>,
    activity: Activity,
    /// What has to wait until the engine is idle.
    queue: VecDeque<Request>,
    /// No more lines will come: every search is stopped, the work is done, and that is all.
    input_ended: bool,
}

impl FrontEnd {
    fn new() -> Result<Self, Halt> {
        let (engine, events) = Engine::new(Manner::Protocol);
        let (activity, queue) = (Activity::Idle, VecDeque::new());
        Ok(Self { engine, lines: spawn_reader()?, events, activity, queue, input_ended: false })
    }

    fn run(mut self) -> Result<(), Halt> {
        while !self.input_ended || !matches!(self.activity, Activity::Idle) {
            match self.wait()? {
                Incoming::Event(event) => self.on_event(event)?,
                Incoming::Answer(answer) => output::say(&answer)?,
                Incoming::WorkDone => self.become_idle()?,
                Incoming::EndOfInput => self.on_end_of_input()?,
                Incoming::Line(bytes, arrival) => {
                    if let Some(request) = Request::read(&bytes, arrival)
                        && self.on_request(request)?.is_break()
                    {
                        return self.quit();
                    }
                }
            }
        }
        Ok(())
    }

    /// Waits for whatever comes first. What a search has said already comes before the next line: the line may have
    /// been sent in answer to it.
    fn wait(&self) -> Result<Incoming, Halt> {
        if let Ok(event) = self.events.try_recv() {
            return Ok(Incoming::Event(event));
        }
        let answers = match &self.activity {
            Activity::Working(work) => &work.answers,
            _ => &never(),
        };
        let incoming = select! {
            recv(self.events) -> event => Incoming::Event(event.map_err(|_| no_more_events())?),
            recv(answers) -> answer => answer.map_or(Incoming::WorkDone, Incoming::Answer),
            recv(self.lines) -> line => {
                line.map_or(Incoming::EndOfInput, |(bytes, arrival)| Incoming::Line(bytes, arrival))
            }
        };
        Ok(incoming)
    }

    fn on_event(&mut self, event: Event) -> Result<(), Halt> {
        if let Activity::Searching(search) = &mut self.activity {
            self.engine.report(event, search)?;
        }
        self.release_best_move()
    }

    /// Says the best move if the search is over and nothing holds it back.
    fn release_best_move(&mut self) -> Result<(), Halt> {
        let Activity::Searching(search) = &self.activity else { return Ok(()) };
        let is_held = !search.stopped && (search.infinite || search.pondering);
        match search.result {
            Some(result) if !is_held => {
                self.engine.say_best_move(result)?;
                self.become_idle()
            }
            _ => Ok(()),
        }
    }

    /// Takes up what has waited, as if it arrived only now: what comes after the next search waits again, and a `stop`
    /// or `ponderhit` finds the search that it was sent to.
    fn become_idle(&mut self) -> Result<(), Halt> {
        self.activity = Activity::Idle;
        for request in mem::take(&mut self.queue) {
            // `quit` does not wait, so that it is not here.
            let _ = self.on_request(request)?;
        }
        Ok(())
    }

    /// Carries a request out now or later; breaks when it is to quit.
    fn on_request(&mut self, request: Request) -> Result<ControlFlow<()>, Halt> {
        match (&mut self.activity, &request.command) {
            (_, Ok(Command::Quit)) => return Ok(ControlFlow::Break(())),
            (Activity::Idle, _) => self.execute(request)?,
            (Activity::Working(work), Ok(Command::Stop)) => work.stop(),
            (Activity::Searching(_), Ok(Command::IsReady)) => output::say(&output::ready())?,
            (Activity::Searching(_), Ok(Command::Debug(_))) => {}
            (Activity::Searching(search), Ok(Command::Stop)) if !search.stopped => {
                self.stop_search()?;
            }
            (Activity::Searching(search), Ok(Command::PonderHit)) if search.pondering && !search.stopped => {
                search.pondering = false;
                self.engine.ponderhit();
                if search.unlimited && !search.infinite {
                    self.engine.stop();
                }
                self.release_best_move()?;
            }
            _ => self.queue.push_back(request),
        }
        Ok(ControlFlow::Continue(()))
    }

    fn execute(&mut self, request: Request) -> Result<(), Halt> {
        let command = match request.command {
            Ok(command) => command,
            Err(error) => return self.engine.complain(error),
        };
        match self.engine.execute(command, request.arrival)? {
            // Quitting is up to the caller.
            Step::Done | Step::Quit => {}
            Step::Work(work) => self.activity = Activity::Working(work),
            Step::Search(search) => {
                self.activity = Activity::Searching(search);
                if self.input_ended {
                    self.stop_search()?;
                }
            }
        }
        Ok(())
    }

    fn stop_search(&mut self) -> Result<(), Halt> {
        if let Activity::Searching(search) = &mut self.activity {
            search.stopped = true;
            self.engine.stop();
        }
        self.release_best_move()
    }

    fn on_end_of_input(&mut self) -> Result<(), Halt> {
        self.input_ended = true;
        self.lines = never();
        self.stop_search()
    }

    /// Ends the search under way, if any, so that its move is still said. Other work is left lying.
    fn quit(mut self) -> Result<(), Halt> {
        let deadline = Instant::now() + QUIT_PATIENCE;
        self.queue.clear();
        self.stop_search()?;
        while let Activity::Searching(_) = self.activity {
            match self.events.recv_deadline(deadline) {
                Ok(event) => self.on_event(event)?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        Ok(())
    }
}

fn no_more_events() -> io::Error {
    io::Error::other("the search threads are gone")
}

/// Starts the thread that reads standard input. The end of input is the end of the channel.
fn spawn_reader() -> io::Result<Receiver<(Vec<u8>, Instant)>> {
    let (sender, lines) = unbounded();
    thread::Builder::new().name("reader".to_owned()).spawn(move || read_lines(io::stdin().lock(), &sender))?;
    Ok(lines)
}

/// Sends off each line with the time at which it was read. An input that cannot be read has ended.
fn read_lines(mut input: impl BufRead, sender: &Sender<(Vec<u8>, Instant)>) {
    loop {
        let mut line = Vec::new();
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                if sender.send((line, Instant::now())).is_err() {
                    return;
                }
            }
        }
    }
}
