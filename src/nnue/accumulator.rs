//! Accumulators along the line of the search, computed only where a position is evaluated.
//!
//! A move notes which pieces it put and took. An evaluation walks back to the last ply that was computed and brings
//! the plies since then up to date. Where a king crossed the middle of the board the view is mirrored, so the
//! accumulator is rebuilt, from one that was built before for the same view ("Finny table").

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::features::{feature, is_mirrored, output_bucket};
use super::kernels::Kernels;
use super::network::{HIDDEN, Network, Row};
use crate::board::{Board, BoardObserver};
use crate::types::{Bitboard, Color, Piece, Score, Square};

/// The pieces a move put on the board and took off it.
#[derive(Clone, Debug, Default)]
pub struct DirtyPieces {
    added: ArrayVec<(Piece, Square), 2>,
    removed: ArrayVec<(Piece, Square), 2>,
}

impl BoardObserver for DirtyPieces {
    #[inline]
    fn piece_added(&mut self, piece: Piece, square: Square) {
        self.added.push((piece, square));
    }

    #[inline]
    fn piece_removed(&mut self, piece: Piece, square: Square) {
        // What a promotion or an en passant capture puts and takes again never gets here twice.
        self.removed.push((piece, square));
    }
}

/// A row on cache-line boundaries.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Aligned(Row);

/// One ply: the values of both perspectives, where they are computed.
#[derive(Clone)]
struct Ply {
    values: [Aligned; 2],
    is_computed: [bool; 2],
    mirrored: [bool; 2],
    dirty: DirtyPieces,
}

/// An accumulator built before, and the pieces it stands for.
#[derive(Clone)]
struct Cached {
    values: Aligned,
    pieces: [Bitboard; Piece::COUNT],
}

/// The accumulators of one search thread.
pub struct Accumulators {
    network: Arc<Network>,
    kernels: Kernels,
    plies: Vec<Ply>,
    /// By perspective and whether it is mirrored.
    cache: [[Cached; 2]; 2],
}

impl Accumulators {
    /// Accumulators for a network and lines of so many plies, with the best kernels of this machine.
    #[must_use]
    pub fn new(network: Arc<Network>, plies: usize) -> Self {
        Self::with_kernels(network, plies, Kernels::best())
    }

    /// Accumulators that use given kernels.
    #[must_use]
    pub fn with_kernels(network: Arc<Network>, plies: usize, kernels: Kernels) -> Self {
        let ply = Ply {
            values: [Aligned([0; HIDDEN]); 2],
            is_computed: [false; 2],
            mirrored: [false; 2],
            dirty: DirtyPieces::default(),
        };
        let cached = Cached { values: Aligned(network.weights.ft_bias), pieces: [Bitboard::EMPTY; Piece::COUNT] };
        let cache = std::array::from_fn(|_| [cached.clone(), cached.clone()]);
        Self { network, kernels, plies: vec![ply; plies.max(1)], cache }
    }

    /// The network that evaluates.
    #[must_use]
    pub fn network(&self) -> Arc<Network> {
        Arc::clone(&self.network)
    }

    /// Begins a line at ply 0.
    pub fn reset(&mut self, board: &Board) {
        self.push(0, board, DirtyPieces::default());
        self.plies[0].is_computed = [false; 2];
    }

    /// Notes the move that led to `board` at `ply`; for a null move nothing is dirty.
    #[inline]
    pub fn push(&mut self, ply: usize, board: &Board, dirty: DirtyPieces) {
        let entry = &mut self.plies[ply];
        entry.is_computed = [false; 2];
        entry.mirrored = Color::ALL.map(|color| is_mirrored(board.king(color)));
        entry.dirty = dirty;
    }

    /// The network's value of `board`, which stands at `ply` of the line, for the side to move: in units where
    /// `SCALE` times the logit of the expected result is the score.
    pub fn evaluate(&mut self, board: &Board, ply: usize) -> Score {
        for perspective in Color::ALL {
            self.compute(board, ply, perspective);
        }
        let bucket = output_bucket(board.occupied().count());
        let values = &self.plies[ply].values;
        let (us, them) = (&values[board.stm().index()].0, &values[(!board.stm()).index()].0);
        let sum = (self.kernels.forward)(us, them, &self.network.weights.output_weights[bucket]);
        self.network.weights.score(bucket, sum)
    }

    /// Brings one perspective of a ply up to date.
    fn compute(&mut self, board: &Board, ply: usize, perspective: Color) {
        let side = perspective.index();
        let mut known = ply;
        while !self.plies[known].is_computed[side] {
            if known == 0 || self.plies[known].mirrored[side] != self.plies[known - 1].mirrored[side] {
                self.rebuild(board, ply, perspective);
                return;
            }
            known -= 1;
        }
        for next in known + 1..=ply {
            self.update(next, perspective);
        }
    }

    /// Computes a ply from the one before it.
    fn update(&mut self, ply: usize, perspective: Color) {
        let side = perspective.index();
        let (before, after) = self.plies.split_at_mut(ply);
        let (Some(source), Some(target)) = (before.last(), after.first_mut()) else { return };
        let weights = &self.network.weights.ft_weights;
        let mirrored = target.mirrored[side];
        let row = |&(piece, square): &(Piece, Square)| &weights[feature(perspective, mirrored, piece, square)];
        let added: ArrayVec<&Row, 2> = target.dirty.added.iter().map(row).collect();
        let removed: ArrayVec<&Row, 2> = target.dirty.removed.iter().map(row).collect();
        (self.kernels.update)(&source.values[side].0, &mut target.values[side].0, &added, &removed);
        target.is_computed[side] = true;
    }

    /// Computes a ply from the last accumulator that was built for the same view.
    fn rebuild(&mut self, board: &Board, ply: usize, perspective: Color) {
        let side = perspective.index();
        let target = &mut self.plies[ply];
        let mirrored = target.mirrored[side];
        let cached = &mut self.cache[side][usize::from(mirrored)];
        let weights = &self.network.weights.ft_weights;
        let (mut added, mut removed) = (ArrayVec::<&Row, 32>::new(), ArrayVec::<&Row, 32>::new());
        for piece in Piece::ALL {
            let now = board.pieces(piece.color(), piece.kind());
            let then = std::mem::replace(&mut cached.pieces[piece.index()], now);
            let row = |square| &weights[feature(perspective, mirrored, piece, square)];
            added.extend((now & !then).into_iter().map(row));
            removed.extend((then & !now).into_iter().map(row));
        }
        (self.kernels.update)(&cached.values.0, &mut target.values[side].0, &added, &removed);
        cached.values = target.values[side];
        target.is_computed[side] = true;
    }
}
