//! Positions in 32 bytes each, as they wait in memory, and unpacked for the network.

use once_cell::sync::Lazy;

use crate::board::Board;
use crate::datagen::record::GameResult;
use crate::nnue::features::{feature, is_mirrored, output_bucket};
use crate::types::{Bitboard, Color, Piece, PieceType, Square};

/// Most pieces of a position.
pub const MAX_PIECES: usize = 32;

/// A piece of the other side, in the code of a piece.
const THEIRS: u8 = 8;

/// A position with its score and the game's result, seen from the side to move: that side is White here and moves
/// up the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct PackedPosition {
    occupied: u64,
    /// The kinds of the pieces in the order of their squares, two to a byte, `THEIRS` added for the other side's.
    pieces: [u8; MAX_PIECES / 2],
    score: i16,
    /// Half points of the side to move: 0, 1 or 2.
    half_points: u8,
    /// Where the kings stand: of the side to move, of the other side.
    kings: [u8; 2],
    padding: [u8; 3],
}

const _: () = assert!(size_of::<PackedPosition>() == 32);

/// What the network is to predict: a blend of the game's result and the score as an expectation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// Share of the result, 0 to 1.
    pub wdl: f32,
    /// The score, in units of the evaluation, whose logistic expectation is 1 / (1 + 1 / e), about 73 %.
    pub score_scale: f32,
}

/// A position as the network takes it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// Active inputs, from the view of the side to move and of the other; the first `pieces` count.
    features: [[u16; MAX_PIECES]; 2],
    pieces: usize,
    /// The output layer that judges it.
    pub bucket: usize,
    /// The expectation that the network is to learn, 0 to 1.
    pub target: f32,
}

/// Inputs by view (of the side to move, of the other), mirroring, code of the piece and square.
type FeatureTable = [[[[u16; 64]; 16]; 2]; 2];

static FEATURE_TABLE: Lazy<FeatureTable> = Lazy::new(|| {
    let mut table: FeatureTable = [[[[0; 64]; 16]; 2]; 2];
    for (view, perspective) in [Color::White, Color::Black].into_iter().enumerate() {
        for mirrored in [false, true] {
            for (piece, square) in Piece::ALL.into_iter().flat_map(|piece| Square::all().map(move |s| (piece, s))) {
                let input = feature(perspective, mirrored, piece, square) as u16;
                table[view][usize::from(mirrored)][usize::from(code_of(piece))][square.index()] = input;
            }
        }
    }
    table
});

/// The four bits that stand for a piece, where White is the side to move.
fn code_of(piece: Piece) -> u8 {
    piece.kind() as u8 | if piece.color() == Color::White { 0 } else { THEIRS }
}

impl PackedPosition {
    /// Packs a position; `score` is that of its side to move. A board has at most 32 pieces.
    #[must_use]
    pub fn new(board: &Board, score: i16, result: GameResult) -> Self {
        let us = board.stm();
        let mut packed = Self { score, half_points: half_points(result, us), ..Self::default() };
        // In the order of the squares as the side to move sees them.
        let seen = Square::all().filter_map(|square| Some((square, board.piece_on(square.relative_to(us))?)));
        for (index, (square, piece)) in seen.take(MAX_PIECES).enumerate() {
            let side = usize::from(piece.color() != us);
            let seen = Piece::new([Color::White, Color::Black][side], piece.kind());
            packed.occupied |= square.bitboard().0;
            packed.pieces[index / 2] |= code_of(seen) << (4 * (index % 2));
            if piece.kind() == PieceType::King {
                packed.kings[side] = square.index() as u8;
            }
        }
        packed
    }

    /// The score of the side to move, in units of the evaluation.
    #[must_use]
    pub fn score(&self) -> i16 {
        self.score
    }

    /// The game's result for the side to move: 0, 0.5 or 1.
    #[must_use]
    pub fn result(&self) -> f32 {
        f32::from(self.half_points) / 2.0
    }

    /// Four numbers that hold all of it, to be hashed.
    #[must_use]
    pub fn words(&self) -> [u64; 4] {
        let (words, _) = self.pieces.as_chunks::<8>();
        let [low, high] = [0, 1].map(|index| u64::from_le_bytes(words[index]));
        let [score_low, score_high] = self.score.to_le_bytes();
        let rest = [score_low, score_high, self.half_points, self.kings[0], self.kings[1], 0, 0, 0];
        [self.occupied, low, high, u64::from_le_bytes(rest)]
    }

    /// Unpacks it for the network.
    #[inline]
    pub fn unpack(&self, target: Target, sample: &mut Sample) {
        let table = &*FEATURE_TABLE;
        let [us, them] = self.kings.map(|king| usize::from(is_mirrored(Square::from_index(usize::from(king)))));
        // The other side's own king stands, for its view, on the same file.
        let (us, them) = (&table[0][us], &table[1][them]);
        sample.pieces = 0;
        for (index, square) in Bitboard(self.occupied).into_iter().enumerate().take(MAX_PIECES) {
            let code = usize::from(self.pieces[index / 2] >> (4 * (index % 2)) & 15);
            sample.features[0][index] = us[code][square.index()];
            sample.features[1][index] = them[code][square.index()];
            sample.pieces = index + 1;
        }
        sample.bucket = output_bucket(sample.pieces as u32);
        sample.target = target.of(self);
    }
}

/// Half points of `color`.
fn half_points(result: GameResult, color: Color) -> u8 {
    let white = result.index() as u8;
    if color == Color::White { white } else { 2 - white }
}

impl Target {
    /// The expectation to learn for a position, 0 to 1.
    #[inline]
    #[must_use]
    pub fn of(self, position: &PackedPosition) -> f32 {
        let expectation = sigmoid(f32::from(position.score) / self.score_scale);
        self.wdl * position.result() + (1.0 - self.wdl) * expectation
    }
}

impl Sample {
    /// The active inputs of the side to move (0) or of the other (1).
    #[inline]
    #[must_use]
    pub fn features(&self, side: usize) -> &[u16] {
        &self.features[side][..self.pieces]
    }
}

/// The logistic function.
#[inline]
#[must_use]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::CastlingMode;

    const TARGET: Target = Target { wdl: 0.25, score_scale: 400.0 };

    fn board(fen: &str) -> Board {
        Board::from_fen(fen, CastlingMode::Chess960).expect(fen)
    }

    fn unpacked(fen: &str, score: i16, result: GameResult) -> Sample {
        let mut sample = Sample::default();
        PackedPosition::new(&board(fen), score, result).unpack(TARGET, &mut sample);
        sample
    }

    #[test]
    fn inputs_are_those_of_the_engine() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
            "8/8/4k3/8/2K5/8/8/Q7 w - - 0 1",
        ] {
            let board = board(fen);
            let sample = unpacked(fen, 0, GameResult::Draw);
            for (side, perspective) in [board.stm(), !board.stm()].into_iter().enumerate() {
                let mirrored = is_mirrored(board.king(perspective));
                let pieces = board.occupied().into_iter().filter_map(|square| Some((square, board.piece_on(square)?)));
                let input = |(square, piece)| feature(perspective, mirrored, piece, square) as u16;
                let mut expected: Vec<u16> = pieces.map(input).collect();
                let mut found = sample.features(side).to_vec();
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "{fen}, side {side}");
            }
            assert_eq!(sample.bucket, output_bucket(board.occupied().count()));
        }
    }

    #[test]
    fn both_colours_see_the_same_position() {
        let white = PackedPosition::new(&board("4k3/1p6/8/8/8/8/6PP/4K2R w K - 0 1"), 30, GameResult::WhiteWins);
        let black = PackedPosition::new(&board("4k2r/6pp/8/8/8/8/1P6/4K3 b k - 0 1"), 30, GameResult::BlackWins);
        assert_eq!(white, black);
        assert_eq!((white.score(), white.result()), (30, 1.0));
    }

    #[test]
    fn the_target_blends_result_and_score() {
        let fen = "4k3/1p6/8/8/8/8/6PP/4K2R b - - 0 1";
        let expected = |result: f32, score: f32| 0.25 * result + 0.75 / (1.0 + (-score / 400.0).exp());
        for (result, points) in [(GameResult::WhiteWins, 0.0), (GameResult::Draw, 0.5), (GameResult::BlackWins, 1.0)] {
            for score in [-900, 0, 35] {
                let found = unpacked(fen, score, result).target;
                assert!((found - expected(points, f32::from(score))).abs() < 1e-6, "{result:?} {score}: {found}");
            }
        }
    }

    #[test]
    fn every_field_is_hashed() {
        let position = PackedPosition::new(&board("4k3/1p6/8/8/8/8/6PP/4K2R w K - 0 1"), 30, GameResult::WhiteWins);
        let variants = [
            PackedPosition { occupied: 1, ..position },
            PackedPosition { pieces: [1; 16], ..position },
            PackedPosition { score: -30, ..position },
            PackedPosition { half_points: 0, ..position },
            PackedPosition { kings: [5, 6], ..position },
        ];
        for variant in variants {
            assert_ne!(variant.words(), position.words());
        }
    }
}
