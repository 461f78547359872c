//! The Laws of Chess beyond single moves: games, repetitions and how they end.

mod game;
mod outcome;

pub use game::Game;
pub use outcome::Outcome;
