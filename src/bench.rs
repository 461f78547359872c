//! A fixed set of searches. The number of nodes is the signature of the engine's behaviour: it moves exactly when a
//! change alters what is searched, and is the same on every machine and in every build.

use std::time::{Duration, Instant};

use crate::board::Board;
use crate::perft::{perft, perft_on_board};
use crate::rules::Game;
use crate::search::{Event, Limits, Pool};
use crate::types::CastlingMode;

/// Depth of the searches.
pub const DEFAULT_DEPTH: u32 = 12;
/// Hash size of the searches, in megabytes.
pub const HASH_MB: usize = 16;

/// Openings, middlegames, endgames, mates, and some Chess960 and double Chess960 positions.
const POSITIONS: [&str; 40] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/8/PPP2PPP/RNBQKB1R w KQkq - 1 5",
    "rnbqk2r/ppp1bppp/4pn2/3p4/2PP4/2N2N2/PP2PPPP/R1BQKB1R w KQkq - 4 5",
    "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQK2R b KQ - 3 6",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 2 9",
    "2rq1rk1/pb1nbppp/1p2pn2/2pp4/2PP4/1PN1PN2/PB2BPPP/2RQ1RK1 w - - 4 12",
    "r2q1rk1/1b1nbppp/p2ppn2/1p6/3NPP2/2N1B3/PPP1B1PP/R3QRK1 w - - 2 12",
    "r1b2rk1/2q1bppp/p1n1pn2/1p6/3N4/1BN1B3/PPP1QPPP/R4RK1 b - - 1 13",
    "3r1rk1/pp1q1ppp/2n1b3/3pP3/3N4/P1P1B3/5PPP/R2Q1RK1 b - - 0 18",
    "2r2rk1/1bqn1pp1/p3p2p/1p1pP3/3N1P2/P1PB3R/1P2Q1PP/R6K w - - 1 20",
    "r4rk1/2q2ppp/p1bbpn2/1p6/8/1BP1BN2/PP2QPPP/R2R2K1 w - - 6 17",
    "5rk1/p4ppp/1p1rp3/3qB3/3PR3/7P/PP3PP1/3Q2K1 b - - 2 24",
    "2k2r1r/ppp1qpp1/2nb3p/3N4/3Pp3/2P3P1/PP2QPBP/R4RK1 b - - 1 18",
    "r1bqr1k1/pp1n1pbp/2pp1np1/8/2PNP3/2N1BP2/PP1QB1PP/R4RK1 w - - 3 12",
    "6k1/5ppp/1p2p3/p2rP3/P2R1P2/1P4PP/6K1/8 b - - 0 31",
    "8/5pk1/4p1p1/1R5p/r6P/6P1/5PK1/8 w - - 6 42",
    "8/8/1p1k4/p1p2p2/P1P2P2/1P1K4/8/8 w - - 10 50",
    "8/pp3k2/2p2p2/3p1p1p/3P1P1P/2P1K1P1/PP6/8 w - - 0 35",
    "8/3b1k2/1p3p1p/p1p3p1/P1P1B1P1/1P3P1P/3K4/8 w - - 12 45",
    "8/1n3k2/3p1p2/2pPp1p1/2P1P1P1/3N1P2/4K3/8 b - - 4 48",
    "4q1k1/5pp1/7p/3Q4/8/6PP/5PK1/8 w - - 18 52",
    "8/8/8/3k4/8/3KP3/8/8 w - - 0 1",
    "8/8/4k3/8/1BN5/4K3/8/8 w - - 0 1",
    "8/8/3k4/8/8/3RK3/8/8 b - - 0 1",
    "r1b1k2r/ppppnppp/2n2q2/2b5/3NP3/2P1B3/PP3PPP/RN1QKB1R w KQkq - 0 7",
    "2r3k1/pbq2pp1/1p2pb1p/8/2PN4/1P2P1P1/PB2QP1P/3R2K1 b - - 0 22",
    "r2qk2r/pb1nbppp/1p2p3/2ppP3/3P4/2PB1N2/PP1N1PPP/R2Q1RK1 b kq - 0 11",
    "4r1k1/1q3pp1/p1p4p/1p1n4/3PQ3/P4N1P/1P3PP1/4R1K1 w - - 0 27",
    "1r2r1k1/3bnppp/p2q4/2RPp3/4P3/6P1/2Q1NPBP/2R3K1 w - - 0 24",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1",
    "qrknnbbr/pppppppp/8/8/8/8/PPPPPPPP/RKBBNQNR w HAhb - 0 1",
    "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
    "rbbqn1kr/pp2p1pp/6n1/2pp1p2/2P4P/P7/BP1PPPP1/R1BQNNKR w HAha - 0 9",
];

/// Positions for counting: name, FEN and depth.
const PERFT_POSITIONS: [(&str, &str, u32); 3] =
    [("start", POSITIONS[0], 6), ("kiwipete", POSITIONS[1], 5), ("midgame", POSITIONS[5], 5)];

/// What a bench run found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchResult {
    /// Nodes of all searches.
    pub nodes: u64,
    /// Time of all searches.
    pub time: Duration,
}

/// Searches all positions to a depth (`DEFAULT_DEPTH` if none is given) on one thread, each with empty tables, and
/// tells `on_position` about each: its number from 1, its FEN and its nodes.
pub fn run(depth: Option<u32>, mut on_position: impl FnMut(usize, &str, u64)) -> BenchResult {
    let depth = depth.unwrap_or(DEFAULT_DEPTH);
    let (mut pool, events) = Pool::new(HASH_MB, 1);
    let start = Instant::now();
    let mut total = 0;
    for (index, fen) in POSITIONS.into_iter().enumerate() {
        let game = match Board::from_fen(fen, CastlingMode::Chess960) {
            Ok(board) => Game::new(board),
            Err(error) => unreachable!("{fen}: {error}"),
        };
        pool.clear();
        pool.start(&game, Limits::to_depth(depth));
        let mut nodes = 0;
        for event in &events {
            match event {
                Event::Line(line) => nodes = line.nodes,
                Event::CurrentMove { .. } => {}
                Event::Finished { .. } => break,
            }
        }
        total += nodes;
        on_position(index + 1, fen, nodes);
    }
    BenchResult { nodes: total, time: start.elapsed() }
}

/// Counts move sequences on one thread, first with the code made for it, then with the engine's own board and move
/// generator. Tells the name of the position, the depth, the name of the generator, the leaves and the time.
pub fn run_perft(mut on_count: impl FnMut(&str, u32, &str, u64, Duration)) {
    type Count = fn(&Board, u32) -> u64;
    for (generator, count) in [("counting", perft as Count), ("engine", perft_on_board)] {
        for (name, fen, depth) in PERFT_POSITIONS {
            let board = match Board::from_fen(fen, CastlingMode::Standard) {
                Ok(board) => board,
                Err(error) => unreachable!("{fen}: {error}"),
            };
            let start = Instant::now();
            let nodes = count(&board, depth);
            on_count(name, depth, generator, nodes, start.elapsed());
        }
    }
}
