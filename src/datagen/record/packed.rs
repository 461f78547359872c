//! A position in 28 bytes, for any start position of Chess960 and double Chess960.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | the occupied squares, bit 0 is a1 |
//! | 8..24 | four bits for each piece from a1 to h8, low half of a byte first: kind, and 8 for Black |
//! | 24 | the en passant square or 64, and 128 if Black is to move |
//! | 25 | the half-move clock; 255 stands for itself and all above |
//! | 26..28 | the move number |
//!
//! A rook that may castle is a kind of its own, so castling rights need no room and no mode.

use std::fmt::Write as _;

use thiserror::Error;

use crate::board::{Board, FenError};
use crate::types::{Bitboard, CastlingMode, Color, File, Piece, PieceType, Rank, Square};

/// Bytes of a packed position.
pub const PACKED_BYTES: usize = 28;

/// Most pieces of a position.
const MAX_PIECES: u32 = 32;
/// The kind of a rook that may castle; the others are the indices of `PieceType`.
const CASTLING_ROOK: u8 = 6;
const BLACK: u8 = 8;
const NO_EN_PASSANT: u8 = 64;
const BLACK_TO_MOVE: u8 = 128;

/// Why 28 bytes are not a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum UnpackError {
    #[error("{0} pieces on the board")]
    TooManyPieces(u32),
    #[error("{0} is no piece")]
    UnknownPiece(u8),
    #[error("{0}")]
    Unplayable(#[from] FenError),
    #[error("castling rights, en passant square or unused bits that mean nothing")]
    Meaningless,
}

/// Packs a position.
#[must_use]
pub fn pack(board: &Board) -> [u8; PACKED_BYTES] {
    let mut bytes = [0; PACKED_BYTES];
    bytes[..8].copy_from_slice(&board.occupied().0.to_le_bytes());
    for (index, square) in board.occupied().into_iter().enumerate() {
        let Some(piece) = board.piece_on(square) else { continue };
        bytes[8 + index / 2] |= piece_code(board, piece, square) << (4 * (index % 2));
    }
    let side = if board.stm() == Color::Black { BLACK_TO_MOVE } else { 0 };
    bytes[24] = side | board.ep_square().map_or(NO_EN_PASSANT, |square| square.index() as u8);
    bytes[25] = board.halfmove_clock().min(255) as u8;
    bytes[26..].copy_from_slice(&board.fullmove_number().to_le_bytes());
    bytes
}

/// Unpacks a position.
///
/// # Errors
///
/// When the bytes are not what `pack` makes of a playable position.
pub fn unpack(bytes: &[u8; PACKED_BYTES]) -> Result<Board, UnpackError> {
    let board = Board::from_fen(&to_fen(bytes)?, CastlingMode::Chess960)?;
    // Reading a FEN forgives what has no meaning; here it is a sign of damage.
    if pack(&board) == *bytes { Ok(board) } else { Err(UnpackError::Meaningless) }
}

fn piece_code(board: &Board, piece: Piece, square: Square) -> u8 {
    let may_castle = board.castling().rooks().contains(square);
    let kind = if may_castle { CASTLING_ROOK } else { piece.kind() as u8 };
    kind | if piece.color() == Color::Black { BLACK } else { 0 }
}

/// The Shredder-FEN of packed bytes: the board has only this way in, which checks everything.
fn to_fen(bytes: &[u8; PACKED_BYTES]) -> Result<String, UnpackError> {
    let mut occupied = [0; 8];
    occupied.copy_from_slice(&bytes[..8]);
    let occupied = Bitboard(u64::from_le_bytes(occupied));
    if occupied.count() > MAX_PIECES {
        return Err(UnpackError::TooManyPieces(occupied.count()));
    }
    let mut letters = [None; 64];
    let mut castling = String::new();
    for (index, square) in occupied.into_iter().enumerate() {
        let code = bytes[8 + index / 2] >> (4 * (index % 2)) & 15;
        let piece = decode_piece(code)?;
        letters[square.index()] = Some(piece.to_char());
        if code & !BLACK == CASTLING_ROOK {
            let file = square.file().to_char();
            castling.push(if piece.color() == Color::White { file.to_ascii_uppercase() } else { file });
        }
    }
    let mut fen = placement(&letters);
    let side = if bytes[24] & BLACK_TO_MOVE == 0 { 'w' } else { 'b' };
    let castling = if castling.is_empty() { "-" } else { &castling };
    let number = u16::from_le_bytes([bytes[26], bytes[27]]);
    // Writing to a string cannot fail.
    let _ = write!(fen, " {side} {castling} {} {} {number}", en_passant(bytes[24]), bytes[25]);
    Ok(fen)
}

fn decode_piece(code: u8) -> Result<Piece, UnpackError> {
    let color = if code & BLACK == 0 { Color::White } else { Color::Black };
    let kind = match code & !BLACK {
        CASTLING_ROOK => PieceType::Rook,
        kind => *PieceType::ALL.get(usize::from(kind)).ok_or(UnpackError::UnknownPiece(code))?,
    };
    Ok(Piece::new(color, kind))
}

fn en_passant(byte: u8) -> String {
    match byte & !BLACK_TO_MOVE {
        square @ 0..NO_EN_PASSANT => Square::from_index(usize::from(square)).to_string(),
        _ => "-".to_owned(),
    }
}

fn placement(letters: &[Option<char>; 64]) -> String {
    let mut text = String::with_capacity(96);
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            let square = Square::new(File::from_index(file), Rank::from_index(rank));
            match letters[square.index()] {
                Some(letter) => {
                    push_empty(&mut text, &mut empty);
                    text.push(letter);
                }
                None => empty += 1,
            }
        }
        push_empty(&mut text, &mut empty);
        if rank > 0 {
            text.push('/');
        }
    }
    text
}

/// Writes a run of empty squares, if there is one, and resets it.
fn push_empty(text: &mut String, empty: &mut u8) {
    if *empty > 0 {
        text.push(char::from(b'0' + *empty));
        *empty = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen, CastlingMode::Chess960).expect(fen)
    }

    #[test]
    fn positions_come_back_as_they_were() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
            "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b HAha e3 0 3",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "nrbqkrnb/pppppppp/8/8/8/8/PPPPPPPP/RKNBBQRN b GAfb - 17 300",
            "8/8/8/3k4/8/3KP3/8/8 w - - 99 9999",
            "r3k1r1/8/8/8/8/8/8/1R2K2R b Bg - 255 40",
        ] {
            let packed = pack(&board(fen));
            let unpacked = unpack(&packed).expect(fen);
            assert_eq!(unpacked.to_fen(CastlingMode::Chess960), fen);
            assert_eq!(unpacked.key(), board(fen).key());
        }
    }

    #[test]
    fn a_clock_beyond_the_byte_is_cut() {
        let unpacked = unpack(&pack(&board("8/8/8/3k4/8/3KP3/8/8 w - - 300 400"))).expect("a position");
        assert_eq!(unpacked.halfmove_clock(), 255);
    }

    #[test]
    fn bytes_that_are_no_position_are_refused() {
        let good = pack(&Board::startpos());
        let changed = |index: usize, byte: u8| {
            let mut bytes = good;
            bytes[index] = byte;
            unpack(&bytes)
        };
        assert!(matches!(changed(3, 0xFF), Err(UnpackError::TooManyPieces(40))));
        assert!(matches!(changed(8, 0x17), Err(UnpackError::UnknownPiece(7))));
        assert!(matches!(changed(8, 0x15), Err(UnpackError::Unplayable(FenError::Kings(Color::White, 2)))));
        // A castling rook without its king's rank, an en passant square without a capture, an unknown one.
        assert!(matches!(changed(12, 0x60), Err(UnpackError::Unplayable(_) | UnpackError::Meaningless)));
        assert_eq!(changed(24, 20).map(|_| ()), Err(UnpackError::Meaningless));
        assert_eq!(changed(24, 65).map(|_| ()), Err(UnpackError::Meaningless));
        assert_eq!(changed(26, 0).map(|_| ()), Err(UnpackError::Meaningless));
    }
}
