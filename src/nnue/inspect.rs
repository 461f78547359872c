//! What the network thinks of a position in detail, for a person to read. Slow and plain.

use super::features::{feature, is_mirrored, output_bucket};
use super::kernels::scalar;
use super::network::{HIDDEN, Network, OUTPUT_BUCKETS, Row};
use crate::board::Board;
use crate::types::{Color, Piece, PieceType, Score, Square};

/// The network's view of a position; all scores are White's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// What each output layer says.
    pub buckets: [Score; OUTPUT_BUCKETS],
    /// Which of them counts.
    pub bucket: usize,
    /// What each piece but the kings adds: the value with it less the value without it, by the same layer.
    pub contributions: Vec<(Square, Piece, Score)>,
}

impl Inspection {
    /// Looks at a position.
    #[must_use]
    pub fn new(network: &Network, board: &Board) -> Self {
        let pieces: Vec<(Piece, Square)> =
            board.occupied().into_iter().filter_map(|square| Some((board.piece_on(square)?, square))).collect();
        let bucket = output_bucket(board.occupied().count());
        let buckets = outputs(network, board, &pieces);
        let without = |square: Square| {
            let rest: Vec<_> = pieces.iter().copied().filter(|&(_, other)| other != square).collect();
            outputs(network, board, &rest)[bucket]
        };
        let contributions = pieces
            .iter()
            .filter(|(piece, _)| piece.kind() != PieceType::King)
            .map(|&(piece, square)| (square, piece, buckets[bucket] - without(square)))
            .collect();
        Self { buckets, bucket, contributions }
    }

    /// The value of the position, for White.
    #[must_use]
    pub fn score(&self) -> Score {
        self.buckets[self.bucket]
    }
}

/// The value of some of the pieces by every output layer, for White.
fn outputs(network: &Network, board: &Board, pieces: &[(Piece, Square)]) -> [Score; OUTPUT_BUCKETS] {
    let weights = &network.weights;
    let accumulate = |perspective: Color| {
        let mirrored = is_mirrored(board.king(perspective));
        let rows: Vec<&Row> = pieces
            .iter()
            .map(|&(piece, square)| &weights.ft_weights[feature(perspective, mirrored, piece, square)])
            .collect();
        let mut row = [0; HIDDEN];
        (scalar::KERNELS.update)(&weights.ft_bias, &mut row, &rows, &[]);
        row
    };
    let (us, them) = (accumulate(board.stm()), accumulate(!board.stm()));
    let sign = if board.stm() == Color::White { 1 } else { -1 };
    std::array::from_fn(|bucket| {
        let sum = (scalar::KERNELS.forward)(&us, &them, &weights.output_weights[bucket]);
        sign * weights.score(bucket, sum)
    })
}
