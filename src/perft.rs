//! Perft: the number of move sequences of a given length, the standard check of a move generator.

use crate::board::Board;
use crate::types::Move;

/// Counts the leaves of the tree of legal moves `depth` plies deep. The last ply is counted without being played.
///
/// ```
/// use rokade::{board::Board, perft::perft};
/// assert_eq!(perft(&Board::startpos(), 3), 8_902);
/// ```
#[must_use]
pub fn perft(board: &Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => board.count_legal_moves(),
        _ => board.legal_moves().into_iter().map(|m| perft(&after(board, m), depth - 1)).sum(),
    }
}

/// Counts the leaves below each legal move, in the order of generation. Depth 0 has no moves to divide.
#[must_use]
pub fn divide(board: &Board, depth: u32) -> Vec<(Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    board.legal_moves().into_iter().map(|m| (m, perft(&after(board, m), depth - 1))).collect()
}

fn after(board: &Board, m: Move) -> Board {
    let mut next = board.clone();
    next.make_move(m);
    next
}
