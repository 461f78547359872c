//! What a run of self-play is asked for.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use super::adjudicate::Adjudication;
use super::record::ShardHeader;
use crate::nnue::network::Network;

/// Soft node limits that make sense: fewer nodes are no search, and more are no self-play.
pub const NODES: RangeInclusive<u64> = 10..=100_000_000;
/// Threads of a run.
pub const THREADS: RangeInclusive<usize> = 1..=1024;
/// Plies after which a game is a draw; the longest game still fits its record.
pub const MAX_PLIES: RangeInclusive<u32> = 1..=10_000;

/// Where a run ends: at the first of these that is reached. With none it goes on until it is killed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// Games to play.
    pub games: Option<u64>,
    /// Usable positions to make; the game that reaches the number is played to its end.
    pub positions: Option<u64>,
    /// Time to take; the games that are going on then are played to their end.
    pub time: Option<Duration>,
}

/// The settings of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Folder for the shards; made if it does not exist.
    pub out: PathBuf,
    /// Where the run ends.
    pub goal: Goal,
    /// Soft node limit of each search, within `NODES`; it varies by 10 % from ply to ply.
    pub nodes: u64,
    /// Threads, each of which plays games of its own.
    pub threads: usize,
    /// Seed of the random numbers. Games depend on it and on the number of the first shard.
    pub seed: u64,
    /// Share of games from double Chess960 start positions, 0 to 100.
    pub dfrc_percent: u8,
    /// Positions for the other games to begin from, a FEN or EPD a line.
    pub book: Option<PathBuf>,
    /// When a game is called before its end.
    pub adjudication: Adjudication,
    /// Plies after which a game is a draw, within `MAX_PLIES`.
    pub max_plies: u32,
    /// Size of a shard, in bytes, at which the next is begun.
    pub shard_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            out: PathBuf::new(),
            goal: Goal::default(),
            nodes: 500,
            threads: 2,
            seed: 0,
            dfrc_percent: 15,
            book: None,
            adjudication: Adjudication::default(),
            max_plies: 400,
            shard_bytes: 64 << 20,
        }
    }
}

impl Settings {
    /// What the shards of the run say about it.
    pub(super) fn header(&self) -> ShardHeader {
        let book = self.book.as_ref().map(|book| format!(" --book {}", book.display())).unwrap_or_default();
        ShardHeader {
            nodes: u32::try_from(self.nodes).unwrap_or(u32::MAX),
            dfrc_percent: self.dfrc_percent,
            seed: self.seed,
            net_checksum: Network::embedded().checksum,
            engine: concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned(),
            settings: format!("--adjudicate {} --max-plies {}{book}", self.adjudication, self.max_plies),
        }
    }
}
