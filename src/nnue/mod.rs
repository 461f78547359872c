//! The network that evaluates positions, updated step by step with the moves of the search.

pub mod accumulator;
pub mod features;
pub mod inspect;
pub mod kernels;
pub mod network;
