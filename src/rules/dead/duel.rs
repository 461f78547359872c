//! The two kings against each other: which pairs of squares they can ever stand on together, and who is to move.
//!
//! The other men are left as vague as [`super::reach`] has them, but for this: a side none of whose other men can ever
//! move has to move its king, and where it cannot the game is over. What a king takes with a move that ends the game
//! has no consequences, and a stalemate is no mate.

use super::reach::{Reach, slides, step};
use crate::board::attacks::{king_attacks, line};
use crate::types::{Bitboard, Color, PieceType, Square};

/// What the duel must know of one side.
#[derive(Clone, Copy)]
pub(super) struct Duelist {
    /// Where its king may step, the other king left out of account.
    pub(super) enter: Bitboard,
    /// Whether another man of this side may ever move.
    pub(super) can_pass: bool,
}

/// The pairs of squares that the kings can ever stand on together.
pub(super) struct Pairs {
    /// By the side to move, a colour and the square of its king: where the other king can be.
    pairs: [[[Bitboard; 64]; 2]; 2],
    /// Where the king of each colour can be while the game goes on.
    pub(super) live: [Bitboard; 2],
    /// Whether the king of each colour can leave its first square at all.
    pub(super) leaves: [bool; 2],
}

impl Pairs {
    /// All pairs that can be reached from the kings' squares with `stm` to move.
    pub(super) fn new(kings: [Square; 2], stm: Color, duelists: [Duelist; 2]) -> Self {
        let (first, live) = (kings, kings.map(Square::bitboard));
        let mut pairs = Self { pairs: [[[Bitboard::EMPTY; 64]; 2]; 2], live, leaves: [false; 2] };
        let mut open = Vec::with_capacity(256);
        pairs.insert(kings, stm);
        open.push((kings, stm));
        while let Some((kings, stm)) = open.pop() {
            let (us, them) = (stm.index(), (!stm).index());
            let own = duelists[us];
            let steps = king_attacks(kings[us]) & own.enter & !king_attacks(kings[them]) & !kings[them].bitboard();
            let stay = if own.can_pass { kings[us].bitboard() } else { Bitboard::EMPTY };
            if (steps | stay).is_empty() {
                continue;
            }
            pairs.live[0] |= kings[0].bitboard();
            pairs.live[1] |= kings[1].bitboard();
            for to in steps | stay {
                let mut next = kings;
                next[us] = to;
                pairs.leaves[us] |= to != first[us];
                if pairs.insert(next, !stm) {
                    open.push((next, !stm));
                }
            }
        }
        pairs
    }

    /// Adds a pair; whether it is new.
    fn insert(&mut self, kings: [Square; 2], stm: Color) -> bool {
        let by_color = &mut self.pairs[stm.index()];
        let is_new = !by_color[0][kings[0].index()].contains(kings[1]);
        by_color[0][kings[0].index()] |= kings[1].bitboard();
        by_color[1][kings[1].index()] |= kings[0].bitboard();
        is_new
    }

    /// Where the other king can be when the king of `color` is on a square.
    fn others(&self, stm: Color, color: Color, square: Square) -> Bitboard {
        self.pairs[stm.index()][color.index()][square.index()]
    }
}

/// Whether `winner`, who can or cannot move anything but the king, may mate in some pair of squares of the kings.
pub(super) fn may_end_in_mate(reach: &Reach, pairs: &Pairs, can_pass: bool, winner: Color) -> bool {
    let loser = !winner;
    let squares = Square::all().filter(|&square| pairs.others(loser, loser, square).any());
    squares.into_iter().any(|square| may_be_mated_on(square, reach, pairs, can_pass, winner))
}

/// Whether the loser's king may be mated on a square.
fn may_be_mated_on(square: Square, reach: &Reach, pairs: &Pairs, can_pass: bool, winner: Color) -> bool {
    let neighbors = king_attacks(square);
    let mut is_checked = false;
    let mut covered = Bitboard::EMPTY;
    // The lines on which a slider may look at the king once the winner's king steps aside.
    let mut lines = Bitboard::EMPTY;
    for man in reach.of(winner).filter(|man| man.kind != PieceType::King) {
        let attacks = man.attacks();
        is_checked |= attacks.contains(square);
        covered |= attacks;
        for &direction in slides(man.kind) {
            if step(man.as_piece(), direction).contains(square) {
                covered |= step(square.bitboard(), direction);
                lines |= line(square, square.offset(-direction));
            }
        }
    }
    if !is_checked {
        return false;
    }
    let (before, after) = (pairs.others(winner, !winner, square), pairs.others(!winner, !winner, square));
    // A man other than the king gives the mate, or the king by stepping off a line.
    let by_others = if can_pass { before } else { Bitboard::EMPTY };
    let by_king = after.into_iter().filter(|&won| (king_attacks(won) & before & lines).any()).collect::<Bitboard>();
    let open = neighbors & !covered;
    let mut last = None;
    (by_others | by_king).into_iter().any(|won| {
        let needed = open & !king_attacks(won);
        if last == Some(needed) {
            return false;
        }
        last = Some(needed);
        reach.can_block(needed, !winner)
    })
}
