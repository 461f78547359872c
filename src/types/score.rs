//! Scores: what the search and the evaluation say about a position, from the view of the side to move.
//!
//! Plain integers, since the search adds and compares them all the time. The ranges, from the top:
//! `MATE - ply` (mate in so many plies from the root), the tablebase wins, and the evaluation, in units of the
//! network. `eval::WinModel` makes centipawns of them where people read them.

/// A score; positive is good for the side to move.
pub type Score = i32;

/// A draw.
pub const DRAW: Score = 0;
/// Beyond every score; used as the open window.
pub const INFINITE: Score = 32_001;
/// Mate on the board, seen by the winner.
pub const MATE: Score = 32_000;
/// The deepest ply the search reaches.
pub const MAX_PLY: usize = 240;
/// Scores of this size and beyond are mates found by the search.
pub const MATE_IN_MAX_PLY: Score = MATE - MAX_PLY as Score;
/// A win known from endgame tables.
pub const TB_WIN: Score = MATE_IN_MAX_PLY - 1;
/// Scores of this size and beyond are decided: by mate or by tables. The evaluation stays below.
pub const TB_WIN_IN_MAX_PLY: Score = TB_WIN - MAX_PLY as Score;

/// The score of giving mate `ply` plies from the root.
#[inline]
#[must_use]
pub const fn mate_in(ply: usize) -> Score {
    MATE - ply as Score
}

/// The score of being mated `ply` plies from the root.
#[inline]
#[must_use]
pub const fn mated_in(ply: usize) -> Score {
    -MATE + ply as Score
}

/// Whether the score is a mate for one side.
#[inline]
#[must_use]
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_IN_MAX_PLY && score.abs() <= MATE
}

/// Whether the score is a mate or a tablebase result for one side.
#[inline]
#[must_use]
pub const fn is_decisive(score: Score) -> bool {
    score.abs() >= TB_WIN_IN_MAX_PLY
}

/// Full moves to mate, positive when the side to move gives it, negative when it gets it; `None` if it is no mate.
///
/// ```
/// use rokade::types::{mate_in, mated_in, moves_to_mate};
/// assert_eq!(moves_to_mate(mate_in(1)), Some(1));
/// assert_eq!(moves_to_mate(mated_in(2)), Some(-1));
/// assert_eq!(moves_to_mate(35), None);
/// ```
#[must_use]
pub const fn moves_to_mate(score: Score) -> Option<i32> {
    if !is_mate(score) {
        None
    } else if score > 0 {
        Some((MATE - score + 1) / 2)
    } else {
        Some(-(MATE + score) / 2)
    }
}
