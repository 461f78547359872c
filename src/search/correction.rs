//! Correction histories: how far the static evaluation was from what the search found, in positions that share a
//! feature with this one. The idea is from Caissa and Stockfish (2023-24).

use super::history::{PieceTo, move_within};
use super::params;
use super::prefetch::prefetch;
use crate::board::Board;
use crate::types::Score;

const ENTRIES: usize = 16_384;
/// Entries stay within plus and minus this.
const LIMIT: i32 = 1_024;
/// The most that one result moves an entry.
const MAX_BONUS: i32 = LIMIT / 4;
/// This much of the weighted sum of all entries is a unit of the evaluation.
const UNIT: i32 = 64 * 64;

/// What positions are alike in: the pawns, the minor pieces, White's pieces and Black's.
const FEATURES: usize = 4;

/// The corrections of one worker.
pub(super) struct Corrections {
    /// By feature, side to move and the feature's key.
    by_feature: Box<[[[i16; ENTRIES]; 2]; FEATURES]>,
    /// By the last two moves of the line.
    continuation: Vec<i16>,
}

impl Corrections {
    pub(super) fn new() -> Self {
        Self {
            by_feature: Box::new([[[0; ENTRIES]; 2]; FEATURES]),
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
        let [pawns, minors, white, black] = feature_slots(board);
        let of = |feature: usize, slot| &self.by_feature[feature][board.stm().index()][slot];
        let line = continuation_slot(line).map_or(&NOTHING, |slot| &self.continuation[slot]);
        [of(0, pawns), of(1, minors), of(2, white), of(3, black), line]
    }

    /// Learns that the search found `difference` more than the static evaluation said.
    pub(super) fn update(&mut self, board: &Board, line: [Option<PieceTo>; 2], difference: Score, depth: i32) {
        let bonus = (difference * depth / 8).clamp(-MAX_BONUS, MAX_BONUS);
        for (table, slot) in self.by_feature.iter_mut().zip(feature_slots(board)) {
            move_within::<LIMIT>(&mut table[board.stm().index()][slot], bonus);
        }
        if let Some(slot) = continuation_slot(line) {
            move_within::<LIMIT>(&mut self.continuation[slot], bonus);
        }
    }
}

fn feature_slots(board: &Board) -> [usize; FEATURES] {
    let keys = board.keys();
    [keys.pawns, keys.minors, keys.non_pawns[0], keys.non_pawns[1]].map(|key| key as usize % ENTRIES)
}

fn continuation_slot(line: [Option<PieceTo>; 2]) -> Option<usize> {
    let [last, before] = line;
    Some(last?.index() * PieceTo::COUNT + before?.index())
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
