//! The board: mailbox and bitboards side by side, with everything the rules need to know about the past.
//!
//! `Board` is copied, not unmade: a search keeps the parent and plays on a copy (about 250 bytes), so taking a move
//! back cannot go wrong.

pub mod attacks;
mod fen;
mod make_move;
mod movegen;
mod reversible;
mod see;
mod validate;
mod zobrist;

pub use fen::FenError;
pub use make_move::BoardObserver;
pub use movegen::{MoveCounter, MoveSink};
pub use see::see_value;

use crate::types::{Bitboard, CastlingRights, CastlingSide, Color, File, Move, Piece, PieceType, Square};
use attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, line, pawn_attacks, pawns_attacks, piece_attacks,
    rook_attacks,
};

/// FEN of the orthodox start position.
pub const STARTPOS_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Zobrist keys of a position and of parts of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Keys {
    /// Pieces, side to move, castling rights and a legal en passant capture: equal keys mean equal positions in the
    /// sense of the Laws.
    pub position: u64,
    /// Pawns only.
    pub pawns: u64,
    /// Knights, bishops and kings.
    pub minors: u64,
    /// White's and Black's pieces other than pawns.
    pub non_pawns: [u64; 2],
}

/// The squares that a colour attacks, by what attacks them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Threats {
    /// Pawns.
    pub by_pawns: Bitboard,
    /// Pawns and minor pieces.
    pub by_minors: Bitboard,
    /// Pawns, minor pieces and rooks.
    pub by_rooks: Bitboard,
    /// All pieces.
    pub all: Bitboard,
}

impl Threats {
    /// The squares attacked by a piece worth less than one of this kind.
    #[inline]
    #[must_use]
    pub const fn by_lesser_than(&self, kind: PieceType) -> Bitboard {
        match kind {
            PieceType::Pawn | PieceType::King => Bitboard::EMPTY,
            PieceType::Knight | PieceType::Bishop => self.by_pawns,
            PieceType::Rook => self.by_minors,
            PieceType::Queen => self.by_rooks,
        }
    }
}

/// A position: pieces, side to move, castling rights, en passant square and clocks, with the checks and pins that
/// follow from them.
#[derive(Clone, Debug)]
pub struct Board {
    mailbox: [Option<Piece>; 64],
    pieces: [Bitboard; 6],
    colors: [Bitboard; 2],
    checkers: Bitboard,
    pinned: Bitboard,
    castling: CastlingRights,
    keys: Keys,
    halfmove_clock: u16,
    fullmove_number: u16,
    ep_square: Option<Square>,
    stm: Color,
}

impl Default for Board {
    fn default() -> Self {
        Self::startpos()
    }
}

impl Board {
    /// The side to move.
    #[inline]
    #[must_use]
    pub const fn stm(&self) -> Color {
        self.stm
    }

    /// What stands on a square.
    #[inline]
    #[must_use]
    pub const fn piece_on(&self, square: Square) -> Option<Piece> {
        self.mailbox[square.index()]
    }

    /// All pieces of a kind, of both colours.
    #[inline]
    #[must_use]
    pub const fn of_kind(&self, kind: PieceType) -> Bitboard {
        self.pieces[kind.index()]
    }

    /// All pieces of a colour.
    #[inline]
    #[must_use]
    pub const fn of_color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The pieces of a colour and kind.
    #[inline]
    #[must_use]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.of_color(color) & self.of_kind(kind)
    }

    /// The squares that are not empty.
    #[inline]
    #[must_use]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Where the king of a colour stands.
    #[inline]
    #[must_use]
    pub fn king(&self, color: Color) -> Square {
        self.pieces(color, PieceType::King).lsb()
    }

    /// The enemy pieces that give check to the side to move.
    #[inline]
    #[must_use]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    #[must_use]
    pub const fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The pieces of the side to move that shield their king from a slider.
    #[inline]
    #[must_use]
    pub const fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// The castling rights of both sides.
    #[inline]
    #[must_use]
    pub const fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// The square behind a pawn that just moved two squares, if it can legally be captured en passant.
    #[inline]
    #[must_use]
    pub const fn ep_square(&self) -> Option<Square> {
        self.ep_square
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    #[must_use]
    pub const fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// Number of the move, counted from 1, that rises after Black's turn.
    #[inline]
    #[must_use]
    pub const fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// The key of the position: equal for equal positions in the sense of the Laws.
    #[inline]
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.keys.position
    }

    /// The keys of the position and its parts.
    #[inline]
    #[must_use]
    pub const fn keys(&self) -> Keys {
        self.keys
    }

    /// Whether `color` has a piece other than pawns and king.
    #[inline]
    #[must_use]
    pub fn has_non_pawn_material(&self, color: Color) -> bool {
        (self.of_color(color) & !(self.of_kind(PieceType::Pawn) | self.of_kind(PieceType::King))).any()
    }

    /// Bishops and queens of a colour.
    #[inline]
    #[must_use]
    pub fn diagonal_sliders(&self, color: Color) -> Bitboard {
        self.of_color(color) & (self.of_kind(PieceType::Bishop) | self.of_kind(PieceType::Queen))
    }

    /// Rooks and queens of a colour.
    #[inline]
    #[must_use]
    pub fn orthogonal_sliders(&self, color: Color) -> Bitboard {
        self.of_color(color) & (self.of_kind(PieceType::Rook) | self.of_kind(PieceType::Queen))
    }

    /// All pieces of both colours that attack a square when the squares in `occupied` are taken.
    #[inline]
    #[must_use]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let diagonal = self.of_kind(PieceType::Bishop) | self.of_kind(PieceType::Queen);
        let orthogonal = self.of_kind(PieceType::Rook) | self.of_kind(PieceType::Queen);
        pawn_attacks(Color::White, square) & self.pieces(Color::Black, PieceType::Pawn)
            | pawn_attacks(Color::Black, square) & self.pieces(Color::White, PieceType::Pawn)
            | knight_attacks(square) & self.of_kind(PieceType::Knight)
            | king_attacks(square) & self.of_kind(PieceType::King)
            | bishop_attacks(square, occupied) & diagonal
            | rook_attacks(square, occupied) & orthogonal
    }

    /// Whether a piece of `by` attacks a square when the squares in `occupied` are taken.
    #[inline]
    #[must_use]
    pub fn is_attacked(&self, square: Square, by: Color, occupied: Bitboard) -> bool {
        (self.attackers_to(square, occupied) & self.of_color(by)).any()
    }

    /// What a colour attacks.
    #[must_use]
    pub fn threats_of(&self, color: Color) -> Threats {
        let occupied = self.occupied();
        let own = self.of_color(color);
        let by_pawns = pawns_attacks(color, self.pieces(color, PieceType::Pawn));
        let mut by_minors = by_pawns;
        for square in own & self.of_kind(PieceType::Knight) {
            by_minors |= knight_attacks(square);
        }
        for square in own & self.of_kind(PieceType::Bishop) {
            by_minors |= bishop_attacks(square, occupied);
        }
        let mut by_rooks = by_minors;
        for square in own & self.of_kind(PieceType::Rook) {
            by_rooks |= rook_attacks(square, occupied);
        }
        let mut all = by_rooks | king_attacks(self.king(color));
        for square in own & self.of_kind(PieceType::Queen) {
            all |= bishop_attacks(square, occupied) | rook_attacks(square, occupied);
        }
        Threats { by_pawns, by_minors, by_rooks, all }
    }

    /// By kind of piece, the squares from which a piece of the side to move would attack the enemy king.
    #[must_use]
    pub fn check_squares(&self) -> [Bitboard; 6] {
        let king = self.king(!self.stm);
        let diagonal = bishop_attacks(king, self.occupied());
        let orthogonal = rook_attacks(king, self.occupied());
        let pawn = pawn_attacks(!self.stm, king);
        [pawn, knight_attacks(king), diagonal, orthogonal, diagonal | orthogonal, Bitboard::EMPTY]
    }

    /// Whether the piece that a legal move puts on its target attacks the enemy king from there. Checks by a piece
    /// behind it, or by a castling rook, are not seen.
    #[must_use]
    pub fn gives_direct_check(&self, m: Move) -> bool {
        let Some(kind) = m.promoted_to().or(self.piece_on(m.from()).map(Piece::kind)) else { return false };
        let king = self.pieces(!self.stm, PieceType::King);
        let attacks = match kind {
            PieceType::Pawn => pawn_attacks(self.stm, m.to()),
            kind => piece_attacks(kind, m.to(), self.occupied() & !m.from().bitboard()),
        };
        !m.is_castling() && (attacks & king).any()
    }

    /// Whether the side to move can go to the position with this key, in which the other side is to move, by a move
    /// that could be taken back.
    #[inline]
    #[must_use]
    pub fn can_return_to(&self, key: u64) -> bool {
        let Some((a, b)) = reversible::move_between(self.key() ^ key) else { return false };
        let mover = self.piece_on(a).or(self.piece_on(b));
        mover.is_some_and(|piece| piece.color() == self.stm) && (between(a, b) & self.occupied()).is_empty()
    }

    /// Whether neither side can give mate by any series of moves, judged by material alone: bare kings, a lone minor
    /// piece, or bishops that all stand on squares of one colour.
    #[inline]
    #[must_use]
    pub fn is_insufficient_material(&self) -> bool {
        let mating = self.of_kind(PieceType::Pawn) | self.of_kind(PieceType::Rook) | self.of_kind(PieceType::Queen);
        if mating.any() {
            return false;
        }
        let bishops = self.of_kind(PieceType::Bishop);
        let minors = bishops | self.of_kind(PieceType::Knight);
        !minors.more_than_one()
            || minors == bishops && ((bishops & Bitboard::DARK).is_empty() || (bishops & Bitboard::LIGHT).is_empty())
    }

    /// The rook of `color` that may castle towards `side`.
    #[must_use]
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        let king = self.king(color);
        self.castling.rooks_of(color).into_iter().find(|&rook| CastlingSide::of(king, rook) == side)
    }

    /// Whether castling with this king and rook can be written as the king's two steps: king on the e-file, rook in
    /// a corner.
    #[must_use]
    pub fn is_orthodox_castling(king: Square, rook: Square) -> bool {
        king.file() == File::E && (rook.file() == File::A || rook.file() == File::H)
    }

    /// Whether an en passant capture by the pawn on `from` leaves the own king safe.
    fn en_passant_is_safe(&self, from: Square, ep_square: Square) -> bool {
        let (us, them) = (self.stm, !self.stm);
        let king = self.king(us);
        let captured = ep_square.offset(-us.pawn_step());
        let leapers = self.of_kind(PieceType::Knight) | self.of_kind(PieceType::Pawn);
        if (self.checkers & leapers & !captured.bitboard()).any() {
            return false;
        }
        let occupied = self.occupied() ^ from.bitboard() ^ captured.bitboard() | ep_square.bitboard();
        (bishop_attacks(king, occupied) & self.diagonal_sliders(them)).is_empty()
            && (rook_attacks(king, occupied) & self.orthogonal_sliders(them)).is_empty()
    }

    /// Whether castling with a rook that has the right is legal now.
    fn castling_is_legal(&self, king: Square, rook: Square) -> bool {
        let them = !self.stm;
        let side = CastlingSide::of(king, rook);
        let king_to = Square::new(side.king_target(), king.rank());
        let rook_to = Square::new(side.rook_target(), king.rank());
        let others = self.occupied() ^ king.bitboard() ^ rook.bitboard();
        let king_path = attacks::between(king, king_to) | king_to.bitboard();
        let rook_path = attacks::between(rook, rook_to) | rook_to.bitboard();
        if self.in_check() || ((king_path | rook_path) & others).any() {
            return false;
        }
        let without_king = self.occupied() ^ king.bitboard();
        !king_path.into_iter().any(|square| self.is_attacked(square, them, without_king))
            // A rook that leaves the back rank's line open is seen only after the move.
            && (rook_attacks(king_to, others | rook_to.bitboard()) & self.orthogonal_sliders(them)).is_empty()
    }

    /// Whether a step of a piece that is not the king keeps the king safe, given at most one checker.
    #[inline]
    fn shields_king(&self, from: Square, to: Square) -> bool {
        !self.pinned.contains(from) || line(self.king(self.stm), from).contains(to)
    }
}
