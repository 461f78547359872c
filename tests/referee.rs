//! The referee: game endings and claims by the Laws, move texts, game files good and bad.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use rokade::referee::{self, GameFault, Judgment};
use rokade::rules::dead::FULL_BUDGET;
use rokade::rules::{Claim, Ending, Game, san};
use rokade::types::{CastlingMode, Move};

use crate::util::{Failures, TempFolder, board, find_move, game, mode_of, rows};

const KNIGHTS_OUT_AND_BACK: &str = "g1f3 g8f6 f3g1 f6g8";

/// What stands in the file of a game: tags that matter and moves.
fn pgn(fen: &str, variant: &str, result: &str, moves: &str) -> String {
    format!("[Event \"x\"]\n[Variant \"{variant}\"]\n[FEN \"{fen}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n")
}

/// The judgments on a text in which the reader finds nothing to stumble over.
fn judge(text: &str) -> Vec<Judgment> {
    referee::games(text.as_bytes()).map(|judgment| judgment.expect("a readable PGN")).collect()
}

fn fault(text: &str) -> String {
    let judgments = judge(text);
    assert_eq!(judgments.len(), 1, "{text}");
    judgments[0].fault.as_ref().map_or("none".to_owned(), ToString::to_string)
}

#[test]
fn moves_are_written_as_the_standard_wants() {
    let mut failures = Failures::default();
    for [fen, variant, moves] in rows("rules/san_all_moves.tsv") {
        let mode = mode_of(&variant);
        let board = board(&fen, mode);
        for pair in moves.split(' ') {
            let (uci, text) = pair.split_once('=').expect("uci=san");
            match find_move(&board, uci, mode) {
                Some(m) => failures.equal(&san::write(&board, m), &text.to_owned(), &fen),
                None => failures.check(false, || format!("{fen}: {uci} is not legal")),
            }
        }
    }
    failures.finish(2_000);
}

#[test]
fn every_move_text_finds_its_move() {
    let mut text = String::new();
    let mut expected = Vec::new();
    for [fen, variant, moves] in rows("rules/san_all_moves.tsv") {
        for pair in moves.split(' ') {
            let (_, san) = pair.split_once('=').expect("uci=san");
            text += &pgn(&fen, if variant == "standard" { "Standard" } else { "Chess960" }, "*", san);
            expected.push(format!("{fen}: {san}"));
        }
    }
    let judgments = judge(&text);
    assert_eq!(judgments.len(), expected.len());
    for (judgment, what) in judgments.iter().zip(expected) {
        assert!(judgment.plies == 1 && !matches!(judgment.fault, Some(GameFault::Move { .. })), "{what}: {judgment:?}");
    }
}

/// The moves of a game in the notation of game files.
fn movetext(fen: &str, moves: &str, mode: CastlingMode) -> String {
    let mut board = board(fen, mode);
    let mut text = String::new();
    for uci in moves.split(' ') {
        let m: Move = find_move(&board, uci, mode).expect("a legal move");
        if board.stm() == rokade::types::Color::White {
            write!(text, "{}. ", board.fullmove_number()).expect("writing to a string");
        }
        text += &san::write(&board, m);
        text.push(' ');
        board.make_move(m);
    }
    text
}

#[test]
fn whole_games_are_judged_as_they_ended() {
    let mut failures = Failures::default();
    for file in ["games/real.tsv", "games/generated.tsv"] {
        for [id, variant, fen, result, end, last_fen, moves] in rows(file) {
            let mode = mode_of(&variant);
            let tag = if variant == "standard" { "Standard" } else { "Chess960" };
            let judgments = judge(&pgn(&fen, tag, &result, &movetext(&fen, &moves, mode)));
            let [judgment] = &judgments[..] else { panic!("{id}: {} games", judgments.len()) };
            let ending = judgment.ending.map(|(ending, _)| ending);
            let expected = match &*end {
                "checkmate" => Some(Ending::Checkmate),
                "stalemate" => Some(Ending::Stalemate),
                "insufficient" => Some(Ending::DeadPosition),
                "fivefold" => Some(Ending::FivefoldRepetition),
                "75move" => Some(Ending::SeventyFiveMoves),
                _ => None,
            };
            failures.check(judgment.plies == moves.split(' ').count(), || format!("{id}: {} plies", judgment.plies));
            failures.check(ending == expected, || format!("{id}: {ending:?} in {last_fen}, not {end}"));
            failures.check(judgment.fault.is_none(), || format!("{id}: {:?}", judgment.fault));
            let claim = match &*end {
                "threefold" => Some(Claim::ThreefoldRepetition),
                "50move" => Some(Claim::FiftyMoves),
                _ => None,
            };
            failures
                .check(claim.is_none_or(|claim| judgment.claims.contains(&claim)), || format!("{id}: no {claim:?}"));
        }
    }
    failures.finish(500);
}

#[test]
fn terminal_positions_end_the_game() {
    let mut failures = Failures::default();
    for [fen, state, check, legal] in rows("rules/terminal.tsv") {
        let game = Game::new(board(&fen, CastlingMode::Standard));
        let ending = game.ending(0);
        let expected = match &*state {
            "checkmate" => Some(Ending::Checkmate),
            "stalemate" => Some(Ending::Stalemate),
            "insufficient" => Some(Ending::DeadPosition),
            _ => None,
        };
        let holds = ending == expected || expected.is_none() && ending == Some(Ending::DeadPosition);
        failures.check(holds, || format!("{fen}: {ending:?}, not {state}"));
        failures
            .check(game.board().in_check() == (check == "1" || check == "check"), || format!("{fen}: check {check}"));
        failures.equal(&game.board().count_legal_moves().to_string(), &legal, &fen);
    }
    failures.finish(400);
}

#[test]
fn the_fifth_occurrence_ends_the_game_and_the_third_lets_a_draw_be_claimed() {
    let play = |times: usize| {
        let moves = vec![KNIGHTS_OUT_AND_BACK; times].join(" ");
        game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &moves, CastlingMode::Standard)
    };
    assert!(play(1).claims().is_empty());
    assert_eq!(play(2).claims(), [Claim::ThreefoldRepetition]);
    assert_eq!((play(3).ending(0), play(3).automatic_draw()), (None, None));
    assert_eq!(play(4).ending(0), Some(Ending::FivefoldRepetition));
    assert_eq!(play(5).automatic_draw(), Some((16, Ending::FivefoldRepetition)));
}

#[test]
fn mate_with_the_last_move_comes_before_the_seventy_five_moves() {
    for (fen, m, expected) in [
        ("7k/8/6K1/8/8/8/8/R7 w - - 148 99", "a1a2", None),
        ("7k/8/6K1/8/8/8/8/R7 w - - 149 99", "a1a2", Some(Ending::SeventyFiveMoves)),
        ("7k/8/6K1/8/8/8/8/R7 w - - 149 99", "a1a8", Some(Ending::Checkmate)),
        ("7k/5Q2/8/8/8/8/8/K7 w - - 149 99", "f7g6", Some(Ending::Stalemate)),
    ] {
        let game = game(fen, m, CastlingMode::Standard);
        let ending = game.ending(FULL_BUDGET);
        assert_eq!(ending, expected, "{fen} {m}");
    }
}

#[test]
fn good_games_have_no_fault_however_they_are_written() {
    for text in [
        "1. e4 e5 2. Nf3 *",
        "1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.O-O 1-0",
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. 0-0 Nf6 1-0",
        "1. e4! e5?! 2. Nf3!! $14 Nc6 {a comment (with) [odd] 1-0 signs} 3. Bb5 (3. Bc4 Bc5 (3... Zz9) 4. c3) 3... a6 ; Zz9\n4. Ba4 *",
        "1. e4 e5 2. Ng1f3 Nb8c6 3. Bf1b5 *",
        "1. e4 d5 2. exd5 Nf6 3. c4 c6 4. dxc6 Nxc6 5. Nf3+- *",
        "1. e4 c5 2. e5 d5 3. exd6 e.p. exd6 *",
        "1. e4 c5 2. e5 d5 3. exd6e.p. exd6 *",
        "\u{feff}[Event \"x\"]\r\n[Result \"1-0\"]\r\n\r\n1. e4 e5\r\n2. Nf3\r\n1-0\r\n",
        "[Event \"x\"]\n[Result \"1/2-1/2\"]\n\n1. e4 \u{bd}-\u{bd}\n",
        "[Event \"x\"]\n\n% an escaped line Zz9\n1. e4 e5 *",
        "1-0",
        "[Result \"1/2-1/2\"]\n\n1/2-1/2",
        "1. f3 e5 2. g4 Qh4# 0-1",
        // The only move makes it a dead position, so that it was one before: no fault of the players.
        "[FEN \"7k/8/8/8/8/8/1r6/K7 w - - 0 1\"]\n\n1. Kxb2 1/2-1/2",
        "1. f3 e5 2. g4 Qh4 0-1",
        "[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8=Q+ *",
        "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O *",
        "[Variant \"Chess960\"]\n[FEN \"4k3/8/8/8/8/8/8/4KR2 w F - 0 1\"]\n\n1. O-O *",
    ] {
        assert_eq!(fault(text), "none", "{text}");
    }
}

#[test]
fn faults_are_named() {
    for (text, expected) in [
        ("1. e4 e5 2. Nf6 *", "ply 3: illegal move Nf6"),
        ("1. e4 e5 2. Ke3 Nf6 *", "ply 3: illegal move Ke3"),
        ("1. d4 d5 2. Nf3 Nf6 3. Nd2 *", "ply 5: ambiguous move Nd2"),
        ("1. e4 e5 2. Zz9 *", "ply 3: unreadable move Zz9"),
        ("1. e4 e5 2. Nf3x Nc6 *", "ply 3: unreadable move Nf3x"),
        ("1. e4 e5 2. -- Nc6 *", "ply 3: unreadable move --"),
        ("1. e4 e5 2. Sf3 Sc6 *", "ply 3: unreadable move Sf3"),
        ("1. e4 e5 2. O-O *", "ply 3: illegal move O-O"),
        ("1. e4 e5 2. e4 *", "ply 3: illegal move e4"),
        ("[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8 *", "ply 1: illegal move a8"),
        ("1. f3 e5 2. g4 Qh4# 1-0", "the result is 1-0, but by the rules it is 0-1 (checkmate)"),
        ("1. f3 e5 2. g4 Qh4# 1/2-1/2", "the result is 1/2-1/2, but by the rules it is 0-1 (checkmate)"),
        ("1. f3 e5 2. g4 Qh4# 3. a3 0-1", "ply 5: illegal move a3"),
        (
            "[FEN \"7k/8/6K1/8/8/8/5Q2/8 w - - 0 1\"]\n\n1. Qf7 1-0",
            "the result is 1-0, but by the rules it is 1/2-1/2 (stalemate)",
        ),
        (
            "[FEN \"7k/8/8/8/8/8/4p3/4K3 w - - 0 1\"]\n\n1. Kxe2 Kg7 2. Ke3 1/2-1/2",
            "played on after ply 1, where the game was over (dead position)",
        ),
        (
            "[FEN \"8/8/8/8/8/8/8/R3K2k w - - 149 100\"]\n\n1. Ra2 Kg1 2. Ra1 1/2-1/2",
            "played on after ply 1, where the game was over (75-move rule)",
        ),
        (
            "[Termination \"Time forfeit\"]\n[FEN \"7k/8/8/8/8/5q2/8/4K3 w - - 0 1\"]\n\n1. Kd2 1-0",
            "White cannot win on time: no series of legal moves ends in mate",
        ),
        ("[Result \"1-0\"]\n\n1. e4 0-1", "the tag says 1-0, the move text 0-1"),
        ("[Result \"1-0\"]\n\n1. e4 e5", "the moves end without a result"),
        ("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *", "bad FEN: "),
        ("[FEN \"this is none\"]\n\n1. e4 *", "bad FEN: "),
        ("[Variant \"Atomic\"]\n\n1. e4 *", "the variant Atomic is not chess"),
        ("[Variant \"Chess960\"]\n\n1. e4 *", "no start position for the variant Chess960"),
    ] {
        let found = fault(text);
        assert!(found == expected || expected.ends_with(": ") && found.starts_with(expected), "{text}: {found}");
    }
}

#[test]
fn play_after_the_fifth_occurrence_is_a_fault() {
    let moves = ["Nf3 Nf6 Ng1 Ng8"; 4].join(" ");
    assert_eq!(fault(&format!("{moves} 1/2-1/2")), "none");
    let expected = "played on after ply 16, where the game was over (fivefold repetition)";
    assert_eq!(fault(&format!("{moves} e4 1/2-1/2")), expected);
    let old = format!("[Date \"1972.07.11\"]\n\n{moves} e4 1-0");
    assert_eq!(fault(&old), "none", "the rule is of 2014");
    assert_eq!(fault(&old.replace("1972", "2015")), expected);
    assert_eq!(
        fault(&format!("{moves} 1-0")),
        "the result is 1-0, but by the rules it is 1/2-1/2 (fivefold repetition)"
    );
}

#[test]
fn hostile_bytes_are_read_to_their_end() {
    let long_word = "x".repeat(300_000);
    let mut files: Vec<Vec<u8>> = [
        "",
        "\n\n\n",
        "[",
        "[Event",
        "[Event \"",
        "[Event \"x\"",
        "{",
        "1. e4 {",
        "(",
        ")",
        "}",
        ";",
        "%",
        "1.",
        "\"",
        "*",
        "((((((((",
        "1. e4 (1. d4",
        "\u{feff}",
        "$",
        "$$$ 1. e4",
        "[FEN \"\"]\n\n*",
        "[[[[\n]]]]\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    files.push(long_word.clone().into_bytes());
    files.push(format!("[Event \"{long_word}\"]\n\n1. e4 *").into_bytes());
    files.push(format!("1. e4 {{{long_word}}} e5 {long_word} *").into_bytes());
    files.push((0..=255).cycle().take(100_000).collect());
    files.push(b"[White \"J\xf6rg\"]\n\n1. e4 {\xe9\xff} e5 \xfc *".to_vec());
    let mut rng = crate::util::Rng::new(5);
    for _ in 0..200 {
        files.push(
            (0..rng.below(3_000)).map(|_| *rng.pick(b"[]{}()\"\n\n\\;%$*!?.-10/2eN4xO+#= \xef\xbb\xbf\0")).collect(),
        );
    }
    for file in files {
        let readable = referee::games(&file[..]).take(100_000).filter(Result::is_ok).count();
        assert!(readable < 100_000, "no end to {:?}", &file[..file.len().min(50)]);
    }
}

/// Runs `rokade referee` on a file with this content.
fn run(name: &str, content: &[u8]) -> Output {
    let folder = TempFolder::new(&format!("referee-{name}"));
    let path = folder.0.join("games.pgn");
    std::fs::write(&path, content).expect("a file to write");
    Command::new(env!("CARGO_BIN_EXE_rokade")).arg("referee").arg(&path).output().expect("the engine runs")
}

#[test]
fn the_command_writes_a_line_for_each_game_and_totals() {
    let good = run("good", b"1. f3 e5 2. g4 Qh4# 0-1\n\n1. e4 1/2-1/2\n");
    assert!(good.status.success(), "{good:?}");
    let expected = "1: plies 4, file 0-1, rules 0-1 (checkmate)\n\
                    2: plies 1, file 1/2-1/2, rules * (none)\n\
                    games 2, plies 5\n\
                    by the file: 1-0 0, 0-1 1, 1/2-1/2 1, * or none 0\n\
                    by the rules: checkmate 1, stalemate 0, dead position 0, fivefold repetition 0, 75-move rule 0, not over 1\n\
                    faults 0\n";
    assert_eq!(String::from_utf8_lossy(&good.stdout), expected);
    let bad = run("bad", b"1. e4 e5 2. Ke3 *\n");
    assert_eq!(bad.status.code(), Some(1), "{bad:?}");
    assert!(
        String::from_utf8_lossy(&bad.stdout)
            .starts_with("1: plies 2, file *, rules * (none), fault: ply 3: illegal move Ke3\n")
    );
}

#[test]
fn the_command_says_in_one_line_what_it_cannot_read() {
    let empty = run("empty", b"");
    assert_eq!(empty.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&empty.stderr).ends_with(": there are no games in it\n"), "{empty:?}");
    let engine = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_rokade")).args(words).output().expect("the engine runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).lines().count())
    };
    assert_eq!(engine(&["referee"]), (Some(2), 1));
    assert_eq!(engine(&["referee", "--frobnicate"]), (Some(2), 1));
    assert_eq!(engine(&["referee", "no/such/file.pgn"]), (Some(1), 1));
    assert_eq!(engine(&["referee", "/"]), (Some(1), 1));
    assert_eq!(engine(&["referee", "--help"]), (Some(0), 0));
}

/// What `status` answers to the words of a command line.
fn status(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_rokade")).args(words).output().expect("the engine runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("plain text")
}

#[test]
fn status_has_exactly_its_lines() {
    let start = "side white\nlegal 20\ncheck no\nresult *\nreason none\nclaim none\nwinnable white black\n";
    assert_eq!(status(&["status"]), start);
    assert_eq!(
        status(&["position startpos moves f2f3 e7e5 g2g4 d8h4", "status"]),
        "side white\nlegal 0\ncheck yes\nresult 0-1\nreason checkmate\nclaim none\nwinnable black\n"
    );
    assert_eq!(
        status(&["status", "4k3/8/8/1p1p1p1p/1P1P1P1P/8/4K3/8 w - - 0 1"]),
        "side white\nlegal 8\ncheck no\nresult 1/2-1/2\nreason dead position\nclaim none\nwinnable none\n"
    );
    let moves = format!("position startpos moves {KNIGHTS_OUT_AND_BACK} {KNIGHTS_OUT_AND_BACK}");
    let repeated =
        "side white\nlegal 20\ncheck no\nresult *\nreason none\nclaim threefold repetition\nwinnable white black\n";
    assert_eq!(status(&[&moves, "status"]), repeated);
    assert_eq!(
        status(&["status", "4k3/8/8/8/8/8/4P3/4K3 b - - 100 90"]),
        "side black\nlegal 5\ncheck no\nresult *\nreason none\nclaim 50-move rule\nwinnable white\n"
    );
}

#[test]
fn status_is_answered_in_a_session_even_before_quit() {
    let input = "position fen 8/8/8/8/8/8/1r6/K6k w - - 0 1\nstatus\nstatus 8/8 w\nquit\n";
    let mut child = Command::new(env!("CARGO_BIN_EXE_rokade"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    child.stdin.take().expect("its input").write_all(input.as_bytes()).expect("it listens");
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("plain text");
    let expected = "side white\nlegal 1\ncheck no\nresult 1/2-1/2\nreason dead position\nclaim none\nwinnable none\n";
    let complaint = text.strip_prefix(expected).unwrap_or_else(|| panic!("{text}"));
    assert!(complaint.starts_with("info string FEN refused") && complaint.lines().count() == 1, "{complaint}");
}

#[test]
fn start_positions_have_numbers() {
    for [number, fen] in rows("fen/chess960_startpos.tsv") {
        let number = number.parse().expect("a number");
        let board = rokade::rules::chess960::start_position(number, number).expect("a number below 960");
        assert_eq!(board.to_fen(CastlingMode::Chess960), fen);
        assert_eq!(rokade::rules::chess960::numbers(&board), Some((number, number)));
    }
    let shown = |words: &[&str]| {
        let text = status(words);
        text.lines().find(|line| line.starts_with("Start position")).unwrap_or("none").to_owned()
    };
    assert_eq!(shown(&["d"]), "Start position: 518");
    assert_eq!(shown(&["position chess960 0", "d"]), "Start position: 0");
    assert_eq!(shown(&["position dfrc 959 7", "d"]), "Start position: 959 for White, 7 for Black");
    assert_eq!(shown(&["position chess960 3 moves a2a3", "d"]), "none");
}
