//! Perft: node counts of the legal move tree, as published and as two other programs count them.
//!
//! The data is text, the runner is this file, and cost is a number: the quick tier walks each line as deep as its
//! counts stay below a limit, the ignored tier does the same with a far larger one. A new bug is a new line of data.

use rokade::board::Board;
use rokade::perft::{divide, perft};
use rokade::types::CastlingMode;

use crate::util::{Failures, board, perft_lines};

/// Nodes a line may cost in the ignored tier.
const DEEP_LIMIT: u64 = 50_000_000;

fn run(file: &str, mode: CastlingMode, limit: u64) {
    let lines = perft_lines(file);
    let mut failures = Failures::default();
    for line in &lines {
        let start = board(&line.fen, mode);
        for &(depth, expected) in line.counts.iter().filter(|&&(depth, nodes)| depth == 1 || nodes <= limit) {
            let found = perft(&start, depth);
            failures.equal(&found, &expected, &format!("{} depth {depth}", line.fen));
            if found != expected {
                break;
            }
        }
    }
    failures.finish(lines.len());
}

/// Declares both tiers of the files.
macro_rules! perft_files {
    ($($name:ident $mode:ident $quick_limit:literal;)*) => {
        mod quick {
            $(#[test]
            fn $name() {
                super::run(concat!("perft/", stringify!($name), ".epd"), super::CastlingMode::$mode, $quick_limit);
            })*
        }

        mod deep {
            $(#[test]
            #[ignore = "minutes"]
            fn $name() {
                super::run(concat!("perft/", stringify!($name), ".epd"), super::CastlingMode::$mode, super::DEEP_LIMIT);
            })*
        }
    };
}

perft_files! {
    standard Standard 2_000_000;
    chess960 Chess960 100_000;
    dfrc Chess960 300_000;
    tricky Standard 2_000_000;
    tricky960 Chess960 4_000_000;
    random Standard 300_000;
    ferdy_ep Standard 300_000;
    ferdy_double_check Standard 300_000;
    unreachable Standard 3_000_000;
}

#[test]
fn files_that_are_standard_count_the_same_when_read_as_chess960() {
    run("perft/tricky.epd", CastlingMode::Chess960, 20_000);
    run("perft/standard.epd", CastlingMode::Chess960, 20_000);
}

#[test]
fn depth_zero_is_one_leaf_and_nothing_to_divide() {
    let start = Board::startpos();
    assert_eq!(perft(&start, 0), 1);
    assert!(divide(&start, 0).is_empty());
}

#[test]
fn divide_lists_every_legal_move_once_and_sums_to_perft() {
    let mut failures = Failures::default();
    for line in perft_lines("perft/tricky.epd") {
        let start = board(&line.fen, CastlingMode::Standard);
        let parts = divide(&start, 2);
        let moves: Vec<_> = parts.iter().map(|&(m, _)| m).collect();
        failures.check(moves[..] == start.legal_moves()[..], || format!("{}: moves {moves:?}", line.fen));
        let sum = parts.iter().map(|&(_, nodes)| nodes).sum::<u64>();
        failures.equal(&sum, &perft(&start, 2), &line.fen);
    }
    failures.finish(200);
}
