//! The record of a self-play game, and how it is written: about four bytes a ply.
//!
//! A game is one frame (`frame`) of a shard (`shard`), with this content:
//!
//! | bytes | content |
//! |---|---|
//! | 1 | the result (0 Black wins, 1 draw, 2 White wins), and four times the number of random plies |
//! | 28 | the position after the random plies (`packed`) |
//! | .. | the plies |
//!
//! A ply is the move in two bytes, little-endian, and the difference of its score to the expected one, which is the
//! last score seen from the other side: signs folded into the lowest bit, seven bits to a byte, the eighth says that
//! more follow. Most differences are small, so most plies take three or four bytes.

mod frame;
mod packed;
mod shard;

use thiserror::Error;

pub use packed::{PACKED_BYTES, UnpackError, pack, unpack};
pub use shard::{RecordError, SHARD_EXTENSION, ShardHeader, ShardReader, ShardWriter};

use crate::board::Board;
use crate::rules::Game;
pub use crate::rules::GameResult;
use crate::types::{MATE, Move, Score};

/// Most random plies a record can tell of.
pub const MAX_RANDOM_PLIES: u8 = 63;

/// Scores of this size and beyond say nothing of use to a network: mates, mostly.
const USABLE_SCORE: i16 = 10_000;
/// Fewer pieces, kings included, are the tablebases' business.
const USABLE_PIECES: u32 = 4;

/// One move of a game and what the search thought of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move, castling as king takes rook.
    pub m: Move,
    /// The score for the side to move: in units of the evaluation, or near +-32000 for mates.
    pub score: i16,
}

impl Ply {
    /// A move and its score; scores beyond +-32000, which no search returns, are cut.
    #[must_use]
    pub fn new(m: Move, score: Score) -> Self {
        Self { m, score: score.clamp(-MATE, MATE) as i16 }
    }
}

/// A game: where it began, how it went and ended.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// The position after the random plies of the opening.
    pub start: Board,
    /// How the game ended, on the board or by adjudication.
    pub result: GameResult,
    /// The moves from `start` on.
    pub plies: Vec<Ply>,
    /// How many random plies led to `start`, 0 to `MAX_RANDOM_PLIES`. They are not kept.
    pub random_plies: u8,
}

/// Why bytes are no game, although their checksum is right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum MalformedGame {
    #[error("it is too short")]
    Short,
    #[error("no such result")]
    Result,
    #[error("start position: {0}")]
    Start(#[from] UnpackError),
    #[error("ply {0} is not readable")]
    Ply(usize),
}

/// An illegal move in a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("ply {ply}: {m} is not legal")]
pub struct IllegalMove {
    /// The number of the ply, from 1.
    pub ply: usize,
    /// The move.
    pub m: Move,
}

/// Whether a position is fit to train on with its score: the side to move is not in check, the best move is quiet
/// (neither capture nor promotion), the score below 10000, and four pieces or more are on the board.
#[must_use]
pub fn is_usable(board: &Board, ply: &Ply) -> bool {
    !board.in_check()
        && !board.is_capture(ply.m)
        && ply.m.promoted_to().is_none()
        && ply.score.unsigned_abs() < USABLE_SCORE.unsigned_abs()
        && board.occupied().count() >= USABLE_PIECES
}

impl GameRecord {
    /// Plays the game through: shows each position with the ply played there, and returns the game at its end.
    ///
    /// # Errors
    ///
    /// At the first move that is not legal.
    pub fn replay(&self, mut visit: impl FnMut(&Board, &Ply)) -> Result<Game, IllegalMove> {
        let mut game = Game::new(self.start.clone());
        for (index, ply) in self.plies.iter().enumerate() {
            if !game.board().is_legal(ply.m) {
                return Err(IllegalMove { ply: index + 1, m: ply.m });
            }
            visit(game.board(), ply);
            game.play(ply.m);
        }
        Ok(game)
    }

    /// Adds the bytes of the game. A number of random plies above `MAX_RANDOM_PLIES` is cut.
    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.push(self.result as u8 | self.random_plies.min(MAX_RANDOM_PLIES) << 2);
        bytes.extend(pack(&self.start));
        encode_plies(&self.plies, bytes);
    }

    fn decode(bytes: &[u8]) -> Result<Self, MalformedGame> {
        let (&first, rest) = bytes.split_first().ok_or(MalformedGame::Short)?;
        let (start, plies) = rest.split_first_chunk::<PACKED_BYTES>().ok_or(MalformedGame::Short)?;
        let result = *GameResult::ALL.get(usize::from(first & 3)).ok_or(MalformedGame::Result)?;
        Ok(Self { start: unpack(start)?, result, plies: decode_plies(plies)?, random_plies: first >> 2 })
    }
}

fn encode_plies(plies: &[Ply], bytes: &mut Vec<u8>) {
    let mut expected = 0;
    for ply in plies {
        bytes.extend(ply.m.to_bits().to_le_bytes());
        let score = i32::from(ply.score);
        push_varint(fold_sign(score - expected), bytes);
        expected = -score;
    }
}

fn decode_plies(mut bytes: &[u8]) -> Result<Vec<Ply>, MalformedGame> {
    let mut plies = Vec::with_capacity(bytes.len() / 3);
    let mut expected = 0;
    while !bytes.is_empty() {
        let ply = decode_ply(&mut bytes, expected).ok_or(MalformedGame::Ply(plies.len() + 1))?;
        expected = -i32::from(ply.score);
        plies.push(ply);
    }
    Ok(plies)
}

fn decode_ply(bytes: &mut &[u8], expected: i32) -> Option<Ply> {
    let (bits, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    let m = Move::from_bits(u16::from_le_bytes(*bits))?;
    let score = i16::try_from(expected + unfold_sign(take_varint(bytes)?)).ok()?;
    Some(Ply { m, score })
}

/// 0, -1, 1, -2, .. become 0, 1, 2, 3, ..
fn fold_sign(number: i32) -> u32 {
    (number << 1 ^ number >> 31) as u32
}

fn unfold_sign(folded: u32) -> i32 {
    (folded >> 1) as i32 ^ -((folded & 1) as i32)
}

fn push_varint(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number of up to three bytes, enough for every difference of two scores.
fn take_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in [0, 7, 14] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{CastlingMode, Square};

    fn plies(scores: &[i16]) -> Vec<Ply> {
        scores.iter().map(|&score| Ply { m: Move::normal(Square::E2, Square::E4), score }).collect()
    }

    #[test]
    fn every_score_comes_back() {
        let scores = [0, 1, -1, 63, -64, 64, -32_000, 32_000, -32_000, -32_000, i16::MAX, i16::MIN, i16::MAX, 7];
        let mut bytes = Vec::new();
        encode_plies(&plies(&scores), &mut bytes);
        assert_eq!(decode_plies(&bytes), Ok(plies(&scores)));
    }

    #[test]
    fn steady_scores_take_one_byte() {
        let mut bytes = Vec::new();
        encode_plies(&plies(&[30, -25, 40, -90, 60]), &mut bytes);
        assert_eq!(bytes.len(), 5 * 3);
    }

    #[test]
    fn unreadable_plies_are_named() {
        let mut bytes = Vec::new();
        encode_plies(&plies(&[10, 5_000]), &mut bytes);
        assert_eq!(bytes.len(), 3 + 4);
        assert_eq!(decode_plies(&bytes[..4]), Err(MalformedGame::Ply(2)));
        assert_eq!(decode_plies(&bytes[..6]), Err(MalformedGame::Ply(2)));
        assert_eq!(decode_plies(&[0, 0, 0]), Err(MalformedGame::Ply(1)), "no move");
        assert_eq!(decode_plies(&[1, 0, 0x80, 0x80, 0x80, 0]), Err(MalformedGame::Ply(1)), "too many bytes");
        assert_eq!(decode_plies(&[1, 0, 0xFF, 0xFF, 0x7F]), Err(MalformedGame::Ply(1)), "too large a score");
    }

    #[test]
    fn only_quiet_positions_are_usable() {
        for (fen, text, score, usable) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4", 30, true),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4", 9_999, true),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4", 10_000, false),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4", i16::MIN, false),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1h1", 0, true),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "h1h8", 0, false),
            ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "a8d8", 0, true),
            ("4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", "e1f1", 0, false),
            ("8/P3k3/8/8/8/8/8/R3K2R w KQ - 0 1", "a7a8n", 0, false),
            ("4k3/8/8/3pP3/8/8/8/R3K3 w Q d6 0 1", "e5d6", 0, false),
            ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1a2", 0, false),
        ] {
            let board = Board::from_fen(fen, CastlingMode::Standard).expect(fen);
            let m = board.legal_moves().into_iter().find(|m| m.to_string() == text).expect(text);
            assert_eq!(is_usable(&board, &Ply { m, score }), usable, "{fen} {text} {score}");
        }
    }

    #[test]
    fn replay_stops_at_an_illegal_move() {
        let legal = Move::normal(Square::E2, Square::E4);
        let plies = vec![Ply::new(legal, 20), Ply::new(legal, -20)];
        let record = GameRecord { start: Board::startpos(), result: GameResult::Draw, plies, random_plies: 0 };
        let mut seen = 0;
        assert_eq!(record.replay(|_, _| seen += 1).err(), Some(IllegalMove { ply: 2, m: legal }));
        assert_eq!(seen, 1);
    }
}
