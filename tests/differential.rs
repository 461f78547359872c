//! The rules against a second implementation, the crate cozy-chess: random games with every legal move and every
//! position compared, and perft where no published count exists.

use std::collections::BTreeSet;

use cozy_chess as cozy;
use rokade::board::Board;
use rokade::perft::perft;
use rokade::types::{CastlingMode, Move};

use crate::util::{Failures, Rng, board, uci_text};

/// Plies after which a random game is broken off.
const LONGEST_GAME: usize = 300;
/// The number of Chess960 start positions.
const START_POSITIONS: usize = 960;

#[derive(Clone, Copy, Debug)]
enum Start {
    Standard,
    Chess960,
    DoubleChess960,
}

impl Start {
    fn board(self, rng: &mut Rng) -> cozy::Board {
        let mut number = || u32::try_from(rng.below(START_POSITIONS)).expect("a small number");
        match self {
            Self::Standard => cozy::Board::startpos(),
            Self::Chess960 => cozy::Board::chess960_startpos(number()),
            Self::DoubleChess960 => cozy::Board::double_chess960_startpos(number(), number()),
        }
    }
}

fn legal_moves(theirs: &cozy::Board) -> Vec<cozy::Move> {
    let mut moves = Vec::new();
    theirs.generate_moves(|set| {
        moves.extend(set);
        false
    });
    moves
}

/// Whether the move takes en passant.
fn is_en_passant(theirs: &cozy::Board, m: cozy::Move) -> bool {
    let is_pawn = theirs.piece_on(m.from) == Some(cozy::Piece::Pawn);
    is_pawn && m.from.file() != m.to.file() && theirs.piece_on(m.to).is_none()
}

/// Their FEN with the en passant square only where a capture is legal. They keep it after every double push.
fn fen_by_the_laws(theirs: &cozy::Board, moves: &[cozy::Move]) -> String {
    let fen = format!("{theirs:#}");
    if moves.iter().any(|&m| is_en_passant(theirs, m)) {
        return fen;
    }
    let mut fields: Vec<&str> = fen.split(' ').collect();
    fields[3] = "-";
    fields.join(" ")
}

/// One of the moves; every other time one of the rare kinds, if there is one.
fn choose(theirs: &cozy::Board, moves: &[cozy::Move], rng: &mut Rng) -> cozy::Move {
    let is_rare = |m: &cozy::Move| {
        let castles = theirs.colors(theirs.side_to_move()).has(m.to);
        castles || m.promotion.is_some() || is_en_passant(theirs, *m)
    };
    let rare: Vec<cozy::Move> = moves.iter().copied().filter(is_rare).collect();
    if !rare.is_empty() && rng.below(2) == 0 { *rng.pick(&rare) } else { *rng.pick(moves) }
}

/// Plays one random game on both boards.
fn compare_game(start: Start, seed: u64, failures: &mut Failures) {
    let mut rng = Rng::new(seed);
    let mut theirs = start.board(&mut rng);
    let mut ours = board(&format!("{theirs:#}"), CastlingMode::Chess960);
    for ply in 0..LONGEST_GAME {
        let their_moves = legal_moves(&theirs);
        let their_fen = fen_by_the_laws(&theirs, &their_moves);
        let our_fen = ours.to_fen(CastlingMode::Chess960);
        failures.equal(&our_fen, &their_fen, &format!("{start:?} game {seed} ply {ply}"));
        let their_texts: BTreeSet<String> = their_moves.iter().map(ToString::to_string).collect();
        let our_moves = ours.legal_moves();
        let text = |&m: &Move| uci_text(m, CastlingMode::Chess960);
        let our_texts: BTreeSet<String> = our_moves.iter().map(text).collect();
        failures.check(our_texts == their_texts && our_moves.len() == their_moves.len(), || {
            format!("{our_fen}: {our_texts:?}, expected {their_texts:?}")
        });
        // Beyond move 50 their clock stands still.
        if our_fen != their_fen || our_texts != their_texts || their_moves.is_empty() || theirs.halfmove_clock() >= 99 {
            return;
        }
        let chosen = choose(&theirs, &their_moves, &mut rng);
        let Some(m) = our_moves.iter().copied().find(|m| text(m) == chosen.to_string()) else { return };
        theirs.play(chosen);
        ours.make_move(m);
    }
}

fn compare_games(start: Start, games: u64, at_least: usize) {
    let mut failures = Failures::default();
    for seed in 0..games {
        compare_game(start, seed, &mut failures);
    }
    failures.finish(at_least);
}

#[test]
fn random_games_agree_in_standard_chess() {
    compare_games(Start::Standard, 100, 20_000);
}

#[test]
fn random_games_agree_in_chess960() {
    compare_games(Start::Chess960, 100, 20_000);
}

#[test]
fn random_games_agree_in_double_chess960() {
    compare_games(Start::DoubleChess960, 100, 20_000);
}

#[test]
#[ignore = "a minute"]
fn many_random_games_agree() {
    compare_games(Start::Standard, 5_000, 1_000_000);
    compare_games(Start::Chess960, 5_000, 1_000_000);
    compare_games(Start::DoubleChess960, 5_000, 1_000_000);
}

fn their_perft(theirs: &cozy::Board, depth: u32) -> u64 {
    let moves = legal_moves(theirs);
    if depth == 1 {
        return moves.len() as u64;
    }
    let child = |m: &cozy::Move| {
        let mut child = theirs.clone();
        child.play_unchecked(*m);
        their_perft(&child, depth - 1)
    };
    moves.iter().map(child).sum()
}

/// Compares perft in positions some way into random games.
fn compare_perft(positions: u64, depth: u32) {
    let mut failures = Failures::default();
    for seed in 0..positions {
        let mut rng = Rng::new(seed ^ 0x70_6572_6674);
        let start = *rng.pick(&[Start::Standard, Start::Chess960, Start::DoubleChess960]);
        let mut theirs = start.board(&mut rng);
        for _ in 0..rng.below(80) {
            let moves = legal_moves(&theirs);
            if moves.is_empty() {
                break;
            }
            theirs.play(choose(&theirs, &moves, &mut rng));
        }
        let fen = format!("{theirs:#}");
        let ours: Board = board(&fen, CastlingMode::Chess960);
        failures.equal(&perft(&ours, depth), &their_perft(&theirs, depth), &format!("{fen} depth {depth}"));
    }
    failures.finish(usize::try_from(positions).expect("a small number"));
}

#[test]
fn perft_agrees_in_random_positions() {
    compare_perft(300, 3);
}

#[test]
#[ignore = "a minute"]
fn perft_agrees_deep_in_random_positions() {
    compare_perft(2_000, 4);
}
