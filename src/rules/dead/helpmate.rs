//! The search for a helpmate: both sides work together to mate one king.
//!
//! Best first, each position once. If nothing is left to look at, there is no mate.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use super::reach::Care;
use super::{Winnability, material, reach};
use crate::board::Board;
use crate::board::attacks::king_attacks;
use crate::types::{Bitboard, Color, PieceType, Square};

/// So many positions get the closest look whatever move led to them: a short forced line may end there.
const CLOSE_LOOKS: u32 = 12;
/// So many positions get a quick look whatever move led to them.
const EARLY_LOOKS: u32 = 64;
/// Looks that prove something less often than once in so many are not worth their time.
const WORTHWHILE: u32 = 16;

/// The levels of the frontier; what looks worse than the last is in the last.
const LEVELS: usize = 128;

/// Keys of positions are random already.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

type KeySet = HashSet<u64, BuildHasherDefault<KeyHasher>>;

/// The positions that wait, the most promising first, the latest of equals first.
struct Frontier {
    levels: Vec<Vec<Board>>,
    best: usize,
}

impl Frontier {
    fn new() -> Self {
        Self { levels: (0..LEVELS).map(|_| Vec::new()).collect(), best: LEVELS }
    }

    fn push(&mut self, board: Board, level: usize) {
        let level = level.min(LEVELS - 1);
        self.levels[level].push(board);
        self.best = self.best.min(level);
    }

    fn pop(&mut self) -> Option<Board> {
        while self.best < LEVELS {
            if let Some(board) = self.levels[self.best].pop() {
                return Some(board);
            }
            self.best += 1;
        }
        None
    }
}

/// Which positions the bound on reach is asked about.
pub(super) enum Looks {
    /// None.
    None,
    /// Some, and how often that proved them hopeless.
    Some {
        /// How many were asked about.
        made: u32,
        /// How many were hopeless.
        proofs: u32,
    },
}

impl Default for Looks {
    fn default() -> Self {
        Self::Some { made: 0, proofs: 0 }
    }
}

impl Looks {
    /// Whether a position is known to lead to no mate. Only captures and pawn moves change what the men can ever do, but
    /// early on forced moves may change what is known.
    fn prove_hopeless(&mut self, board: &Board, winner: Color) -> bool {
        let is_changed = board.halfmove_clock() == 0;
        if is_changed && material::cannot_mate(board, winner) {
            return true;
        }
        let Self::Some { made, proofs } = self else { return false };
        let is_worthwhile = is_changed && *proofs * WORTHWHILE >= *made;
        if *made >= EARLY_LOOKS && !is_worthwhile {
            return false;
        }
        let care = if *made < CLOSE_LOOKS { Care::Close } else { Care::Quick };
        let is_proven = reach::cannot_mate(board, winner, care);
        *made += 1;
        *proofs += u32::from(is_proven);
        is_proven
    }
}

/// Looks for a mate by `winner`, at no more than `budget` positions. Something can be moved in the first.
pub(super) fn search(board: &Board, winner: Color, budget: u32, mut looks: Looks) -> Winnability {
    let mut seen = KeySet::with_capacity_and_hasher(budget.min(1_000) as usize, Default::default());
    let mut frontier = Frontier::new();
    seen.insert(board.key());
    let mut next = Some(board.clone());
    while let Some(board) = next {
        for m in board.legal_moves() {
            let child = board.after(m);
            if !seen.insert(child.key()) {
                continue;
            }
            if child.in_check() && child.stm() != winner && child.has_no_legal_move() {
                return Winnability::Yes;
            }
            if seen.len() as u64 > u64::from(budget) {
                return Winnability::Undecided;
            }
            let level = distance(&child, winner);
            frontier.push(child, level);
        }
        next = frontier.pop();
        while next.as_ref().is_some_and(|board| looks.prove_hopeless(board, winner)) {
            next = frontier.pop();
        }
    }
    Winnability::No
}

/// A guess how far a position is from a mate: flights of the king, men near it, a pawn to be promoted where no heavy
/// piece is left, and for minor pieces alone a corner and men of the king's own that get in its way.
fn distance(board: &Board, winner: Color) -> usize {
    /// What a man counts that is not there.
    const MISSING: usize = 6;
    let loser = !winner;
    let king = board.king(loser);
    let occupied = board.occupied() ^ king.bitboard();
    let around = king_attacks(king) & !board.of_color(loser);
    let flights = around.into_iter().filter(|&square| !board.is_attacked(square, winner, occupied)).count();
    let away = |square: Square| {
        let files = square.file().index().abs_diff(king.file().index());
        let ranks = square.rank().index().abs_diff(king.rank().index());
        files.max(ranks)
    };
    let pawns = board.pieces(winner, PieceType::Pawn);
    let men = board.of_color(winner) & !board.of_kind(PieceType::Pawn) & !board.of_kind(PieceType::King);
    let (mut nearest, mut second) = (MISSING, MISSING);
    for distance in men.into_iter().map(away) {
        second = second.min(nearest.max(distance));
        nearest = nearest.min(distance);
    }
    let to_edge = |index: usize| index.min(7 - index);
    let (file, rank) = (to_edge(king.file().index()), to_edge(king.rank().index()));
    let heavy = board.pieces(winner, PieceType::Queen) | board.pieces(winner, PieceType::Rook);
    let plan = if heavy.any() {
        file.min(rank)
    } else if pawns.any() {
        file.min(rank) + 4 * to_promotion(pawns, winner)
    } else {
        let others = board.of_color(loser) ^ king.bitboard();
        2 * (file + rank) + others.into_iter().map(away).min().unwrap_or(0)
    };
    let check = usize::from(board.in_check() && board.stm() == loser);
    3 * flights + away(board.king(winner)).min(5) + nearest + second + plan + 2 - 2 * check
}

/// How many steps the foremost pawn is from its last rank.
fn to_promotion(pawns: Bitboard, color: Color) -> usize {
    let steps = |square: Square| 7 - square.rank().relative_to(color).index();
    pawns.into_iter().map(steps).min().unwrap_or(0)
}
