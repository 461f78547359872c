//! Legal moves. Pins and checks are known before generation starts, so no move has to be tried.
//!
//! The generator announces sets of targets to a `MoveSink`: one sink lists the moves, another only counts them.

use super::Board;
use super::attacks::{
    anti_diagonal, between, bishop_attacks, diagonal, king_attacks, knight_attacks, line, pawn_attacks, pawns_attacks,
    piece_attacks, rook_attacks,
};
use crate::types::{Bitboard, Color, Move, MoveList, PieceType, Rank, Square};

/// Takes what the generator finds.
pub trait MoveSink {
    /// The piece on `from` (no pawn) may go to each of `targets`.
    fn piece(&mut self, from: Square, targets: Bitboard);
    /// A pawn may go to each of `targets` from the square `step` before it.
    fn pawns(&mut self, targets: Bitboard, step: i8);
    /// A pawn may promote to each of `pieces` on each of `targets`, coming from the square `step` before it.
    fn promotions(&mut self, targets: Bitboard, step: i8, pieces: &[PieceType]);
    /// Castling or an en passant capture.
    fn special(&mut self, m: Move);
}

impl MoveSink for MoveList {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.push(Move::normal(from, to));
        }
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: i8) {
        for to in targets {
            self.push(Move::normal(to.offset(-step), to));
        }
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, step: i8, pieces: &[PieceType]) {
        for to in targets {
            for &piece in pieces {
                self.push(Move::promotion(to.offset(-step), to, piece));
            }
        }
    }

    #[inline]
    fn special(&mut self, m: Move) {
        self.push(m);
    }
}

/// Counts moves without listing them.
#[derive(Clone, Copy, Debug, Default)]
pub struct MoveCounter(pub u64);

impl MoveSink for MoveCounter {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard) {
        self.0 += u64::from(targets.count());
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: i8) {
        self.0 += u64::from(targets.count());
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, _: i8, pieces: &[PieceType]) {
        self.0 += u64::from(targets.count()) * pieces.len() as u64;
    }

    #[inline]
    fn special(&mut self, _: Move) {
        self.0 += 1;
    }
}

/// The side to move as a type, so that directions are constants in the generator.
trait Us {
    const COLOR: Color;
}

struct White;
struct Black;

impl Us for White {
    const COLOR: Color = Color::White;
}

impl Us for Black {
    const COLOR: Color = Color::Black;
}

/// What both kinds of generation need to know about the position.
struct Context {
    king: Square,
    occupied: Bitboard,
    /// Where a piece other than the king may go: everywhere, or where it parries the only check.
    parries: Bitboard,
}

impl Board {
    /// All legal moves.
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.generate::<true, true>(&mut moves);
        moves
    }

    /// Adds the legal noisy moves: captures and promotions to a queen.
    pub fn noisy_moves(&self, moves: &mut MoveList) {
        self.generate::<true, false>(moves);
    }

    /// Adds the legal quiet moves: all that are not noisy.
    pub fn quiet_moves(&self, moves: &mut MoveList) {
        self.generate::<false, true>(moves);
    }

    /// How many legal moves there are.
    #[must_use]
    pub fn count_legal_moves(&self) -> u64 {
        let mut counter = MoveCounter::default();
        self.generate::<true, true>(&mut counter);
        counter.0
    }

    /// Whether there is no legal move: checkmate or stalemate.
    #[must_use]
    pub fn has_no_legal_move(&self) -> bool {
        self.count_legal_moves() == 0
    }

    /// Whether a legal move captures or promotes to a queen.
    #[inline]
    #[must_use]
    pub fn is_noisy(&self, m: Move) -> bool {
        self.is_capture(m) || m.promoted_to() == Some(PieceType::Queen)
    }

    /// Whether a legal move captures, en passant included.
    #[inline]
    #[must_use]
    pub fn is_capture(&self, m: Move) -> bool {
        !m.is_castling() && self.piece_on(m.to()).is_some() || m.is_en_passant()
    }

    fn generate<const NOISY: bool, const QUIET: bool>(&self, sink: &mut impl MoveSink) {
        match self.stm {
            Color::White => self.generate_for::<White, NOISY, QUIET>(sink),
            Color::Black => self.generate_for::<Black, NOISY, QUIET>(sink),
        }
    }

    #[inline]
    fn generate_for<U: Us, const NOISY: bool, const QUIET: bool>(&self, sink: &mut impl MoveSink) {
        let (us, them) = (U::COLOR, !U::COLOR);
        let king = self.king(us);
        let occupied = self.occupied();
        let mut wanted = Bitboard::EMPTY;
        if NOISY {
            wanted |= self.of_color(them);
        }
        if QUIET {
            wanted |= !occupied;
        }
        let king_targets = king_attacks(king) & wanted;
        if king_targets.any() {
            sink.piece(king, king_targets & !self.attacked_through_king::<U>(king, occupied));
        }
        if self.checkers.more_than_one() {
            return;
        }
        let parries = match self.checkers.single() {
            Some(checker) => between(king, checker) | self.checkers,
            None => Bitboard::ALL,
        };
        let context = Context { king, occupied, parries };
        self.generate_pieces::<U>(wanted & parries, &context, sink);
        if NOISY {
            self.generate_pawn_captures::<U>(&context, sink);
        }
        self.generate_pawn_pushes::<U, NOISY, QUIET>(&context, sink);
        if QUIET {
            self.generate_castling::<U>(king, sink);
        }
    }

    /// The squares the enemy attacks once the king has left its square.
    #[inline]
    fn attacked_through_king<U: Us>(&self, king: Square, occupied: Bitboard) -> Bitboard {
        let them = !U::COLOR;
        let occupied = occupied ^ king.bitboard();
        let mut attacked = pawns_attacks(them, self.pieces(them, PieceType::Pawn)) | king_attacks(self.king(them));
        for knight in self.pieces(them, PieceType::Knight) {
            attacked |= knight_attacks(knight);
        }
        for slider in self.diagonal_sliders(them) {
            attacked |= bishop_attacks(slider, occupied);
        }
        for slider in self.orthogonal_sliders(them) {
            attacked |= rook_attacks(slider, occupied);
        }
        attacked
    }

    /// Knights, bishops, rooks and queens.
    #[inline]
    fn generate_pieces<U: Us>(&self, targets: Bitboard, context: &Context, sink: &mut impl MoveSink) {
        let (us, occupied) = (U::COLOR, context.occupied);
        // A pinned knight never moves.
        for from in self.pieces(us, PieceType::Knight) & !self.pinned {
            sink.piece(from, knight_attacks(from) & targets);
        }
        for from in self.diagonal_sliders(us) & !self.pinned {
            sink.piece(from, bishop_attacks(from, occupied) & targets);
        }
        for from in self.orthogonal_sliders(us) & !self.pinned {
            sink.piece(from, rook_attacks(from, occupied) & targets);
        }
        for from in self.diagonal_sliders(us) & self.pinned {
            sink.piece(from, bishop_attacks(from, occupied) & targets & line(context.king, from));
        }
        for from in self.orthogonal_sliders(us) & self.pinned {
            sink.piece(from, rook_attacks(from, occupied) & targets & line(context.king, from));
        }
    }

    #[inline]
    fn generate_pawn_captures<U: Us>(&self, context: &Context, sink: &mut impl MoveSink) {
        let us = U::COLOR;
        let pawns = self.pieces(us, PieceType::Pawn);
        let targets = self.of_color(!us) & context.parries;
        // A pinned pawn captures only along its pin, which is the king's own diagonal of that direction.
        let (rising, falling) = (diagonal(context.king), anti_diagonal(context.king));
        let (west_step, west_pin, east_step, east_pin) = match us {
            Color::White => (7, falling, 9, rising),
            Color::Black => (-9, rising, -7, falling),
        };
        let west = (pawns & Bitboard::NOT_A & (!self.pinned | west_pin)).shift(west_step) & targets;
        let east = (pawns & Bitboard::NOT_H & (!self.pinned | east_pin)).shift(east_step) & targets;
        for (captures, step) in [(west, west_step), (east, east_step)] {
            sink.promotions(captures & Bitboard::BACK_RANKS, step, &PieceType::PROMOTIONS);
            sink.pawns(captures & !Bitboard::BACK_RANKS, step);
        }
        if let Some(ep_square) = self.ep_square {
            for from in pawn_attacks(!us, ep_square) & pawns {
                if self.en_passant_is_safe(from, ep_square) {
                    sink.special(Move::en_passant(from, ep_square));
                }
            }
        }
    }

    #[inline]
    fn generate_pawn_pushes<U: Us, const NOISY: bool, const QUIET: bool>(
        &self,
        context: &Context,
        sink: &mut impl MoveSink,
    ) {
        let us = U::COLOR;
        let step = us.pawn_step();
        let third_rank = Bitboard::rank(Rank::from_index(2).relative_to(us));
        let movable = self.pieces(us, PieceType::Pawn) & (!self.pinned | Bitboard::file(context.king.file()));
        let single = movable.shift(step) & !context.occupied;
        let promotions = single & context.parries & Bitboard::BACK_RANKS;
        let (queen, others) = PieceType::PROMOTIONS.split_at(1);
        if NOISY {
            sink.promotions(promotions, step, queen);
        }
        if QUIET {
            let double = (single & third_rank).shift(step) & !context.occupied;
            sink.promotions(promotions, step, others);
            sink.pawns(single & context.parries & !Bitboard::BACK_RANKS, step);
            sink.pawns(double & context.parries, 2 * step);
        }
    }

    #[inline]
    fn generate_castling<U: Us>(&self, king: Square, sink: &mut impl MoveSink) {
        if self.castling.is_empty() || self.in_check() {
            return;
        }
        for rook in self.castling.rooks_of(U::COLOR) {
            if self.castling_is_legal(king, rook) {
                sink.special(Move::castling(king, rook));
            }
        }
    }

    /// Whether any 16-bit pattern is a legal move here, as for moves from the hash table.
    #[must_use]
    pub fn is_legal(&self, m: Move) -> bool {
        let (us, from, to) = (self.stm, m.from(), m.to());
        let Some(piece) = self.piece_on(from).filter(|piece| piece.color() == us && from != to) else {
            return false;
        };
        if m.is_castling() {
            return m == Move::castling(from, to)
                && piece.kind() == PieceType::King
                && self.castling.rooks_of(us).contains(to)
                && self.castling_is_legal(from, to);
        }
        if m.is_en_passant() {
            return m == Move::en_passant(from, to)
                && piece.kind() == PieceType::Pawn
                && self.ep_square == Some(to)
                && pawn_attacks(us, from).contains(to)
                && self.en_passant_is_safe(from, to);
        }
        if m.promoted_to().is_none() && m != Move::normal(from, to) || self.of_color(us).contains(to) {
            return false;
        }
        match piece.kind() {
            PieceType::King => {
                m.is_normal()
                    && king_attacks(from).contains(to)
                    && !self.is_attacked(to, !us, self.occupied() ^ from.bitboard())
            }
            PieceType::Pawn => self.pawn_reaches(from, to, m.promoted_to().is_some()) && self.is_safe_step(from, to),
            kind => {
                m.is_normal() && piece_attacks(kind, from, self.occupied()).contains(to) && self.is_safe_step(from, to)
            }
        }
    }

    /// Whether the pawn on `from` can push or capture to `to`, and promotes there exactly if `promotes`.
    fn pawn_reaches(&self, from: Square, to: Square, promotes: bool) -> bool {
        let (us, step) = (self.stm, self.stm.pawn_step());
        if Bitboard::BACK_RANKS.contains(to) != promotes {
            return false;
        }
        if pawn_attacks(us, from).contains(to) {
            return self.of_color(!us).contains(to);
        }
        let single = from.offset(step);
        let empty = !self.occupied();
        let double = from.rank() == Rank::SECOND.relative_to(us) && to == single.offset(step);
        empty.contains(single) && empty.contains(to) && (to == single || double)
    }

    /// Whether a step of a piece other than the king leaves the king safe.
    fn is_safe_step(&self, from: Square, to: Square) -> bool {
        if self.checkers.more_than_one() {
            return false;
        }
        if let Some(checker) = self.checkers.single() {
            let parries = between(self.king(self.stm), checker) | checker.bitboard();
            if !parries.contains(to) {
                return false;
            }
        }
        self.shields_king(from, to)
    }
}
