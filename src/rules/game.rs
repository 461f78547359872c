//! A game: a start position, the moves played, and the keys that repetition needs.

use crate::board::Board;
use crate::types::Move;

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
}

impl Game {
    /// A game that starts from `start`.
    #[must_use]
    pub fn new(start: Board) -> Self {
        Self { board: start, past: Vec::new() }
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
    }

    /// How often the current position has occurred, this time included.
    #[must_use]
    pub fn repetitions(&self) -> usize {
        1 + self.reversible_keys().iter().filter(|&&key| key == self.board.key()).count()
    }
}
