//! The position as counting needs it: sets of squares only, no keys and no mailbox, copied for every move.
//!
//! The side to move is a constant of every function (`W`: it is White), so that directions are compiled in.

use crate::board::Board;
use crate::board::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, pawns_attacks, rook_attacks,
};
use crate::types::{Bitboard, CastlingSide, Color, PieceType, Rank, Square};

/// The pieces of one side. A queen is in both sets of sliders.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) all: Bitboard,
    pub(super) pawns: Bitboard,
    pub(super) knights: Bitboard,
    pub(super) diagonals: Bitboard,
    pub(super) orthogonals: Bitboard,
    pub(super) king: Bitboard,
}

/// A position without its side to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    sides: [Side; 2],
    /// The rooks that may castle.
    pub(super) castling: Bitboard,
    /// The square a pawn has just passed, if a pawn stands ready to capture there.
    pub(super) en_passant: Bitboard,
}

/// What a move moves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mover {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

/// What restricts the moves of a side.
#[derive(Clone, Copy, Default)]
pub(super) struct Restraints {
    /// The enemy pieces that give check.
    pub(super) checkers: Bitboard,
    /// From the king's neighbour to the pinning piece, along diagonals.
    pub(super) diagonal_pins: Bitboard,
    /// The same along ranks and files.
    pub(super) orthogonal_pins: Bitboard,
    /// Between the king and each enemy slider that only the king's own side keeps from it.
    pub(super) paths: Bitboard,
}

impl Restraints {
    /// Notes enemy sliders that only pieces of the king's own side keep from it. Returns the lines along which they pin.
    #[inline(always)]
    fn add_snipers(&mut self, king: Square, own: Bitboard, snipers: Bitboard) -> Bitboard {
        let mut pins = Bitboard::EMPTY;
        for sniper in snipers {
            let path = between(king, sniper);
            self.paths |= path;
            let blockers = path & own;
            if blockers.is_empty() {
                self.checkers |= sniper.bitboard();
            } else if !blockers.more_than_one() {
                pins |= path | sniper.bitboard();
            }
        }
        pins
    }

    /// All lines along which a piece is pinned.
    #[inline]
    pub(super) fn pins(&self) -> Bitboard {
        self.diagonal_pins | self.orthogonal_pins
    }
}

/// The colour that a constant stands for.
pub(super) const fn color(white: bool) -> Color {
    if white { Color::White } else { Color::Black }
}

/// The pawn captures of a side as steps of the square index: towards the a-file and towards the h-file.
pub(super) const fn capture_steps(white: bool) -> (i8, i8) {
    if white { (7, 9) } else { (-9, -7) }
}

impl From<&Board> for Position {
    fn from(board: &Board) -> Self {
        let side = |color| Side {
            all: board.of_color(color),
            pawns: board.pieces(color, PieceType::Pawn),
            knights: board.pieces(color, PieceType::Knight),
            diagonals: board.diagonal_sliders(color),
            orthogonals: board.orthogonal_sliders(color),
            king: board.pieces(color, PieceType::King),
        };
        Self {
            sides: Color::ALL.map(side),
            castling: board.castling().rooks(),
            en_passant: board.ep_square().map_or(Bitboard::EMPTY, Square::bitboard),
        }
    }
}

impl Position {
    #[inline]
    pub(super) fn us<const W: bool>(&self) -> &Side {
        &self.sides[color(W).index()]
    }

    #[inline]
    pub(super) fn them<const W: bool>(&self) -> &Side {
        &self.sides[color(!W).index()]
    }

    #[inline]
    pub(super) fn occupied(&self) -> Bitboard {
        self.sides[0].all | self.sides[1].all
    }

    /// The position after a step or capture of a piece, without what a pawn's step adds.
    #[inline]
    pub(super) fn after<const W: bool>(&self, mover: Mover, from: Bitboard, to: Bitboard) -> Self {
        let mut next = *self;
        let both = from | to;
        let [us, them] = next.sides_mut::<W>();
        us.all ^= both;
        match mover {
            Mover::Pawn => us.pawns ^= both,
            Mover::Knight => us.knights ^= both,
            Mover::Bishop => us.diagonals ^= both,
            Mover::Rook => us.orthogonals ^= both,
            Mover::Queen => {
                us.diagonals ^= both;
                us.orthogonals ^= both;
            }
            Mover::King => us.king ^= both,
        }
        them.clear(to);
        next.castling &= !both;
        if mover == Mover::King {
            next.castling &= !color(W).back_rank_squares();
        }
        next.en_passant = Bitboard::EMPTY;
        next
    }

    /// The position after a pawn's double step.
    #[inline]
    pub(super) fn after_double_step<const W: bool>(&self, from: Bitboard, to: Bitboard) -> Self {
        let mut next = *self;
        let [us, _] = next.sides_mut::<W>();
        us.all ^= from | to;
        us.pawns ^= from | to;
        let passed = from.shift(color(W).pawn_step());
        next.en_passant = Bitboard::EMPTY;
        let beside = (to & Bitboard::NOT_A).shift(-1) | (to & Bitboard::NOT_H).shift(1);
        if (beside & next.them::<W>().pawns).any() {
            next.en_passant = passed;
        }
        next
    }

    /// The position after a pawn has become another piece.
    #[inline]
    pub(super) fn after_promotion<const W: bool>(&self, from: Bitboard, to: Bitboard, piece: Mover) -> Self {
        let mut next = self.after::<W>(Mover::Pawn, from, to);
        let [us, _] = next.sides_mut::<W>();
        us.pawns ^= to;
        if piece == Mover::Knight {
            us.knights |= to;
        }
        if matches!(piece, Mover::Bishop | Mover::Queen) {
            us.diagonals |= to;
        }
        if matches!(piece, Mover::Rook | Mover::Queen) {
            us.orthogonals |= to;
        }
        next
    }

    /// The position after the capture of the pawn that has just passed by.
    pub(super) fn after_en_passant<const W: bool>(&self, from: Bitboard) -> Self {
        let mut next = self.after::<W>(Mover::Pawn, from, self.en_passant);
        let captured = self.en_passant.shift(-color(W).pawn_step());
        let [_, them] = next.sides_mut::<W>();
        them.clear(captured);
        next
    }

    /// The position after castling with the rook on a square.
    pub(super) fn after_castling<const W: bool>(&self, rook: Square) -> Self {
        let mut next = *self;
        let king = self.us::<W>().king.lsb();
        let (king_to, rook_to) = castling_targets(king, rook);
        let [us, _] = next.sides_mut::<W>();
        us.all = us.all ^ us.king ^ rook.bitboard() | king_to.bitboard() | rook_to.bitboard();
        us.king = king_to.bitboard();
        us.orthogonals = us.orthogonals ^ rook.bitboard() | rook_to.bitboard();
        next.castling &= !color(W).back_rank_squares();
        next.en_passant = Bitboard::EMPTY;
        next
    }

    /// The position without a piece of the side to move. A king is no longer in the way of anything, but still guards
    /// the squares around it.
    #[inline]
    pub(super) fn without<const W: bool>(&self, square: Bitboard) -> Self {
        let mut next = *self;
        let [us, _] = next.sides_mut::<W>();
        us.clear(square);
        next
    }

    #[inline]
    fn sides_mut<const W: bool>(&mut self) -> [&mut Side; 2] {
        let [white, black] = &mut self.sides;
        if W { [white, black] } else { [black, white] }
    }

    /// The checks and pins that the side to move faces.
    #[inline]
    pub(super) fn restraints<const W: bool>(&self) -> Restraints {
        let (us, them) = (self.us::<W>(), self.them::<W>());
        let king = us.king.lsb();
        let mut restraints = Restraints {
            checkers: knight_attacks(king) & them.knights | pawn_attacks(color(W), king) & them.pawns,
            ..Restraints::default()
        };
        let diagonal_snipers = bishop_attacks(king, them.all) & them.diagonals;
        restraints.diagonal_pins = restraints.add_snipers(king, us.all, diagonal_snipers);
        let orthogonal_snipers = rook_attacks(king, them.all) & them.orthogonals;
        restraints.orthogonal_pins = restraints.add_snipers(king, us.all, orthogonal_snipers);
        restraints
    }

    /// Where the king may step.
    #[inline]
    pub(super) fn king_targets<const W: bool>(&self) -> Bitboard {
        let (us, them) = (self.us::<W>(), self.them::<W>());
        let occupied = self.occupied() ^ us.king;
        let mut targets = king_attacks(us.king.lsb())
            & !us.all
            & !king_attacks(them.king.lsb())
            & !pawns_attacks(color(!W), them.pawns);
        for to in targets {
            if self.is_attacked_by_piece::<W>(to, occupied) {
                targets ^= to.bitboard();
            }
        }
        targets
    }

    /// Whether anything of the enemy's attacks a square.
    #[inline]
    pub(super) fn is_guarded<const W: bool>(&self, square: Square) -> bool {
        let them = self.them::<W>();
        (pawn_attacks(color(W), square) & them.pawns | king_attacks(square) & them.king).any()
            || self.is_attacked_by_piece::<W>(square, self.occupied())
    }

    /// Whether an enemy piece, neither king nor pawn, attacks a square.
    #[inline]
    fn is_attacked_by_piece<const W: bool>(&self, square: Square, occupied: Bitboard) -> bool {
        let them = self.them::<W>();
        (knight_attacks(square) & them.knights
            | bishop_attacks(square, occupied) & them.diagonals
            | rook_attacks(square, occupied) & them.orthogonals)
            .any()
    }

    /// Where the pawns may go that are not pinned against it: single steps, double steps, captures towards the a-file
    /// and towards the h-file. Checks are not looked at.
    #[inline]
    pub(super) fn pawn_targets<const W: bool>(&self, restraints: &Restraints) -> [Bitboard; 4] {
        let them = self.them::<W>().all;
        let [single, double, west, east] = self.pawn_reach::<W>(restraints);
        [single, double, west & them, east & them]
    }

    /// The same, with the captures on all squares as if there was something to capture.
    #[inline]
    pub(super) fn pawn_reach<const W: bool>(&self, restraints: &Restraints) -> [Bitboard; 4] {
        let us = self.us::<W>();
        let step = color(W).pawn_step();
        let (west_step, east_step) = capture_steps(W);
        let empty = !self.occupied();
        let (diagonal, orthogonal) = (restraints.diagonal_pins, restraints.orthogonal_pins);
        // A step along a pin stays on it, so that its target tells.
        let steppers = us.pawns & !diagonal & (!orthogonal | orthogonal.shift(-step));
        let capturers = us.pawns & !orthogonal;
        let west = capturers & Bitboard::NOT_A & (!diagonal | diagonal.shift(-west_step));
        let east = capturers & Bitboard::NOT_H & (!diagonal | diagonal.shift(-east_step));
        let third_rank = Bitboard::rank(Rank::from_index(2).relative_to(color(W)));
        let single = steppers.shift(step) & empty;
        let double = (single & third_rank).shift(step) & empty;
        [single, double, west.shift(west_step), east.shift(east_step)]
    }

    /// The pawns that may capture en passant.
    pub(super) fn en_passant_capturers<const W: bool>(&self) -> Bitboard {
        let capturers = pawns_attacks(color(!W), self.en_passant) & self.us::<W>().pawns;
        let king = self.us::<W>().king.lsb();
        let is_safe = |from: &Square| !self.after_en_passant::<W>(from.bitboard()).is_guarded::<W>(king);
        capturers.into_iter().filter(is_safe).collect()
    }

    /// The rooks with which the side to move, not in check, may castle now.
    pub(super) fn castling_rooks<const W: bool>(&self) -> Bitboard {
        let rooks = self.castling & color(W).back_rank_squares();
        rooks.into_iter().filter(|&rook| self.castling_is_legal::<W>(rook)).collect()
    }

    /// Whether nothing stands in the way of king and rook.
    pub(super) fn castling_path_is_clear<const W: bool>(&self, rook: Square) -> bool {
        let king = self.us::<W>().king.lsb();
        let (king_to, rook_to) = castling_targets(king, rook);
        let others = self.occupied() ^ king.bitboard() ^ rook.bitboard();
        let path = between(king, king_to) | between(rook, rook_to) | king_to.bitboard() | rook_to.bitboard();
        (path & others).is_empty()
    }

    pub(super) fn castling_is_legal<const W: bool>(&self, rook: Square) -> bool {
        let king = self.us::<W>().king.lsb();
        let (king_to, rook_to) = castling_targets(king, rook);
        let others = self.occupied() ^ king.bitboard() ^ rook.bitboard();
        let king_path = castling_walk(king, rook);
        if !self.castling_path_is_clear::<W>(rook) {
            return false;
        }
        let them = self.them::<W>();
        let attacked = pawns_attacks(color(!W), them.pawns) | king_attacks(them.king.lsb());
        let without_king = self.occupied() ^ king.bitboard();
        (king_path & attacked).is_empty()
            && !king_path.into_iter().any(|square| self.is_attacked_by_piece::<W>(square, without_king))
            // A rook that leaves the line of the back rank open is seen only after the move.
            && (rook_attacks(king_to, others | rook_to.bitboard()) & them.orthogonals).is_empty()
    }
}

impl Side {
    /// Takes whatever stands on `squares`; never a king.
    #[inline]
    fn clear(&mut self, squares: Bitboard) {
        self.all &= !squares;
        self.pawns &= !squares;
        self.knights &= !squares;
        self.diagonals &= !squares;
        self.orthogonals &= !squares;
    }
}

/// The squares on which the king must not be attacked when it castles, but for its own.
pub(super) fn castling_walk(king: Square, rook: Square) -> Bitboard {
    let (king_to, _) = castling_targets(king, rook);
    between(king, king_to) | king_to.bitboard()
}

/// Where king and rook land.
fn castling_targets(king: Square, rook: Square) -> (Square, Square) {
    let side = CastlingSide::of(king, rook);
    (Square::new(side.king_target(), king.rank()), Square::new(side.rook_target(), king.rank()))
}
