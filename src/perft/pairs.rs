//! Two plies at once: the replies to all moves of a piece, counted together.
//!
//! Most moves change little of what the other side can do. So the replies are counted once as if the mover had passed,
//! and once more for each piece without that piece where it stands in the way of something. Then sets of squares tell
//! how many replies each quiet move takes away or adds: a square that blocks a slider or a pawn, that a pawn can capture
//! on, that guards a square from the king. Moves that do more (captures, checks, pins, moves of the king, and so on) are
//! made and the replies to them counted as usual.

use arrayvec::ArrayVec;

use super::position::{Mover, NOT_A, NOT_H, Position, Restraints, color};
use crate::board::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, pawns_attacks, rook_attacks,
};
use crate::types::{Bitboard, Square};

/// Most sliders of a kind that a side is counted with here.
const MOST_SLIDERS: usize = 12;

type Sliders = ArrayVec<(Square, Bitboard), MOST_SLIDERS>;

/// The replies to a pass, those of the king and castling left out, and what they depend on.
struct Replies {
    count: u32,
    /// The lines on which a piece pins one that could reply.
    pins: Bitboard,
    /// What the king sees through its own pieces, along diagonals and along ranks and files: from there checks and pins
    /// come.
    king_lines: [Bitboard; 2],
    /// Bishops and queens with the squares they attack.
    diagonals: Sliders,
    /// Rooks and queens with the squares they attack.
    orthogonals: Sliders,
    /// All these squares.
    slider_targets: Bitboard,
    /// Single steps, double steps, and all squares that pawns could capture on, towards each edge.
    pawn_steps: [Bitboard; 2],
    pawn_captures: [Bitboard; 2],
    /// Squares behind which a pawn waits to step.
    pawn_blocks: Bitboard,
}

impl Replies {
    /// Whether taking away a piece from a square could change anything but what it attacks.
    fn depend_on(&self, from: Bitboard) -> bool {
        let [west, east] = self.pawn_captures;
        let [diagonal, orthogonal] = self.king_lines;
        ((self.slider_targets | west | east | self.pawn_blocks | diagonal | orthogonal) & from).any()
    }
}

/// Where a king may go when a piece of the other side is taken away.
struct KingRoom {
    /// The squares that are not attacked.
    free: Bitboard,
    /// Where a piece would shut off the only attack on another square.
    shutters: Bitboard,
}

impl Position {
    /// The leaves two plies below.
    pub(super) fn count_pairs<const W: bool, const NEXT: bool>(&self) -> u64 {
        let restraints = self.restraints::<W>();
        let them = self.them::<W>();
        let mut sum = 0;
        let sliders = them.diagonals.count().max(them.orthogonals.count()) as usize;
        if restraints.checkers.any() || sliders > MOST_SLIDERS {
            self.for_each_next::<W>(&mut |next: &Self| sum += next.count_moves::<NEXT>());
            return sum;
        }
        let Some(replies) = self.replies::<NEXT>() else {
            debug_assert!(false, "the side that is not to move is in check");
            return 0;
        };
        let mut quiet_sum = 0;
        let mut add = |next: &Self| sum += next.count_moves::<NEXT>();
        self.for_each_after_king::<W>(&mut add);
        for rook in self.castling_rooks::<W>() {
            add(&self.after_castling::<W>(rook));
        }
        let empty = !self.occupied();
        self.for_each_reach::<W>(&restraints, Bitboard::ALL, |mover, from, targets| {
            for to in targets & them.all {
                add(&self.after::<W>(mover, from, to.bitboard()));
            }
            quiet_sum += self.count_quiet::<W, NEXT>(&replies, mover, from, targets & empty);
        });
        // A double step is quiet if nobody can capture en passant.
        let [single, double, west, east] = self.pawn_targets::<W>(&restraints);
        let beside = (them.pawns & NOT_A).shift(-1) | (them.pawns & NOT_H).shift(1);
        let promotions = single & Bitboard::BACK_RANKS;
        self.for_each_after_pawn::<W>([promotions, double & beside, west, east], &mut add);
        let step = color(W).pawn_step();
        for to in single & !promotions {
            let to = to.bitboard();
            let targets = to | to.shift(step) & double & !beside;
            quiet_sum += self.count_quiet::<W, NEXT>(&replies, Mover::Pawn, to.shift(-step), targets);
        }
        sum + quiet_sum
    }

    /// The replies to a piece's moves to empty squares.
    #[inline(always)]
    fn count_quiet<const W: bool, const NEXT: bool>(
        &self,
        base: &Replies,
        mover: Mover,
        from: Bitboard,
        targets: Bitboard,
    ) -> u64 {
        if targets.is_empty() {
            return 0;
        }
        let mut sum = 0;
        let mut make = |targets: Bitboard| {
            for to in targets {
                sum += self.after::<W>(mover, from, to.bitboard()).count_moves::<NEXT>();
            }
        };
        let lifted = self.without::<W>(from);
        let fresh;
        let replies = if base.depend_on(from) {
            match lifted.replies::<NEXT>() {
                Some(replies) => {
                    fresh = replies;
                    &fresh
                }
                // Every step of this piece discovers a check, but for those along its line.
                None => {
                    make(targets);
                    return sum;
                }
            }
        } else {
            base
        };
        let king = self.them::<W>().king.lsb();
        let [diagonal_line, orthogonal_line] = replies.king_lines;
        let checks = match mover {
            Mover::Pawn => pawn_attacks(color(NEXT), king),
            Mover::Knight => knight_attacks(king),
            Mover::Bishop => diagonal_line,
            Mover::Rook => orthogonal_line,
            Mover::Queen | Mover::King => diagonal_line | orthogonal_line,
        };
        let room = lifted.king_room::<NEXT>();
        let special = targets & (checks | replies.pins | room.shutters);
        make(special);
        let quiet = targets ^ special;
        if quiet.is_empty() {
            return sum;
        }
        let occupied = lifted.occupied();
        let mut gained = quiet.count() * (replies.count + room.free.count());
        let mut lost = 0;
        for square in room.free {
            let guards = match mover {
                Mover::Pawn => pawn_attacks(color(NEXT), square),
                Mover::Knight => knight_attacks(square),
                Mover::Bishop => bishop_attacks(square, occupied),
                Mover::Rook => rook_attacks(square, occupied),
                Mover::Queen | Mover::King => bishop_attacks(square, occupied) | rook_attacks(square, occupied),
            };
            lost += (guards & quiet).count();
        }
        if (quiet & replies.slider_targets).any() {
            lost += self.lost_by_sliders::<NEXT>(replies, occupied, quiet);
        }
        let [single, double] = replies.pawn_steps;
        let [west, east] = replies.pawn_captures;
        if (quiet & (single | double | west | east)).any() {
            gained += with_promotions(quiet & west) + with_promotions(quiet & east);
            let through = double.shift(-color(NEXT).pawn_step());
            lost += with_promotions(quiet & single) + (quiet & through).count() + (quiet & double).count();
        }
        if (self.castling & color(NEXT).back_rank_squares()).any() && lifted.has_clear_castling_path::<NEXT>() {
            for to in quiet {
                gained += self.after::<W>(mover, from, to.bitboard()).castling_rooks::<NEXT>().count();
            }
        }
        sum + u64::from(gained - lost)
    }

    /// How many moves of sliders end at a piece on each of `quiet`.
    #[inline]
    fn lost_by_sliders<const W: bool>(&self, replies: &Replies, occupied: Bitboard, quiet: Bitboard) -> u32 {
        let mut lost = 0;
        let own = self.us::<W>().all;
        for &(square, attacks) in &replies.diagonals {
            for to in attacks & quiet {
                lost += (attacks & !own & !bishop_attacks(square, occupied | to.bitboard())).count();
            }
        }
        for &(square, attacks) in &replies.orthogonals {
            for to in attacks & quiet {
                lost += (attacks & !own & !rook_attacks(square, occupied | to.bitboard())).count();
            }
        }
        lost
    }

    /// What the side `W` could do; `None` if it is in check.
    #[inline]
    fn replies<const W: bool>(&self) -> Option<Replies> {
        let restraints = self.restraints::<W>();
        if restraints.checkers.any() {
            return None;
        }
        let (us, them) = (self.us::<W>(), self.them::<W>());
        let king = us.king.lsb();
        let occupied = self.occupied();
        let Restraints { diagonal_pins, orthogonal_pins, .. } = restraints;
        let pins = diagonal_pins | orthogonal_pins;
        let mut count = 0;
        for from in us.knights & !pins {
            count += (knight_attacks(from) & !us.all).count();
        }
        let mut slider_targets = Bitboard::EMPTY;
        let (mut diagonals, mut orthogonals) = (Sliders::new(), Sliders::new());
        for from in us.diagonals & !orthogonal_pins {
            let pin = if diagonal_pins.contains(from) { diagonal_pins } else { Bitboard::ALL };
            let attacks = bishop_attacks(from, occupied) & pin;
            count += (attacks & !us.all).count();
            slider_targets |= attacks;
            diagonals.push((from, attacks));
        }
        for from in us.orthogonals & !diagonal_pins {
            let pin = if orthogonal_pins.contains(from) { orthogonal_pins } else { Bitboard::ALL };
            let attacks = rook_attacks(from, occupied) & pin;
            count += (attacks & !us.all).count();
            slider_targets |= attacks;
            orthogonals.push((from, attacks));
        }
        let [single, double, west, east] = self.pawn_reach::<W>(&restraints);
        count += with_promotions(single) + double.count();
        count += with_promotions(west & them.all) + with_promotions(east & them.all);
        let step = color(W).pawn_step();
        let before = us.pawns.shift(step);
        Some(Replies {
            count,
            pins,
            king_lines: [bishop_attacks(king, them.all), rook_attacks(king, them.all)],
            diagonals,
            orthogonals,
            slider_targets,
            pawn_steps: [single, double],
            pawn_captures: [west, east],
            pawn_blocks: before | before.shift(step),
        })
    }

    #[inline]
    fn king_room<const W: bool>(&self) -> KingRoom {
        let (us, them) = (self.us::<W>(), self.them::<W>());
        let occupied = self.occupied();
        let candidates = king_attacks(us.king.lsb())
            & !us.all
            & !king_attacks(them.king.lsb())
            & !pawns_attacks(color(!W), them.pawns);
        let mut room = KingRoom { free: candidates, shutters: Bitboard::EMPTY };
        for square in candidates {
            let attackers = knight_attacks(square) & them.knights
                | bishop_attacks(square, occupied) & them.diagonals
                | rook_attacks(square, occupied) & them.orthogonals;
            if attackers.any() {
                room.free ^= square.bitboard();
                if let Some(attacker) = attackers.single() {
                    room.shutters |= between(square, attacker);
                }
            }
        }
        room
    }
}

/// Counts the moves of pawns to some squares: each of those on the edge is one to each of four pieces.
#[inline]
fn with_promotions(targets: Bitboard) -> u32 {
    targets.count() + 3 * (targets & Bitboard::BACK_RANKS).count()
}
