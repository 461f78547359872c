//! Self-play as its users see it: the folder of a run, the files in it, and what `rokade data` says of them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use rokade::board::Board;
use rokade::datagen::record::{GameRecord, GameResult, MAX_RANDOM_PLIES, Ply, ShardHeader, ShardReader, ShardWriter};
use rokade::datagen::{Goal, Progress, Settings, generate};
use rokade::rules::Game;
use rokade::types::CastlingMode;

use crate::util::{Rng, TempFolder};

/// The shards in a folder, in order.
fn shards(folder: &TempFolder) -> Vec<PathBuf> {
    let entries = fs::read_dir(&folder.0).expect("a readable folder");
    let mut shards: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    shards.retain(|path| path.extension() == Some(OsStr::new("games")));
    shards.sort();
    shards
}

fn settings(folder: &TempFolder, goal: Goal) -> Settings {
    Settings { out: folder.0.clone(), goal, nodes: 100, threads: 1, seed: 1, ..Settings::default() }
}

fn games(count: u64) -> Goal {
    Goal { games: Some(count), ..Goal::default() }
}

fn run(settings: &Settings) -> Progress {
    generate(settings, &mut |_| {}).expect("a run without a fault")
}

fn read(path: &Path) -> Vec<GameRecord> {
    let reader = ShardReader::open(path).expect("a shard");
    reader.collect::<Result<_, _>>().expect("whole games")
}

/// What two games must agree in.
fn essence(game: &GameRecord) -> (String, GameResult, Vec<Ply>, u8) {
    (game.start.to_fen(CastlingMode::Chess960), game.result, game.plies.clone(), game.random_plies)
}

/// A game of random moves and scores.
fn random_game(start: Board, rng: &mut Rng) -> GameRecord {
    let mut game = Game::new(start.clone());
    let mut plies = Vec::new();
    let length = rng.below(200);
    while plies.len() < length && game.outcome().is_none() {
        let m = *rng.pick(&game.board().legal_moves());
        let score = (rng.next() >> rng.below(64)) as i16;
        plies.push(Ply { m, score });
        game.play(m);
    }
    let random_plies = rng.below(usize::from(MAX_RANDOM_PLIES) + 1) as u8;
    GameRecord { start, result: *rng.pick(&GameResult::ALL), plies, random_plies }
}

fn rokade(words: &[&OsStr]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rokade")).args(words).output().expect("the engine runs")
}

fn data(shards: &[PathBuf]) -> Output {
    let words: Vec<&OsStr> =
        [OsStr::new("data")].into_iter().chain(shards.iter().map(|path| path.as_os_str())).collect();
    rokade(&words)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn random_games_come_back_as_they_were() {
    let folder = TempFolder::new("datagen-round-trip");
    let path = folder.0.join("a.games");
    let mut rng = Rng::new(11);
    let starts = [
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/RKNBBQRN b GAgb - 0 1",
        "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
        "8/8/3k4/8/8/3RK3/8/8 b - - 37 120",
    ];
    let chess960 = starts.map(|fen| Board::from_fen(fen, CastlingMode::Chess960).expect(fen));
    let starts = (0..200).map(|_| Board::startpos()).chain(chess960.into_iter().cycle().take(200));
    let games: Vec<GameRecord> = starts.map(|start| random_game(start, &mut rng)).collect();

    let mut writer = ShardWriter::create(&path, &ShardHeader::default()).expect("a new file");
    for game in &games {
        writer.write(game).expect("a short game");
    }
    writer.finish().expect("a disk with room");
    let found = read(&path);
    assert_eq!(found.len(), games.len());
    for (found, game) in found.iter().zip(&games) {
        assert_eq!(essence(found), essence(game));
        let mut plies = 0;
        found.replay(|_, _| plies += 1).expect("legal moves");
        assert_eq!(plies, game.plies.len());
    }
}

#[test]
fn a_run_keeps_to_its_settings_and_to_the_rules() {
    let folder = TempFolder::new("datagen-run");
    let progress = run(&Settings { dfrc_percent: 50, ..settings(&folder, games(30)) });
    let tally = progress.tally;
    let shards = shards(&folder);
    assert_eq!(shards.len(), 1);
    let header = ShardReader::open(&shards[0]).expect("a shard").header().cloned().expect("a header");
    assert_eq!((header.nodes, header.dfrc_percent, header.seed), (100, 50, 1));

    let found = read(&shards[0]);
    assert_eq!((found.len() as u64, tally.games), (30, 30));
    assert_eq!(found.iter().map(|game| game.plies.len() as u64).sum::<u64>(), tally.plies);
    assert!(found.iter().all(|game| game.plies.len() <= 400 && matches!(game.random_plies, 8 | 9)));
    let standard = found.iter().filter(|game| has_standard_rights(game)).count();
    assert!((5..=25).contains(&standard), "{standard} of 30 games may be standard chess");

    let output = data(&shards);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(report.contains("files             1 good, 0 of them cut short; 0 bad\n"), "{report}");
    assert!(report.contains(&format!("usable positions  {},", tally.usable)), "{report}");
}

/// Whether `KQkq` say all about the castling rights of the start.
fn has_standard_rights(game: &GameRecord) -> bool {
    let fen = game.start.to_fen(CastlingMode::Standard);
    fen.split(' ').nth(2).is_some_and(|rights| rights.bytes().all(|letter| b"KQkq-".contains(&letter)))
}

#[test]
fn one_seed_makes_the_same_games_on_any_number_of_threads() {
    let folders = ["seed-a", "seed-b", "seed-c", "seed-d"].map(TempFolder::new);
    let base = |index: usize| settings(&folders[index], games(6));
    run(&base(0));
    run(&base(1));
    run(&Settings { threads: 3, ..base(2) });
    run(&Settings { seed: 2, ..base(3) });
    let bytes = |index: usize| fs::read(&shards(&folders[index])[0]).expect("a shard");
    assert!(bytes(0) == bytes(1), "one thread writes the same file");
    let sorted = |index: usize| {
        let mut games: Vec<_> = read(&shards(&folders[index])[0]).iter().map(essence).collect();
        games.sort_by(|a, b| a.0.cmp(&b.0));
        games
    };
    assert_eq!(sorted(0), sorted(2));
    assert_ne!(sorted(0), sorted(3));
}

#[test]
fn another_run_adds_other_games_and_touches_no_file() {
    let folder = TempFolder::new("datagen-append");
    run(&settings(&folder, games(3)));
    let first = fs::read(&shards(&folder)[0]).expect("a shard");
    run(&settings(&folder, games(3)));
    let shards = shards(&folder);
    assert_eq!(shards.len(), 2);
    assert_eq!(fs::read(&shards[0]).expect("a shard"), first);
    let [old, new] = [0, 1].map(|index| read(&shards[index]).iter().map(essence).collect::<Vec<_>>());
    assert!(new.iter().all(|game| !old.contains(game)), "the seed is the same, the games are not");
}

#[test]
fn a_full_shard_is_followed_by_another() {
    let folder = TempFolder::new("datagen-full");
    run(&Settings { shard_bytes: 200, ..settings(&folder, games(3)) });
    let shards = shards(&folder);
    assert_eq!(shards.iter().map(|path| read(path).len()).collect::<Vec<_>>(), [1, 1, 1]);
}

#[test]
fn each_goal_ends_a_run() {
    let folder = TempFolder::new("datagen-goals");
    let tally = run(&settings(&folder, Goal { positions: Some(200), ..Goal::default() })).tally;
    assert!((200..800).contains(&tally.usable), "{tally:?}");
    let time = Goal { time: Some(Duration::from_millis(300)), ..games(1_000_000) };
    let progress = run(&settings(&folder, time));
    assert!((1..1_000_000).contains(&progress.tally.games), "{progress:?}");
    assert!(progress.elapsed < Duration::from_secs(30), "{progress:?}");
}

#[test]
fn a_nominal_limit_costs_what_it_says() {
    for nodes in [100, 500, 2_000] {
        let folder = TempFolder::new(&format!("datagen-cost-{nodes}"));
        let tally = run(&Settings { nodes, ..settings(&folder, games(4)) }).tally;
        let cost = tally.nodes as f64 / tally.plies as f64 / nodes as f64;
        assert!((0.5..=1.2).contains(&cost), "a limit of {nodes} nodes costs {cost:.3} of it");
    }
}

#[test]
fn a_book_is_where_games_begin() {
    let folder = TempFolder::new("datagen-book");
    let book = folder.0.join("book.epd");
    fs::write(&book, "# no pawns\n\n4k2r/8/8/8/8/8/8/R3K3 w Qk -\n").expect("a writable folder");
    run(&Settings { book: Some(book.clone()), dfrc_percent: 0, ..settings(&folder, games(5)) });
    for game in read(&shards(&folder)[0]) {
        assert!(matches!(game.random_plies, 4 | 5) && game.start.occupied().count() <= 4);
    }
    fs::write(&book, "\nno position\n").expect("a writable folder");
    let words = ["datagen", "--games", "1", "--out", "d", "--book"].map(OsStr::new);
    let output = rokade(&[words.as_slice(), &[book.as_os_str()]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("book.epd, line 2: "), "{}", text(&output.stderr));
}

#[test]
fn a_killed_run_keeps_its_games() {
    let folder = TempFolder::new("datagen-killed");
    let mut process = Command::new(env!("CARGO_BIN_EXE_rokade"))
        .args(["datagen", "--games", "1000000", "--nodes", "50", "--out"])
        .arg(&folder.0)
        .spawn()
        .expect("the engine runs");
    let size = || shards(&folder).iter().filter_map(|path| fs::metadata(path).ok()).map(|file| file.len()).sum::<u64>();
    let start = Instant::now();
    while size() < 3_000 && start.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(20));
    }
    process.kill().expect("it still runs");
    process.wait().expect("it is a child of ours");
    let output = data(&shards(&folder));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!read(&shards(&folder)[0]).is_empty());
}

/// A shard with a fool's mate and an unfinished game, both as `edit` leaves them.
fn faulty_shard(folder: &TempFolder, name: &str, edit: impl FnOnce(&mut GameRecord)) -> PathBuf {
    let path = folder.0.join(name);
    let mut board = Board::startpos();
    let mut plies = Vec::new();
    for text in ["f2f3", "e7e5", "g2g4", "d8h4"] {
        let m = board.legal_moves().into_iter().find(|m| m.to_string() == text).expect(text);
        plies.push(Ply { m, score: 0 });
        board.make_move(m);
    }
    let start = Board::startpos();
    let unfinished =
        GameRecord { start: start.clone(), result: GameResult::Draw, plies: plies[..2].to_vec(), random_plies: 0 };
    let mut mate = GameRecord { start, result: GameResult::BlackWins, plies, random_plies: 0 };
    edit(&mut mate);
    let mut writer = ShardWriter::create(&path, &ShardHeader::default()).expect("a new file");
    writer.write(&unfinished).expect("a short game");
    writer.write(&mate).expect("a short game");
    path
}

#[test]
fn bad_files_are_named_left_out_and_counted() {
    let folder = TempFolder::new("datagen-bad");
    let good = faulty_shard(&folder, "good.games", |_| {});
    let wrong = faulty_shard(&folder, "wrong.games", |game| game.result = GameResult::Draw);
    let illegal = faulty_shard(&folder, "illegal.games", |game| {
        game.plies.remove(0);
    });
    let bytes = fs::read(&good).expect("a shard");
    let with_bytes = |name: &str, bytes: &[u8]| {
        let path = folder.0.join(name);
        fs::write(&path, bytes).expect("a writable folder");
        path
    };
    let mut damaged = bytes.clone();
    damaged[bytes.len() - 10] ^= 1;
    let damaged = with_bytes("damaged.games", &damaged);
    let cut = with_bytes("cut.games", &bytes[..bytes.len() - 1]);
    let other = with_bytes("other.games", b"[Event \"?\"]");
    let missing = folder.0.join("missing.games");

    let output = data(&[good, wrong, illegal, damaged, cut, other, missing]);
    let (report, complaints) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1));
    assert!(report.contains("files             2 good, 1 of them cut short; 5 bad\n"), "{report}");
    assert!(report.contains("games             3\n"), "{report}");
    for part in [
        "wrong.games: game 2: the result is Draw, but the last position says BlackWins; left out",
        "illegal.games: game 2, ply 1: e7e5 is not legal; left out",
        "damaged.games: game 2, at byte",
        "cut.games: 48 bytes of an unfinished game",
        "other.games: not a file of self-play games; left out",
        "missing.games: ",
    ] {
        assert!(complaints.contains(part), "'{part}' not in:\n{complaints}");
    }
    assert_eq!(complaints.lines().count(), 6, "{complaints}");
}

#[test]
fn a_wrong_command_line_is_one_line_and_exit_code_2() {
    for words in
        ["datagen", "datagen --out d --games x", "datagen --out d --games 1 --adjudicate win", "data", "data --x"]
    {
        let words: Vec<&OsStr> = words.split(' ').map(OsStr::new).collect();
        let output = rokade(&words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(output.stdout.is_empty(), "{words:?}");
        assert_eq!(text(&output.stderr).lines().count(), 1, "{words:?}");
    }
    for words in ["datagen --help", "data --help"] {
        let output = rokade(&words.split(' ').map(OsStr::new).collect::<Vec<_>>());
        assert!(output.status.success() && text(&output.stdout).contains("Usage: rokade data"), "{words}");
    }
}
