//! Static exchange evaluation: who wins material when everybody recaptures on one square.

use super::Board;
use super::attacks::{bishop_attacks, rook_attacks};
use crate::types::{Bitboard, Move, Piece, PieceType, Score};

/// Values for exchanges, in centipawns; the king's is irrelevant, since it never is captured.
const SEE_VALUES: [Score; 6] = [100, 300, 300, 500, 900, 0];

/// The value of a piece in an exchange, in centipawns.
#[inline]
#[must_use]
pub const fn see_value(kind: PieceType) -> Score {
    SEE_VALUES[kind.index()]
}

impl Board {
    /// What a legal move gains at once, in centipawns: the captured piece and the gain of a promotion.
    #[must_use]
    pub fn material_gain(&self, m: Move) -> Score {
        if m.is_castling() {
            return 0;
        }
        let captured = if m.is_en_passant() {
            see_value(PieceType::Pawn)
        } else {
            self.piece_on(m.to()).map_or(0, |piece| see_value(piece.kind()))
        };
        captured + m.promoted_to().map_or(0, |piece| see_value(piece) - see_value(PieceType::Pawn))
    }

    /// Whether a legal move gains at least `threshold` centipawns when both sides capture on its target square as
    /// long as it pays, the least valuable piece first. Pins and promotions by recapture are not considered.
    #[must_use]
    pub fn see_ge(&self, m: Move, threshold: Score) -> bool {
        if m.is_castling() {
            return threshold <= 0;
        }
        let (from, to) = (m.from(), m.to());
        let mut balance = self.material_gain(m) - threshold;
        if balance < 0 {
            return false;
        }
        let mover = m.promoted_to().or(self.piece_on(from).map(Piece::kind)).unwrap_or(PieceType::Pawn);
        balance -= see_value(mover);
        if balance >= 0 {
            return true;
        }

        let diagonal = self.of_kind(PieceType::Bishop) | self.of_kind(PieceType::Queen);
        let orthogonal = self.of_kind(PieceType::Rook) | self.of_kind(PieceType::Queen);
        let mut occupied = self.occupied() & !from.bitboard() | to.bitboard();
        if m.is_en_passant() {
            occupied &= !to.offset(-self.stm.pawn_step()).bitboard();
        }
        let mut attackers = self.attackers_to(to, occupied) & occupied;
        let mut side = !self.stm;
        // `balance` is the result for the side that just captured if the exchange ended with the loss of its piece.
        loop {
            let own = attackers & self.of_color(side);
            let Some(kind) = self.least_valuable(own) else { break };
            if kind == PieceType::King && (attackers & self.of_color(!side)).any() {
                // The king may not capture a guarded piece.
                break;
            }
            side = !side;
            balance = -balance - 1 - see_value(kind);
            if balance >= 0 {
                break;
            }
            occupied ^= (own & self.of_kind(kind)).lsb().bitboard();
            // Sliders behind the piece join in.
            if matches!(kind, PieceType::Pawn | PieceType::Bishop | PieceType::Queen) {
                attackers |= bishop_attacks(to, occupied) & diagonal;
            }
            if matches!(kind, PieceType::Rook | PieceType::Queen) {
                attackers |= rook_attacks(to, occupied) & orthogonal;
            }
            attackers &= occupied;
        }
        side != self.stm
    }

    fn least_valuable(&self, set: Bitboard) -> Option<PieceType> {
        PieceType::ALL.into_iter().find(|&kind| (set & self.of_kind(kind)).any())
    }
}
