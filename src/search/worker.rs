//! One search thread: iterative deepening with aspiration windows over the root moves.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crossbeam_channel::Sender;

use super::correction::Corrections;
use super::draw::tt_key;
use super::history::{Histories, PieceTo};
use super::node::RootNode;
use super::params;
use super::pool::Shared;
use super::report::{Bound, Event, Line};
use super::searcher::game_over_score;
use super::stack::Stack;
use super::time::{Progress, TimeBounds};
use crate::board::Board;
use crate::eval;
use crate::nnue::accumulator::{Accumulators, DirtyPieces};
use crate::nnue::kernels::Kernels;
use crate::nnue::network::Network;
use crate::rules::{Game, dead};
use crate::tb::{Outcome, RankedMove};
use crate::types::{INFINITE, MAX_PLY, Move, Score, moves_to_mate};

/// Nodes between two looks at clock and stop signal.
const CHECK_INTERVAL: u64 = 512;
/// The first iteration is finished even after a stop, unless it takes so many nodes.
const FIRST_ITERATION_NODES: u64 = 4_000;
/// From this time on the current root move and failed windows are reported.
const TALKATIVE_AFTER: Duration = Duration::from_secs(3);

/// A move at the root and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    m: Move,
    /// The score in this iteration; `-INFINITE` if it was not better than the best.
    score: Score,
    /// The score of the last iteration.
    previous_score: Score,
    /// The place that the endgame tables give it; moves of the highest rank are searched first.
    rank: i32,
    /// What the endgame tables make of it, and in how many plies.
    pub(super) table_outcome: Option<(Outcome, i32)>,
    pv: Vec<Move>,
    seldepth: usize,
    nodes: u64,
}

impl RootMove {
    pub(super) fn new(m: Move) -> Self {
        Self {
            m,
            score: -INFINITE,
            previous_score: -INFINITE,
            rank: 0,
            table_outcome: None,
            pv: vec![m],
            seldepth: 0,
            nodes: 0,
        }
    }

    fn ranked(ranked: &RankedMove) -> Self {
        let table_outcome = ranked.outcome.map(|outcome| (outcome, ranked.plies));
        Self { rank: ranked.rank, table_outcome, ..Self::new(ranked.m) }
    }

    pub(super) fn m(&self) -> Move {
        self.m
    }

    pub(super) fn last_known_score(&self) -> Score {
        if self.score == -INFINITE { self.previous_score } else { self.score }
    }
}

/// The state of one search thread. Histories live as long as the game.
pub(super) struct Worker {
    /// 0 is the main worker, which alone reports and watches the clock.
    id: usize,
    pub(super) shared: Arc<Shared>,
    /// Where the reports go; `None` for a search that is called like a function.
    events: Option<Sender<Event>>,
    pub(super) histories: Histories,
    pub(super) corrections: Corrections,
    pub(super) stack: Stack,
    accumulators: Accumulators,
    /// Keys of the positions before the current one, as far back as repetitions reach.
    pub(super) keys: Vec<u64>,
    /// Neither side can win from the root, and so from nowhere.
    pub(super) is_root_dead: bool,
    root_moves: Vec<RootMove>,
    /// The most men on a board that is looked up in the endgame tables; 0 for none.
    pub(super) probe_men: u32,
    pub(super) tb_hits: u64,
    /// Nothing is skipped by static margins: a mate was asked for, or the tables know that the root moves being
    /// searched win, and what remains is to find the shortest mate.
    pub(super) seeks_mate: bool,
    /// Which of the best lines is searched, from 0.
    pub(super) pv_index: usize,
    pub(super) root_depth: i32,
    completed_depth: i32,
    pub(super) seldepth: usize,
    pub(super) nodes: u64,
    next_check: u64,
    bounds: TimeBounds,
    /// The soft bound passed while pondering, so stop when the move comes.
    stop_on_ponderhit: bool,
    pub(super) stopped: bool,
    /// Below this ply null moves are not tried, while one is being verified.
    pub(super) nmp_min_ply: usize,
}

impl Worker {
    pub(super) fn new(id: usize, shared: Arc<Shared>, network: Arc<Network>, events: Option<Sender<Event>>) -> Self {
        Self {
            id,
            bounds: TimeBounds::new(&shared.limits),
            shared,
            events,
            histories: Histories::new(),
            corrections: Corrections::new(),
            stack: Stack::new(),
            accumulators: Accumulators::new(network, MAX_PLY + 2),
            keys: Vec::new(),
            is_root_dead: false,
            root_moves: Vec::new(),
            probe_men: 0,
            tb_hits: 0,
            seeks_mate: false,
            pv_index: 0,
            root_depth: 0,
            completed_depth: 0,
            seldepth: 0,
            nodes: 0,
            next_check: 0,
            stop_on_ponderhit: false,
            stopped: false,
            nmp_min_ply: 0,
        }
    }

    /// Forgets the game.
    pub(super) fn clear(&mut self) {
        self.histories.clear();
        self.corrections = Corrections::new();
    }

    /// Evaluates with another network from now on.
    pub(super) fn set_network(&mut self, network: Arc<Network>) {
        self.accumulators = Accumulators::new(network, MAX_PLY + 2);
    }

    /// Computes with these kernels from now on.
    pub(super) fn set_kernels(&mut self, kernels: Kernels) {
        self.accumulators = Accumulators::with_kernels(self.accumulators.network(), MAX_PLY + 2, kernels);
    }

    /// Runs a search to its end. The main worker reports lines, but not yet the end.
    pub(super) fn search(&mut self, shared: Arc<Shared>) {
        self.prepare(shared);
        if self.root_moves.is_empty() {
            self.report_game_over();
            return;
        }
        self.iterate();
        self.publish_nodes();
    }

    fn prepare(&mut self, shared: Arc<Shared>) {
        self.shared = shared;
        let game = &self.shared.game;
        self.keys.clear();
        self.keys.extend_from_slice(game.reversible_keys());
        self.stack.clear();
        self.stack.at_mut(0).reversible = self.keys.len();
        self.accumulators.reset(game.board());
        self.is_root_dead = dead::is_dead_statically(game.board());
        let ranking = self.shared.ranking();
        self.root_moves = match ranking {
            Some(ranking) => ranking.moves.iter().map(RootMove::ranked).collect(),
            None => self.shared.moves_to_search().into_iter().map(RootMove::new).collect(),
        };
        // Once the root moves are ranked by distance the tables have no more to say.
        let is_settled = ranking.is_some_and(|ranking| ranking.by_distance);
        let limits = &self.shared.limits;
        self.probe_men = if is_settled { 0 } else { limits.tables.max_men.min(self.shared.tables.men()) };
        self.tb_hits = 0;
        self.bounds = TimeBounds::new(limits);
        self.pv_index = 0;
        self.completed_depth = 0;
        self.nodes = 0;
        self.next_check = 0;
        self.stop_on_ponderhit = false;
        self.stopped = false;
        self.nmp_min_ply = 0;
    }

    fn is_main(&self) -> bool {
        self.id == 0
    }

    fn is_reporting(&self) -> bool {
        self.is_main() && self.events.is_some()
    }

    /// The best move of the finished search, its score, and the depth that was completed.
    pub(super) fn best(&self) -> Option<(Move, Score, u32)> {
        let best = self.root_moves.first()?;
        Some((best.m, best.shown_score(best.last_known_score()), self.completed_depth as u32))
    }

    /// The best move, and the depth that was completed; `None` before that.
    pub(super) fn settled_best(&self) -> Option<(&RootMove, i32)> {
        self.root_moves.first().filter(|_| self.completed_depth > 0).map(|best| (best, self.completed_depth))
    }

    /// Plays what another thread found at some depth.
    pub(super) fn take_over(&mut self, best: RootMove, depth: i32) {
        let Some(place) = self.root_moves.iter().position(|root_move| root_move.m == best.m) else { return };
        self.root_moves.swap(0, place);
        self.root_moves[0] = best;
        self.root_depth = depth;
        self.completed_depth = depth;
        self.report_lines(1);
    }

    // Iterations -------------------------------------------------------------------------------------------------

    fn iterate(&mut self) {
        let max_depth = self.shared.limits.depth.map_or(MAX_PLY as u32 - 1, |depth| depth.clamp(1, MAX_PLY as u32 - 1));
        let lines = self.shared.limits.multi_pv.clamp(1, self.root_moves.len());
        let mut stability = 0;
        let mut last_best: Option<(Move, Score)> = None;
        for depth in 1..=max_depth as i32 {
            self.root_depth = depth;
            let last_lines = self.root_moves[..lines].to_vec();
            for root_move in &mut self.root_moves {
                root_move.previous_score = root_move.score;
            }
            for index in 0..lines {
                self.pv_index = index;
                self.seldepth = 0;
                self.search_window();
                if self.stopped {
                    break;
                }
            }
            if self.stopped {
                self.settle_unfinished(last_lines);
                self.report_lines(lines);
                return;
            }
            self.root_moves[..lines].sort_by_key(|root_move| (-root_move.rank, -root_move.score));
            self.completed_depth = depth;
            self.report_lines(lines);

            let best = &self.root_moves[0];
            stability = if last_best.is_some_and(|(m, _)| m == best.m) { stability + 1 } else { 0 };
            let score_drop = last_best.map_or(0, |(_, score)| score - best.score);
            last_best = Some((best.m, best.score));
            if self.is_main() && self.is_enough(stability, score_drop) {
                return;
            }
        }
    }

    /// Searches the root with a window around the last score that grows until the score is inside.
    fn search_window(&mut self) {
        let shared = Arc::clone(&self.shared);
        let board = shared.game.board();
        let group = self.root_group();
        let expected = self.root_moves[self.pv_index].previous_score;
        self.seeks_mate = self.shared.limits.mate.is_some() || self.root_moves[self.pv_index].is_won();
        let (mut alpha, mut beta, mut delta) = (-INFINITE, INFINITE, params::aspiration_window(expected));
        if self.root_depth >= params::aspiration_min_depth() && expected.abs() < INFINITE {
            alpha = (expected - delta).max(-INFINITE);
            beta = (expected + delta).min(INFINITE);
        }
        loop {
            let score = self.node::<RootNode>(board, alpha, beta, self.root_depth, 0, false);
            self.root_moves[group.clone()].sort_by_key(|root_move| -root_move.score);
            if self.stopped || (alpha < score && score < beta) {
                return;
            }
            let bound = if score <= alpha { Bound::Upper } else { Bound::Lower };
            if bound == Bound::Upper {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-INFINITE);
            } else {
                beta = (score + delta).min(INFINITE);
            }
            if self.shared.limits.multi_pv == 1 && self.shared.elapsed() >= TALKATIVE_AFTER {
                self.report_line(0, self.root_depth, bound);
            }
            delta *= 2;
            if delta > 800 {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Decides what an iteration that was cut short is worth. With one line, a move that was searched to a better
    /// score than the last best one counts; with several, the last whole iteration does.
    fn settle_unfinished(&mut self, last_lines: Vec<RootMove>) {
        let nothing_new = self.root_moves[0].score == -INFINITE;
        if self.completed_depth > 0 && (last_lines.len() > 1 || nothing_new) {
            for (index, line) in last_lines.into_iter().enumerate() {
                if let Some(now) = self.root_moves.iter().position(|root_move| root_move.m == line.m) {
                    self.root_moves.swap(index, now);
                    self.root_moves[index] = line;
                }
            }
            self.root_depth = self.completed_depth;
        } else if nothing_new {
            // Not even the first move could be finished: its static value must do.
            let shared = Arc::clone(&self.shared);
            let score = self.evaluate(shared.game.board(), 0);
            self.root_moves[0].score = self.root_moves[0].settled_score(score);
        }
    }

    /// Whether another iteration is pointless or too late.
    fn is_enough(&mut self, stability: u32, score_drop: Score) -> bool {
        let best = &self.root_moves[0];
        let limits = &self.shared.limits;
        if let (Some(wanted), Some(moves)) = (limits.mate, moves_to_mate(best.score))
            && moves.unsigned_abs() <= wanted
        {
            return true;
        }
        let Some(soft) = self.bounds.soft else { return false };
        self.publish_nodes();
        let share = best.nodes as f64 / self.nodes.max(1) as f64;
        let forced = if self.root_moves.len() == 1 { 0.1 } else { 1.0 };
        let scale = Progress { stability, best_move_share: share, score_drop }.scale() * forced;
        if self.shared.spent() < soft.mul_f64(scale) {
            return false;
        }
        if self.shared.signals.is_pondering() {
            self.stop_on_ponderhit = true;
            return false;
        }
        true
    }

    // Root moves -------------------------------------------------------------------------------------------------

    /// The best move so far is tried first.
    pub(super) fn root_tt_move(&self) -> Option<Move> {
        Some(self.root_moves[self.pv_index].m)
    }

    /// Ends the search between two root moves when the soft node limit is reached.
    pub(super) fn check_soft_nodes(&mut self) {
        if self.completed_depth > 0 && self.shared.limits.soft_nodes.is_some_and(|limit| self.nodes >= limit) {
            self.shared.signals.stop();
            self.stopped = true;
        }
    }

    /// The places of the moves among which the current line is looked for: those of the best rank that is left.
    fn root_group(&self) -> Range<usize> {
        let rank = self.root_moves[self.pv_index].rank;
        let len = self.root_moves[self.pv_index..].iter().take_while(|root_move| root_move.rank == rank).count();
        self.pv_index..self.pv_index + len
    }

    /// Whether a move may be searched for the current line.
    pub(super) fn root_move_is_open(&self, m: Move) -> bool {
        self.root_moves[self.root_group()].iter().any(|root_move| root_move.m == m)
    }

    /// The score of a root move, as far as the search may decide it.
    pub(super) fn settled_score(&self, m: Move, score: Score) -> Score {
        self.root_moves.iter().find(|root_move| root_move.m == m).map_or(score, |found| found.settled_score(score))
    }

    /// Notes the result of a root move; if it was not `better`, only that it was searched.
    pub(super) fn update_root_move(&mut self, m: Move, score: Score, better: bool, nodes: u64) {
        let Some(root_move) = self.root_moves.iter_mut().find(|root_move| root_move.m == m) else { return };
        root_move.nodes += nodes;
        root_move.score = -INFINITE;
        if better {
            root_move.score = score;
            root_move.seldepth = self.seldepth;
            root_move.pv.clear();
            root_move.pv.push(m);
            root_move.pv.extend(self.stack.pv(1));
        }
    }

    // The line ---------------------------------------------------------------------------------------------------

    /// Plays a move on a copy of the board and notes it in the line.
    pub(super) fn play(&mut self, board: &Board, m: Move, ply: usize) -> Board {
        let here = self.stack.at_mut(ply);
        here.moved = PieceTo::new(board, m);
        here.quiet_move = (!board.is_noisy(m)).then_some(m);
        self.stack.at_mut(ply + 1).reversible = self.stack.at(ply).reversible + 1;
        self.keys.push(board.key());
        let mut child = board.clone();
        let mut dirty = DirtyPieces::default();
        child.make_move_observed(m, &mut dirty);
        self.accumulators.push(ply + 1, &child, dirty);
        self.corrections.prefetch(&child, self.last_moves(ply + 1));
        child
    }

    /// Passes. Repetitions do not reach across a null move.
    pub(super) fn play_null(&mut self, board: &Board, ply: usize) -> Board {
        let here = self.stack.at_mut(ply);
        here.moved = None;
        here.quiet_move = None;
        self.stack.at_mut(ply + 1).reversible = 0;
        self.keys.push(board.key());
        let mut child = board.clone();
        child.make_null();
        self.accumulators.push(ply + 1, &child, DirtyPieces::default());
        self.shared.tt.prefetch(tt_key(&child));
        child
    }

    /// Takes back what `play` noted.
    pub(super) fn unplay(&mut self) {
        self.keys.pop();
    }

    /// The network's evaluation of the position at `ply` of the line, as it goes into the table.
    pub(super) fn raw_eval(&mut self, board: &Board, ply: usize) -> Score {
        let value = self.accumulators.evaluate(board, ply);
        let misjudgment = self.shared.limits.strength.map_or(0, |strength| strength.misjudgment(board.key()));
        eval::bounded(value + misjudgment)
    }

    /// The evaluation to work with, where no table entry is at hand.
    pub(super) fn evaluate(&mut self, board: &Board, ply: usize) -> Score {
        eval::scale_by_clock(self.raw_eval(board, ply), board.halfmove_clock())
    }

    /// Not directly after another null move.
    pub(super) fn null_move_allowed(&self, ply: usize) -> bool {
        ply > 0 && ply >= self.nmp_min_ply && self.stack.before(ply, 1).moved.is_some()
    }

    // Limits -----------------------------------------------------------------------------------------------------

    /// Counts a node, and now and then looks at the limits.
    #[inline]
    pub(super) fn count_node(&mut self) {
        self.nodes += 1;
        if self.nodes >= self.next_check {
            self.check_limits();
        }
    }

    fn check_limits(&mut self) {
        self.publish_nodes();
        self.next_check = self.nodes + CHECK_INTERVAL;
        if self.is_main() {
            if let Some(limit) = self.shared.limits.node_limit() {
                let left = limit.saturating_sub(self.shared.total_nodes());
                self.next_check = self.next_check.min(self.nodes + left.max(1));
                if left == 0 {
                    self.shared.signals.stop();
                }
            }
            if self.is_out_of_time() {
                self.shared.signals.stop();
            }
        }
        let may_stop = self.completed_depth > 0 || !self.is_main() || self.nodes >= FIRST_ITERATION_NODES;
        self.stopped = may_stop && self.shared.signals.is_stopped();
    }

    fn is_out_of_time(&self) -> bool {
        let signals = &self.shared.signals;
        if signals.is_pondering() {
            return false;
        }
        self.stop_on_ponderhit || self.bounds.hard.is_some_and(|hard| self.shared.spent_on_clock() >= hard)
    }

    fn publish_nodes(&self) {
        self.shared.nodes[self.id].0.store(self.nodes, Relaxed);
        self.shared.tb_hits[self.id].0.store(self.tb_hits, Relaxed);
    }

    // Reports ----------------------------------------------------------------------------------------------------

    fn send(&self, event: Event) {
        if let (true, Some(events)) = (self.is_main(), &self.events) {
            // Nobody listening is no reason to stop.
            let _ = events.send(event);
        }
    }

    fn report_lines(&self, lines: usize) {
        if self.is_reporting() {
            self.publish_nodes();
            for index in 0..lines {
                self.report_line(index, self.root_depth, Bound::Exact);
            }
        }
    }

    fn report_line(&self, index: usize, depth: i32, bound: Bound) {
        let root_move = &self.root_moves[index];
        let pv = playable(&self.shared.game, &root_move.pv);
        self.send(Event::Line(Line {
            depth: depth as u32,
            seldepth: root_move.seldepth.max(pv.len()) as u32,
            multipv: index + 1,
            score: root_move.shown_score(root_move.last_known_score()),
            bound,
            nodes: self.shared.total_nodes(),
            hashfull: self.shared.tt.hashfull(),
            tbhits: self.shared.total_tb_hits(),
            time: self.shared.elapsed(),
            pv,
        }));
    }

    /// Without a legal move there is nothing to search: the score says whether it is mate.
    fn report_game_over(&self) {
        self.send(Event::Line(Line {
            depth: 0,
            seldepth: 0,
            multipv: 1,
            score: game_over_score(&self.shared.game),
            bound: Bound::Exact,
            nodes: 0,
            hashfull: 0,
            tbhits: 0,
            time: self.shared.elapsed(),
            pv: Vec::new(),
        }));
    }

    pub(super) fn report_current_move(&self, m: Move, number: usize) {
        if self.is_reporting() && self.shared.elapsed() >= TALKATIVE_AFTER {
            self.send(Event::CurrentMove { depth: self.root_depth as u32, current: m, number: number + self.pv_index });
        }
    }

    /// Says that the search is over, with the best move and the reply that is expected.
    pub(super) fn report_finished(&self) {
        let best = self.root_moves.first().map(|root_move| root_move.m);
        let ponder = self.root_moves.first().and_then(|root_move| self.expected_reply(root_move));
        self.send(Event::Finished { best, ponder });
    }

    fn expected_reply(&self, best: &RootMove) -> Option<Move> {
        if let Some(&reply) = playable(&self.shared.game, &best.pv).get(1) {
            return Some(reply);
        }
        let mut game = self.shared.game.clone();
        game.play(best.m);
        if game.outcome().is_some() {
            return None;
        }
        let entry = self.shared.tt.probe(tt_key(game.board()))?;
        entry.best.filter(|&reply| game.board().is_legal(reply))
    }
}

/// The part of a variation that can be played: up to the first draw or mate.
fn playable(game: &Game, pv: &[Move]) -> Vec<Move> {
    let mut game = game.clone();
    let mut line = Vec::with_capacity(pv.len());
    for &m in pv {
        if !game.board().is_legal(m) {
            debug_assert!(false, "illegal move {m} in a variation");
            break;
        }
        line.push(m);
        game.play(m);
        if game.outcome().is_some() {
            break;
        }
    }
    line
}
