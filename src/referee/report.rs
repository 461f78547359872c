//! What the referee writes.

use std::fmt;

use super::judge::{Judgment, Standing};
use crate::rules::{Claim, Ending, GameResult};

/// The line of a game.
pub(super) fn line(number: u64, judgment: &Judgment) -> String {
    let recorded = judgment.recorded.map_or("none", Standing::to_text);
    let (result, reason) = judgment.ending.map_or(("*", "none"), |(ending, result)| (result.to_text(), ending.name()));
    let mut line = format!("{number}: plies {}, file {recorded}, rules {result} ({reason})", judgment.plies);
    if !judgment.claims.is_empty() {
        let claims: Vec<&str> = judgment.claims.iter().map(|&claim| Claim::name(claim)).collect();
        line += &format!(", claim {}", claims.join(" and "));
    }
    if let Some(fault) = &judgment.fault {
        line += &format!(", fault: {fault}");
    }
    line
}

/// Sums over all games.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) games: u64,
    /// Games with a fault, and parts that could not be understood.
    pub(super) faults: u64,
    plies: u64,
    /// By results, then those without.
    recorded: [u64; 4],
    /// By endings, then those that are not over.
    endings: [u64; Ending::ALL.len() + 1],
}

impl Totals {
    pub(super) fn add(&mut self, judgment: &Judgment) {
        self.games += 1;
        self.faults += u64::from(judgment.fault.is_some());
        self.plies += judgment.plies as u64;
        let recorded = match judgment.recorded {
            Some(Standing::Over(result)) => result.index(),
            _ => GameResult::ALL.len(),
        };
        self.recorded[recorded] += 1;
        let place = |(ending, _)| Ending::ALL.iter().position(|&other| other == ending);
        self.endings[judgment.ending.and_then(place).unwrap_or(Ending::ALL.len())] += 1;
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [black, draw, white, open] = self.recorded;
        writeln!(f, "games {}, plies {}", self.games, self.plies)?;
        writeln!(f, "by the file: 1-0 {white}, 0-1 {black}, 1/2-1/2 {draw}, * or none {open}")?;
        write!(f, "by the rules:")?;
        for (ending, count) in Ending::ALL.into_iter().zip(self.endings) {
            write!(f, " {} {count},", ending.name())?;
        }
        writeln!(f, " not over {}", self.endings[Ending::ALL.len()])?;
        write!(f, "faults {}", self.faults)
    }
}
