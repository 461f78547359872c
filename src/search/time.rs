//! Time: what the clock and the move time are turned into.
//!
//! The soft bound is looked at between iterations and bends with the course of the search; the hard bound is never
//! crossed.

use std::time::Duration;

use super::limits::{Clock, Limits};

/// How many more moves a game without time control is expected to last.
const EXPECTED_MOVES: u32 = 24;
/// Share of the clock that one move may take at most.
const HARD_SHARE: f64 = 0.4;
/// The same when the next move brings new time.
const HARD_SHARE_LAST_MOVE: f64 = 0.8;
/// The hard bound as a multiple of the soft one.
const HARD_FACTOR: f64 = 4.0;

/// The bounds of one search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeBounds {
    /// Start no further iteration beyond this, if nothing unusual happens.
    pub(super) soft: Option<Duration>,
    /// Stop at once.
    pub(super) hard: Option<Duration>,
}

impl TimeBounds {
    pub(super) fn new(limits: &Limits) -> Self {
        let from_clock = limits.clock.map(|clock| clock_bounds(&clock, limits.move_overhead));
        // Even a very short move time is mostly for thinking.
        let movetime = limits.movetime.map(|time| time - limits.move_overhead.min(time / 2));
        Self {
            soft: from_clock.map(|(soft, _)| soft),
            hard: match (from_clock, movetime) {
                (Some((_, hard)), Some(movetime)) => Some(hard.min(movetime)),
                (Some((_, hard)), None) => Some(hard),
                (None, movetime) => movetime,
            },
        }
    }
}

/// Soft and hard bound for a clock.
fn clock_bounds(clock: &Clock, overhead: Duration) -> (Duration, Duration) {
    let available = clock.remaining.saturating_sub(overhead).as_secs_f64();
    let moves = clock.moves_to_go.unwrap_or(EXPECTED_MOVES).clamp(1, EXPECTED_MOVES);
    let hard_share = if moves == 1 { HARD_SHARE_LAST_MOVE } else { HARD_SHARE };
    let most = available * hard_share;
    let soft = (available / f64::from(moves) + 0.5 * clock.increment.as_secs_f64()).min(most);
    let hard = (soft * HARD_FACTOR).min(most);
    (Duration::from_secs_f64(soft), Duration::from_secs_f64(hard))
}

/// What the finished iterations say about the need for time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// For how many iterations the best move has been the same.
    pub(super) stability: u32,
    /// Share of the nodes that went into the best move, 0 to 1.
    pub(super) best_move_share: f64,
    /// How far the score fell since the last iteration, in units of the evaluation; negative when it rose.
    pub(super) score_drop: i32,
}

impl Progress {
    /// The factor on the soft bound.
    pub(super) fn scale(&self) -> f64 {
        let stability = 1.25 - 0.06 * f64::from(self.stability.min(8));
        let effort = 1.55 - 0.9 * self.best_move_share;
        let drop = 1.0 + 0.006 * f64::from(self.score_drop.clamp(-15, 60));
        stability * effort * drop
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(remaining: u64, increment: u64, moves_to_go: Option<u32>, overhead: u64) -> (Duration, Duration) {
        let [remaining, increment, overhead] = [remaining, increment, overhead].map(Duration::from_millis);
        clock_bounds(&Clock { remaining, increment, moves_to_go }, overhead)
    }

    #[test]
    fn the_hard_bound_leaves_time_on_the_clock() {
        for remaining in [0, 1, 5, 10, 50, 100, 1_000, 60_000, 7_200_000] {
            for increment in [0, 10, 100, 5_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40)] {
                    let (soft, hard) = bounds(remaining, increment, moves_to_go, 10);
                    assert!(soft <= hard);
                    assert!(hard <= Duration::from_millis(remaining.saturating_sub(10)) * 4 / 5);
                }
            }
        }
    }

    #[test]
    fn overhead_is_taken_once() {
        let (soft, _) = bounds(1_000, 0, Some(1), 500);
        assert_eq!(soft, Duration::from_millis(400));
        let limits = Limits {
            movetime: Some(Duration::from_millis(1_000)),
            move_overhead: Duration::from_millis(300),
            ..Limits::default()
        };
        assert_eq!(TimeBounds::new(&limits).hard, Some(Duration::from_millis(700)));
        let short = Limits { movetime: Some(Duration::from_millis(10)), ..limits };
        assert_eq!(TimeBounds::new(&short).hard, Some(Duration::from_millis(5)));
    }

    #[test]
    fn a_steady_search_takes_less_time() {
        let steady = Progress { stability: 8, best_move_share: 0.9, score_drop: 0 };
        let wavering = Progress { stability: 0, best_move_share: 0.3, score_drop: 40 };
        assert!(steady.scale() < 0.7 && wavering.scale() > 1.3);
    }
}
