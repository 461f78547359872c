//! When a game is over though the board does not say so: its score has said so for long enough.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::record::GameResult;
use crate::types::{Color, Score};

/// A win is called when the score of one side has been so high for so many plies in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WinRule {
    /// Least score, in units of the evaluation.
    pub score: u16,
    /// Plies in a row.
    pub plies: u16,
}

/// A draw is called when the score has been so near to zero for so many plies in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// Largest distance from zero, in units of the evaluation.
    pub score: u16,
    /// Plies in a row.
    pub plies: u16,
    /// Plies of the game before the rule holds; those of the opening do not count.
    pub after: u16,
}

/// The rules of adjudication. A game may go on without any: the Laws end it.
///
/// The text form is `win=SCORE:PLIES,draw=SCORE:PLIES:AFTER`, either part of it, or `none`.
///
/// ```
/// use rokade::datagen::Adjudication;
/// assert_eq!(Adjudication::default().to_string(), "win=1000:4,draw=10:10:80");
/// assert_eq!("none".parse(), Ok(Adjudication { win: None, draw: None }));
/// assert!("win=1000".parse::<Adjudication>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// When a win is called.
    pub win: Option<WinRule>,
    /// When a draw is called.
    pub draw: Option<DrawRule>,
}

/// A text that is no rules of adjudication.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is not of the form win=SCORE:PLIES, draw=SCORE:PLIES:AFTER, both with a comma, or none")]
pub struct AdjudicationError(String);

impl Default for Adjudication {
    fn default() -> Self {
        Self { win: Some(WinRule { score: 1_000, plies: 4 }), draw: Some(DrawRule { score: 10, plies: 10, after: 80 }) }
    }
}

impl fmt::Display for Adjudication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let win = self.win.map(|rule| format!("win={}:{}", rule.score, rule.plies));
        let draw = self.draw.map(|rule| format!("draw={}:{}:{}", rule.score, rule.plies, rule.after));
        let rules: Vec<String> = win.into_iter().chain(draw).collect();
        if rules.is_empty() { f.write_str("none") } else { f.write_str(&rules.join(",")) }
    }
}

impl FromStr for Adjudication {
    type Err = AdjudicationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut rules = Self { win: None, draw: None };
        if text == "none" {
            return Ok(rules);
        }
        for rule in text.split(',') {
            rules.read_rule(rule).ok_or_else(|| AdjudicationError(text.to_owned()))?;
        }
        Ok(rules)
    }
}

impl Adjudication {
    /// Adds a rule; `None` if it cannot be read, is there already or would end every game at once.
    fn read_rule(&mut self, text: &str) -> Option<()> {
        let (name, numbers) = text.split_once('=')?;
        let numbers: Vec<u16> = numbers.split(':').map(|number| number.parse().ok()).collect::<Option<_>>()?;
        match (name, numbers.as_slice()) {
            ("win", &[score, plies]) if self.win.is_none() && score > 0 && plies > 0 => {
                self.win = Some(WinRule { score, plies });
            }
            ("draw", &[score, plies, after]) if self.draw.is_none() && plies > 0 => {
                self.draw = Some(DrawRule { score, plies, after });
            }
            _ => return None,
        }
        Some(())
    }
}

/// Watches the scores of one game.
#[derive(Clone, Debug)]
pub(super) struct Adjudicator {
    rules: Adjudication,
    plies: u16,
    /// Who has been winning, and for how many plies in a row.
    winning: Option<(Color, u16)>,
    /// For how many plies in a row nobody has been better.
    level: u16,
}

impl Adjudicator {
    pub(super) fn new(rules: Adjudication) -> Self {
        Self { rules, plies: 0, winning: None, level: 0 }
    }

    /// Notes the score of a ply, for the side that moved, and calls the result if a rule says so.
    pub(super) fn judge(&mut self, stm: Color, score: Score) -> Option<GameResult> {
        self.plies = self.plies.saturating_add(1);
        self.judge_win(stm, score).or_else(|| self.judge_draw(score))
    }

    fn judge_win(&mut self, stm: Color, score: Score) -> Option<GameResult> {
        let rule = self.rules.win?;
        let winner = if score > 0 { stm } else { !stm };
        self.winning = match self.winning {
            _ if score.abs() < Score::from(rule.score) => None,
            Some((color, plies)) if color == winner => Some((color, plies.saturating_add(1))),
            _ => Some((winner, 1)),
        };
        self.winning.filter(|&(_, plies)| plies >= rule.plies).map(|(color, _)| GameResult::win_of(color))
    }

    fn judge_draw(&mut self, score: Score) -> Option<GameResult> {
        let rule = self.rules.draw?;
        let is_level = self.plies > rule.after && score.abs() <= Score::from(rule.score);
        self.level = if is_level { self.level.saturating_add(1) } else { 0 };
        (self.level >= rule.plies).then_some(GameResult::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of scores that alternate between White and Black, and after how many plies it is called.
    fn judge(rules: &str, scores: &[Score]) -> Option<(usize, GameResult)> {
        let mut adjudicator = Adjudicator::new(rules.parse().expect(rules));
        let sides = Color::ALL.into_iter().cycle();
        let mut numbered = (1..).zip(scores.iter().zip(sides));
        numbered.find_map(|(ply, (&score, side))| adjudicator.judge(side, score).map(|result| (ply, result)))
    }

    #[test]
    fn a_win_needs_both_sides_to_see_it() {
        let white = GameResult::WhiteWins;
        assert_eq!(judge("win=1000:4", &[1000, -1000, 1000, -1000]), Some((4, white)));
        assert_eq!(judge("win=1000:4", &[-1000, 2000, -1000, 31_000]), Some((4, GameResult::BlackWins)));
        assert_eq!(judge("win=1000:4", &[1000, 1000, 1000, 1000, 1000]), None, "they disagree");
        assert_eq!(judge("win=1000:4", &[1000, -1000, 999, -1000, 1000, -1000]), None, "interrupted");
        assert_eq!(judge("win=1000:2", &[1000, 1000, -1000]), Some((3, GameResult::BlackWins)));
        assert_eq!(judge("draw=10:10:80", &[2000; 40]), None, "no rule");
    }

    #[test]
    fn a_draw_counts_only_after_the_opening() {
        assert_eq!(judge("draw=10:3:2", &[0; 9]), Some((5, GameResult::Draw)));
        assert_eq!(judge("draw=10:3:0", &[10, -10, 11, 3, 3, -3]), Some((6, GameResult::Draw)));
        assert_eq!(judge("draw=10:3:0", &[10, -10, 11, 3, 3]), None);
        assert_eq!(judge("none", &[0; 400]), None);
    }

    #[test]
    fn rules_are_read_as_they_are_written() {
        for text in ["none", "win=1:1", "draw=0:1:0", "win=1000:4,draw=10:10:80"] {
            assert_eq!(text.parse::<Adjudication>().map(|rules| rules.to_string()).as_deref(), Ok(text));
        }
        for text in [
            "",
            "win",
            "win=",
            "win=0:4",
            "win=10:0",
            "win=1:1,win=1:1",
            "draw=1:1",
            "draw=1:0:1",
            "x=1:1",
            "win=70000:1",
            "win=-1:1",
            "win=1:1,",
        ] {
            assert!(text.parse::<Adjudication>().is_err(), "{text}");
        }
    }
}
