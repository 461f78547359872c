//! Dead positions and winnability: never a wrong answer, and an answer for almost all that is known to be dead.

use std::time::{Duration, Instant};

use rokade::board::Board;
use rokade::rules::dead::{self, FULL_BUDGET, Winnability, winnability};
use rokade::types::{CastlingMode, Color, Move};

use crate::util::{Failures, Rng, board, find_move, rows};

/// A verdict against what is known of a side: `Some(true)` when it can win.
fn check(verdict: Winnability, known: Option<bool>, what: &str, failures: &mut Failures) {
    let is_wrong = match known {
        Some(true) => verdict == Winnability::No,
        Some(false) => verdict == Winnability::Yes,
        None => false,
    };
    failures.check(!is_wrong, || format!("{what}: {verdict:?}"));
}

/// What a label such as `W-` says of a colour.
fn known(label: &str, color: Color) -> Option<bool> {
    match label.as_bytes()[color.index()] {
        b'-' => Some(false),
        b'?' => None,
        _ => Some(true),
    }
}

/// Judges the positions of a file whose labels pass a filter; how many of the dead ones are called dead, of how many.
fn judge(file: &str, budget: u32, is_meant: impl Fn(&str) -> bool) -> (usize, usize, Duration) {
    let mut failures = Failures::default();
    let (mut found, mut dead) = (0, 0);
    let start = Instant::now();
    for [label, fen, _] in rows::<3>(file).into_iter().filter(|row| is_meant(&row[0])) {
        let board = board(&fen, CastlingMode::Standard);
        let verdicts = Color::ALL.map(|color| winnability(&board, color, budget));
        for color in Color::ALL {
            check(verdicts[color.index()], known(&label, color), &format!("{color:?} in {fen}"), &mut failures);
        }
        dead += usize::from(label == "--");
        found += usize::from(label == "--" && verdicts == [Winnability::No; 2]);
    }
    failures.finish(50);
    (found, dead, start.elapsed())
}

#[test]
fn nearly_all_dead_positions_are_called_dead() {
    for file in ["dead/cha.tsv", "dead/timeouts.tsv"] {
        let (found, dead, time) = judge(file, FULL_BUDGET, |label| label == "--");
        println!("{file}: {found} of {dead} dead, {time:?}");
        assert!(found * 100 >= dead * 97, "{file}: {found} of {dead}");
    }
}

#[test]
fn no_side_that_can_win_is_told_that_it_cannot() {
    judge("dead/cha.tsv", 1_000, |label| label != "--");
}

#[test]
#[ignore = "half a minute"]
fn no_side_that_can_win_is_told_that_it_cannot_after_a_long_search() {
    judge("dead/cha.tsv", FULL_BUDGET, |label| label != "--");
}

#[test]
fn material_that_cannot_mate_is_dead() {
    let (found, dead, _) = judge("rules/dead_material.tsv", 0, |_| true);
    assert_eq!(found, dead);
}

/// The side that a label such as `W` names.
fn winner(label: &str) -> Color {
    if label == "W" { Color::White } else { Color::Black }
}

#[test]
fn positions_with_a_known_mate_are_not_dead() {
    let mut failures = Failures::default();
    let mut won = 0;
    let mates = rows("dead/mates.tsv").into_iter().map(|[label, fen, _]: [String; 3]| (label, fen));
    let helpmates =
        rows("rules/winnable_helpmates.tsv").into_iter().map(|[label, fen, _, _]: [String; 4]| (label, fen));
    let mut count = 0;
    for (label, fen) in mates.chain(helpmates) {
        let verdict = winnability(&board(&fen, CastlingMode::Standard), winner(&label), 5_000);
        check(verdict, Some(true), &fen, &mut failures);
        count += 1;
        won += usize::from(verdict == Winnability::Yes);
    }
    failures.finish(400);
    assert!(won * 100 >= count * 90, "{won} of {count} are found to be winnable");
}

#[test]
fn every_position_on_the_way_to_a_helpmate_is_winnable() {
    let mut failures = Failures::default();
    for [label, fen, _, moves] in rows("rules/winnable_helpmates.tsv") {
        let mut board = board(&fen, CastlingMode::Standard);
        for text in moves.split(' ') {
            let m = find_move(&board, text, CastlingMode::Standard).expect("a legal helpmate");
            board.make_move(m);
            let verdict = winnability(&board, winner(&label), 200);
            check(verdict, Some(true), &board.to_fen(CastlingMode::Standard), &mut failures);
        }
        failures
            .check(winnability(&board, winner(&label), 0) == Winnability::Yes, || format!("{fen}: mate at the end"));
    }
    failures.finish(1_000);
}

/// Turned upside down with the colours exchanged.
fn mirrored(fen: &str) -> String {
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    let swap =
        |letter: char| if letter.is_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() };
    fields[0] =
        fields[0].split('/').rev().map(|rank| rank.chars().map(swap).collect()).collect::<Vec<String>>().join("/");
    fields[1] = if fields[1] == "w" { "b" } else { "w" }.to_owned();
    fields[2] = fields[2].chars().map(swap).collect();
    fields[3] = fields[3].replace('6', "x").replace('3', "6").replace('x', "3");
    fields.join(" ")
}

#[test]
fn a_position_with_exchanged_colours_gets_the_same_proofs() {
    let mut failures = Failures::default();
    for [_, fen, _] in rows("dead/cha.tsv") {
        let (own, other) = (board(&fen, CastlingMode::Standard), board(&mirrored(&fen), CastlingMode::Standard));
        failures.check(dead::is_dead_statically(&own) == dead::is_dead_statically(&other), || fen.clone());
    }
    failures.finish(1_000);
}

/// A position near another one: some men taken off, put on or moved.
fn altered(fen: &str, rng: &mut Rng) -> Option<Board> {
    let mut squares: Vec<char> = Vec::with_capacity(64);
    for letter in fen.split(' ').next()?.chars().filter(|letter| *letter != '/') {
        match letter.to_digit(10) {
            Some(count) => squares.extend((0..count).map(|_| '.')),
            None => squares.push(letter),
        }
    }
    for _ in 0..=rng.below(3) {
        let (from, to) = (rng.below(64), rng.below(64));
        match rng.below(3) {
            0 if !"Kk".contains(squares[from]) => squares[from] = '.',
            1 if squares[from] == '.' => squares[from] = *rng.pick(&['P', 'p', 'B', 'b', 'N', 'n']),
            2 if squares[to] == '.' => squares.swap(from, to),
            _ => {}
        }
    }
    let ranks: Vec<String> = squares.chunks(8).map(|rank| rank.iter().collect()).collect();
    // The longest runs of empty squares first.
    let text = (1..=8).rev().fold(ranks.join("/"), |text, run| text.replace(&".".repeat(run), &run.to_string()));
    let stm = rng.pick(&["w", "b"]);
    Board::from_fen(&format!("{text} {stm} - - 0 1"), CastlingMode::Standard).ok()
}

/// Looks for a mate by playing at random, which knows nothing of proofs.
fn random_play_mates(start: &Board, winner: Color, rng: &mut Rng) -> bool {
    let mut board = start.clone();
    for _ in 0..150 {
        let moves: Vec<Move> = board.legal_moves().into_iter().collect();
        if moves.is_empty() {
            return board.in_check() && board.stm() != winner;
        }
        board.make_move(*rng.pick(&moves));
    }
    false
}

/// Alters positions near the border between dead and alive and plays on where a side is told that it cannot win.
fn play_against_proofs(positions: usize, games: usize) {
    let mut rng = Rng::new(7);
    let near: Vec<String> = rows("dead/cha.tsv").into_iter().map(|[_, fen, _]: [String; 3]| fen).collect();
    let mut failures = Failures::default();
    for _ in 0..positions {
        let fen = rng.pick(&near).clone();
        let Some(board) = altered(&fen, &mut rng) else { continue };
        for color in Color::ALL {
            if winnability(&board, color, 500) == Winnability::No {
                let is_mated = (0..games).any(|_| random_play_mates(&board, color, &mut rng));
                failures.check(!is_mated, || format!("{color:?} mates in {}", board.to_fen(CastlingMode::Standard)));
            }
        }
    }
    failures.finish(positions / 20);
}

#[test]
fn random_play_never_mates_where_that_is_said_to_be_impossible() {
    play_against_proofs(4_000, 3);
}

#[test]
#[ignore = "minutes"]
fn much_random_play_never_mates_where_that_is_said_to_be_impossible() {
    play_against_proofs(15_000, 6);
}

#[test]
fn the_same_question_gets_the_same_answer() {
    for [_, fen, _] in rows("dead/cha.tsv").into_iter().step_by(40) {
        let board = board(&fen, CastlingMode::Standard);
        let answers = || Color::ALL.map(|color| winnability(&board, color, 700));
        assert_eq!(answers(), answers(), "{fen}");
    }
}
