//! What the network sees of a position: one input for each piece on its square, from the view of each side.
//!
//! This is the one definition that the engine and the trainer share.

use super::network::OUTPUT_BUCKETS;
use crate::types::{Color, File, Piece, Square};

/// Inputs of one perspective: two colours, six kinds, 64 squares.
pub const FEATURES: usize = 2 * 6 * 64;

/// Whether a perspective is mirrored from left to right: it is when its own king stands on the files e to h, so that
/// the network always sees that king on the files a to d.
#[inline]
#[must_use]
pub fn is_mirrored(king: Square) -> bool {
    king.file() >= File::E
}

/// The input of a piece on a square, as `perspective` sees it: its own pieces first, from its own side of the board.
///
/// ```
/// use rokade::nnue::features::feature;
/// use rokade::types::{Color, Piece, Square};
/// let white = feature(Color::White, false, Piece::WhitePawn, Square::A2);
/// let black = feature(Color::Black, false, Piece::BlackPawn, Square::A7);
/// assert_eq!(white, black);
/// ```
#[inline]
#[must_use]
pub fn feature(perspective: Color, mirrored: bool, piece: Piece, square: Square) -> usize {
    let theirs = usize::from(piece.color() != perspective);
    let seen = square.relative_to(perspective).index() ^ if mirrored { 7 } else { 0 };
    theirs * 384 + piece.kind().index() * 64 + seen
}

/// Which of the output layers judges a position with so many pieces, kings included.
#[inline]
#[must_use]
pub fn output_bucket(pieces: u32) -> usize {
    const PIECES_PER_BUCKET: usize = 32_usize.div_ceil(OUTPUT_BUCKETS);
    ((pieces.max(2) as usize - 2) / PIECES_PER_BUCKET).min(OUTPUT_BUCKETS - 1)
}
