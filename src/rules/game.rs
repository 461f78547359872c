//! A game: a start position, the moves played, and the keys that repetition needs.

use super::Ending;
use crate::board::Board;
use crate::types::Move;

/// Plies without capture or pawn move after which a game is drawn.
const AUTOMATIC_PLIES: u16 = 150;
/// Occurrences of a position with which a game is drawn.
const AUTOMATIC_REPETITIONS: usize = 5;
/// A position occurs at most once in four plies, so that it takes so many to come so often.
const LEAST_REPETITION_PLIES: u16 = 16;

/// A start position and the moves played from it.
///
/// ```
/// use rokade::rules::Game;
/// let mut game = Game::default();
/// let e4 = game.board().legal_moves().into_iter().find(|m| m.to_string() == "e2e4").unwrap();
/// game.play(e4);
/// assert_eq!(game.repetitions(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Game {
    board: Board,
    /// Keys of the positions before the current one, from the start.
    past: Vec<u64>,
    /// The first automatic draw, and after how many plies it came.
    automatic_draw: Option<(usize, Ending)>,
}

impl Game {
    /// A game that starts from `start`.
    #[must_use]
    pub fn new(start: Board) -> Self {
        let mut game = Self { board: start, past: Vec::new(), automatic_draw: None };
        game.note_automatic_draw();
        game
    }

    /// The position now.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The keys of the positions since the last capture or pawn move, without the current one, oldest first.
    #[must_use]
    pub fn reversible_keys(&self) -> &[u64] {
        let reversible = usize::from(self.board.halfmove_clock()).min(self.past.len());
        &self.past[self.past.len() - reversible..]
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        self.past.push(self.board.key());
        self.board.make_move(m);
        self.note_automatic_draw();
    }

    /// How many plies have been played.
    #[must_use]
    pub fn plies(&self) -> usize {
        self.past.len()
    }

    /// The first draw by fivefold repetition or 75 moves, and after how many plies it came.
    #[must_use]
    pub fn automatic_draw(&self) -> Option<(usize, Ending)> {
        self.automatic_draw
    }

    /// Mate by the last move comes before the 75 moves; it cannot come with a repetition.
    fn note_automatic_draw(&mut self) {
        let clock = self.board.halfmove_clock();
        if self.automatic_draw.is_some() || clock < LEAST_REPETITION_PLIES {
            return;
        }
        let ending = if self.repetitions() >= AUTOMATIC_REPETITIONS {
            Ending::FivefoldRepetition
        } else if clock >= AUTOMATIC_PLIES && !self.board.has_no_legal_move() {
            Ending::SeventyFiveMoves
        } else {
            return;
        };
        self.automatic_draw = Some((self.plies(), ending));
    }

    /// How often the current position has occurred, this time included.
    #[must_use]
    pub fn repetitions(&self) -> usize {
        1 + self.reversible_keys().iter().filter(|&&key| key == self.board.key()).count()
    }
}
