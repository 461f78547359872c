//! One game against oneself: a search a ply, until the Laws or the adjudicator end it.

use thiserror::Error;

use super::adjudicate::Adjudicator;
use super::openings::{Opening, Openings};
use super::record::{GameRecord, GameResult, Ply, is_usable};
use super::settings::Settings;
use crate::rng::Rng;
use crate::rules::{Game, Outcome};
use crate::search::{HashError, Limits, SearchResult, Searcher};
use crate::types::{CastlingMode, Score};

/// Table of each thread, in megabytes: the searches are short, and a small table stays in the cache.
const HASH_MB: usize = 4;
/// The check search of an opening may take so many times the nodes of a move.
const CHECK_FACTOR: u64 = 5;
/// An opening with a higher score for either side is left out.
const MAX_OPENING_SCORE: Score = 400;
/// After so many openings in a row that cannot be used none is likely to come.
const MAX_REJECTED: u64 = 10_000;
/// Node limits vary by so many percent, up and down, so that searches do not all end at the same point.
const JITTER_PERCENT: u64 = 10;
/// A search is broken off at so many percent of its soft limit.
const HARD_LIMIT_PERCENT: u64 = 120;

/// Why no game could be played.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum PlayError {
    #[error("{MAX_REJECTED} openings in a row are over or too one-sided")]
    NoOpening,
    #[error("no move was found in {0}")]
    NoMove(String),
    #[error("{0}")]
    Hash(#[from] HashError),
}

/// What one game, or many, cost and gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Recorded plies, a search each.
    pub plies: u64,
    /// Positions that are usable for training.
    pub usable: u64,
    /// Nodes of the searches of these plies.
    pub nodes: u64,
    /// Nodes of the check searches of openings.
    pub opening_nodes: u64,
    /// Openings that were left out.
    pub rejected: u64,
}

impl Tally {
    /// Adds another tally.
    pub fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.plies += other.plies;
        self.usable += other.usable;
        self.nodes += other.nodes;
        self.opening_nodes += other.opening_nodes;
        self.rejected += other.rejected;
    }
}

/// Plays games, one after the other. A game depends on its random numbers alone, not on those before it.
pub(super) struct Player<'a> {
    settings: &'a Settings,
    openings: &'a Openings,
    searcher: Searcher,
    rng: Rng,
    tally: Tally,
}

impl<'a> Player<'a> {
    pub(super) fn new(settings: &'a Settings, openings: &'a Openings) -> Result<Self, PlayError> {
        let searcher = Searcher::new(HASH_MB)?;
        Ok(Self { settings, openings, searcher, rng: Rng::new(0), tally: Tally::default() })
    }

    /// Plays a game with these random numbers.
    pub(super) fn play(&mut self, rng: Rng) -> Result<(GameRecord, Tally), PlayError> {
        self.rng = rng;
        self.tally = Tally { games: 1, ..Tally::default() };
        let opening = self.find_opening()?;
        let mut game = Game::new(opening.board.clone());
        let mut plies = Vec::with_capacity(128);
        let result = self.play_out(&mut game, &mut plies)?;
        let record = GameRecord { start: opening.board, result, plies, random_plies: opening.random_plies };
        Ok((record, self.tally))
    }

    /// Draws openings until a search finds one balanced. What the last search left in the table stays for the game.
    fn find_opening(&mut self) -> Result<Opening, PlayError> {
        for _ in 0..MAX_REJECTED {
            if let Some(opening) = self.openings.draw(&mut self.rng) {
                self.searcher.clear();
                let found = self.search(&Game::new(opening.board.clone()), CHECK_FACTOR * self.settings.nodes);
                self.tally.opening_nodes += found.nodes;
                if found.score.abs() <= MAX_OPENING_SCORE {
                    return Ok(opening);
                }
            }
            self.tally.rejected += 1;
        }
        Err(PlayError::NoOpening)
    }

    fn play_out(&mut self, game: &mut Game, plies: &mut Vec<Ply>) -> Result<GameResult, PlayError> {
        let mut adjudicator = Adjudicator::new(self.settings.adjudication);
        while plies.len() < self.settings.max_plies as usize {
            let stm = game.board().stm();
            let budget = self.draw_budget();
            let found = self.search(game, budget);
            let m = found.best.ok_or_else(|| PlayError::NoMove(game.board().to_fen(CastlingMode::Chess960)))?;
            let ply = Ply::new(m, found.score);
            self.note(game, &ply, found.nodes);
            plies.push(ply);
            game.play(m);
            // What stands on the board counts more than what the scores say.
            let result = result_on_board(game).or(adjudicator.judge(stm, found.score));
            if let Some(result) = result {
                return Ok(result);
            }
        }
        Ok(GameResult::Draw)
    }

    fn note(&mut self, game: &Game, ply: &Ply, nodes: u64) {
        self.tally.plies += 1;
        self.tally.nodes += nodes;
        self.tally.usable += u64::from(is_usable(game.board(), ply));
    }

    /// The node limit of a ply: that of the settings, a little more or less.
    fn draw_budget(&mut self) -> u64 {
        let nodes = self.settings.nodes;
        let jitter = nodes * JITTER_PERCENT / 100;
        nodes - jitter + self.rng.below(2 * jitter + 1)
    }

    fn search(&mut self, game: &Game, soft_nodes: u64) -> SearchResult {
        let nodes = Some(soft_nodes * HARD_LIMIT_PERCENT / 100);
        self.searcher.search(game, Limits { soft_nodes: Some(soft_nodes), nodes, ..Limits::default() })
    }
}

/// The result of a game that is over by the Laws.
pub(super) fn result_on_board(game: &Game) -> Option<GameResult> {
    Some(match game.outcome()? {
        Outcome::Checkmate => GameResult::win_of(!game.board().stm()),
        _ => GameResult::Draw,
    })
}
