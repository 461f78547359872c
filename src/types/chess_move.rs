//! A move in 16 bits.

use std::fmt;
use std::num::NonZeroU16;

use super::{PieceType, Square};

/// A move: from (6 bits), to (6 bits), promotion piece (2 bits), kind (2 bits).
///
/// Castling is king takes own rook in every mode. A move says nothing about the piece it moves or captures: the board
/// knows. `Option<Move>` is as small as a move, since no move goes from a1 to a1.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

const KIND_NORMAL: u16 = 0;
const KIND_PROMOTION: u16 = 1 << 14;
const KIND_EN_PASSANT: u16 = 2 << 14;
const KIND_CASTLING: u16 = 3 << 14;
const KIND_MASK: u16 = 3 << 14;

impl Move {
    #[inline]
    const fn pack(from: Square, to: Square, extra: u16) -> Self {
        let bits = from.index() as u16 | (to.index() as u16) << 6 | extra;
        match NonZeroU16::new(bits) {
            Some(bits) => Self(bits),
            None => panic!("no move goes from a1 to a1"),
        }
    }

    /// A move or capture that is nothing else.
    #[inline]
    #[must_use]
    pub const fn normal(from: Square, to: Square) -> Self {
        Self::pack(from, to, KIND_NORMAL)
    }

    /// A pawn move or capture that promotes to a knight, bishop, rook or queen.
    #[inline]
    #[must_use]
    pub const fn promotion(from: Square, to: Square, piece: PieceType) -> Self {
        debug_assert!(matches!(piece, PieceType::Knight | PieceType::Bishop | PieceType::Rook | PieceType::Queen));
        Self::pack(from, to, KIND_PROMOTION | (piece as u16 - PieceType::Knight as u16) << 12)
    }

    /// An en passant capture; `to` is where the pawn lands.
    #[inline]
    #[must_use]
    pub const fn en_passant(from: Square, to: Square) -> Self {
        Self::pack(from, to, KIND_EN_PASSANT)
    }

    /// Castling; `rook` is where the rook stands.
    #[inline]
    #[must_use]
    pub const fn castling(king: Square, rook: Square) -> Self {
        Self::pack(king, rook, KIND_CASTLING)
    }

    /// Where the piece comes from.
    #[inline]
    #[must_use]
    pub const fn from(self) -> Square {
        Square::from_index((self.0.get() & 63) as usize)
    }

    /// Where the piece goes; for castling the square of the rook.
    #[inline]
    #[must_use]
    pub const fn to(self) -> Square {
        Square::from_index((self.0.get() >> 6 & 63) as usize)
    }

    /// What the pawn becomes, if it promotes.
    #[inline]
    #[must_use]
    pub const fn promoted_to(self) -> Option<PieceType> {
        if self.0.get() & KIND_MASK == KIND_PROMOTION {
            Some(PieceType::ALL[(self.0.get() >> 12 & 3) as usize + PieceType::Knight.index()])
        } else {
            None
        }
    }

    /// Whether it is an en passant capture.
    #[inline]
    #[must_use]
    pub const fn is_en_passant(self) -> bool {
        self.0.get() & KIND_MASK == KIND_EN_PASSANT
    }

    /// Whether it is castling.
    #[inline]
    #[must_use]
    pub const fn is_castling(self) -> bool {
        self.0.get() & KIND_MASK == KIND_CASTLING
    }

    /// Whether it is neither castling, en passant nor a promotion.
    #[inline]
    #[must_use]
    pub const fn is_normal(self) -> bool {
        self.0.get() & KIND_MASK == KIND_NORMAL
    }

    /// The 16 bits, never zero.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u16 {
        self.0.get()
    }

    /// The move of 16 bits; zero is no move. Any other pattern is some move, though perhaps not a legal one.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }
}

impl fmt::Display for Move {
    /// Coordinates and promotion letter, castling as king takes rook: `e2e4`, `e7e8q`, `e1h1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promoted_to() {
            Some(piece) => write!(f, "{}", piece.to_char()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
