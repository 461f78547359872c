//! What the search remembers about the line it is in, ply by ply.

use arrayvec::ArrayVec;

use super::history::PieceTo;
use crate::board::Threats;
use crate::types::{MAX_PLY, Move, Score};

/// How many plies before the root may be asked for.
const BEFORE_ROOT: usize = 4;

/// A principal variation.
pub(super) type PvLine = ArrayVec<Move, { MAX_PLY + 1 }>;

/// One ply of the line.
#[derive(Clone, Debug, Default)]
pub(super) struct Ply {
    /// The move that is searched here, as piece and target; `None` at a null move.
    pub(super) moved: Option<PieceTo>,
    /// That move, if it is quiet.
    pub(super) quiet_move: Option<Move>,
    /// The static evaluation; `None` in check.
    pub(super) static_eval: Option<Score>,
    /// What the opponent attacks; known where moves are tried.
    pub(super) threats: Threats,
    /// A quiet move that cut off a sibling.
    pub(super) killer: Option<Move>,
    /// The move that a singular search leaves out here.
    pub(super) excluded: Option<Move>,
    /// Cutoffs of the nodes searched here since the ply before the last began.
    pub(super) cutoffs: u32,
    /// How many plies may be looked back for repetitions.
    pub(super) reversible: usize,
}

/// The plies of the line and the variations found below each.
pub(super) struct Stack {
    plies: Vec<Ply>,
    pvs: Vec<PvLine>,
}

impl Stack {
    pub(super) fn new() -> Self {
        Self { plies: vec![Ply::default(); BEFORE_ROOT + MAX_PLY + 4], pvs: vec![PvLine::new(); MAX_PLY + 2] }
    }

    pub(super) fn clear(&mut self) {
        self.plies.fill(Ply::default());
    }

    pub(super) fn at(&self, ply: usize) -> &Ply {
        &self.plies[BEFORE_ROOT + ply]
    }

    pub(super) fn at_mut(&mut self, ply: usize) -> &mut Ply {
        &mut self.plies[BEFORE_ROOT + ply]
    }

    /// The ply `back` (at most 4) plies before; empty ones stand before the root.
    pub(super) fn before(&self, ply: usize, back: usize) -> &Ply {
        &self.plies[BEFORE_ROOT + ply - back]
    }

    pub(super) fn pv(&self, ply: usize) -> &PvLine {
        &self.pvs[ply]
    }

    pub(super) fn clear_pv(&mut self, ply: usize) {
        self.pvs[ply].clear();
    }

    /// The variation at `ply` becomes `m` and what was found below it.
    pub(super) fn extend_pv(&mut self, ply: usize, m: Move) {
        let (above, below) = self.pvs.split_at_mut(ply + 1);
        let (line, tail) = (&mut above[ply], &below[0]);
        line.clear();
        line.push(m);
        line.extend(tail.iter().copied().take(MAX_PLY));
    }
}
