//! One game after the other: start position, moves, results, and the judgment.

use std::ops::ControlFlow;

use pgn_reader::shakmaty::{self, Role, san::San as PgnSan};
use pgn_reader::{KnownOutcome, Outcome, RawTag, SanPlus, Visitor};
use thiserror::Error;

use super::words::Oddities;
use crate::board::{Board, FenError};
use crate::rules::dead::{self, SMALL_BUDGET, Winnability};
use crate::rules::san::{San, SanError};
use crate::rules::{Claim, Ending, Fault, Game, GameResult};
use crate::types::{CastlingMode, CastlingSide, Color, File, Move, PieceType, Rank, Square};

/// What is wrong with a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameFault {
    /// The start position cannot be set up.
    #[error("bad FEN: {0}")]
    Fen(FenError),
    /// The tags name a start position without giving it.
    #[error("no start position for the variant {0}")]
    NoStart(String),
    /// Another game than chess.
    #[error("the variant {0} is not chess")]
    Variant(String),
    /// A move that cannot be played.
    #[error("ply {ply}: {reason} move {text}")]
    Move {
        /// Which ply, from 1.
        ply: usize,
        /// The move.
        text: String,
        /// What is the matter.
        reason: SanError,
    },
    /// A word that is no move.
    #[error("ply {ply}: unreadable move {text}")]
    Unreadable {
        /// Which ply, from 1.
        ply: usize,
        /// The word.
        text: String,
    },
    /// Play went on after the end.
    #[error("played on after ply {plies}, where the game was over ({})", ending.name())]
    PastEnd {
        /// Why it was over.
        ending: Ending,
        /// The last ply that counts.
        plies: usize,
    },
    /// The result is not that of the last position.
    #[error("the result is {}, but by the rules it is {} ({})", recorded.to_text(), played.to_text(), ending.name())]
    Result {
        /// In the file.
        recorded: GameResult,
        /// By the Laws.
        played: GameResult,
        /// Why.
        ending: Ending,
    },
    /// A win on time by a side that can never mate.
    #[error("{0:?} cannot win on time: no series of legal moves ends in mate")]
    TimeWin(Color),
    /// Tag and move text disagree.
    #[error("the tag says {0}, the move text {1}")]
    Disagreement(&'static str, &'static str),
    /// Moves without a result at their end.
    #[error("the moves end without a result")]
    NoResult,
}

/// A result as files give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Over.
    Over(GameResult),
    /// Not over, or not known.
    Open,
}

impl Standing {
    /// As game files write it.
    #[must_use]
    pub const fn to_text(self) -> &'static str {
        match self {
            Self::Over(result) => result.to_text(),
            Self::Open => "*",
        }
    }

    fn of_tag(text: &[u8]) -> Option<Self> {
        let is_result = |result: &GameResult| result.to_text().as_bytes() == text;
        match GameResult::ALL.into_iter().find(is_result) {
            Some(result) => Some(Self::Over(result)),
            None => (text == b"*").then_some(Self::Open),
        }
    }

    const fn of_outcome(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Known(KnownOutcome::Decisive { winner: shakmaty::Color::White }) => {
                Self::Over(GameResult::WhiteWins)
            }
            Outcome::Known(KnownOutcome::Decisive { winner: shakmaty::Color::Black }) => {
                Self::Over(GameResult::BlackWins)
            }
            Outcome::Known(KnownOutcome::Draw) => Self::Over(GameResult::Draw),
            Outcome::Unknown => Self::Open,
        }
    }
}

/// What the referee says of a game.
#[derive(Clone, Debug)]
pub struct Judgment {
    /// Plies that could be played.
    pub plies: usize,
    /// The result in the file; `None` if it has none.
    pub recorded: Option<Standing>,
    /// Why the game is over by the rules, and the result that follows.
    pub ending: Option<(Ending, GameResult)>,
    /// The draws that could be claimed at the end.
    pub claims: Vec<Claim>,
    /// What is wrong.
    pub fault: Option<GameFault>,
}

/// What the tags say that matters.
#[derive(Default)]
pub(super) struct Tags {
    fen: Option<String>,
    variant: Option<String>,
    result: Option<Standing>,
    on_time: bool,
    is_old: bool,
}

/// A game as it is read.
pub(super) struct Record {
    game: Game,
    start: Board,
    moves: Vec<Move>,
    tag: Option<Standing>,
    text: Option<Standing>,
    on_time: bool,
    /// Whether the game was played before there were automatic draws.
    is_old: bool,
    /// The first thing that stopped the game from being played.
    fault: Option<GameFault>,
}

/// Plays the games that the reader shows it.
pub(super) struct Judge {
    oddities: Oddities,
}

impl Judge {
    pub(super) fn new(oddities: Oddities) -> Self {
        Self { oddities }
    }
}

impl Visitor for Judge {
    type Tags = Tags;
    type Movetext = Record;
    type Output = Judgment;

    fn begin_tags(&mut self) -> ControlFlow<Judgment, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Judgment> {
        let text = || value.decode_utf8_lossy().trim().to_owned();
        match name {
            b"FEN" => tags.fen = Some(text()),
            b"Variant" => tags.variant = Some(text()),
            b"Date" => tags.is_old = is_before_automatic_draws(value.as_bytes()),
            b"Result" => tags.result = Standing::of_tag(value.as_bytes()),
            b"Termination" => tags.on_time = text().to_ascii_lowercase().contains("time forfeit"),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Judgment, Record> {
        let (start, fault) = match start(&tags) {
            Ok(board) => (board, None),
            Err(fault) => (Board::startpos(), Some(fault)),
        };
        ControlFlow::Continue(Record {
            game: Game::new(start.clone()),
            start,
            moves: Vec::new(),
            tag: tags.result,
            text: None,
            on_time: tags.on_time,
            is_old: tags.is_old,
            fault,
        })
    }

    fn san(&mut self, record: &mut Record, san: SanPlus) -> ControlFlow<Judgment> {
        // Each null move stands for a word that could not be read.
        let oddity = if san.san == PgnSan::Null { self.oddities.borrow_mut().pop_front() } else { None };
        if record.fault.is_some() {
            return ControlFlow::Continue(());
        }
        let ply = record.moves.len() + 1;
        let found = match own_san(san.san) {
            Some(own) => own.find(record.game.board()),
            None => {
                let text = oddity.unwrap_or_else(|| san.to_string());
                record.fault = Some(GameFault::Unreadable { ply, text });
                return ControlFlow::Continue(());
            }
        };
        match found {
            Ok(m) => {
                record.game.play(m);
                record.moves.push(m);
            }
            Err(reason) => record.fault = Some(GameFault::Move { ply, text: san.to_string(), reason }),
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, record: &mut Record, outcome: Outcome) -> ControlFlow<Judgment> {
        record.text = Some(Standing::of_outcome(outcome));
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, record: Record) -> Judgment {
        record.judge()
    }
}

/// Whether a date, `2014.06.30` for one, is from before the first of July 2014, when the draws by fivefold repetition
/// and 75 moves came into the Laws. What is not known is taken to be later.
fn is_before_automatic_draws(date: &[u8]) -> bool {
    let number = |part: &[u8]| std::str::from_utf8(part).ok().and_then(|part| part.parse::<u16>().ok());
    let mut parts = date.split(|&byte| byte == b'.');
    let year = parts.next().and_then(number);
    let month = parts.next().and_then(number);
    year.is_some_and(|year| (1..2014).contains(&year) || year == 2014 && month.is_some_and(|month| month < 7))
}

/// The position that the tags ask for.
fn start(tags: &Tags) -> Result<Board, GameFault> {
    let variant = tags.variant.as_deref().unwrap_or_default();
    let words: String = variant.chars().filter(|letter| letter.is_alphanumeric()).collect();
    let is_chess960 = match &*words.to_ascii_lowercase() {
        "" | "standard" | "chess" | "normal" | "fromposition" => false,
        "chess960" | "960" | "frc" | "dfrc" | "fischerandom" | "fischerrandom" | "freestyle" | "freestylechess" => true,
        _ => return Err(GameFault::Variant(variant.to_owned())),
    };
    match &tags.fen {
        // This mode reads the castling rights of standard chess as well.
        Some(fen) => Board::from_fen(fen, CastlingMode::Chess960).map_err(GameFault::Fen),
        None if is_chess960 => Err(GameFault::NoStart(variant.to_owned())),
        None => Ok(Board::startpos()),
    }
}

/// The move text in our own terms; `None` for what is no move of chess.
fn own_san(san: PgnSan) -> Option<San> {
    let kind = |role: Role| match role {
        Role::Pawn => PieceType::Pawn,
        Role::Knight => PieceType::Knight,
        Role::Bishop => PieceType::Bishop,
        Role::Rook => PieceType::Rook,
        Role::Queen => PieceType::Queen,
        Role::King => PieceType::King,
    };
    match san {
        PgnSan::Normal { role, file, rank, to, promotion, .. } => Some(San::Normal {
            kind: kind(role),
            file: file.map(|file| File::from_index(usize::from(file))),
            rank: rank.map(|rank| Rank::from_index(usize::from(rank))),
            to: Square::from_index(usize::from(to)),
            promotion: promotion.map(kind),
        }),
        PgnSan::Castle(shakmaty::CastlingSide::KingSide) => Some(San::Castling(CastlingSide::HSide)),
        PgnSan::Castle(shakmaty::CastlingSide::QueenSide) => Some(San::Castling(CastlingSide::ASide)),
        PgnSan::Put { .. } | PgnSan::Null => None,
    }
}

impl Record {
    fn judge(mut self) -> Judgment {
        let is_dead = || dead::is_dead(self.game.board(), SMALL_BUDGET) == Some(true);
        let ending = if self.is_old { self.game.ending_on_board(is_dead) } else { self.game.ending_when(is_dead) };
        let stm = self.game.board().stm();
        let is_start_known =
            !matches!(self.fault, Some(GameFault::Fen(_) | GameFault::NoStart(_) | GameFault::Variant(_)));
        let fault = self.fault.take().or_else(|| self.fault_of_game(ending)).or_else(|| self.fault_of_results());
        Judgment {
            plies: self.moves.len(),
            recorded: self.text.or(self.tag),
            ending: ending.filter(|_| is_start_known).map(|ending| (ending, ending.result(stm))),
            claims: if is_start_known { self.game.claims() } else { Vec::new() },
            fault,
        }
    }

    /// What the moves and the result say against each other.
    fn fault_of_game(&self, ending: Option<Ending>) -> Option<GameFault> {
        if let Some(plies) = self.first_dead().filter(|&plies| plies < self.moves.len()) {
            return Some(GameFault::PastEnd { ending: Ending::DeadPosition, plies });
        }
        let recorded = match self.text.or(self.tag) {
            Some(Standing::Over(result)) => Some(result),
            _ => None,
        };
        let fault =
            if self.is_old { self.game.contradiction(recorded, ending) } else { self.game.fault(recorded, ending) };
        match fault {
            Some(Fault::PastEnd { ending, plies }) => return Some(GameFault::PastEnd { ending, plies }),
            Some(Fault::Contradiction { recorded, played, ending }) => {
                return Some(GameFault::Result { recorded, played, ending });
            }
            None => {}
        }
        let winner = recorded?.winner().filter(|_| self.on_time && ending.is_none())?;
        let verdict = dead::winnability(self.game.board(), winner, SMALL_BUDGET);
        (verdict == Winnability::No).then_some(GameFault::TimeWin(winner))
    }

    /// After how many plies the game was dead first, if it is: a dead position stays dead, so that halving finds it. One
    /// that only a calculation of forced moves shows to be dead is not held against those who played on.
    fn first_dead(&self) -> Option<usize> {
        if self.moves.is_empty() || !dead::is_dead_statically(self.game.board()) {
            return None;
        }
        let (mut least, mut most) = (0, self.moves.len());
        while least < most {
            let middle = usize::midpoint(least, most);
            let mut board = self.start.clone();
            self.moves.iter().take(middle).for_each(|&m| board.make_move(m));
            if dead::is_dead_statically(&board) {
                most = middle;
            } else {
                least = middle + 1;
            }
        }
        Some(most)
    }

    fn fault_of_results(&self) -> Option<GameFault> {
        match (self.tag, self.text) {
            (Some(tag), Some(text)) if tag != text => Some(GameFault::Disagreement(tag.to_text(), text.to_text())),
            (_, None) => Some(GameFault::NoResult),
            _ => None,
        }
    }
}
