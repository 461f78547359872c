//! The search threads: parked until a search starts, stopped by a signal, sharing one transposition table.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use thiserror::Error;

use super::binding::MemoryNodes;
use super::limits::Limits;
use super::report::Event;
use super::strength::Strength;
use super::tt::{HashError, TranspositionTable};
use super::vote::Candidate;
use super::worker::Worker;
use crate::nnue::network::Network;
use crate::rules::Game;
use crate::tb::{Ranking, Tables};
use crate::types::MoveList;

/// Room for the deepest line with its move lists.
const STACK_BYTES: usize = 16 << 20;

/// A counter on a cache line of its own, so that threads that count do not disturb each other.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Counter(pub(super) AtomicU64);

/// What the owner says to running workers.
#[derive(Debug, Default)]
pub(super) struct Signals {
    stop: AtomicBool,
    pondering: AtomicBool,
    /// Microseconds from the start to the ponder hit.
    ponderhit_after: AtomicU64,
}

impl Signals {
    pub(super) fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    pub(super) fn is_pondering(&self) -> bool {
        self.pondering.load(Relaxed)
    }
}

/// What all workers of one search share.
pub(super) struct Shared {
    pub(super) game: Game,
    pub(super) limits: Limits,
    pub(super) tt: Arc<TranspositionTable>,
    pub(super) signals: Signals,
    pub(super) tables: Arc<Tables>,
    /// The root moves by the tables, once the first worker has asked for them.
    ranking: OnceLock<Option<Ranking>>,
    pub(super) nodes: Box<[Counter]>,
    pub(super) tb_hits: Box<[Counter]>,
}

impl Shared {
    pub(super) fn new(
        game: Game,
        limits: Limits,
        tt: Arc<TranspositionTable>,
        tables: Arc<Tables>,
        threads: usize,
    ) -> Self {
        let signals = Signals { pondering: AtomicBool::new(limits.ponder), ..Signals::default() };
        let counters = || (0..threads).map(|_| Counter::default()).collect();
        let (nodes, tb_hits, ranking) = (counters(), counters(), OnceLock::new());
        Self { game, limits, tt, signals, tables, ranking, nodes, tb_hits }
    }

    /// The moves to search as the tables rank them, if these know the root. The first worker that asks looks them up.
    pub(super) fn ranking(&self) -> Option<&Ranking> {
        let rank = || {
            let (board, keys) = (self.game.board(), self.game.reversible_keys());
            self.tables.rank(board, keys, &self.moves_to_search(), &self.limits.tables)
        };
        self.ranking.get_or_init(rank).as_ref()
    }

    /// The root moves that were asked for.
    pub(super) fn moves_to_search(&self) -> MoveList {
        let wanted = &self.limits.search_moves;
        let moves = self.game.board().legal_moves().into_iter();
        moves.filter(|m| wanted.is_empty() || wanted.contains(m)).collect()
    }

    /// Successful lookups of all workers, and those for the root.
    pub(super) fn total_tb_hits(&self) -> u64 {
        let at_root = self.ranking.get().and_then(Option::as_ref).map_or(0, |ranking| ranking.hits);
        at_root + self.tb_hits.iter().map(|counter| counter.0.load(Relaxed)).sum::<u64>()
    }

    /// Nodes of all workers; the others' are a little behind.
    pub(super) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|counter| counter.0.load(Relaxed)).sum()
    }

    /// Time since the search was asked for.
    pub(super) fn elapsed(&self) -> Duration {
        self.limits.start.elapsed()
    }

    /// Time spent since the search was asked for, in nodes if the limits say so.
    pub(super) fn spent(&self) -> Duration {
        match u64::from(self.limits.nodes_per_millisecond) {
            0 => self.elapsed(),
            rate => Duration::from_micros(self.total_nodes().saturating_mul(1_000) / rate),
        }
    }

    /// Time spent on the own clock, which does not run while pondering.
    pub(super) fn spent_on_clock(&self) -> Duration {
        self.spent().saturating_sub(Duration::from_micros(self.signals.ponderhit_after.load(Relaxed)))
    }

    fn ponderhit(&self) {
        self.signals.ponderhit_after.store(self.elapsed().as_micros() as u64, Relaxed);
        self.signals.pondering.store(false, Relaxed);
    }
}

/// What makes a position worth something else than before: the 50-move rule in the endgame tables, and the strength.
fn view(limits: &Limits) -> (bool, Option<Strength>) {
    (limits.tables.fifty_move_rule, limits.strength)
}

enum Job {
    /// Search; the main worker waits for the helpers, each of which says in the end which move it is for.
    Main(Arc<Shared>, Receiver<Candidate>),
    Helper(Arc<Shared>, Sender<Candidate>),
    /// Forget the game.
    Clear,
    /// Evaluate with another network from now on.
    Network(Arc<Network>),
}

struct Thread {
    jobs: Sender<Job>,
    handle: JoinHandle<()>,
}

/// A search thread could not be started.
#[derive(Debug, Error)]
#[error("cannot start search thread {number}: {reason}")]
pub struct ThreadsError {
    number: usize,
    reason: io::Error,
}

/// The owner's end of the search. Events of the running search arrive on the receiver that `new` returns.
pub struct Pool {
    tt: Arc<TranspositionTable>,
    network: Arc<Network>,
    tables: Arc<Tables>,
    /// How the last search counted what the tables say, and how strong it was: what colours the hash table.
    last_view: (bool, Option<Strength>),
    threads: Vec<Thread>,
    memory_nodes: Arc<MemoryNodes>,
    /// Whether each thread keeps to a memory node.
    bound: bool,
    events: Sender<Event>,
    current: Option<Arc<Shared>>,
}

impl Pool {
    /// A pool with a table of `hash_mb` megabytes and so many parked threads (at least one).
    ///
    /// # Panics
    ///
    /// When the system has not even the memory or the thread for that.
    #[must_use]
    pub fn new(hash_mb: usize, threads: usize) -> (Self, Receiver<Event>) {
        let tt = match TranspositionTable::new(hash_mb) {
            Ok(tt) => Arc::new(tt),
            Err(error) => panic!("{error}"),
        };
        let (events, receiver) = unbounded();
        let mut pool = Self {
            tt,
            network: Network::embedded(),
            tables: Arc::default(),
            last_view: view(&Limits::default()),
            threads: Vec::new(),
            memory_nodes: Arc::new(MemoryNodes::of_this_machine()),
            bound: false,
            events,
            current: None,
        };
        if let Err(error) = pool.set_threads(threads.max(1)) {
            panic!("{error}");
        }
        (pool, receiver)
    }

    /// Starts a search and returns at once. Lines follow, and `Event::Finished` ends it; only then may the next
    /// search start.
    pub fn start(&mut self, game: &Game, limits: Limits) {
        // What was won without the rule may be drawn with it, and who plays better judges otherwise.
        if view(&limits) != self.last_view {
            self.last_view = view(&limits);
            self.clear();
        }
        self.tt.new_search();
        let (tt, tables) = (Arc::clone(&self.tt), Arc::clone(&self.tables));
        let shared = Arc::new(Shared::new(game.clone(), limits, tt, tables, self.threads.len()));
        self.current = Some(Arc::clone(&shared));
        let (candidates, all_candidates) = bounded(self.threads.len());
        // A worker that is gone has panicked and taken the process with it.
        for thread in &self.threads[1..] {
            let _ = thread.jobs.send(Job::Helper(Arc::clone(&shared), candidates.clone()));
        }
        let _ = self.threads[0].jobs.send(Job::Main(shared, all_candidates));
    }

    /// Ends the running search soon; nothing happens if there is none.
    pub fn stop(&self) {
        if let Some(shared) = &self.current {
            shared.signals.stop();
        }
    }

    /// The opponent played the expected move: from now on the own clock runs.
    pub fn ponderhit(&self) {
        if let Some(shared) = &self.current {
            shared.ponderhit();
        }
    }

    /// Replaces the table by an empty one of another size. Only between searches.
    ///
    /// # Errors
    ///
    /// When the memory is not to be had; the old table stays.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), HashError> {
        self.tt = Arc::new(TranspositionTable::new(megabytes)?);
        self.current = None;
        Ok(())
    }

    /// Changes the number of threads (at least one). Only between searches.
    ///
    /// # Errors
    ///
    /// When a thread cannot be started; the threads are then as they were.
    pub fn set_threads(&mut self, count: usize) -> Result<(), ThreadsError> {
        let count = count.max(1);
        let bound = self.memory_nodes.should_bind(count);
        // The memory of a thread stays where it was first touched, so all start anew when that is to change.
        let kept = if bound == self.bound { self.threads.len().min(count) } else { 0 };
        let start = |id| self.spawn(id, bound).map_err(|reason| ThreadsError { number: id + 1, reason });
        let started = (kept..count).map(start).collect::<Result<Vec<_>, _>>()?;
        self.threads.drain(kept..).for_each(Thread::join);
        self.threads.extend(started);
        self.bound = bound;
        Ok(())
    }

    /// Forgets the game: table and histories.
    pub fn clear(&mut self) {
        self.tt.clear(self.threads.len());
        for thread in &self.threads {
            let _ = thread.jobs.send(Job::Clear);
        }
    }

    /// Evaluates with another network from the next search on. Only between searches; what the table knows from the
    /// old network is forgotten.
    pub fn set_network(&mut self, network: Arc<Network>) {
        for thread in &self.threads {
            let _ = thread.jobs.send(Job::Network(Arc::clone(&network)));
        }
        self.network = network;
        self.clear();
    }

    /// Asks other endgame tables from the next search on. Only between searches; what the hash table has learnt from
    /// the old ones is forgotten.
    pub fn set_tables(&mut self, tables: Arc<Tables>) {
        self.tables = tables;
        self.current = None;
        self.tt.clear(self.threads.len());
    }

    fn spawn(&self, id: usize, bound: bool) -> io::Result<Thread> {
        let (jobs, inbox) = unbounded();
        let (tt, tables) = (Arc::clone(&self.tt), Arc::default());
        let shared = Arc::new(Shared::new(Game::default(), Limits::default(), tt, tables, 0));
        let (network, events) = (Arc::clone(&self.network), self.events.clone());
        let memory_nodes = bound.then(|| Arc::clone(&self.memory_nodes));
        let life = move || {
            if let Some(memory_nodes) = memory_nodes {
                memory_nodes.bind_current_thread(id);
            }
            work(Worker::new(id, shared, network, Some(events)), &inbox);
        };
        let handle = std::thread::Builder::new().name(format!("search {id}")).stack_size(STACK_BYTES).spawn(life)?;
        Ok(Thread { jobs, handle })
    }
}

impl Thread {
    fn join(self) {
        drop(self.jobs);
        // A panic has been reported by the thread itself.
        let _ = self.handle.join();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stop();
        for thread in self.threads.drain(..) {
            thread.join();
        }
    }
}

/// The life of a search thread: job after job until the pool is gone.
fn work(mut worker: Worker, inbox: &Receiver<Job>) {
    for job in inbox {
        match job {
            Job::Main(shared, helpers) => {
                worker.search(Arc::clone(&shared));
                shared.signals.stop();
                // The channel closes when the last helper has dropped its end.
                worker.elect(helpers.into_iter().collect());
                worker.report_finished();
            }
            Job::Helper(shared, candidates) => {
                worker.search(shared);
                // There is room for all.
                let _ = worker.candidate().map(|candidate| candidates.send(candidate));
            }
            Job::Clear => worker.clear(),
            Job::Network(network) => worker.set_network(network),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_searches_on_when_its_threads_are_bound_and_freed() {
        let (mut pool, events) = Pool::new(1, 1);
        pool.memory_nodes = Arc::new(MemoryNodes::new(vec![vec![0, 1], vec![0, 1]]));
        for (threads, bound) in [(1, false), (2, true), (3, true), (1, false)] {
            pool.set_threads(threads).unwrap();
            assert_eq!((pool.threads.len(), pool.bound), (threads, bound));
            pool.start(&Game::default(), Limits::to_depth(3));
            assert!(events.iter().any(|event| matches!(event, Event::Finished { .. })));
        }
    }
}
