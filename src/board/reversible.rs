//! Which move of a piece lies between two positions, told by their keys alone. A cuckoo hash table holds all moves
//! that can be taken back, so that a repetition shows one ply before it happens (van Kervinck, 2013).

use once_cell::sync::Lazy;

use super::attacks::piece_attacks;
use super::zobrist;
use crate::types::{Bitboard, Color, Piece, PieceType, Square};

const SLOTS: usize = 8_192;

#[derive(Clone, Copy)]
struct Slot {
    /// By what the move changes the key of a position; 0 where the slot is empty.
    key: u64,
    squares: (Square, Square),
}

static TABLE: Lazy<Box<[Slot]>> = Lazy::new(build);

/// The two places of a key.
fn places(key: u64) -> [usize; 2] {
    [key as usize % SLOTS, (key >> 16) as usize % SLOTS]
}

/// The squares that a piece other than a pawn goes between if that changes the key by `difference`.
#[inline]
pub(super) fn move_between(difference: u64) -> Option<(Square, Square)> {
    places(difference)
        .into_iter()
        .map(|place| TABLE[place])
        .find(|slot| slot.key == difference)
        .map(|slot| slot.squares)
}

fn build() -> Box<[Slot]> {
    let mut table = vec![Slot { key: 0, squares: (Square::A1, Square::A1) }; SLOTS].into_boxed_slice();
    for piece in Piece::ALL.into_iter().filter(|piece| piece.kind() != PieceType::Pawn) {
        for from in Bitboard::ALL {
            for to in piece_attacks(piece.kind(), from, Bitboard::EMPTY).into_iter().filter(|&to| to > from) {
                let key = zobrist::piece(piece, from) ^ zobrist::piece(piece, to) ^ zobrist::side(Color::Black);
                insert(&mut table, Slot { key, squares: (from, to) });
            }
        }
    }
    table
}

/// Puts a slot into the table; what stood in its place moves to its other one, and so on. The keys are fixed, and with
/// them this ends.
fn insert(table: &mut [Slot], mut slot: Slot) {
    let mut place = places(slot.key)[0];
    loop {
        std::mem::swap(&mut table[place], &mut slot);
        if slot.key == 0 {
            return;
        }
        let [first, second] = places(slot.key);
        place = if place == first { second } else { first };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_moves_of_pieces_are_in_the_table() {
        // Two colours of knights (168 pairs of squares), bishops (280), rooks (448), queens (728) and kings (210).
        assert_eq!(TABLE.iter().filter(|slot| slot.key != 0).count(), 2 * (168 + 280 + 448 + 728 + 210));
        for slot in TABLE.iter().filter(|slot| slot.key != 0) {
            assert_eq!(move_between(slot.key), Some(slot.squares));
        }
    }
}
