//! Where self-play games begin: random moves from the start position, from a double Chess960 start, or from a line of
//! a book.

use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use super::rng::Rng;
use crate::board::{Board, FenError};
use crate::rules::Game;
use crate::types::CastlingMode;

/// Random plies from a start position; one more for every other game, so that both sides begin equally often.
const RANDOM_PLIES: u8 = 8;
/// Random plies after a book line, which has left the start position far behind; one more for every other game.
const RANDOM_PLIES_AFTER_BOOK: u8 = 4;

/// Start positions of Chess960.
const CHESS960_COUNT: u16 = 960;

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
            let mut number = || rng.below(u64::from(CHESS960_COUNT)) as u16;
            return (double_chess960(number(), number()), RANDOM_PLIES);
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

/// The start position with White's pieces placed by one number of Chess960 and Black's by another, 0 to 959.
fn double_chess960(white: u16, black: u16) -> Board {
    let (white, black) = (back_rank(white), back_rank(black));
    let letters = |rank: [char; 8]| rank.into_iter().collect::<String>();
    let rooks =
        |rank: [char; 8]| rank.into_iter().zip('a'..='h').filter(|(piece, _)| *piece == 'r').map(|(_, file)| file);
    let placement = format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{}", letters(black), letters(white).to_ascii_uppercase());
    let rights: String = rooks(white).map(|file| file.to_ascii_uppercase()).chain(rooks(black)).collect();
    match Board::from_fen(&format!("{placement} w {rights} - 0 1"), CastlingMode::Chess960) {
        Ok(board) => board,
        Err(error) => unreachable!("{placement}: {error}"),
    }
}

/// The pieces of a start position from the a-file on, by Scharnagl's numbering; 518 is that of standard chess.
fn back_rank(number: u16) -> [char; 8] {
    /// Where the knights go, counted in free squares.
    const KNIGHTS: [[usize; 2]; 10] = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];
    let number = usize::from(number % CHESS960_COUNT);
    let mut rank = [' '; 8];
    rank[2 * (number % 4) + 1] = 'b';
    rank[2 * (number / 4 % 4)] = 'b';
    place(&mut rank, number / 16 % 6, 'q');
    let [first, second] = KNIGHTS[number / 96];
    // The second first: it does not move the free square of the first.
    place(&mut rank, second, 'n');
    place(&mut rank, first, 'n');
    for piece in ['r', 'k', 'r'] {
        place(&mut rank, 0, piece);
    }
    rank
}

/// Puts a piece on the free square with this number, from 0.
fn place(rank: &mut [char; 8], number: usize, piece: char) {
    if let Some(square) = rank.iter_mut().filter(|square| **square == ' ').nth(number) {
        *square = piece;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::types::Color;

    fn rank(number: u16) -> String {
        back_rank(number).into_iter().collect()
    }

    #[test]
    fn numbers_are_those_of_scharnagl() {
        assert_eq!(rank(0), "bbqnnrkr");
        assert_eq!(rank(518), "rnbqkbnr");
        assert_eq!(rank(959), "rkrnnqbb");
        let all: HashSet<String> = (0..CHESS960_COUNT).map(rank).collect();
        assert_eq!(all.len(), usize::from(CHESS960_COUNT));
    }

    #[test]
    fn every_start_position_keeps_the_rules_of_chess960() {
        for number in 0..CHESS960_COUNT {
            let board = double_chess960(number, CHESS960_COUNT - 1 - number);
            assert_eq!(board.castling().rooks().count(), 4, "{number}");
            let text = rank(number);
            let bishops: Vec<usize> = text.match_indices('b').map(|(file, _)| file % 2).collect();
            assert_ne!(bishops[0], bishops[1], "{text}");
        }
        assert_eq!(double_chess960(518, 518).key(), Board::startpos().key());
    }

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
