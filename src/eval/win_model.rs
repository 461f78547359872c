//! What a score is worth: the chances of win, draw and loss, and centipawns on a scale where +100 wins every other
//! game.
//!
//! The chance to win is a logistic curve over the score whose midpoint and spread depend on the material on the
//! board, as in Stockfish. Its constants come from this engine's own games: `rokade data --fit FILES...`, with the
//! feature `datagen`, prints them.

use std::ops::RangeInclusive;

use crate::board::Board;
use crate::types::{PieceType, Score, TB_WIN_IN_MAX_PLY, is_decisive};

/// The material that the model tells apart: with less or more, the ends of the range count.
pub const MATERIAL: RangeInclusive<u32> = 17..=78;
/// The material at which the variable of the polynomials is 1.
const MATERIAL_UNIT: f64 = 58.0;

/// A logistic model of the results. Both polynomials, lowest power first, are in units of the network's scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WinModel {
    /// The score that wins every other game.
    pub midpoint: [f64; 3],
    /// The score over which the chance rises from 50 to 73 %.
    pub spread: [f64; 3],
}

impl WinModel {
    /// The model of the engine: of 9,763 games with 500 nodes a move by the network of generation 2.
    pub const OWN: Self = Self { midpoint: [327.42, -481.57, 206.20], spread: [19.84, 410.19, -180.34] };

    /// The score that wins every other game with so much material.
    #[must_use]
    pub fn midpoint(&self, material: u32) -> f64 {
        polynomial(&self.midpoint, Self::variable(material)).max(1.0)
    }

    /// The width of the curve with so much material.
    #[must_use]
    pub fn spread(&self, material: u32) -> f64 {
        polynomial(&self.spread, Self::variable(material)).max(1.0)
    }

    /// The variable of the polynomials.
    #[must_use]
    pub fn variable(material: u32) -> f64 {
        f64::from(material.clamp(*MATERIAL.start(), *MATERIAL.end())) / MATERIAL_UNIT
    }

    /// The chance that the side with this score wins, 0 to 1.
    #[must_use]
    pub fn chance(&self, score: Score, material: u32) -> f64 {
        1.0 / (1.0 + ((self.midpoint(material) - f64::from(score)) / self.spread(material)).exp())
    }

    /// The chances of win, draw and loss in permille for a score of the side to move. They always add up to 1000.
    #[must_use]
    pub fn wdl(&self, score: Score, material: u32) -> [u32; 3] {
        match score {
            TB_WIN_IN_MAX_PLY.. => return [1000, 0, 0],
            _ if score <= -TB_WIN_IN_MAX_PLY => return [0, 0, 1000],
            _ => {}
        }
        let permille = |score| (1000.0 * self.chance(score, material)).round() as u32;
        let win = permille(score);
        let loss = permille(-score).min(1000 - win);
        [win, 1000 - win - loss, loss]
    }

    /// A score in centipawns: +100 wins every other game. Mates and table results stay what they are.
    #[must_use]
    pub fn centipawns(&self, score: Score, material: u32) -> Score {
        if is_decisive(score) {
            return score;
        }
        (100.0 * f64::from(score) / self.midpoint(material)).round() as Score
    }
}

/// The material on the board: pawns count 1, knights and bishops 3, rooks 5, queens 9.
#[must_use]
pub fn material(board: &Board) -> u32 {
    let of = |kind| board.of_kind(kind).count();
    of(PieceType::Pawn)
        + 3 * (of(PieceType::Knight) + of(PieceType::Bishop))
        + 5 * of(PieceType::Rook)
        + 9 * of(PieceType::Queen)
}

fn polynomial(coefficients: &[f64; 3], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{INFINITE, mate_in};

    #[test]
    fn chances_add_up_and_rise_with_the_score() {
        for material in 0..=90 {
            let mut last = 0;
            for score in -INFINITE..=INFINITE {
                let chances = WinModel::OWN.wdl(score, material);
                assert_eq!(chances.iter().sum::<u32>(), 1000);
                assert!(chances[0] >= last);
                last = chances[0];
            }
        }
    }

    #[test]
    fn plus_one_pawn_wins_every_other_game() {
        for material in MATERIAL {
            let score = WinModel::OWN.midpoint(material).round() as Score;
            assert!(WinModel::OWN.centipawns(score, material).abs_diff(100) <= 1);
            assert!(WinModel::OWN.wdl(score, material)[0].abs_diff(500) <= 5);
        }
    }

    #[test]
    fn centipawns_keep_sign_order_and_mates() {
        for material in [17, 40, 78] {
            let centipawns: Vec<_> = (-3_000..3_000).map(|score| WinModel::OWN.centipawns(score, material)).collect();
            assert!(centipawns.is_sorted());
            assert_eq!(WinModel::OWN.centipawns(0, material), 0);
            assert_eq!(WinModel::OWN.centipawns(-70, material), -WinModel::OWN.centipawns(70, material));
            assert_eq!(WinModel::OWN.centipawns(mate_in(5), material), mate_in(5));
        }
    }

    #[test]
    fn material_counts_both_sides() {
        assert_eq!(material(&Board::startpos()), 78);
    }
}
