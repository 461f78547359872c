//! A list of moves that lives on the stack.

use arrayvec::ArrayVec;

use super::Move;

/// More moves than any accepted position has: fifteen queens of 27 moves each and a king with eight steps and two
/// ways to castle stay below it.
pub const MAX_MOVES: usize = 416;

/// The moves of a position.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;
