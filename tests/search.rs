//! What a search finds and reports: mates, draws, repeatability, variations, limits, and the bench signature.
//!
//! Every search that a test makes here is also checked for what must hold of any search: see `check_report`.

use std::time::Duration;

use crossbeam_channel::Receiver;
use rokade::board::STARTPOS_FEN;
use rokade::rules::{Game, Outcome};
use rokade::search::{Bound, Event, Limits, Line, Pool, Strength};
use rokade::types::CastlingMode::{self, Chess960, Standard};
use rokade::types::{DRAW, MAX_PLY, Move, Score, moves_to_mate};

use crate::util::{Failures, find_move, game, lines, perft_lines, read, rows, uci_text};

/// No search of these tests lasts so long.
const PATIENCE: Duration = Duration::from_secs(300);
const HASH_MB: usize = 16;

/// A pool of one thread and its events.
struct Searcher {
    pool: Pool,
    events: Receiver<Event>,
}

/// What a search said.
#[derive(Clone, Debug)]
struct Report {
    lines: Vec<Line>,
    best: Option<Move>,
    ponder: Option<Move>,
}

impl Report {
    /// The last exact line of the best variation.
    fn last(&self) -> &Line {
        let mut exact = self.lines.iter().rev().filter(|line| line.multipv == 1 && line.bound == Bound::Exact);
        exact.next().unwrap_or_else(|| panic!("no exact line in {self:?}"))
    }

    fn score(&self) -> Score {
        self.last().score
    }

    fn mate(&self) -> Option<i32> {
        moves_to_mate(self.score())
    }

    /// The lines of the last iteration.
    fn last_iteration(&self) -> Vec<&Line> {
        self.lines.iter().filter(|line| line.depth == self.last().depth && line.bound == Bound::Exact).collect()
    }

    /// What must be the same when a search is repeated: everything but times.
    fn fingerprint(&self) -> Vec<(u32, u32, usize, Score, u64, Vec<Move>)> {
        let print = |line: &Line| (line.depth, line.seldepth, line.multipv, line.score, line.nodes, line.pv.clone());
        self.lines.iter().map(print).collect()
    }
}

impl Searcher {
    fn new() -> Self {
        let (pool, events) = Pool::new(HASH_MB, 1);
        Self { pool, events }
    }

    /// Waits for the end of the running search.
    fn finish(&self) -> Report {
        let mut lines = Vec::new();
        loop {
            match self.events.recv_timeout(PATIENCE).expect("the search ends") {
                Event::Line(line) => lines.push(line),
                Event::CurrentMove { .. } => {}
                Event::Finished { best, ponder } => return Report { lines, best, ponder },
            }
        }
    }

    fn search(&mut self, game: &Game, limits: Limits) -> Report {
        let multi_pv = limits.multi_pv;
        self.pool.start(game, limits);
        let report = self.finish();
        check_report(game, &report, multi_pv);
        report
    }

    /// A search that no earlier one can influence.
    fn search_afresh(&mut self, game: &Game, limits: Limits) -> Report {
        self.pool.clear();
        self.search(game, limits)
    }
}

/// Plays a variation, and checks that it is legal and does not go on after the game is over.
fn play_out(game: &Game, pv: &[Move]) -> Game {
    let mut game = game.clone();
    for (index, &m) in pv.iter().enumerate() {
        let fen = game.board().to_fen(Chess960);
        assert!(game.board().legal_moves().contains(&m), "{m} in {pv:?} is not legal in {fen}");
        // The root may be a draw that nobody has claimed.
        assert!(index == 0 || game.outcome().is_none(), "{pv:?} goes on after {:?} in {fen}", game.outcome());
        game.play(m);
    }
    game
}

/// What must hold of any search.
fn check_report(game: &Game, report: &Report, multi_pv: usize) {
    let fen = game.board().to_fen(Chess960);
    let legal = game.board().legal_moves();
    assert!(!report.lines.is_empty(), "{fen}: no line");
    let last = report.last();
    if legal.is_empty() {
        assert_eq!((report.best, report.ponder, last.pv.len()), (None, None, 0), "{fen}");
        return;
    }
    let best = report.best.unwrap_or_else(|| panic!("{fen}: no move"));
    assert!(legal.contains(&best), "{fen}: {best}");
    assert_eq!(last.pv.first(), Some(&best), "{fen}: the last exact line begins with the move");
    for (index, pair) in report.lines.windows(2).enumerate() {
        let [earlier, later] = pair else { continue };
        assert!(earlier.nodes <= later.nodes && earlier.time <= later.time, "{fen}: {earlier:?} before {later:?}");
        // Another thread, which has not come as far, may win the vote in the end with another move.
        let is_voted = index + 2 == report.lines.len() && earlier.pv.first() != later.pv.first();
        assert!(earlier.depth <= later.depth || is_voted, "{fen}: {earlier:?} before {later:?}");
    }
    for line in &report.lines {
        assert!(!line.pv.is_empty() && line.depth >= 1 && line.hashfull <= 1_000, "{fen}: {line:?}");
        assert!((1..=multi_pv.min(legal.len())).contains(&line.multipv), "{fen}: {line:?}");
        assert!(line.seldepth as usize <= MAX_PLY && line.pv.len() <= MAX_PLY, "{fen}: {line:?}");
        play_out(game, &line.pv);
    }
    if let Some(ponder) = report.ponder {
        let next = play_out(game, &[best]);
        assert!(next.outcome().is_none() && next.board().legal_moves().contains(&ponder), "{fen}: ponder {ponder}");
    }
}

/// Whether the variation of a mate score is its proof: it ends in mate after exactly as many plies as the score says.
fn is_proof(game: &Game, line: &Line) -> bool {
    let plies = match moves_to_mate(line.score) {
        Some(moves) if moves > 0 => 2 * moves - 1,
        Some(moves) => -2 * moves,
        None => return false,
    };
    line.pv.len() as i32 == plies && play_out(game, &line.pv).outcome() == Some(Outcome::Checkmate)
}

fn start_position() -> Game {
    Game::default()
}

/// Positions of different kinds, for rules that hold everywhere.
fn sample(step: usize) -> Vec<Game> {
    let files = [("perft/standard.epd", Standard), ("fen/valid.epd", Chess960), ("perft/dfrc.epd", Chess960)];
    let lines = files.into_iter().flat_map(|(file, mode)| {
        perft_lines(file).into_iter().step_by(step).map(move |line| game(&line.fen, "", mode))
    });
    lines.filter(|game| !game.board().has_no_legal_move()).collect()
}

// Mates ------------------------------------------------------------------------------------------------------------

/// One line of the mates: the position and the number of moves.
fn mates() -> Vec<(Game, i32, String)> {
    let parse = |line: &String| {
        let fen: Vec<&str> = line.split(' ').take(4).collect();
        let moves =
            line.split("dm ").nth(1).and_then(|rest| rest.split(';').next()).and_then(|moves| moves.parse().ok());
        (game(&fen.join(" "), "", Standard), moves.unwrap_or_else(|| panic!("{line}")), line.clone())
    };
    lines("mates.epd").iter().map(parse).collect()
}

/// Searches the mates in `moves` with so many nodes each. All but `missed` must be found at their length, and none
/// may be claimed to be shorter than it is.
fn find_mates(moves: i32, nodes: u64, missed: usize) {
    let mut searcher = Searcher::new();
    let mut not_found = Vec::new();
    let mut failures = Failures::default();
    for (game, _, text) in mates().into_iter().filter(|(_, length, _)| *length == moves) {
        let report = searcher.search_afresh(&game, Limits { mate: Some(moves as u32), ..Limits::to_nodes(nodes) });
        let claims = report.lines.iter().filter_map(|line| moves_to_mate(line.score));
        let too_short = claims.filter(|&claim| claim > 0).min().is_some_and(|shortest| shortest < moves);
        failures.check(!too_short, || format!("{text}: claims a shorter mate"));
        if report.mate() == Some(moves) {
            failures.check(is_proof(&game, report.last()), || format!("{text}: no proof in {:?}", report.last().pv));
        } else {
            not_found.push(format!("{text}: {}", report.score()));
        }
    }
    failures.finish(60);
    assert!(not_found.len() <= missed, "{} mates in {moves} are not found:\n{}", not_found.len(), not_found.join("\n"));
}

#[test]
fn mates_in_one_are_found() {
    find_mates(1, 2_000, 0);
}

#[test]
fn mates_in_two_are_found() {
    find_mates(2, 500_000, 0);
}

#[test]
fn mates_in_three_are_found() {
    find_mates(3, 1_000_000, 0);
}

#[test]
fn mates_in_four_are_found() {
    find_mates(4, 1_000_000, 2);
}

#[test]
#[ignore = "a minute"]
fn mates_in_five_and_six_are_found() {
    find_mates(5, 5_000_000, 6);
    find_mates(6, 5_000_000, 20);
}

#[test]
#[ignore = "six minutes"]
fn most_mates_in_seven_and_eight_are_found() {
    find_mates(7, 5_000_000, 30);
    find_mates(8, 5_000_000, 30);
}

// Suites -----------------------------------------------------------------------------------------------------------

/// Searches the positions of a suite with so many nodes each. The moves played must earn `at_least` of the points.
fn earn_points(suite: &str, nodes: u64, at_least: u32) {
    let mut searcher = Searcher::new();
    let (mut earned, mut most) = (0, 0);
    for [_, fen, moves] in rows("suites.tsv").into_iter().filter(|row| row[0] == suite) {
        let points: Vec<(&str, u32)> = moves
            .split(' ')
            .map(|text| text.split_once('=').and_then(|(m, points)| Some((m, points.parse().ok()?))))
            .map(|pair| pair.unwrap_or_else(|| panic!("{moves}")))
            .collect();
        let report = searcher.search_afresh(&game(&fen, "", Standard), Limits::to_nodes(nodes));
        let played = report.best.map(|m| uci_text(m, Standard)).unwrap_or_default();
        earned += points.iter().find(|(m, _)| *m == played).map_or(0, |(_, points)| *points);
        most += points.iter().map(|(_, points)| *points).max().unwrap_or(0);
    }
    assert!(earned >= at_least && earned <= most, "{suite}: {earned} of {most} points, {at_least} expected");
}

#[test]
fn combinations_of_the_suites_are_found() {
    earn_points("wac", 50_000, 370);
    earn_points("ecm", 50_000, 150);
}

#[test]
fn positional_moves_of_the_suites_are_found() {
    earn_points("sts", 50_000, 400);
}

// Named cases ------------------------------------------------------------------------------------------------------

fn limits_of(text: &str, game: &Game, mode: CastlingMode) -> Limits {
    let mut limits = Limits::default();
    let mut words = text.split(' ');
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|number| number.parse::<u64>().ok()).expect("a number");
        match word {
            "depth" => limits.depth = Some(number() as u32),
            "nodes" => limits.nodes = Some(number()),
            "mate" => limits.mate = Some(number() as u32),
            "searchmoves" => {
                let find = |text| find_move(game.board(), text, mode).expect("a legal move");
                limits.search_moves = words.by_ref().map(find).collect();
            }
            _ => panic!("unknown limit {word}"),
        }
    }
    limits
}

/// Whether a report meets one expectation of the data file.
fn meets(expectation: &str, report: &Report) -> bool {
    let best = report.best.map(|m| uci_text(m, Standard)).unwrap_or_default();
    let number = |prefix: &str| expectation.strip_prefix(prefix).and_then(|number| number.parse::<i32>().ok());
    if let Some(text) = expectation.strip_prefix("best=") {
        return best == text;
    }
    if let Some(text) = expectation.strip_prefix("not=") {
        return best != text;
    }
    if let Some(moves) = number("mate=") {
        return report.mate() == Some(moves);
    }
    if let Some(moves) = number("mate>=") {
        let claims = report.lines.iter().filter_map(|line| moves_to_mate(line.score));
        return claims.filter(|&claim| claim > 0).all(|claim| claim >= moves);
    }
    if let Some(score) = number("cp>=") {
        return report.score() >= score;
    }
    if let Some(score) = number("cp<=") {
        return report.score() <= score;
    }
    if let Some(score) = number("|cp|<=") {
        return report.score().abs() <= score;
    }
    match expectation {
        "any" => true,
        "cp" => report.mate().is_none(),
        "no-mate" => report.lines.iter().all(|line| moves_to_mate(line.score).is_none()),
        _ => panic!("unknown expectation {expectation}"),
    }
}

fn named_cases(tier: &str, at_least: usize) {
    let mut searcher = Searcher::new();
    let mut failures = Failures::default();
    for [_, name, fen, moves, limits, expectations] in rows("search.tsv").into_iter().filter(|row| row[0] == tier) {
        let game = game(&fen, &moves, Standard);
        let limits = limits_of(&limits, &game, Standard);
        let report = searcher.search_afresh(&game, limits);
        for expectation in expectations.split(' ') {
            failures.check(meets(expectation, &report), || format!("{name}: {expectation}, but {:?}", report.last()));
        }
    }
    failures.finish(at_least);
}

#[test]
fn named_positions_are_played_as_they_must() {
    named_cases("quick", 20);
}

#[test]
#[ignore = "a minute"]
fn named_positions_that_take_long_are_played_as_they_must() {
    named_cases("slow", 2);
}

// The rules in the tree --------------------------------------------------------------------------------------------

#[test]
fn wins_that_the_fifty_move_rule_leaves_are_seen_and_others_are_draws() {
    let mut searcher = Searcher::new();
    let mut failures = Failures::default();
    for [fen, result, plies] in rows("rules/fifty_exact.tsv") {
        let report = searcher.search_afresh(&game(&fen, "", Standard), Limits::to_depth(12));
        let expected = (result == "win").then(|| (plies.parse::<i32>().expect("a number") + 1) / 2);
        failures.check(report.mate() == expected, || format!("{fen} {result}: {:?}", report.last()));
        failures.check(expected.is_some() || report.score() == DRAW, || format!("{fen}: {}", report.score()));
    }
    failures.finish(90);
}

#[test]
fn a_table_full_of_mates_does_not_break_the_fifty_move_rule() {
    // The same positions from the most time left to the least, with what was stored before still in the table.
    let mut searcher = Searcher::new();
    let mut failures = Failures::default();
    for [fen, result, _] in rows("rules/fifty_exact.tsv") {
        let (position, _) = fen.rsplit_once(" - - ").expect("a clock");
        searcher.search_afresh(&game(&format!("{position} - - 60 80"), "", Standard), Limits::to_depth(8));
        let report = searcher.search(&game(&fen, "", Standard), Limits::to_depth(12));
        failures.check(report.mate().is_some() == (result == "win"), || format!("{fen}: {:?}", report.last()));
    }
    failures.finish(40);
}

#[test]
fn every_move_draws_when_the_count_is_over() {
    let game = game("8/8/8/8/3q4/2k5/8/K5Q1 b - - 120 150", "", Standard);
    let mut searcher = Searcher::new();
    let report = searcher.search_afresh(&game, Limits::to_depth(6));
    // Only the capture restarts the count, and it wins.
    assert_eq!(report.best.map(|m| m.to_string()), Some("d4g1".to_owned()));
    let drawn = self::game("8/8/8/8/8/2k5/8/K6q w - - 120 150", "", Standard);
    assert_eq!(searcher.search_afresh(&drawn, Limits::to_depth(6)).score(), DRAW);
}

#[test]
fn a_lost_side_repeats_for_the_third_time() {
    // White is a queen down and checks for ever; the position after the check occurred twice before.
    let fen = "6k1/5ppp/8/8/8/q7/4Q3/7K w - - 0 1";
    let moves = "e2e8 a3f8 e8e2 f8a3 e2e8 a3f8 e8e2 f8a3";
    let game = game(fen, moves, Standard);
    let check = find_move(game.board(), "e2e8", Standard).expect("a legal move");
    let limits = Limits { search_moves: vec![check], ..Limits::to_depth(6) };
    let report = Searcher::new().search_afresh(&game, limits);
    assert_eq!((report.score(), report.last().pv.len()), (DRAW, 1));
}

#[test]
fn a_second_occurrence_from_before_the_root_is_no_draw_yet() {
    let fen = "6k1/5ppp/8/8/8/q7/4Q3/7K w - - 0 1";
    let game = game(fen, "e2e8 a3f8 e8e2 f8a3", Standard);
    let check = find_move(game.board(), "e2e8", Standard).expect("a legal move");
    let limits = Limits { search_moves: vec![check], ..Limits::to_depth(2) };
    let report = Searcher::new().search_afresh(&game, limits);
    assert!(report.last().pv.len() > 1, "{:?}", report.last());
}

#[test]
fn without_a_legal_move_the_score_says_whether_it_is_mate() {
    let mut searcher = Searcher::new();
    for (fen, moves, expected) in [
        ("7k/7p/7P/8/1K6/8/B7/8 b - - 0 53", "", None),
        (STARTPOS_FEN, "f2f3 e7e5 g2g4 d8h4", Some(0)),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 120 90", "", None),
    ] {
        let report = searcher.search_afresh(&game(fen, moves, Standard), Limits::to_depth(4));
        assert_eq!((report.best, report.mate()), (None, expected), "{fen}");
        assert!(expected.is_some() || report.score() == DRAW, "{fen}");
    }
}

// Repeatability ----------------------------------------------------------------------------------------------------

#[test]
fn the_same_search_after_clearing_repeats_itself_exactly() {
    let mut searcher = Searcher::new();
    let games = sample(97);
    let search = |searcher: &mut Searcher, game: &Game| searcher.search_afresh(game, Limits::to_nodes(20_000));
    let first: Vec<Report> = games.iter().map(|game| search(&mut searcher, game)).collect();
    let mut other = Searcher::new();
    for (game, first) in games.iter().zip(&first) {
        let fen = game.board().to_fen(Chess960);
        for again in [search(&mut searcher, game), search(&mut other, game)] {
            assert_eq!(again.fingerprint(), first.fingerprint(), "{fen}");
            assert_eq!((again.best, again.ponder), (first.best, first.ponder), "{fen}");
        }
    }
    assert!(games.len() >= 15);
}

#[test]
fn clearing_forgets_the_game_before() {
    let mut searcher = Searcher::new();
    let game = game("8/4k3/B7/4K2R/8/8/8/8 w - - 0 1", "", Standard);
    let first = searcher.search_afresh(&game, Limits::to_depth(8));
    searcher.search(&self::game(STARTPOS_FEN, "e2e4 e7e6", Standard), Limits::to_depth(8));
    assert_eq!(searcher.search_afresh(&game, Limits::to_depth(8)).fingerprint(), first.fingerprint());
}

#[test]
fn the_bench_counts_the_recorded_nodes() {
    let recorded: u64 = read("tests/data/bench.txt").trim().parse().expect("a number of nodes");
    let mut positions = 0;
    let result = rokade::bench::run(None, |_, _, nodes| {
        assert!(nodes > 0);
        positions += 1;
    });
    assert_eq!(result.nodes, recorded, "a change of behaviour is recorded in tests/data/bench.txt");
    assert!(positions >= 20);
}

// Limits -----------------------------------------------------------------------------------------------------------

#[test]
fn a_depth_is_reached_and_not_passed() {
    let mut searcher = Searcher::new();
    for depth in [1, 2, 5, 9] {
        let report = searcher.search_afresh(&start_position(), Limits::to_depth(depth));
        assert_eq!(report.last().depth, depth);
        let depths: Vec<u32> = report.lines.iter().map(|line| line.depth).collect();
        assert_eq!(depths, (1..=depth).collect::<Vec<_>>());
    }
}

#[test]
fn a_number_of_nodes_is_kept() {
    let mut searcher = Searcher::new();
    for nodes in [1_000, 10_000, 50_000, 123_456] {
        let report = searcher.search_afresh(&start_position(), Limits::to_nodes(nodes));
        let searched = report.last().nodes;
        assert!((nodes - nodes / 100..=nodes + nodes / 100).contains(&searched), "{searched} instead of {nodes}");
    }
}

#[test]
fn limits_of_nothing_still_give_a_move() {
    let mut searcher = Searcher::new();
    for limits in [
        Limits::to_depth(0),
        Limits::to_nodes(0),
        Limits::to_nodes(1),
        Limits { movetime: Some(Duration::ZERO), ..Limits::default() },
    ] {
        for game in sample(211) {
            let report = searcher.search(&game, limits.clone());
            assert!(report.best.is_some() && report.last().nodes < 100_000, "{report:?}");
        }
    }
}

#[test]
fn the_first_limit_that_is_reached_ends_the_search() {
    let mut searcher = Searcher::new();
    let both = Limits { nodes: Some(1_000_000_000), ..Limits::to_depth(3) };
    assert_eq!(searcher.search_afresh(&start_position(), both).last().depth, 3);
    let both = Limits { nodes: Some(5_000), ..Limits::to_depth(100) };
    assert!(searcher.search_afresh(&start_position(), both).last().nodes < 6_000);
}

#[test]
fn an_infinite_search_ends_when_it_is_stopped() {
    let mut searcher = Searcher::new();
    searcher.pool.start(&start_position(), Limits::default());
    let first = searcher.events.recv_timeout(PATIENCE);
    assert!(matches!(first, Ok(Event::Line(_))), "{first:?}");
    searcher.pool.stop();
    let report = searcher.finish();
    assert!(report.best.is_some());
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let mut searcher = Searcher::new();
    for game in sample(97) {
        let moves = game.board().legal_moves();
        let asked = vec![moves[moves.len() / 2], moves[moves.len() - 1]];
        let limits = Limits { search_moves: asked.clone(), ..Limits::to_nodes(5_000) };
        let report = searcher.search_afresh(&game, limits);
        for line in &report.lines {
            assert!(line.pv.first().is_some_and(|m| asked.contains(m)), "{:?}", line.pv);
        }
    }
}

// Several lines ----------------------------------------------------------------------------------------------------

#[test]
fn several_lines_are_distinct_sorted_and_complete() {
    let mut searcher = Searcher::new();
    for game in sample(97) {
        let fen = game.board().to_fen(Chess960);
        for wanted in [2, 4, 256] {
            let limits = Limits { multi_pv: wanted, ..Limits::to_depth(if wanted > 4 { 2 } else { 5 }) };
            let report = searcher.search_afresh(&game, limits);
            let lines = report.last_iteration();
            assert_eq!(lines.len(), wanted.min(game.board().legal_moves().len()), "{fen}");
            assert!(lines.iter().enumerate().all(|(index, line)| line.multipv == index + 1), "{fen}: {lines:?}");
            assert!(lines.windows(2).all(|pair| pair[0].score >= pair[1].score), "{fen}: {lines:?}");
            let mut first_moves: Vec<u16> = lines.iter().map(|line| line.pv[0].to_bits()).collect();
            first_moves.sort_unstable();
            first_moves.dedup();
            assert_eq!(first_moves.len(), lines.len(), "{fen}: {lines:?}");
        }
    }
}

#[test]
fn the_first_of_several_lines_is_the_move() {
    let game = game("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 4", "", Standard);
    let report = Searcher::new().search_afresh(&game, Limits { multi_pv: 3, ..Limits::to_depth(6) });
    assert_eq!(report.best.map(|m| m.to_string()), Some("f3f7".to_owned()));
    let mates: Vec<Option<i32>> = report.last_iteration().iter().map(|line| moves_to_mate(line.score)).collect();
    assert_eq!(mates, [Some(1), None, None]);
}

// Variations -------------------------------------------------------------------------------------------------------

#[test]
fn variations_are_legal_and_end_with_the_game_in_every_kind_of_position() {
    // `Searcher::search` checks each line.
    let mut searcher = Searcher::new();
    let mut searched = 0;
    for game in sample(13) {
        searcher.search(&game, Limits::to_nodes(3_000));
        searched += 1;
    }
    assert!(searched > 100);
}

#[test]
fn endgames_full_of_mates_and_draws_report_sound_lines() {
    let mut searcher = Searcher::new();
    for fen in [
        "8/8/8/3k4/8/3KP3/8/8 w - - 0 1",
        "8/8/3k4/8/8/3RK3/8/8 b - - 90 1",
        "8/8/8/8/8/1k6/1p6/1K6 w - - 0 1",
        "8/8/4k3/8/1BN5/4K3/8/8 w - - 80 1",
        "k7/P7/K7/8/8/8/8/1B6 w - - 0 1",
        "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1",
    ] {
        searcher.search(&game(fen, "", Standard), Limits::to_nodes(100_000));
    }
}

#[test]
fn time_counted_in_nodes_ends_the_search_at_the_same_node_each_time() {
    let limits = |rate: u32| Limits {
        movetime: Some(Duration::from_millis(20)),
        nodes_per_millisecond: rate,
        ..Limits::default()
    };
    let mut searcher = Searcher::new();
    for game in sample(311) {
        let [first, second] = [100, 100].map(|rate| searcher.search_afresh(&game, limits(rate)));
        assert_eq!(first.fingerprint(), second.fingerprint());
        let nodes = first.last().nodes;
        assert!(nodes <= 2_000 + 512 || nodes <= 4_000 && first.last().depth == 1, "{nodes}");
    }
}

#[test]
fn a_weaker_player_looks_at_less_and_plays_otherwise_in_each_game() {
    let mut searcher = Searcher::new();
    let mut play = |elo: u32, seed: u64| {
        let limits = || Limits { strength: Some(Strength::new(elo, seed)), ..Limits::default() };
        let reports = sample(47).into_iter().map(|game| searcher.search(&game, limits()));
        reports.map(|report| (report.best, report.lines.last().map_or(0, |line| line.nodes))).collect::<Vec<_>>()
    };
    let nodes = |played: &[(Option<Move>, u64)]| played.iter().map(|(_, nodes)| nodes).sum::<u64>();
    let weak = play(Strength::MIN_ELO, 1);
    assert!(nodes(&weak) < nodes(&play(2_200, 1)));
    assert_eq!(weak, play(Strength::MIN_ELO, 1), "the same game");
    assert_ne!(weak, play(Strength::MIN_ELO, 2), "another game");
}

#[test]
fn several_threads_report_sound_lines_and_end() {
    let (pool, events) = Pool::new(HASH_MB, 4);
    let mut searcher = Searcher { pool, events };
    for game in sample(211) {
        searcher.search(&game, Limits::to_nodes(50_000));
    }
    searcher.pool.set_threads(1).expect("fewer threads");
    searcher.search(&start_position(), Limits::to_depth(5));
}
