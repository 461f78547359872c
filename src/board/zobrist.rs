//! Random keys for incremental hashing (Zobrist 1970), made by the compiler from a fixed seed.

use crate::rng::Rng;
use crate::types::{CastlingRights, Color, File, Piece, Square};

struct Keys {
    pieces: [[u64; 64]; Piece::COUNT],
    castling: [u64; 64],
    en_passant: [u64; 8],
    black_to_move: u64,
}

static KEYS: Keys = Keys::new(0x526F_6B61_6465);

/// Key of a piece on a square.
#[inline]
pub(super) fn piece(piece: Piece, square: Square) -> u64 {
    KEYS.pieces[piece.index()][square.index()]
}

/// Key of a set of castling rights; the key of no right is 0.
#[inline]
pub(super) fn castling(rights: CastlingRights) -> u64 {
    rights.rooks().into_iter().fold(0, |key, rook| key ^ KEYS.castling[rook.index()])
}

/// Key of a possible en passant capture on a file.
#[inline]
pub(super) fn en_passant(file: File) -> u64 {
    KEYS.en_passant[file.index()]
}

/// Key of the side to move; 0 for White.
#[inline]
pub(super) fn side(stm: Color) -> u64 {
    match stm {
        Color::White => 0,
        Color::Black => KEYS.black_to_move,
    }
}

impl Keys {
    const fn new(seed: u64) -> Self {
        let mut keys =
            Self { pieces: [[0; 64]; Piece::COUNT], castling: [0; 64], en_passant: [0; 8], black_to_move: 0 };
        let mut rng = Rng::new(seed);
        let mut square = 0;
        while square < 64 {
            let mut piece = 0;
            while piece < Piece::COUNT {
                keys.pieces[piece][square] = rng.next();
                piece += 1;
            }
            keys.castling[square] = rng.next();
            square += 1;
        }
        let mut file = 0;
        while file < 8 {
            keys.en_passant[file] = rng.next();
            file += 1;
        }
        keys.black_to_move = rng.next();
        keys
    }
}
