//! What the commands do: the options, the game and the pool of search threads.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use thiserror::Error;

use super::command::{Command, GoRequest, Start, SyntaxError};
use super::convert::parse_move;
use super::options::{DEFAULT_HASH, DEFAULT_THREADS, OptionError, Options, PoolChange};
use super::output;
use super::progress::PerftProgress;
use crate::board::{Board, FenError};
use crate::nnue::inspect::Inspection;
use crate::nnue::network::{Network, NetworkError};
use crate::rules::dead::{FULL_BUDGET, Winnability, winnability};
use crate::rules::{Game, chess960};
use crate::search::{Clock, Event, HashError, Limits, Pool, Strength, ThreadsError};
use crate::tb::Tables;
use crate::types::{Color, Move};
use crate::{bench, eval, perft};

/// Why a command, or a part of it, is not carried out.
#[derive(Debug, Error)]
pub(super) enum Complaint {
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    #[error("FEN refused: {0}")]
    Fen(#[from] FenError),
    #[error("Move {number} of the list, {text}, is not legal; it and what follows is left out")]
    IllegalMove { number: usize, text: String },
    #[error("searchmoves ends before {0}, which is not legal here")]
    SearchMoves(String),
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error("Hash stays as it is: {0}")]
    Hash(#[from] HashError),
    #[error("EvalFile: {}: {error}; the network in use stays", path.display())]
    Network { path: PathBuf, error: NetworkError },
    #[error("Threads: {0}")]
    Threads(#[from] ThreadsError),
    #[error("perft counts {most} plies at most, not {depth}")]
    PerftDepth { depth: u32, most: u32 },
    #[error("No thread for this: {0}")]
    NoThread(io::Error),
}

/// Why the engine cannot go on.
#[derive(Debug, Error)]
pub(super) enum Halt {
    /// A fault that only the command line takes so seriously.
    #[error(transparent)]
    Complaint(#[from] Complaint),
    /// Nobody hears the answers.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// What happens to a complaint.
#[derive(Clone, Copy, Debug)]
pub(super) enum Manner {
    /// It is told as an `info string`, and what can be done is done.
    Protocol,
    /// It ends the program.
    CommandLine,
}

/// What must be waited for after a command.
#[derive(Debug)]
pub(super) enum Step {
    /// Nothing.
    Done,
    /// The end.
    Quit,
    /// A search, whose events come from the pool.
    Search(Search),
    /// Work on a thread of its own; its answers come until it is done.
    Work(Work),
}

/// Work under way on a thread of its own.
#[derive(Debug)]
pub(super) struct Work {
    /// What it has to say; the end of the channel is the end of the work.
    pub(super) answers: Receiver<String>,
    /// Set to end it early, if it can be.
    pub(super) stop: Arc<AtomicBool>,
}

impl Work {
    /// Asks it to end early.
    pub(super) fn stop(&self) {
        self.stop.store(true, Relaxed);
    }
}

/// A search under way, as the protocol sees it.
#[derive(Debug)]
pub(super) struct Search {
    /// `bestmove` waits for a `stop`.
    pub(super) infinite: bool,
    /// `bestmove` waits for a `ponderhit` or a `stop`.
    pub(super) pondering: bool,
    /// Nothing else would end it after a `ponderhit`.
    pub(super) unlimited: bool,
    /// A `stop` has come for it.
    pub(super) stopped: bool,
    /// The best move and the expected reply, once the search is over.
    pub(super) result: Option<(Option<Move>, Option<Move>)>,
}

/// The state that commands work on.
pub(super) struct Engine {
    options: Options,
    game: Game,
    pool: Pool,
    network: Arc<Network>,
    tables: Arc<Tables>,
    /// What a weaker player misjudges in this game: another in each.
    moods: u64,
    manner: Manner,
}

impl Engine {
    /// An engine at the start position, and the events of its searches.
    pub(super) fn new(manner: Manner) -> (Self, Receiver<Event>) {
        let (pool, events) = Pool::new(DEFAULT_HASH as usize, DEFAULT_THREADS as usize);
        let network = Network::embedded();
        let (options, game, tables) = (Options::default(), Game::default(), Arc::default());
        (Self { options, game, pool, network, tables, moods: draw_moods(), manner }, events)
    }

    fn start_new_game(&mut self) {
        self.pool.clear();
        self.moods = draw_moods();
    }

    /// Carries out a command that arrived at a certain time. No search may be under way.
    pub(super) fn execute(&mut self, command: Command, arrival: Instant) -> Result<Step, Halt> {
        match command {
            Command::Uci => output::say(&output::greeting())?,
            Command::IsReady => output::say(&output::ready())?,
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::UciNewGame => self.start_new_game(),
            Command::Position { start, moves } => self.set_position(&start, &moves)?,
            Command::Go(request) => return self.go(&request, arrival).map(Step::Search),
            Command::Perft { depth, fen, hash } => return self.perft(depth, fen.as_deref(), hash),
            Command::Bench { depth } => return self.start_work(move |answers, _| run_bench(depth, answers)),
            Command::BenchPerft => return self.start_work(|answers, _| run_bench_perft(answers)),
            Command::Display => output::say(&output::position(&self.game, self.options.mode))?,
            Command::Eval => self.evaluate()?,
            Command::Status { fen } => self.status(fen.as_deref())?,
            Command::Help => output::say(output::help())?,
            Command::Quit => return Ok(Step::Quit),
            Command::Debug(_) | Command::Register | Command::Stop | Command::PonderHit => {}
        }
        Ok(Step::Done)
    }

    /// Tells what was wrong with a command; how, and whether that is the end, depends on who gave it.
    pub(super) fn complain(&self, complaint: impl Into<Complaint>) -> Result<(), Halt> {
        let complaint = complaint.into();
        match self.manner {
            Manner::Protocol => Ok(output::say(&output::info_string(&complaint))?),
            Manner::CommandLine => Err(Halt::Complaint(complaint)),
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), Halt> {
        let change = match self.options.set(name, value) {
            Ok(change) => change,
            Err(error) => return self.complain(error),
        };
        let outcome = match change {
            Some(PoolChange::Hash(mb)) => self.pool.set_hash(mb).map_err(Complaint::from),
            Some(PoolChange::Threads(count)) => self.pool.set_threads(count).map_err(Complaint::from),
            Some(PoolChange::Clear) => {
                self.pool.clear();
                Ok(())
            }
            Some(PoolChange::Network(path)) => self.set_network(path),
            #[cfg(feature = "syzygy")]
            Some(PoolChange::Tables(path)) => return Ok(self.set_tables(&path)?),
            None => Ok(()),
        };
        outcome.or_else(|complaint| self.complain(complaint))
    }

    /// Takes the network of a file, or the embedded one.
    fn set_network(&mut self, path: Option<PathBuf>) -> Result<(), Complaint> {
        self.network = match path {
            None => Network::embedded(),
            Some(path) => match Network::load(&path) {
                Ok(network) => Arc::new(network),
                Err(error) => return Err(Complaint::Network { path, error }),
            },
        };
        self.pool.set_network(Arc::clone(&self.network));
        Ok(())
    }

    /// Takes the tables of some folders, and tells which those are. Tables that are missing or damaged are no fault of
    /// the command: there may be others.
    #[cfg(feature = "syzygy")]
    fn set_tables(&mut self, path: &str) -> io::Result<()> {
        let (tables, problems) = Tables::load(path);
        for problem in output::first_problems(&problems) {
            output::say(&output::info_string(&problem))?;
        }
        output::say(&output::info_string(&output::tables_found(&tables)))?;
        self.tables = Arc::new(tables);
        self.pool.set_tables(Arc::clone(&self.tables));
        Ok(())
    }

    /// A FEN that is refused changes nothing; the first illegal move ends the list.
    fn set_position(&mut self, start: &Start, moves: &[String]) -> Result<(), Halt> {
        let board = match start {
            Start::Startpos => Ok(Board::startpos()),
            Start::Fen(fen) => Board::from_fen(fen, self.options.mode),
            // The parser lets no other numbers through.
            &Start::Chess960(white, black) => {
                Ok(chess960::start_position(white, black).unwrap_or_else(Board::startpos))
            }
        };
        self.game = match board {
            Ok(board) => Game::new(board),
            Err(error) => return self.complain(error),
        };
        for (index, text) in moves.iter().enumerate() {
            match parse_move(self.game.board(), text) {
                Some(m) => self.game.play(m),
                None => return self.complain(Complaint::IllegalMove { number: index + 1, text: text.clone() }),
            }
        }
        Ok(())
    }

    fn go(&mut self, request: &GoRequest, arrival: Instant) -> Result<Search, Halt> {
        for complaint in &request.complaints {
            self.complain(complaint.clone())?;
        }
        // A ponder search without any limit ends at the hit, so that it is not infinite.
        let infinite = request.infinite || request.is_unlimited() && !request.ponder;
        let clock = clock(request, self.game.board().stm()).filter(|_| !infinite);
        let limits = Limits { clock, search_moves: self.search_moves(request)?, ..self.limits(request, arrival) };
        let search = Search {
            infinite,
            pondering: request.ponder,
            unlimited: request.is_unlimited(),
            stopped: false,
            result: None,
        };
        self.pool.start(&self.game, limits);
        Ok(search)
    }

    /// The moves to search: those before the first that is not legal.
    fn search_moves(&self, request: &GoRequest) -> Result<Vec<Move>, Halt> {
        let mut moves = Vec::new();
        for text in &request.search_moves {
            match parse_move(self.game.board(), text) {
                Some(m) if !moves.contains(&m) => moves.push(m),
                Some(_) => {}
                None => {
                    self.complain(Complaint::SearchMoves(text.clone()))?;
                    break;
                }
            }
        }
        Ok(moves)
    }

    /// The limits but for what depends on the position.
    fn limits(&self, request: &GoRequest, arrival: Instant) -> Limits {
        Limits {
            start: arrival,
            clock: None,
            movetime: request.movetime.map(milliseconds),
            move_overhead: self.options.move_overhead,
            nodes_per_millisecond: self.options.nodes_time,
            depth: request.depth,
            nodes: request.nodes,
            soft_nodes: None,
            mate: request.mate,
            ponder: request.ponder,
            search_moves: Vec::new(),
            multi_pv: self.options.multi_pv,
            tables: self.options.tables,
            strength: self.options.limit_strength.then(|| Strength::new(self.options.elo, self.moods)),
        }
    }

    fn evaluate(&self) -> Result<(), Halt> {
        let board = self.game.board();
        let inspection = Inspection::new(&self.network, board);
        let verdict = self.tables.verdict(board, self.options.tables.fifty_move_rule);
        Ok(output::say(&output::evaluation(board, &self.network.description, &inspection, verdict))?)
    }

    /// Judges the game, or a position alone. The search for mates has a budget of a moment, so that it needs no thread.
    fn status(&self, fen: Option<&str>) -> Result<(), Halt> {
        let game = match fen.map(|fen| Board::from_fen(fen, self.options.mode)) {
            None => self.game.clone(),
            Some(Ok(board)) => Game::new(board),
            Some(Err(error)) => return self.complain(error),
        };
        let winnable = Color::ALL.map(|color| winnability(game.board(), color, FULL_BUDGET));
        let ending = game.ending_when(|| winnable == [Winnability::No; 2]);
        let verdict = self.tables.verdict(game.board(), self.options.tables.fifty_move_rule);
        Ok(output::say(&output::status(&game, ending, winnable, verdict))?)
    }

    fn perft(&self, depth: u32, fen: Option<&str>, hash: bool) -> Result<Step, Halt> {
        let mode = self.options.mode;
        let board = match fen.map(|fen| Board::from_fen(fen, mode)) {
            None => self.game.board().clone(),
            Some(Ok(board)) => board,
            Some(Err(error)) => return self.complain(error).map(|()| Step::Done),
        };
        if depth > perft::MAX_DEPTH {
            self.complain(Complaint::PerftDepth { depth, most: perft::MAX_DEPTH })?;
        }
        let depth = depth.min(perft::MAX_DEPTH);
        let options = perft::Options { threads: self.options.threads, table_mb: hash.then_some(self.options.hash) };
        self.start_work(move |answers, stop| {
            let start = Instant::now();
            let mut progress = PerftProgress::new(start);
            let counts = perft::divide(&board, depth, options, stop, |done| progress.update(done));
            progress.finish();
            tell(answers, output::divide(&counts, depth, options, start.elapsed(), mode));
        })
    }

    /// Starts what takes long, so that the front end stays free to quit and to stop it.
    fn start_work(&self, work: impl FnOnce(&Sender<String>, &AtomicBool) + Send + 'static) -> Result<Step, Halt> {
        let (sender, answers) = unbounded();
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        match thread::Builder::new().name("work".to_owned()).spawn(move || work(&sender, &seen)) {
            Ok(_) => Ok(Step::Work(Work { answers, stop })),
            Err(error) => self.complain(Complaint::NoThread(error)).map(|()| Step::Done),
        }
    }

    /// Ends the search under way, if there is one.
    pub(super) fn stop(&self) {
        self.pool.stop();
    }

    /// Turns the ponder search under way into a usual one.
    pub(super) fn ponderhit(&self) {
        self.pool.ponderhit();
    }

    /// Tells what a search says, and keeps its result.
    pub(super) fn report(&self, event: Event, search: &mut Search) -> io::Result<()> {
        let mode = self.options.mode;
        match event {
            Event::Line(line) => {
                let material = eval::material(self.game.board());
                output::say(&output::analysis(&line, material, self.options.show_wdl, mode))
            }
            Event::CurrentMove { depth, current, number } => {
                output::say(&output::current_move(depth, current, number, mode))
            }
            Event::Finished { best, ponder } => {
                search.result = Some((best, ponder));
                Ok(())
            }
        }
    }

    /// Tells the result of a search.
    pub(super) fn say_best_move(&self, (best, ponder): (Option<Move>, Option<Move>)) -> io::Result<()> {
        output::say(&output::best_move(best, ponder, self.options.mode))
    }
}

/// The clock of the side to move. One that is not given, though the other's is, has run out.
fn clock(request: &GoRequest, stm: Color) -> Option<Clock> {
    let (time, increment) = match stm {
        Color::White => (request.wtime, request.winc),
        Color::Black => (request.btime, request.binc),
    };
    request.has_clock().then(|| Clock {
        remaining: milliseconds(time.unwrap_or(0)),
        increment: milliseconds(increment.unwrap_or(0)),
        moves_to_go: request.movestogo.filter(|&moves| moves > 0),
    })
}

/// A time that is less than nothing is nothing.
fn milliseconds(number: i64) -> Duration {
    Duration::from_millis(u64::try_from(number).unwrap_or(0))
}

fn run_bench(depth: Option<u32>, answers: &Sender<String>) {
    let result = bench::run(depth, |number, fen, nodes| tell(answers, output::bench_position(number, fen, nodes)));
    tell(answers, output::bench_result(result.nodes, result.time));
}

fn run_bench_perft(answers: &Sender<String>) {
    bench::run_perft(|name, depth, generator, nodes, time| {
        tell(answers, output::bench_perft(name, depth, generator, nodes, time));
    });
}

/// Hands an answer over; if nobody waits for it any more, the program is about to end.
fn tell(answers: &Sender<String>, text: String) {
    let _ = answers.send(text);
}

/// A random number: the standard library draws one for every hash map.
fn draw_moods() -> u64 {
    RandomState::new().hash_one(())
}
