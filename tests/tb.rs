//! Endgame tables: values, the 50-move rule, folders and damaged files, root ranking, games won to the end.
//!
//! `tests/data/syzygy` has a few small tables. The ignored tests read more from the folders in the environment variable
//! `ROKADE_SYZYGY`.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Receiver;
use rokade::board::Board;
use rokade::rules::{Game, Outcome as GameEnd};
use rokade::search::{Event, Limits, Line, Pool};
use rokade::tb::{Dtz, Outcome, Settings, Tables, Wdl};
use rokade::types::CastlingMode::Standard;
use rokade::types::{DRAW, Move, Score, TB_WIN, TB_WIN_IN_MAX_PLY, moves_to_mate};

use crate::util::{Failures, Rng, TempFolder, board, find_move, game, root, rows};

/// The folder of the small tables.
fn folder() -> PathBuf {
    root().join("tests/data/syzygy")
}

fn load(path: &str) -> Tables {
    let (tables, problems) = Tables::load(path);
    assert!(problems.is_empty(), "{problems:?}");
    tables
}

fn small_tables() -> Arc<Tables> {
    Arc::new(load(&folder().to_string_lossy()))
}

fn all_tables() -> Arc<Tables> {
    let path = std::env::var("ROKADE_SYZYGY").expect("ROKADE_SYZYGY names folders with tables");
    Arc::new(load(&path))
}

/// Puts some of the tables into a folder below.
fn with_tables(temp: &TempFolder, below: &str, names: &[&str]) -> PathBuf {
    let path = temp.0.join(below);
    fs::create_dir_all(&path).expect("a folder");
    for name in names {
        fs::copy(folder().join(name), path.join(name)).expect("a table to copy");
    }
    path
}

// Values ------------------------------------------------------------------------------------------------------------

fn number(wdl: Wdl) -> i32 {
    wdl as i32
}

/// Compares the values of all positions that the tables cover, of which there must be so many.
fn check_values(tables: &Tables, at_least: usize) {
    let mut failures = Failures::default();
    for [fen, wdl, dtz] in rows("syzygy/values.tsv") {
        let board = board(&fen, Standard);
        let Some(found) = tables.wdl(&board) else { continue };
        failures.equal(&number(found), &wdl.parse().expect("a number"), &fen);
        // A mated position has no distance to anything.
        if !board.has_no_legal_move() {
            let found = tables.dtz(&board).map_or(i32::MAX, |dtz| dtz.plies);
            failures.equal(&found, &dtz.parse().expect("a number"), &fen);
        }
    }
    failures.finish(at_least);
}

#[test]
fn values_and_distances_are_the_published_ones() {
    check_values(&small_tables(), 500);
}

#[test]
#[ignore = "needs more tables in ROKADE_SYZYGY"]
fn values_and_distances_are_the_published_ones_in_all_tables() {
    check_values(&all_tables(), 4_000);
}

/// Compares the results by the 50-move rule of all positions that the tables cover.
fn check_fifty_moves(tables: &Tables, at_least: usize) {
    let mut failures = Failures::default();
    for [fen, wdl, _, result] in rows("syzygy/fifty_move.tsv") {
        let board = board(&fen, Standard);
        let Some(verdict) = tables.verdict(&board, true) else { continue };
        let expected = match result.as_str() {
            "win" => Outcome::Win,
            "loss" => Outcome::Loss,
            _ => Outcome::Draw,
        };
        failures.check(verdict.outcome == Some(expected), || format!("{fen}: {verdict:?}, expected {result}"));
        let without = tables.verdict(&board, false).and_then(|verdict| verdict.outcome);
        let expected = match wdl.parse::<i32>().expect("a number").signum() {
            1 => Outcome::Win,
            0 => Outcome::Draw,
            _ => Outcome::Loss,
        };
        failures.check(without == Some(expected), || format!("{fen}: {without:?} without the rule"));
    }
    failures.finish(at_least);
}

#[test]
fn results_count_the_half_move_clock() {
    check_fifty_moves(&small_tables(), 40);
}

#[test]
#[ignore = "needs more tables in ROKADE_SYZYGY"]
fn results_count_the_half_move_clock_in_all_tables() {
    check_fifty_moves(&all_tables(), 280);
}

#[test]
fn distances_and_values_become_results() {
    for (plies, exact, clock, expected) in [
        (0, true, 99, Outcome::Draw),
        (5, true, 95, Outcome::Win),
        (5, false, 94, Outcome::Win),
        (5, false, 95, Outcome::EdgeWin),
        (5, true, 96, Outcome::Draw),
        (-5, true, 95, Outcome::Loss),
        (-5, false, 95, Outcome::EdgeLoss),
        (-5, false, 96, Outcome::Draw),
        (101, true, 0, Outcome::Draw),
        (-101, true, 0, Outcome::Draw),
    ] {
        assert_eq!(Dtz { plies, exact }.outcome(Some(clock)), expected, "{plies} {exact} {clock}");
    }
    assert_eq!(Dtz { plies: 250, exact: false }.outcome(None), Outcome::Win);
    for (wdl, clock, rule, expected) in [
        (Wdl::Win, 0, true, Some(Outcome::Win)),
        (Wdl::Win, 1, true, None),
        (Wdl::Win, 1, false, Some(Outcome::Win)),
        (Wdl::CursedWin, 0, true, Some(Outcome::Draw)),
        (Wdl::CursedWin, 40, true, Some(Outcome::Draw)),
        (Wdl::CursedWin, 0, false, Some(Outcome::Win)),
        (Wdl::Draw, 70, true, Some(Outcome::Draw)),
        (Wdl::BlessedLoss, 3, true, Some(Outcome::Draw)),
        (Wdl::BlessedLoss, 3, false, Some(Outcome::Loss)),
        (Wdl::Loss, 0, true, Some(Outcome::Loss)),
        (Wdl::Loss, 9, true, None),
    ] {
        assert_eq!(wdl.outcome(clock, rule), expected, "{wdl:?} {clock} {rule}");
    }
}

#[test]
fn what_no_table_covers_is_a_miss() {
    let tables = small_tables();
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        // Somebody may castle.
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        // No table of this material, and one that a capture leads to is not there.
        "4k3/8/8/8/8/8/8/3RKR2 w - - 0 1",
        "8/8/8/3q4/8/8/1Q6/K6k w - - 0 1",
    ] {
        let board = board(fen, Standard);
        assert_eq!((tables.wdl(&board), tables.dtz(&board)), (None, None), "{fen}");
        assert_eq!(tables.verdict(&board, true), None, "{fen}");
    }
    let nothing = Tables::default();
    assert_eq!((nothing.men(), nothing.wdl(&board("8/8/8/8/8/2k5/8/K7 w - - 0 1", Standard))), (0, None));
}

// Folders and files -------------------------------------------------------------------------------------------------

const QUEEN: [&str; 2] = ["KQvK.rtbw", "KQvK.rtbz"];
const ROOK: [&str; 2] = ["KRvK.rtbw", "KRvK.rtbz"];

#[test]
fn folders_are_found_however_they_are_written() {
    let temp = TempFolder::new("folders");
    let queen = with_tables(&temp, "queen tables", &QUEEN).display().to_string();
    let rook = with_tables(&temp, "rook", &ROOK).display().to_string();
    let values = with_tables(&temp, "values only", &["KQvKR.rtbw"]).display().to_string();
    let nothing = with_tables(&temp, "nothing", &[]).display().to_string();
    let gone = temp.0.join("gone").display().to_string();
    let no_folder = format!("{queen}/KQvK.rtbw");
    fs::write(temp.0.join("nothing/KQvK.txt"), "no table").expect("a file");
    fs::write(temp.0.join("nothing/KvQ.rtbw"), "no table").expect("a file");
    fs::write(temp.0.join("nothing/notes.rtbw"), "no table").expect("a file");
    let s = if cfg!(windows) { ";" } else { ":" };
    let blanks = format!("  {queen} {s} {rook}  ");
    for (path, expected, problems) in [
        (String::new(), (0, 0, 0), 0),
        (" ".to_owned(), (0, 0, 0), 0),
        (s.repeat(3), (0, 0, 0), 0),
        (queen.clone(), (1, 1, 3), 0),
        (format!("{queen}/"), (1, 1, 3), 0),
        (format!("{queen}{s}{rook}"), (2, 2, 3), 0),
        (format!("{s}{queen}{s}{s}{rook}{s}"), (2, 2, 3), 0),
        (blanks, (2, 2, 3), 0),
        (format!("{queen}{s}{values}"), (2, 1, 4), 0),
        // What is there twice counts once.
        (format!("{queen}{s}{queen}"), (1, 1, 3), 0),
        (format!("{gone}{s}{rook}"), (1, 1, 3), 1),
        (format!("{rook}{s}{gone}{s}{gone}"), (1, 1, 3), 2),
        (nothing, (0, 0, 0), 0),
        (no_folder, (0, 0, 0), 1),
    ] {
        let (tables, found) = Tables::load(&path);
        let (wdl, dtz) = tables.counts();
        assert_eq!((wdl, dtz, tables.men()), expected, "{path}");
        assert_eq!(found.len(), problems, "{path}: {found:?}");
    }
}

/// The ways to damage a file, by name.
fn damages(content: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let flipped = |at: usize| {
        let mut bytes = content.to_vec();
        bytes[at] ^= 1;
        bytes
    };
    let len = content.len();
    vec![
        ("empty", Vec::new()),
        ("only the checksum", content[len - 16..].to_vec()),
        ("four bytes", content[..4].to_vec()),
        ("cut in half", content[..len / 2].to_vec()),
        ("cut at a block", content[..len - 64].to_vec()),
        ("a block short in the middle", [&content[..64], &content[128..]].concat()),
        ("a block longer", [content, &[0; 64]].concat()),
        ("wrong beginning", flipped(0)),
        ("wrong flags", flipped(4)),
        ("wrong pieces", flipped(7)),
        ("wrong head", flipped(20)),
        ("wrong data", flipped(len - 40)),
        ("wrong checksum", flipped(len - 1)),
        ("zeros", vec![0; len]),
    ]
}

#[test]
fn damaged_files_are_named_and_left_out() {
    let rook = board("8/8/8/8/8/2k5/8/KR6 w - - 0 1", Standard);
    let queen = board("8/8/8/8/8/2k5/8/KQ6 w - - 0 1", Standard);
    let sound = small_tables();
    for name in QUEEN {
        let content = fs::read(folder().join(name)).expect("a table");
        for (damage, bytes) in damages(&content) {
            let temp = TempFolder::new("damaged");
            let path = with_tables(&temp, "mixed", &[QUEEN, ROOK].concat());
            fs::write(path.join(name), bytes).expect("a file");
            let (tables, problems) = Tables::load(&path.display().to_string());
            let is_wdl = name.ends_with('w');
            assert_eq!(tables.counts(), if is_wdl { (1, 2) } else { (2, 1) }, "{name}: {damage}");
            assert_eq!(problems.len(), 1, "{name}: {damage}: {problems:?}");
            let text = problems[0].to_string();
            assert!(text.contains(name) && text.contains("damaged"), "{name}: {damage}: {text}");
            assert_eq!(tables.dtz(&rook), sound.dtz(&rook), "{name}: {damage}");
            assert_eq!(tables.wdl(&queen), sound.wdl(&queen).filter(|_| !is_wdl), "{name}: {damage}");
            assert_eq!(tables.dtz(&queen), None, "{name}: {damage}");

            // A sound copy further on in the path takes its place.
            let both = std::env::join_paths([path.as_path(), &folder()]).expect("a path");
            let (tables, problems) = Tables::load(&both.to_string_lossy());
            assert_eq!((tables.counts(), problems.len()), (sound.counts(), 1), "{name}: {damage}");
            assert_eq!(tables.dtz(&queen), sound.dtz(&queen), "{name}: {damage}");
        }
    }
}

#[test]
fn a_sound_table_under_the_name_of_another_gives_no_values() {
    let temp = TempFolder::new("renamed");
    let path = with_tables(&temp, "renamed", &[]);
    for (from, to) in [("KRvK", "KQvK"), ("KQvK", "KRvK"), ("KBBvK", "KNNvK")] {
        for ending in ["rtbw", "rtbz"] {
            fs::copy(folder().join(format!("{from}.{ending}")), path.join(format!("{to}.{ending}"))).expect("a copy");
        }
    }
    let (tables, _) = Tables::load(&path.display().to_string());
    for fen in ["8/8/8/8/8/2k5/8/KR6 w - - 0 1", "8/8/8/8/8/2k5/8/KQ6 w - - 0 1", "8/8/8/8/8/8/k7/2KNN3 w - - 0 1"] {
        let board = board(fen, Standard);
        assert_eq!((tables.wdl(&board), tables.dtz(&board)), (None, None), "{fen}");
    }
}

#[test]
fn a_folder_with_the_name_of_a_table_is_no_table() {
    let temp = TempFolder::new("odd");
    let path = with_tables(&temp, "odd", &ROOK);
    fs::create_dir(path.join("KQvK.rtbw")).expect("a folder");
    let (tables, problems) = Tables::load(&path.display().to_string());
    assert_eq!((tables.counts(), problems.len()), ((1, 1), 1), "{problems:?}");
}

/// Reading a file that shrinks after it was checked must be a miss.
#[test]
fn a_file_that_shrinks_later_is_a_miss() {
    let temp = TempFolder::new("shrinks");
    let names = ["KBNvK.rtbw", "KBNvK.rtbz", "KBvK.rtbw", "KNvK.rtbw"];
    let path = with_tables(&temp, "shrinks", &names);
    let tables = load(&path.display().to_string());
    let fens: Vec<String> =
        rows("syzygy/won.tsv").into_iter().filter(|row| row[0] == "KBNvK").map(|[_, fen, _]| fen).collect();
    let boards: Vec<Board> = fens.iter().map(|fen| board(fen, Standard)).collect();
    assert!(boards.iter().all(|board| tables.dtz(board).is_some()));
    let file = fs::File::options().write(true).open(path.join("KBNvK.rtbz")).expect("a table");
    file.set_len(1 << 17).expect("a shorter file");
    let sound = small_tables();
    for board in &boards {
        let dtz = tables.dtz(board);
        assert!(dtz.is_none() || dtz == sound.dtz(board), "{dtz:?}");
    }
    assert!(boards.iter().any(|board| tables.dtz(board).is_none()));
}

// The search --------------------------------------------------------------------------------------------------------

const PATIENCE: Duration = Duration::from_secs(300);

struct Searcher {
    pool: Pool,
    events: Receiver<Event>,
}

struct Report {
    lines: Vec<Line>,
    best: Move,
}

impl Report {
    fn last(&self) -> &Line {
        self.lines.iter().rev().find(|line| line.multipv == 1).expect("a line")
    }

    fn last_iteration(&self) -> Vec<&Line> {
        self.lines.iter().filter(|line| line.depth == self.last().depth).collect()
    }
}

impl Searcher {
    fn new(tables: &Arc<Tables>, threads: usize) -> Self {
        let (mut pool, events) = Pool::new(16, threads);
        pool.set_tables(Arc::clone(tables));
        Self { pool, events }
    }

    fn search(&mut self, game: &Game, limits: Limits) -> Report {
        self.pool.start(game, limits);
        let mut lines = Vec::new();
        loop {
            match self.events.recv_timeout(PATIENCE).expect("the search ends") {
                Event::Line(line) => lines.push(line),
                Event::CurrentMove { .. } => {}
                Event::Finished { best, .. } => {
                    let best = best.expect("a legal move");
                    assert_eq!(lines.last().map(|line| line.multipv > 1 || line.pv[0] == best), Some(true));
                    for line in &lines {
                        let mut game = game.clone();
                        for &m in &line.pv {
                            assert!(game.board().is_legal(m), "{m} in {line:?}");
                            game.play(m);
                        }
                    }
                    return Report { lines, best };
                }
            }
        }
    }
}

/// How a lost side plays: the longest way by the tables, one of several by chance.
fn best_defence(tables: &Tables, game: &Game, rng: &mut Rng) -> Move {
    let moves = game.board().legal_moves();
    let ranking = tables.rank(game.board(), game.reversible_keys(), &moves, &Settings::default());
    let moves = ranking.expect("the tables know the position").moves;
    let best: Vec<Move> = moves.iter().filter(|ranked| ranked.rank == moves[0].rank).map(|ranked| ranked.m).collect();
    *rng.pick(&best)
}

/// Plays a won position to its end, and returns the plies that it took.
fn win(searcher: &mut Searcher, tables: &Tables, start: Board, limits: impl Fn() -> Limits, rng: &mut Rng) -> usize {
    let fen = start.to_fen(Standard);
    let winner = start.stm();
    let mut game = Game::new(start);
    searcher.pool.clear();
    for plies in 0.. {
        match game.outcome() {
            None => {}
            Some(GameEnd::Checkmate) if game.board().stm() != winner => return plies,
            Some(end) => panic!("{fen} ends in {end:?} after {plies} plies at {}", game.board().to_fen(Standard)),
        }
        let m = if game.board().stm() == winner {
            let report = searcher.search(&game, limits());
            let score = report.last().score;
            assert!(score >= TB_WIN_IN_MAX_PLY, "{fen}: {score} after {plies} plies");
            report.best
        } else {
            best_defence(tables, &game, rng)
        };
        game.play(m);
    }
    unreachable!("a game without end");
}

/// The position with another half-move clock.
fn with_clock(fen: &str, clock: i32) -> Board {
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    fields[4] = clock.to_string();
    fields[5] = "100".to_owned();
    board(&fields.join(" "), Standard)
}

fn check_won_games(limits: impl Fn() -> Limits) {
    let tables = small_tables();
    let mut searcher = Searcher::new(&tables, 1);
    let mut rng = Rng::new(5);
    let mut seen = HashSet::new();
    for [table, fen, dtz] in rows("syzygy/won.tsv") {
        let dtz: i32 = dtz.parse().expect("a number");
        // The last clock at which the tables promise the win, and some before.
        for clock in [0, (99 - dtz) / 2, 95 - dtz, 99 - dtz] {
            win(&mut searcher, &tables, with_clock(&fen, clock.max(0)), &limits, &mut rng);
        }
        seen.insert(table);
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
}

#[test]
fn won_endings_are_won_against_the_best_defence() {
    check_won_games(|| Limits::to_nodes(1_000));
}

#[test]
#[ignore = "minutes of games on the clock"]
fn won_endings_are_won_at_ten_milliseconds_a_move() {
    check_won_games(|| Limits { movetime: Some(Duration::from_millis(10)), ..Limits::default() });
}

#[test]
fn short_mates_are_found_and_not_only_kept() {
    let tables = small_tables();
    let mut searcher = Searcher::new(&tables, 1);
    for (fen, moves) in [
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", 1),
        ("7k/8/4K3/6Q1/8/8/8/8 w - - 0 1", 2),
        ("8/8/8/8/8/2K5/7R/2k5 w - - 0 1", 1),
        ("8/8/8/8/8/3K4/7R/2k5 w - - 0 1", 4),
    ] {
        let report = searcher.search(&game(fen, "", Standard), Limits::to_depth(12));
        assert_eq!(moves_to_mate(report.last().score), Some(moves), "{fen}: {:?}", report.last());
    }
}

#[test]
fn mate_in_time_counts_whatever_the_tables_round() {
    let tables = small_tables();
    let mut searcher = Searcher::new(&tables, 1);
    let mut failures = Failures::default();
    for [fen, result, plies] in rows("rules/fifty_exact.tsv") {
        let game = game(&fen, "", Standard);
        let report = searcher.search(&game, Limits::to_depth(10));
        let score = report.last().score;
        let holds = if result == "win" { moves_to_mate(score).is_some_and(|moves| moves > 0) } else { score == DRAW };
        failures.check(holds, || format!("{fen}: {score}, expected {result} in {plies}"));
    }
    failures.finish(40);
}

#[test]
fn a_lost_side_resists_as_long_as_it_can() {
    let tables = small_tables();
    let mut searcher = Searcher::new(&tables, 1);
    let mut checked = 0;
    for [fen, wdl, _] in rows("syzygy/values.tsv") {
        let board = board(&fen, Standard);
        if wdl != "-2" || tables.dtz(&board).is_none() || board.has_no_legal_move() {
            continue;
        }
        let game = Game::new(board.clone());
        let report = searcher.search(&game, Limits::to_nodes(300));
        let resistance = |m: Move| {
            let next = board.after(m);
            tables.dtz(&next).expect("a table").plies
        };
        let longest = board.legal_moves().into_iter().map(resistance).max();
        assert_eq!(Some(resistance(report.best)), longest, "{fen}: {}", report.best);
        assert!(report.last().score <= -TB_WIN_IN_MAX_PLY, "{fen}: {:?}", report.last());
        checked += 1;
    }
    assert!(checked >= 50, "{checked}");
}

/// A win that the clock has turned into a draw is shown as a draw, and as a win without the rule.
#[test]
fn cursed_wins_are_draws_under_the_rule() {
    let tables = small_tables();
    let mut searcher = Searcher::new(&tables, 1);
    let mut score = |fen: &str, fifty_move_rule: bool| -> Score {
        let tables = Settings { fifty_move_rule, ..Settings::default() };
        let limits = Limits { tables, ..Limits::to_depth(8) };
        searcher.search(&game(fen, "", Standard), limits).last().score
    };
    for (fen, sign) in [("8/8/6k1/3B4/3K4/4N3/8/8 w - - 54 106", 1), ("8/8/8/8/1k1K1B2/8/8/3B4 b - - 83 61", -1)] {
        assert_eq!(score(fen, true), DRAW, "{fen}");
        assert!(score(fen, false) * sign >= TB_WIN_IN_MAX_PLY, "{fen}");
    }
}

#[test]
fn lines_and_chosen_moves_follow_the_ranking() {
    let tables = small_tables();
    let mut searcher = Searcher::new(&tables, 1);
    // Of the queen's and king's moves here some win, some lose the queen, and some stalemate.
    let start = game("8/8/8/8/8/1k6/4Q3/K7 w - - 0 1", "", Standard);
    let board = start.board().clone();
    let count = board.legal_moves().len();
    let report = searcher.search(&start, Limits { multi_pv: count, ..Limits::to_depth(6) });
    let lines = report.last_iteration();
    assert_eq!(lines.len(), count);
    assert!(lines.windows(2).all(|pair| pair[0].score >= pair[1].score), "{lines:?}");
    for line in &lines {
        let next = board.after(line.pv[0]);
        let value = tables.wdl(&next).expect("a table");
        let wins = value == Wdl::Loss;
        assert_eq!(line.score >= TB_WIN_IN_MAX_PLY, wins, "{line:?}");
        assert_eq!(line.score == DRAW, value == Wdl::Draw, "{line:?}");
    }

    // Only the moves that were asked for, the best of them first.
    let rook = game("8/8/8/8/8/1k6/6R1/K7 w - - 0 1", "", Standard);
    let bad = ["g2b2", "g2g3", "a1b1"].map(|text| find_move(rook.board(), text, Standard).expect("a legal move"));
    let limits = Limits { search_moves: bad.to_vec(), multi_pv: 3, ..Limits::to_depth(6) };
    let report = searcher.search(&rook, limits);
    assert!(bad.contains(&report.best));
    let best = bad.iter().map(|&m| tables.wdl(&rook.board().after(m))).min();
    assert_eq!(tables.wdl(&rook.board().after(report.best)), best.expect("three moves"));
}

/// The winning side must not let a position come for the third time, however good it is.
#[test]
fn a_win_is_not_given_away_by_repetition() {
    let tables = small_tables();
    let mut searcher = Searcher::new(&tables, 1);
    let shuffle = "g2g3 e5e6 g3g2 e6e5 g2g3 e5e6 g3g2 e6e5";
    let start = game("8/8/8/4k3/8/8/6R1/K7 w - - 0 1", shuffle, Standard);
    // Both g2g3 and what lets Black play e6e5 again would repeat.
    let report = searcher.search(&start, Limits::to_nodes(2_000));
    let mut next = start.clone();
    next.play(report.best);
    assert!(next.outcome().is_none(), "{}", report.best);
    assert!(report.last().score >= TB_WIN_IN_MAX_PLY);
    let moves = start.board().legal_moves();
    let ranking = tables.rank(start.board(), start.reversible_keys(), &moves, &Settings::default());
    let repeating = find_move(start.board(), "g2g3", Standard);
    let ranked = ranking.expect("known").moves.into_iter().find(|ranked| Some(ranked.m) == repeating);
    assert_eq!(ranked.and_then(|ranked| ranked.outcome), Some(Outcome::Draw));
    // At the first time it is as good as any.
    let fresh = game("8/8/8/4k3/8/8/6R1/K7 w - - 0 1", "", Standard);
    let ranking = tables.rank(fresh.board(), fresh.reversible_keys(), &moves, &Settings::default());
    let ranked = ranking.expect("known").moves.into_iter().find(|ranked| Some(ranked.m) == repeating);
    assert_eq!(ranked.and_then(|ranked| ranked.outcome), Some(Outcome::Win));
}

/// Five men with captures into the tables of four: the search needs lookups inside the tree.
const BEFORE_TABLES: &str = "8/8/8/3k4/8/3r4/3P4/1Q2K3 b - - 0 1";

#[test]
fn positions_inside_the_search_are_looked_up() {
    let tables = small_tables();
    let mut searcher = Searcher::new(&tables, 1);
    let start = game(BEFORE_TABLES, "", Standard);
    let mut hits = |tables: Settings| {
        searcher.pool.clear();
        searcher.search(&start, Limits { tables, ..Limits::to_depth(9) }).last().tbhits
    };
    assert!(hits(Settings::default()) > 0);
    assert_eq!(hits(Settings { max_men: 0, ..Settings::default() }), 0);
    assert_eq!(hits(Settings { max_men: 2, ..Settings::default() }), 0);
    assert_eq!(hits(Settings { min_depth: 100, ..Settings::default() }), 0);
    let few = hits(Settings { min_depth: 5, ..Settings::default() });
    assert!(few > 0 && few < hits(Settings::default()), "{few}");
}

#[test]
fn a_win_in_the_tables_is_seen_from_afar() {
    let tables = small_tables();
    let mut searcher = Searcher::new(&tables, 1);
    // The capture leads to a won pawn ending whose mate is too far to see.
    let start = game("8/8/8/6k1/8/8/1PKr4/8 w - - 0 1", "", Standard);
    let report = searcher.search(&start, Limits::to_depth(8));
    assert_eq!(report.best, find_move(start.board(), "c2d2", Standard).expect("legal"));
    let score = report.last().score;
    assert!((TB_WIN_IN_MAX_PLY..=TB_WIN).contains(&score), "{score}");
    assert!(report.last().tbhits > 0);
}

#[test]
fn with_tables_the_same_search_gives_the_same_nodes_and_threads_get_along() {
    let tables = small_tables();
    let print = |report: &Report| {
        report
            .lines
            .iter()
            .map(|line| (line.depth, line.score, line.nodes, line.tbhits, line.pv.clone()))
            .collect::<Vec<_>>()
    };
    let mut searcher = Searcher::new(&tables, 1);
    let start = game(BEFORE_TABLES, "", Standard);
    let first = print(&searcher.search(&start, Limits::to_nodes(20_000)));
    searcher.pool.clear();
    assert_eq!(print(&searcher.search(&start, Limits::to_nodes(20_000))), first);

    let mut many = Searcher::new(&tables, 4);
    for [_, fen, _] in rows("syzygy/won.tsv") {
        let report = many.search(&game(&fen, "", Standard), Limits::to_nodes(5_000));
        assert!(report.last().score >= TB_WIN_IN_MAX_PLY, "{fen}");
    }
    assert!(many.search(&start, Limits::to_nodes(100_000)).last().tbhits > 0);
}

#[test]
fn values_without_distances_keep_the_result_too() {
    let temp = TempFolder::new("values");
    let names = ["KQvK.rtbw", "KRvK.rtbw", "KPvK.rtbw", "KBvK.rtbw", "KNvK.rtbw", "KQvKR.rtbw"];
    let tables = Arc::new(load(&with_tables(&temp, "values", &names).display().to_string()));
    let sound = small_tables();
    let mut searcher = Searcher::new(&tables, 1);
    for [table, fen, _] in rows("syzygy/won.tsv") {
        if table.starts_with("KB") {
            continue;
        }
        let start = game(&fen, "", Standard);
        let report = searcher.search(&start, Limits::to_nodes(500));
        assert_eq!(sound.wdl(&start.board().after(report.best)), Some(Wdl::Loss), "{fen}: {}", report.best);
        assert!(report.last().score > DRAW && report.last().tbhits > 0, "{fen}");
    }
}

// The program -------------------------------------------------------------------------------------------------------

/// What the program answers to some lines.
fn session(lines: &str) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rokade"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    child.stdin.take().expect("piped").write_all(lines.as_bytes()).expect("the program reads");
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success(), "{lines}: {output:?}");
    String::from_utf8(output.stdout).expect("plain text").lines().map(str::to_owned).collect()
}

#[test]
fn the_program_tells_which_tables_it_has() {
    let temp = TempFolder::new("session");
    let both = with_tables(&temp, "with  two blanks", &[QUEEN, ROOK].concat());
    let path = both.display();
    fs::write(both.join("KPvK.rtbw"), "damaged").expect("a file");
    let lines = session(&format!(
        "setoption name SyzygyPath value {path}\nsetoption name syzygypath value <empty>\n\
         setoption name SyzygyPath value /no/such folder\nsetoption name SyzygyPath\n\
         setoption name SyzygyPath value {path}\nisready\n"
    ));
    let found = "info string Endgame tables: 2 WDL and 2 DTZ found, up to 3 men";
    let none = "info string Endgame tables: 0 WDL and 0 DTZ found, up to 0 men";
    assert_eq!(lines.len(), 9, "{lines:#?}");
    for (line, expected) in [(1, found), (2, none), (4, none), (5, none), (7, found), (8, "readyok")] {
        assert_eq!(lines[line], expected, "{lines:#?}");
    }
    for line in [0, 6] {
        assert!(lines[line].starts_with("info string SyzygyPath: KPvK.rtbw is left out, damaged"), "{lines:#?}");
    }
    assert!(lines[3].starts_with("info string SyzygyPath: /no/such folder: "), "{lines:#?}");
}

#[test]
fn eval_and_status_show_the_verdict_of_the_tables() {
    let path = format!("setoption name SyzygyPath value {}\n", folder().display());
    for (fen, expected) in [
        (
            "8/8/8/8/8/2k5/8/KQ6 w - - 0 1",
            Some(
                "win, 11 or one more plies to mate, capture or pawn move; \
          with the clock at 0 won for White, who is to move",
            ),
        ),
        (
            "8/8/8/8/1k1K1B2/8/8/3B4 b - - 83 61",
            Some(
                "loss, 21 or one more plies to mate, capture or pawn move; \
          with the clock at 83 drawn for Black, who is to move",
            ),
        ),
        ("8/8/8/8/8/2k5/8/KB6 w - - 7 1", Some("draw; with the clock at 7 drawn for White, who is to move")),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", None),
    ] {
        for (command, label) in [("eval", "Endgame tables: "), ("status", "tables ")] {
            let lines = session(&format!("{path}position fen {fen}\n{command}\n"));
            let verdict = lines.iter().skip(1).find_map(|line| line.strip_prefix(label));
            assert_eq!(verdict, expected, "{lines:#?}");
        }
    }
}

#[test]
fn the_options_of_the_tables_reach_the_search() {
    let path = format!("setoption name SyzygyPath value {}\n", folder().display());
    let go = "position fen 8/8/6k1/3B4/3K4/4N3/8/8 w - - 54 106\ngo depth 6\nisready\n";
    // The end of input would stop the search: what comes before it waits for the move.
    let search = |options: &str| -> String {
        let text = format!("{path}{options}{go}");
        let words: Vec<&str> = text.lines().filter(|line| *line != "isready").collect();
        let output = Command::new(env!("CARGO_BIN_EXE_rokade")).args(words).output().expect("the program runs");
        let text = String::from_utf8(output.stdout).expect("plain text");
        text.lines().rfind(|line| line.starts_with("info depth")).expect("a line").to_owned()
    };
    assert!(search("").contains(" score cp 0 "));
    assert!(!search("").contains(" tbhits 0 "));
    let without_rule = search("setoption name Syzygy50MoveRule value false\n");
    assert!(without_rule.contains(" score cp 317") || without_rule.contains(" score cp 316"), "{without_rule}");
    assert!(search("setoption name SyzygyProbeLimit value 3\n").contains(" tbhits 0 "));
}
