//! How a game stands by the Laws: over by itself, or a draw that a player may claim.

use super::Game;

/// Why a game is over, or may be called over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side has the material to mate.
    InsufficientMaterial,
    /// The position occurred three times.
    ThreefoldRepetition,
    /// Fifty moves by each side without capture or pawn move.
    FiftyMoves,
}

impl Game {
    /// How the game ends here if the player whose turn it is claims every draw he may. Mate comes first: a mating
    /// move wins even when it is the hundredth ply.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        let board = self.board();
        if board.has_no_legal_move() {
            Some(if board.in_check() { Outcome::Checkmate } else { Outcome::Stalemate })
        } else if board.is_insufficient_material() {
            Some(Outcome::InsufficientMaterial)
        } else if self.repetitions() >= 3 {
            Some(Outcome::ThreefoldRepetition)
        } else if board.halfmove_clock() >= 100 {
            Some(Outcome::FiftyMoves)
        } else {
            None
        }
    }
}
