//! Evaluation: from the network's output to a score, and from a score to what people are shown.

use crate::types::{Score, TB_WIN_IN_MAX_PLY};

mod win_model;

pub use win_model::{MATERIAL, WinModel, material};

/// Keeps an evaluation short of the decided scores.
#[inline]
#[must_use]
pub fn bounded(score: Score) -> Score {
    score.clamp(-TB_WIN_IN_MAX_PLY + 1, TB_WIN_IN_MAX_PLY - 1)
}

/// Draws an advantage towards zero as the 50-move rule comes near, slowly at first, so that the search prefers
/// progress and does not take a draw for a win.
#[inline]
#[must_use]
pub fn scale_by_clock(score: Score, halfmove_clock: u16) -> Score {
    let clock = i32::from(halfmove_clock.min(100));
    score * (10_000 - clock * clock) / 10_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::nnue::accumulator::Accumulators;
    use crate::nnue::network::Network;
    use crate::types::CastlingMode;

    fn evaluate(board: &Board) -> Score {
        let mut accumulators = Accumulators::new(Network::embedded(), 1);
        accumulators.reset(board);
        bounded(accumulators.evaluate(board, 0))
    }

    #[test]
    fn evaluation_is_the_same_for_both_colours() {
        let white = "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP3PPP/RN1QKB1R w KQkq - 0 6";
        let black = "rn1qkb1r/pp3ppp/2p1pn2/3p1b2/2PP4/2N1PN2/PP3PPP/R1BQKB1R b KQkq - 0 6";
        let evaluations =
            [white, black].map(|fen| Board::from_fen(fen, CastlingMode::Standard).map(|board| evaluate(&board)));
        assert!(evaluations[0].is_ok());
        assert_eq!(evaluations[0], evaluations[1]);
    }
}
