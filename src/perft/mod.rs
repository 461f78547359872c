//! Perft: the number of move sequences of a given length, the standard check of a move generator.
//!
//! Most of the work is done in `position` and `count`, a second set of rules made for speed alone, which shares its
//! attack tables with the board; the tests hold it against the board's own generator. `divide` hands the parts of the
//! tree to threads, which may share a `table` of counts.

mod count;
mod pairs;
mod position;
mod table;

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use thiserror::Error;

use crate::board::Board;
use crate::types::{Color, Move};
use position::Position;
use table::Table;

pub use table::TableError;

/// Deepest tree that is counted.
pub const MAX_DEPTH: u32 = 255;

/// Parts of the tree, so that progress can be seen.
const PARTS: usize = 1_000;
/// Parts for each thread, so that none is without work for long while another still has some.
const PARTS_PER_THREAD: usize = 16;
/// Depth below which a part is not worth dividing further.
const SMALLEST_PART: u32 = 4;
/// Depth from which positions are looked up in the table: less is counted faster than found.
const TABLE_DEPTH: u32 = 3;
/// Time between two reports of progress.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);
/// The start of a thread's name, for those who watch the machine.
const THREAD_NAME: &str = "perft";

/// How to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Threads to share the work; at least one.
    pub threads: usize,
    /// Megabytes for a table of counts, if one is wanted.
    pub table_mb: Option<usize>,
}

/// What has been counted so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Parts of the tree that are done.
    pub parts: usize,
    /// All parts; they differ in size.
    pub all_parts: usize,
    /// Leaves in the parts that are done.
    pub nodes: u64,
}

/// Why there is no result.
#[derive(Debug, Error)]
pub enum Error {
    /// Somebody wanted it to stop.
    #[error("stopped")]
    Stopped,
    /// The table does not fit into the memory.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread cannot be started.
    #[error("no thread for counting: {0}")]
    Thread(io::Error),
}

/// Counts the leaves of the tree of legal moves `depth` plies deep. The last ply is counted without being played.
/// A number too large for its type becomes the largest of it, here and in all other counts.
///
/// ```
/// use rokade::{board::Board, perft::perft};
/// assert_eq!(perft(&Board::startpos(), 3), 8_902);
/// ```
#[must_use]
pub fn perft(board: &Board, depth: u32) -> u64 {
    count_below(board, depth, &AtomicBool::new(false))
}

/// The same count as `perft`, made with the engine's own board and move generator.
#[must_use]
pub fn perft_on_board(board: &Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => board.count_legal_moves(),
        _ => {
            let counts = board.legal_moves().into_iter().map(|m| perft_on_board(&board.after(m), depth - 1));
            counts.fold(0, u64::saturating_add)
        }
    }
}

/// Counts the leaves below each legal move, in the order of generation, no deeper than `MAX_DEPTH`. Depth 0 has no
/// moves to divide. `on_progress` hears how far it is several times a second; `stop` ends it early.
///
/// # Errors
///
/// When `stop` was set, or there is no memory or thread.
pub fn divide(
    board: &Board,
    depth: u32,
    options: Options,
    stop: &AtomicBool,
    mut on_progress: impl FnMut(Progress),
) -> Result<Vec<(Move, u64)>, Error> {
    let table = options.table_mb.map(Table::new).transpose()?;
    let threads = options.threads.max(1);
    let parts = Parts::new(board, depth.min(MAX_DEPTH), threads);
    let mut counts: Vec<(Move, u64)> = parts.moves.iter().map(|&m| (m, 0)).collect();
    let mut progress = Progress { all_parts: parts.list.len(), ..Progress::default() };
    thread::scope(|scope| {
        let (sender, results) = bounded(threads);
        for index in 0..threads.min(parts.list.len()) {
            let (parts, table, sender) = (&parts, table.as_ref(), sender.clone());
            let builder = thread::Builder::new().name(format!("{THREAD_NAME} {}", index + 1));
            if let Err(error) = builder.spawn_scoped(scope, move || parts.count(table, stop, &sender)) {
                // Those that run already end soon.
                stop.store(true, Relaxed);
                return Err(Error::Thread(error));
            }
        }
        drop(sender);
        loop {
            match results.recv_timeout(REPORT_INTERVAL) {
                Ok((index, nodes)) => {
                    let count = &mut counts[index].1;
                    *count = count.saturating_add(nodes);
                    progress.parts += 1;
                    progress.nodes = progress.nodes.saturating_add(nodes);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            on_progress(progress);
        }
        Ok(())
    })?;
    if stop.load(Relaxed) { Err(Error::Stopped) } else { Ok(counts) }
}

/// A part of the tree: a position some plies from the root.
struct Part {
    /// Which root move leads to it.
    root_index: usize,
    board: Board,
}

/// The tree in parts, handed out one by one.
struct Parts {
    moves: Vec<Move>,
    list: Vec<Part>,
    /// Depth of each part.
    depth: u32,
    next: AtomicUsize,
}

impl Parts {
    /// Divides a tree ply by ply until there are parts enough or they are small.
    fn new(board: &Board, depth: u32, threads: usize) -> Self {
        let Some(mut depth) = depth.checked_sub(1) else {
            return Self { moves: Vec::new(), list: Vec::new(), depth, next: AtomicUsize::new(0) };
        };
        let moves: Vec<Move> = board.legal_moves().into_iter().collect();
        let root = moves.iter().enumerate().map(|(root_index, &m)| Part { root_index, board: board.after(m) });
        let mut list: Vec<Part> = root.collect();
        let enough = PARTS.max(PARTS_PER_THREAD.saturating_mul(threads));
        while depth > SMALLEST_PART && list.len() < enough && !list.is_empty() {
            list = list.iter().flat_map(Part::divide).collect();
            depth -= 1;
        }
        Self { moves, list, depth, next: AtomicUsize::new(0) }
    }

    /// Counts parts until none is left, and sends off the number of each one's root move and its leaves.
    fn count(&self, table: Option<&Table>, stop: &AtomicBool, results: &Sender<(usize, u64)>) {
        while let Some(part) = self.list.get(self.next.fetch_add(1, Relaxed)) {
            let nodes = match table {
                Some(table) => count_with_table(&part.board, self.depth, table, stop),
                None => count_below(&part.board, self.depth, stop),
            };
            if stop.load(Relaxed) || results.send((part.root_index, nodes)).is_err() {
                return;
            }
        }
    }
}

impl Part {
    fn divide(&self) -> Vec<Self> {
        let next = |m| Self { root_index: self.root_index, board: self.board.after(m) };
        self.board.legal_moves().into_iter().map(next).collect()
    }
}

/// Counts without a table. When `stop` is set the result means nothing.
fn count_below(board: &Board, depth: u32, stop: &AtomicBool) -> u64 {
    if depth == 0 {
        return 1;
    }
    let position = Position::from(board);
    match board.stm() {
        Color::White => count::count::<true>(&position, depth, stop),
        Color::Black => count::count::<false>(&position, depth, stop),
    }
}

/// Counts with a table, on the engine's board, which knows the keys. When `stop` is set the result means nothing.
fn count_with_table(board: &Board, depth: u32, table: &Table, stop: &AtomicBool) -> u64 {
    if depth < TABLE_DEPTH {
        return count_below(board, depth, stop);
    }
    if let Some(count) = table.probe(board.key(), depth) {
        return count;
    }
    let mut sum = 0_u64;
    for m in board.legal_moves() {
        if stop.load(Relaxed) {
            return 0;
        }
        sum = sum.saturating_add(count_with_table(&board.after(m), depth - 1, table, stop));
    }
    table.store(board.key(), depth, sum);
    sum
}
