//! Standard algebraic notation: which legal move is meant, and how a move is written.

use thiserror::Error;

use crate::board::Board;
use crate::types::{CastlingSide, File, Move, Piece, PieceType, Rank, Square};

/// What a move text says, before anybody asks whether there is such a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum San {
    /// Every move but castling.
    Normal {
        /// What moves.
        kind: PieceType,
        /// From which file, if that is said.
        file: Option<File>,
        /// From which rank, if that is said.
        rank: Option<Rank>,
        /// Where it goes.
        to: Square,
        /// What it becomes.
        promotion: Option<PieceType>,
    },
    /// Castling.
    Castling(CastlingSide),
}

/// Why a move text names no move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SanError {
    /// No legal move fits.
    #[error("illegal")]
    Illegal,
    /// Several legal moves fit.
    #[error("ambiguous")]
    Ambiguous,
}

impl San {
    /// The only legal move that is meant. Saying more than need be about where it comes from does no harm.
    ///
    /// # Errors
    ///
    /// When there is no such move, or more than one.
    pub fn find(self, board: &Board) -> Result<Move, SanError> {
        let mut fitting = board.legal_moves().into_iter().filter(|&m| self.fits(board, m));
        let found = fitting.next().ok_or(SanError::Illegal)?;
        if fitting.next().is_some() { Err(SanError::Ambiguous) } else { Ok(found) }
    }

    fn fits(self, board: &Board, m: Move) -> bool {
        match self {
            Self::Castling(side) => m.is_castling() && CastlingSide::of(m.from(), m.to()) == side,
            Self::Normal { kind, file, rank, to, promotion } => {
                // A pawn that captures names its file; without one it goes straight on.
                let file = file.or((kind == PieceType::Pawn).then_some(to.file()));
                m.to() == to
                    && !m.is_castling()
                    && m.promoted_to() == promotion
                    && board.piece_on(m.from()).is_some_and(|piece| piece.kind() == kind)
                    && file.is_none_or(|file| file == m.from().file())
                    && rank.is_none_or(|rank| rank == m.from().rank())
            }
        }
    }
}

/// A legal move as the PGN standard writes it, with no more about its origin than need be, and `+` or `#`.
///
/// ```
/// use rokade::{board::Board, rules::san};
/// let mut board = Board::startpos();
/// let m = board.legal_moves().into_iter().find(|m| m.to_string() == "g1f3").unwrap();
/// assert_eq!(san::write(&board, m), "Nf3");
/// ```
#[must_use]
pub fn write(board: &Board, m: Move) -> String {
    let mut text = body(board, m);
    let next = board.after(m);
    if next.in_check() {
        text.push(if next.has_no_legal_move() { '#' } else { '+' });
    }
    text
}

/// The text without check and mate.
fn body(board: &Board, m: Move) -> String {
    if m.is_castling() {
        let side = CastlingSide::of(m.from(), m.to());
        return if side == CastlingSide::HSide { "O-O" } else { "O-O-O" }.to_owned();
    }
    let kind = board.piece_on(m.from()).map_or(PieceType::Pawn, Piece::kind);
    let takes = if board.is_capture(m) { "x" } else { "" };
    if kind == PieceType::Pawn {
        let from = if takes.is_empty() { String::new() } else { m.from().file().to_char().to_string() };
        let promotion = m.promoted_to().map_or(String::new(), |kind| format!("={}", upper(kind)));
        return format!("{from}{takes}{}{promotion}", m.to());
    }
    format!("{}{}{takes}{}", upper(kind), origin(board, m, kind), m.to())
}

fn upper(kind: PieceType) -> char {
    kind.to_char().to_ascii_uppercase()
}

/// File, rank or both, as far as other pieces of the kind could go to the same square.
fn origin(board: &Board, m: Move, kind: PieceType) -> String {
    let san = San::Normal { kind, file: None, rank: None, to: m.to(), promotion: None };
    let others: Vec<Square> = board
        .legal_moves()
        .into_iter()
        .filter(|&other| other.from() != m.from() && san.fits(board, other))
        .map(Move::from)
        .collect();
    let (file, rank) = (m.from().file(), m.from().rank());
    if others.is_empty() {
        String::new()
    } else if others.iter().all(|other| other.file() != file) {
        file.to_char().to_string()
    } else if others.iter().all(|other| other.rank() != rank) {
        (rank.index() + 1).to_string()
    } else {
        m.from().to_string()
    }
}
