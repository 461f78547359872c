//! All text that the engine writes, and the one place from which it is written.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::Duration;

use vampirc_uci::{Serializable, UciInfoAttribute, UciMessage};

use super::convert::to_uci;
use super::options;
use crate::board::Board;
use crate::eval::{WinModel, material};
use crate::nnue::inspect::Inspection;
use crate::perft;
use crate::rules::dead::Winnability;
use crate::rules::{Claim, Ending, Game, chess960};
use crate::search::{Bound, Line};
use crate::tb::{Outcome, Verdict, Wdl};
#[cfg(feature = "syzygy")]
use crate::tb::{Problem, Tables};
use crate::types::{CastlingMode, Color, File, Move, Piece, Rank, Score, Square, moves_to_mate};

/// Longer texts are cut: some quote what was sent.
const LONGEST_INFO_STRING: usize = 400;

const HELP: &str = "\
Rokade speaks UCI, the Universal Chess Interface; a graphical program does the talking.
uci, isready, ucinewgame, setoption, position, go, stop, ponderhit, quit: as in the protocol
go perft <depth> [hash]: count the move sequences of so many plies, by first move, perhaps with a hash table
perft <depth> [hash] [<fen>]: the same, for any position
bench [<depth>]: search a fixed set of positions; nodes and speed
bench perft: the speed of counting, and of the engine's own move generator
d: show the position
eval: show what the network makes of the position, and the endgame tables if there are any
status [<fen>]: say how the game stands by the Laws, and who can still win
position chess960 <n>, position dfrc <white> <black>: set up a start position by its number
help: show this text";

/// Writes one message, which may have several lines, and sends it off.
pub(super) fn say(text: &str) -> io::Result<()> {
    let mut message = String::with_capacity(text.len() + 1);
    message.push_str(text);
    message.push('\n');
    let mut stdout = io::stdout().lock();
    stdout.write_all(message.as_bytes())?;
    stdout.flush()
}

/// Who this is and what can be set.
pub(super) fn greeting() -> String {
    let name = UciMessage::id_name(concat!("Rokade ", env!("CARGO_PKG_VERSION")));
    let author = UciMessage::id_author("the Rokade authors");
    let options = options::declarations();
    #[cfg(feature = "tune")]
    let options = options.chain(options::tunable_declarations());
    let options = options.map(UciMessage::Option);
    let messages = [name, author].into_iter().chain(options).chain([UciMessage::UciOk]);
    join(messages.map(|message| message.serialize()), "\n")
}

/// The numbers of the search as tuners by simultaneous perturbation want them: name, type, value, least and greatest
/// value, the change at the end, and the learning rate.
#[cfg(feature = "tune")]
pub(super) fn tunables() -> String {
    let line = |tunable: &&crate::search::Tunable| {
        let (range, step) = (&tunable.range, tunable.step);
        format!("{}, int, {}, {}, {}, {step}, 0.002", tunable.name, tunable.default, range.start(), range.end())
    };
    join(crate::search::TUNABLES.iter().map(line), "\n")
}

/// The answer to `isready`.
pub(super) fn ready() -> String {
    UciMessage::ReadyOk.serialize()
}

/// A free text, on one line.
pub(super) fn info_string(text: &dyn Display) -> String {
    let is_odd = |letter: char| letter.is_control() || letter.is_whitespace();
    let text: String = text.to_string().replace(is_odd, " ").chars().take(LONGEST_INFO_STRING).collect();
    UciMessage::info_string(text.trim_end().to_owned()).serialize()
}

/// A line of analysis of a position with so much material; if asked for, with the chances to win, draw and lose.
pub(super) fn analysis(line: &Line, material: u32, show_wdl: bool, mode: CastlingMode) -> String {
    let milliseconds = line.time.as_millis();
    let mut attributes = vec![
        UciInfoAttribute::Depth(saturating(line.depth)),
        UciInfoAttribute::SelDepth(saturating(line.seldepth)),
        UciInfoAttribute::MultiPv(u16::try_from(line.multipv).unwrap_or(u16::MAX)),
        score(WinModel::OWN.centipawns(line.score, material), line.bound),
    ];
    if show_wdl {
        let [win, draw, loss] = WinModel::OWN.wdl(line.score, material);
        attributes.push(other("wdl", &format!("{win} {draw} {loss}")));
    }
    attributes.extend([
        UciInfoAttribute::Nodes(line.nodes),
        UciInfoAttribute::Nps(nodes_per_second(line.nodes, line.time)),
        UciInfoAttribute::HashFull(u16::try_from(line.hashfull).unwrap_or(u16::MAX)),
        UciInfoAttribute::TbHits(line.tbhits),
        UciInfoAttribute::Time(vampirc_uci::Duration::milliseconds(milliseconds.try_into().unwrap_or(i64::MAX))),
    ]);
    if !line.pv.is_empty() {
        attributes.push(UciInfoAttribute::Pv(line.pv.iter().map(|&m| to_uci(m, mode)).collect()));
    }
    UciMessage::Info(attributes).serialize()
}

/// Depths and mates stay below the limit of a byte, by the size of the search stack.
fn saturating(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

fn score(score: Score, bound: Bound) -> UciInfoAttribute {
    let clamp = |moves: i32| moves.clamp(i8::MIN.into(), i8::MAX.into()) as i8;
    let mate = moves_to_mate(score).map(clamp);
    UciInfoAttribute::Score {
        cp: mate.is_none().then_some(score),
        mate,
        lower_bound: (bound == Bound::Lower).then_some(true),
        upper_bound: (bound == Bound::Upper).then_some(true),
    }
}

fn other(name: &str, value: &str) -> UciInfoAttribute {
    UciInfoAttribute::Any(name.to_owned(), value.to_owned())
}

/// The root move that is searched now. The protocol calls its place `currmovenumber`; vampirc-uci has another word.
pub(super) fn current_move(depth: u32, current: Move, number: usize, mode: CastlingMode) -> String {
    let attributes = vec![
        UciInfoAttribute::Depth(saturating(depth)),
        UciInfoAttribute::CurrMove(to_uci(current, mode)),
        other("currmovenumber", &number.to_string()),
    ];
    UciMessage::Info(attributes).serialize()
}

/// The result of a search; without a best move there is no legal one.
pub(super) fn best_move(best: Option<Move>, ponder: Option<Move>, mode: CastlingMode) -> String {
    match best {
        Some(best) => {
            let ponder = ponder.map(|m| to_uci(m, mode));
            UciMessage::BestMove { best_move: to_uci(best, mode), ponder }.serialize()
        }
        None => "bestmove (none)".to_owned(),
    }
}

/// The speed; a time too short to measure counts as one millisecond.
fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    let per_second = u128::from(nodes) * 1000 / time.as_millis().max(1);
    u64::try_from(per_second).unwrap_or(u64::MAX)
}

/// The position as a person sees it, and what the engine knows of it.
pub(super) fn position(game: &Game, mode: CastlingMode) -> String {
    let board = game.board();
    let mut moves: Vec<String> = board.legal_moves().iter().map(|&m| to_uci(m, mode).to_string()).collect();
    moves.sort_unstable();
    let lines = [
        diagram(board),
        format!("FEN: {}", board.to_fen(mode)),
        format!("Key: {:016x}", board.key()),
        start_number(board),
        list("Checkers", &board.checkers().into_iter().map(|square| square.to_string()).collect::<Vec<_>>()),
        list("Legal moves", &moves),
    ];
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The number of a start position, or both of a double one; nothing for any other position.
fn start_number(board: &Board) -> String {
    match chess960::numbers(board) {
        None => String::new(),
        Some((white, black)) if white == black => format!("Start position: {white}"),
        Some((white, black)) => format!("Start position: {white} for White, {black} for Black"),
    }
}

/// How a game stands by the Laws, in lines of a name and a value; the last is there only with endgame tables.
pub(super) fn status(
    game: &Game,
    ending: Option<Ending>,
    winnable: [Winnability; 2],
    verdict: Option<Verdict>,
) -> String {
    let board = game.board();
    let claims: Vec<&str> = game.claims().into_iter().map(Claim::name).collect();
    let winners = Color::ALL.into_iter().zip(winnable).filter_map(|(color, verdict)| match verdict {
        Winnability::Yes => Some(color_name(color).to_owned()),
        Winnability::Undecided => Some(format!("{}?", color_name(color))),
        Winnability::No => None,
    });
    let or_none = |text: String| if text.is_empty() { "none".to_owned() } else { text };
    let lines = [
        format!("side {}", color_name(board.stm())),
        format!("legal {}", board.count_legal_moves()),
        format!("check {}", if board.in_check() { "yes" } else { "no" }),
        format!("result {}", ending.map_or("*", |ending| ending.result(board.stm()).to_text())),
        format!("reason {}", ending.map_or("none", Ending::name)),
        format!("claim {}", or_none(claims.join(", "))),
        format!("winnable {}", or_none(join(winners, " "))),
    ];
    let tables = verdict.map(|verdict| format!("tables {}", table_verdict(&verdict, board)));
    join(lines.into_iter().chain(tables), "\n")
}

const fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}

fn list(name: &str, words: &[String]) -> String {
    match words.len() {
        0 => format!("{name}: none"),
        count => format!("{name}: {count}: {}", words.join(" ")),
    }
}

fn diagram(board: &Board) -> String {
    let row = |rank: usize| {
        let squares = (0..8).map(|file| Square::new(File::from_index(file), Rank::from_index(rank)));
        let letters = squares.map(|square| board.piece_on(square).map_or('.', Piece::to_char));
        format!("{} {}", rank + 1, join(letters, " "))
    };
    let files = (0..8).map(|file| File::from_index(file).to_char());
    format!("{}\n  {}", join((0..8).rev().map(row), "\n"), join(files, " "))
}

fn join<T: Display>(items: impl Iterator<Item = T>, separator: &str) -> String {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(separator)
}

/// What the network makes of a position: each piece with what it adds, every output layer, and the verdict. The wider
/// numbers are pawns (100 centipawns) for White.
pub(super) fn evaluation(board: &Board, network: &str, inspection: &Inspection, verdict: Option<Verdict>) -> String {
    let score = inspection.score();
    let own_score = if board.stm() == Color::White { score } else { -score };
    let [win, draw, loss] = WinModel::OWN.wdl(own_score, material(board));
    let centipawns = WinModel::OWN.centipawns(own_score, material(board));
    let bucket = |(index, &value): (usize, &Score)| {
        let mark = if index == inspection.bucket { " <- used here" } else { "" };
        format!("  {index}: {}{mark}", pawns(value, board))
    };
    let lines = [
        Some(contributions(board, inspection)),
        Some("Output layers, for White:".to_owned()),
        Some(join(inspection.buckets.iter().enumerate().map(bucket), "\n")),
        Some(format!("Network: {}", join(network.lines(), ", "))),
        Some(format!("Win, draw, loss for the side to move: {win} {draw} {loss} permille")),
        verdict.map(|verdict| format!("Endgame tables: {}", table_verdict(&verdict, board))),
        Some(format!("Evaluation: {centipawns} centipawns for {:?}, who is to move", board.stm())),
    ];
    join(lines.into_iter().flatten(), "\n")
}

/// What the endgame tables say of the side to move: `win, mate or the next capture or pawn move in 21 plies; ...`.
pub(super) fn table_verdict(verdict: &Verdict, board: &Board) -> String {
    let mut text = match verdict.wdl {
        Wdl::Win => "win",
        Wdl::CursedWin => "cursed win",
        Wdl::Draw => "draw",
        Wdl::BlessedLoss => "blessed loss",
        Wdl::Loss => "loss",
    }
    .to_owned();
    if let Some(dtz) = verdict.dtz.filter(|dtz| dtz.plies != 0) {
        let more = if dtz.exact { "" } else { " or one more" };
        text += &format!(", {}{more} plies to mate, capture or pawn move", dtz.plies.abs());
    }
    let outcome = match verdict.outcome {
        Some(Outcome::Win) => "won",
        Some(Outcome::EdgeWin) => "won, or drawn by one ply",
        Some(Outcome::Draw) => "drawn",
        Some(Outcome::EdgeLoss) => "lost, or drawn by one ply",
        Some(Outcome::Loss) => "lost",
        None => "unclear",
    };
    text + &format!("; with the clock at {} {outcome} for {:?}, who is to move", board.halfmove_clock(), board.stm())
}

/// How many problems with endgame tables are told one by one.
#[cfg(feature = "syzygy")]
const MOST_PROBLEMS: usize = 50;

/// The first problems, and how many more there are.
#[cfg(feature = "syzygy")]
pub(super) fn first_problems(problems: &[Problem]) -> Vec<String> {
    let mut texts: Vec<String> = problems.iter().take(MOST_PROBLEMS).map(Problem::to_string).collect();
    if let Some(more) = problems.len().checked_sub(MOST_PROBLEMS).filter(|&more| more > 0) {
        texts.push(format!("SyzygyPath: {more} more problems like these"));
    }
    texts
}

/// Which endgame tables there are.
#[cfg(feature = "syzygy")]
pub(super) fn tables_found(tables: &Tables) -> String {
    let (wdl, dtz) = tables.counts();
    format!("Endgame tables: {wdl} WDL and {dtz} DTZ found, up to {} men", tables.men())
}

/// The board with what each piece but the kings adds to White's value.
fn contributions(board: &Board, inspection: &Inspection) -> String {
    let cell = |square: Square| match board.piece_on(square) {
        None => format!("{:>7}", "."),
        Some(piece) => {
            let added = inspection.contributions.iter().find(|(other, ..)| *other == square);
            let added = added.map_or(String::new(), |&(_, _, value)| pawns(value, board));
            format!("{:>7}", format!("{}{added}", piece.to_char()))
        }
    };
    let row = |rank: usize| {
        let squares = (0..8).map(|file| Square::new(File::from_index(file), Rank::from_index(rank)));
        format!("{}{}", rank + 1, join(squares.map(cell), ""))
    };
    let files = (0..8).map(|file| format!("{:>7}", File::from_index(file).to_char()));
    format!("{}\n {}", join((0..8).rev().map(row), "\n"), join(files, ""))
}

/// A score in pawns with its sign.
fn pawns(score: Score, board: &Board) -> String {
    format!("{:+.2}", f64::from(WinModel::OWN.centipawns(score, material(board))) / 100.0)
}

/// The leaves below each move, and all together, with the speed. At depth 0 there are no moves, only the position
/// itself.
pub(super) fn divide(
    counts: &Result<Vec<(Move, u64)>, perft::Error>,
    depth: u32,
    options: perft::Options,
    time: Duration,
    mode: CastlingMode,
) -> String {
    let counts = match counts {
        Ok(counts) => counts,
        Err(error) => return info_string(&format!("perft {depth}: {error}")),
    };
    let mut lines: Vec<String> =
        counts.iter().map(|&(m, nodes)| format!("{}: {}", to_uci(m, mode), count(nodes))).collect();
    lines.sort_unstable();
    let sum = counts.iter().fold(0_u64, |sum, &(_, nodes)| sum.saturating_add(nodes));
    let nodes = if depth == 0 { 1 } else { sum };
    lines.push(format!("Nodes searched: {}", count(nodes)));
    let threads = if options.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", options.threads) };
    let table = options.table_mb.map_or("no hash table".to_owned(), |mb| format!("hash table of {mb} MB"));
    let speed = nodes_per_second(nodes, time);
    lines.push(format!("Time: {} ms, {speed} nodes per second, {threads}, {table}", time.as_millis()));
    lines.join("\n")
}

/// A number of leaves; the largest stands for all that are larger, too.
fn count(nodes: u64) -> String {
    if nodes == u64::MAX { format!("{nodes} or more") } else { nodes.to_string() }
}

/// The speed of a generator in one position.
pub(super) fn bench_perft(name: &str, depth: u32, generator: &str, nodes: u64, time: Duration) -> String {
    format!("{name} depth {depth}, {generator}: {nodes} nodes {} nps", nodes_per_second(nodes, time))
}

/// A position of the benchmark.
pub(super) fn bench_position(number: usize, fen: &str, nodes: u64) -> String {
    format!("{number}: {fen}: {nodes}")
}

/// The result of the benchmark, as test frameworks read it.
pub(super) fn bench_result(nodes: u64, time: Duration) -> String {
    format!("{nodes} nodes {} nps", nodes_per_second(nodes, time))
}

/// What can be typed.
pub(super) fn help() -> &'static str {
    HELP
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{mate_in, mated_in};

    fn line(score: Score, bound: Bound) -> Line {
        Line {
            depth: 12,
            seldepth: 20,
            multipv: 1,
            score,
            bound,
            nodes: 5000,
            hashfull: 3,
            tbhits: 0,
            time: Duration::from_millis(4),
            pv: vec![Move::normal(Square::E2, Square::E4), Move::castling(Square::E8, Square::H8)],
        }
    }

    #[test]
    fn analysis_is_written_in_the_usual_order() {
        let expected = WinModel::OWN.centipawns(-35, 78);
        assert_eq!(
            analysis(&line(-35, Bound::Exact), 78, false, CastlingMode::Standard),
            format!(
                "info depth 12 seldepth 20 multipv 1 score cp {expected} \
                 nodes 5000 nps 1250000 hashfull 3 tbhits 0 time 4 pv e2e4 e8g8"
            )
        );
        assert_eq!(
            analysis(&line(mate_in(3), Bound::Lower), 20, true, CastlingMode::Chess960),
            "info depth 12 seldepth 20 multipv 1 score mate 2 lowerbound wdl 1000 0 0 \
             nodes 5000 nps 1250000 hashfull 3 tbhits 0 time 4 pv e2e4 e8h8"
        );
        let mated = Line { pv: Vec::new(), depth: 300, ..line(mated_in(0), Bound::Upper) };
        assert_eq!(
            analysis(&mated, 20, false, CastlingMode::Standard),
            "info depth 255 seldepth 20 multipv 1 score mate 0 upperbound \
             nodes 5000 nps 1250000 hashfull 3 tbhits 0 time 4"
        );
    }

    #[test]
    fn other_lines() {
        let m = Move::normal(Square::G1, Square::F3);
        assert_eq!(current_move(9, m, 4, CastlingMode::Standard), "info depth 9 currmove g1f3 currmovenumber 4");
        assert_eq!(best_move(Some(m), None, CastlingMode::Standard), "bestmove g1f3");
        assert_eq!(best_move(Some(m), Some(m), CastlingMode::Standard), "bestmove g1f3 ponder g1f3");
        assert_eq!(best_move(None, None, CastlingMode::Standard), "bestmove (none)");
        assert_eq!(info_string(&"two\nlines\r "), "info string two lines");
    }

    #[test]
    fn speed_neither_overflows_nor_divides_by_nothing() {
        assert_eq!(nodes_per_second(7, Duration::ZERO), 7000);
        assert_eq!(nodes_per_second(1_000_000, Duration::from_millis(250)), 4_000_000);
        assert_eq!(nodes_per_second(u64::MAX, Duration::from_millis(1)), u64::MAX);
        assert_eq!(nodes_per_second(u64::MAX, Duration::from_secs(1)), u64::MAX);
    }
}
