//! Moves and their text. Inside, castling is king takes rook; what is written depends on the mode.

use vampirc_uci::{UciMove, UciPiece, UciSquare};

use crate::board::Board;
use crate::types::{CastlingMode, CastlingSide, Move, PieceType, Square};

/// Finds the legal move that a text means, in either case; `None` if there is none.
///
/// Castling is understood as king takes rook and as the king's move to its target, whatever the mode. Where the second
/// form is also a plain king move, that is meant.
///
/// ```
/// use rokade::{board::Board, types::CastlingMode, uci::convert::parse_move};
/// let board = Board::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1", CastlingMode::Standard)?;
/// let castling = parse_move(&board, "e1g1").expect("castling is legal");
/// assert_eq!(parse_move(&board, "E1H1"), Some(castling));
/// assert_eq!(parse_move(&board, "e1c1"), None);
/// # Ok::<(), rokade::board::FenError>(())
/// ```
#[must_use]
pub fn parse_move(board: &Board, text: &str) -> Option<Move> {
    let from = Square::parse(text.get(0..2)?)?;
    let to = Square::parse(text.get(2..4)?)?;
    let promotion = match text.get(4..)? {
        "" => None,
        letter => Some(parse_promotion(letter)?),
    };
    let moves = board.legal_moves();
    let find = |is_meant: &dyn Fn(Move) -> bool| moves.iter().copied().find(|&m| m.from() == from && is_meant(m));
    find(&|m| m.to() == to && m.promoted_to() == promotion)
        .or_else(|| find(&|m| m.is_castling() && promotion.is_none() && from != to && king_target(m) == to))
}

fn parse_promotion(letter: &str) -> Option<PieceType> {
    let mut letters = letter.chars();
    let piece = PieceType::from_char(letters.next()?)?;
    (letters.next().is_none() && PieceType::PROMOTIONS.contains(&piece)).then_some(piece)
}

/// Where the king lands when it castles.
fn king_target(castling: Move) -> Square {
    let side = CastlingSide::of(castling.from(), castling.to());
    Square::new(side.king_target(), castling.from().rank())
}

/// The move as the protocol writes it. In standard mode castling is the king's two steps if king and rook stand where
/// they stand in standard chess; otherwise it is king takes rook.
///
/// ```
/// use rokade::types::{CastlingMode, Move, Square};
/// use rokade::uci::convert::to_uci;
/// let castling = Move::castling(Square::E1, Square::H1);
/// assert_eq!(to_uci(castling, CastlingMode::Standard).to_string(), "e1g1");
/// assert_eq!(to_uci(castling, CastlingMode::Chess960).to_string(), "e1h1");
/// ```
#[must_use]
pub fn to_uci(m: Move, mode: CastlingMode) -> UciMove {
    let is_two_steps =
        m.is_castling() && mode == CastlingMode::Standard && Board::is_orthodox_castling(m.from(), m.to());
    UciMove {
        from: to_uci_square(m.from()),
        to: to_uci_square(if is_two_steps { king_target(m) } else { m.to() }),
        promotion: m.promoted_to().map(to_uci_piece),
    }
}

fn to_uci_square(square: Square) -> UciSquare {
    // A rank is at most 8.
    UciSquare::from(square.file().to_char(), square.rank().index() as u8 + 1)
}

fn to_uci_piece(kind: PieceType) -> UciPiece {
    match kind {
        PieceType::Pawn => UciPiece::Pawn,
        PieceType::Knight => UciPiece::Knight,
        PieceType::Bishop => UciPiece::Bishop,
        PieceType::Rook => UciPiece::Rook,
        PieceType::Queen => UciPiece::Queen,
        PieceType::King => UciPiece::King,
    }
}
