//! FEN in and out: Forsyth-Edwards, X-FEN and Shredder-FEN, good, bad and hostile.

use rokade::board::{Board, FenError, STARTPOS_FEN};
use rokade::perft::perft;
use rokade::types::{CastlingMode, Color, Square};

use crate::util::{Failures, board, lines, mode_of, perft_lines, rows};

use CastlingMode::{Chess960, Standard};

const MODES: [CastlingMode; 2] = [Standard, Chess960];

/// What a FEN is read as: a FEN of the same mode, or `refused`.
fn reading(fen: &str, mode: CastlingMode) -> String {
    Board::from_fen(fen, mode).map_or_else(|_| "refused".to_owned(), |board| board.to_fen(mode))
}

/// Checks that `fen` is read as `expected` in `mode`.
#[track_caller]
fn reads_as(mode: CastlingMode, fen: &str, expected: &str) {
    assert_eq!(reading(fen, mode), expected, "{fen} in {mode:?} mode");
}

#[test]
fn valid_positions_are_accepted_and_counted() {
    let mut failures = Failures::default();
    for line in perft_lines("fen/valid.epd") {
        let board = board(&line.fen, Chess960);
        for &(depth, expected) in line.counts.iter().filter(|&&(depth, _)| depth <= 2) {
            failures.equal(&perft(&board, depth), &expected, &format!("{} depth {depth}", line.fen));
        }
        failures.check(board.check_consistency() == Ok(()), || line.fen.clone());
    }
    failures.finish(3_000);
}

#[test]
fn valid_positions_are_written_as_they_were_read() {
    let mut failures = Failures::default();
    let mut dropped = 0;
    for line in perft_lines("fen/valid.epd") {
        let board = board(&line.fen, Chess960);
        let written = board.to_fen(Chess960);
        let can_capture = board.legal_moves().iter().any(|m| m.is_en_passant());
        let mut expected: Vec<&str> = line.fen.split(' ').collect();
        if expected[3] != "-" && !can_capture {
            expected[3] = "-";
            dropped += 1;
        }
        failures.equal(&written, &expected.join(" "), "written");
    }
    failures.finish(1_000);
    assert!(dropped > 0, "no line has an en passant square without a legal capture");
}

/// Writes and reads a board in a mode, and compares everything that a FEN holds and the keys that follow from it.
fn check_round_trip(board: &Board, mode: CastlingMode, failures: &mut Failures) {
    let text = board.to_fen(mode);
    let again = Board::from_fen(&text, mode);
    let same = again.as_ref().is_ok_and(|again| {
        again.to_fen(mode) == text
            && again.to_fen(Chess960) == board.to_fen(Chess960)
            && again.keys() == board.keys()
            && again.castling() == board.castling()
            && again.legal_moves() == board.legal_moves()
    });
    failures.check(same, || format!("{text} in {mode:?} mode comes back as {again:?}"));
}

#[test]
fn every_position_survives_both_forms() {
    let mut failures = Failures::default();
    for file in ["fen/valid.epd", "perft/chess960.epd", "perft/dfrc.epd", "perft/tricky960.epd", "perft/tricky.epd"] {
        for line in perft_lines(file) {
            for mode in MODES {
                check_round_trip(&board(&line.fen, Chess960), mode, &mut failures);
            }
        }
    }
    failures.finish(4_000);
}

#[test]
fn the_960_start_positions_are_read_and_written() {
    let mut failures = Failures::default();
    for [number, fen] in rows("fen/chess960_startpos.tsv") {
        let board = board(&fen, Chess960);
        failures.equal(&board.to_fen(Chess960), &fen, &number);
        failures.equal(&board.castling().rooks().count(), &4, &format!("rights of {number}"));
        // The same position with the letters of X-FEN.
        let fields: Vec<&str> = fen.split(' ').collect();
        let x_fen = format!("{} w KQkq - 0 1", fields[0]);
        failures.equal(&reading(&x_fen, Chess960), &fen, &number);
    }
    failures.finish(2_880);
}

#[test]
fn invalid_positions_are_refused_unless_only_en_passant_or_history_is_wrong() {
    let mut failures = Failures::default();
    let (mut squares, mut histories) = (0, 0);
    for [fen, reasons] in rows("fen/invalid.tsv") {
        for mode in MODES {
            let read = Board::from_fen(&fen, mode);
            match reasons.as_str() {
                // The square is dropped, the position stands.
                "invalid_ep_square" => {
                    squares += 1;
                    failures.check(read.is_ok_and(|board| board.ep_square().is_none()), || fen.clone());
                }
                // No game leads to these checks, but it can go on from them.
                "impossible_check" => {
                    histories += 1;
                    failures.check(read.is_ok_and(|board| board.in_check()), || fen.clone());
                }
                _ => failures.check(read.is_err(), || format!("{fen} is accepted in spite of {reasons}")),
            }
        }
    }
    failures.finish(2_000);
    assert!(squares > 0 && histories > 0);
}

#[test]
fn malformed_text_is_refused_or_read_as_listed() {
    let mut failures = Failures::default();
    for [fen, expected] in rows("fen/malformed.tsv") {
        failures.equal(&reading(&fen, Standard), &expected, &format!("'{fen}'"));
    }
    failures.finish(50);
}

#[test]
fn positions_that_broke_engines_are_judged_by_the_rules() {
    let mut failures = Failures::default();
    for [fen, verdict] in rows("fen/hostile.tsv") {
        for mode in MODES {
            let read = Board::from_fen(&fen, mode);
            // Rights that cannot be used are dropped; every other fault is refused.
            let playable = verdict == "valid" || verdict == "invalid: bad_castling_rights";
            failures.check(read.is_ok() == playable, || format!("{fen} ({verdict}): {:?}", read.as_ref().err()));
            let Ok(board) = read else { continue };
            failures.check(board.check_consistency() == Ok(()), || fen.clone());
            failures.check(perft(&board, 2) < 1_000_000, || fen.clone());
            check_round_trip(&board, mode, &mut failures);
        }
    }
    failures.finish(200);
}

#[test]
fn any_text_is_read_or_refused_without_a_crash() {
    // Every prefix of every hostile line, and every line with each byte replaced by an awkward one.
    let mut accepted = 0;
    let mut refused = 0;
    let mut try_text = |text: &str| {
        for mode in MODES {
            match Board::from_fen(text, mode) {
                Ok(board) => {
                    assert_eq!(board.check_consistency(), Ok(()), "{text}");
                    accepted += 1;
                }
                Err(_) => refused += 1,
            }
        }
    };
    for line in lines("fen/hostile.tsv").iter().step_by(3) {
        let fen: Vec<char> = line.split('\t').next().unwrap_or_default().chars().collect();
        for (index, _) in fen.iter().enumerate() {
            try_text(&fen[..index].iter().collect::<String>());
            for awkward in ['/', ' ', '9', 'k', 'é', '\u{1F451}', '-', '\0'] {
                let mut changed = fen.clone();
                changed[index] = awkward;
                try_text(&changed.iter().collect::<String>());
            }
        }
    }
    assert!(accepted > 900 && refused > 10_000, "{accepted} accepted, {refused} refused");
}

/// Declares one test for each way to be refused: name, FEN, error.
macro_rules! refused {
    ($($name:ident $fen:literal => $error:expr;)*) => {$(
        #[test]
        fn $name() {
            for mode in MODES {
                assert_eq!(Board::from_fen($fen, mode).map(|board| board.to_fen(mode)), Err($error), "{mode:?}");
            }
        }
    )*};
}

refused! {
    no_text_is_refused
        "" => FenError::Empty;
    blanks_alone_are_refused
        " \t " => FenError::Empty;
    a_seventh_field_is_refused
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1 x" => FenError::TooManyFields("x".to_owned());
    a_missing_rank_is_refused
        "4k3/8/8/8/8/8/4K3 w - - 0 1" => FenError::RankCount(7);
    a_ninth_rank_is_refused
        "4k3/8/8/8/8/8/8/8/4K3 w - - 0 1" => FenError::RankCount(9);
    a_short_rank_is_refused
        "4k3/8/8/7/8/8/8/4K3 w - - 0 1" => FenError::RankLength { rank: 5, text: "7".to_owned() };
    a_long_rank_is_refused
        "4k3/8/8/8/8/8/PPPPPPPPP/4K3 w - - 0 1" => FenError::RankLength { rank: 2, text: "PPPPPPPPP".to_owned() };
    two_numbers_in_a_row_are_refused
        "4k3/44/8/8/8/8/8/4K3 w - - 0 1" => FenError::RankLength { rank: 7, text: "44".to_owned() };
    a_nine_is_refused
        "4k3/9/8/8/8/8/8/4K3 w - - 0 1" => FenError::UnknownPiece('9');
    a_letter_that_is_no_piece_is_refused
        "4k3/8/8/3x4/8/8/8/4K3 w - - 0 1" => FenError::UnknownPiece('x');
    a_side_that_is_neither_is_refused
        "4k3/8/8/8/8/8/8/4K3 W - - 0 1" => FenError::SideToMove("W".to_owned());
    a_letter_that_is_no_castling_right_is_refused
        "4k3/8/8/8/8/8/8/4K2R w Kx - 0 1" => FenError::Castling('x');
    an_en_passant_field_that_is_no_square_is_refused
        "4k3/8/8/8/8/8/8/4K3 w - e9 0 1" => FenError::EnPassant("e9".to_owned());
    a_clock_that_is_no_number_is_refused
        "4k3/8/8/8/8/8/8/4K3 w - - -1 1" =>
            FenError::Counter { field: "half-move clock", text: "-1".to_owned() };
    a_move_number_that_is_no_number_is_refused
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1.5" => FenError::Counter { field: "move number", text: "1.5".to_owned() };
    a_missing_king_is_refused
        "8/8/8/8/8/8/8/4K3 w - - 0 1" => FenError::Kings(Color::Black, 0);
    a_second_king_is_refused
        "4k3/8/8/8/8/8/8/4KK2 w - - 0 1" => FenError::Kings(Color::White, 2);
    seventeen_men_are_refused
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPnPP/RNBQKBNR w KQkq - 0 1" => FenError::TooManyPieces(Color::Black, 17);
    nine_pawns_are_refused
        "4k3/8/8/8/P7/8/PPPPPPPP/4K3 w - - 0 1" => FenError::TooManyPawns(Color::White, 9);
    a_pawn_on_the_last_rank_is_refused
        "4k2P/8/8/8/8/8/8/4K3 w - - 0 1" => FenError::PawnOnBackRank(Square::H8);
    a_pawn_on_the_first_rank_is_refused
        "4k3/8/8/8/8/8/8/p3K3 w - - 0 1" => FenError::PawnOnBackRank(Square::A1);
    kings_side_by_side_are_refused
        "kK6/8/8/8/8/8/8/8 w - - 0 1" => FenError::AdjacentKings;
    a_check_to_the_side_not_to_move_is_refused
        "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1" => FenError::OpponentInCheck(Color::Black);
    three_checks_at_once_are_refused
        "4k3/8/8/8/7b/8/2n5/r3K3 w - - 0 1" => FenError::TooManyCheckers(3);
    a_board_full_of_queens_is_refused
        "kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1" => FenError::TooManyPieces(Color::White, 28);
}

#[test]
fn each_error_is_one_line_of_text() {
    for [fen, _] in rows("fen/malformed.tsv") {
        if let Err(error) = Board::from_fen(&fen, Standard) {
            let text = error.to_string();
            assert!(!text.is_empty() && !text.contains('\n'), "{text}");
        }
    }
}

#[test]
fn missing_fields_are_filled_in() {
    let fields: Vec<&str> = STARTPOS_FEN.split(' ').collect();
    for mode in MODES {
        let castling = match mode {
            Standard => "KQkq",
            Chess960 => "HAha",
        };
        for count in 1..=6 {
            let rights = if count < 3 { "-" } else { castling };
            let expected = format!("{} w {rights} - 0 1", fields[0]);
            reads_as(mode, &fields[..count].join(" "), &expected);
        }
    }
}

#[test]
fn blanks_of_any_kind_separate_the_fields() {
    reads_as(Standard, "  4k3/8/8/8/8/8/8/4K3\tb  -   - 7\r\n 9  ", "4k3/8/8/8/8/8/8/4K3 b - - 7 9");
}

#[test]
fn counters_are_cut_and_a_dash_is_a_default() {
    reads_as(Standard, "4k3/8/8/8/8/8/8/4K3 w - - 0 0", "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    reads_as(Standard, "4k3/8/8/8/8/8/8/4K3 w - - - -", "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    reads_as(Standard, "4k3/8/8/8/8/8/8/4K3 w - - 143 1", "4k3/8/8/8/8/8/8/4K3 w - - 143 1");
    reads_as(Standard, "4k3/8/8/8/8/8/8/4K3 w - - 007 0012", "4k3/8/8/8/8/8/8/4K3 w - - 7 12");
    let huge = "99999999999999999999";
    let cut = reading(&format!("4k3/8/8/8/8/8/8/4K3 w - - {huge} {huge}"), Standard);
    assert_eq!(cut, "4k3/8/8/8/8/8/8/4K3 w - - 9999 9999");
}

#[test]
fn counters_that_are_cut_do_not_overflow_when_play_goes_on() {
    let mut board = board("4k3/8/8/8/8/8/8/4K3 b - - 65535 65535", Standard);
    for _ in 0..70_000 {
        let m = board.legal_moves()[0];
        board.make_move(m);
    }
    assert!(board.halfmove_clock() >= 9_999 && board.fullmove_number() >= 9_999);
}

#[test]
fn in_standard_mode_the_letters_mean_corner_rooks_and_a_king_on_the_e_file() {
    for (fen, expected) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
        // The order and repeats do not matter.
        ("r3k2r/8/8/8/8/8/8/R3K2R w qkQKKq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
        // A rook next to the corner is not meant.
        ("4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 0 1", "4k3/8/8/8/8/8/8/1R2K1R1 w - - 0 1"),
        // The king is on another file or rank.
        ("4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1", "4k3/8/8/8/8/8/8/R2K3R w - - 0 1"),
        ("4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1", "4k3/8/8/8/8/8/4K3/R6R w - - 0 1"),
        // The corner holds something else, or the rook of the other side.
        ("4k3/8/8/8/8/8/8/N3K2r w KQ - 0 1", "4k3/8/8/8/8/8/8/N3K2r w - - 0 1"),
        // A file letter says which rook is meant in this mode too.
        ("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1"),
        ("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"),
    ] {
        reads_as(Standard, fen, expected);
    }
}

#[test]
fn in_chess960_the_letters_mean_the_outermost_rook_and_a_file_letter_any_other() {
    for (fen, expected) in [
        // Outermost on both sides, wherever the king is.
        ("1r1k1rr1/8/8/8/8/8/8/1RR1K1R1 w KQkq - 0 1", "1r1k1rr1/8/8/8/8/8/8/1RR1K1R1 w GBgb - 0 1"),
        // An inner rook needs its file.
        ("4k3/8/8/8/8/8/8/1RR1KRR1 w CF - 0 1", "4k3/8/8/8/8/8/8/1RR1KRR1 w FC - 0 1"),
        ("rr2k1rr/8/8/8/8/8/8/RR2K1RR w GBgb - 0 1", "rr2k1rr/8/8/8/8/8/8/RR2K1RR w GBgb - 0 1"),
        // One right on each side of the king: of two that are named, the outer one.
        ("4k3/8/8/8/8/8/8/RR2K3 w QB - 0 1", "4k3/8/8/8/8/8/8/RR2K3 w A - 0 1"),
        ("4k3/8/8/8/8/8/8/RR2K3 w BA - 0 1", "4k3/8/8/8/8/8/8/RR2K3 w A - 0 1"),
        ("4k3/8/8/8/8/8/8/4K1RR w GH - 0 1", "4k3/8/8/8/8/8/8/4K1RR w H - 0 1"),
        // No rook on that side of the king.
        ("4k3/8/8/8/8/8/8/R3K3 w K - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/1K5R w Q - 0 1", "4k3/8/8/8/8/8/8/1K5R w - - 0 1"),
        // The outermost piece is a rook of the other side, or another piece: the own rook is meant.
        ("4k3/8/8/8/8/8/8/rR2K1Rn w KQ - 0 1", "4k3/8/8/8/8/8/8/rR2K1Rn w GB - 0 1"),
        // A king off the back rank, a file letter without a rook, the file of the king.
        ("4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1", "4k3/8/8/8/8/8/4K3/R6R w - - 0 1"),
        ("4k3/8/8/8/8/8/8/R3K2R w GB - 0 1", "4k3/8/8/8/8/8/8/R3K2R w - - 0 1"),
        ("4k3/8/8/8/8/8/8/R3K2R w E - 0 1", "4k3/8/8/8/8/8/8/R3K2R w - - 0 1"),
    ] {
        reads_as(Chess960, fen, expected);
    }
}

#[test]
fn both_modes_read_the_same_letters_their_own_way() {
    let fen = "4k3/8/8/8/8/8/8/R3KR2 w KQ - 0 1";
    assert_eq!(board(fen, Standard).to_fen(Chess960), "4k3/8/8/8/8/8/8/R3KR2 w A - 0 1");
    assert_eq!(board(fen, Chess960).to_fen(Chess960), "4k3/8/8/8/8/8/8/R3KR2 w FA - 0 1");
    assert_eq!(mode_of("standard"), Standard);
}

#[test]
fn an_en_passant_square_stays_only_with_a_legal_capture() {
    for (fen, expected) in [
        ("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1", "d3"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "d6"),
        ("4k3/8/8/8/3Pp3/8/8/4K3 b - D3 0 1", "d3"),
        // Nobody there to capture, or on the wrong file.
        ("4k3/8/8/8/3P4/8/8/4K3 b - d3 0 1", "-"),
        ("4k3/8/8/8/1p1P4/8/8/4K3 b - d3 0 1", "-"),
        // The side, the rank or the pawn is wrong.
        ("4k3/8/8/8/3Pp3/8/8/4K3 w - d3 0 1", "-"),
        ("4k3/8/8/8/3Pp3/8/8/4K3 b - d6 0 1", "-"),
        ("4k3/8/8/8/3Np3/8/8/4K3 b - d3 0 1", "-"),
        ("4k3/8/8/8/4p3/8/8/4K3 b - d3 0 1", "-"),
        // The squares the pawn passed are not empty.
        ("4k3/8/8/8/3Pp3/3N4/8/4K3 b - d3 0 1", "-"),
        ("4k3/8/8/8/3Pp3/8/3N4/4K3 b - d3 0 1", "-"),
        // The capture would open a rank, a diagonal or a file to the king.
        ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", "-"),
        ("8/8/1k6/8/3Pp3/8/5B2/3K4 b - d3 0 1", "-"),
        ("4k3/8/8/8/3Pp3/8/8/3KR3 b - d3 0 1", "-"),
        // A pinned pawn may capture along its pin.
        ("8/8/6k1/8/3Pp3/8/2B5/3K4 b - d3 0 1", "d3"),
        // In check the capture must take the checker or step in between.
        ("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", "d3"),
        ("8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1", "d3"),
        ("8/8/8/6k1/3Pp3/8/8/2B1K3 b - d3 0 1", "-"),
        // One of two capturers is pinned, the other is not.
        ("4k3/8/8/8/2pPp3/8/8/3KR3 b - d3 0 1", "d3"),
    ] {
        let board = board(fen, Standard);
        assert_eq!(board.ep_square().map_or("-".to_owned(), |square| square.to_string()), expected, "{fen}");
        assert_eq!(board.legal_moves().iter().any(|m| m.is_en_passant()), expected != "-", "{fen}");
    }
}
