//! The two sides.

use std::ops::Not;

use super::{Bitboard, Rank};

/// A side of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Color {
    /// The side that moves first.
    White,
    /// The other side.
    Black,
}

impl Color {
    /// Both colours, White first.
    pub const ALL: [Self; 2] = [Self::White, Self::Black];

    /// Position in tables: 0 for White, 1 for Black.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The rank the pieces start on, as seen by this side.
    #[inline]
    #[must_use]
    pub const fn back_rank(self) -> Rank {
        match self {
            Self::White => Rank::FIRST,
            Self::Black => Rank::EIGHTH,
        }
    }

    /// The squares of this side's back rank.
    #[inline]
    #[must_use]
    pub const fn back_rank_squares(self) -> Bitboard {
        Bitboard::rank(self.back_rank())
    }

    /// Square-index step of a pawn push: +8 or -8.
    #[inline]
    #[must_use]
    pub const fn pawn_step(self) -> i8 {
        match self {
            Self::White => 8,
            Self::Black => -8,
        }
    }
}

impl Not for Color {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}
