//! Evaluation: material and piece placement, tapered between middlegame and endgame.
//!
//! A bootstrap, kept tiny: each piece has a value, a term for its rank and a term for its file. The numbers were
//! chosen by hand.

use crate::board::Board;
use crate::types::{Color, Piece, PieceType, Score, Square, TB_WIN_IN_MAX_PLY};

/// A value for the middlegame and one for the endgame, in centipawns.
#[derive(Clone, Copy)]
struct Tapered(i16, i16);

/// What a piece is worth where it stands: base value, then terms by rank (from its own side) and by file (a to d,
/// the other wing mirrored).
struct Placement {
    value: Tapered,
    rank_middlegame: [i16; 8],
    rank_endgame: [i16; 8],
    file_middlegame: [i16; 4],
    file_endgame: [i16; 4],
}

const PLACEMENTS: [Placement; 6] = [
    // Pawn
    Placement {
        value: Tapered(80, 105),
        rank_middlegame: [0, -8, -6, 2, 10, 30, 60, 0],
        rank_endgame: [0, -10, -8, 0, 14, 45, 90, 0],
        file_middlegame: [-8, -2, 0, 12],
        file_endgame: [6, 2, -2, -4],
    },
    // Knight
    Placement {
        value: Tapered(325, 300),
        rank_middlegame: [-22, -10, 0, 8, 16, 18, 4, -20],
        rank_endgame: [-16, -8, 0, 8, 10, 6, -4, -14],
        file_middlegame: [-20, -6, 6, 10],
        file_endgame: [-16, -6, 4, 10],
    },
    // Bishop
    Placement {
        value: Tapered(340, 320),
        rank_middlegame: [-12, 4, 6, 6, 6, 6, -4, -14],
        rank_endgame: [-8, -4, 2, 6, 6, 4, -2, -6],
        file_middlegame: [-6, 4, 2, 2],
        file_endgame: [-6, -2, 2, 4],
    },
    // Rook
    Placement {
        value: Tapered(470, 530),
        rank_middlegame: [-4, -10, -8, -6, 0, 8, 20, 12],
        rank_endgame: [-4, -6, -4, 2, 6, 8, 12, 8],
        file_middlegame: [-8, -2, 4, 8],
        file_endgame: [0, 0, 0, 0],
    },
    // Queen
    Placement {
        value: Tapered(970, 960),
        rank_middlegame: [-4, 2, 2, 0, 0, 4, 4, 4],
        rank_endgame: [-30, -16, 0, 12, 20, 20, 12, 4],
        file_middlegame: [-4, 0, 2, 2],
        file_endgame: [-16, -4, 6, 10],
    },
    // King
    Placement {
        value: Tapered(0, 0),
        rank_middlegame: [18, -2, -30, -50, -60, -60, -60, -60],
        rank_endgame: [-34, -14, 0, 12, 20, 20, 8, -14],
        file_middlegame: [16, 22, -4, -14],
        file_endgame: [-20, -6, 6, 12],
    },
];

/// How much of the middlegame each kind of piece stands for; all pieces together make 24.
const PHASES: [i32; 6] = [0, 1, 1, 2, 4, 0];
const FULL_PHASE: i32 = 24;

const BISHOP_PAIR: Tapered = Tapered(24, 40);
const TEMPO: Score = 14;

static TABLE: [[Tapered; 64]; Piece::COUNT] = build_table();

const fn build_table() -> [[Tapered; 64]; Piece::COUNT] {
    let mut table = [[Tapered(0, 0); 64]; Piece::COUNT];
    let mut index = 0;
    while index < Piece::COUNT {
        let piece = Piece::ALL[index];
        let placement = &PLACEMENTS[piece.kind().index()];
        let mut square = 0;
        while square < 64 {
            let seen = Square::from_index(square).relative_to(piece.color());
            let (rank, file) = (seen.rank().index(), seen.file().index());
            let file = if file < 4 { file } else { 7 - file };
            table[index][square] = Tapered(
                placement.value.0 + placement.rank_middlegame[rank] + placement.file_middlegame[file],
                placement.value.1 + placement.rank_endgame[rank] + placement.file_endgame[file],
            );
            square += 1;
        }
        index += 1;
    }
    table
}

/// The static evaluation in centipawns for the side to move, always short of the decided scores.
#[must_use]
pub fn evaluate(board: &Board) -> Score {
    let mut phase = 0;
    let mut totals = [(0, 0); 2];
    for square in board.occupied() {
        let Some(piece) = board.piece_on(square) else { continue };
        let Tapered(middlegame, endgame) = TABLE[piece.index()][square.index()];
        let total = &mut totals[piece.color().index()];
        total.0 += i32::from(middlegame);
        total.1 += i32::from(endgame);
        phase += PHASES[piece.kind().index()];
    }
    for color in Color::ALL {
        if board.pieces(color, PieceType::Bishop).more_than_one() {
            totals[color.index()].0 += i32::from(BISHOP_PAIR.0);
            totals[color.index()].1 += i32::from(BISHOP_PAIR.1);
        }
    }
    let (us, them) = (totals[board.stm().index()], totals[(!board.stm()).index()]);
    let phase = phase.min(FULL_PHASE);
    let tapered = ((us.0 - them.0) * phase + (us.1 - them.1) * (FULL_PHASE - phase)) / FULL_PHASE;
    (tapered + TEMPO).clamp(-TB_WIN_IN_MAX_PLY + 1, TB_WIN_IN_MAX_PLY - 1)
}

/// Draws an advantage towards zero as the 50-move rule comes near, slowly at first, so that the search prefers
/// progress and does not take a draw for a win.
#[inline]
#[must_use]
pub fn scale_by_clock(score: Score, halfmove_clock: u16) -> Score {
    let clock = i32::from(halfmove_clock.min(100));
    score * (10_000 - clock * clock) / 10_000
}

/// The chances of win, draw and loss in permille for a score of the side to move, from a logistic curve on which
/// 150 centipawns win every other game. The three always add up to 1000.
#[must_use]
pub fn wdl(score: Score) -> [u32; 3] {
    const HALF_WON: f64 = 150.0;
    const SPREAD: f64 = 60.0;
    let chance = |score: Score| {
        let permille = 1000.0 / (1.0 + ((HALF_WON - f64::from(score)) / SPREAD).exp());
        permille.round() as u32
    };
    let (win, loss) = (chance(score), chance(-score));
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::CastlingMode;

    #[test]
    fn evaluation_is_the_same_for_both_colours() {
        let white = "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP3PPP/RN1QKB1R w KQkq - 0 6";
        let black = "rn1qkb1r/pp3ppp/2p1pn2/3p1b2/2PP4/2N1PN2/PP3PPP/R1BQKB1R b KQkq - 0 6";
        let evaluations =
            [white, black].map(|fen| Board::from_fen(fen, CastlingMode::Standard).map(|board| evaluate(&board)));
        assert!(evaluations[0].is_ok());
        assert_eq!(evaluations[0], evaluations[1]);
    }

    #[test]
    fn chances_add_up_and_rise_with_the_score() {
        let mut last = 0;
        for score in -3000..3000 {
            let chances = wdl(score);
            assert_eq!(chances.iter().sum::<u32>(), 1000);
            assert!(chances[0] >= last);
            last = chances[0];
        }
    }
}
