//! Squares, files and ranks. A1 = 0, B1 = 1, .. H8 = 63; A1 is dark.

use std::fmt;

use super::{Bitboard, Color};

/// A file, `a` to `h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct File(u8);

impl File {
    /// The a-file.
    pub const A: Self = Self(0);
    /// The c-file, where the king lands when it castles on the a-side.
    pub const C: Self = Self(2);
    /// The d-file, where the rook lands when it castles on the a-side.
    pub const D: Self = Self(3);
    /// The e-file.
    pub const E: Self = Self(4);
    /// The f-file, where the rook lands when it castles on the h-side.
    pub const F: Self = Self(5);
    /// The g-file, where the king lands when it castles on the h-side.
    pub const G: Self = Self(6);
    /// The h-file.
    pub const H: Self = Self(7);

    /// The file of an index 0 to 7 (higher bits are ignored).
    #[inline]
    #[must_use]
    pub const fn from_index(index: usize) -> Self {
        Self((index & 7) as u8)
    }

    /// Position in tables, 0 (a) to 7 (h).
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 & 7) as usize
    }

    /// Reads a letter of either case.
    #[must_use]
    pub const fn from_char(letter: char) -> Option<Self> {
        match letter.to_ascii_lowercase() {
            letter @ 'a'..='h' => Some(Self(letter as u8 - b'a')),
            _ => None,
        }
    }

    /// The lower-case letter.
    #[must_use]
    pub const fn to_char(self) -> char {
        (b'a' + self.0) as char
    }
}

/// A rank, `1` to `8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u8);

impl Rank {
    /// White's back rank.
    pub const FIRST: Self = Self(0);
    /// White's pawns start here.
    pub const SECOND: Self = Self(1);
    /// Black's pawns start here.
    pub const SEVENTH: Self = Self(6);
    /// Black's back rank.
    pub const EIGHTH: Self = Self(7);

    /// The rank of an index 0 to 7 (higher bits are ignored).
    #[inline]
    #[must_use]
    pub const fn from_index(index: usize) -> Self {
        Self((index & 7) as u8)
    }

    /// Position in tables, 0 (first) to 7 (eighth).
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 & 7) as usize
    }

    /// This rank as `color` counts: White's second rank is Black's seventh.
    #[inline]
    #[must_use]
    pub const fn relative_to(self, color: Color) -> Self {
        match color {
            Color::White => self,
            Color::Black => Self(7 - self.0),
        }
    }
}

/// A square of the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

/// Declares the named squares in index order.
macro_rules! named_squares {
    ($($name:ident)*) => {
        #[allow(missing_docs)]
        impl Square {
            named_squares!(@ 0, $($name)*);
        }
    };
    (@ $index:expr, $name:ident $($rest:ident)*) => {
        pub const $name: Self = Self($index);
        named_squares!(@ $index + 1, $($rest)*);
    };
    (@ $index:expr,) => {};
}

named_squares! {
    A1 B1 C1 D1 E1 F1 G1 H1
    A2 B2 C2 D2 E2 F2 G2 H2
    A3 B3 C3 D3 E3 F3 G3 H3
    A4 B4 C4 D4 E4 F4 G4 H4
    A5 B5 C5 D5 E5 F5 G5 H5
    A6 B6 C6 D6 E6 F6 G6 H6
    A7 B7 C7 D7 E7 F7 G7 H7
    A8 B8 C8 D8 E8 F8 G8 H8
}

impl Square {
    /// How many squares there are.
    pub const COUNT: usize = 64;

    /// The square where a file and a rank cross.
    #[inline]
    #[must_use]
    pub const fn new(file: File, rank: Rank) -> Self {
        Self(rank.0 * 8 + file.0)
    }

    /// The square of an index 0 to 63 (higher bits are ignored).
    #[inline]
    #[must_use]
    pub const fn from_index(index: usize) -> Self {
        Self((index & 63) as u8)
    }

    /// Position in tables, 0 (a1) to 63 (h8). The mask costs nothing and lets the compiler drop bounds checks.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// All squares from a1 to h8.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..64).map(Self)
    }

    /// Its file.
    #[inline]
    #[must_use]
    pub const fn file(self) -> File {
        File(self.0 & 7)
    }

    /// Its rank.
    #[inline]
    #[must_use]
    pub const fn rank(self) -> Rank {
        Rank(self.0 >> 3)
    }

    /// The set that holds only this square.
    #[inline]
    #[must_use]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << self.index())
    }

    /// The square `delta` indices away; wraps at the ends of the board, so the caller must know that it does not.
    #[inline]
    #[must_use]
    pub const fn offset(self, delta: i8) -> Self {
        Self(self.0.wrapping_add_signed(delta) & 63)
    }

    /// Mirrored from top to bottom: a1 becomes a8.
    #[inline]
    #[must_use]
    pub const fn flip_rank(self) -> Self {
        Self(self.0 ^ 56)
    }

    /// This square as `color` sees it: unchanged for White, top to bottom for Black.
    #[inline]
    #[must_use]
    pub const fn relative_to(self, color: Color) -> Self {
        match color {
            Color::White => self,
            Color::Black => self.flip_rank(),
        }
    }

    /// Reads a name such as `e4`; the file letter may be upper case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let &[file, rank] = text.as_bytes() else { return None };
        let file = File::from_char(file as char)?;
        match rank {
            b'1'..=b'8' => Some(Self::new(file, Rank(rank - b'1'))),
            _ => None,
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file().to_char(), self.rank().index() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
