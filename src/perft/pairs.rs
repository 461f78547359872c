//! Two plies at once: the replies to all moves of a piece, counted together.
//!
//! Most moves change little of what the other side can do. So the replies are counted once as if the mover had passed,
//! and once more for each piece without that piece where it stands in the way of something. Then sets of squares tell
//! how many replies each quiet move takes away or adds: a square that blocks a slider or a pawn, that a pawn can capture
//! on, that guards a square from the king. With captures go the replies of the captured piece. Moves that do more (checks,
//! pins, promotions, moves of the king, and so on) are made and the replies to them counted as usual.

use arrayvec::ArrayVec;

use super::count::with_promotions;
use super::position::{Mover, Position, Restraints, capture_steps, castling_walk, color};
use crate::board::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, pawns_attacks, rook_attacks,
};
use crate::types::{Bitboard, Square};

/// Most sliders of a kind that a side is counted with here.
const MOST_SLIDERS: usize = 12;

type Sliders = ArrayVec<(Square, Bitboard), MOST_SLIDERS>;

/// The replies to a pass, those of the king and castling left out, and what they depend on.
#[derive(Clone, Default)]
struct Replies {
    /// Moves of knights and sliders.
    piece_count: u32,
    pawn_count: u32,
    restraints: Restraints,
    /// What the king sees through its own pieces, along diagonals and along ranks and files: from there checks and pins
    /// come.
    king_lines: [Bitboard; 2],
    /// Knights that are not pinned.
    knights: Bitboard,
    /// Bishops and queens with the squares they attack.
    diagonals: Sliders,
    /// Rooks and queens with the squares they attack.
    orthogonals: Sliders,
    /// All these squares.
    slider_targets: Bitboard,
    /// Single steps, double steps, and all squares that pawns could capture on, towards each edge.
    pawn_steps: [Bitboard; 2],
    pawn_captures: [Bitboard; 2],
    /// Squares in front of pawns, one step and two.
    pawn_blocks: Bitboard,
}

impl Replies {
    /// Whether taking away a piece from a square could change anything but what it attacks.
    fn depend_on(&self, from: Bitboard) -> bool {
        let [diagonal, orthogonal] = self.king_lines;
        ((self.slider_targets | self.pawns_depend_on() | diagonal | orthogonal) & from).any()
    }

    fn pawns_depend_on(&self) -> Bitboard {
        let [west, east] = self.pawn_captures;
        self.pawn_blocks | west | east
    }
}

/// Where a king may go when a piece of the other side is taken away.
struct KingRoom {
    /// The squares that are not attacked.
    free: Bitboard,
    /// Where a piece would shut off the only attack on another square.
    shutters: Bitboard,
    /// A piece elsewhere can be taken away without changing any of this.
    depends: Bitboard,
}

/// Castling when a piece of the other side is taken away.
struct CastlingOutlook {
    /// With these rooks it is legal.
    rooks: Bitboard,
    /// Where a piece would shut off an attack on the king's way.
    shutters: Bitboard,
    /// A piece elsewhere can be taken away without changing any of this.
    depends: Bitboard,
}

/// All that is found out once for a position.
struct Base {
    replies: Replies,
    room: KingRoom,
    castling: CastlingOutlook,
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
        let mut base = Base {
            replies: Replies::default(),
            room: self.king_room::<NEXT>(),
            castling: self.castling_outlook::<NEXT>(),
        };
        let is_quiet = self.replies::<NEXT>(&mut base.replies);
        debug_assert!(is_quiet, "the side that is not to move is in check");
        let mut scratch = Replies::default();
        let mut together = 0;
        let mut add = |next: &Self| sum += next.count_moves::<NEXT>();
        if self.king_is_far_away::<W>() {
            let (from, targets) = (self.us::<W>().king, self.king_targets::<W>());
            together += self.count_after_piece::<W, NEXT>(&base, &mut scratch, Mover::King, from, targets);
        } else {
            self.for_each_after_king::<W>(&mut add);
        }
        for rook in self.castling_rooks::<W>() {
            add(&self.after_castling::<W>(rook));
        }
        self.for_each_reach::<W>(&restraints, Bitboard::ALL, |mover, from, targets| {
            together += self.count_after_piece::<W, NEXT>(&base, &mut scratch, mover, from, targets);
        });
        // A double step that allows a capture en passant is made.
        let [single, double, west, east] = self.pawn_targets::<W>(&restraints);
        let beside = (them.pawns & Bitboard::NOT_A).shift(-1) | (them.pawns & Bitboard::NOT_H).shift(1);
        let [plain_single, plain_west, plain_east] =
            [single, west, east].map(|targets| targets & !Bitboard::BACK_RANKS);
        let made = [single ^ plain_single, double & beside, west ^ plain_west, east ^ plain_east];
        self.for_each_after_pawn::<W>(made, &mut add);
        let double = double & !beside;
        let step = color(W).pawn_step();
        let (west_step, east_step) = capture_steps(W);
        let movers = plain_single.shift(-step)
            | double.shift(-2 * step)
            | plain_west.shift(-west_step)
            | plain_east.shift(-east_step);
        for from in movers {
            let from = from.bitboard();
            let targets = from.shift(step) & plain_single
                | from.shift(2 * step) & double
                | (from & Bitboard::NOT_A).shift(west_step) & plain_west
                | (from & Bitboard::NOT_H).shift(east_step) & plain_east;
            together += self.count_after_piece::<W, NEXT>(&base, &mut scratch, Mover::Pawn, from, targets);
        }
        sum + together
    }

    /// Whether the king of `W` is where neither it nor a step of it matters to the other king.
    fn king_is_far_away<const W: bool>(&self) -> bool {
        let (king, other) = (self.us::<W>().king.lsb(), self.them::<W>().king.lsb());
        let files = king.file().index().abs_diff(other.file().index());
        let ranks = king.rank().index().abs_diff(other.rank().index());
        let back_rank = color(!W).back_rank();
        let may_hinder_castling =
            (self.castling & Bitboard::rank(back_rank)).any() && king.rank().index().abs_diff(back_rank.index()) <= 2;
        files.max(ranks) > 3 && !may_hinder_castling
    }

    /// The replies to some moves of a piece.
    #[inline(always)]
    fn count_after_piece<const W: bool, const NEXT: bool>(
        &self,
        base: &Base,
        scratch: &mut Replies,
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
        let replies = if base.replies.depend_on(from) {
            let [diagonal, orthogonal] = base.replies.king_lines;
            if ((diagonal | orthogonal) & from).is_empty() {
                lifted.replies_from::<NEXT>(&base.replies, from, scratch);
            } else if !lifted.replies::<NEXT>(scratch) {
                // Every step of this piece discovers a check, but for those along its line.
                make(targets);
                return sum;
            }
            scratch
        } else {
            &base.replies
        };
        let occupied = lifted.occupied();
        let king = self.them::<W>().king.lsb();
        let [diagonal_line, orthogonal_line] = replies.king_lines;
        let checks = match mover {
            Mover::Pawn => pawn_attacks(color(NEXT), king),
            Mover::Knight => knight_attacks(king),
            Mover::Bishop => diagonal_line,
            Mover::Rook => orthogonal_line,
            Mover::Queen => diagonal_line | orthogonal_line,
            Mover::King => Bitboard::EMPTY,
        };
        let fresh_room;
        let room = if (base.room.depends & from).any() {
            fresh_room = lifted.king_room::<NEXT>();
            &fresh_room
        } else {
            &base.room
        };
        let guards = |square: Square| match mover {
            Mover::Pawn => pawn_attacks(color(NEXT), square),
            Mover::Knight => knight_attacks(square),
            Mover::Bishop => bishop_attacks(square, occupied),
            Mover::Rook => rook_attacks(square, occupied),
            Mover::Queen => bishop_attacks(square, occupied) | rook_attacks(square, occupied),
            // It is far away.
            Mover::King => Bitboard::EMPTY,
        };
        // A capture may also change what is pinned, or take a rook that could castle.
        let them = self.them::<W>();
        let restraints = &replies.restraints;
        let mut special = checks | restraints.pins() | restraints.paths & them.all | room.shutters;
        let back_rank = color(NEXT).back_rank_squares();
        if (self.castling & back_rank).any() {
            special |= back_rank;
        }
        let fresh_castling;
        let castling = if (base.castling.depends & from).any() {
            fresh_castling = lifted.castling_outlook::<NEXT>();
            &fresh_castling
        } else {
            &base.castling
        };
        special |= castling.shutters;
        make(targets & special);
        let plain = targets & !special;
        if plain.is_empty() {
            return sum;
        }
        let captures = plain & them.all;
        let quiet = plain ^ captures;
        let mut gained = plain.count() * (replies.piece_count + replies.pawn_count + room.free.count());
        let mut lost = 0;
        for square in room.free {
            lost += (guards(square) & plain).count();
        }
        for rook in castling.rooks {
            let guarded =
                castling_walk(king, rook).into_iter().fold(Bitboard::EMPTY, |set, square| set | guards(square));
            gained += (plain & !guarded).count();
        }
        if captures.any() {
            let (more, less) = lifted.after_captures::<NEXT>(replies, captures);
            gained += more;
            lost += less;
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

    /// How many moves of `W` capture a piece that has captured on each of `captures`, and how many are lost with the
    /// pieces captured there.
    #[inline]
    fn after_captures<const W: bool>(&self, replies: &Replies, captures: Bitboard) -> (u32, u32) {
        let (us, them) = (self.us::<W>().all, self.them::<W>().all);
        let [west, east] = replies.pawn_captures;
        let mut gained = with_promotions(captures & west) + with_promotions(captures & east);
        let mut lost = 0;
        let side = self.us::<W>();
        let occupied = self.occupied();
        // Nothing that is pinned could take part: it would have been special.
        let unpinned = !replies.restraints.pins();
        for square in captures & king_attacks(side.king.lsb()) {
            gained += u32::from(!self.is_guarded::<W>(square));
        }
        for square in captures {
            let (diagonal, orthogonal) = (bishop_attacks(square, occupied), rook_attacks(square, occupied));
            let knight = knight_attacks(square);
            gained += (knight & replies.knights).count();
            gained += (diagonal & side.diagonals & unpinned).count();
            gained += (orthogonal & side.orthogonals & unpinned).count();
            if side.knights.contains(square) {
                lost += (knight & !us).count();
            }
            if side.diagonals.contains(square) {
                lost += (diagonal & !us).count();
            }
            if side.orthogonals.contains(square) {
                lost += (orthogonal & !us).count();
            }
        }
        let pawns = captures & side.pawns;
        if pawns.any() {
            let [single, double] = replies.pawn_steps;
            let step = color(W).pawn_step();
            let (west_step, east_step) = capture_steps(W);
            lost += with_promotions(pawns.shift(step) & single) + (pawns.shift(2 * step) & double).count();
            lost += with_promotions((pawns & Bitboard::NOT_A).shift(west_step) & west & them);
            lost += with_promotions((pawns & Bitboard::NOT_H).shift(east_step) & east & them);
        }
        (gained, lost)
    }

    /// Which rooks could castle, and where a piece could make castling legal that is not.
    fn castling_outlook<const W: bool>(&self) -> CastlingOutlook {
        let mut outlook =
            CastlingOutlook { rooks: Bitboard::EMPTY, shutters: Bitboard::EMPTY, depends: Bitboard::EMPTY };
        let candidates = self.castling & color(W).back_rank_squares();
        if candidates.is_empty() {
            return outlook;
        }
        outlook.depends = color(W).back_rank_squares();
        let king = self.us::<W>().king.lsb();
        let (them, occupied) = (self.them::<W>(), self.occupied());
        for rook in candidates {
            if !self.castling_path_is_clear::<W>(rook) {
                continue;
            }
            if self.castling_is_legal::<W>(rook) {
                outlook.rooks |= rook.bitboard();
            }
            for square in castling_walk(king, rook) {
                let (diagonal, orthogonal) = (bishop_attacks(square, occupied), rook_attacks(square, occupied));
                outlook.depends |= diagonal
                    | orthogonal
                    | knight_attacks(square) & them.knights
                    | pawn_attacks(color(W), square) & them.pawns;
                for attacker in diagonal & them.diagonals | orthogonal & them.orthogonals {
                    outlook.shutters |= between(square, attacker);
                }
            }
        }
        outlook
    }

    /// Finds what the side `W` could do; false if it is in check.
    #[inline]
    fn replies<const W: bool>(&self, replies: &mut Replies) -> bool {
        let restraints = self.restraints::<W>();
        if restraints.checkers.any() {
            return false;
        }
        let (us, them) = (self.us::<W>(), self.them::<W>());
        let king = us.king.lsb();
        let occupied = self.occupied();
        let Restraints { diagonal_pins, orthogonal_pins, .. } = restraints;
        let mut count = 0;
        replies.knights = us.knights & !restraints.pins();
        for from in replies.knights {
            count += (knight_attacks(from) & !us.all).count();
        }
        let mut slider_targets = Bitboard::EMPTY;
        replies.diagonals.clear();
        replies.orthogonals.clear();
        for from in us.diagonals & !orthogonal_pins {
            let pin = if diagonal_pins.contains(from) { diagonal_pins } else { Bitboard::ALL };
            let attacks = bishop_attacks(from, occupied) & pin;
            count += (attacks & !us.all).count();
            slider_targets |= attacks;
            replies.diagonals.push((from, attacks));
        }
        for from in us.orthogonals & !diagonal_pins {
            let pin = if orthogonal_pins.contains(from) { orthogonal_pins } else { Bitboard::ALL };
            let attacks = rook_attacks(from, occupied) & pin;
            count += (attacks & !us.all).count();
            slider_targets |= attacks;
            replies.orthogonals.push((from, attacks));
        }
        let before = us.pawns.shift(color(W).pawn_step());
        replies.pawn_blocks = before | before.shift(color(W).pawn_step());
        replies.piece_count = count;
        replies.restraints = restraints;
        replies.king_lines = [bishop_attacks(king, them.all), rook_attacks(king, them.all)];
        replies.slider_targets = slider_targets;
        self.find_pawn_replies::<W>(replies);
        true
    }

    #[inline]
    fn find_pawn_replies<const W: bool>(&self, replies: &mut Replies) {
        let them = self.them::<W>().all;
        let [single, double, west, east] = self.pawn_reach::<W>(&replies.restraints);
        replies.pawn_count = with_promotions(single) + double.count();
        replies.pawn_count += with_promotions(west & them) + with_promotions(east & them);
        replies.pawn_steps = [single, double];
        replies.pawn_captures = [west, east];
    }

    /// Finds what the side `W` could do from what it could do before a piece was taken away from a square that its
    /// king does not see, so that checks and pins are as before.
    #[inline]
    fn replies_from<const W: bool>(&self, base: &Replies, from: Bitboard, replies: &mut Replies) {
        let own = self.us::<W>().all;
        let occupied = self.occupied();
        *replies = base.clone();
        if (base.slider_targets & from).any() {
            let (count, targets) = (&mut replies.piece_count, &mut replies.slider_targets);
            let mut lengthen = |attacks: &mut Bitboard, longer: Bitboard| {
                *count += (longer & !*attacks & !own).count();
                *targets |= longer;
                *attacks = longer;
            };
            for (square, attacks) in replies.diagonals.iter_mut().filter(|(_, attacks)| (*attacks & from).any()) {
                lengthen(attacks, bishop_attacks(*square, occupied));
            }
            for (square, attacks) in replies.orthogonals.iter_mut().filter(|(_, attacks)| (*attacks & from).any()) {
                lengthen(attacks, rook_attacks(*square, occupied));
            }
        }
        if (base.pawns_depend_on() & from).any() {
            self.find_pawn_replies::<W>(replies);
        }
    }

    #[inline]
    fn king_room<const W: bool>(&self) -> KingRoom {
        let (us, them) = (self.us::<W>(), self.them::<W>());
        let occupied = self.occupied();
        let near = king_attacks(us.king.lsb()) & !us.all & !king_attacks(them.king.lsb());
        let candidates = near & !pawns_attacks(color(!W), them.pawns);
        let guards = pawns_attacks(color(W), near) & them.pawns;
        let mut room = KingRoom { free: candidates, shutters: Bitboard::EMPTY, depends: guards };
        for square in candidates {
            let (diagonal, orthogonal) = (bishop_attacks(square, occupied), rook_attacks(square, occupied));
            let knights = knight_attacks(square) & them.knights;
            let attackers = knights | diagonal & them.diagonals | orthogonal & them.orthogonals;
            room.depends |= diagonal | orthogonal | knights;
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
