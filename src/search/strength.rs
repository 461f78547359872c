//! Playing below full strength as weaker players do: looking less far, and judging less well what is seen.

use crate::types::Score;

/// What a level allows.
struct Level {
    elo: u32,
    /// Nodes for a move.
    nodes: f64,
    /// Standard deviation of the misjudgment of a position, in units of the evaluation.
    misjudgment: f64,
}

/// The levels, in order; between two of them everything is interpolated.
///
/// They follow the scale of Stockfish 15.1's `UCI_Elo`, from 40 games each at 1+0.02: 60 nodes with a misjudgment of 260
/// scored -470 against its 1500, 2,000 nodes without any -98 against 1900, 10,000 nodes -127 against 2200 and 30,000
/// nodes -137 against 2500. What lies between was placed by matches of the levels among each other; then 1300 scored -127
/// against 1400, and 1600 -17 against 1600.
const LEVELS: [Level; 7] = [
    Level { elo: 1000, nodes: 60.0, misjudgment: 260.0 },
    Level { elo: 1300, nodes: 285.0, misjudgment: 92.0 },
    Level { elo: 1600, nodes: 850.0, misjudgment: 40.0 },
    Level { elo: 1900, nodes: 3_600.0, misjudgment: 8.0 },
    Level { elo: 2200, nodes: 16_000.0, misjudgment: 0.0 },
    Level { elo: 2500, nodes: 50_000.0, misjudgment: 0.0 },
    Level { elo: 2800, nodes: 155_000.0, misjudgment: 0.0 },
];

/// A player below full strength, with the moods of one game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    elo: u32,
    seed: u64,
    nodes: u64,
    misjudgment: f64,
}

impl Strength {
    /// The weakest level.
    pub const MIN_ELO: u32 = LEVELS[0].elo;
    /// The strongest level that is not full strength.
    pub const MAX_ELO: u32 = LEVELS[LEVELS.len() - 1].elo;

    /// A player of a level, brought into the range of levels. The same seed judges the same positions alike.
    #[must_use]
    pub fn new(elo: u32, seed: u64) -> Self {
        let elo = elo.clamp(Self::MIN_ELO, Self::MAX_ELO);
        let above = LEVELS.iter().position(|level| level.elo >= elo).unwrap_or(LEVELS.len() - 1);
        let (low, high) = (&LEVELS[above.saturating_sub(1)], &LEVELS[above]);
        let share = if high.elo == low.elo { 1.0 } else { f64::from(elo - low.elo) / f64::from(high.elo - low.elo) };
        let between = |low: f64, high: f64| low + share * (high - low);
        let nodes = between(low.nodes.ln(), high.nodes.ln()).exp().round() as u64;
        Self { elo, seed, nodes, misjudgment: between(low.misjudgment, high.misjudgment) }
    }

    /// The level.
    #[must_use]
    pub fn elo(&self) -> u32 {
        self.elo
    }

    /// Nodes for a move, all threads together.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// By how much the position with this key is misjudged for its side to move: always the same in a game, near a
    /// normal distribution over positions.
    pub(super) fn misjudgment(&self, key: u64) -> Score {
        if self.misjudgment == 0.0 {
            return 0;
        }
        // The sum of four even distributions from -1/2 to 1/2 has a variance of 1/3.
        let bits = crate::rng::mix(key ^ self.seed);
        let sum: f64 = (0..4).map(|part| f64::from((bits >> (16 * part)) as u16) / 65_536.0 - 0.5).sum();
        (sum * 3.0_f64.sqrt() * self.misjudgment) as Score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stronger_players_look_further_and_judge_better() {
        let levels: Vec<Strength> = (900..=3_200).step_by(50).map(|elo| Strength::new(elo, 1)).collect();
        for pair in levels.windows(2) {
            assert!(pair[0].nodes <= pair[1].nodes && pair[0].misjudgment >= pair[1].misjudgment, "{pair:?}");
        }
        assert_eq!((levels[0].elo, levels[0].nodes), (Strength::MIN_ELO, LEVELS[0].nodes as u64));
        assert_eq!(levels.last().map(Strength::elo), Some(Strength::MAX_ELO));
    }

    #[test]
    fn misjudgments_have_the_size_of_the_level_and_no_side() {
        let player = Strength::new(1_600, 7);
        let errors: Vec<f64> = (0..20_000_u64).map(|key| player.misjudgment(crate::rng::mix(key)).into()).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let deviation = (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt();
        assert!(mean.abs() < 5.0 && (deviation / player.misjudgment - 1.0).abs() < 0.05, "{mean} {deviation}");
        assert_ne!(player.misjudgment(5), Strength::new(1_600, 8).misjudgment(5));
    }
}
