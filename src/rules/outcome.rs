//! How a game stands by the Laws: over by itself, or a draw that a player may claim.

use super::Game;
use super::dead::{self, FULL_BUDGET};
use crate::types::Color;

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum GameResult {
    /// Black won.
    BlackWins = 0,
    /// Nobody won.
    Draw = 1,
    /// White won.
    WhiteWins = 2,
}

impl GameResult {
    /// All results, the best for Black first.
    pub const ALL: [Self; 3] = [Self::BlackWins, Self::Draw, Self::WhiteWins];

    /// The result when `color` wins.
    #[must_use]
    pub const fn win_of(color: Color) -> Self {
        match color {
            Color::White => Self::WhiteWins,
            Color::Black => Self::BlackWins,
        }
    }

    /// Who won, if somebody did.
    #[must_use]
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::BlackWins => Some(Color::Black),
            Self::Draw => None,
            Self::WhiteWins => Some(Color::White),
        }
    }

    /// Position in tables, 0 (Black wins) to 2 (White wins).
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// As game files write it.
    #[must_use]
    pub const fn to_text(self) -> &'static str {
        match self {
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::WhiteWins => "1-0",
        }
    }
}

/// Why a game is over without anybody having to say so. The numbers are those of the FIDE Laws of Chess of 2023.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The side to move is mated (5.1.1).
    Checkmate,
    /// The side to move has no legal move and is not in check (5.2.1).
    Stalemate,
    /// Neither side can mate by any series of legal moves (5.2.2).
    DeadPosition,
    /// The same position has occurred five times (9.6.1).
    FivefoldRepetition,
    /// 75 moves by each side without capture or pawn move (9.6.2).
    SeventyFiveMoves,
}

impl Ending {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Checkmate, Self::Stalemate, Self::DeadPosition, Self::FivefoldRepetition, Self::SeventyFiveMoves];

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::DeadPosition => "dead position",
            Self::FivefoldRepetition => "fivefold repetition",
            Self::SeventyFiveMoves => "75-move rule",
        }
    }

    /// The result when `stm` is to move in the last position.
    #[must_use]
    pub const fn result(self, stm: Color) -> GameResult {
        match (self, stm) {
            (Self::Checkmate, Color::White) => GameResult::BlackWins,
            (Self::Checkmate, Color::Black) => GameResult::WhiteWins,
            _ => GameResult::Draw,
        }
    }
}

/// A draw that the side to move may claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// The same position has occurred three times (9.2).
    ThreefoldRepetition,
    /// 50 moves by each side without capture or pawn move (9.3).
    FiftyMoves,
}

impl Claim {
    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ThreefoldRepetition => "threefold repetition",
            Self::FiftyMoves => "50-move rule",
        }
    }
}

/// Why a game is over if the player whose turn it is claims every draw he may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side has the material to mate.
    InsufficientMaterial,
    /// The position occurred three times.
    ThreefoldRepetition,
    /// Fifty moves by each side without capture or pawn move.
    FiftyMoves,
}

/// What is wrong with a game whose moves are all legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Play went on after the game was over.
    PastEnd {
        /// Why it was over.
        ending: Ending,
        /// After so many plies.
        plies: usize,
    },
    /// The result is not that of the last position.
    Contradiction {
        /// The result that is claimed.
        recorded: GameResult,
        /// The result by the Laws.
        played: GameResult,
        /// Why.
        ending: Ending,
    },
}

impl Game {
    /// How the game ends here if the player whose turn it is claims every draw he may. Mate comes first: a mating
    /// move wins even when it is the hundredth ply.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        let board = self.board();
        if board.has_no_legal_move() {
            Some(if board.in_check() { Outcome::Checkmate } else { Outcome::Stalemate })
        } else if board.is_insufficient_material() {
            Some(Outcome::InsufficientMaterial)
        } else if self.repetitions() >= 3 {
            Some(Outcome::ThreefoldRepetition)
        } else if board.halfmove_clock() >= 100 {
            Some(Outcome::FiftyMoves)
        } else {
            None
        }
    }

    /// Why the game is over without any claim, if it is; a position is searched for signs of life within `budget`
    /// positions. A game that was over before, and yet was played on, stays over.
    #[must_use]
    pub fn ending(&self, budget: u32) -> Option<Ending> {
        self.ending_when(|| dead::is_dead(self.board(), budget) == Some(true))
    }

    /// Why the game is over without any claim, if it is, by somebody who knows whether the position is dead.
    #[must_use]
    pub fn ending_when(&self, is_dead: impl FnOnce() -> bool) -> Option<Ending> {
        self.automatic_draw().map(|(_, ending)| ending).or_else(|| self.ending_on_board(is_dead))
    }

    /// Why the last position ends the game, however it came about.
    #[must_use]
    pub fn ending_on_board(&self, is_dead: impl FnOnce() -> bool) -> Option<Ending> {
        let board = self.board();
        if board.has_no_legal_move() {
            Some(if board.in_check() { Ending::Checkmate } else { Ending::Stalemate })
        } else {
            is_dead().then_some(Ending::DeadPosition)
        }
    }

    /// The result without any claim, if the game is over.
    #[must_use]
    pub fn result(&self) -> Option<GameResult> {
        self.ending(FULL_BUDGET).map(|ending| ending.result(self.board().stm()))
    }

    /// The draws that the side to move may claim as the position is; none when it has no move.
    #[must_use]
    pub fn claims(&self) -> Vec<Claim> {
        if self.board().has_no_legal_move() {
            return Vec::new();
        }
        let threefold = (self.repetitions() >= 3).then_some(Claim::ThreefoldRepetition);
        let fifty = (self.board().halfmove_clock() >= 100).then_some(Claim::FiftyMoves);
        threefold.into_iter().chain(fifty).collect()
    }

    /// What is wrong with the game, given the result it is said to have and why it is over, if it is.
    #[must_use]
    pub fn fault(&self, recorded: Option<GameResult>, ending: Option<Ending>) -> Option<Fault> {
        let past_end = self.automatic_draw().filter(|&(plies, _)| plies < self.plies());
        past_end
            .map(|(plies, ending)| Fault::PastEnd { ending, plies })
            .or_else(|| self.contradiction(recorded, ending))
    }

    /// Whether the result is another than that of the ending.
    #[must_use]
    pub fn contradiction(&self, recorded: Option<GameResult>, ending: Option<Ending>) -> Option<Fault> {
        let ending = ending?;
        let played = ending.result(self.board().stm());
        let recorded = recorded.filter(|&recorded| recorded != played)?;
        Some(Fault::Contradiction { recorded, played, ending })
    }
}
