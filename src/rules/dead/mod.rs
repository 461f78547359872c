//! Dead positions and winnability: can a side still give mate by any series of legal moves, helped by the other side?
//!
//! From cheap to dear: material may rule a mate out; a bound on where every man can ever get to (`reach`, and `duel`
//! for the two kings) proves that locked pawns keep kings and bishops apart; a search for a helpmate (`helpmate`) also
//! proves that there is none when it has seen every position that can arise. A "no" is
//! proven; a search that runs out of its budget leaves the question open. The draws by 50 and 75 moves and by
//! repetition are left out of account, as usual in this matter: they do not follow from the position.

mod duel;
mod helpmate;
mod material;
mod reach;

use helpmate::Looks;
use reach::Care;

use crate::board::Board;
use crate::types::{Color, PieceType};

/// How many positions a search for a helpmate may look at for a verdict that has to be good.
pub const FULL_BUDGET: u32 = 60_000;

/// How many positions a search may look at when there is little time: enough for a helpmate from most positions, and
/// to follow a short forced line to its end.
pub const SMALL_BUDGET: u32 = FIRST_TRY;

/// How many positions are searched before anything dearer: most positions have a short helpmate.
const FIRST_TRY: u32 = 256;

/// Whether a side can still win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winnability {
    /// Some series of legal moves ends in mate.
    Yes,
    /// No series of legal moves does.
    No,
    /// Not known within the budget.
    Undecided,
}

/// Whether `winner` can still give mate by any series of legal moves, found with at most `budget` positions searched.
///
/// ```
/// use rokade::board::Board;
/// use rokade::rules::dead::{FULL_BUDGET, Winnability, winnability};
/// use rokade::types::{CastlingMode, Color};
/// let wall = Board::from_fen("4k3/8/8/1p1p1p1p/1P1P1P1P/8/4K3/8 w - - 0 1", CastlingMode::Standard)?;
/// assert_eq!(winnability(&wall, Color::White, FULL_BUDGET), Winnability::No);
/// assert_eq!(winnability(&Board::startpos(), Color::White, FULL_BUDGET), Winnability::Yes);
/// # Ok::<(), rokade::board::FenError>(())
/// ```
#[must_use]
pub fn winnability(board: &Board, winner: Color, budget: u32) -> Winnability {
    match first_look(board, winner, budget) {
        Winnability::Undecided => close_look(board, winner, budget),
        verdict => verdict,
    }
}

/// What is cheap: the end of the game, material, and a short search for a mate.
fn first_look(board: &Board, winner: Color, budget: u32) -> Winnability {
    if board.has_no_legal_move() {
        let is_mate = board.in_check() && board.stm() != winner;
        return if is_mate { Winnability::Yes } else { Winnability::No };
    }
    if material::cannot_mate(board, winner) {
        return Winnability::No;
    }
    helpmate::search(board, winner, budget.min(FIRST_TRY), Looks::None)
}

/// What is dear: where the men can ever get to, and a long search.
fn close_look(board: &Board, winner: Color, budget: u32) -> Winnability {
    if reach::cannot_mate(board, winner, Care::Close) {
        return Winnability::No;
    }
    if budget <= FIRST_TRY {
        return Winnability::Undecided;
    }
    helpmate::search(board, winner, budget, Looks::default())
}

/// Whether the position is dead: neither side can mate any more. `None` if that is not known within the budget.
#[must_use]
pub fn is_dead(board: &Board, budget: u32) -> Option<bool> {
    // Most positions are alive, and a short search for either side shows it.
    let mut first = [Winnability::Undecided; 2];
    for winner in Color::ALL {
        first[winner.index()] = first_look(board, winner, budget);
        if first[winner.index()] == Winnability::Yes {
            return Some(false);
        }
    }
    let verdict = |winner: Color| match first[winner.index()] {
        Winnability::Undecided => close_look(board, winner, budget),
        verdict => verdict,
    };
    match Color::ALL.map(verdict) {
        [Winnability::No, Winnability::No] => Some(true),
        [Winnability::Yes, _] | [_, Winnability::Yes] => Some(false),
        _ => None,
    }
}

/// Whether the position is dead, as far as can be told without a search; it calls none dead that is not.
#[must_use]
pub fn is_dead_statically(board: &Board) -> bool {
    let cannot_mate = |winner| material::cannot_mate(board, winner) || reach::cannot_mate(board, winner, Care::Quick);
    Color::ALL.into_iter().all(cannot_mate)
}

/// Whether every pawn stands in front of another and there are no rooks and queens: the positions in which
/// [`is_dead_statically`] has a chance and is worth its time inside a search.
#[inline]
#[must_use]
pub fn may_be_locked(board: &Board) -> bool {
    let pawns = board.of_kind(PieceType::Pawn);
    let white = pawns & board.of_color(Color::White);
    let black = pawns & board.of_color(Color::Black);
    (board.of_kind(PieceType::Rook) | board.of_kind(PieceType::Queen)).is_empty()
        && ((white.shift(8) | black.shift(-8)) & !pawns).is_empty()
}
