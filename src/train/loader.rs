//! Reads games and keeps their usable positions, some games apart to judge by.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::{fs, thread};

use super::error::TrainError;
use super::position::PackedPosition;
use super::random::fold;
use crate::datagen::record::{GameRecord, IllegalMove, RecordError, SHARD_EXTENSION, ShardReader, is_usable};

/// Which games are held out.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// Their share, 0 to 1.
    pub held_out: f64,
    /// Another number holds out others.
    pub seed: u64,
}

/// Who played games and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// Checksum of the network; 0 for none.
    pub network: u64,
    /// Soft node limit of each search.
    pub nodes: u32,
}

/// What was found in a number of files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Files, bad ones included.
    pub files: usize,
    /// Games.
    pub games: u64,
    /// Games among them that are held out.
    pub held_out_games: u64,
    /// Plies, usable or not.
    pub plies: u64,
    /// Games by origin.
    pub origins: BTreeMap<Origin, u64>,
    /// What is wrong with files, a line each. What stands before the fault is used.
    pub faults: Vec<String>,
}

/// All usable positions of the data.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// What the network learns.
    pub training: Vec<PackedPosition>,
    /// What it is judged by: positions of other games.
    pub held_out: Vec<PackedPosition>,
    /// Where they come from.
    pub statistics: Statistics,
    /// A hash of all positions in their order.
    pub fingerprint: u64,
}

/// Why the rest of a file is not used.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("{0}")]
    Record(#[from] RecordError),
    #[error("game {game}: {reason}")]
    Illegal { game: u64, reason: IllegalMove },
    #[error("{0} bytes of an unfinished game at the end")]
    Unfinished(u64),
}

/// The files that paths stand for: files themselves, and the shards in folders, by name. Each counts once.
///
/// # Errors
///
/// When a path cannot be read or a folder has no shard.
pub fn find_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, TrainError> {
    let mut files = Vec::new();
    for path in paths {
        let metadata = fs::metadata(path).map_err(TrainError::io(path))?;
        if metadata.is_dir() { files.extend(shards_in(path)?) } else { files.push(path.clone()) }
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(fs::canonicalize(file).unwrap_or_else(|_| file.clone())));
    Ok(files)
}

/// The shards in a folder, by name.
fn shards_in(folder: &Path) -> Result<Vec<PathBuf>, TrainError> {
    let mut shards = Vec::new();
    for entry in fs::read_dir(folder).map_err(TrainError::io(folder))? {
        let path = entry.map_err(TrainError::io(folder))?.path();
        if path.extension().is_some_and(|extension| extension == SHARD_EXTENSION) {
            shards.push(path);
        }
    }
    if shards.is_empty() {
        return Err(TrainError::NoShards { folder: folder.to_owned() });
    }
    shards.sort();
    Ok(shards)
}

/// Reads files with some threads. The result depends neither on their number nor on the order in which they finish.
/// `progress` hears of each file that is done.
///
/// # Errors
///
/// When nothing to train on, or to judge by, is left. Bad files are only noted in the statistics.
pub fn load(
    files: &[PathBuf],
    split: Split,
    threads: NonZeroUsize,
    mut progress: impl FnMut(&Statistics),
) -> Result<Dataset, TrainError> {
    let mut dataset = Dataset::default();
    let next = AtomicUsize::new(0);
    // Files that are read ahead of their turn wait here; the bound keeps them few.
    let (sender, receiver) = mpsc::sync_channel(threads.get());
    thread::scope(|scope| {
        for _ in 0..threads.get() {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = files.get(index) else { return };
                    // The receiver stays until every sender is gone.
                    let _ = sender.send((index, read_file(path, split)));
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut turn = 0;
        for (index, part) in receiver {
            waiting.insert(index, part);
            while let Some(part) = waiting.remove(&turn) {
                dataset.append(part);
                progress(&dataset.statistics);
                turn += 1;
            }
        }
    });
    dataset.fingerprint = dataset.hash();
    match (dataset.training.is_empty(), dataset.held_out.is_empty()) {
        (true, _) => Err(TrainError::NoTraining),
        (_, true) => Err(TrainError::NoHeldOut),
        _ => Ok(dataset),
    }
}

/// The usable positions of a file.
fn read_file(path: &Path, split: Split) -> Dataset {
    let mut dataset = Dataset::default();
    dataset.statistics.files = 1;
    if let Err(fault) = dataset.add_file(path, split) {
        dataset.statistics.faults.push(format!("{}: {fault}", path.display()));
    }
    dataset
}

impl Dataset {
    fn add_file(&mut self, path: &Path, split: Split) -> Result<(), Fault> {
        let mut reader = ShardReader::open(path)?;
        let origin = reader.header().map(|header| Origin { network: header.net_checksum, nodes: header.nodes });
        for game in &mut reader {
            self.add_game(&game?, split)?;
            if let Some(origin) = origin {
                *self.statistics.origins.entry(origin).or_default() += 1;
            }
        }
        match reader.truncated() {
            0 => Ok(()),
            bytes => Err(Fault::Unfinished(bytes)),
        }
    }

    /// Adds the usable positions of a game; none if it has an illegal move.
    fn add_game(&mut self, game: &GameRecord, split: Split) -> Result<(), Fault> {
        let is_held_out = split.holds_out(game);
        let positions = if is_held_out { &mut self.held_out } else { &mut self.training };
        let before = positions.len();
        let replayed = game.replay(|board, ply| {
            if is_usable(board, ply) {
                positions.push(PackedPosition::new(board, ply.score, game.result));
            }
        });
        if let Err(reason) = replayed {
            positions.truncate(before);
            return Err(Fault::Illegal { game: self.statistics.games + 1, reason });
        }
        self.statistics.games += 1;
        self.statistics.held_out_games += u64::from(is_held_out);
        self.statistics.plies += game.plies.len() as u64;
        Ok(())
    }

    /// Adds what comes after.
    fn append(&mut self, mut part: Self) {
        self.training.append(&mut part.training);
        self.held_out.append(&mut part.held_out);
        let (all, part) = (&mut self.statistics, part.statistics);
        all.files += part.files;
        all.games += part.games;
        all.held_out_games += part.held_out_games;
        all.plies += part.plies;
        for (origin, games) in part.origins {
            *all.origins.entry(origin).or_default() += games;
        }
        all.faults.extend(part.faults);
    }

    fn hash(&self) -> u64 {
        let words = |positions: &[PackedPosition]| {
            positions.iter().flat_map(PackedPosition::words).fold(positions.len() as u64, fold)
        };
        fold(words(&self.training), words(&self.held_out))
    }
}

impl Split {
    /// Whether a game is held out. That hangs on its moves alone, not on the file it is in: a game stays on its side
    /// whatever else is in the data, and equal games are always on the same side.
    fn holds_out(self, game: &GameRecord) -> bool {
        let moves = game.plies.iter().map(|ply| u64::from(ply.m.to_bits()));
        let hash = moves.fold(fold(self.seed, game.start.key()), fold);
        // The upper 53 bits, as many as an f64 holds, as a fraction.
        (((hash >> 11) as f64) / (1_u64 << 53) as f64) < self.held_out
    }
}
