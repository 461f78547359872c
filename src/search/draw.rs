//! Draws inside the tree, and the key that keeps the table from mixing positions with much and little time left before
//! the 50-move rule.

use super::worker::Worker;
use crate::board::Board;
use crate::rules::dead;
use crate::types::{DRAW, Move, PieceType, Score};

/// Below this half-move clock a position is stored under its own key.
const FREE_PLIES: u16 = 16;

impl Worker {
    /// Whether the position is a draw: by the 50-move rule unless it is mate, because nobody can win, or by repetition.
    /// Inside the tree the first repetition counts; a position from before the search, or its root, must come a
    /// third time.
    pub(super) fn is_draw(&self, board: &Board, ply: usize) -> bool {
        if board.halfmove_clock() >= 100 {
            return !board.in_check() || !board.has_no_legal_move();
        }
        if board.is_insufficient_material() || self.is_root_dead || is_newly_dead(board) {
            return true;
        }
        let reach = self.repetition_reach(board, ply);
        let mut seen_before_search = false;
        for back in (4..=reach).step_by(2) {
            if self.keys[self.keys.len() - back] == board.key() {
                if back < ply || seen_before_search {
                    return true;
                }
                seen_before_search = true;
            }
        }
        false
    }

    /// `alpha`, or the score of a draw where that is more and the side to move can bring about a repetition.
    pub(super) fn raised_by_repetition(&self, board: &Board, alpha: Score, ply: usize) -> Score {
        if alpha < DRAW && self.can_repeat(board, ply) { DRAW } else { alpha }
    }

    /// Whether the side to move can bring about a repetition that is a draw (see `is_draw`), so that the position is
    /// worth a draw to it at least.
    fn can_repeat(&self, board: &Board, ply: usize) -> bool {
        let reach = self.repetition_reach(board, ply);
        (3..=reach).step_by(2).any(|back| {
            let index = self.keys.len() - back;
            let key = self.keys[index];
            let seen_before =
                || self.keys[self.keys.len() - reach..index].iter().rev().skip(3).step_by(2).any(|&k| k == key);
            board.can_return_to(key) && (back < ply || seen_before())
        })
    }

    /// How many plies back the first position lies that may be repeated.
    fn repetition_reach(&self, board: &Board, ply: usize) -> usize {
        self.stack.at(ply).reversible.min(board.halfmove_clock().into()).min(self.keys.len())
    }
}

/// Whether neither side can win since the last move, a capture or a pawn move, locked the pawns. The other moves of a
/// dead game come after such a move or after a dead root, so that they need no test of their own.
#[inline]
fn is_newly_dead(board: &Board) -> bool {
    board.halfmove_clock() == 0 && dead::may_be_locked(board) && dead::is_dead_statically(board)
}

/// The key under which a position is stored. Near the 50-move limit it changes with the clock, so that what was
/// true with much time left is not taken for true with little.
pub(super) fn tt_key(board: &Board) -> u64 {
    with_clock(board.key(), board.halfmove_clock())
}

/// The key after a move, as far as it shows without playing it; for prefetching.
#[inline]
pub(super) fn likely_tt_key_after(board: &Board, m: Move) -> u64 {
    let moves_pawn = || board.piece_on(m.from()).is_some_and(|piece| piece.kind() == PieceType::Pawn);
    let resets_clock = board.piece_on(m.to()).is_some() || moves_pawn();
    with_clock(board.likely_key_after(m), if resets_clock { 0 } else { board.halfmove_clock() + 1 })
}

#[inline]
fn with_clock(key: u64, clock: u16) -> u64 {
    const STEP: u16 = 8;
    if clock < FREE_PLIES {
        return key;
    }
    key ^ u64::from((clock - FREE_PLIES) / STEP + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
