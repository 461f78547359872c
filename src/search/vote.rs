//! Which thread's move is played: they vote, each with the weight of its depth and of what it promises.
//!
//! The idea is from Stockfish (2018).

use super::worker::{RootMove, Worker};
use crate::types::{Move, Score, TB_WIN_IN_MAX_PLY, is_decisive};

/// What a thread is for.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    best: RootMove,
    score: Score,
    /// The depth that it completed.
    depth: i32,
}

impl Worker {
    /// What this thread is for; `None` if it has not finished a depth.
    pub(super) fn candidate(&self) -> Option<Candidate> {
        let (best, depth) = self.settled_best()?;
        Some(Candidate { best: best.clone(), score: best.last_known_score(), depth })
    }

    /// Takes over the best move of the thread that wins the vote. With several lines, or with a stop at a given depth
    /// or mate, each thread would answer the same question: then the main thread decides alone.
    pub(super) fn elect(&mut self, others: Vec<Candidate>) {
        let limits = &self.shared.limits;
        if limits.multi_pv > 1 || limits.depth.is_some() || limits.mate.is_some() {
            return;
        }
        let Some(own) = self.candidate() else { return };
        let mut candidates = vec![own];
        candidates.extend(others);
        let winner = winner(&candidates);
        if candidates[winner].best.m() != candidates[0].best.m() {
            let Candidate { best, depth, .. } = candidates.swap_remove(winner);
            self.take_over(best, depth);
        }
    }
}

/// The place of the candidate that wins; of equals the first.
fn winner(candidates: &[Candidate]) -> usize {
    /// What the vote of the least optimistic thread counts for each ply of its depth.
    const LEAST: i64 = 14;
    let least = candidates.iter().map(|candidate| candidate.score).min().unwrap_or(0);
    let weight = |candidate: &Candidate| (i64::from(candidate.score - least) + LEAST) * i64::from(candidate.depth);
    let votes = |m: Move| -> i64 { candidates.iter().filter(|other| other.best.m() == m).map(weight).sum() };
    let rank = |candidate: &Candidate| {
        // A proven win needs no vote, and a proven loss gets none.
        let proof = if is_decisive(candidate.score) { candidate.score } else { 0 };
        let votes = if candidate.score <= -TB_WIN_IN_MAX_PLY { 0 } else { votes(candidate.best.m()) };
        (proof, votes, weight(candidate))
    };
    let ranks: Vec<_> = candidates.iter().map(rank).collect();
    (0..ranks.len()).rev().max_by_key(|&index| ranks[index]).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Square, mate_in, mated_in};

    fn candidate(to: Square, score: Score, depth: i32) -> Candidate {
        Candidate { best: RootMove::new(Move::normal(Square::E2, to)), score, depth }
    }

    #[test]
    fn the_thread_with_most_votes_behind_its_move_wins() {
        let (a, b) = (Square::E3, Square::E4);
        for (candidates, expected) in [
            (vec![candidate(a, 20, 10)], 0),
            (vec![candidate(a, 20, 10), candidate(a, 20, 10)], 0),
            (vec![candidate(a, 20, 10), candidate(b, 20, 12)], 1),
            (vec![candidate(a, 20, 12), candidate(b, 20, 11), candidate(b, 25, 11)], 2),
            (vec![candidate(a, 20, 12), candidate(b, 60, 10)], 1),
            (vec![candidate(a, 20, 30), candidate(b, mate_in(5), 10)], 1),
            (vec![candidate(a, mate_in(5), 10), candidate(b, mate_in(3), 10), candidate(a, mate_in(5), 30)], 1),
            (vec![candidate(a, mated_in(4), 30), candidate(b, -900, 10)], 1),
            (vec![candidate(a, mated_in(4), 30), candidate(b, mated_in(8), 10)], 1),
        ] {
            assert_eq!(winner(&candidates), expected, "{candidates:?}");
        }
    }
}
