//! Static exchange evaluation against published values, in which pins do not count.

use rokade::types::CastlingMode::Standard;

use crate::util::{Failures, board, find_move, lines};

/// Lines whose published value counts a promotion by recapture, which ours does not: a pawn that takes on the last rank
/// is a pawn there.
const PROMOTING_RECAPTURES: [(&str, &str); 4] = [
    ("2r5/1P4pk/p2p1b1p/5b1n/BB3p2/2R2p2/P1P2P2/4RK2 w - -", "c3c8"),
    ("3N4/2P5/2n5/1k6/8/8/8/4K3 b - -", "c6d8"),
    ("3n3r/2P5/8/1k6/8/8/3Q4/4K3 w - -", "d2d8"),
    ("8/8/1k6/8/8/2N1N3/2p1p1K1/3n4 w - -", "c3d1"),
];

#[test]
fn exchanges_are_worth_what_is_published() {
    let mut failures = Failures::default();
    let mut exceptions = 0;
    for line in lines("see.epd") {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let &[fen, text, value, ..] = &fields[..] else { panic!("{line}") };
        let value = value.parse().expect("a number of centipawns");
        let board = board(fen, Standard);
        let m = find_move(&board, text, Standard).unwrap_or_else(|| panic!("{fen}: {text} is not legal"));
        let (enough, too_much) = (board.see_ge(m, value), board.see_ge(m, value + 1));
        if PROMOTING_RECAPTURES.contains(&(fen, text)) {
            exceptions += 1;
            failures.check(!enough || too_much, || format!("{fen} {text} is no exception any more"));
        } else {
            failures.check(enough, || format!("{fen} {text} is worth less than {value}"));
            failures.check(!too_much, || format!("{fen} {text} is worth more than {value}"));
        }
    }
    failures.finish(130);
    assert_eq!(exceptions, PROMOTING_RECAPTURES.len());
}

#[test]
fn the_threshold_is_a_step() {
    let mut failures = Failures::default();
    for line in lines("see.epd") {
        let board = board(line.split(';').next().unwrap_or_default(), Standard);
        for m in board.legal_moves() {
            let holds: Vec<bool> = (-2_000..=2_000).step_by(50).map(|threshold| board.see_ge(m, threshold)).collect();
            let falls = holds.windows(2).filter(|pair| pair[0] != pair[1]).count();
            failures.check(falls == 1 && holds[0], || format!("{line}: {m} {holds:?}"));
        }
    }
    failures.finish(1_500);
}
