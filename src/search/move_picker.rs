//! Moves of a node in the order in which they are tried, generated only as far as needed.
//!
//! Stages: hash move, captures and promotions that do not lose material, killer, quiet moves by history, and the
//! losing captures last. All moves are legal.

use arrayvec::ArrayVec;

use super::history::{Histories, MoveTable, PieceTo};
use super::params;
use super::stack::Stack;
use crate::board::{Board, Threats, see_value};
use crate::types::{Bitboard, MAX_MOVES, Move, MoveList, Piece, PieceType};

/// A check may lose so much and still be tried early.
const CHECK_SEE_THRESHOLD: i32 = -75;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    TtMove,
    GenerateNoisy,
    GoodNoisy,
    Killer,
    GenerateQuiets,
    Quiets,
    BadNoisy,
    Done,
}

#[derive(Clone, Copy)]
struct ScoredMove {
    m: Move,
    /// The best are handed out first.
    score: i32,
    /// What the histories say, of quiet moves.
    history: i32,
}

/// A move that is handed out.
#[derive(Clone, Copy)]
pub(super) struct Picked {
    pub(super) m: Move,
    /// What the histories say of it, where that was asked in order to sort it: of quiet moves.
    pub(super) history: Option<i32>,
}

impl Picked {
    fn unsorted(m: Move) -> Self {
        Self { m, history: None }
    }
}

/// Hands out the moves of a node.
pub(super) struct MovePicker {
    stage: Stage,
    tt_move: Option<Move>,
    killer: Option<Move>,
    /// The moves of the current stage that are not handed out yet.
    moves: ArrayVec<ScoredMove, MAX_MOVES>,
    /// Losing captures, best first.
    bad_noisy: ArrayVec<Move, MAX_MOVES>,
    next_bad: usize,
    skip_quiets: bool,
    good_noisy_only: bool,
}

impl MovePicker {
    /// All legal moves. `tt_move` must be one of them, `killer` need not.
    pub(super) fn new(board: &Board, tt_move: Option<Move>, killer: Option<Move>) -> Self {
        Self {
            stage: Stage::TtMove,
            tt_move,
            killer: killer.filter(|&m| Some(m) != tt_move && board.is_legal(m) && !board.is_noisy(m)),
            moves: ArrayVec::new(),
            bad_noisy: ArrayVec::new(),
            next_bad: 0,
            skip_quiets: false,
            good_noisy_only: false,
        }
    }

    /// Only captures and promotions that do not lose material.
    pub(super) fn noisy(board: &Board, tt_move: Option<Move>) -> Self {
        let mut picker = Self::new(board, tt_move.filter(|&m| board.is_noisy(m)), None);
        picker.good_noisy_only = true;
        picker
    }

    /// From now on no more quiet moves.
    pub(super) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
        if matches!(self.stage, Stage::Killer | Stage::GenerateQuiets | Stage::Quiets) {
            self.moves.clear();
            self.stage = Stage::BadNoisy;
        }
    }

    /// The next move.
    pub(super) fn next(&mut self, board: &Board, histories: &Histories, stack: &Stack, ply: usize) -> Option<Picked> {
        if self.stage == Stage::TtMove {
            self.stage = Stage::GenerateNoisy;
            if let Some(m) = self.tt_move {
                return Some(Picked::unsorted(m));
            }
        }
        if self.stage == Stage::GenerateNoisy {
            self.generate_noisy(board, histories);
            self.stage = Stage::GoodNoisy;
        }
        if self.stage == Stage::GoodNoisy {
            while let Some(ScoredMove { m, .. }) = self.pick_best() {
                if board.see_ge(m, 0) {
                    return Some(Picked::unsorted(m));
                }
                self.bad_noisy.push(m);
            }
            self.stage = match (self.good_noisy_only, self.skip_quiets) {
                (true, _) => Stage::Done,
                (false, true) => Stage::BadNoisy,
                (false, false) => Stage::Killer,
            };
        }
        if self.stage == Stage::Killer {
            self.stage = Stage::GenerateQuiets;
            if let Some(m) = self.killer {
                return Some(Picked::unsorted(m));
            }
        }
        if self.stage == Stage::GenerateQuiets {
            self.generate_quiets(board, histories, stack, ply);
            self.stage = Stage::Quiets;
        }
        if self.stage == Stage::Quiets {
            if let Some(ScoredMove { m, history, .. }) = self.pick_best() {
                return Some(Picked { m, history: Some(history) });
            }
            self.stage = Stage::BadNoisy;
        }
        if self.stage == Stage::BadNoisy {
            if let Some(&m) = self.bad_noisy.get(self.next_bad) {
                self.next_bad += 1;
                return Some(Picked::unsorted(m));
            }
            self.stage = Stage::Done;
        }
        None
    }

    fn generate_noisy(&mut self, board: &Board, histories: &Histories) {
        let mut list = MoveList::new();
        board.noisy_moves(&mut list);
        for &m in &list {
            if Some(m) != self.tt_move {
                // Most valuable victim first; the history stands for the attacker.
                let victim = board.material_gain(m);
                self.moves.push(ScoredMove { m, score: 16 * victim + histories.capture(board, m) / 2, history: 0 });
            }
        }
    }

    fn generate_quiets(&mut self, board: &Board, histories: &Histories, stack: &Stack, ply: usize) {
        let mut list = MoveList::new();
        board.quiet_moves(&mut list);
        let scores = QuietScores::new(board, histories, stack, ply);
        let prospects = Prospects { board, threats: &stack.at(ply).threats, check_squares: board.check_squares() };
        for &m in &list {
            if Some(m) != self.tt_move && Some(m) != self.killer {
                let history = scores.of(m);
                self.moves.push(ScoredMove { m, score: history + prospects.of(m), history });
            }
        }
    }

    /// Takes the best of the moves that are left.
    fn pick_best(&mut self) -> Option<ScoredMove> {
        let (mut best, mut best_score) = (0, self.moves.first()?.score);
        for (index, scored) in self.moves.iter().enumerate().skip(1) {
            if scored.score > best_score {
                (best, best_score) = (index, scored.score);
            }
        }
        Some(self.moves.swap_remove(best))
    }
}

/// What the histories say of the quiet moves of a node.
pub(super) struct QuietScores<'a> {
    board: &'a Board,
    histories: &'a Histories,
    threats: &'a Threats,
    /// After the moves one, two and four plies earlier.
    continuations: [&'a MoveTable; 3],
    pawn: &'a MoveTable,
}

impl<'a> QuietScores<'a> {
    pub(super) fn new(board: &'a Board, histories: &'a Histories, stack: &'a Stack, ply: usize) -> Self {
        let continuations = [1, 2, 4].map(|back| histories.continuation(stack.before(ply, back).moved));
        let threats = &stack.at(ply).threats;
        Self { board, histories, threats, continuations, pawn: histories.pawn(board) }
    }

    /// The sum for a move.
    pub(super) fn of(&self, m: Move) -> i32 {
        let Some(now) = PieceTo::new(self.board, m) else { return 0 };
        let [one, two, four] = self.continuations.map(|table| i32::from(table[now.index()]));
        let quiet = self.histories.quiet(self.board.stm(), self.threats, m);
        let history = quiet + one + two + four / 2 + i32::from(self.pawn[now.index()]);
        match m.promoted_to() {
            // Underpromotions are quiet, but hardly ever good.
            Some(piece) => history + (see_value(piece) - 3 * see_value(PieceType::Queen)) * 64,
            None => history,
        }
    }
}

/// What the position itself says of its quiet moves.
struct Prospects<'a> {
    board: &'a Board,
    /// What the opponent attacks.
    threats: &'a Threats,
    check_squares: [Bitboard; 6],
}

impl Prospects<'_> {
    /// What a check deserves, and a step out of or into the attack of a lesser piece.
    fn of(&self, m: Move) -> i32 {
        let Some(kind) = self.board.piece_on(m.from()).map(Piece::kind) else { return 0 };
        if m.is_castling() {
            return 0;
        }
        let attacked = self.threats.by_lesser_than(kind);
        let escapes = i32::from(attacked.contains(m.from())) - i32::from(attacked.contains(m.to()));
        let placed = m.promoted_to().unwrap_or(kind);
        let checks = self.check_squares[placed.index()].contains(m.to()) && self.board.see_ge(m, CHECK_SEE_THRESHOLD);
        escapes * params::order_threat() * see_value(kind) + i32::from(checks) * params::order_check()
    }
}
