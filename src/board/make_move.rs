//! Playing moves: pieces, keys, rights, clocks, checks and pins, all updated in step.

use super::attacks::{between, bishop_attacks, knight_attacks, pawn_attacks, rook_attacks};
use super::{Board, zobrist};
use crate::types::{Bitboard, CastlingSide, Color, Move, Piece, PieceType, Square};

/// Hears which pieces a move puts on the board and takes off it. The board knows nothing of who listens.
pub trait BoardObserver {
    /// A piece now stands on a square.
    fn piece_added(&mut self, piece: Piece, square: Square);
    /// A piece no longer stands on a square.
    fn piece_removed(&mut self, piece: Piece, square: Square);
}

/// Nobody listens, and nothing is paid.
impl BoardObserver for () {
    #[inline]
    fn piece_added(&mut self, _: Piece, _: Square) {}

    #[inline]
    fn piece_removed(&mut self, _: Piece, _: Square) {}
}

impl Board {
    /// Plays a legal move.
    pub fn make_move(&mut self, m: Move) {
        self.make_move_observed(m, &mut ());
    }

    /// The board after a legal move.
    #[inline]
    #[must_use]
    pub fn after(&self, m: Move) -> Self {
        let mut next = self.clone();
        next.make_move(m);
        next
    }

    /// Plays a legal move and tells an observer which pieces it moves.
    pub fn make_move_observed(&mut self, m: Move, observer: &mut impl BoardObserver) {
        debug_assert!(self.is_legal(m), "illegal move {m} in {}", self.to_fen(Default::default()));
        let us = self.stm;
        let moved = self.mailbox[m.from().index()];
        self.begin_turn();
        let double_push = if m.is_castling() {
            self.castle(us, m.from(), m.to(), observer);
            None
        } else {
            self.move_piece(us, m, observer)
        };
        self.update_castling_rights(us, m, moved);
        self.end_turn();
        if let Some(ep_square) = double_push {
            self.allow_en_passant(ep_square);
        }
        debug_assert_eq!(self.check_consistency(), Ok(()));
    }

    /// The key of the position after a move, sooner than by playing it, for prefetching: right but for castling, lost
    /// castling rights, promotions and en passant.
    #[inline]
    #[must_use]
    pub fn likely_key_after(&self, m: Move) -> u64 {
        let (from, to) = (m.from(), m.to());
        let mut key = self.keys.position ^ zobrist::side(Color::Black);
        if let Some(piece) = self.piece_on(from) {
            key ^= zobrist::piece(piece, from) ^ zobrist::piece(piece, to);
        }
        if let Some(captured) = self.piece_on(to) {
            key ^= zobrist::piece(captured, to);
        }
        key
    }

    /// Passes the move to the other side, as null-move pruning does; only when not in check.
    pub fn make_null(&mut self) {
        debug_assert!(!self.in_check());
        self.begin_turn();
        self.end_turn();
        debug_assert_eq!(self.check_consistency(), Ok(()));
    }

    /// Forgets the en passant square and counts the ply.
    fn begin_turn(&mut self) {
        if let Some(ep_square) = self.ep_square.take() {
            self.keys.position ^= zobrist::en_passant(ep_square.file());
        }
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
    }

    /// Hands the move to the other side and finds the checks and pins it faces.
    fn end_turn(&mut self) {
        if self.stm == Color::Black {
            self.fullmove_number = self.fullmove_number.saturating_add(1);
        }
        self.stm = !self.stm;
        self.keys.position ^= zobrist::side(Color::Black);
        self.find_checks_and_pins();
    }

    fn castle(&mut self, us: Color, king: Square, rook: Square, observer: &mut impl BoardObserver) {
        let side = CastlingSide::of(king, rook);
        self.take(Piece::new(us, PieceType::King), king, observer);
        self.take(Piece::new(us, PieceType::Rook), rook, observer);
        self.put(Piece::new(us, PieceType::King), Square::new(side.king_target(), king.rank()), observer);
        self.put(Piece::new(us, PieceType::Rook), Square::new(side.rook_target(), king.rank()), observer);
    }

    /// Plays every move but castling. Returns the square a double push passed.
    fn move_piece(&mut self, us: Color, m: Move, observer: &mut impl BoardObserver) -> Option<Square> {
        let (from, to) = (m.from(), m.to());
        let Some(piece) = self.mailbox[from.index()] else {
            debug_assert!(false, "no piece on {from}");
            return None;
        };
        if let Some(captured) = self.mailbox[to.index()] {
            self.take(captured, to, observer);
            self.halfmove_clock = 0;
        }
        self.take(piece, from, observer);
        let placed = m.promoted_to().map_or(piece, |kind| Piece::new(us, kind));
        self.put(placed, to, observer);
        if piece.kind() != PieceType::Pawn {
            return None;
        }
        self.halfmove_clock = 0;
        if m.is_en_passant() {
            self.take(Piece::new(!us, PieceType::Pawn), to.offset(-us.pawn_step()), observer);
        }
        (from.index().abs_diff(to.index()) == 16).then(|| from.offset(us.pawn_step()))
    }

    /// A right ends when the king moves and when the rook moves or is captured.
    fn update_castling_rights(&mut self, us: Color, m: Move, moved: Option<Piece>) {
        if self.castling.is_empty() {
            return;
        }
        let mut lost = m.from().bitboard() | m.to().bitboard();
        if moved.is_some_and(|piece| piece.kind() == PieceType::King) {
            lost |= us.back_rank_squares();
        }
        if (self.castling.rooks() & lost).any() {
            self.keys.position ^= zobrist::castling(self.castling);
            self.castling.remove(lost);
            self.keys.position ^= zobrist::castling(self.castling);
        }
    }

    /// Sets the en passant square if the side to move has a legal capture there.
    pub(super) fn allow_en_passant(&mut self, ep_square: Square) {
        let capturers = pawn_attacks(!self.stm, ep_square) & self.pieces(self.stm, PieceType::Pawn);
        if capturers.into_iter().any(|from| self.en_passant_is_safe(from, ep_square)) {
            self.ep_square = Some(ep_square);
            self.keys.position ^= zobrist::en_passant(ep_square.file());
        }
    }

    #[inline]
    fn put(&mut self, piece: Piece, square: Square, observer: &mut impl BoardObserver) {
        self.put_piece(piece, square);
        observer.piece_added(piece, square);
    }

    #[inline]
    fn take(&mut self, piece: Piece, square: Square, observer: &mut impl BoardObserver) {
        self.mailbox[square.index()] = None;
        self.toggle_piece(piece, square);
        observer.piece_removed(piece, square);
    }

    /// Puts a piece on an empty square.
    #[inline]
    pub(super) fn put_piece(&mut self, piece: Piece, square: Square) {
        self.mailbox[square.index()] = Some(piece);
        self.toggle_piece(piece, square);
    }

    /// Adds or takes a piece in the bitboards and keys.
    #[inline]
    fn toggle_piece(&mut self, piece: Piece, square: Square) {
        let (color, kind) = (piece.color(), piece.kind());
        self.pieces[kind.index()] ^= square.bitboard();
        self.colors[color.index()] ^= square.bitboard();
        let key = zobrist::piece(piece, square);
        self.keys.position ^= key;
        if kind == PieceType::Pawn {
            self.keys.pawns ^= key;
        } else {
            self.keys.non_pawns[color.index()] ^= key;
            if matches!(kind, PieceType::Knight | PieceType::Bishop | PieceType::King) {
                self.keys.minors ^= key;
            }
        }
    }

    /// Recomputes which enemy pieces give check and which own pieces are pinned.
    pub(super) fn find_checks_and_pins(&mut self) {
        let (us, them) = (self.stm, !self.stm);
        let king = self.king(us);
        let occupied = self.occupied();
        let mut checkers = knight_attacks(king) & self.pieces(them, PieceType::Knight)
            | pawn_attacks(us, king) & self.pieces(them, PieceType::Pawn);
        let mut pinned = Bitboard::EMPTY;
        let snipers = bishop_attacks(king, Bitboard::EMPTY) & self.diagonal_sliders(them)
            | rook_attacks(king, Bitboard::EMPTY) & self.orthogonal_sliders(them);
        for sniper in snipers {
            let blockers = between(king, sniper) & occupied;
            if blockers.is_empty() {
                checkers |= sniper.bitboard();
            } else if !blockers.more_than_one() {
                pinned |= blockers & self.of_color(us);
            }
        }
        self.checkers = checkers;
        self.pinned = pinned;
    }
}
