//! Recomputes from nothing what the board keeps up step by step. Debug builds ask after every move.

use super::{Board, Keys, zobrist};
use crate::types::{Bitboard, Color, PieceType, Square};

impl Board {
    /// The keys, computed from the position alone.
    #[must_use]
    pub fn recomputed_keys(&self) -> Keys {
        let mut keys = Keys { position: zobrist::side(self.stm) ^ zobrist::castling(self.castling), ..Keys::default() };
        if let Some(ep_square) = self.ep_square {
            keys.position ^= zobrist::en_passant(ep_square.file());
        }
        for square in Square::all() {
            let Some(piece) = self.piece_on(square) else { continue };
            let key = zobrist::piece(piece, square);
            keys.position ^= key;
            match piece.kind() {
                PieceType::Pawn => keys.pawns ^= key,
                kind => {
                    keys.non_pawns[piece.color().index()] ^= key;
                    if matches!(kind, PieceType::Knight | PieceType::Bishop | PieceType::King) {
                        keys.minors ^= key;
                    }
                }
            }
        }
        keys
    }

    /// Checks that mailbox, bitboards, keys, checks, pins, rights and en passant square agree.
    ///
    /// # Errors
    ///
    /// Names the first part that does not.
    pub fn check_consistency(&self) -> Result<(), &'static str> {
        self.check_bitboards()?;
        let mut fresh = self.clone();
        fresh.find_checks_and_pins();
        let king = self.king(self.stm);
        if self.checkers != fresh.checkers
            || self.checkers != self.attackers_to(king, self.occupied()) & self.of_color(!self.stm)
        {
            return Err("checkers");
        }
        if self.pinned != fresh.pinned {
            return Err("pinned");
        }
        if self.is_attacked(self.king(!self.stm), self.stm, self.occupied()) {
            return Err("the side not to move is in check");
        }
        self.check_rights()?;
        if self.keys != self.recomputed_keys() {
            return Err("keys");
        }
        Ok(())
    }

    fn check_bitboards(&self) -> Result<(), &'static str> {
        for square in Square::all() {
            let kinds = self.pieces.iter().filter(|set| set.contains(square)).count();
            let colors = self.colors.iter().filter(|set| set.contains(square)).count();
            let agree = match self.piece_on(square) {
                Some(piece) => kinds == 1 && colors == 1 && self.pieces(piece.color(), piece.kind()).contains(square),
                None => kinds == 0 && colors == 0,
            };
            if !agree {
                return Err("mailbox and bitboards");
            }
        }
        if Color::ALL.iter().any(|&color| self.pieces(color, PieceType::King).count() != 1) {
            return Err("kings");
        }
        if (self.of_kind(PieceType::Pawn) & Bitboard::BACK_RANKS).any() {
            return Err("pawns");
        }
        Ok(())
    }

    fn check_rights(&self) -> Result<(), &'static str> {
        for color in Color::ALL {
            let rooks = self.castling.rooks_of(color);
            let on_back_rank = self.king(color).rank() == color.back_rank();
            if (rooks & !self.pieces(color, PieceType::Rook)).any() || rooks.any() && !on_back_rank {
                return Err("castling rights");
            }
        }
        if let Some(ep_square) = self.ep_square {
            let mut fresh = self.clone();
            fresh.ep_square = None;
            fresh.allow_en_passant(ep_square);
            if fresh.ep_square != self.ep_square {
                return Err("en passant square");
            }
        }
        Ok(())
    }
}
