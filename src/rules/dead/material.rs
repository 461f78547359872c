//! What follows from the material alone.

use crate::board::Board;
use crate::types::{Bitboard, Color, PieceType};

/// Whether the material rules out that `winner` ever mates.
///
/// - A bare king mates nobody.
/// - A lone knight needs a man of the other side, which is not a queen, next to the other king: a queen next to her
///   king always takes the knight or has left a square free. A pawn may become any man.
/// - Bishops that all stand on squares of one colour need a knight, a pawn or a bishop of the other colour next to the
///   other king, on a square that they do not attack: a rook or a queen there could always interpose or capture.
pub(super) fn cannot_mate(board: &Board, winner: Color) -> bool {
    let loser = !winner;
    let own = board.of_color(winner);
    let heavy = board.of_kind(PieceType::Pawn) | board.of_kind(PieceType::Rook) | board.of_kind(PieceType::Queen);
    if (own & heavy).any() {
        return false;
    }
    let (knights, bishops) = (board.pieces(winner, PieceType::Knight), board.pieces(winner, PieceType::Bishop));
    if (knights | bishops).is_empty() {
        return true;
    }
    let others = |kinds: &[PieceType]| kinds.iter().fold(Bitboard::EMPTY, |men, &kind| men | board.pieces(loser, kind));
    if knights.any() {
        return bishops.is_empty()
            && !knights.more_than_one()
            && others(&[PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook]).is_empty();
    }
    let all_bishops = board.of_kind(PieceType::Bishop);
    let one_color = (all_bishops & Bitboard::DARK).is_empty() || (all_bishops & Bitboard::LIGHT).is_empty();
    one_color && others(&[PieceType::Pawn, PieceType::Knight]).is_empty()
}
