//! The Laws of Chess beyond single moves: games, repetitions, how they end, and who can still win.

pub mod chess960;
pub mod dead;
mod game;
mod outcome;
pub mod san;

pub use game::Game;
pub use outcome::{Claim, Ending, Fault, GameResult, Outcome};
