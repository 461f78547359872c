//! The Laws of Chess beyond single moves: what a move leaves behind, how games end, repetition, the fifty-move
//! rule, dead material.

use std::collections::HashMap;

use rokade::board::STARTPOS_FEN;
use rokade::rules::{Game, Outcome};
use rokade::types::CastlingMode::{self, Chess960, Standard};

use crate::util::{Failures, board, find_move, game, mode_of, rows};

fn name(outcome: Option<Outcome>) -> String {
    outcome.map_or("ongoing".to_owned(), |outcome| format!("{outcome:?}"))
}

/// The outcome of a position without a past.
fn outcome(fen: &str, mode: CastlingMode) -> Option<Outcome> {
    Game::new(board(fen, mode)).outcome()
}

#[test]
fn a_move_leaves_exactly_the_listed_position() {
    let mut failures = Failures::default();
    for [variant, fen, text, _, expected] in rows("rules/make_move.tsv") {
        let mode = mode_of(&variant);
        let board = board(&fen, mode);
        match find_move(&board, &text, mode) {
            Some(m) => failures.equal(&board.after(m).to_fen(mode), &expected, &format!("{fen} {text}")),
            None => failures.check(false, || format!("{fen}: {text} is not legal")),
        }
    }
    failures.finish(600);
}

#[test]
fn terminal_positions_are_told_apart() {
    let mut failures = Failures::default();
    for [fen, verdict, check, count] in rows("rules/terminal.tsv") {
        let board = board(&fen, Standard);
        let expected = match verdict.as_str() {
            "checkmate" => "Checkmate",
            "stalemate" => "Stalemate",
            "insufficient" => "InsufficientMaterial",
            _ => "ongoing",
        };
        failures.equal(&name(outcome(&fen, Standard)), &expected.to_owned(), &fen);
        failures.check(board.in_check() == (check == "check"), || format!("{fen}: {check}"));
        failures.equal(&board.count_legal_moves().to_string(), &count, &fen);
    }
    failures.finish(1_200);
}

#[test]
fn material_that_cannot_mate_is_a_draw() {
    let mut failures = Failures::default();
    for [_, fen, signature] in rows("rules/dead_material.tsv") {
        failures.check(board(&fen, Standard).is_insufficient_material(), || format!("{signature}: {fen}"));
        failures.equal(&name(outcome(&fen, Standard)), &"InsufficientMaterial".to_owned(), &fen);
    }
    failures.finish(700);
}

#[test]
fn material_with_a_helpmate_is_never_a_draw() {
    let mut failures = Failures::default();
    for [_, fen, signature, line] in rows("rules/winnable_helpmates.tsv") {
        let mut game = Game::new(board(&fen, Standard));
        for text in line.split_whitespace() {
            let fen = game.board().to_fen(Standard);
            failures.check(!game.board().is_insufficient_material(), || format!("{signature}: {fen}"));
            match find_move(game.board(), text, Standard) {
                Some(m) => game.play(m),
                None => failures.check(false, || format!("{fen}: {text} is not legal")),
            }
        }
        failures.equal(&name(game.outcome()), &"Checkmate".to_owned(), &fen);
    }
    failures.finish(2_000);
}

/// How the data files name an end, and how it must show.
fn check_end(game: &Game, end: &str, id: &str, failures: &mut Failures) {
    let outcome = name(game.outcome());
    let clock = game.board().halfmove_clock();
    let holds = match end {
        "none" => outcome == "ongoing",
        "checkmate" => outcome == "Checkmate",
        "stalemate" => outcome == "Stalemate",
        "insufficient" => outcome == "InsufficientMaterial",
        "threefold" => outcome == "ThreefoldRepetition" && game.repetitions() >= 3,
        "fivefold" => outcome == "ThreefoldRepetition" && game.repetitions() == 5,
        // A position may also have occurred three times by then, and that comes first.
        "50move" => clock == 100 && (outcome == "FiftyMoves" || game.repetitions() >= 3),
        "75move" => clock == 150 && (outcome == "FiftyMoves" || game.repetitions() >= 3),
        _ => panic!("{id}: unknown end {end}"),
    };
    failures.check(holds, || format!("{id} ends by {end}: {outcome}, {} times, clock {clock}", game.repetitions()));
}

/// Replays games, and counts repetitions a second way: by the text of the positions.
fn replay(file: &str, at_least: usize) {
    let mut failures = Failures::default();
    for [id, variant, fen, _, end, last_fen, moves] in rows(file) {
        let mode = mode_of(&variant);
        let mut game = Game::new(board(&fen, mode));
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut note = |game: &Game, failures: &mut Failures| {
            let fen = game.board().to_fen(mode);
            let position = fen.split(' ').take(4).collect::<Vec<_>>().join(" ");
            let times = seen.entry(position).or_default();
            *times += 1;
            failures.check(game.repetitions() == *times, || format!("{id}: {fen} occurred {times} times"));
        };
        note(&game, &mut failures);
        for text in moves.split(' ') {
            let Some(m) = find_move(game.board(), text, mode) else {
                failures.check(false, || format!("{id}: {text} is not legal in {}", game.board().to_fen(mode)));
                break;
            };
            game.play(m);
            note(&game, &mut failures);
        }
        failures.equal(&game.board().to_fen(mode), &last_fen, &id);
        check_end(&game, &end, &id, &mut failures);
    }
    failures.finish(at_least);
}

#[test]
fn real_games_replay_to_their_last_position() {
    replay("games/real.tsv", 10_000);
}

#[test]
fn random_games_replay_to_their_end() {
    replay("games/generated.tsv", 20_000);
}

/// Plays the moves and returns after which of them the outcome is which, from the first that has one.
#[track_caller]
fn ends(mode: CastlingMode, fen: &str, moves: &str, expected: Option<Outcome>) {
    let game = game(fen, moves, mode);
    assert_eq!(game.outcome(), expected, "{fen} moves {moves}: occurred {} times", game.repetitions());
}

const KNIGHTS_OUT_AND_BACK: &str = "g1f3 g8f6 f3g1 f6g8";

#[test]
fn the_third_occurrence_is_a_draw_and_the_second_is_not() {
    let twice = KNIGHTS_OUT_AND_BACK;
    let start = STARTPOS_FEN;
    ends(Standard, start, twice, None);
    ends(Standard, start, &format!("{twice} {twice}"), Some(Outcome::ThreefoldRepetition));
    assert_eq!(game(start, &format!("{twice} {twice}"), Standard).repetitions(), 3);
}

#[test]
fn repetition_looks_back_over_the_whole_game() {
    // White's king walks the 28 squares of the rim, Black's steps to and fro: the position recurs after 56 plies.
    let rim = "a1b1c1d1e1f1g1h1h2h3h4h5h6h7h8g8f8e8d8c8b8a8a7a6a5a4a3a2";
    let squares: Vec<&str> = (0..28).map(|step| &rim[2 * step..2 * step + 2]).collect();
    let mut game = Game::new(board("8/8/8/3k4/8/8/8/K7 w - - 0 1", Standard));
    let start = game.board().key();
    let mut occurred = Vec::new();
    for step in 0..56 {
        let walk = format!("{}{}", squares[step % 28], squares[(step + 1) % 28]);
        let reply = ["d5d6", "d6d5"][step % 2];
        for text in [&walk[..], reply] {
            let m = find_move(game.board(), text, Standard);
            game.play(m.unwrap_or_else(|| panic!("{text} is not legal in {}", game.board().to_fen(Standard))));
        }
        if game.board().key() == start {
            occurred.push((step + 1, game.repetitions()));
        }
    }
    assert_eq!(occurred, [(28, 2), (56, 3)]);
}

#[test]
fn a_pawn_move_or_capture_ends_the_count() {
    let back = KNIGHTS_OUT_AND_BACK;
    let start = STARTPOS_FEN;
    let game = game(start, &format!("{back} e2e4 e7e5 {back}"), Standard);
    assert_eq!((game.repetitions(), game.reversible_keys().len()), (2, 4));
    assert_eq!(game.outcome(), None);
}

#[test]
fn castling_rights_are_part_of_the_position() {
    let fen = "r3k3/8/8/8/8/8/8/R3K2R w KQq - 0 1";
    let there_and_back = "e1e2 e8e7 e2e1 e7e8";
    // The same diagram for the third time, but with rights only the first time.
    ends(Standard, fen, &format!("{there_and_back} {there_and_back}"), None);
    ends(
        Standard,
        fen,
        &format!("{there_and_back} {there_and_back} {there_and_back}"),
        Some(Outcome::ThreefoldRepetition),
    );
}

#[test]
fn an_en_passant_square_counts_only_with_a_legal_capture() {
    // 1.e4: nobody can capture on e3, so the position after it is the same as later.
    ends(
        Standard,
        STARTPOS_FEN,
        &format!("e2e4 g8f6 g1f3 f6g8 f3g1 {0}", "g8f6 g1f3 f6g8 f3g1"),
        Some(Outcome::ThreefoldRepetition),
    );
    // Black could capture on e3 at first, and later no more: only two of the three are the same.
    let capturable = "rnbqkbnr/ppp1pppp/8/8/3p4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 3";
    ends(Standard, capturable, &format!("e2e4 g8f6 g1f3 f6g8 f3g1 {0}", "g8f6 g1f3 f6g8 f3g1"), None);
    // The capturing pawn is pinned, so there never was a capture.
    let pinned = "3rk3/8/8/8/3p4/8/4P3/3RK1N1 w - - 0 1";
    let moves = "e2e4 e8f8 g1f3 f8e8 f3g1 e8f8 g1f3 f8e8 f3g1";
    let capturable = game(pinned, "e2e4", Standard).board().ep_square();
    assert_eq!(capturable.map(|square| square.to_string()), Some("e3".to_owned()));
    ends(Standard, pinned, moves, None);
    let pinned = "3k4/8/8/8/3p4/8/4P3/3RK1N1 w - - 0 1";
    ends(Standard, pinned, "e2e4 d8e8 g1f3 e8d8 f3g1 d8e8 g1f3 e8d8 f3g1", Some(Outcome::ThreefoldRepetition));
}

#[test]
fn a_clock_in_the_fen_does_not_reach_back_before_the_game() {
    let game = game("4k3/8/8/8/8/8/4P3/4K3 w - - 40 60", "e1d1 e8d8 d1e1 d8e8", Standard);
    assert_eq!((game.repetitions(), game.reversible_keys().len()), (2, 4));
}

#[test]
fn fifty_moves_are_a_draw_at_one_hundred_plies_and_beyond() {
    for (clock, expected) in
        [(98, None), (99, None), (100, Some(Outcome::FiftyMoves)), (143, Some(Outcome::FiftyMoves))]
    {
        assert_eq!(outcome(&format!("4k3/8/8/8/8/8/4R3/4K2R b - - {clock} 90"), Standard), expected, "{clock}");
    }
    ends(Standard, "4k3/8/8/8/8/8/R7/4K3 w - - 99 90", "a2a3", Some(Outcome::FiftyMoves));
    ends(Standard, "4k3/8/8/8/8/8/R6p/4K3 w - - 99 90", "a2h2", None);
    ends(Standard, "4k3/8/8/8/8/8/R6P/4K3 w - - 99 90", "h2h4", None);
}

#[test]
fn castling_and_losing_rights_do_not_restart_the_clock() {
    let game = game("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 98 90", "e1g1 e8e7", Standard);
    assert_eq!(game.board().halfmove_clock(), 100);
    assert_eq!(game.outcome(), Some(Outcome::FiftyMoves));
}

#[test]
fn mate_on_the_hundredth_ply_wins() {
    let fen = "4Q3/8/1p4pk/1PbB1p1p/7P/p3P1PK/P3qP2/8 w - - 99 88";
    ends(Standard, fen, "e8h8", Some(Outcome::Checkmate));
    ends(Standard, fen, "e8e7", Some(Outcome::FiftyMoves));
}

#[test]
fn stalemate_comes_before_the_count_of_moves() {
    assert_eq!(outcome("7k/5Q2/6K1/8/8/8/8/8 b - - 100 90", Standard), Some(Outcome::Stalemate));
}

#[test]
fn exact_fifty_move_results_hold_by_exhaustive_play() {
    let mut failures = Failures::default();
    for [fen, result, _] in rows("rules/fifty_exact.tsv") {
        let game = Game::new(board(&fen, Standard));
        let found = if can_win(&game) { "win" } else { "draw" };
        failures.equal(&found.to_owned(), &result, &fen);
    }
    failures.finish(40);
}

/// Whether the side to move can force mate before the draw, by trying everything.
fn can_win(game: &Game) -> bool {
    game.board().legal_moves().into_iter().any(|m| {
        let mut next = game.clone();
        next.play(m);
        match next.outcome() {
            Some(outcome) => outcome == Outcome::Checkmate,
            None => next.board().legal_moves().into_iter().all(|reply| {
                let mut next = next.clone();
                next.play(reply);
                next.outcome().is_none() && can_win(&next)
            }),
        }
    })
}

/// The castling moves of a position and the positions they lead to.
fn castlings(fen: &str) -> Vec<(String, String)> {
    let board = board(fen, Chess960);
    let castlings = board.legal_moves().into_iter().filter(|m| m.is_castling());
    castlings.map(|m| (m.to_string(), board.after(m).to_fen(Chess960))).collect()
}

#[test]
fn castling_ends_on_the_same_squares_wherever_it_starts() {
    for (fen, text, expected) in [
        // King and rook change places.
        ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
        // The king stays where it is.
        ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
        ("4k3/8/8/8/8/8/8/R1K5 w A - 0 1", "c1a1", "4k3/8/8/8/8/8/8/2KR4 b - - 1 1"),
        // The rook stays where it is.
        ("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "e1f1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
        ("4k3/8/8/8/8/8/8/3RK3 w D - 0 1", "e1d1", "4k3/8/8/8/8/8/8/2KR4 b - - 1 1"),
        // Both cross most of the board.
        ("4k3/8/8/8/8/8/8/1KR5 w C - 0 1", "b1c1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
        ("4k3/8/8/8/8/8/8/5RK1 w F - 0 1", "g1f1", "4k3/8/8/8/8/8/8/2KR4 b - - 1 1"),
        // An inner rook castles, the outer one stays.
        ("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1", "e1b1", "4k3/8/8/8/8/8/8/R1KR4 b - - 1 1"),
        // An attack on the rook, or on a square that only the rook crosses, does not matter.
        ("1r2k3/8/8/8/8/8/8/R3K3 w A - 0 1", "e1a1", "1r2k3/8/8/8/8/8/8/2KR4 b - - 1 1"),
        ("r3k3/8/8/8/8/8/8/R3K3 w A - 0 1", "e1a1", "r3k3/8/8/8/8/8/8/2KR4 b - - 1 1"),
    ] {
        assert_eq!(castlings(fen), [(text.to_owned(), expected.to_owned())], "{fen}");
    }
}

#[test]
fn castling_is_refused_in_every_trap() {
    for (fen, trap) in [
        ("4k3/8/8/8/8/8/8/rRK5 w B - 0 1", "the rook is pinned along the back rank"),
        ("4k3/8/8/8/8/8/8/qR1K4 w B - 0 1", "the rook is pinned along the back rank by a queen"),
        ("4k3/8/8/8/8/4r3/8/R3K3 w A - 0 1", "the king is in check"),
        ("3rk3/8/8/8/8/8/8/R3K3 w A - 0 1", "the king crosses an attacked square"),
        ("2r1k3/8/8/8/8/8/8/R3K3 w A - 0 1", "the king lands on an attacked square"),
        ("4k3/8/8/8/8/8/8/RN2K3 w A - 0 1", "a piece stands where only the rook passes"),
        ("4k3/8/8/8/8/8/8/R2nK3 w A - 0 1", "an enemy piece stands between king and rook"),
        ("4k3/8/8/8/8/8/8/1RN1K3 w B - 0 1", "a piece stands on the king's target"),
        ("4k3/8/8/8/8/8/8/4K1RN w - - 0 1", "there is no right"),
        ("4k3/8/8/8/8/8/8/5KRr w G - 0 1", "the king would step into the line that the rook leaves"),
    ] {
        assert_eq!(castlings(fen), [], "{trap}: {fen}");
    }
}

#[test]
fn a_right_ends_with_its_rook_and_with_the_first_move_of_the_king() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (moves, expected) in [
        ("a1a8", "Kk"),
        ("h1h8", "Qq"),
        ("a1b1", "Kkq"),
        ("h1h2 a8a7 h2h1 a7a8", "Qk"),
        ("e1e2 e8e7 e2e1 e7e8", "-"),
        ("e1g1", "kq"),
        ("e1c1 e8g8", "-"),
    ] {
        let fen = game(fen, moves, Standard).board().to_fen(Standard);
        assert_eq!(fen.split(' ').nth(2), Some(expected), "{moves}");
    }
    // A rook captured by a promoting pawn, and a new rook on the corner that never had the right.
    let fen = "r3k3/1P6/8/8/8/8/8/4K3 w q - 0 1";
    assert_eq!(game(fen, "b7a8r", Standard).board().to_fen(Standard), "R3k3/8/8/8/8/8/8/4K3 b - - 0 1");
    let fen = "1r2k3/8/8/8/8/8/1p6/R3K3 b Q - 0 1";
    assert_eq!(game(fen, "b2a1r", Standard).board().to_fen(Standard), "1r2k3/8/8/8/8/8/8/r3K3 w - - 0 2");
}
