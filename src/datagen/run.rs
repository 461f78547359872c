//! A run of self-play: threads that play, and the calling thread that writes what they played.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use std::{io, thread};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use thiserror::Error;

use super::openings::{BookError, Openings};
use super::play::{PlayError, Player, Tally};
use super::record::GameRecord;
use super::settings::Settings;
use super::shards::{Shards, ShardsError};
use crate::rng::Rng;

/// Stack of a playing thread, with room for the deepest line of a search.
const STACK_BYTES: usize = 16 << 20;
/// Games that may wait to be written. Writing takes no time, so there is hardly ever more than one.
const WAITING_GAMES: usize = 64;
/// The watcher is told of the run at least so often.
const TICK: Duration = Duration::from_millis(500);

/// Why a run ended early. What was written until then is good.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum DatagenError {
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Shards(#[from] ShardsError),
    #[error(transparent)]
    Play(#[from] PlayError),
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What was played and written.
    pub tally: Tally,
    /// Time since the start.
    pub elapsed: Duration,
}

type Played = Result<(GameRecord, Tally), PlayError>;

/// What the threads of a run share.
struct Run<'a> {
    settings: &'a Settings,
    openings: &'a Openings,
    /// Tells the games of this run from those of others in the folder with the same seed.
    salt: u64,
    start: Instant,
    next_game: AtomicU64,
    positions: AtomicU64,
    stop: AtomicBool,
}

/// Plays games until a goal of the settings is reached, and adds them to the folder. `watch` is told how far the run
/// is after every game and twice a second.
///
/// With the same settings and an empty folder the same games are played, on one thread also in the same order; with
/// several threads and a goal other than a number of games, a few more or fewer at the end.
///
/// # Errors
///
/// When the book, the folder, or memory for a table is not to be had, or no opening is fit to play.
pub fn generate(settings: &Settings, watch: &mut dyn FnMut(&Progress)) -> Result<Progress, DatagenError> {
    let openings = Openings::new(settings.dfrc_percent, settings.book.as_deref())?;
    let mut shards = Shards::create(&settings.out, settings.header(), settings.shard_bytes)?;
    let run = Run {
        settings,
        openings: &openings,
        salt: shards.first(),
        start: Instant::now(),
        next_game: AtomicU64::new(0),
        positions: AtomicU64::new(0),
        stop: AtomicBool::new(false),
    };
    let progress = run.go(&mut shards, watch)?;
    shards.finish()?;
    Ok(progress)
}

impl Run<'_> {
    fn go(&self, shards: &mut Shards, watch: &mut dyn FnMut(&Progress)) -> Result<Progress, DatagenError> {
        let (sender, games) = bounded(WAITING_GAMES);
        thread::scope(|scope| {
            let start = |number| {
                let sender = sender.clone();
                let thread = thread::Builder::new().name(format!("self-play {number}")).stack_size(STACK_BYTES);
                thread.spawn_scoped(scope, move || self.work(&sender)).map_err(DatagenError::Thread)
            };
            let started = (1..=self.settings.threads).try_for_each(|number| start(number).map(drop));
            drop(sender);
            let result = started.and_then(|()| self.collect(&games, shards, watch));
            // The scope waits for the threads: after an error they must not wait for a reader.
            self.stop.store(true, Relaxed);
            drop(games);
            result
        })
    }

    /// The life of a playing thread.
    fn work(&self, games: &Sender<Played>) {
        let mut player = match Player::new(self.settings, self.openings) {
            Ok(player) => player,
            Err(error) => {
                // Nobody listens any more when another thread has failed first.
                let _ = games.send(Err(error));
                return;
            }
        };
        while let Some(number) = self.take_number() {
            let played = player.play(Rng::from_parts([self.settings.seed, self.salt, number]));
            if let Ok((_, tally)) = &played {
                self.positions.fetch_add(tally.usable, Relaxed);
            }
            let failed = played.is_err();
            if games.send(played).is_err() || failed {
                return;
            }
        }
    }

    /// The number of the next game; `None` when a goal is reached.
    fn take_number(&self) -> Option<u64> {
        let goal = &self.settings.goal;
        let is_reached = self.stop.load(Relaxed)
            || goal.positions.is_some_and(|positions| self.positions.load(Relaxed) >= positions)
            || goal.time.is_some_and(|time| self.start.elapsed() >= time);
        if is_reached {
            return None;
        }
        let number = self.next_game.fetch_add(1, Relaxed);
        (goal.games.is_none_or(|games| number < games)).then_some(number)
    }

    /// Writes games until the last player is done.
    fn collect(
        &self,
        games: &Receiver<Played>,
        shards: &mut Shards,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<Progress, DatagenError> {
        let mut progress = Progress::default();
        loop {
            match games.recv_timeout(TICK) {
                Ok(played) => {
                    let (game, tally) = played?;
                    shards.write(&game)?;
                    progress.tally.add(&tally);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(progress),
            }
            progress.elapsed = self.start.elapsed();
            watch(&progress);
        }
    }
}
