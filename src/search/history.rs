//! History heuristics: what moves did in the past of this game, to order and to reduce them.

use crate::board::{Board, Threats};
use crate::types::{Color, Move, Piece, PieceType};

/// Entries stay within plus and minus this.
pub(super) const MAX_HISTORY: i32 = 16_384;

/// Moves an entry towards a bonus (or malus), the less the nearer it already is to the limit ("gravity"). Entries stay
/// within plus and minus `LIMIT`.
pub(super) fn move_within<const LIMIT: i32>(entry: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    let old = i32::from(*entry);
    *entry = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

fn update(entry: &mut i16, bonus: i32) {
    move_within::<MAX_HISTORY>(entry, bonus);
}

/// A piece and the square it went to, as an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PieceTo(u16);

impl PieceTo {
    pub(super) const COUNT: usize = Piece::COUNT * 64;

    /// The index of a move about to be played; `None` only for a move without a piece.
    pub(super) fn new(board: &Board, m: Move) -> Option<Self> {
        board.piece_on(m.from()).map(|piece| Self((piece.index() * 64 + m.to().index()) as u16))
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Entries by piece and target.
pub(super) type MoveTable = [i16; PieceTo::COUNT];

/// Entries of the pawn history, by pawn key.
const PAWN_STRUCTURES: usize = 512;

/// All histories of one worker.
pub(super) struct Histories {
    /// By colour, whether the opponent attacks from and to, from and to.
    quiet: Box<[[[[i16; 64]; 64]; 4]; 2]>,
    /// By piece, target and captured kind (the sixth stands for a promotion without capture).
    capture: Box<[[[i16; 6]; 64]; Piece::COUNT]>,
    /// By an earlier move of the line (piece and target) and this one.
    continuation: Vec<MoveTable>,
    /// By pawn structure, piece and target.
    pawn: Vec<MoveTable>,
}

impl Histories {
    pub(super) fn new() -> Self {
        Self {
            quiet: Box::new([[[[0; 64]; 64]; 4]; 2]),
            capture: Box::new([[[0; 6]; 64]; Piece::COUNT]),
            continuation: vec![[0; PieceTo::COUNT]; PieceTo::COUNT],
            pawn: vec![[0; PieceTo::COUNT]; PAWN_STRUCTURES],
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }

    /// What moves between two squares were worth, when the opponent attacked neither, one or both as now.
    pub(super) fn quiet(&self, stm: Color, threats: &Threats, m: Move) -> i32 {
        self.quiet[stm.index()][threat_index(threats, m)][m.from().index()][m.to().index()].into()
    }

    pub(super) fn update_quiet(&mut self, stm: Color, threats: &Threats, m: Move, bonus: i32) {
        update(&mut self.quiet[stm.index()][threat_index(threats, m)][m.from().index()][m.to().index()], bonus);
    }

    pub(super) fn capture(&self, board: &Board, m: Move) -> i32 {
        match board.piece_on(m.from()) {
            Some(piece) => self.capture[piece.index()][m.to().index()][captured_index(board, m)].into(),
            None => 0,
        }
    }

    pub(super) fn update_capture(&mut self, board: &Board, m: Move, bonus: i32) {
        if let Some(piece) = board.piece_on(m.from()) {
            update(&mut self.capture[piece.index()][m.to().index()][captured_index(board, m)], bonus);
        }
    }

    /// What moves were worth after an earlier move of the line.
    pub(super) fn continuation(&self, earlier: Option<PieceTo>) -> &MoveTable {
        static NOTHING: MoveTable = [0; PieceTo::COUNT];
        earlier.map_or(&NOTHING, |earlier| &self.continuation[earlier.index()])
    }

    pub(super) fn update_continuation(&mut self, earlier: Option<PieceTo>, now: PieceTo, bonus: i32) {
        if let Some(earlier) = earlier {
            update(&mut self.continuation[earlier.index()][now.index()], bonus);
        }
    }

    /// What moves were worth with the pawns where they are.
    pub(super) fn pawn(&self, board: &Board) -> &MoveTable {
        &self.pawn[pawn_index(board)]
    }

    pub(super) fn update_pawn(&mut self, board: &Board, now: PieceTo, bonus: i32) {
        update(&mut self.pawn[pawn_index(board)][now.index()], bonus);
    }
}

fn threat_index(threats: &Threats, m: Move) -> usize {
    usize::from(threats.all.contains(m.from())) * 2 + usize::from(threats.all.contains(m.to()))
}

fn pawn_index(board: &Board) -> usize {
    board.keys().pawns as usize % PAWN_STRUCTURES
}

/// Kings are never captured, so their place is free for promotions.
fn captured_index(board: &Board, m: Move) -> usize {
    if m.is_en_passant() {
        PieceType::Pawn.index()
    } else {
        board.piece_on(m.to()).map_or(PieceType::King.index(), |piece| piece.kind().index())
    }
}
