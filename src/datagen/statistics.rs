//! Figures about self-play games.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Display};

use super::record::{GameRecord, Ply, ShardHeader, is_usable};
use crate::board::Board;

/// Pieces on the board of a phase: 2 to 5, 6 to 9, and so on.
const PIECES_PER_PHASE: u32 = 4;
const PHASES: usize = 8;
/// Lower ends of the bins of scores, but for the first, which has none.
const SCORE_EDGES: [i16; 14] = [-3000, -1000, -500, -250, -100, -50, -20, 20, 50, 100, 250, 500, 1000, 3000];
/// Length of the longest bar, in letters.
const BAR: f64 = 40.0;

/// Counts of what the games of one or more shards are like.
#[derive(Clone, Debug, Default)]
pub(super) struct Statistics {
    games: u64,
    plies: u64,
    results: [u64; 3],
    random_plies: BTreeMap<u8, u64>,
    /// Games by their number of plies.
    lengths: BTreeMap<usize, u64>,
    usable: u64,
    /// Usable positions by number of pieces, and by score of the side to move.
    phases: [u64; PHASES],
    scores: [u64; SCORE_EDGES.len() + 1],
    /// Sum of the absolute scores of usable positions.
    score_sum: u64,
    bytes: u64,
    /// Who made the games, by number of shards.
    origins: BTreeMap<String, u64>,
}

impl Statistics {
    /// Counts a position and what was played there.
    pub(super) fn add_position(&mut self, board: &Board, ply: &Ply) {
        self.plies += 1;
        if !is_usable(board, ply) {
            return;
        }
        self.usable += 1;
        let phase = (board.occupied().count().saturating_sub(2) / PIECES_PER_PHASE) as usize;
        self.phases[phase.min(PHASES - 1)] += 1;
        self.scores[SCORE_EDGES.partition_point(|&edge| edge <= ply.score)] += 1;
        self.score_sum += u64::from(ply.score.unsigned_abs());
    }

    /// Counts a game, apart from its positions.
    pub(super) fn add_game(&mut self, game: &GameRecord) {
        self.games += 1;
        self.results[game.result.index()] += 1;
        *self.random_plies.entry(game.random_plies).or_default() += 1;
        *self.lengths.entry(game.plies.len()).or_default() += 1;
    }

    /// Counts a shard, apart from its games.
    pub(super) fn add_shard(&mut self, header: &ShardHeader, bytes: u64) {
        self.bytes += bytes;
        *self.origins.entry(origin(header)).or_default() += 1;
    }

    /// Adds what was counted elsewhere.
    pub(super) fn merge(&mut self, other: &Self) {
        self.games += other.games;
        self.plies += other.plies;
        self.usable += other.usable;
        self.score_sum += other.score_sum;
        self.bytes += other.bytes;
        add_all(&mut self.results, &other.results);
        add_all(&mut self.phases, &other.phases);
        add_all(&mut self.scores, &other.scores);
        merge_counts(&mut self.random_plies, &other.random_plies);
        merge_counts(&mut self.lengths, &other.lengths);
        merge_counts(&mut self.origins, &other.origins);
    }

    /// The number of plies that a share of the games, 0 to 1, do not exceed.
    fn length_quantile(&self, share: f64) -> usize {
        let mut games = 0;
        for (&length, count) in &self.lengths {
            games += count;
            if games as f64 >= share * self.games as f64 {
                return length;
            }
        }
        0
    }

    fn write_games(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (origin, shards) in &self.origins {
            writeln!(f, "made by           {origin} ({shards} files)")?;
        }
        let per_usable = ratio(self.bytes, self.usable);
        writeln!(f, "bytes             {}, {per_usable:.2} per usable position", self.bytes)?;
        writeln!(f, "games             {}", self.games)?;
        let [black, draws, white] = self.results.map(|count| percent(count, self.games));
        writeln!(f, "results           White {white:.1} %, draw {draws:.1} %, Black {black:.1} %")?;
        let shares = self.random_plies.iter().map(|(plies, count)| (plies, percent(*count, self.games)));
        let shares: Vec<String> = shares.map(|(plies, share)| format!("{plies} in {share:.1} %")).collect();
        writeln!(f, "random plies      {}", shares.join(", "))?;
        writeln!(f, "plies             {}, {:.1} a game", self.plies, ratio(self.plies, self.games))?;
        let [least, tenth, half, most_of, most] = [0.0, 0.1, 0.5, 0.9, 1.0].map(|share| self.length_quantile(share));
        writeln!(f, "length            {least} to {most}, half up to {half}, 80 % from {tenth} to {most_of}")
    }

    fn write_positions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "usable positions  {}, {:.1} % of the plies", self.usable, percent(self.usable, self.plies))?;
        writeln!(f, "mean |score|      {:.1}", ratio(self.score_sum, self.usable))?;
        writeln!(f, "\npieces          usable positions")?;
        for (phase, &count) in self.phases.iter().enumerate() {
            let least = phase as u32 * PIECES_PER_PHASE + 2;
            let most = (least + PIECES_PER_PHASE - 1).min(32);
            write_bar(f, &format!("{least} to {most}"), count, self.usable)?;
        }
        writeln!(f, "\nscore           usable positions, seen by the side to move")?;
        for (bin, &count) in self.scores.iter().enumerate() {
            write_bar(f, &bin_name(bin), count, self.usable)?;
        }
        Ok(())
    }
}

impl Display for Statistics {
    /// A table for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_games(f)?;
        self.write_positions(f)
    }
}

fn origin(header: &ShardHeader) -> String {
    let ShardHeader { nodes, dfrc_percent, net_checksum, engine, settings, .. } = header;
    format!("{engine}, network {net_checksum:016x}, --nodes {nodes} --dfrc {dfrc_percent} {settings}")
}

fn bin_name(bin: usize) -> String {
    match (bin.checked_sub(1).map(|bin| SCORE_EDGES[bin]), SCORE_EDGES.get(bin)) {
        (None, Some(most)) => format!("below {most}"),
        (Some(least), Some(most)) => format!("{least} to {}", most - 1),
        (Some(least), None) => format!("from {least}"),
        (None, None) => String::new(),
    }
}

fn write_bar(f: &mut fmt::Formatter<'_>, name: &str, count: u64, total: u64) -> fmt::Result {
    let share = percent(count, total);
    let bar = "#".repeat((share / 100.0 * BAR).round() as usize);
    writeln!(f, "{}", format!("{name:14}  {share:5.1} %  {bar}").trim_end())
}

fn add_all(sums: &mut [u64], others: &[u64]) {
    for (sum, other) in sums.iter_mut().zip(others) {
        *sum += other;
    }
}

fn merge_counts<K: Ord + Clone>(sums: &mut BTreeMap<K, u64>, others: &BTreeMap<K, u64>) {
    for (key, count) in others {
        *sums.entry(key.clone()).or_default() += count;
    }
}

fn ratio(count: u64, total: u64) -> f64 {
    count as f64 / total.max(1) as f64
}

fn percent(count: u64, total: u64) -> f64 {
    100.0 * ratio(count, total)
}

/// Counts how many of a stream of keys occurred before: exactly while there are few different ones, then by those of
/// a sample. Whether a key is in the sample depends on the key alone, so all its occurrences are, or none.
#[derive(Clone, Debug, Default)]
pub(super) struct Repeats {
    /// The sample is the keys that have none of these bits.
    mask: u64,
    counts: HashMap<u64, u32>,
    /// Keys seen that are in the sample, repeats included.
    seen: u64,
}

impl Repeats {
    /// Notes a key.
    pub(super) fn add(&mut self, key: u64, most: usize) {
        if key & self.mask != 0 {
            return;
        }
        self.seen += 1;
        *self.counts.entry(key).or_default() += 1;
        if self.counts.len() > most {
            self.halve();
        }
    }

    fn halve(&mut self) {
        self.mask = self.mask << 1 | 1;
        let mask = self.mask;
        self.counts.retain(|key, _| key & mask == 0);
        self.seen = self.counts.values().map(|&count| u64::from(count)).sum();
    }

    /// Whether every key is in the sample.
    pub(super) fn is_exact(&self) -> bool {
        self.mask == 0
    }

    /// The share of keys that had occurred before, in percent.
    pub(super) fn percent(&self) -> f64 {
        percent(self.seen - self.counts.len() as u64, self.seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datagen::record::GameResult;
    use crate::rng::Rng;
    use crate::types::{Move, Square};

    fn game(score: i16, plies: usize) -> GameRecord {
        let ply = Ply { m: Move::normal(Square::E2, Square::E4), score };
        GameRecord { start: Board::startpos(), result: GameResult::Draw, plies: vec![ply; plies], random_plies: 8 }
    }

    #[test]
    fn figures_are_right_and_parts_add_up() {
        let mut total = Statistics::default();
        for (plies, score) in [(1, 25), (3, -3_500), (2, 20_000)] {
            let mut part = Statistics::default();
            let game = game(score, plies);
            game.plies.iter().for_each(|ply| part.add_position(&game.start, ply));
            part.add_game(&game);
            part.add_shard(&ShardHeader::default(), 100);
            total.merge(&part);
        }
        assert_eq!((total.games, total.plies, total.usable, total.bytes), (3, 6, 4, 300));
        assert_eq!([0.0, 0.5, 1.0].map(|share| total.length_quantile(share)), [1, 2, 3]);
        let text = total.to_string();
        for line in [
            "games             3\n",
            "results           White 0.0 %, draw 100.0 %, Black 0.0 %\n",
            "random plies      8 in 100.0 %\n",
            "usable positions  4, 66.7 % of the plies\n",
            "30 to 32        100.0 %",
            "below -3000      75.0 %",
            "20 to 49         25.0 %",
        ] {
            assert!(text.contains(line), "{line} not in:\n{text}");
        }
    }

    #[test]
    fn nothing_is_described_without_a_fault() {
        assert!(Statistics::default().to_string().contains("games             0\n"));
    }

    #[test]
    fn repeats_are_counted_or_estimated() {
        let (mut exact, mut estimated, mut rng) = (Repeats::default(), Repeats::default(), Rng::new(5));
        let keys: Vec<u64> = (0..20_000).map(|_| rng.next()).collect();
        // Every fourth key occurs twice, so a fifth of all are repeats.
        for key in keys.iter().chain(keys.iter().step_by(4)) {
            exact.add(*key, usize::MAX);
            estimated.add(*key, 5_000);
        }
        assert!(exact.is_exact() && (exact.percent() - 20.0).abs() < 1e-9);
        assert!(!estimated.is_exact() && estimated.counts.len() <= 5_000);
        assert!((estimated.percent() - 20.0).abs() < 2.0, "{}", estimated.percent());
    }
}
