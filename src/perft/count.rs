//! Counting: the leaves below a position, without a list of moves anywhere.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::position::{Mover, Position, Restraints, capture_steps, color};
use crate::board::attacks::{between, bishop_attacks, knight_attacks, rook_attacks};
use crate::types::{Bitboard, Square};

/// Depth from which it is asked whether to stop: less takes a few milliseconds at most.
const STOPPING_DEPTH: u32 = 4;

/// Takes the positions one ply on.
pub(super) trait Visitor {
    /// A position after a move.
    fn visit(&mut self, next: &Position);
}

impl<F: FnMut(&Position)> Visitor for F {
    #[inline(always)]
    fn visit(&mut self, next: &Position) {
        self(next);
    }
}

impl Position {
    /// How many legal moves there are.
    pub(super) fn count_moves<const W: bool>(&self) -> u64 {
        let restraints = self.restraints::<W>();
        let king_moves = u64::from(self.king_targets::<W>().count());
        if restraints.checkers.is_empty() {
            king_moves + self.count_pieces::<W, false>(&restraints, Bitboard::ALL)
        } else if let Some(parries) = self.parries::<W>(restraints.checkers) {
            king_moves + self.count_pieces::<W, true>(&restraints, parries)
        } else {
            king_moves
        }
    }

    /// Where a piece may go to end a check: up to the only checker. No square helps against two.
    #[inline]
    fn parries<const W: bool>(&self, checkers: Bitboard) -> Option<Bitboard> {
        checkers.single().map(|checker| between(self.us::<W>().king.lsb(), checker) | checkers)
    }

    /// Counts the moves of all pieces but the king, and castling.
    #[inline(always)]
    fn count_pieces<const W: bool, const IN_CHECK: bool>(&self, restraints: &Restraints, parries: Bitboard) -> u64 {
        let us = self.us::<W>();
        let occupied = self.occupied();
        let targets = if IN_CHECK { !us.all & parries } else { !us.all };
        let (diagonal, orthogonal) = (restraints.diagonal_pins, restraints.orthogonal_pins);
        let pinned = diagonal | orthogonal;
        let mut count = self.count_pawns::<W, IN_CHECK>(restraints, parries);
        for from in us.knights & !pinned {
            count += (knight_attacks(from) & targets).count();
        }
        for from in us.diagonals & !pinned {
            count += (bishop_attacks(from, occupied) & targets).count();
        }
        for from in us.orthogonals & !pinned {
            count += (rook_attacks(from, occupied) & targets).count();
        }
        if pinned.any() {
            for from in us.diagonals & diagonal {
                count += (bishop_attacks(from, occupied) & targets & diagonal).count();
            }
            for from in us.orthogonals & orthogonal {
                count += (rook_attacks(from, occupied) & targets & orthogonal).count();
            }
        }
        if !IN_CHECK && (self.castling & color(W).back_rank_squares()).any() {
            count += self.castling_rooks::<W>().count();
        }
        u64::from(count)
    }

    #[inline(always)]
    fn count_pawns<const W: bool, const IN_CHECK: bool>(&self, restraints: &Restraints, parries: Bitboard) -> u32 {
        let mut targets = self.pawn_targets::<W>(restraints);
        if IN_CHECK {
            targets = targets.map(|targets| targets & parries);
        }
        let [single, double, west, east] = targets;
        let mut count = with_promotions(single) + double.count() + with_promotions(west) + with_promotions(east);
        if self.en_passant.any() {
            count += self.en_passant_capturers::<W>().count();
        }
        count
    }

    /// Shows a visitor every position one legal move on.
    #[inline(always)]
    pub(super) fn for_each_next<const W: bool>(&self, visitor: &mut impl Visitor) {
        self.for_each_after_king::<W>(visitor);
        let restraints = self.restraints::<W>();
        let parries = if restraints.checkers.is_empty() {
            for rook in self.castling_rooks::<W>() {
                visitor.visit(&self.after_castling::<W>(rook));
            }
            Bitboard::ALL
        } else if let Some(parries) = self.parries::<W>(restraints.checkers) {
            parries
        } else {
            return;
        };
        let pawn_targets = self.pawn_targets::<W>(&restraints).map(|targets| targets & parries);
        self.for_each_after_pawn::<W>(pawn_targets, visitor);
        self.for_each_reach::<W>(&restraints, parries, |mover, from, targets| {
            for to in targets {
                visitor.visit(&self.after::<W>(mover, from, to.bitboard()));
            }
        });
    }

    #[inline(always)]
    pub(super) fn for_each_after_king<const W: bool>(&self, visitor: &mut impl Visitor) {
        for to in self.king_targets::<W>() {
            visitor.visit(&self.after::<W>(Mover::King, self.us::<W>().king, to.bitboard()));
        }
    }

    /// Tells what each piece, neither king nor pawn, is, where it stands and where it may go.
    #[inline(always)]
    pub(super) fn for_each_reach<const W: bool>(
        &self,
        restraints: &Restraints,
        parries: Bitboard,
        mut tell: impl FnMut(Mover, Bitboard, Bitboard),
    ) {
        let us = self.us::<W>();
        let targets = !us.all & parries;
        let occupied = self.occupied();
        let (diagonal, orthogonal) = (restraints.diagonal_pins, restraints.orthogonal_pins);
        let along = |from: Square, pins: Bitboard| if pins.contains(from) { pins } else { Bitboard::ALL };
        for from in us.knights & !diagonal & !orthogonal {
            tell(Mover::Knight, from.bitboard(), knight_attacks(from) & targets);
        }
        for from in us.diagonals & !us.orthogonals & !orthogonal {
            let reach = bishop_attacks(from, occupied) & along(from, diagonal);
            tell(Mover::Bishop, from.bitboard(), reach & targets);
        }
        for from in us.orthogonals & !us.diagonals & !diagonal {
            let reach = rook_attacks(from, occupied) & along(from, orthogonal);
            tell(Mover::Rook, from.bitboard(), reach & targets);
        }
        for from in us.diagonals & us.orthogonals {
            let mut reach = Bitboard::EMPTY;
            if !orthogonal.contains(from) {
                reach |= bishop_attacks(from, occupied) & along(from, diagonal);
            }
            if !diagonal.contains(from) {
                reach |= rook_attacks(from, occupied) & along(from, orthogonal);
            }
            tell(Mover::Queen, from.bitboard(), reach & targets);
        }
    }

    #[inline(always)]
    pub(super) fn for_each_after_pawn<const W: bool>(
        &self,
        [single, double, west, east]: [Bitboard; 4],
        visitor: &mut impl Visitor,
    ) {
        let step = color(W).pawn_step();
        let (west_step, east_step) = capture_steps(W);
        for (targets, step) in [(single, step), (west, west_step), (east, east_step)] {
            for to in targets & !Bitboard::BACK_RANKS {
                visitor.visit(&self.after::<W>(Mover::Pawn, to.bitboard().shift(-step), to.bitboard()));
            }
            for to in targets & Bitboard::BACK_RANKS {
                for piece in [Mover::Queen, Mover::Rook, Mover::Bishop, Mover::Knight] {
                    visitor.visit(&self.after_promotion::<W>(to.bitboard().shift(-step), to.bitboard(), piece));
                }
            }
        }
        for to in double {
            visitor.visit(&self.after_double_step::<W>(to.bitboard().shift(-2 * step), to.bitboard()));
        }
        if self.en_passant.any() {
            for from in self.en_passant_capturers::<W>() {
                visitor.visit(&self.after_en_passant::<W>(from.bitboard()));
            }
        }
    }
}

/// Counts the moves of pawns to some squares: each of those on the edge is one to each of four pieces.
#[inline]
pub(super) fn with_promotions(targets: Bitboard) -> u32 {
    targets.count() + 3 * (targets & Bitboard::BACK_RANKS).count()
}

/// The leaves `depth` plies below a position; the depth is 1 at least. When `stop` is set the result means nothing.
pub(super) fn count<const W: bool>(position: &Position, depth: u32, stop: &AtomicBool) -> u64 {
    match (W, depth) {
        (_, 1) => position.count_moves::<W>(),
        (true, 2) => position.count_pairs::<true, false>(),
        (false, 2) => position.count_pairs::<false, true>(),
        (true, _) => count_more::<true, false>(position, depth, stop),
        (false, _) => count_more::<false, true>(position, depth, stop),
    }
}

fn count_more<const W: bool, const NEXT: bool>(position: &Position, depth: u32, stop: &AtomicBool) -> u64 {
    if depth >= STOPPING_DEPTH && stop.load(Relaxed) {
        return 0;
    }
    let mut sum = 0_u64;
    let mut add = |next: &Position| sum = sum.saturating_add(count::<NEXT>(next, depth - 1, stop));
    position.for_each_next::<W>(&mut add);
    sum
}
