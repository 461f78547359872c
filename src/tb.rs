//! Endgame tables in Syzygy format: what they say of a position, and the moves of a root ranked by them.
//!
//! The files are read by the library shakmaty-syzygy (feature `syzygy`); without it there are never any tables. Table
//! values hold for a half-move clock of zero. What they mean with the clock as it stands is worked out here.

#[cfg(feature = "syzygy")]
mod checksum;
#[cfg(feature = "syzygy")]
mod files;
#[cfg(feature = "syzygy")]
mod library;
mod ranking;

#[cfg(feature = "syzygy")]
pub use files::{Fault, Problem};
pub use ranking::{RankedMove, Ranking};

use crate::board::Board;
use crate::types::PieceType;
#[cfg(feature = "syzygy")]
use library::Library;

/// Plies without capture or pawn move after which a game is drawn.
const FIFTY_MOVES: i32 = 100;

/// How a search uses the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Depth left from which positions inside the search are looked up.
    pub min_depth: i32,
    /// Positions with more men are not looked up.
    pub max_men: u32,
    /// Whether a win that takes too long is a draw.
    pub fifty_move_rule: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { min_depth: 1, max_men: 7, fifty_move_rule: true }
    }
}

/// The value of a position with a clock of zero, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wdl {
    /// Lost.
    Loss = -2,
    /// Lost, but for the 50-move rule.
    BlessedLoss = -1,
    /// Drawn.
    Draw = 0,
    /// Won, but for the 50-move rule.
    CursedWin = 1,
    /// Won.
    Win = 2,
}

/// Distance to zeroing: plies until a capture, a pawn move or mate with best play. Positive when the side to move wins,
/// negative when it loses, zero in a draw. Values beyond a hundred are cursed or blessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dtz {
    /// The distance, with its sign.
    pub plies: i32,
    /// Otherwise the distance may be one ply more.
    pub exact: bool,
}

/// What is to come of a position as it stands, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Lost.
    Loss,
    /// Lost, or drawn if the distance is one ply more than the table notes.
    EdgeLoss,
    /// Drawn, by the 50-move rule or without it.
    Draw,
    /// Won, or drawn if the distance is one ply more than the table notes.
    EdgeWin,
    /// Won.
    Win,
}

/// All that the tables say of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The value if the clock were zero.
    pub wdl: Wdl,
    /// The distance, if there is a table for it.
    pub dtz: Option<Dtz>,
    /// What that means with the clock as it is; `None` where only the missing distance could tell.
    pub outcome: Option<Outcome>,
}

/// The tables in use. A lookup that fails, for whatever reason, is a miss.
#[derive(Debug, Default)]
pub struct Tables {
    library: Option<Library>,
}

/// Without the feature there is nothing to ask.
#[cfg(not(feature = "syzygy"))]
#[derive(Debug)]
enum Library {}

#[cfg(not(feature = "syzygy"))]
impl Library {
    fn wdl(&self, _: &Board) -> Option<Wdl> {
        match *self {}
    }

    fn dtz(&self, _: &Board) -> Option<Dtz> {
        match *self {}
    }

    fn men(&self) -> u32 {
        match *self {}
    }
}

impl Tables {
    /// The sound tables in some folders, written as the system writes a search path, and what is wrong with the rest.
    /// An empty path means no tables.
    #[cfg(feature = "syzygy")]
    #[must_use]
    pub fn load(path: &str) -> (Self, Vec<Problem>) {
        let (library, problems) = Library::load(path);
        (Self { library: (library.men() > 0).then_some(library) }, problems)
    }

    /// The number of tables with values and with distances.
    #[cfg(feature = "syzygy")]
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        self.library.as_ref().map_or((0, 0), Library::counts)
    }

    /// The most men on a board that a table covers; 0 without tables.
    #[must_use]
    pub fn men(&self) -> u32 {
        self.library.as_ref().map_or(0, Library::men)
    }

    /// The value of a position as if its clock were zero.
    #[must_use]
    pub fn wdl(&self, board: &Board) -> Option<Wdl> {
        self.covering(board)?.wdl(board)
    }

    /// The distance to zeroing, as if the clock were zero.
    #[must_use]
    pub fn dtz(&self, board: &Board) -> Option<Dtz> {
        self.covering(board)?.dtz(board)
    }

    /// All that the tables say of a position.
    #[must_use]
    pub fn verdict(&self, board: &Board, fifty_move_rule: bool) -> Option<Verdict> {
        let wdl = self.wdl(board)?;
        let dtz = self.dtz(board);
        let outcome = if board.has_no_legal_move() {
            Some(if board.in_check() { Outcome::Loss } else { Outcome::Draw })
        } else if let Some(dtz) = dtz {
            Some(dtz.sharpened(board).outcome(fifty_move_rule.then(|| board.halfmove_clock())))
        } else {
            wdl.outcome(board.halfmove_clock(), fifty_move_rule)
        };
        Some(Verdict { wdl, dtz, outcome })
    }

    /// The library, if it can know the position: there are tables, not too many men, and nobody may castle.
    fn covering(&self, board: &Board) -> Option<&Library> {
        let library = self.library.as_ref()?;
        (board.occupied().count() <= library.men() && board.castling().is_empty()).then_some(library)
    }
}

impl Wdl {
    /// The value for the other side.
    #[must_use]
    pub const fn flip(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::BlessedLoss => Self::CursedWin,
            Self::Draw => Self::Draw,
            Self::CursedWin => Self::BlessedLoss,
            Self::Win => Self::Loss,
        }
    }

    /// What the value alone proves. With a clock that runs a win may have come too late; a draw stays one.
    #[must_use]
    pub const fn outcome(self, halfmove_clock: u16, fifty_move_rule: bool) -> Option<Outcome> {
        match self {
            Self::Draw => Some(Outcome::Draw),
            Self::CursedWin | Self::BlessedLoss if fifty_move_rule => Some(Outcome::Draw),
            Self::Win | Self::CursedWin if halfmove_clock == 0 || !fifty_move_rule => Some(Outcome::Win),
            Self::Loss | Self::BlessedLoss if halfmove_clock == 0 || !fifty_move_rule => Some(Outcome::Loss),
            _ => None,
        }
    }
}

impl Dtz {
    /// The distance in a position, without doubt where the material allows it. A bare king that draws with whatever it
    /// captures never ends a stage itself, so that the winner does, after an odd number of plies when it is his turn.
    #[must_use]
    fn sharpened(self, board: &Board) -> Self {
        let winner = if self.plies > 0 { board.stm() } else { !board.stm() };
        let pieces = board.of_color(winner).count() - 1;
        let minors = board.of_kind(PieceType::Bishop) | board.of_kind(PieceType::Knight);
        let is_minimal = pieces == 1 || pieces == 2 && minors.count() == 2;
        if self.plies == 0 || board.of_color(!winner).count() > 1 || !is_minimal {
            return self;
        }
        let is_odd = self.plies % 2 != 0;
        let more = if is_odd == (winner == board.stm()) { 0 } else { self.plies.signum() };
        Self { plies: self.plies + more, exact: true }
    }

    /// What the distance means with a half-move clock, or without the 50-move rule. Mate and what sets the clock back
    /// still count on its hundredth ply.
    #[must_use]
    pub const fn outcome(self, halfmove_clock: Option<u16>) -> Outcome {
        if self.plies == 0 {
            return Outcome::Draw;
        }
        let wins = self.plies > 0;
        let total = match halfmove_clock {
            Some(clock) => self.plies.abs() + clock as i32,
            None => 0,
        };
        match (wins, total > FIFTY_MOVES, total == FIFTY_MOVES && !self.exact) {
            (_, true, _) => Outcome::Draw,
            (true, _, true) => Outcome::EdgeWin,
            (false, _, true) => Outcome::EdgeLoss,
            (true, ..) => Outcome::Win,
            (false, ..) => Outcome::Loss,
        }
    }
}
