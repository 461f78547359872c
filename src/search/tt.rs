//! The transposition table: what earlier searches learnt about positions, shared by all workers without locks.
//!
//! A cluster is four 64-bit words: three entries and a word with 21 bits of each entry's key. Words are read and
//! written as relaxed atomics, so a race yields at worst an entry that belongs to another position: moves are
//! checked for legality before they are played, and scores are as uncertain as hash collisions make them anyway.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use memmap2::{MmapMut, MmapRaw};
use thiserror::Error;

use super::prefetch::prefetch;
use super::report::Bound;
use crate::types::{MATE, MATE_IN_MAX_PLY, Move, Score, TB_WIN, TB_WIN_IN_MAX_PLY};

const ENTRIES: usize = 3;
const KEY_BITS: u32 = 21;
const KEY_MASK: u64 = (1 << KEY_BITS) - 1;
const AGE_MASK: u8 = 31;

#[repr(align(32))]
struct Cluster {
    entries: [AtomicU64; ENTRIES],
    keys: AtomicU64,
}

const _: () = assert!(size_of::<Cluster>() == 32, "two clusters fill a cache line");

/// What the table knows about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The best move found, not proved to be legal here.
    pub(super) best: Option<Move>,
    /// The score as stored: mates count from this position.
    score: i16,
    /// The static evaluation before corrections, or `NO_EVAL`.
    raw_eval: i16,
    /// Depth of the search behind the score.
    pub(super) depth: i32,
    /// How the score relates to the value.
    pub(super) bound: Option<Bound>,
    /// Whether the position was in a principal variation.
    pub(super) pv: bool,
    age: u8,
}

/// Stands for a static evaluation that was not made, because the side to move was in check.
const NO_EVAL: i16 = i16::MIN;

impl Entry {
    fn unpack(word: u64) -> Self {
        let flags = (word >> 56) as u8;
        Self {
            best: Move::from_bits(word as u16),
            score: (word >> 16) as i16,
            raw_eval: (word >> 32) as i16,
            depth: i32::from((word >> 48) as u8),
            bound: match flags & 3 {
                1 => Some(Bound::Upper),
                2 => Some(Bound::Lower),
                3 => Some(Bound::Exact),
                _ => None,
            },
            pv: flags & 4 != 0,
            age: flags >> 3,
        }
    }

    fn pack(self) -> u64 {
        let bound = self.bound.map_or(0, |bound| bound as u8);
        let flags = bound | u8::from(self.pv) << 2 | self.age << 3;
        u64::from(self.best.map_or(0, Move::to_bits))
            | u64::from(self.score as u16) << 16
            | u64::from(self.raw_eval as u16) << 32
            | u64::from(self.depth as u8) << 48
            | u64::from(flags) << 56
    }

    /// The score seen from the root: mates count from there. A win that needs more plies than the half-move clock
    /// leaves is no longer a proof, so it is cut to the best score that claims nothing.
    pub(super) fn score(&self, ply: usize, halfmove_clock: u16) -> Score {
        let score = Score::from(self.score);
        let distance = if score.abs() >= MATE_IN_MAX_PLY { MATE - score.abs() } else { TB_WIN - score.abs() };
        if score.abs() < TB_WIN_IN_MAX_PLY {
            score
        } else if distance > 100 - i32::from(halfmove_clock.min(100)) {
            score.signum() * (TB_WIN_IN_MAX_PLY - 1)
        } else {
            score - score.signum() * ply as Score
        }
    }

    /// The static evaluation, if one was made.
    pub(super) fn raw_eval(&self) -> Option<Score> {
        (self.raw_eval != NO_EVAL).then(|| self.raw_eval.into())
    }

    /// Whether the score answers a search with this window.
    pub(super) fn cuts(&self, score: Score, beta: Score) -> bool {
        match self.bound {
            Some(Bound::Exact) => true,
            Some(Bound::Lower) => score >= beta,
            Some(Bound::Upper) => score < beta,
            None => false,
        }
    }

    /// How much it is worth keeping: deep and recent entries are.
    fn quality(&self, age: u8) -> i32 {
        self.depth - 8 * i32::from(age.wrapping_sub(self.age) & AGE_MASK)
    }
}

/// What a search stores about a position.
pub(super) struct NewEntry {
    pub(super) best: Option<Move>,
    pub(super) score: Score,
    pub(super) raw_eval: Option<Score>,
    pub(super) depth: i32,
    pub(super) bound: Option<Bound>,
    pub(super) pv: bool,
}

/// The memory for a table could not be had.
#[derive(Debug, Error)]
#[error("cannot allocate {megabytes} MB of hash memory: {reason}")]
pub struct HashError {
    megabytes: usize,
    reason: std::io::Error,
}

/// The table.
pub(super) struct TranspositionTable {
    memory: MmapRaw,
    len: usize,
    age: AtomicU8,
}

impl TranspositionTable {
    /// An empty table of so many megabytes (2^20 bytes). The system commits memory when it is first used.
    pub(super) fn new(megabytes: usize) -> Result<Self, HashError> {
        let fail = |reason| HashError { megabytes, reason };
        let bytes = megabytes.checked_mul(1 << 20).ok_or_else(|| fail(std::io::ErrorKind::OutOfMemory.into()))?;
        let memory = MmapMut::map_anon(bytes).map_err(fail)?;
        // Huge pages make probes cheaper; a system without them is no error.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Ok(Self { memory: memory.into(), len: bytes / size_of::<Cluster>(), age: AtomicU8::new(0) })
    }

    fn clusters(&self) -> &[Cluster] {
        debug_assert!(self.len * size_of::<Cluster>() <= self.memory.len());
        // SAFETY: the mapping is page-aligned, zero-initialised (a valid pattern for atomics), at least `len`
        // clusters long, lives as long as `self`, and is used through these atomics only.
        unsafe { std::slice::from_raw_parts(self.memory.as_mut_ptr().cast::<Cluster>(), self.len) }
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        let index = (u128::from(key) * self.len as u128) >> 64;
        &self.clusters()[index as usize]
    }

    /// Forgets everything, with so many threads at work.
    pub(super) fn clear(&self, threads: usize) {
        let chunk = self.len.div_ceil(threads.max(1)).max(1);
        std::thread::scope(|scope| {
            let mut chunks = self.clusters().chunks(chunk);
            let own = chunks.next().unwrap_or_default();
            for clusters in chunks {
                scope.spawn(move || clear_clusters(clusters));
            }
            clear_clusters(own);
        });
        self.age.store(0, Relaxed);
    }

    /// Starts a new search: what older ones stored is replaced first.
    pub(super) fn new_search(&self) {
        self.age.store(self.age.load(Relaxed).wrapping_add(1) & AGE_MASK, Relaxed);
    }

    /// Asks the memory for the position's cluster ahead of its use.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    /// What is known about a position.
    pub(super) fn probe(&self, key: u64) -> Option<Entry> {
        let cluster = self.cluster(key);
        let keys = cluster.keys.load(Relaxed);
        let slot = (0..ENTRIES).find(|&slot| stored_key(keys, slot) == key & KEY_MASK)?;
        let word = cluster.entries[slot].load(Relaxed);
        (word != 0).then(|| Entry::unpack(word))
    }

    /// Stores what a search found `ply` plies from its root, unless what is there is worth more.
    pub(super) fn store(&self, key: u64, ply: usize, new: &NewEntry) {
        let cluster = self.cluster(key);
        let keys = cluster.keys.load(Relaxed);
        let age = self.age.load(Relaxed);
        let old = cluster.entries.each_ref().map(|word| Entry::unpack(word.load(Relaxed)));
        let same = (0..ENTRIES).find(|&slot| stored_key(keys, slot) == key & KEY_MASK);
        let slot = same.or_else(|| (0..ENTRIES).min_by_key(|&slot| old[slot].quality(age))).unwrap_or(0);
        let replaced = &old[slot];
        if same.is_some()
            && new.bound != Some(Bound::Exact)
            && new.depth + 4 + 2 * i32::from(new.pv) <= replaced.depth
            && replaced.age == age
        {
            return;
        }
        let entry = Entry {
            best: new.best.or(if same.is_some() { replaced.best } else { None }),
            score: score_to_store(new.score, ply),
            raw_eval: new.raw_eval.map_or(NO_EVAL, |eval| eval as i16),
            depth: new.depth.clamp(0, 255),
            bound: new.bound,
            pv: new.pv,
            age,
        };
        cluster.entries[slot].store(entry.pack(), Relaxed);
        let shift = slot as u32 * KEY_BITS;
        cluster.keys.store(keys & !(KEY_MASK << shift) | (key & KEY_MASK) << shift, Relaxed);
    }

    /// How full the table is with entries of the running search, in permille, from a sample.
    pub(super) fn hashfull(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = &self.clusters()[..self.len.min(1000)];
        let used = sample
            .iter()
            .flat_map(|cluster| &cluster.entries)
            .map(|word| word.load(Relaxed))
            .filter(|&word| word != 0 && Entry::unpack(word).age == age)
            .count();
        (used * 1000 / (sample.len() * ENTRIES).max(1)) as u32
    }
}

fn clear_clusters(clusters: &[Cluster]) {
    for cluster in clusters {
        cluster.keys.store(0, Relaxed);
        for entry in &cluster.entries {
            entry.store(0, Relaxed);
        }
    }
}

fn stored_key(keys: u64, slot: usize) -> u64 {
    keys >> (slot as u32 * KEY_BITS) & KEY_MASK
}

/// Mates and table wins are stored relative to the position, not to the root.
fn score_to_store(score: Score, ply: usize) -> i16 {
    let score = if score.abs() >= TB_WIN_IN_MAX_PLY { score + score.signum() * ply as Score } else { score };
    score.clamp(-MATE, MATE) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Square, mate_in};

    fn new_entry(score: Score, depth: i32) -> NewEntry {
        NewEntry {
            best: Some(Move::normal(Square::E2, Square::E4)),
            score,
            raw_eval: Some(-31),
            depth,
            bound: Some(Bound::Exact),
            pv: true,
        }
    }

    #[test]
    fn what_is_stored_comes_back() -> Result<(), HashError> {
        let table = TranspositionTable::new(1)?;
        for i in 0..1000_u64 {
            let key = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            assert_eq!(table.probe(key), None);
            table.store(key, 3, &new_entry(i as Score, 7));
            let entry = table.probe(key).filter(|entry| entry.best == Some(Move::normal(Square::E2, Square::E4)));
            let seen = entry.map(|entry| (entry.score(9, 0), entry.raw_eval(), entry.depth, entry.bound, entry.pv));
            assert_eq!(seen, Some((i as Score, Some(-31), 7, Some(Bound::Exact), true)));
        }
        table.clear(2);
        assert_eq!(table.probe(0), None);
        Ok(())
    }

    #[test]
    fn mates_count_from_the_position_and_expire_with_the_clock() -> Result<(), HashError> {
        let table = TranspositionTable::new(1)?;
        table.store(1, 4, &new_entry(mate_in(10), 5));
        let entry = table.probe(1);
        assert_eq!(entry.map(|entry| entry.score(2, 0)), Some(mate_in(8)));
        assert_eq!(entry.map(|entry| entry.score(2, 94)), Some(mate_in(8)));
        assert_eq!(entry.map(|entry| entry.score(2, 95)), Some(TB_WIN_IN_MAX_PLY - 1));
        Ok(())
    }

    #[test]
    fn an_allocation_that_cannot_succeed_is_an_error() {
        assert!(TranspositionTable::new(usize::MAX >> 20).is_err());
        assert!(TranspositionTable::new(usize::MAX).is_err());
    }
}
