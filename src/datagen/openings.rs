//! Where self-play games begin: random moves from the start position, from a double Chess960 start, or from a line of
//! a book.

use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use crate::board::{Board, FenError};
use crate::rng::Rng;
use crate::rules::{Game, chess960};
use crate::types::CastlingMode;

/// Random plies from a start position; one more for every other game, so that both sides begin equally often.
const RANDOM_PLIES: u8 = 8;
/// Random plies after a book line, which has left the start position far behind; one more for every other game.
const RANDOM_PLIES_AFTER_BOOK: u8 = 4;

/// Why a book cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum BookError {
    #[error("cannot read the book {path}: {reason}")]
    Io { path: PathBuf, reason: io::Error },
    #[error("{path}, line {line}: {reason}")]
    Line { path: PathBuf, line: usize, reason: FenError },
    #[error("the book {0} has no positions")]
    Empty(PathBuf),
}

/// A position to begin a game from, some random plies after a start.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    /// The position.
    pub(super) board: Board,
    /// How many random plies led to it.
    pub(super) random_plies: u8,
}

/// The source of openings.
#[derive(Clone, Debug)]
pub(super) struct Openings {
    dfrc_percent: u8,
    book: Vec<Board>,
}

impl Openings {
    /// Openings of which so many percent are double Chess960; the others begin from the book, if there is one.
    pub(super) fn new(dfrc_percent: u8, book: Option<&Path>) -> Result<Self, BookError> {
        let book = book.map_or(Ok(Vec::new()), read_book)?;
        Ok(Self { dfrc_percent, book })
    }

    /// A random opening; `None` if the game was over before it began.
    pub(super) fn draw(&self, rng: &mut Rng) -> Option<Opening> {
        let (start, least) = self.draw_start(rng);
        let random_plies = least + rng.below(2) as u8;
        let mut game = Game::new(start);
        for _ in 0..random_plies {
            let &m = rng.pick(&game.board().legal_moves())?;
            game.play(m);
        }
        let board = game.board().clone();
        // Judged without the random past, as the record is.
        Game::new(board.clone()).outcome().is_none().then_some(Opening { board, random_plies })
    }

    /// A start position and the least number of random plies from it.
    fn draw_start(&self, rng: &mut Rng) -> (Board, u8) {
        if rng.below(100) < u64::from(self.dfrc_percent) {
            let mut number = || rng.below(u64::from(chess960::COUNT)) as u16;
            // Numbers below the count always make a position.
            return (chess960::start_position(number(), number()).unwrap_or_default(), RANDOM_PLIES);
        }
        match rng.pick(&self.book) {
            Some(board) => (board.clone(), RANDOM_PLIES_AFTER_BOOK),
            None => (Board::startpos(), RANDOM_PLIES),
        }
    }
}

/// Reads a book: a FEN or EPD a line; blank lines and lines that begin with `#` are skipped.
fn read_book(path: &Path) -> Result<Vec<Board>, BookError> {
    let text = fs::read_to_string(path).map_err(|reason| BookError::Io { path: path.to_owned(), reason })?;
    let mut boards = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let board = parse_line(line);
        boards.push(board.map_err(|reason| BookError::Line { path: path.to_owned(), line: index + 1, reason })?);
    }
    if boards.is_empty() { Err(BookError::Empty(path.to_owned())) } else { Ok(boards) }
}

/// Reads the position of a FEN or EPD. Of what follows the first four fields only two counters count.
fn parse_line(line: &str) -> Result<Board, FenError> {
    let mut fields: Vec<&str> = line.split_ascii_whitespace().take(6).collect();
    let is_counter = |field: &&str| field.bytes().all(|byte| byte.is_ascii_digit());
    if !fields.iter().skip(4).all(is_counter) {
        fields.truncate(4);
    }
    // This mode reads the castling rights of standard chess as well.
    Board::from_fen(&fields.join(" "), CastlingMode::Chess960)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Color;

    #[test]
    fn both_sides_begin_equally_often() {
        let openings = Openings::new(50, None).expect("no book to read");
        let mut rng = Rng::new(3);
        let drawn: Vec<Opening> = (0..2_000).filter_map(|_| openings.draw(&mut rng)).collect();
        let white = drawn.iter().filter(|opening| opening.board.stm() == Color::White).count();
        assert!(drawn.len() > 1_900 && (0.45..0.55).contains(&(white as f64 / drawn.len() as f64)), "{white}");
        assert!(drawn.iter().all(|opening| matches!(opening.random_plies, 8 | 9)));
    }

    #[test]
    fn lines_of_books_may_be_fen_or_epd() {
        for (line, fen) in [
            ("4k3/8/8/8/8/8/8/R3K3 b Q - 7 30", "4k3/8/8/8/8/8/8/R3K3 b A - 7 30"),
            ("4k3/8/8/8/8/8/8/R3K3 b Q - bm e1d1; id \"x\";", "4k3/8/8/8/8/8/8/R3K3 b A - 0 1"),
            ("4k3/8/8/8/8/8/8/R3K3 b Q -", "4k3/8/8/8/8/8/8/R3K3 b A - 0 1"),
            ("4k3/8/8/8/8/8/8/R3K3 b Q - 7 30 c0 \"x\";", "4k3/8/8/8/8/8/8/R3K3 b A - 7 30"),
        ] {
            let board = parse_line(line).map(|board| board.to_fen(CastlingMode::Chess960));
            assert_eq!(board.as_deref(), Ok(fen));
        }
        assert!(parse_line("4k3/8/8 w - -").is_err());
    }
}
