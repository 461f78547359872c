//! The trainer: gradients against finite differences, what it learns, that it repeats itself, and the command line.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rokade::board::Board;
use rokade::datagen::record::{GameRecord, GameResult, Ply, ShardHeader, ShardWriter, is_usable};
use rokade::nnue::accumulator::Accumulators;
use rokade::nnue::features::{feature, is_mirrored, output_bucket};
use rokade::nnue::network::{HIDDEN, Network, OUTPUT_BUCKETS};
use rokade::train::checkpoint::Checkpoint;
use rokade::train::export;
use rokade::train::gradient::Workspace;
use rokade::train::loader::{self, Dataset, Split};
use rokade::train::model::{BIAS_ROW, Parameters, ROWS, output_row};
use rokade::train::position::{PackedPosition, Target, sigmoid};
use rokade::train::run::{Positions, Run, mean_loss};
use rokade::train::settings::Settings;
use rokade::types::{Color, PieceType, Score};

use crate::util::Rng;

/// Lanes of the small networks of these tests.
const WIDTH: usize = 8;

/// The material of the side to move, in centipawns: something that can be learnt fast.
fn material(board: &Board) -> Score {
    const VALUES: [Score; 6] = [100, 300, 320, 500, 900, 0];
    let of = |color| -> Score {
        PieceType::ALL.iter().map(|&kind| VALUES[kind.index()] * board.pieces(color, kind).count() as Score).sum()
    };
    of(board.stm()) - of(!board.stm())
}

/// A game of random moves; its scores are the material, its result the last of them.
fn random_game(rng: &mut Rng, plies: usize) -> GameRecord {
    let start = Board::startpos();
    let mut board = start.clone();
    let mut moves = Vec::new();
    for _ in 0..plies {
        let legal = board.legal_moves();
        if legal.is_empty() {
            break;
        }
        let m = *rng.pick(&legal);
        moves.push(Ply::new(m, material(&board)));
        board.make_move(m);
    }
    let white = if board.stm() == Color::White { material(&board) } else { -material(&board) };
    let result = GameResult::ALL[(white.signum() + 1) as usize];
    GameRecord { start, result, plies: moves, random_plies: 0 }
}

/// The usable positions of some random games, with their boards.
fn samples(seed: u64, count: usize) -> Vec<(Board, PackedPosition)> {
    let mut rng = Rng::new(seed);
    let mut samples = Vec::new();
    while samples.len() < count {
        let game = random_game(&mut rng, 150);
        let visit = |board: &Board, ply: &Ply| {
            if is_usable(board, ply) {
                samples.push((board.clone(), PackedPosition::new(board, ply.score, game.result)));
            }
        };
        game.replay(visit).expect("legal moves");
    }
    samples.truncate(count);
    samples
}

fn positions(seed: u64, count: usize) -> Vec<PackedPosition> {
    samples(seed, count).into_iter().map(|(_, position)| position).collect()
}

/// Trains for all epochs of the settings.
fn trained<const W: usize>(tiles: usize, settings: &Settings, training: &[PackedPosition]) -> Run<W> {
    let mut run = Run::new(tiles, settings.seed);
    continue_training(&mut run, tiles, settings, training, settings.epochs);
    run
}

fn continue_training<const W: usize>(
    run: &mut Run<W>,
    tiles: usize,
    settings: &Settings,
    training: &[PackedPosition],
    until: u32,
) {
    let mut workspaces = vec![Workspace::new(tiles); settings.threads];
    let positions = Positions { training, held_out: &training[..training.len() / 10] };
    while run.epochs < until {
        let mut seen = 0;
        run.train_epoch(positions, settings, &mut workspaces, |count| seen += count);
        assert_eq!(seen, training.len());
    }
}

/// The network as it is defined, in `f64`, one hidden value at a time: the loss for a board.
fn reference_loss(values: &[f64], tiles: usize, (board, position): &(Board, PackedPosition), target: Target) -> f64 {
    let value = |hidden: usize, row: usize| values[(hidden / WIDTH * ROWS + row) * WIDTH + hidden % WIDTH];
    let bucket = output_bucket(board.occupied().count());
    let mut output = values[values.len() - OUTPUT_BUCKETS + bucket];
    for (side, perspective) in [board.stm(), !board.stm()].into_iter().enumerate() {
        let mirrored = is_mirrored(board.king(perspective));
        for hidden in 0..tiles * WIDTH {
            let pieces = board.occupied().into_iter().filter_map(|square| Some((board.piece_on(square)?, square)));
            let inputs = pieces.map(|(piece, square)| value(hidden, feature(perspective, mirrored, piece, square)));
            let sum = value(hidden, BIAS_ROW) + inputs.sum::<f64>();
            output += sum.clamp(0.0, 1.0).powi(2) * value(hidden, output_row(bucket, side));
        }
    }
    let expectation = 1.0 / (1.0 + (-output).exp());
    (expectation - f64::from(target.of(position))).powi(2)
}

#[test]
fn gradients_equal_finite_differences() {
    const TILES: usize = 2;
    const STEP: f64 = 1e-5;
    let target = Target { wdl: 0.3, score_scale: 400.0 };
    // From all over a game, so that every output bucket and both mirrorings are there.
    let samples: Vec<_> = samples(4, 600).into_iter().step_by(29).collect();
    let mut parameters = Parameters::<WIDTH>::random(TILES, 5);
    // Larger than at the start of a training, so that some hidden values are beyond 1, and buckets that differ.
    let mut rng = Rng::new(6);
    for value in parameters.values_mut() {
        *value = *value * 3.0 + (rng.below(2_001) as f32 - 1_000.0) * 1e-4;
    }
    let mut workspace = Workspace::new(TILES);
    let positions: Vec<_> = samples.iter().map(|(_, position)| *position).collect();
    let loss = workspace.learn(&parameters, &positions, 0..positions.len(), target);
    let mut values: Vec<f64> = parameters.values().iter().map(|&value| f64::from(value)).collect();
    let reference =
        |values: &[f64]| -> f64 { samples.iter().map(|sample| reference_loss(values, TILES, sample, target)).sum() };
    assert!((loss - reference(&values)).abs() < 1e-5, "{loss}, expected {}", reference(&values));
    let mut nonzero = 0;
    for (index, &found) in workspace.gradient.values().iter().enumerate() {
        let value = values[index];
        let mut at = |place: f64| {
            values[index] = place;
            reference(&values)
        };
        let expected = (at(value + STEP) - at(value - STEP)) / (2.0 * STEP);
        values[index] = value;
        let difference = (f64::from(found) - expected).abs();
        assert!(difference < 1e-5 + 1e-4 * expected.abs(), "parameter {index}: {found}, expected {expected}");
        nonzero += usize::from(expected.abs() > 1e-4);
    }
    assert!(nonzero > 1_000, "only {nonzero} derivatives are not zero");
}

#[test]
fn a_micro_batch_more_or_less_does_not_change_the_loss() {
    let positions = positions(8, 700);
    let parameters = Parameters::<WIDTH>::random(2, 9);
    let target = Target { wdl: 0.1, score_scale: 400.0 };
    let loss = |threads: usize, positions: &[PackedPosition]| {
        mean_loss(&mut vec![Workspace::new(2); threads], &parameters, positions, target) * positions.len() as f64
    };
    let whole = loss(1, &positions);
    let one_by_one: f64 = positions.chunks(1).map(|position| loss(1, position)).sum();
    for found in [one_by_one, loss(3, &positions)] {
        assert!((found - whole).abs() < 1e-9 * whole, "{found}, expected {whole}");
    }
    assert_eq!(loss(2, &[]), 0.0);
}

#[test]
fn a_batch_can_be_learnt_by_heart() {
    // Scores that have nothing to do with the positions.
    let mut rng = Rng::new(10);
    let mut boards: Vec<Board> = samples(11, 3_000).into_iter().step_by(12).map(|(board, _)| board).collect();
    // Every game begins alike, and two scores for one position cannot both be learnt.
    boards.sort_by_key(Board::key);
    boards.dedup_by_key(|board| board.key());
    let score = |rng: &mut Rng| rng.below(2_001) as i16 - 1_000;
    let batch: Vec<_> =
        boards.iter().map(|board| PackedPosition::new(board, score(&mut rng), GameResult::Draw)).collect();
    let settings = Settings {
        wdl: 0.0,
        epochs: 1_000,
        batch: 256,
        lr: 0.01,
        warmup: 10,
        weight_decay: 0.0,
        ..Settings::default()
    };
    let run: Run<64> = trained(2, &settings, &batch);
    let (first, last) = (run.history.training[0].1, run.history.training.last().expect("losses").1);
    assert!(first > 0.01 && last < 1e-3 * first, "the loss went from {first} to {last}");
}

#[test]
fn the_same_seed_gives_the_same_network() {
    let training = positions(12, 3_000);
    let settings = Settings { epochs: 3, batch: 500, warmup: 2, ..Settings::default() };
    let run: Run<WIDTH> = trained(2, &settings, &training);
    assert_eq!(run, trained(2, &settings, &training));
    assert_eq!(run.optimiser.steps, 18);
    assert_eq!(run.history.held_out.len(), 3);
    let other: Run<WIDTH> = trained(2, &Settings { seed: 2, ..settings.clone() }, &training);
    assert_ne!(run.parameters, other.parameters);
    // Another number of threads changes the order of sums, and nothing else.
    let other: Run<WIDTH> = trained(2, &Settings { threads: 3, ..settings }, &training);
    for (loss, other) in run.history.held_out.iter().zip(&other.history.held_out) {
        assert!((loss - other).abs() < 1e-3 * loss, "{loss} and {other}");
    }
}

#[test]
fn a_resumed_run_equals_one_that_was_not_interrupted() {
    let training = positions(13, 2_000);
    let settings = Settings { epochs: 5, batch: 300, warmup: 9, ..Settings::default() };
    let whole: Run<WIDTH> = trained(2, &settings, &training);
    let mut run = Run::new(2, settings.seed);
    continue_training(&mut run, 2, &settings, &training, 2);
    let path = folder("resumed_run").join("state");
    let checkpoint = Checkpoint { settings, fingerprint: 1, finished: Vec::new(), current: Some(run) };
    checkpoint.save(&path).expect("a checkpoint");
    let read = Checkpoint::load(&path, 16).expect("a checkpoint");
    assert_eq!(read, checkpoint);
    assert!(Checkpoint::<WIDTH>::load(&path, 32).is_err());
    let mut run = read.current.expect("a run");
    continue_training(&mut run, 2, &read.settings, &training, 5);
    assert_eq!(run, whole);
}

/// A network of the engine's size that knows material.
fn network_of_material() -> (Parameters<64>, Network) {
    let settings = Settings { wdl: 0.0, epochs: 8, batch: 256, lr: 0.003, warmup: 10, ..Settings::default() };
    let run: Run<64> = trained(HIDDEN / 64, &settings, &positions(14, 12_000));
    let parameters = run.best.expect("a best epoch").parameters;
    let network = export::export(&parameters, "a test".into()).expect("a network");
    (parameters, network)
}

#[test]
fn the_exported_network_says_what_was_trained() {
    let (parameters, network) = network_of_material();
    let samples = samples(15, 1_000);
    let positions: Vec<_> = samples.iter().map(|(_, position)| *position).collect();
    let mut workspace = Workspace::new(HIDDEN / 64);
    let report = export::compare(&parameters, &network.weights, &positions, &mut workspace);
    assert!(report.exported.largest < 3.0 && report.exported.mean < 1.0, "{report:?}");
    assert!(report.mean_evaluation > 100.0, "{report:?}");
    // The evaluation of the engine is the quantised one.
    let read = Network::from_bytes(&network.to_bytes()).expect("a network");
    assert_eq!(read, network);
    let weights = network.weights.clone();
    let mut accumulators = Accumulators::new(Arc::new(network), 1);
    let mut error = 0.0;
    for (board, position) in &samples {
        accumulators.reset(board);
        let evaluation = accumulators.evaluate(board, 0);
        assert_eq!(i64::from(evaluation), export::evaluate_quantised(&weights, position));
        let expectation = |score: Score| sigmoid(score as f32 / 400.0);
        error += (expectation(evaluation) - expectation(material(board))).abs() / 1_000.0;
    }
    // A network that knows nothing is off by about 0.25.
    assert!(error < 0.15, "expectations off by {error} from what was taught");
}

#[test]
fn a_network_that_the_engine_would_refuse_is_not_exported() {
    let export = |parameters: &Parameters<64>| export::export(parameters, String::new());
    let good = Parameters::random(HIDDEN / 64, 1);
    assert!(export(&good).is_ok());
    assert!(export(&Parameters::random(1, 1)).is_err(), "too small");
    let mut not_a_number = good.clone();
    not_a_number.values_mut()[7] = f32::NAN;
    assert!(export(&not_a_number).is_err());
    let mut overflow = good;
    overflow.values_mut().fill(100.0);
    assert!(export(&overflow).is_err());
}

/// An empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("train_{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Writes a shard of random games.
fn write_shard(path: &Path, seed: u64, games: usize) {
    let header = ShardHeader { nodes: 500, net_checksum: 7, seed, ..ShardHeader::default() };
    let mut writer = ShardWriter::create(path, &header).expect("a new file");
    let mut rng = Rng::new(seed);
    for _ in 0..games {
        writer.write(&random_game(&mut rng, 100)).expect("a game");
    }
    writer.finish().expect("a file");
}

const SPLIT: Split = Split { held_out: 0.2, seed: 0 };

fn load(paths: &[PathBuf], split: Split, threads: usize) -> Dataset {
    let files = loader::find_files(paths).expect("files");
    loader::load(&files, split, NonZeroUsize::new(threads).expect("threads"), |_| ()).expect("data")
}

#[test]
fn the_loader_finds_every_usable_position_once() {
    let folder = folder("loader");
    for shard in 0..5 {
        write_shard(&folder.join(format!("{shard}.games")), shard, 20);
    }
    fs::write(folder.join("notes.txt"), "not a shard").expect("a file");
    // A shard that is given twice is read once.
    let dataset = load(&[folder.clone(), folder.join("3.games")], SPLIT, 2);
    let usable: usize = (0..5).map(|seed| usable_of_shard(seed, 20)).sum();
    assert_eq!(dataset.training.len() + dataset.held_out.len(), usable);
    let statistics = &dataset.statistics;
    assert_eq!((statistics.files, statistics.games, statistics.faults.len()), (5, 100, 0));
    assert!((5..40).contains(&statistics.held_out_games), "{statistics:?}");
    assert_eq!(statistics.origins.values().sum::<u64>(), 100);
    let alone = load(std::slice::from_ref(&folder), SPLIT, 1);
    assert_eq!((alone.fingerprint, &alone.training), (dataset.fingerprint, &dataset.training));
    // A game stays on its side when other data comes or goes.
    let part = load(&[folder.join("3.games"), folder.join("0.games")], SPLIT, 2);
    assert!(part.held_out.iter().all(|position| dataset.held_out.contains(position)));
    assert_ne!(part.fingerprint, dataset.fingerprint);
    assert_ne!(load(&[folder], Split { seed: 1, ..SPLIT }, 2).held_out, dataset.held_out);
}

fn usable_of_shard(seed: u64, games: usize) -> usize {
    let mut rng = Rng::new(seed);
    let mut usable = 0;
    for _ in 0..games {
        let count = |board: &Board, ply: &Ply| usable += usize::from(is_usable(board, ply));
        random_game(&mut rng, 100).replay(count).expect("legal moves");
    }
    usable
}

#[test]
fn bad_files_are_named_and_what_stands_before_the_fault_is_used() {
    let folder = folder("bad_files");
    let file = |name: &str| folder.join(name);
    write_shard(&file("good.games"), 1, 20);
    let good = fs::read(file("good.games")).expect("a file");
    let mut damaged = good.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(file("damaged.games"), &damaged).expect("a file");
    fs::write(file("short.games"), &good[..good.len() - 3]).expect("a file");
    fs::write(file("text.games"), "not games").expect("a file");
    let dataset = load(std::slice::from_ref(&folder), SPLIT, 2);
    let faults = dataset.statistics.faults.join("\n");
    assert_eq!(dataset.statistics.faults.len(), 3, "{faults}");
    for name in ["damaged.games", "short.games", "text.games"] {
        assert!(faults.contains(name), "{faults}");
    }
    assert!((20 + 19 + 1..20 + 19 + 20).contains(&dataset.statistics.games), "{:?}", dataset.statistics);
    let empty = [file("text.games")];
    assert!(loader::load(&empty, SPLIT, NonZeroUsize::MIN, |_| ()).is_err());
    assert!(loader::find_files(&[file("missing.games")]).is_err());
}

fn train(words: &[&str]) -> Output {
    command(words).output().expect("the program runs")
}

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rokade"));
    command.arg("train").args(words);
    command
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn the_command_trains_and_tells() {
    let folder = folder("command");
    write_shard(&folder.join("a.games"), 1, 60);
    let net = folder.join("new.nnue");
    let words = ["--data", text(&folder), "--out", text(&net), "--epochs", "3", "--batch", "256", "--seeds", "2"];
    let output = train(&[&words[..], &["--held-out", "0.1", "--wdl", "0.25"]].concat());
    let told = String::from_utf8(output.stdout).expect("plain text");
    assert!(output.status.success() && output.stderr.is_empty(), "{told} {:?}", String::from_utf8(output.stderr));
    assert_eq!(told.lines().filter(|line| line.starts_with("seed ")).count(), 6, "{told}");
    for part in ["60 games", "positions/s", "left", "exported: ", "at the limit", "best: seed "] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let network = Network::load(&net).expect("a network");
    for part in
        ["games 60\n", "epochs 3\n", "wdl 0.25\n", "seeds 2\n", "origin net 0000000000000007, 500 nodes: 60 games"]
    {
        assert!(network.description.contains(part), "{part}: {}", network.description);
    }
    let curves = fs::read_to_string(folder.join("new.svg")).expect("curves");
    assert!(curves.starts_with("<svg") && curves.matches("<polyline").count() >= 4, "{curves}");
}

#[test]
fn a_killed_training_is_resumed_to_the_same_end() {
    let folder = folder("killed");
    write_shard(&folder.join("a.games"), 1, 40);
    let path = |name: &str| text(&folder.join(name)).to_owned();
    let settings = ["--epochs", "15", "--batch", "128", "--held-out", "0.1", "--seeds", "2"];
    let data = path("a.games");
    let whole = path("whole.nnue");
    let output = train(&[&["--data", &data, "--out", &whole], &settings[..]].concat());
    assert!(output.status.success(), "{output:?}");

    let (killed, state) = (path("killed.nnue"), path("state"));
    let words = [&["--data", &data, "--out", &killed, "--checkpoint", &state], &settings[..]].concat();
    let mut training = command(&words).stdout(std::process::Stdio::null()).spawn().expect("the program runs");
    let begin = Instant::now();
    while !Path::new(&state).exists() && begin.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(1));
    }
    training.kill().expect("a running program");
    training.wait().expect("an exit code");

    let resume = ["--data", &data, "--out", &killed, "--resume", &state];
    let refused = train(&[&resume[..], &["--epochs", "16"]].concat());
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&refused.stderr), "rokade train: --epochs is 16, but 15 in the checkpoint\n");
    let output = train(&resume);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read(&whole).expect("a network"), fs::read(&killed).expect("a network"));

    write_shard(&folder.join("b.games"), 2, 40);
    let refused = train(&["--data", &path("b.games"), "--out", &killed, "--resume", &state]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("not that of the checkpoint"), "{refused:?}");
}

#[test]
fn what_cannot_be_done_is_said_in_one_line() {
    let folder = folder("complaints");
    let (here, state) = (text(&folder).to_owned(), folder.join("state"));
    let new = text(&folder.join("net")).to_owned();
    fs::write(&state, "no checkpoint").expect("a file");
    for (words, code, part) in [
        (vec!["--epochs", "8"], 2, "--data is missing"),
        (vec!["--data", &here, "--out", &new, "--wdl", "2"], 2, "--wdl takes 0 to 1, not '2'"),
        (vec!["--data", &here, "--out", &new], 1, "no *.games files"),
        (vec!["--data", "/no/such/folder", "--out", &new], 1, "/no/such/folder"),
        (vec!["--data", &here, "--out", "/no/such/folder/net"], 1, "/no/such/folder/net: "),
        (vec!["--data", &here, "--out", &here], 1, "directory"),
        (vec!["--data", &here, "--out", &new, "--checkpoint", &here], 1, "directory"),
        (vec!["--data", &here, "--out", &new, "--resume", text(&state)], 1, "not a checkpoint"),
    ] {
        let output = train(&words);
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {complaint}");
        assert!(complaint.contains(part) && complaint.lines().count() == 1, "{words:?}: {complaint}");
    }
    let help = train(&["--help"]);
    assert!(help.status.success() && help.stdout.starts_with(b"Trains"), "{help:?}");
}

/// Prints how many positions a second of CPU time trains, with one thread on the engine's network.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let training = positions(1, 65_536);
    let settings = Settings { threads: 1, ..Settings::default() };
    let mut run = Run::<64>::new(HIDDEN / 64, 1);
    let mut workspaces = vec![Workspace::new(HIDDEN / 64)];
    let positions = Positions { training: &training, held_out: &training[..1] };
    for _ in 0..6 {
        let begin = cpu_seconds();
        for _ in 0..4 {
            run.train_epoch(positions, &settings, &mut workspaces, |_| ());
        }
        let seconds = cpu_seconds() - begin;
        println!("{:.0} thousand positions in a second of CPU time", 4.0 * training.len() as f64 / seconds / 1_000.0);
    }
}

/// CPU time of this process so far, on Linux with its usual clock tick.
fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.map(|ticks| ticks.parse::<f64>().expect("a number")).sum::<f64>() / 100.0
}
