//! Perft a second way: through the two halves of move generation, through `is_legal` over every move there could
//! be, and with everything the board keeps up step by step compared with a computation from nothing.

use std::collections::{HashMap, HashSet};

use rokade::board::Board;
use rokade::types::{CastlingMode, Move, MoveList, PieceType};

use crate::util::{Failures, board, perft_lines};

/// Files whose positions are traps, with how they are read.
const TRAPS: [(&str, CastlingMode); 5] = [
    ("perft/standard.epd", CastlingMode::Standard),
    ("perft/tricky.epd", CastlingMode::Standard),
    ("perft/tricky960.epd", CastlingMode::Chess960),
    ("perft/ferdy_ep.epd", CastlingMode::Standard),
    ("perft/ferdy_double_check.epd", CastlingMode::Standard),
];

/// The trap positions and every `step`-th of the others.
fn positions(step: usize) -> Vec<Board> {
    let others = ["perft/chess960.epd", "perft/dfrc.epd", "perft/random.epd", "fen/valid.epd"];
    let traps = TRAPS.into_iter().map(|(file, mode)| (file, mode, 1));
    let others = others.into_iter().map(|file| (file, CastlingMode::Chess960, step));
    let mut positions = Vec::new();
    for (file, mode, step) in traps.chain(others) {
        positions.extend(perft_lines(file).iter().step_by(step).map(|line| board(&line.fen, mode)));
    }
    positions
}

fn noisy(board: &Board) -> MoveList {
    let mut moves = MoveList::new();
    board.noisy_moves(&mut moves);
    moves
}

fn quiet(board: &Board) -> MoveList {
    let mut moves = MoveList::new();
    board.quiet_moves(&mut moves);
    moves
}

fn name(board: &Board) -> String {
    board.to_fen(CastlingMode::Chess960)
}

/// Perft through the two halves of move generation, each leaf played.
fn perft_in_halves(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let halves = noisy(board).into_iter().chain(quiet(board));
    halves.map(|m| perft_in_halves(&board.after(m), depth - 1)).sum()
}

#[test]
fn noisy_and_quiet_moves_walk_the_same_tree() {
    let mut failures = Failures::default();
    for (file, mode) in TRAPS {
        for line in perft_lines(file) {
            let start = board(&line.fen, mode);
            for &(depth, expected) in line.counts.iter().filter(|&&(_, nodes)| nodes <= 100_000) {
                failures.equal(&perft_in_halves(&start, depth), &expected, &format!("{} depth {depth}", line.fen));
            }
        }
    }
    failures.finish(1_500);
}

#[test]
fn noisy_and_quiet_moves_part_the_legal_moves() {
    let mut failures = Failures::default();
    for board in positions(1) {
        let (noisy, quiet, legal) = (noisy(&board), quiet(&board), board.legal_moves());
        failures.check(noisy.iter().all(|&m| board.is_noisy(m)), || format!("{}: noisy {noisy:?}", name(&board)));
        failures.check(!quiet.iter().any(|&m| board.is_noisy(m)), || format!("{}: quiet {quiet:?}", name(&board)));
        let halves: HashSet<Move> = noisy.iter().chain(&quiet).copied().collect();
        let whole: HashSet<Move> = legal.iter().copied().collect();
        let once = halves.len() == noisy.len() + quiet.len() && whole.len() == legal.len();
        failures.check(once && halves == whole, || format!("{}: {halves:?} against {whole:?}", name(&board)));
        let counted = board.count_legal_moves();
        failures.equal(&counted, &(legal.len() as u64), &name(&board));
        failures.check(board.has_no_legal_move() == legal.is_empty(), || name(&board));
    }
    failures.finish(10_000);
}

/// Compares `is_legal` with the legal moves over every pattern of 16 bits.
fn check_every_pattern(boards: &[Board], at_least: usize) {
    let mut failures = Failures::default();
    for board in boards {
        let legal: HashSet<u16> = board.legal_moves().iter().map(|m| m.to_bits()).collect();
        let wrong: Vec<u16> = (1..=u16::MAX)
            .filter(|&bits| Move::from_bits(bits).is_some_and(|m| board.is_legal(m)) != legal.contains(&bits))
            .collect();
        failures.check(wrong.is_empty(), || format!("{}: {wrong:04x?}", name(board)));
    }
    failures.finish(at_least);
}

#[test]
fn exactly_the_generated_moves_are_legal_among_all_patterns() {
    check_every_pattern(&positions(20), 800);
}

#[test]
#[ignore = "a minute"]
fn exactly_the_generated_moves_are_legal_among_all_patterns_in_every_child() {
    let mut boards = positions(4);
    let children: Vec<Board> =
        boards.iter().flat_map(|board| board.legal_moves().into_iter().map(|m| board.after(m))).collect();
    boards.extend(children);
    check_every_pattern(&boards, 20_000);
}

/// Checks every position of a tree, and the position after a null move where one may be made.
fn check_tree(board: &Board, depth: u32, failures: &mut Failures) {
    let fresh = Board::from_fen(&name(board), CastlingMode::Chess960).map(|fresh| fresh.keys());
    failures.check(fresh == Ok(board.keys()), || format!("{}: keys differ when read from the FEN", name(board)));
    failures.check(board.check_consistency() == Ok(()), || format!("{}: {:?}", name(board), board.check_consistency()));
    if !board.in_check() {
        let mut passed = board.clone();
        passed.make_null();
        let holds = passed.check_consistency() == Ok(())
            && passed.keys() == passed.recomputed_keys()
            && passed.stm() != board.stm()
            && passed.ep_square().is_none();
        failures.check(holds, || format!("{} after a null move: {:?}", name(board), passed.check_consistency()));
    }
    if depth > 0 {
        for m in board.legal_moves() {
            check_tree(&board.after(m), depth - 1, failures);
        }
    }
}

#[test]
fn what_is_kept_in_step_equals_what_is_computed_anew() {
    let mut failures = Failures::default();
    for board in positions(40) {
        check_tree(&board, 1, &mut failures);
    }
    for line in perft_lines("perft/tricky960.epd") {
        check_tree(&board(&line.fen, CastlingMode::Chess960), 2, &mut failures);
    }
    failures.finish(90_000);
}

#[test]
#[ignore = "a minute"]
fn what_is_kept_in_step_equals_what_is_computed_anew_three_plies_deep() {
    let mut failures = Failures::default();
    for (file, mode) in TRAPS {
        for line in perft_lines(file) {
            let depth = line.counts.iter().filter(|&&(_, nodes)| nodes <= 60_000).map(|&(depth, _)| depth).max();
            check_tree(&board(&line.fen, mode), depth.unwrap_or(1).min(3), &mut failures);
        }
    }
    failures.finish(1_000_000);
}

/// The part of a FEN that makes two positions the same by the Laws.
fn identity(board: &Board) -> String {
    name(board).split(' ').take(4).collect::<Vec<_>>().join(" ")
}

#[test]
fn keys_are_equal_exactly_for_equal_positions() {
    let mut by_key: HashMap<u64, String> = HashMap::new();
    let mut by_identity: HashMap<String, u64> = HashMap::new();
    let mut failures = Failures::default();
    let mut note = |board: &Board| {
        let (key, identity) = (board.key(), identity(board));
        let other = by_key.entry(key).or_insert_with(|| identity.clone());
        failures.check(*other == identity, || format!("{other} and {identity} share the key {key:016x}"));
        let same = by_identity.entry(identity.clone()).or_insert(key);
        failures.check(*same == key, || format!("{identity} has the keys {same:016x} and {key:016x}"));
    };
    for board in positions(10) {
        note(&board);
        for m in board.legal_moves() {
            note(&board.after(m));
        }
    }
    // Transpositions: every order of the first moves.
    let mut layer = vec![Board::startpos()];
    for _ in 0..3 {
        layer = layer.iter().flat_map(|board| board.legal_moves().into_iter().map(|m| board.after(m))).collect();
        for board in &layer {
            note(board);
        }
    }
    failures.finish(70_000);
    assert!(by_key.len() > 30_000, "{}", by_key.len());
}

#[test]
fn a_position_can_be_returned_to_exactly_by_moves_that_can_be_taken_back() {
    let mut failures = Failures::default();
    for board in positions(5) {
        for m in board.legal_moves() {
            let after = board.after(m);
            let keeps_rights = after.castling() == board.castling() && board.ep_square().is_none();
            let moves_pawn = board.piece_on(m.from()).is_some_and(|piece| piece.kind() == PieceType::Pawn);
            let reversible = keeps_rights && !moves_pawn && !board.is_noisy(m) && !m.is_castling();
            let what = || format!("{m:?} in {}", name(&board));
            failures.check(board.can_return_to(after.key()) == reversible, what);
            failures.check(!after.can_return_to(board.key()), what);
        }
    }
    failures.finish(5_000);
}
