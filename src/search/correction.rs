//! Correction histories: how far the static evaluation was from what the search found, in positions that share a
//! feature with this one. The idea is from Caissa and Stockfish (2023-24).

use super::history::PieceTo;
use super::params;
use super::prefetch::prefetch;
use crate::board::Board;
use crate::types::{Color, Score};

const ENTRIES: usize = 16_384;
/// Entries stay within plus and minus this.
const LIMIT: i32 = 1_024;
/// The most that one result moves an entry.
const MAX_BONUS: i32 = LIMIT / 4;
/// This much of the weighted sum of all entries is a unit of the evaluation.
const UNIT: i32 = 64 * 64;

/// What the side to move sees of a feature: rows by colour.
type Table = Box<[[i16; ENTRIES]; 2]>;

/// The corrections of one worker.
pub(super) struct Corrections {
    pawns: Table,
    minors: Table,
    /// By the colour whose pieces are meant.
    non_pawns: [Table; 2],
    /// By the last two moves of the line.
    continuation: Vec<i16>,
}

impl Corrections {
    pub(super) fn new() -> Self {
        let table = || Box::new([[0; ENTRIES]; 2]);
        Self {
            pawns: table(),
            minors: table(),
            non_pawns: [table(), table()],
            continuation: vec![0; PieceTo::COUNT * PieceTo::COUNT],
        }
    }

    /// What to add to the static evaluation of `board`; `line` is the last move and the one before.
    pub(super) fn value(&self, board: &Board, line: [Option<PieceTo>; 2]) -> Score {
        let weighted = self.entries(board, line).into_iter().zip(params::correction_weights());
        weighted.map(|(&entry, weight)| i32::from(entry) * weight).sum::<i32>() / UNIT
    }

    /// Asks the memory for what `value` will read.
    #[inline]
    pub(super) fn prefetch(&self, board: &Board, line: [Option<PieceTo>; 2]) {
        self.entries(board, line).into_iter().for_each(prefetch);
    }

    #[inline]
    fn entries(&self, board: &Board, line: [Option<PieceTo>; 2]) -> [&i16; 5] {
        static NOTHING: i16 = 0;
        let (stm, keys) = (board.stm().index(), board.keys());
        let [white, black] = [0, 1].map(|color| &self.non_pawns[color][stm][slot(keys.non_pawns[color])]);
        let (pawns, minors) = (&self.pawns[stm][slot(keys.pawns)], &self.minors[stm][slot(keys.minors)]);
        [pawns, minors, white, black, continuation_slot(line).map_or(&NOTHING, |slot| &self.continuation[slot])]
    }

    /// Learns that the search found `difference` more than the static evaluation said.
    pub(super) fn update(&mut self, board: &Board, line: [Option<PieceTo>; 2], difference: Score, depth: i32) {
        let bonus = (difference * depth / 8).clamp(-MAX_BONUS, MAX_BONUS);
        let (stm, keys) = (board.stm().index(), board.keys());
        move_towards(&mut self.pawns[stm][slot(keys.pawns)], bonus);
        move_towards(&mut self.minors[stm][slot(keys.minors)], bonus);
        for color in Color::ALL {
            move_towards(&mut self.non_pawns[color.index()][stm][slot(keys.non_pawns[color.index()])], bonus);
        }
        if let Some(slot) = continuation_slot(line) {
            move_towards(&mut self.continuation[slot], bonus);
        }
    }
}

fn slot(key: u64) -> usize {
    key as usize % ENTRIES
}

fn continuation_slot(line: [Option<PieceTo>; 2]) -> Option<usize> {
    let [last, before] = line;
    Some(last?.index() * PieceTo::COUNT + before?.index())
}

fn move_towards(entry: &mut i16, bonus: i32) {
    let old = i32::from(*entry);
    *entry = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More than any correction.
    const GREATEST: Score = 5 * LIMIT * 100 / UNIT;

    #[test]
    fn corrections_follow_the_search_and_stay_bounded() {
        let (board, mut corrections) = (Board::startpos(), Corrections::new());
        assert_eq!(corrections.value(&board, [None; 2]), 0);
        for _ in 0..1_000 {
            corrections.update(&board, [None; 2], 50, 10);
        }
        let high = corrections.value(&board, [None; 2]);
        assert!(high > 20 && high <= GREATEST, "{high}");
        for _ in 0..1_000 {
            corrections.update(&board, [None; 2], -5_000, 200);
        }
        let low = corrections.value(&board, [None; 2]);
        assert!((-GREATEST..-20).contains(&low), "{low}");
    }
}
