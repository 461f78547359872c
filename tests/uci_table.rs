//! The syntax of UCI as tables: lines and what they mean, move texts, and what vampirc-uci makes of difficult lines.
//! What needs no running engine belongs here; what needs one is in `uci_session`.

use std::panic::catch_unwind;

use rokade::board::Board;
use rokade::types::CastlingMode::{self, Chess960, Standard};
use rokade::uci::command::{Command, GoRequest, Start, SyntaxError, parse};
use rokade::uci::convert::{parse_move, to_uci};
use rokade::uci::line::{InputLine, canonicalize};
use vampirc_uci::UciMessage;

/// What a line of input means; `None` for nothing.
fn read(line: &[u8]) -> Option<Result<Command, SyntaxError>> {
    canonicalize(line).map(|line| match line {
        InputLine::Command(line) => parse(&line),
        InputLine::Unknown(words) => Err(SyntaxError::UnknownCommand(words)),
    })
}

fn assert_reads(line: &str, expected: Result<Command, SyntaxError>) {
    assert_eq!(read(line.as_bytes()), Some(expected), "line: {line:?}");
}

fn go(change: impl FnOnce(&mut GoRequest)) -> Result<Command, SyntaxError> {
    let mut request = GoRequest::default();
    change(&mut request);
    Ok(Command::Go(Box::new(request)))
}

fn set_option(name: &str, value: Option<&str>) -> Result<Command, SyntaxError> {
    Ok(Command::SetOption { name: name.into(), value: value.map(Into::into) })
}

fn position(start: Start, moves: &[&str]) -> Result<Command, SyntaxError> {
    Ok(Command::Position { start, moves: moves.iter().map(ToString::to_string).collect() })
}

fn not_a_number(keyword: &'static str, text: &str) -> SyntaxError {
    SyntaxError::NotANumber { keyword, text: text.into() }
}

#[test]
fn lines_are_made_canonical() {
    let command = |text: &str| Some(InputLine::Command(text.into()));
    let unknown = |text: &str| Some(InputLine::Unknown(text.into()));
    let table: [(&[u8], Option<InputLine>); 20] = [
        (b"", None),
        (b"\r", None),
        (b" \t \r\n", None),
        (b"isready\r\n", command("isready")),
        (b"\xEF\xBB\xBFuci\n", command("uci")),
        (b"  go \t depth   5  \n", command("go depth 5")),
        (b"go\0depth\x0b5", command("go depth 5")),
        ("isready\u{a0}".as_bytes(), command("isready")),
        (b"hello world", unknown("hello world")),
        (b"hello \xFF\xFE world", unknown("hello \u{fffd}\u{fffd} world")),
        (b"info depth 3", unknown("info depth 3")),
        (b"joho isready", command("isready")),
        (b"joho debug on", command("debug on")),
        (b"what? GO depth 1", command("GO depth 1")),
        (b"d", command("d")),
        (b"I need help", unknown("I need help")),
        (b"uciok", unknown("uciok")),
        (
            b"setoption name  Some   Path  value   C:\\a  b\\ c  \r\n",
            command("setoption name Some Path value C:\\a  b\\ c"),
        ),
        (b"setoption  name Hash   value  ", command("setoption name Hash value")),
        (b"x setoption name A value b  c", command("setoption name A value b  c")),
    ];
    for (line, expected) in table {
        assert_eq!(canonicalize(line), expected, "line: {:?}", String::from_utf8_lossy(line));
    }
}

#[test]
fn commands_without_words() {
    for (line, command) in [
        ("uci", Command::Uci),
        ("isready", Command::IsReady),
        ("ISREADY", Command::IsReady),
        ("ucinewgame", Command::UciNewGame),
        ("stop", Command::Stop),
        ("ponderhit", Command::PonderHit),
        ("quit", Command::Quit),
        ("quit now please", Command::Quit),
        ("debug on", Command::Debug(true)),
        ("debug  off", Command::Debug(false)),
        ("register", Command::Register),
        ("register later", Command::Register),
        ("register name Some One code 4359874324", Command::Register),
        ("d", Command::Display),
        ("eval", Command::Eval),
        ("help", Command::Help),
        ("status", Command::Status { fen: None }),
        ("STATUS 8/8/8/8/8/8/8/K1k5 w - - 0 1", Command::Status { fen: Some("8/8/8/8/8/8/8/K1k5 w - - 0 1".into()) }),
        ("bench", Command::Bench { depth: None }),
        ("bench 7", Command::Bench { depth: Some(7) }),
        ("bench perft", Command::BenchPerft),
    ] {
        assert_reads(line, Ok(command));
    }
    assert_reads("debug", Err(SyntaxError::Debug));
    assert_reads("debug perhaps", Err(SyntaxError::Debug));
    assert_reads("bench x", Err(not_a_number("bench", "x")));
    assert_reads("castle kingside", Err(SyntaxError::UnknownCommand("castle kingside".into())));
}

#[test]
fn setoption() {
    assert_reads("setoption name Hash value 64 ", set_option("Hash", Some("64")));
    assert_reads("setoption name hash VALUE 64", set_option("hash", Some("64")));
    assert_reads("setoption name Move   Overhead value 50", set_option("Move Overhead", Some("50")));
    assert_reads("setoption name Clear Hash", set_option("Clear Hash", None));
    assert_reads("setoption name Hash", set_option("Hash", None));
    assert_reads("setoption name Hash value", set_option("Hash", None));
    assert_reads("setoption name SyzygyPath value <empty>", set_option("SyzygyPath", Some("<empty>")));
    assert_reads("setoption name Path value /a  b;c/value x", set_option("Path", Some("/a  b;c/value x")));
    assert_reads("setoption name ValueScale value 3", set_option("ValueScale", Some("3")));
    assert_reads("setoption name Piece values value 3", set_option("Piece values", Some("3")));
    assert_reads("setoption name A value b\rgo infinite", set_option("A", Some("b\rgo infinite")));
    for line in ["setoption", "setoption name", "setoption Threads value 4", "setoption name value 5"] {
        assert_reads(line, Err(SyntaxError::SetOption));
    }
}

#[test]
fn positions() {
    let fen = |text: &str| Start::Fen(text.into());
    assert_reads("position startpos", position(Start::Startpos, &[]));
    assert_reads("position startpos moves", position(Start::Startpos, &[]));
    assert_reads("position  startpos  moves  e2e4   e7e5 ", position(Start::Startpos, &["e2e4", "e7e5"]));
    assert_reads("position startpos moves E2E4 a7a8Q", position(Start::Startpos, &["e2e4", "a7a8q"]));
    assert_reads("position startpos moves e1h1", position(Start::Startpos, &["e1h1"]));
    // What is no move stays in the list, for whoever plays it.
    assert_reads("position startpos moves e2e4 xyz g1f3", position(Start::Startpos, &["e2e4", "xyz", "g1f3"]));
    assert_reads("position startpos moves 0000", position(Start::Startpos, &["0000"]));
    let four_fields = "5rk1/2p4p/2p4r/3P4/4p1b1/1Q2NqPp/PP3P1K/R4R2 b - -";
    assert_reads(&format!("position fen {four_fields} moves"), position(fen(four_fields), &[]));
    let shredder = "r1kqrbbn/pppp3p/2n3p1/4p3/P3P3/2N3N1/1PPP2PP/R1K1RBB1 w EAea - 0 1";
    assert_reads(&format!("position fen {shredder} moves c1a1"), position(fen(shredder), &["c1a1"]));
    assert_reads("position fen  no   such thing", position(fen("no such thing"), &[]));
    assert_reads("position fen", position(fen(""), &[]));
    for line in ["position", "position moves e2e4", "position startpos e2e4", "position 8/8/8/8/8/8/8/8 w - -"] {
        assert_reads(line, Err(SyntaxError::Position));
    }
    assert_reads("position chess960 0", position(Start::Chess960(0, 0), &[]));
    assert_reads("position Chess960 959 moves e2e4", position(Start::Chess960(959, 959), &["e2e4"]));
    assert_reads("position dfrc 1 518 moves e2e4", position(Start::Chess960(1, 518), &["e2e4"]));
    for line in ["chess960", "chess960 960", "chess960 -1", "chess960 x", "chess960 1 2", "chess960 99999999999"] {
        let error = SyntaxError::StartNumber { keyword: "chess960", numbers: "a number" };
        assert_reads(&format!("position {line}"), Err(error));
    }
    for line in ["dfrc", "dfrc 1", "dfrc 1 960", "dfrc 1 2 3", "dfrc one two"] {
        let error = SyntaxError::StartNumber { keyword: "dfrc", numbers: "two numbers" };
        assert_reads(&format!("position {line}"), Err(error));
    }
    let many = "g1f3 g8f6 f3g1 f6g8 ".repeat(1500);
    let moves: Vec<&str> = many.split_whitespace().collect();
    assert_reads(&format!("position startpos moves {many}"), position(Start::Startpos, &moves));
}

#[test]
fn go_takes_any_mix_of_words() {
    assert_reads("go", go(|_| {}));
    assert_reads("go infinite ", go(|request| request.infinite = true));
    assert_reads("go depth 5", go(|request| request.depth = Some(5)));
    assert_reads("go Depth 5", go(|request| request.depth = Some(5)));
    assert_reads("go depth 5 depth 7", go(|request| request.depth = Some(7)));
    assert_reads("go nodes 20000 mate 3", go(|request| (request.nodes, request.mate) = (Some(20_000), Some(3))));
    assert_reads(
        "go ponder wtime 1 btime 2",
        go(|request| (request.ponder, request.wtime, request.btime) = (true, Some(1), Some(2))),
    );
    assert_reads(
        "go binc 4 movestogo 40 winc 3 infinite btime 2 movetime 9 wtime 1 depth 6",
        go(|request| {
            (request.wtime, request.btime, request.winc, request.binc) = (Some(1), Some(2), Some(3), Some(4));
            (request.movestogo, request.movetime, request.depth) = (Some(40), Some(9), Some(6));
            request.infinite = true;
        }),
    );
    assert_reads("go btime 100", go(|request| request.btime = Some(100)));
}

#[test]
fn go_ends_searchmoves_at_the_first_other_word() {
    let search_moves = |moves: [&str; 2]| moves.map(str::to_owned).to_vec();
    for line in ["go searchmoves e2e4 D2D4 depth 5", "go depth 5 searchmoves e2e4 d2d4"] {
        assert_reads(
            line,
            go(|request| (request.search_moves, request.depth) = (search_moves(["e2e4", "d2d4"]), Some(5))),
        );
    }
    assert_reads(
        "go searchmoves a7a8Q e2e4 xyz g1f3 ponder",
        go(|request| {
            (request.search_moves, request.ponder) = (search_moves(["a7a8q", "e2e4"]), true);
            request.complaints = vec![SyntaxError::UnknownWords("xyz g1f3".into())];
        }),
    );
    assert_reads("go searchmoves", go(|_| {}));
    assert_reads("go searchmoves infinite", go(|request| request.infinite = true));
}

#[test]
fn go_clamps_numbers() {
    for (line, depth) in [("256", 255), ("999", 255), ("1000", 255), ("99999999999999999999", 255), ("-3", 0), ("0", 0)]
    {
        assert_reads(&format!("go depth {line}"), go(|request| request.depth = Some(depth)));
    }
    for (text, nodes) in [
        ("0", 0),
        ("-1", 0),
        ("999999999999", 999_999_999_999),
        ("1000000000000", 1_000_000_000_000),
        ("99999999999999999999", i64::MAX as u64),
        ("1000000000000 nodes 5", 5),
        ("5 nodes 1000000000000", 1_000_000_000_000),
    ] {
        assert_reads(&format!("go nodes {text}"), go(|request| request.nodes = Some(nodes)));
    }
    const LONGEST: i64 = 999_999_999_999;
    for (text, time) in
        [("-5", -5), ("+5", 5), ("0005", 5), ("1234567890123", LONGEST), ("-99999999999999999999", -LONGEST)]
    {
        assert_reads(&format!("go wtime {text}"), go(|request| request.wtime = Some(time)));
        assert_reads(&format!("go binc {text}"), go(|request| request.binc = Some(time)));
        assert_reads(&format!("go movetime {text}"), go(|request| request.movetime = Some(time)));
    }
    assert_reads("go mate 300", go(|request| request.mate = Some(255)));
    assert_reads("go movestogo 256 wtime 1", go(|request| (request.movestogo, request.wtime) = (Some(255), Some(1))));
    assert_reads("go movestogo -5", go(|request| request.movestogo = Some(0)));
}

#[test]
fn go_complains_and_goes_on() {
    let complaints = |line: &str, expected: &[SyntaxError]| {
        assert_reads(line, go(|request| (request.complaints, request.depth) = (expected.to_vec(), Some(5))));
    };
    complaints("go depth 5 fast or slow", &[SyntaxError::UnknownWords("fast or slow".into())]);
    complaints("go wtime x depth 5", &[not_a_number("wtime", "x")]);
    complaints("go movetime 1.5 depth 5", &[not_a_number("movetime", "1.5")]);
    complaints("go nodes depth 5", &[SyntaxError::MissingNumber("nodes")]);
    complaints("go depth 5 mate", &[SyntaxError::MissingNumber("mate")]);
    complaints("go depth 5 depth x", &[not_a_number("depth", "x")]);
    complaints("go wtime - nodes + depth 5", &[not_a_number("wtime", "-"), not_a_number("nodes", "+")]);
    assert_reads(
        "go movetime infinite",
        go(|request| {
            request.infinite = true;
            request.complaints = vec![SyntaxError::MissingNumber("movetime")];
        }),
    );
}

#[test]
fn perft() {
    let perft = |depth, fen: Option<&str>| Ok(Command::Perft { depth, fen: fen.map(Into::into), hash: false });
    let with_table = |depth, fen: Option<&str>| Ok(Command::Perft { depth, fen: fen.map(Into::into), hash: true });
    assert_reads("go perft 5", perft(5, None));
    assert_reads("go depth 3 perft 5", perft(5, None));
    assert_reads("go perft 0", perft(0, None));
    assert_reads("perft 4", perft(4, None));
    assert_reads("perft 4  8/8/8/8/8/8/8/8  w", perft(4, Some("8/8/8/8/8/8/8/8 w")));
    assert_reads("go perft -2", perft(0, None));
    assert_reads("perft 99999999999", perft(u32::MAX, None));
    assert_reads("go perft 6 hash", with_table(6, None));
    assert_reads("go hash perft 6", with_table(6, None));
    assert_reads("perft 6 HASH", with_table(6, None));
    assert_reads("perft 6 hash 8/8/8/8/8/8/8/8  w", with_table(6, Some("8/8/8/8/8/8/8/8 w")));
    assert_reads("go perft", Err(SyntaxError::MissingNumber("perft")));
    assert_reads("go perft x", Err(not_a_number("perft", "x")));
    assert_reads("perft", Err(SyntaxError::MissingNumber("perft")));
    assert_reads("perft x", Err(not_a_number("perft", "x")));
}

/// What vampirc-uci makes of a line, in short.
#[derive(Debug, PartialEq, Eq)]
enum Vampirc {
    Panic,
    Unknown,
    /// The messages, written out.
    Messages(Vec<String>),
}

fn observe(parse: fn(&str) -> Vec<UciMessage>, line: &str) -> Vampirc {
    let line = line.to_owned();
    match catch_unwind(|| parse(&line)) {
        Err(_) => Vampirc::Panic,
        Ok(messages) if messages.iter().any(UciMessage::is_unknown) => Vampirc::Unknown,
        Ok(messages) => Vampirc::Messages(messages.iter().map(ToString::to_string).collect()),
    }
}

fn parse_one(line: &str) -> Vec<UciMessage> {
    vec![vampirc_uci::parse_one(line)]
}

/// Each row is a reason for something in `uci::command`. A row that fails with a new version of vampirc-uci tells what
/// has changed: the code around it may become simpler, or must become wiser.
#[test]
fn vampirc_uci_as_it_is() {
    use Vampirc::{Panic, Unknown};
    let with_unknown = vampirc_uci::parse_with_unknown;
    let messages = |texts: &[&str]| Vampirc::Messages(texts.iter().map(ToString::to_string).collect());

    // Trailing blanks after go.
    for parse in [with_unknown, vampirc_uci::parse, parse_one] {
        assert_eq!(observe(parse, "go infinite "), Panic);
    }
    // Numbers that do not fit into a byte.
    for line in ["go depth 256", "go depth 999", "go mate 300", "go movestogo 256", "info depth 300"] {
        assert_eq!(observe(with_unknown, line), Panic, "{line}");
    }
    assert_eq!(observe(with_unknown, "go depth 255"), messages(&["go depth 255 "]));
    // Numbers that are too long.
    for line in ["go depth 1000", "go wtime 1234567890123", "go nodes 1234567890123"] {
        assert_eq!(observe(with_unknown, line), Unknown, "{line}");
    }
    assert_eq!(observe(parse_one, "go depth 1000"), messages(&["go depth 100 "]));
    // Flags next to a clock.
    for line in ["go ponder wtime 1 btime 2", "go infinite wtime 1 btime 2", "go movetime 5 wtime 1 btime 2"] {
        assert_eq!(observe(with_unknown, line), messages(&["go wtime 1 btime 2 "]), "{line}");
    }
    // The commands of our own.
    for line in ["go perft 5", "bench", "d", "eval"] {
        assert_eq!(observe(with_unknown, line), Unknown, "{line}");
    }
    // Several lines at once.
    assert_eq!(observe(vampirc_uci::parse, "go perft 5\nstop\n"), messages(&["stop"]));
    // Words that are no moves.
    for line in ["position startpos moves e2e4 xyz g1f3", "position startpos moves 0000"] {
        assert_eq!(observe(with_unknown, line), Unknown, "{line}");
    }
    assert_eq!(
        observe(parse_one, "position startpos moves e2e4 xyz g1f3"),
        messages(&["position startpos moves e2e4"])
    );
    assert_eq!(observe(parse_one, "position startpos moves  e2e4"), messages(&["position startpos"]));
    // FENs.
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w";
    assert_eq!(observe(with_unknown, &format!("position fen {start} KQkq - 0 1 moves")), Unknown);
    assert_eq!(observe(with_unknown, &format!("position fen {start} KQkq -")), Unknown);
    assert_eq!(observe(with_unknown, &format!("position fen {start} HAha - 0 1")), Unknown);
    // Moves are only squares.
    assert_eq!(
        observe(with_unknown, "position startpos moves e1h1 E2E4"),
        messages(&["position startpos moves e1h1 E2E4"])
    );
    // Options.
    assert_eq!(observe(with_unknown, "setoption name ValueScale value 3"), Unknown);
    assert_eq!(
        observe(parse_one, "setoption name Piece values value 3"),
        messages(&["setoption name Piece value <empty>"])
    );
    assert_eq!(observe(with_unknown, "setoption name Hash value"), Unknown);
    assert_eq!(observe(with_unknown, "setoption name Hash value 64 "), messages(&["setoption name Hash value 64 "]));
    // Good as it is.
    assert_eq!(observe(with_unknown, "go wtime -5 btime -7"), messages(&["go wtime -5 btime -7 "]));
    assert_eq!(observe(with_unknown, "ucinewgame"), messages(&["ucinewgame"]));
}

/// A small generator of pseudo-random numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }
}

const SOUP: [&str; 78] = [
    "uci",
    "debug",
    "on",
    "off",
    "isready",
    "setoption",
    "name",
    "value",
    "values",
    "Hash",
    "<empty>",
    "register",
    "later",
    "code",
    "ucinewgame",
    "position",
    "startpos",
    "fen",
    "moves",
    "e2e4",
    "E7E5",
    "a7a8q",
    "a7a8K",
    "0000",
    "xyz",
    "go",
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
    "stop",
    "ponderhit",
    "quit",
    "d",
    "eval",
    "bench",
    "help",
    "0",
    "1",
    "-1",
    "+7",
    "255",
    "256",
    "1000",
    "999999999999",
    "1000000000000",
    "99999999999999999999",
    "-99999999999999999999",
    "1.5",
    "--",
    "-",
    "8/8/8/8/8/8/8/8",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
    "w",
    "KQkq",
    "HAha",
    "",
    " ",
    "\t",
    "\r",
    "\n",
    "\0",
    "\u{feff}",
    "\u{fffd}",
    "é",
    "info",
    "bestmove",
    "id",
    "option",
];

#[test]
fn token_soup_never_panics() {
    let mut random = Random(0x5EED);
    let starts = ["go", "go", "position startpos moves", "position", "setoption name", "register", "debug", ""];
    for _ in 0..20_000 {
        let mut line = starts[random.below(starts.len())].to_owned();
        for _ in 0..random.below(12) {
            line.push_str(if random.below(20) == 0 { "" } else { " " });
            line.push_str(SOUP[random.below(SOUP.len())]);
        }
        if let Some(Ok(Command::Go(request))) = read(line.as_bytes()) {
            assert!(request.depth.is_none_or(|depth| depth <= 255), "{line:?}");
            assert!(request.search_moves.iter().all(|text| text.len() <= 5), "{line:?}");
        }
        // The second stage alone, on lines that are not canonical.
        let _ = parse(&line);
    }
}

#[test]
fn byte_soup_never_panics() {
    let mut random = Random(0xB17E5);
    for _ in 0..20_000 {
        let mut line = [&b"go depth "[..], b"setoption name ", b"position fen ", b""][random.below(4)].to_vec();
        line.extend((0..random.below(24)).map(|_| random.below(256) as u8));
        let _ = read(&line);
    }
}

#[test]
fn go_in_any_order_means_the_same() {
    let parts = [
        "wtime 1000",
        "btime -5",
        "winc 10",
        "binc 0",
        "movestogo 30",
        "depth 9",
        "nodes 1000",
        "mate 4",
        "movetime 50",
        "ponder",
        "infinite",
        "searchmoves e2e4 d2d4",
    ];
    let expected = read(format!("go {}", parts.join(" ")).as_bytes());
    let mut random = Random(7);
    for _ in 0..200 {
        let mut shuffled = parts;
        for index in (1..shuffled.len()).rev() {
            shuffled.swap(index, random.below(index + 1));
        }
        let line = format!("go {}", shuffled.join("  "));
        assert_eq!(read(line.as_bytes()), expected, "{line}");
    }
}

/// A position, its mode, a move text, and the text of the move that is meant.
const MOVE_TEXTS: [(&str, CastlingMode, &str, Option<&str>); 33] = [
    (START, Standard, "e2e4", Some("e2e4")),
    (START, Standard, "E2E4", Some("e2e4")),
    (START, Standard, "e2e5", None),
    (START, Standard, "0000", None),
    (START, Standard, "e2", None),
    (START, Standard, "e2e4q", None),
    (START, Standard, "e2e4 ", None),
    (START, Standard, "é2e4", None),
    (START, Standard, "", None),
    // Promotion.
    ("7k/P7/8/8/8/8/8/K7 w - - 0 1", Standard, "a7a8q", Some("a7a8q")),
    ("7k/P7/8/8/8/8/8/K7 w - - 0 1", Standard, "A7A8N", Some("a7a8n")),
    ("7k/P7/8/8/8/8/8/K7 w - - 0 1", Standard, "a7a8", None),
    ("7k/P7/8/8/8/8/8/K7 w - - 0 1", Standard, "a7a8k", None),
    ("7k/P7/8/8/8/8/8/K7 w - - 0 1", Standard, "a7a8qq", None),
    // En passant.
    ("k7/8/8/8/4Pp2/8/8/K7 b - e3 0 1", Standard, "f4e3", Some("f4e3")),
    // Castling where it stands in standard chess.
    (CASTLES, Standard, "e1g1", Some("e1g1")),
    (CASTLES, Standard, "e1h1", Some("e1g1")),
    (CASTLES, Standard, "e1c1", Some("e1c1")),
    (CASTLES, Standard, "e1a1", Some("e1c1")),
    (CASTLES, Standard, "E1G1", Some("e1g1")),
    (CASTLES, Standard, "e1g1q", None),
    (CASTLES, Standard, "e1b1", None),
    (CASTLES, Chess960, "e1h1", Some("e1h1")),
    (CASTLES, Chess960, "e1g1", Some("e1h1")),
    (CASTLES, Chess960, "e1c1", Some("e1a1")),
    // Castling elsewhere: king takes rook, in either mode.
    ("4k3/8/8/8/8/8/8/1R3K2 w B - 0 1", Chess960, "f1b1", Some("f1b1")),
    ("4k3/8/8/8/8/8/8/1R3K2 w B - 0 1", Chess960, "f1c1", Some("f1b1")),
    ("4k3/8/8/8/8/8/8/1R3K2 w B - 0 1", Standard, "f1b1", Some("f1b1")),
    // The king's step to its target is a plain move where that is legal.
    ("4k3/8/8/8/8/8/8/5K1R w H - 0 1", Chess960, "f1g1", Some("f1g1")),
    ("4k3/8/8/8/8/8/8/5K1R w H - 0 1", Chess960, "f1h1", Some("f1h1")),
    // The king stays, or takes the place of the rook.
    ("4k3/8/8/8/8/8/8/R1K5 w A - 0 1", Chess960, "c1a1", Some("c1a1")),
    ("4k3/8/8/8/8/8/8/R1K5 w A - 0 1", Chess960, "c1c1", None),
    ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", Chess960, "f1g1", Some("f1g1")),
];

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const CASTLES: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

#[test]
fn move_texts() {
    for (fen, mode, text, expected) in MOVE_TEXTS {
        let board = Board::from_fen(fen, mode).unwrap();
        let meant = parse_move(&board, text).map(|m| to_uci(m, mode).to_string());
        assert_eq!(meant.as_deref(), expected, "{text} in {fen}, {mode:?}");
    }
}

#[test]
fn the_plain_king_step_is_not_castling() {
    let board = Board::from_fen("4k3/8/8/8/8/8/8/5K1R w H - 0 1", Chess960).unwrap();
    assert!(!parse_move(&board, "f1g1").unwrap().is_castling());
    assert!(parse_move(&board, "f1h1").unwrap().is_castling());
}

#[test]
fn every_legal_move_is_read_back() {
    for fen in [START, CASTLES, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"] {
        for mode in [Standard, Chess960] {
            let board = Board::from_fen(fen, mode).unwrap();
            for m in board.legal_moves() {
                let text = to_uci(m, mode).to_string();
                assert_eq!(parse_move(&board, &text), Some(m), "{text} in {fen}");
                assert_eq!(parse_move(&board, &text.to_uppercase()), Some(m), "{text} in {fen}");
            }
        }
    }
}
