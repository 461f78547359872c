//! Perft: node counts of the legal move tree, as published and as two other programs count them.
//!
//! The data is text, the runner is this file, and cost is a number: the quick tier walks each line as deep as its
//! counts stay below a limit, the ignored tier does the same with a far larger one. A new bug is a new line of data.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rokade::board::{Board, STARTPOS_FEN};
use rokade::perft::{Error, MAX_DEPTH, Options, divide, perft, perft_on_board};
use rokade::types::{CastlingMode, Move};

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

const ALONE: Options = Options { threads: 1, table_mb: None };

/// Divides to the end.
fn divided(board: &Board, depth: u32, options: Options) -> Vec<(Move, u64)> {
    divide(board, depth, options, &AtomicBool::new(false), |_| {}).expect("a result")
}

/// Compares both generators below every root move of every line, as deep as `limit` nodes allow.
fn compare_generators(file: &str, mode: CastlingMode, limit: u64) {
    let lines = perft_lines(file);
    let mut failures = Failures::default();
    for line in &lines {
        let start = board(&line.fen, mode);
        let depths = line.counts.iter().filter(|&&(depth, nodes)| depth == 1 || nodes <= limit);
        let depth = depths.map(|&(depth, _)| depth).max().unwrap_or(1);
        for (m, nodes) in divided(&start, depth, ALONE) {
            let expected = perft_on_board(&start.after(m), depth - 1);
            failures.equal(&nodes, &expected, &format!("{} {m} depth {depth}", line.fen));
        }
    }
    failures.finish(lines.len());
}

/// Every file with what a line of it may cost.
const FILES: [(&str, CastlingMode, u64); 9] = [
    ("perft/standard.epd", CastlingMode::Standard, 500_000),
    ("perft/chess960.epd", CastlingMode::Chess960, 20_000),
    ("perft/dfrc.epd", CastlingMode::Chess960, 50_000),
    ("perft/tricky.epd", CastlingMode::Standard, 300_000),
    ("perft/tricky960.epd", CastlingMode::Chess960, 1_000_000),
    ("perft/random.epd", CastlingMode::Standard, 50_000),
    ("perft/ferdy_ep.epd", CastlingMode::Standard, 50_000),
    ("perft/ferdy_double_check.epd", CastlingMode::Standard, 50_000),
    ("perft/unreachable.epd", CastlingMode::Standard, 500_000),
];

#[test]
fn counting_equals_the_generator_of_the_engine() {
    for (file, mode, limit) in FILES {
        compare_generators(file, mode, limit);
    }
}

#[test]
#[ignore = "minutes"]
fn counting_equals_the_generator_of_the_engine_deep() {
    for (file, mode, limit) in FILES {
        compare_generators(file, mode, 20 * limit);
    }
}

#[test]
fn depth_zero_is_one_leaf_and_nothing_to_divide() {
    let start = Board::startpos();
    assert_eq!(perft(&start, 0), 1);
    for options in [ALONE, Options { threads: 2, table_mb: Some(1) }] {
        assert!(divided(&start, 0, options).is_empty());
    }
}

#[test]
fn divide_lists_every_legal_move_once_and_sums_to_perft() {
    let mut failures = Failures::default();
    for line in perft_lines("perft/tricky.epd") {
        let start = board(&line.fen, CastlingMode::Standard);
        let parts = divided(&start, 2, ALONE);
        let moves: Vec<_> = parts.iter().map(|&(m, _)| m).collect();
        failures.check(moves[..] == start.legal_moves()[..], || format!("{}: moves {moves:?}", line.fen));
        let sum = parts.iter().map(|&(_, nodes)| nodes).sum::<u64>();
        failures.equal(&sum, &perft(&start, 2), &line.fen);
    }
    failures.finish(200);
}

#[test]
fn threads_and_a_table_of_any_size_change_no_count() {
    let mut failures = Failures::default();
    let files = [("perft/tricky.epd", CastlingMode::Standard), ("perft/tricky960.epd", CastlingMode::Chess960)];
    for (file, mode) in files {
        for line in perft_lines(file) {
            let start = board(&line.fen, mode);
            let depths = line.counts.iter().filter(|&&(_, nodes)| nodes <= 100_000).map(|&(depth, _)| depth);
            let Some(depth) = depths.max() else { continue };
            let expected = divided(&start, depth, ALONE);
            for (threads, table_mb) in [(2, None), (7, None), (1, Some(0)), (1, Some(1)), (3, Some(2))] {
                let found = divided(&start, depth, Options { threads, table_mb });
                failures.check(found == expected, || format!("{} depth {depth}: {threads} {table_mb:?}", line.fen));
            }
        }
    }
    failures.finish(100);
}

#[test]
fn progress_ends_with_all_parts_and_all_nodes() {
    for (fen, depth) in [(STARTPOS_FEN, 4), (STARTPOS_FEN, 1), ("k7/8/1K6/8/8/8/8/1R6 w - - 0 1", 2)] {
        let start = board(fen, CastlingMode::Standard);
        let mut last = None;
        let options = Options { threads: 2, table_mb: None };
        divide(&start, depth, options, &AtomicBool::new(false), |progress| last = Some(progress)).expect("a result");
        let last = last.expect("progress");
        assert_eq!(last.nodes, perft_on_board(&start, depth), "{fen}");
        assert!(last.parts == last.all_parts && last.parts > 0, "{fen}: {last:?}");
    }
}

#[test]
fn a_stop_ends_every_count_soon() {
    for table_mb in [None, Some(1)] {
        for depth in [7, 12, MAX_DEPTH, u32::MAX] {
            let stop = AtomicBool::new(false);
            let begin = Instant::now();
            let on_progress = |_| {
                if begin.elapsed() > Duration::from_millis(50) {
                    stop.store(true, Relaxed);
                }
            };
            let result = divide(&Board::startpos(), depth, Options { threads: 2, table_mb }, &stop, on_progress);
            assert!(matches!(result, Err(Error::Stopped)), "{depth} {table_mb:?}: {result:?}");
            assert!(begin.elapsed() < Duration::from_secs(2), "{depth} {table_mb:?}: {:?}", begin.elapsed());
        }
    }
}

#[test]
fn a_count_too_large_is_the_largest_number() {
    // Kings behind a wall of pawns: few positions, and far too many ways to walk among them.
    let start = board("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", CastlingMode::Standard);
    let options = Options { threads: 1, table_mb: Some(4) };
    let counts = divided(&start, MAX_DEPTH, options);
    assert_eq!(counts.len(), 5);
    assert!(counts.iter().all(|&(_, nodes)| nodes == u64::MAX), "{counts:?}");
}

#[test]
fn a_game_that_is_over_has_no_moves() {
    for fen in ["rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"] {
        let start = board(fen, CastlingMode::Standard);
        for depth in [1, 2, 3, 200] {
            assert_eq!(perft(&start, depth), 0, "{fen}");
            assert!(divided(&start, depth, Options { threads: 2, table_mb: Some(1) }).is_empty(), "{fen}");
        }
    }
}
