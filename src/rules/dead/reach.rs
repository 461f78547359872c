//! Where men can ever get to: a bound from above, and what it says about mate.
//!
//! Every man starts on its square; the rules of movement enlarge the sets of squares until nothing changes. A man
//! enters a square only if whoever stands there now can ever leave or be captured, a pawn captures only where an enemy
//! can ever be, and a king never steps where an enemy that cannot be captured always attacks. No series of legal moves
//! leaves these sets: its first move that did would be a move the rules allow. So if no king's square can be both
//! checked and sealed off by men that can get there, there is no mate.

use arrayvec::ArrayVec;

use super::duel::{self, Duelist, Pairs};
use crate::board::Board;
use crate::board::attacks::{between, king_attacks, knight_attacks, pawn_attacks, pawns_attacks};
use crate::types::{Bitboard, CastlingSide, Color, PieceType, Square};

/// The directions of rooks, then those of bishops, as index steps.
const ORTHOGONAL: [i8; 4] = [8, -8, 1, -1];
const DIAGONAL: [i8; 4] = [9, 7, -7, -9];

/// Larger sets have no square in common that all of their squares attack, or hardly ever.
const MAX_PATROL: u32 = 4;

/// One step of a whole set; what leaves the board is lost.
pub(super) fn step(squares: Bitboard, direction: i8) -> Bitboard {
    match direction {
        1 | 9 | -7 => (squares & Bitboard::NOT_H).shift(direction),
        -1 | -9 | 7 => (squares & Bitboard::NOT_A).shift(direction),
        _ => squares.shift(direction),
    }
}

fn steps(squares: Bitboard, directions: &[i8]) -> Bitboard {
    directions.iter().fold(Bitboard::EMPTY, |all, &direction| all | step(squares, direction))
}

fn knight_steps(squares: Bitboard) -> Bitboard {
    squares.into_iter().fold(Bitboard::EMPTY, |all, square| all | knight_attacks(square))
}

fn king_steps(squares: Bitboard) -> Bitboard {
    steps(squares, &ORTHOGONAL) | steps(squares, &DIAGONAL)
}

/// The directions in which a piece slides.
pub(super) fn slides(kind: PieceType) -> &'static [i8] {
    match kind {
        PieceType::Bishop => &DIAGONAL,
        PieceType::Rook => &ORTHOGONAL,
        PieceType::Queen | PieceType::Pawn => &[8, -8, 1, -1, 9, 7, -7, -9],
        PieceType::Knight | PieceType::King => &[],
    }
}

/// A man and where it can ever get to.
#[derive(Clone, Copy)]
pub(super) struct Man {
    pub(super) color: Color,
    pub(super) kind: PieceType,
    start: Square,
    /// As what it is; for a pawn, as a pawn.
    reach: Bitboard,
    /// As what a pawn promotes to: all that queen and knight can do.
    promoted: Bitboard,
    /// Whether the other side can ever capture it.
    mortal: bool,
    /// For a king: whether it may ever leave its square, be it with a move that ends the game.
    leaves: bool,
    /// For a pawn: the squares in front of it where opposing pawns of its file start that it cannot pass.
    barrier: Bitboard,
}

impl Man {
    pub(super) fn everywhere(&self) -> Bitboard {
        self.reach | self.promoted
    }

    /// Whether a pawn may ever leave its file by a capture.
    fn leaves_file(&self) -> bool {
        !(self.reach & !Bitboard::file(self.start.file())).is_empty()
    }

    pub(super) fn is_frozen(&self) -> bool {
        self.everywhere() == self.start.bitboard() && !self.leaves
    }

    /// The squares it can ever attack, whoever stands there.
    pub(super) fn attacks(&self) -> Bitboard {
        let as_pawn =
            if self.kind == PieceType::Pawn { pawns_attacks(self.color, self.reach) } else { Bitboard::EMPTY };
        let squares = self.as_piece();
        as_pawn
            | match self.kind {
                PieceType::King => king_steps(squares),
                PieceType::Knight => knight_steps(squares),
                PieceType::Pawn => steps(squares, slides(self.kind)) | knight_steps(squares),
                _ => steps(squares, slides(self.kind)),
            }
    }

    /// Where it can be as something other than a pawn.
    pub(super) fn as_piece(&self) -> Bitboard {
        if self.kind == PieceType::Pawn { self.promoted } else { self.reach }
    }

    /// The squares that it attacks as long as it lives, wherever it is: next to it, so that nothing comes between.
    fn guard(&self) -> Bitboard {
        let squares = self.everywhere();
        if squares.count() > MAX_PATROL || self.promoted.any() {
            return Bitboard::EMPTY;
        }
        let attacks = |square: Square| match self.kind {
            PieceType::Pawn => pawn_attacks(self.color, square),
            PieceType::Knight => knight_attacks(square),
            PieceType::King => king_attacks(square),
            kind => steps(square.bitboard(), slides(kind)),
        };
        squares.into_iter().fold(Bitboard::ALL, |common, square| common & attacks(square))
    }
}

/// What the men of one colour do to the others in the current state of knowledge.
#[derive(Clone, Copy, Default)]
pub(super) struct Side {
    /// Squares whose first owner, of this colour, stays there for ever.
    stuck: Bitboard,
    /// Squares whose first owner is the king of this colour, who stays there.
    stuck_king: Bitboard,
    /// Squares that are always attacked.
    pub(super) guarded: Bitboard,
    /// Where men other than the king can be.
    present: Bitboard,
    /// Where men of this colour can capture something, if it is there.
    captures: Bitboard,
}

/// All men of a position with the squares they can ever get to.
pub(super) struct Reach {
    men: ArrayVec<Man, 64>,
    /// The kings together, if they are looked at so closely.
    pairs: Option<Pairs>,
}

impl Reach {
    fn new(board: &Board, care: Care) -> Self {
        let mut men = ArrayVec::new();
        for square in board.occupied() {
            if let Some(piece) = board.piece_on(square) {
                men.push(Man {
                    color: piece.color(),
                    kind: piece.kind(),
                    start: square,
                    reach: square.bitboard(),
                    promoted: Bitboard::EMPTY,
                    leaves: false,
                    barrier: Bitboard::EMPTY,
                    // A pawn that has just moved two squares may be captured without being reached.
                    mortal: board.ep_square().is_some_and(|ep| ep.offset(-board.stm().pawn_step()) == square),
                });
            }
        }
        let mut reach = Self { men, pairs: None };
        let kings = Color::ALL.map(|color| board.king(color));
        let is_close = care == Care::Close && board.castling().is_empty();
        let en_passant = board.ep_square().map_or(Bitboard::EMPTY, Square::bitboard);
        let castlings = castlings(board);
        loop {
            reach.raise_barriers();
            if is_close {
                // None yet the first time, which only makes the kings shyer.
                let duelists = reach.duelists();
                reach.pairs = Some(Pairs::new(kings, board.stm(), duelists));
            }
            if !reach.grow(board.stm(), en_passant, &castlings) {
                return reach;
            }
        }
    }

    /// Two opposing pawns on a file never pass each other unless one of them captures or is captured.
    fn raise_barriers(&mut self) {
        for index in 0..self.men.len() {
            let man = self.men[index];
            if man.kind != PieceType::Pawn {
                continue;
            }
            let ahead = |other: &&Man| {
                let is_ahead = match man.color {
                    Color::White => other.start.rank() > man.start.rank(),
                    Color::Black => other.start.rank() < man.start.rank(),
                };
                other.kind == PieceType::Pawn && other.start.file() == man.start.file() && is_ahead
            };
            let bars = |other: &&Man| ahead(other) && !other.mortal && !other.leaves_file() && !man.leaves_file();
            let barrier = self.of(!man.color).filter(bars).map(|other| other.start).collect();
            self.men[index].barrier = barrier;
        }
    }

    pub(super) fn of(&self, color: Color) -> impl Iterator<Item = &Man> {
        self.men.iter().filter(move |man| man.color == color)
    }

    pub(super) fn side(&self, color: Color) -> Side {
        let mut side = Side::default();
        for man in self.of(color) {
            if man.is_frozen() && !man.mortal {
                side.stuck |= man.start.bitboard();
            }
            // Two kings looked at together keep each other away as they stand, not as they ever may stand.
            if !man.mortal && (man.kind != PieceType::King || self.pairs.is_none()) {
                side.guarded |= man.guard();
            }
            if man.kind == PieceType::King {
                side.stuck_king = side.stuck & man.start.bitboard();
            } else {
                side.present |= man.everywhere();
            }
            side.captures |= man.as_piece();
            if man.kind == PieceType::Pawn {
                side.captures |= pawns_attacks(color, man.reach);
            }
        }
        side
    }

    /// Where the kings may step, and which side has another man that may ever move.
    fn duelists(&self) -> [Duelist; 2] {
        let sides = Color::ALL.map(|color| self.side(color));
        Color::ALL.map(|color| {
            let (own, other) = (&sides[color.index()], &sides[(!color).index()]);
            let enter = !(own.stuck | other.stuck_king | other.guarded);
            Duelist { enter, can_pass: self.can_pass(color) }
        })
    }

    fn can_pass(&self, color: Color) -> bool {
        self.of(color).any(|man| man.kind != PieceType::King && !man.is_frozen())
    }

    /// Applies the rules once; whether a set has grown.
    fn grow(&mut self, stm: Color, en_passant: Bitboard, castlings: &[Castling]) -> bool {
        let sides = Color::ALL.map(|color| self.side(color));
        let stuck = sides[0].stuck | sides[1].stuck;
        let mut has_grown = false;
        for man in &mut self.men {
            let before = (man.reach, man.promoted, man.mortal, man.leaves);
            let (own, other) = (&sides[man.color.index()], &sides[(!man.color).index()]);
            let enter = !(own.stuck | other.stuck_king);
            for castling in castlings.iter().filter(|castling| (castling.path & stuck).is_empty()) {
                if man.start == castling.king.0 {
                    man.reach |= castling.king.1.bitboard();
                } else if man.start == castling.rook.0 {
                    man.reach |= castling.rook.1.bitboard();
                }
            }
            match man.kind {
                PieceType::King if self.pairs.is_some() => {
                    if let Some(pairs) = &self.pairs {
                        man.reach |= pairs.live[man.color.index()];
                        man.leaves = pairs.leaves[man.color.index()];
                    }
                }
                PieceType::King => man.reach = flood(man.reach, enter & !other.guarded, king_steps),
                PieceType::Knight => man.reach = flood(man.reach, enter, knight_steps),
                PieceType::Pawn => {
                    let targets = other.present | if man.color == stm { en_passant } else { Bitboard::EMPTY };
                    grow_pawn(man, enter, !(stuck | man.barrier), targets);
                }
                kind => man.reach = flood(man.reach, enter, |squares| steps(squares, slides(kind))),
            }
            man.mortal |= man.kind != PieceType::King && (man.everywhere() & other.captures).any();
            has_grown |= before != (man.reach, man.promoted, man.mortal, man.leaves);
        }
        has_grown
    }

    /// Whether the king of `loser` can stand on `square` and be mated there, as far as this bound tells.
    fn may_be_mated_on(&self, square: Square, loser: Color) -> bool {
        let neighbors = king_attacks(square);
        let mut is_checked = false;
        let mut covered = Bitboard::EMPTY;
        for man in self.of(!loser) {
            if man.kind == PieceType::King {
                covered |= king_steps(man.reach & !neighbors & !square.bitboard());
                continue;
            }
            let attacks = man.attacks();
            is_checked |= attacks.contains(square);
            covered |= attacks;
            // A slider that checks looks through the king.
            for &direction in slides(man.kind) {
                if (step(man.as_piece(), direction)).contains(square) {
                    covered |= step(square.bitboard(), direction);
                }
            }
        }
        is_checked && self.can_block(neighbors & !covered, loser)
    }

    /// Whether different men of `color` can stand on all of these squares.
    pub(super) fn can_block(&self, squares: Bitboard, color: Color) -> bool {
        let men: ArrayVec<Bitboard, 64> = self
            .of(color)
            .filter(|man| man.kind != PieceType::King)
            .map(|man| man.everywhere() & squares)
            .filter(|reach| reach.any())
            .collect();
        let mut holders = [None; 64];
        squares.into_iter().all(|square| assign(square, &men, &mut holders, &mut 0))
    }
}

/// Finds a man for a square, moving men that hold others if need be: one step of bipartite matching. `tried` has a bit
/// for each man asked already.
fn assign(square: Square, men: &[Bitboard], holders: &mut [Option<Square>; 64], tried: &mut u64) -> bool {
    for (index, reach) in men.iter().enumerate() {
        if !reach.contains(square) || *tried & 1 << index != 0 {
            continue;
        }
        *tried |= 1 << index;
        if holders[index].is_none_or(|held| assign(held, men, holders, tried)) {
            holders[index] = Some(square);
            return true;
        }
    }
    false
}

/// Spreads a set by steps onto the squares that may be entered.
fn flood(mut squares: Bitboard, enter: Bitboard, spread: impl Fn(Bitboard) -> Bitboard) -> Bitboard {
    loop {
        let larger = squares | spread(squares) & enter;
        if larger == squares {
            return squares;
        }
        squares = larger;
    }
}

/// A pawn pushes onto squares that become empty and captures where enemies can be; on the last rank it becomes a piece.
fn grow_pawn(man: &mut Man, enter: Bitboard, empty: Bitboard, targets: Bitboard) {
    let last_rank = (!man.color).back_rank_squares();
    let spread = |squares: Bitboard| {
        let pushed = squares.shift(man.color.pawn_step()) & empty;
        pushed | pawns_attacks(man.color, squares) & targets & enter
    };
    let reach = flood(man.reach, Bitboard::ALL, |squares| spread(squares & !last_rank));
    man.promoted |= reach & last_rank;
    man.reach = reach & !last_rank;
    let spread = |squares: Bitboard| steps(squares, slides(PieceType::Queen)) | knight_steps(squares);
    man.promoted = flood(man.promoted, enter, spread);
}

/// A castling that is not ruled out for ever: start and target of king and rook, and what else must be empty.
struct Castling {
    king: (Square, Square),
    rook: (Square, Square),
    path: Bitboard,
}

fn castlings(board: &Board) -> ArrayVec<Castling, 4> {
    let rooks = board.castling().rooks().into_iter();
    let castling = |rook: Square| {
        let king = board.king(board.piece_on(rook)?.color());
        let side = CastlingSide::of(king, rook);
        let (king_to, rook_to) =
            (Square::new(side.king_target(), king.rank()), Square::new(side.rook_target(), king.rank()));
        let path = between(king, king_to) | between(rook, rook_to) | king_to.bitboard() | rook_to.bitboard();
        let path = path & !(king.bitboard() | rook.bitboard());
        Some(Castling { king: (king, king_to), rook: (rook, rook_to), path })
    };
    rooks.filter_map(castling).take(4).collect()
}

/// How closely to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    /// Each man for himself.
    Quick,
    /// The two kings together, which takes ten times as long.
    Close,
}

/// Whether the bound on where men can get to rules out that `winner` ever mates.
pub(super) fn cannot_mate(board: &Board, winner: Color, care: Care) -> bool {
    let reach = Reach::new(board, care);
    let loser = !winner;
    if let Some(pairs) = &reach.pairs {
        return !duel::may_end_in_mate(&reach, pairs, reach.can_pass(winner), winner);
    }
    let king = reach.of(loser).find(|man| man.kind == PieceType::King);
    king.is_some_and(|king| !king.reach.into_iter().any(|square| reach.may_be_mated_on(square, loser)))
}
