//! Sets of squares, one bit a square.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::{File, Rank, Square};

/// A set of squares; bit 0 is a1, bit 63 is h8.
///
/// ```
/// use rokade::types::{Bitboard, Square};
/// let corners = Square::A1.bitboard() | Square::H8.bitboard();
/// assert_eq!(corners.count(), 2);
/// assert_eq!(corners.into_iter().next(), Some(Square::A1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// Every square.
    pub const ALL: Self = Self(!0);
    /// The dark squares; a1 is one of them.
    pub const DARK: Self = Self(0xAA55_AA55_AA55_AA55);
    /// The light squares.
    pub const LIGHT: Self = Self(!Self::DARK.0);
    /// All squares but those of the a-file; from the others a step towards it stays on the board.
    pub const NOT_A: Self = Self(0xFEFE_FEFE_FEFE_FEFE);
    /// All squares but those of the h-file.
    pub const NOT_H: Self = Self(0x7F7F_7F7F_7F7F_7F7F);
    /// The first and the eighth rank, where no pawn may stand.
    pub const BACK_RANKS: Self = Self(0xFF00_0000_0000_00FF);

    /// The squares of a file.
    #[inline]
    #[must_use]
    pub const fn file(file: File) -> Self {
        Self(0x0101_0101_0101_0101 << file.index())
    }

    /// The squares of a rank.
    #[inline]
    #[must_use]
    pub const fn rank(rank: Rank) -> Self {
        Self(0xFF << (rank.index() * 8))
    }

    /// Whether no square is in the set.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether some square is in the set.
    #[inline]
    #[must_use]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether the set has two squares or more.
    #[inline]
    #[must_use]
    pub const fn more_than_one(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// How many squares are in the set.
    #[inline]
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether `square` is in the set.
    #[inline]
    #[must_use]
    pub const fn contains(self, square: Square) -> bool {
        self.0 & square.bitboard().0 != 0
    }

    /// The lowest square; h8 when the set is empty, so ask only sets that are not.
    #[inline]
    #[must_use]
    pub const fn lsb(self) -> Square {
        debug_assert!(self.any());
        Square::from_index(self.0.trailing_zeros() as usize)
    }

    /// The highest square of a set that is not empty.
    #[inline]
    #[must_use]
    pub const fn msb(self) -> Square {
        debug_assert!(self.any());
        Square::from_index(63 - self.0.leading_zeros() as usize)
    }

    /// The set without its lowest square.
    #[inline]
    #[must_use]
    pub const fn without_lsb(self) -> Self {
        Self(self.0 & self.0.wrapping_sub(1))
    }

    /// The only square of a set with exactly one.
    #[inline]
    #[must_use]
    pub const fn single(self) -> Option<Square> {
        if self.any() && !self.more_than_one() { Some(self.lsb()) } else { None }
    }

    /// Every square moved by `step` index positions (towards h8 when positive); what leaves the board is lost, and
    /// the caller masks what wraps around the edge files.
    #[inline]
    #[must_use]
    pub const fn shift(self, step: i8) -> Self {
        if step >= 0 { Self(self.0 << step) } else { Self(self.0 >> -step) }
    }
}

macro_rules! bit_operator {
    ($($trait:ident $method:ident $assign_trait:ident $assign_method:ident $op:tt;)*) => {$(
        impl $trait for Bitboard {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $op other.0)
            }
        }
        impl $assign_trait for Bitboard {
            #[inline]
            fn $assign_method(&mut self, other: Self) {
                self.0 = self.0 $op other.0;
            }
        }
    )*};
}

bit_operator! {
    BitAnd bitand BitAndAssign bitand_assign &;
    BitOr bitor BitOrAssign bitor_assign |;
    BitXor bitxor BitXorAssign bitxor_assign ^;
}

impl Not for Bitboard {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | square.bitboard())
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

/// Iterates the squares of a set from the lowest.
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.0.is_empty() {
            return None;
        }
        let square = self.0.lsb();
        self.0 = self.0.without_lsb();
        Some(square)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Squares {}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}
