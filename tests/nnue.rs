//! The network's inference: incremental against fresh accumulators over whole trees, every kernel against the
//! portable one, colour and mirror symmetry, and network files that are sound or not.

use std::sync::Arc;

use rokade::bench;
use rokade::board::Board;
use rokade::nnue::accumulator::{Accumulators, DirtyPieces};
use rokade::nnue::kernels;
use rokade::nnue::network::{Network, NetworkError, Weights};
use rokade::rules::Game;
use rokade::search::{Limits, Searcher};
use rokade::types::CastlingMode;

use crate::util::Rng;

/// Castling of every kind, en passant, promotions, checks, kings that cross the middle, Chess960.
const POSITIONS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/8/8/3k4/2pPp3/8/4K3/8 b - d3 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1",
];

fn board(fen: &str) -> Board {
    Board::from_fen(fen, CastlingMode::Chess960).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// A network of small random weights.
fn random_network(seed: u64) -> Arc<Network> {
    let mut rng = Rng::new(seed);
    let mut weights = Weights::zeroed();
    let mut number = |limit: i16| rng.below(2 * limit as usize + 1) as i16 - limit;
    weights.ft_weights.as_flattened_mut().fill_with(|| number(120));
    weights.ft_bias.fill_with(|| number(200));
    weights.output_weights.as_flattened_mut().as_flattened_mut().fill_with(|| number(30));
    weights.output_bias.fill_with(|| number(2_000));
    Arc::new(Network::new(weights, "random".to_owned()).expect("small weights do not overflow"))
}

fn fresh(network: &Arc<Network>, board: &Board) -> i32 {
    let mut accumulators = Accumulators::with_kernels(Arc::clone(network), 1, kernels::scalar::KERNELS);
    accumulators.reset(board);
    accumulators.evaluate(board, 0)
}

/// Walks the tree; every third node is not evaluated, so that updates over several plies occur too.
fn walk(
    network: &Arc<Network>,
    accumulators: &mut [Accumulators],
    board: &Board,
    ply: usize,
    depth: u32,
    count: &mut u64,
) {
    *count += 1;
    if !count.is_multiple_of(3) {
        let expected = fresh(network, board);
        for accumulators in accumulators.iter_mut() {
            assert_eq!(accumulators.evaluate(board, ply), expected, "{}", board.to_fen(CastlingMode::Chess960));
        }
    }
    if depth == 0 {
        return;
    }
    if !board.in_check() {
        let mut child = board.clone();
        child.make_null();
        accumulators.iter_mut().for_each(|acc| acc.push(ply + 1, &child, DirtyPieces::default()));
        walk(network, accumulators, &child, ply + 1, 0, count);
    }
    for m in board.legal_moves() {
        let mut child = board.clone();
        let mut dirty = DirtyPieces::default();
        child.make_move_observed(m, &mut dirty);
        accumulators.iter_mut().for_each(|acc| acc.push(ply + 1, &child, dirty.clone()));
        walk(network, accumulators, &child, ply + 1, depth - 1, count);
    }
}

#[test]
fn incremental_accumulators_equal_fresh_ones_in_every_kernel() {
    let network = random_network(1);
    for fen in POSITIONS {
        let board = board(fen);
        let mut accumulators: Vec<_> = kernels::available()
            .into_iter()
            .map(|kernels| Accumulators::with_kernels(Arc::clone(&network), 8, kernels))
            .collect();
        accumulators.iter_mut().for_each(|acc| acc.reset(&board));
        walk(&network, &mut accumulators, &board, 0, 3, &mut 0);
    }
}

#[test]
fn evaluation_is_symmetric_between_colours_and_wings() {
    let network = random_network(2);
    let white = "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP3PPP/RN1QKB1R w - - 0 6";
    let black = "rn1qkb1r/pp3ppp/2p1pn2/3p1b2/2PP4/2N1PN2/PP3PPP/R1BQKB1R b - - 0 6";
    let mirrored = "r1bkqb1r/ppp3pp/2np1n2/4pp2/2B1P3/2NP1P2/PP3PPP/R1BK1Q1R w - - 0 6";
    let mirror = |fen: &str| {
        let (placement, rest) = fen.split_once(' ').expect("a FEN has blanks");
        let ranks: Vec<String> = placement.split('/').map(|rank| rank.chars().rev().collect()).collect();
        format!("{} {rest}", ranks.join("/"))
    };
    assert_eq!(fresh(&network, &board(white)), fresh(&network, &board(black)));
    for fen in [white, black, mirrored] {
        assert_eq!(fresh(&network, &board(fen)), fresh(&network, &board(&mirror(fen))), "{fen}");
    }
    assert_ne!(fresh(&network, &board(white)), fresh(&network, &board(mirrored)));
}

#[test]
fn a_network_file_comes_back_as_it_was() {
    let network = random_network(3);
    let read = Network::from_bytes(&network.to_bytes()).expect("the file is sound");
    assert_eq!(read, *network);
}

#[test]
fn damaged_network_files_are_refused() {
    let sound = random_network(4).to_bytes();
    for length in (0..sound.len()).step_by(997).chain([sound.len() - 1]) {
        assert!(Network::from_bytes(&sound[..length]).is_err(), "cut at {length}");
    }
    let mut long = sound.clone();
    long.push(0);
    assert!(matches!(Network::from_bytes(&long), Err(NetworkError::Long(1))));
    for at in (0..sound.len()).step_by(1_009) {
        let mut flipped = sound.clone();
        flipped[at] ^= 0x10;
        // The description is free text; everything else is checked.
        let description = 36..36 + "random".len();
        assert!(Network::from_bytes(&flipped).is_err() || description.contains(&at), "flipped at {at}");
    }
    let with_byte = |at: usize, byte: u8| {
        let mut bytes = sound.clone();
        bytes[at] = byte;
        Network::from_bytes(&bytes)
    };
    assert!(matches!(with_byte(0, b'X'), Err(NetworkError::Magic)));
    assert!(matches!(with_byte(8, 9), Err(NetworkError::Version(9))));
    assert!(matches!(with_byte(16, 9), Err(NetworkError::Dimension { name: "hidden size", .. })));
}

#[test]
fn networks_that_could_overflow_are_refused() {
    for weight in [128, -128, i16::MIN] {
        let mut weights = Weights::zeroed();
        weights.output_weights[3][1][7] = weight;
        assert!(matches!(Network::new(weights, String::new()), Err(NetworkError::Overflow("output weight"))));
    }
    let mut weights = Weights::zeroed();
    weights.ft_weights.iter_mut().for_each(|row| row[5] = 1_100);
    assert!(matches!(Network::new(weights, String::new()), Err(NetworkError::Overflow("accumulator"))));
    let mut weights = Weights::zeroed();
    weights.output_weights[0].as_flattened_mut().fill(127);
    assert!(matches!(Network::new(weights, String::new()), Err(NetworkError::Overflow("output sum"))));
}

#[test]
fn bench_counts_the_same_nodes_with_every_kernel() {
    let depth = 7;
    let mut expected = Vec::new();
    bench::run(Some(depth), |_, fen, nodes| expected.push((fen.to_owned(), nodes)));
    for kernels in kernels::available() {
        let mut searcher = Searcher::new(bench::HASH_MB).expect("a small table");
        searcher.set_kernels(kernels);
        for (fen, nodes) in &expected {
            searcher.clear();
            let found = searcher.search(&Game::new(board(fen)), Limits::to_depth(depth));
            assert_eq!(found.nodes, *nodes, "{} at {fen}", kernels.name);
        }
    }
}
