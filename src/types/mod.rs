//! Value types: one small, copyable type per file, with no knowledge of a board.

mod bitboard;
mod castling;
mod chess_move;
mod color;
mod move_list;
mod piece;
mod score;
mod square;

pub use bitboard::Bitboard;
pub use castling::{CastlingMode, CastlingRights, CastlingSide};
pub use chess_move::Move;
pub use color::Color;
pub use move_list::{MAX_MOVES, MoveList};
pub use piece::{Piece, PieceType};
pub use score::{
    DRAW, INFINITE, MATE, MATE_IN_MAX_PLY, MAX_PLY, Score, TB_WIN, TB_WIN_IN_MAX_PLY, is_decisive, is_mate, mate_in,
    mated_in, moves_to_mate,
};
pub use square::{File, Rank, Square};
