//! The moves of a root by what the tables say of them, with the half-move clock and repetitions counted.

use super::{Dtz, FIFTY_MOVES, Outcome, Settings, Tables, Wdl};
use crate::board::Board;
use crate::types::Move;

/// A root move with its place among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankedMove {
    /// The move.
    pub m: Move,
    /// The higher the better; moves of one rank are left to the search.
    pub rank: i32,
    /// What comes of the move; `None` where the tables cannot tell.
    pub outcome: Option<Outcome>,
    /// Plies to mate or the next zeroing, this move included: at most so many when winning, at least when losing.
    pub plies: i32,
}

/// The ranked moves of a root, best first, and moves that win sooner before others of their rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// The moves.
    pub moves: Vec<RankedMove>,
    /// Whether distances are known, so that following the ranks is enough to reach the result.
    pub by_distance: bool,
    /// Successful lookups that it took.
    pub hits: u64,
}

/// Rank of all moves that win for certain, and minus that of the quickest loss.
const WON: i32 = 2_000;
/// Rank of a win that may be a ply too late.
const EDGE: i32 = 1_000;
/// Distances beyond this are not told apart.
const LONGEST: i32 = 900;

impl Tables {
    /// Ranks some moves of a position. `past` holds the keys of the positions since the last capture or pawn move,
    /// without this one. `None` if the tables do not know every move.
    #[must_use]
    pub fn rank(&self, board: &Board, past: &[u64], moves: &[Move], settings: &Settings) -> Option<Ranking> {
        if board.occupied().count() > settings.max_men.min(self.men()) || !board.castling().is_empty() {
            return None;
        }
        let root = Root { tables: self, board, past, rule: settings.fifty_move_rule };
        let by_distance: Option<Vec<_>> = moves.iter().map(|&m| root.rank_by_distance(m)).collect();
        let is_by_distance = by_distance.is_some();
        let mut ranked = match by_distance {
            Some(ranked) => ranked,
            None => moves.iter().map(|&m| root.rank_by_value(m)).collect::<Option<Vec<_>>>()?,
        };
        ranked.sort_by_key(|ranked| (-ranked.rank, ranked.plies));
        Some(Ranking { hits: ranked.len() as u64, moves: ranked, by_distance: is_by_distance })
    }
}

struct Root<'a> {
    tables: &'a Tables,
    board: &'a Board,
    past: &'a [u64],
    rule: bool,
}

impl Root<'_> {
    fn rank_by_distance(&self, m: Move) -> Option<RankedMove> {
        let child = self.board.after(m);
        if let Some(ranked) = self.rank_game_over(m, &child) {
            return Some(ranked);
        }
        if child.halfmove_clock() == 0 {
            return self.rank_zeroing(m, &child);
        }
        let Dtz { plies, exact } = self.tables.dtz(&child)?.sharpened(&child);
        let dtz = Dtz { plies: -plies - plies.signum(), exact };
        let clock = self.rule.then(|| self.board.halfmove_clock());
        let outcome = dtz.outcome(clock);
        // A draw that the opponent can claim after his next move saves him.
        if outcome >= Outcome::EdgeWin && self.may_be_repeated(&child) {
            return Some(drawn(m));
        }
        Some(ranked(m, outcome, dtz, clock))
    }

    /// A move that sets the clock back is worth what the new position is, whatever the clock was.
    fn rank_zeroing(&self, m: Move, child: &Board) -> Option<RankedMove> {
        let wdl = self.tables.wdl(child)?.flip();
        let outcome = wdl.outcome(0, self.rule)?;
        let plies = match wdl {
            Wdl::Draw => return Some(drawn(m)),
            Wdl::Win | Wdl::CursedWin if outcome == Outcome::Win => 1,
            Wdl::CursedWin | Wdl::Win => FIFTY_MOVES + 1,
            // Resistance goes on after the move.
            Wdl::Loss | Wdl::BlessedLoss => -(1 + self.tables.dtz(child)?.plies.abs()),
        };
        Some(ranked(m, outcome, Dtz { plies, exact: true }, self.rule.then_some(0)))
    }

    fn rank_by_value(&self, m: Move) -> Option<RankedMove> {
        let child = self.board.after(m);
        if let Some(ranked) = self.rank_game_over(m, &child) {
            return Some(ranked);
        }
        let wdl = self.tables.wdl(&child)?.flip();
        let rank = match wdl {
            Wdl::CursedWin if self.rule => 1,
            Wdl::BlessedLoss if self.rule => -1,
            Wdl::Win | Wdl::CursedWin => WON,
            Wdl::Draw => 0,
            Wdl::Loss | Wdl::BlessedLoss => -WON,
        };
        // A win that is not measured is the search's to bring home.
        let outcome = wdl.outcome(child.halfmove_clock(), self.rule).filter(|&outcome| outcome != Outcome::Win);
        Some(RankedMove { m, rank, outcome, plies: 0 })
    }

    /// Moves after which the game is over, or may be called so. Mate counts whatever the clock says.
    fn rank_game_over(&self, m: Move, child: &Board) -> Option<RankedMove> {
        if child.has_no_legal_move() {
            let mate = Dtz { plies: 1, exact: true };
            return Some(if child.in_check() { ranked(m, Outcome::Win, mate, None) } else { drawn(m) });
        }
        let by_clock = self.rule && i32::from(child.halfmove_clock()) >= FIFTY_MOVES;
        (by_clock || self.is_third(child)).then(|| drawn(m))
    }

    /// Whether a position comes for the third time.
    fn is_third(&self, board: &Board) -> bool {
        board.halfmove_clock() > 0 && self.past.iter().filter(|&&key| key == board.key()).count() >= 2
    }

    /// Whether the side to move can bring a position about for the third time.
    fn may_be_repeated(&self, child: &Board) -> bool {
        let past = self.past;
        let has_repetition = (1..past.len()).any(|index| past[index..].contains(&past[index - 1]));
        has_repetition && child.legal_moves().into_iter().any(|reply| self.is_third(&child.after(reply)))
    }
}

fn drawn(m: Move) -> RankedMove {
    RankedMove { m, rank: 0, outcome: Some(Outcome::Draw), plies: 0 }
}

/// The rank of a move with a distance, which counts from before the move. Draws that only the 50-move rule makes are
/// better the nearer they are to a win, and worse the nearer to a loss; of losses the longest is best.
fn ranked(m: Move, outcome: Outcome, dtz: Dtz, clock: Option<u16>) -> RankedMove {
    let distance = dtz.plies.abs().min(LONGEST);
    let total = (distance + i32::from(clock.unwrap_or(0))).min(LONGEST);
    let rank = match outcome {
        Outcome::Win => WON,
        Outcome::EdgeWin => EDGE,
        Outcome::Draw => dtz.plies.signum() * (EDGE - 1 - total),
        Outcome::EdgeLoss => -EDGE,
        Outcome::Loss => distance - WON,
    };
    RankedMove { m, rank, outcome: Some(outcome), plies: distance }
}
