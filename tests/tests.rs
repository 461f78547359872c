//! The tests of Rokade that look at it from outside, as one binary.
//!
//! Most are data: a new bug is a new line below `tests/data`, whose README says where each file is from. What takes
//! longer than a few seconds is `#[ignore]`d and runs with `cargo test --release -- --ignored`.

mod differential;
mod fen;
mod legality;
mod perft;
mod rules;
mod see;
mod util;
mod architecture;
