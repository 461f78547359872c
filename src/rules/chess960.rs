//! The start positions of Chess960 and their numbers, 0 to 959, by Scharnagl's scheme; 518 is that of standard chess.

use crate::board::Board;
use crate::types::{CastlingMode, Color, Piece, PieceType, Square};

/// How many start positions there are.
pub const COUNT: u16 = 960;

/// Where the knights go, counted in the squares that are still free.
const KNIGHTS: [[usize; 2]; 10] = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];

/// The pieces of one side from the a-file on.
type BackRank = [PieceType; 8];

/// The start position with White's pieces placed by one number and Black's by another, each below [`COUNT`]; equal
/// numbers make Chess960, different ones double Chess960. `None` for a number that is too large.
///
/// ```
/// use rokade::{board::Board, rules::chess960};
/// let board = chess960::start_position(518, 518).unwrap();
/// assert_eq!(board.key(), Board::startpos().key());
/// assert!(chess960::start_position(960, 0).is_none());
/// ```
#[must_use]
pub fn start_position(white: u16, black: u16) -> Option<Board> {
    let (white, black) = (back_rank(white)?, back_rank(black)?);
    let letters = |rank: BackRank| rank.into_iter().map(PieceType::to_char).collect::<String>().to_ascii_lowercase();
    let placement = format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{}", letters(black), letters(white).to_ascii_uppercase());
    // Both rooks of each side are the outermost ones, so that X-FEN names them.
    Board::from_fen(&format!("{placement} w KQkq - 0 1"), CastlingMode::Chess960).ok()
}

/// The numbers of White's and Black's pieces, if this is a start position with White to move and all castling rights.
///
/// ```
/// use rokade::rules::chess960;
/// let board = chess960::start_position(0, 959).unwrap();
/// assert_eq!(chess960::numbers(&board), Some((0, 959)));
/// ```
#[must_use]
pub fn numbers(board: &Board) -> Option<(u16, u16)> {
    let number = |color: Color| {
        let squares = Square::all().filter(|square| square.rank() == color.back_rank());
        let kinds = squares.filter_map(|square| board.piece_on(square)).filter(|piece| piece.color() == color);
        let rank: Vec<PieceType> = kinds.map(Piece::kind).collect();
        number_of(rank.try_into().ok()?)
    };
    let (white, black) = (number(Color::White)?, number(Color::Black)?);
    let start = start_position(white, black)?;
    (start.key() == board.key()).then_some((white, black))
}

/// The pieces of a start position.
fn back_rank(number: u16) -> Option<BackRank> {
    if number >= COUNT {
        return None;
    }
    let number = usize::from(number);
    let mut rank = [None; 8];
    rank[2 * (number % 4) + 1] = Some(PieceType::Bishop);
    rank[2 * (number / 4 % 4)] = Some(PieceType::Bishop);
    place(&mut rank, number / 16 % 6, PieceType::Queen);
    let [first, second] = KNIGHTS[number / 96];
    // The second first: it does not move the free square of the first.
    place(&mut rank, second, PieceType::Knight);
    place(&mut rank, first, PieceType::Knight);
    for piece in [PieceType::Rook, PieceType::King, PieceType::Rook] {
        place(&mut rank, 0, piece);
    }
    Some(rank.map(|piece| piece.unwrap_or(PieceType::Rook)))
}

/// Puts a piece on the free square with this number, from 0.
fn place(rank: &mut [Option<PieceType>; 8], number: usize, piece: PieceType) {
    if let Some(square) = rank.iter_mut().filter(|square| square.is_none()).nth(number) {
        *square = Some(piece);
    }
}

/// The number of a start position; `None` if it is none.
fn number_of(rank: BackRank) -> Option<u16> {
    let files = |kind: PieceType| (0..8).filter(move |&file| rank[file] == kind);
    let light = files(PieceType::Bishop).find(|file| file % 2 == 1)?;
    let dark = files(PieceType::Bishop).find(|file| file % 2 == 0)?;
    let free_before = |file: usize, taken: &[PieceType]| (0..file).filter(|&at| !taken.contains(&rank[at])).count();
    let queen = free_before(files(PieceType::Queen).next()?, &[PieceType::Bishop]);
    let taken = [PieceType::Bishop, PieceType::Queen];
    let knights: Vec<usize> = files(PieceType::Knight).map(|file| free_before(file, &taken)).collect();
    let knights = KNIGHTS.iter().position(|places| places[..] == knights[..])?;
    let number = u16::try_from(light / 2 + 4 * (dark / 2) + 16 * queen + 96 * knights).ok()?;
    (back_rank(number) == Some(rank)).then_some(number)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn rank(number: u16) -> String {
        let rank = back_rank(number).expect("a number below 960");
        rank.into_iter().map(PieceType::to_char).collect::<String>().to_ascii_lowercase()
    }

    #[test]
    fn numbers_are_those_of_scharnagl() {
        assert_eq!(rank(0), "bbqnnrkr");
        assert_eq!(rank(518), "rnbqkbnr");
        assert_eq!(rank(959), "rkrnnqbb");
        let all: HashSet<String> = (0..COUNT).map(rank).collect();
        assert_eq!(all.len(), usize::from(COUNT));
        assert_eq!(back_rank(COUNT), None);
    }

    #[test]
    fn every_start_position_keeps_the_rules_and_knows_its_numbers() {
        for number in 0..COUNT {
            let other = COUNT - 1 - number;
            let board = start_position(number, other).expect("numbers below 960");
            assert_eq!(board.castling().rooks().count(), 4, "{number}");
            assert_eq!(numbers(&board), Some((number, other)));
            let text = rank(number);
            let bishops: Vec<usize> = text.match_indices('b').map(|(file, _)| file % 2).collect();
            assert_ne!(bishops[0], bishops[1], "{text}");
        }
    }

    #[test]
    fn other_positions_have_no_number() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RRBQKBNR w KQkq - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        ] {
            let board = Board::from_fen(fen, CastlingMode::Standard).expect("a good FEN");
            assert_eq!(numbers(&board), None, "{fen}");
        }
    }
}
