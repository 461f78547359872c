//! Castling rights, for any start position.

use super::{Bitboard, Color, File, Square};

/// Where the king goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastlingSide {
    /// Towards the a-file: the king lands on the c-file, the rook on the d-file (O-O-O).
    ASide,
    /// Towards the h-file: the king lands on the g-file, the rook on the f-file (O-O).
    HSide,
}

impl CastlingSide {
    /// Both sides.
    pub const ALL: [Self; 2] = [Self::ASide, Self::HSide];

    /// The side on which `rook` stands, seen from `king`.
    #[inline]
    #[must_use]
    pub const fn of(king: Square, rook: Square) -> Self {
        if rook.index() > king.index() { Self::HSide } else { Self::ASide }
    }

    /// The file on which the king lands.
    #[inline]
    #[must_use]
    pub const fn king_target(self) -> File {
        match self {
            Self::ASide => File::C,
            Self::HSide => File::G,
        }
    }

    /// The file on which the rook lands.
    #[inline]
    #[must_use]
    pub const fn rook_target(self) -> File {
        match self {
            Self::ASide => File::D,
            Self::HSide => File::F,
        }
    }
}

/// How the letters `KQkq` of a FEN are read and how castling is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CastlingMode {
    /// Kings on the e-file, rooks in the corners; castling is written as the king's two steps (`e1g1`).
    #[default]
    Standard,
    /// Any files; castling is written as king takes rook (`e1h1`).
    Chess960,
}

/// The rights of both colours: the set of rooks that may still castle.
///
/// The rook's square says all: its rank gives the colour, its place relative to the king the side. A colour has at
/// most one such rook on each side of its king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CastlingRights(Bitboard);

impl CastlingRights {
    /// Nobody may castle.
    pub const NONE: Self = Self(Bitboard::EMPTY);

    /// The squares of all rooks that may castle.
    #[inline]
    #[must_use]
    pub const fn rooks(self) -> Bitboard {
        self.0
    }

    /// The squares of `color`'s rooks that may castle.
    #[inline]
    #[must_use]
    pub fn rooks_of(self, color: Color) -> Bitboard {
        self.0 & color.back_rank_squares()
    }

    /// Whether nobody may castle.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Adds the right of the rook on `square`.
    #[inline]
    pub fn add(&mut self, square: Square) {
        self.0 |= square.bitboard();
    }

    /// Takes away the rights of rooks on `squares` (where a rook left or was captured).
    #[inline]
    pub fn remove(&mut self, squares: Bitboard) {
        self.0 &= !squares;
    }
}
