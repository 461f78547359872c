//! From a canonical line to a command: syntax only, no position is needed to understand it.
//!
//! vampirc-uci reads what it can read. Kept away from it are the numbers that make it panic or give up, the flags that
//! it loses next to a clock, the FENs that it does not know, and the commands of our own.

use std::iter::Peekable;
use std::ops::RangeInclusive;
use std::str::SplitWhitespace;

use thiserror::Error;
use vampirc_uci::{Duration, UciMessage, UciSearchControl, UciTimeControl, parse_with_unknown};

use crate::rules::chess960;

/// A command to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Say who you are and what your options are.
    Uci,
    /// Debug mode on or off.
    Debug(bool),
    /// Say when all before is done.
    IsReady,
    /// Set an option, or press a button.
    SetOption {
        /// The name as given.
        name: String,
        /// The value as given, trimmed; `None` when there is none.
        value: Option<String>,
    },
    /// Registration; nothing to register here.
    Register,
    /// What follows belongs to another game.
    UciNewGame,
    /// Set up a position.
    Position {
        /// Where the moves begin.
        start: Start,
        /// The moves as text, in lower case; perhaps not legal, perhaps not even moves.
        moves: Vec<String>,
    },
    /// Search the position.
    Go(Box<GoRequest>),
    /// Count the leaves below each legal move.
    Perft {
        /// How many plies deep.
        depth: u32,
        /// The position; `None` for the one that is set up.
        fen: Option<String>,
        /// With a table of counts.
        hash: bool,
    },
    /// End the search.
    Stop,
    /// The opponent played the expected move.
    PonderHit,
    /// End the program.
    Quit,
    /// Show the position.
    Display,
    /// Show the static evaluation of the position.
    Eval,
    /// Say how the game stands by the Laws.
    Status {
        /// The position; `None` for the game that is set up.
        fen: Option<String>,
    },
    /// Count in fixed positions.
    BenchPerft,
    /// Search the fixed positions.
    Bench {
        /// To this depth; `None` for the usual one.
        depth: Option<u32>,
    },
    /// Say what can be typed.
    Help,
}

/// Where the moves of a `position` begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The orthodox start position.
    Startpos,
    /// The text between `fen` and `moves`.
    Fen(String),
    /// A start position of Chess960, by the numbers of White's and Black's pieces; each is below 960.
    Chess960(u16, u16),
}

/// What a `go` asks for. Times are in milliseconds and may be negative.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoRequest {
    /// White's time left.
    pub wtime: Option<i64>,
    /// Black's time left.
    pub btime: Option<i64>,
    /// White's increment.
    pub winc: Option<i64>,
    /// Black's increment.
    pub binc: Option<i64>,
    /// Moves to the next time control.
    pub movestogo: Option<u32>,
    /// Deepest iteration.
    pub depth: Option<u32>,
    /// Nodes to search.
    pub nodes: Option<u64>,
    /// Time to think.
    pub movetime: Option<i64>,
    /// Look for a mate in so many moves.
    pub mate: Option<u32>,
    /// Search until `stop`.
    pub infinite: bool,
    /// Search on the opponent's time until `ponderhit` or `stop`.
    pub ponder: bool,
    /// The words after `searchmoves` that look like moves, in lower case.
    pub search_moves: Vec<String>,
    /// What could not be used.
    pub complaints: Vec<SyntaxError>,
}

impl GoRequest {
    /// Whether one of the clock's times is given.
    #[must_use]
    pub fn has_clock(&self) -> bool {
        [self.wtime, self.btime, self.winc, self.binc].iter().any(Option::is_some)
    }

    /// Whether nothing but a `stop` ends the search.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        let limited = self.has_clock()
            || self.movetime.is_some()
            || self.depth.is_some()
            || self.nodes.is_some()
            || self.mate.is_some();
        !limited
    }
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum SyntaxError {
    #[error("Unknown command: {0}")]
    UnknownCommand(String),
    #[error("debug takes on or off")]
    Debug,
    #[error("setoption takes name <name>, and for most options value <value>")]
    SetOption,
    #[error("position takes startpos, fen <fen>, chess960 <n> or dfrc <n> <n>, then perhaps moves <moves>")]
    Position,
    #[error("position {keyword} takes {numbers} from 0 to 959")]
    StartNumber { keyword: &'static str, numbers: &'static str },
    #[error("{0} takes a number")]
    MissingNumber(&'static str),
    #[error("{keyword} takes a number, not {text}")]
    NotANumber { keyword: &'static str, text: String },
    #[error("go does not know: {0}")]
    UnknownWords(String),
}

/// The first word of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Verb {
    Uci,
    Debug,
    IsReady,
    SetOption,
    Register,
    UciNewGame,
    Position,
    Go,
    Stop,
    PonderHit,
    Quit,
    Display,
    Eval,
    Status,
    Perft,
    Bench,
    Help,
}

impl Verb {
    const WORDS: [(&'static str, Self); 17] = [
        ("uci", Self::Uci),
        ("debug", Self::Debug),
        ("isready", Self::IsReady),
        ("setoption", Self::SetOption),
        ("register", Self::Register),
        ("ucinewgame", Self::UciNewGame),
        ("position", Self::Position),
        ("go", Self::Go),
        ("stop", Self::Stop),
        ("ponderhit", Self::PonderHit),
        ("quit", Self::Quit),
        ("d", Self::Display),
        ("eval", Self::Eval),
        ("status", Self::Status),
        ("perft", Self::Perft),
        ("bench", Self::Bench),
        ("help", Self::Help),
    ];

    /// Reads a word, in any case.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(text, _)| text.eq_ignore_ascii_case(word)).map(|&(_, verb)| verb)
    }

    /// Whether the protocol has it; the others are for people.
    #[must_use]
    pub const fn is_protocol(self) -> bool {
        !matches!(self, Self::Display | Self::Eval | Self::Status | Self::Perft | Self::Bench | Self::Help)
    }
}

/// Reads a canonical line. Words after a command that takes none are ignored.
///
/// ```
/// use rokade::uci::command::{Command, parse};
/// assert_eq!(parse("debug on"), Ok(Command::Debug(true)));
/// assert!(parse("castle kingside").is_err());
/// ```
///
/// # Errors
///
/// When the line is no command, or lacks what the command cannot do without.
pub fn parse(line: &str) -> Result<Command, SyntaxError> {
    let unknown = || SyntaxError::UnknownCommand(line.to_owned());
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match Verb::parse(word).ok_or_else(unknown)? {
        Verb::Debug => parse_debug(line),
        Verb::SetOption => parse_set_option(line, rest),
        // The engine is free: whatever is said here, nothing is to be done.
        Verb::Register => Ok(Command::Register),
        Verb::Position => parse_position(rest),
        Verb::Go => GoParser::new(rest).parse(),
        Verb::Display => Ok(Command::Display),
        Verb::Eval => Ok(Command::Eval),
        Verb::Status => Ok(Command::Status { fen: (!rest.is_empty()).then(|| rest.to_owned()) }),
        Verb::Perft => parse_perft(rest),
        Verb::Bench => parse_bench(rest),
        Verb::Help => Ok(Command::Help),
        Verb::Uci | Verb::IsReady | Verb::UciNewGame | Verb::Stop | Verb::PonderHit | Verb::Quit => {
            lex(word).as_ref().and_then(command_without_words).ok_or_else(unknown)
        }
    }
}

/// What vampirc-uci makes of a line; `None` unless that is exactly one known message.
fn lex(line: &str) -> Option<UciMessage> {
    let mut messages = parse_with_unknown(line);
    let message = messages.pop()?;
    (messages.is_empty() && !message.is_unknown()).then_some(message)
}

fn command_without_words(message: &UciMessage) -> Option<Command> {
    match message {
        UciMessage::Uci => Some(Command::Uci),
        UciMessage::IsReady => Some(Command::IsReady),
        UciMessage::UciNewGame => Some(Command::UciNewGame),
        UciMessage::Stop => Some(Command::Stop),
        UciMessage::PonderHit => Some(Command::PonderHit),
        UciMessage::Quit => Some(Command::Quit),
        _ => None,
    }
}

fn parse_debug(line: &str) -> Result<Command, SyntaxError> {
    match lex(line) {
        Some(UciMessage::Debug(on)) => Ok(Command::Debug(on)),
        _ => Err(SyntaxError::Debug),
    }
}

fn parse_set_option(line: &str, rest: &str) -> Result<Command, SyntaxError> {
    if let Some(UciMessage::SetOption { name, value }) = lex(line) {
        return Ok(Command::SetOption { name, value });
    }
    split_set_option(rest).ok_or(SyntaxError::SetOption)
}

/// Reads the forms that vampirc-uci does not: no text after `value`, words of the name that begin with "value".
fn split_set_option(rest: &str) -> Option<Command> {
    let (keyword, rest) = rest.split_once(' ')?;
    if !keyword.eq_ignore_ascii_case("name") {
        return None;
    }
    let mut name = Vec::new();
    let mut value = None;
    let mut rest = Some(rest);
    while let Some(text) = rest {
        let (word, after) = text.split_once(' ').map_or((text, None), |(word, after)| (word, Some(after)));
        if word.eq_ignore_ascii_case("value") {
            value = after.map(str::to_owned);
            break;
        }
        name.push(word);
        rest = after;
    }
    (!name.is_empty()).then(|| Command::SetOption { name: name.join(" "), value })
}

fn parse_position(rest: &str) -> Result<Command, SyntaxError> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let is_moves = |word: &&str| word.eq_ignore_ascii_case("moves");
    let head_length = words.iter().position(is_moves).unwrap_or(words.len());
    let (head, tail) = words.split_at_checked(head_length).unwrap_or_default();
    let start = match head {
        [word] if word.eq_ignore_ascii_case("startpos") => Start::Startpos,
        [word, fen @ ..] if word.eq_ignore_ascii_case("fen") => Start::Fen(fen.join(" ")),
        [word, numbers @ ..] if word.eq_ignore_ascii_case("chess960") => match start_numbers(numbers).as_deref() {
            Some(&[number]) => Start::Chess960(number, number),
            _ => return Err(SyntaxError::StartNumber { keyword: "chess960", numbers: "a number" }),
        },
        [word, numbers @ ..] if word.eq_ignore_ascii_case("dfrc") => match start_numbers(numbers).as_deref() {
            Some(&[white, black]) => Start::Chess960(white, black),
            _ => return Err(SyntaxError::StartNumber { keyword: "dfrc", numbers: "two numbers" }),
        },
        _ => return Err(SyntaxError::Position),
    };
    Ok(Command::Position { start, moves: lex_moves(tail.get(1..).unwrap_or_default()) })
}

/// The numbers of start positions; `None` if a word is none.
fn start_numbers(words: &[&str]) -> Option<Vec<u16>> {
    let number = |word: &&str| u16::try_from(parse_number(word)?).ok().filter(|&number| number < chess960::COUNT);
    words.iter().map(number).collect()
}

/// The moves as vampirc-uci reads them, as far as they are moves; the rest as it is, for whoever plays the moves to
/// stumble over.
fn lex_moves(words: &[&str]) -> Vec<String> {
    let words: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    let length = words.iter().take_while(|word| looks_like_move(word)).count();
    let (moves, rest) = words.split_at_checked(length).unwrap_or_default();
    match lex(&format!("position startpos moves {}", moves.join(" "))) {
        Some(UciMessage::Position { moves: lexed, .. }) if lexed.len() == moves.len() => {
            lexed.iter().map(ToString::to_string).chain(rest.iter().cloned()).collect()
        }
        _ => words,
    }
}

/// Whether a word has the form of a move: two squares, perhaps a piece to promote to.
fn looks_like_move(word: &str) -> bool {
    let is_file = |byte: &u8| matches!(byte.to_ascii_lowercase(), b'a'..=b'h');
    let is_rank = |byte: &u8| matches!(byte, b'1'..=b'8');
    let is_piece = |byte: &u8| matches!(byte.to_ascii_lowercase(), b'q' | b'r' | b'b' | b'n');
    match word.as_bytes() {
        [from_file, from_rank, to_file, to_rank, promotion @ ..] => {
            is_file(from_file)
                && is_rank(from_rank)
                && is_file(to_file)
                && is_rank(to_rank)
                && promotion.len() <= 1
                && promotion.iter().all(is_piece)
        }
        _ => false,
    }
}

/// Asks perft to use a table.
const HASH: &str = "hash";

fn parse_perft(rest: &str) -> Result<Command, SyntaxError> {
    let (depth, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let depth = parse_depth("perft", depth)?.ok_or(SyntaxError::MissingNumber("perft"))?;
    let (word, after_word) = rest.split_once(' ').unwrap_or((rest, ""));
    let hash = word.eq_ignore_ascii_case(HASH);
    let fen = if hash { after_word } else { rest };
    Ok(Command::Perft { depth, fen: (!fen.is_empty()).then(|| fen.to_owned()), hash })
}

fn parse_bench(rest: &str) -> Result<Command, SyntaxError> {
    let depth = rest.split_whitespace().next().unwrap_or_default();
    if depth.eq_ignore_ascii_case("perft") {
        return Ok(Command::BenchPerft);
    }
    Ok(Command::Bench { depth: parse_depth("bench", depth)? })
}

fn parse_depth(keyword: &'static str, text: &str) -> Result<Option<u32>, SyntaxError> {
    if text.is_empty() {
        return Ok(None);
    }
    let not_a_number = || SyntaxError::NotANumber { keyword, text: text.to_owned() };
    parse_number(text).ok_or_else(not_a_number).map(|number| Some(saturating(number)))
}

/// A decimal number with or without a sign; one that is too large is as large as can be.
fn parse_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let beyond = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    Some(text.parse().unwrap_or(beyond))
}

fn saturating(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}

/// A word that means something after `go`.
#[derive(Clone, Copy)]
enum Keyword {
    Ponder,
    Infinite,
    SearchMoves,
    Movetime,
    Nodes,
    Perft,
    /// A word that vampirc-uci reads together with its number.
    Lexed(&'static str, &'static RangeInclusive<i64>),
}

/// The longest numbers that vampirc-uci reads: thirty years, or as many nodes as milliseconds.
const TWELVE_DIGITS: i64 = 999_999_999_999;
const TIMES: RangeInclusive<i64> = -TWELVE_DIGITS..=TWELVE_DIGITS;
/// Moves and plies, which vampirc-uci puts into a byte. No search goes deeper.
const COUNTS: RangeInclusive<i64> = 0..=255;

impl Keyword {
    const WORDS: [(&'static str, Self); 13] = [
        ("ponder", Self::Ponder),
        ("infinite", Self::Infinite),
        ("searchmoves", Self::SearchMoves),
        ("movetime", Self::Movetime),
        ("nodes", Self::Nodes),
        ("perft", Self::Perft),
        ("wtime", Self::Lexed("wtime", &TIMES)),
        ("btime", Self::Lexed("btime", &TIMES)),
        ("winc", Self::Lexed("winc", &TIMES)),
        ("binc", Self::Lexed("binc", &TIMES)),
        ("movestogo", Self::Lexed("movestogo", &COUNTS)),
        ("depth", Self::Lexed("depth", &COUNTS)),
        ("mate", Self::Lexed("mate", &COUNTS)),
    ];

    fn parse(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(text, _)| text.eq_ignore_ascii_case(word)).map(|&(_, keyword)| keyword)
    }
}

/// Reads the words after `go`, in any order, each as often as it comes; the last one counts.
struct GoParser<'a> {
    words: Peekable<SplitWhitespace<'a>>,
    /// What has been read here.
    request: GoRequest,
    /// What is left for vampirc-uci: a line that it reads without loss.
    lexed: String,
    perft: Option<Result<u32, SyntaxError>>,
    unknown: Vec<&'a str>,
}

impl<'a> GoParser<'a> {
    fn new(rest: &'a str) -> Self {
        Self {
            words: rest.split_whitespace().peekable(),
            request: GoRequest::default(),
            lexed: "go".to_owned(),
            perft: None,
            unknown: Vec::new(),
        }
    }

    fn parse(mut self) -> Result<Command, SyntaxError> {
        while let Some(word) = self.words.next() {
            match Keyword::parse(word) {
                Some(keyword) => self.parse_keyword(keyword),
                None => self.unknown.push(word),
            }
        }
        if let Some(depth) = self.perft {
            let hash = self.unknown.iter().any(|word| word.eq_ignore_ascii_case(HASH));
            return Ok(Command::Perft { depth: depth?, fen: None, hash });
        }
        self.lex_rest();
        if !self.unknown.is_empty() {
            self.request.complaints.push(SyntaxError::UnknownWords(self.unknown.join(" ")));
        }
        Ok(Command::Go(Box::new(self.request)))
    }

    fn parse_keyword(&mut self, keyword: Keyword) {
        match keyword {
            Keyword::Ponder => self.request.ponder = true,
            Keyword::Infinite => self.request.infinite = true,
            Keyword::SearchMoves => self.parse_search_moves(),
            Keyword::Perft => self.perft = Some(self.parse_number("perft").map(saturating)),
            Keyword::Movetime => {
                if let Some(number) = self.parse_number_or_complain("movetime") {
                    self.request.movetime = Some(number.clamp(*TIMES.start(), *TIMES.end()));
                }
            }
            Keyword::Nodes => {
                if let Some(number) = self.parse_number_or_complain("nodes") {
                    self.push_nodes(number.max(0));
                }
            }
            Keyword::Lexed(word, range) => {
                if let Some(number) = self.parse_number_or_complain(word) {
                    self.push_lexed(word, number.clamp(*range.start(), *range.end()));
                }
            }
        }
    }

    /// A number of nodes may be too long for vampirc-uci and still be meant.
    fn push_nodes(&mut self, number: i64) {
        if number <= TWELVE_DIGITS {
            self.request.nodes = None;
            self.push_lexed("nodes", number);
        } else {
            self.request.nodes = Some(number.unsigned_abs());
        }
    }

    fn push_lexed(&mut self, word: &str, number: i64) {
        self.lexed.push_str(&format!(" {word} {number}"));
    }

    /// Takes the words that look like moves; the first other word ends the list and is read as usual.
    fn parse_search_moves(&mut self) {
        let mut keyword = Some(" searchmoves");
        while let Some(word) = self.words.next_if(|word| looks_like_move(word)) {
            self.lexed.push_str(keyword.take().unwrap_or_default());
            self.lexed.push(' ');
            self.lexed.push_str(&word.to_ascii_lowercase());
            self.request.search_moves.push(word.to_ascii_lowercase());
        }
    }

    fn parse_number_or_complain(&mut self, keyword: &'static str) -> Option<i64> {
        self.parse_number(keyword).map_err(|error| self.request.complaints.push(error)).ok()
    }

    /// Takes the number after a keyword. A keyword in its place is left where it is.
    fn parse_number(&mut self, keyword: &'static str) -> Result<i64, SyntaxError> {
        let text = self.words.next_if(|word| Keyword::parse(word).is_none());
        let text = text.ok_or(SyntaxError::MissingNumber(keyword))?;
        parse_number(text).ok_or_else(|| SyntaxError::NotANumber { keyword, text: text.to_owned() })
    }

    fn lex_rest(&mut self) {
        let Some(UciMessage::Go { time_control, search_control }) = lex(&self.lexed) else { return };
        if let Some(time_control) = time_control {
            self.take_clock(&time_control);
        }
        if let Some(search_control) = search_control {
            self.take_limits(&search_control);
        }
    }

    fn take_clock(&mut self, clock: &UciTimeControl) {
        let UciTimeControl::TimeLeft { white_time, black_time, white_increment, black_increment, moves_to_go } = clock
        else {
            return;
        };
        let milliseconds = |time: &Option<Duration>| time.map(|time| time.num_milliseconds());
        self.request.wtime = milliseconds(white_time);
        self.request.btime = milliseconds(black_time);
        self.request.winc = milliseconds(white_increment);
        self.request.binc = milliseconds(black_increment);
        self.request.movestogo = moves_to_go.map(u32::from);
    }

    fn take_limits(&mut self, limits: &UciSearchControl) {
        self.request.depth = limits.depth.map(u32::from);
        self.request.mate = limits.mate.map(u32::from);
        self.request.nodes = self.request.nodes.or(limits.nodes);
        if limits.search_moves.len() == self.request.search_moves.len() {
            self.request.search_moves = limits.search_moves.iter().map(ToString::to_string).collect();
        }
    }
}
