//! Sessions with the program itself, over its standard input and output and on its command line: what is answered,
//! when, and in which order. What lines mean belongs into `uci_table`.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rokade::nnue::network::{Network, Weights};

use crate::util::TempFolder;

const PROGRAM: &str = env!("CARGO_BIN_EXE_rokade");
/// How long an answer may take that comes at once, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long to listen for an answer that must not come.
const SILENCE: Duration = Duration::from_millis(300);

/// The program in another process.
struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    /// All that was said so far.
    transcript: Vec<String>,
}

impl Session {
    fn start() -> Self {
        let mut child =
            Command::new(PROGRAM).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
        let stdout = child.stdout.take().expect("piped");
        let (sender, output) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { input: child.stdin.take(), child, output, transcript: Vec::new() }
    }

    /// Sends lines in one piece.
    fn send(&mut self, lines: &str) -> &mut Self {
        self.send_bytes(format!("{lines}\n").as_bytes())
    }

    fn send_bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.input.as_mut().expect("input is open").write_all(bytes).expect("the program reads");
        self
    }

    fn next_line(&mut self, wait: Duration) -> Option<String> {
        let line = self.output.recv_timeout(wait).ok()?;
        self.transcript.push(line.clone());
        Some(line)
    }

    /// Waits for a line that starts so, and returns it.
    fn expect(&mut self, prefix: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        while let Some(line) = self.next_line(deadline.saturating_duration_since(Instant::now())) {
            if line.starts_with(prefix) {
                return line;
            }
        }
        panic!("no '{prefix}' after {:#?}", self.transcript);
    }

    /// Waits for a line that starts so, and returns all lines up to it.
    fn expect_with_all_before(&mut self, prefix: &str) -> Vec<String> {
        let before = self.transcript.len();
        self.expect(prefix);
        self.transcript.split_off(before)
    }

    /// Fails if a line that starts so comes within a moment.
    fn expect_none(&mut self, prefix: &str) {
        let deadline = Instant::now() + SILENCE;
        while let Some(line) = self.next_line(deadline.saturating_duration_since(Instant::now())) {
            assert!(!line.starts_with(prefix), "'{line}' came too early");
        }
    }

    /// Waits until all that was sent has been answered, and returns the answers.
    fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.expect_with_all_before("readyok");
        lines.pop();
        lines
    }

    fn fen(&mut self) -> String {
        self.send("d");
        let lines = self.sync();
        lines.iter().find_map(|line| line.strip_prefix("FEN: ")).expect("the FEN is shown").to_owned()
    }

    /// Closes the input and waits for the end; returns what was said until then.
    fn finish(mut self) -> (Vec<String>, ExitStatus) {
        self.input = None;
        self.wait_for_end()
    }

    /// Waits for the end and returns what was said until then.
    fn wait_for_end(&mut self) -> (Vec<String>, ExitStatus) {
        let deadline = Instant::now() + PATIENCE;
        let before = self.transcript.len();
        loop {
            let wait = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(wait) {
                Ok(line) => self.transcript.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("no end after {:#?}", self.transcript),
            }
        }
        (self.transcript.split_off(before), self.child.wait().expect("the program ends"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn count(lines: &[String], prefix: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(prefix)).count()
}

/// The info lines with a score among these.
fn analysis(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("info") && line.contains(" score ")).collect()
}

/// Sends all of a session at once, closes the input, and returns what was said.
fn run_session(lines: &str) -> Vec<String> {
    let mut session = Session::start();
    session.send(lines);
    let (output, status) = session.finish();
    assert!(status.success(), "{status}");
    output
}

fn run_program(words: &[&str]) -> Output {
    Command::new(PROGRAM).args(words).stdin(Stdio::null()).output().expect("the program starts")
}

const KIWIPETE_BLACK: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1";
const MATED: &str = "position startpos moves f2f3 e7e5 g2g4 d8h4";
const STALEMATED: &str = "position fen 7k/7p/7P/8/1K6/8/B7/8 b - - 0 53 moves h8g8 b4b5 g8h8";

#[test]
fn uci_names_the_engine_and_its_options() {
    let mut session = Session::start();
    session.send("uci");
    let lines = session.expect_with_all_before("uciok");
    assert!(lines[0].starts_with("id name Rokade "), "{lines:#?}");
    assert!(lines[1].starts_with("id author "), "{lines:#?}");
    assert_eq!(lines.last().unwrap(), "uciok");
    for line in &lines {
        assert_eq!(line.trim(), line);
        assert!(!line.is_empty());
    }
    // With the feature `tune` the numbers of the search are options, too: lower case with underscores.
    let is_tunable = |option: &&str| {
        let name = option.split(' ').next().unwrap_or_default();
        name.contains('_') && !name.contains(char::is_uppercase)
    };
    let options = lines.iter().filter_map(|line| line.strip_prefix("option name "));
    let options = options.filter(|option| !is_tunable(option));
    let (tables, options): (Vec<&str>, Vec<&str>) = options.partition(|option| option.starts_with("Syzygy"));
    assert_eq!(
        options,
        [
            "Hash type spin default 16 min 1 max 1048576",
            "Threads type spin default 1 min 1 max 1024",
            "Clear Hash type button",
            "Ponder type check default false",
            "MultiPV type spin default 1 min 1 max 256",
            "Move Overhead type spin default 10 min 0 max 5000",
            "nodestime type spin default 0 min 0 max 1000000",
            "UCI_Chess960 type check default false",
            "UCI_ShowWDL type check default false",
            "UCI_LimitStrength type check default false",
            "UCI_Elo type spin default 1500 min 1000 max 2800",
            "EvalFile type string default <empty>",
        ]
    );
    let of_tables: &[&str] = if cfg!(feature = "syzygy") {
        &[
            "SyzygyPath type string default <empty>",
            "SyzygyProbeDepth type spin default 1 min 1 max 100",
            "SyzygyProbeLimit type spin default 7 min 0 max 7",
            "Syzygy50MoveRule type check default true",
        ]
    } else {
        &[]
    };
    assert_eq!(tables, of_tables);
    session.send("isready");
    assert_eq!(session.expect("ready"), "readyok");
}

#[test]
fn isready_is_answered_during_a_search() {
    let mut session = Session::start();
    session.send("go infinite");
    session.expect("info depth");
    session.send("isready\ndebug on\nisready");
    session.expect("readyok");
    session.expect("readyok");
    session.expect_none("bestmove");
    session.send("stop");
    session.expect("bestmove");
    let after = session.sync();
    assert_eq!(count(&after, "bestmove"), 0, "{after:#?}");
}

#[test]
fn infinite_holds_the_best_move_back() {
    for (position, go) in [
        ("position startpos", "go infinite depth 1"),
        ("position startpos", "go infinite nodes 1 movetime 1"),
        ("position startpos", "go infinite wtime 1 btime 1"),
        ("position startpos", "go"),
        ("position fen 1k6/8/1K6/5R2/8/8/8/8 w - - 0 1", "go infinite"),
        ("position fen 8/8/4k3/8/8/3K4/8/8 w - - 0 1", "go infinite"),
        (MATED, "go infinite"),
        (STALEMATED, "go infinite"),
    ] {
        let mut session = Session::start();
        session.send(&format!("{position}\n{go}"));
        session.expect("info");
        session.expect_none("bestmove");
        session.send("ponderhit");
        session.expect_none("bestmove");
        session.send("stop");
        session.expect("bestmove");
        let after = session.sync();
        assert_eq!(count(&after, "bestmove"), 0, "{after:#?}");
    }
}

#[test]
fn without_a_legal_move_there_is_none() {
    for (position, score) in [(MATED, "score mate 0"), (STALEMATED, "score cp 0")] {
        let mut session = Session::start();
        session.send(&format!("{position}\ngo depth 5"));
        let lines = session.expect_with_all_before("bestmove");
        assert_eq!(lines.last().unwrap(), "bestmove (none)");
        assert!(analysis(&lines).iter().all(|line| line.contains(score)), "{lines:#?}");
        assert!(!analysis(&lines).is_empty());
    }
}

#[test]
fn ponder_waits_for_the_hit() {
    for go in [
        "go ponder wtime 400 btime 400",
        "go ponder depth 1",
        "go ponder movetime 50",
        "go ponder",
        "go ponder nodes 1",
    ] {
        let mut session = Session::start();
        session.send(&format!("position startpos moves e2e4 e7e5\n{go}"));
        session.expect("info depth");
        session.expect_none("bestmove");
        session.send("isready");
        session.expect("readyok");
        session.send("ponderhit");
        session.expect("bestmove");
        session.send("ponderhit\nstop");
        let after = session.sync();
        assert_eq!(count(&after, "bestmove"), 0, "{after:#?}");
    }
}

#[test]
fn ponder_ends_at_a_stop() {
    let mut session = Session::start();
    session.send("go ponder wtime 1000 btime 1000");
    session.expect("info depth");
    session.send("stop");
    session.expect("bestmove");
    // The two in one piece, then a hit that comes too late.
    session.send("go ponder wtime 184000 btime 142000\nstop\nponderhit");
    session.expect("bestmove");
    session.send("go infinite ponder");
    session.send("ponderhit");
    session.expect_none("bestmove");
    session.send("stop");
    session.expect("bestmove");
}

#[test]
fn an_idle_stop_is_not_remembered() {
    let mut session = Session::start();
    session.send("stop\nponderhit\nstop");
    assert_eq!(session.sync(), [""; 0]);
    session.send("go infinite");
    session.expect_none("bestmove");
    session.send("stop");
    session.expect("bestmove");
    session.send("stop\nstop");
    assert_eq!(session.sync(), [""; 0]);
}

#[test]
fn commands_wait_in_order_until_the_best_move_is_out() {
    let mut session = Session::start();
    session.send(&format!("go infinite\nstop\nposition fen {KIWIPETE_BLACK}\ngo depth 2 searchmoves a6e2\nd"));
    session.expect("bestmove");
    assert_eq!(session.expect("bestmove").split(' ').nth(1), Some("a6e2"));
    assert_eq!(session.expect("FEN: "), format!("FEN: {KIWIPETE_BLACK}"));

    session.send("position startpos\ngo infinite\nucinewgame\nsetoption name Hash value 1\nstop\nisready");
    session.expect("bestmove");
    session.send("position fen k7/8/1K6/1R6/8/8/8/8 w - - 0 1\ngo depth 6");
    assert_eq!(session.expect("bestmove").split(' ').nth(1).map(str::len), Some(4));
    assert_eq!(count(&session.sync(), "bestmove"), 0);
}

#[test]
fn a_command_that_waits_is_not_carried_out_early() {
    let mut session = Session::start();
    session.send("go infinite\nsetoption name MultiPV value 0\nposition startpos moves e2e5\nno such command\nd");
    session.expect("info depth");
    session.expect_none("info string");
    session.send("stop");
    session.expect("bestmove");
    let lines = session.sync();
    assert_eq!(count(&lines, "info string"), 3, "{lines:#?}");
    assert_eq!(count(&lines, "FEN: "), 1, "{lines:#?}");
}

#[test]
fn a_stop_ends_the_search_it_was_sent_to() {
    let mut session = Session::start();
    // Each its own, all in one piece.
    session.send("go infinite\nstop\ngo infinite\nstop\nposition startpos moves e2e4\ngo infinite\nstop");
    for _ in 0..3 {
        session.expect("bestmove");
    }
    // One is for the search that runs; the next search waits for its own.
    session.send("go infinite\ngo infinite\nstop");
    session.expect("bestmove");
    session.expect_none("bestmove");
    session.send("stop");
    session.expect("bestmove");
    // A second one finds the second search, though it came before that began.
    session.send("go infinite\ngo infinite\nstop\nstop\nstop");
    session.expect("bestmove");
    session.expect("bestmove");
    assert_eq!(count(&session.sync(), "bestmove"), 0);
    // The same for a ponder search behind another search.
    session.send("go infinite\ngo ponder depth 1\nstop\nponderhit");
    session.expect("bestmove");
    session.expect("bestmove");
    assert_eq!(count(&session.sync(), "bestmove"), 0);
}

#[test]
fn every_go_has_one_best_move() {
    let mut session = Session::start();
    for (go, pause) in
        [("go depth 1", 0), ("go movetime 1", 1), ("go infinite", 2), ("go nodes 10", 0), ("go movetime 0", 3)]
    {
        for _ in 0..10 {
            session.send(go);
            thread::sleep(Duration::from_millis(pause));
            session.send("stop\nisready");
            session.expect("bestmove");
        }
    }
    assert_eq!(count(&session.sync(), "bestmove"), 0);
}

#[test]
fn a_best_move_follows_an_exact_score_with_a_variation() {
    let mut session = Session::start();
    for go in [
        "go depth 0",
        "go nodes 0",
        "go nodes 1",
        "go movetime 0",
        "go movetime -1",
        "go wtime 0 btime 0",
        "go btime 100",
        "go wtime -5 btime -5 movestogo -5",
        "go wtime 10 btime 10 winc 5000 binc 5000",
        "go wtime 20 movestogo 1",
        "go winc 100 binc 100",
        "go depth 3 wtime 100000 btime 100000 movetime 100000",
        "go mate 1 depth 1",
    ] {
        let before = Instant::now();
        session.send(go);
        let lines = session.expect_with_all_before("bestmove");
        assert!(before.elapsed() < Duration::from_secs(5), "{go} took {:?}", before.elapsed());
        let exact = |line: &&&String| !line.contains("bound") && line.contains(" pv ");
        assert!(analysis(&lines).iter().any(|line| exact(&line)), "{go}: {lines:#?}");
        assert_eq!(count(&lines, "info string"), 0, "{go}: {lines:#?}");
    }
}

#[test]
fn info_lines_have_the_usual_order() {
    let mut session = Session::start();
    session.send("setoption name UCI_ShowWDL value true\ngo depth 4");
    let lines = session.expect_with_all_before("bestmove");
    let words =
        ["info", "depth", "seldepth", "multipv", "score", "wdl", "nodes", "nps", "hashfull", "tbhits", "time", "pv"];
    assert!(!analysis(&lines).is_empty());
    for line in analysis(&lines) {
        let found: Vec<&str> = line.split(' ').filter(|word| words.contains(word)).collect();
        assert_eq!(found, words, "{line}");
        let wdl = line.split(" wdl ").nth(1).unwrap().split(' ').take(3);
        assert_eq!(wdl.map(|number| number.parse::<u32>().unwrap()).sum::<u32>(), 1000, "{line}");
    }
    session.send("setoption name UCI_ShowWDL value false\ngo depth 4");
    assert!(session.expect_with_all_before("bestmove").iter().all(|line| !line.contains("wdl")));
}

#[test]
fn end_of_input_stops_and_quits() {
    assert_eq!(run_session("position startpos"), [""; 0]);
    for lines in ["go infinite", "go ponder", "go infinite depth 1", "go depth 200"] {
        let output = run_session(lines);
        assert_eq!(count(&output, "bestmove"), 1, "{lines}: {output:#?}");
    }
    // What waited is still done, each search cut short.
    let output = run_session("go infinite\nposition startpos moves e2e4\ngo infinite\ngo perft 2\nd");
    assert_eq!(count(&output, "bestmove"), 2, "{output:#?}");
    assert_eq!(count(&output, "Nodes searched: 600"), 1, "{output:#?}");
    assert_eq!(count(&output, "FEN: "), 1, "{output:#?}");
    // The held move of a search that is over already.
    let mut session = Session::start();
    session.send("go infinite depth 1");
    session.expect_none("bestmove");
    assert_eq!(count(&session.finish().0, "bestmove"), 1);
    // The last line may lack its end.
    let mut session = Session::start();
    session.send_bytes(b"go perft 1");
    assert_eq!(count(&session.finish().0, "Nodes searched: 20"), 1);
}

#[test]
fn quit_acts_at_once() {
    for lines in
        ["quit", "go infinite\nquit", "go infinite\ngo infinite\nd\nquit", "go perft 12\nquit", "bench 60\nquit"]
    {
        let mut session = Session::start();
        let before = Instant::now();
        session.send(lines);
        let (output, status) = session.wait_for_end();
        assert!(status.success(), "{lines}: {status}");
        assert!(before.elapsed() < Duration::from_secs(3), "{lines}: {:?}", before.elapsed());
        assert_eq!(count(&output, "bestmove"), usize::from(lines.starts_with("go infinite")), "{lines}: {output:#?}");
        assert_eq!(count(&output, "FEN: "), 0, "{lines}: {output:#?}");
    }
}

#[test]
fn a_closed_output_ends_the_program_quietly() {
    let mut child = Command::new(PROGRAM)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("piped");
    // The program may be gone before all is written.
    let _ = input.write_all(b"uci\nisready\ngo depth 3\n");
    let status = child.wait().expect("the program ends");
    let mut complaints = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut complaints).expect("text");
    assert!(status.success(), "{status}");
    assert_eq!(complaints, "");
    drop(input);
}

#[test]
fn line_ends_and_blanks_do_not_matter() {
    let mut session = Session::start();
    session.send_bytes(b"\xEF\xBB\xBFuci\r\n");
    assert_eq!(session.expect("uciok"), "uciok");
    session.send_bytes(b"\r\n\n  \t \n   position\tstartpos   moves  e2e4 \t e7e5 \r\n d \r\n");
    assert!(session.expect("FEN: ").ends_with(" w KQkq - 0 2"));
    session.send_bytes(b" joho   isready \r\n");
    assert_eq!(session.expect("ready"), "readyok");
    session.send_bytes(b"hello   world\r\n");
    assert_eq!(session.expect("info"), "info string Unknown command: hello world");
    session.send_bytes(b"\xFF\xFE\x00nonsense\xC3\r\n");
    assert!(session.expect("info").starts_with("info string Unknown command: "));
    session.send_bytes(&[b'x'; 100_000]);
    session.send("");
    assert!(session.expect("info").len() < 1000);
    assert_eq!(session.sync(), [""; 0]);
}

#[test]
fn long_move_lists_are_read() {
    let mut session = Session::start();
    session.send(&format!("position startpos moves{}", " g1f3 g8f6 f3g1 f6g8".repeat(1500)));
    assert_eq!(session.fen().split(' ').next(), Some("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"));
    session.send("go depth 2");
    session.expect("bestmove");
}

#[test]
fn an_illegal_move_ends_the_list() {
    for bad in ["e1e3", "e7e5", "xyz", "0000", "e2e4q"] {
        let mut session = Session::start();
        session.send(&format!("position startpos moves e2e4 e7e5 {bad} g1f3"));
        let lines = session.sync();
        assert_eq!(lines.len(), 1, "{lines:#?}");
        assert!(lines[0].starts_with("info string ") && lines[0].contains(bad), "{lines:#?}");
        assert_eq!(session.fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    }
}

#[test]
fn a_refused_position_changes_nothing() {
    let mut session = Session::start();
    session.send(&format!("position fen {KIWIPETE_BLACK}"));
    for position in [
        "fen",
        "fen 8/8",
        "fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "fen 4k3/8/8/8/8/8/8/4K2X w - - 0 1",
        "fen 4k3/8/8/8/8/8/8/4K2R x - - 0 1",
        "fen 4k3/8/8/8/8/8/8/4K2R w K - x 1 moves e1g1",
        "fen 4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
        "startpos e2e4",
        "nonsense",
        "",
    ] {
        session.send(&format!("position {position}"));
        let lines = session.sync();
        assert_eq!(lines.len(), 1, "{position}: {lines:#?}");
        assert!(lines[0].starts_with("info string "), "{position}: {lines:#?}");
        assert_eq!(session.fen(), KIWIPETE_BLACK, "{position}");
    }
}

#[test]
fn a_refused_value_changes_nothing() {
    let mut session = Session::start();
    session.send("setoption name multipv value 3");
    for option in [
        "name MultiPV value 0",
        "name MultiPV value 257",
        "name MultiPV value -1",
        "name MultiPV value x",
        "name MultiPV",
        "name MultiPV value",
        "name MultiPV value <empty>",
        "name MultiPV value 99999999999999999999",
        "name Hash value 0",
        "name Threads value 2000",
        "name Move Overhead value 5001",
        "name UCI_Chess960 value maybe",
        "name NoSuchOption value 3",
        "",
        "name",
        "MultiPV value 5",
        "name value 5",
    ] {
        session.send(&format!("setoption {option}"));
        let lines = session.sync();
        assert_eq!(lines.len(), 1, "{option}: {lines:#?}");
        assert!(lines[0].starts_with("info string "), "{option}: {lines:#?}");
    }
    session.send("go depth 2");
    let lines = session.expect_with_all_before("bestmove");
    assert!(lines.iter().any(|line| line.contains(" multipv 3 ")), "{lines:#?}");
    assert!(lines.iter().all(|line| !line.contains(" multipv 4 ")), "{lines:#?}");
}

#[test]
fn options_are_set_whatever_their_case_and_blanks() {
    let mut session = Session::start();
    session.send("setoption name hash value  32 ");
    session.send("setoption name MOVE   OVERHEAD value 50");
    session.send("setoption name clear hash");
    session.send("setoption name Clear Hash value whatever");
    session.send("setoption name Ponder value TRUE");
    session.send("setoption name Threads value 2\nsetoption name Threads value 1");
    session.send("setoption name MultiPV value 2 \r");
    assert_eq!(session.sync(), [""; 0]);
    session.send("go depth 2");
    assert!(session.expect_with_all_before("bestmove").iter().any(|line| line.contains(" multipv 2 ")));
}

/// A network of zeros finds every position equal; a bad file is named, and the network in use stays.
#[test]
fn a_network_file_is_used_or_refused() {
    let folder = TempFolder::new("with networks");
    let (sound, short) = (folder.0.join("zero.nnue"), folder.0.join("short.nnue"));
    let network = Network::new(Weights::zeroed(), "zero".to_owned()).expect("zeros do not overflow");
    std::fs::write(&sound, network.to_bytes()).expect("a file");
    std::fs::write(&short, &network.to_bytes()[..1_000]).expect("a file");

    let mut session = Session::start();
    session.send("position fen 4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1");
    let mut evaluation = |value: &str| {
        session.send(&format!("setoption name EvalFile value {value}\neval"));
        let lines = session.sync();
        (lines[0].clone(), lines.last().cloned().unwrap_or_default())
    };
    let (_, own) = evaluation("<empty>");
    assert!(!own.starts_with("Evaluation: 0 "), "{own}");
    let (complaint, after) = evaluation("/no/such file");
    assert!(complaint.starts_with("info string EvalFile: /no/such file: "), "{complaint}");
    assert_eq!(after, own);
    let (_, zero) = evaluation(&sound.display().to_string());
    assert_eq!(zero, "Evaluation: 0 centipawns for White, who is to move");
    let (complaint, after) = evaluation(&short.display().to_string());
    assert!(complaint.contains("the file ends too early; the network in use stays"), "{complaint}");
    assert_eq!(after, zero);
    assert_eq!(evaluation("").1, own);
}

#[test]
fn castling_is_written_as_the_mode_wants() {
    let mut session = Session::start();
    let position = "position fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    for (mode, inputs, text) in [("false", ["e1g1", "e1h1"], "e1g1"), ("true", ["e1g1", "E1H1"], "e1h1")] {
        session.send(&format!("setoption name UCI_Chess960 value {mode}\n{position}"));
        for input in inputs {
            session.send(&format!("go searchmoves {input} depth 1"));
            let lines = session.expect_with_all_before("bestmove");
            assert_eq!(lines.last().unwrap().split(' ').nth(1), Some(text), "{lines:#?}");
            assert!(analysis(&lines).iter().all(|line| line.contains(&format!(" pv {text}"))), "{lines:#?}");
        }
        session.send("go perft 1");
        assert_eq!(count(&session.expect_with_all_before("Nodes"), &format!("{text}: 1")), 1);
        session.send(&format!("{position} moves e1g1 e8e7"));
        assert!(session.fen().starts_with("8/4k3/8/8/8/8/8/R4RK1 w"));
    }
}

#[test]
fn go_complains_once_and_searches() {
    let mut session = Session::start();
    for go in
        ["go depth 2 quickly and well", "go wtime soon depth 2", "go depth 2 mate", "go depth 2 searchmoves e2e5 d2d4"]
    {
        session.send(go);
        let lines = session.expect_with_all_before("bestmove");
        assert_eq!(count(&lines, "info string"), 1, "{go}: {lines:#?}");
        assert!(!analysis(&lines).is_empty(), "{go}: {lines:#?}");
    }
    // The list ends before the first move that is not legal.
    session.send("go depth 2 searchmoves a2a3 e2e5 d2d4");
    assert!(session.expect("bestmove").starts_with("bestmove a2a3"));
}

#[test]
fn perft_is_answered_or_refused() {
    let mut session = Session::start();
    for (line, total, manner) in [
        ("go perft 0", 1, "1 thread, no hash table"),
        ("go perft 1", 20, "1 thread, no hash table"),
        ("perft 3", 8902, "1 thread, no hash table"),
        ("setoption name Threads value 2\nperft 3", 8902, "2 threads, no hash table"),
        ("setoption name Hash value 2\ngo perft 4 hash", 197_281, "2 threads, hash table of 2 MB"),
        ("perft 2 hash 4k3/8/8/8/8/8/8/4K2R w K -", 66, "2 threads, hash table of 2 MB"),
    ] {
        session.send(line);
        let lines = session.expect_with_all_before("Time: ");
        let [moves @ .., nodes, time] = &lines[..] else { panic!("{line}: {lines:?}") };
        assert_eq!(nodes, &format!("Nodes searched: {total}"), "{line}");
        assert!(time.ends_with(&format!(" nodes per second, {manner}")), "{line}: {time}");
        let (moves, counts): (Vec<&str>, Vec<u64>) = moves
            .iter()
            .map(|line| line.split_once(": ").unwrap())
            .map(|(text, count)| (text, count.parse::<u64>().unwrap()))
            .unzip();
        assert!(moves.is_sorted(), "{line}: {moves:?}");
        assert!(counts.is_empty() || counts.iter().sum::<u64>() == total, "{line}: {counts:?}");
    }
    // A stop ends it, and is not remembered; a depth beyond all reason is no danger.
    for line in ["go perft 12", "go perft 12 hash", "go perft 99999999999"] {
        session.send(line);
        session.expect_none("Nodes searched: ");
        let before = Instant::now();
        session.send("stop");
        session.expect("info string perft ");
        assert!(before.elapsed() < Duration::from_secs(1), "{line}: {:?}", before.elapsed());
        session.send("go perft 2");
        session.expect("Nodes searched: 400");
    }
    session.sync();
    for line in ["go perft", "go perft x", "perft", "perft x", "perft 2 8/8"] {
        session.send(&format!("{line}\nstop"));
        let lines = session.sync();
        assert_eq!(lines.len(), 1, "{line}: {lines:#?}");
        assert!(lines[0].starts_with("info string "), "{line}: {lines:#?}");
    }
    // What follows waits, the barrier too.
    session.send("go perft 4\nposition startpos moves e2e4\nisready");
    let lines = session.expect_with_all_before("readyok");
    assert_eq!(count(&lines, "Nodes searched: 197281"), 1, "{lines:#?}");
}

#[test]
fn the_position_is_shown() {
    let mut session = Session::start();
    session.send("position startpos moves f2f3 e7e5 g2g4 d8h4\nd\neval");
    let lines = session.sync();
    assert_eq!(lines[0], "8 r n b . k b n r");
    assert_eq!(lines[8], "  a b c d e f g h");
    assert_eq!(lines[9], "FEN: rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3");
    assert!(lines[10].starts_with("Key: "));
    assert_eq!(lines[11], "Checkers: 1: h4");
    assert_eq!(lines[12], "Legal moves: none");
    assert!(lines[13].starts_with('8') && lines[21].ends_with('h'), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("Network: ")));
    assert!(lines.last().is_some_and(|line| line.starts_with("Evaluation: ")), "{lines:#?}");
    assert!(lines.iter().all(|line| line.trim_end() == line && !line.is_empty()), "{lines:#?}");
}

#[test]
fn the_command_line_is_one_command_or_several() {
    let text = |output: &Output| String::from_utf8(output.stdout.clone()).expect("text");
    for (words, last) in [
        (&["go", "perft", "3"][..], "Nodes searched: 8902"),
        (&["perft", "2", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"], "Nodes searched: 66"),
        (&["position startpos moves e2e4", "go perft 2"], "Nodes searched: 600"),
        (&["ucinewgame", "position startpos", "go perft 2"], "Nodes searched: 400"),
        (&["isready"], "readyok"),
        (&["go perft 1", "quit", "go perft 2"], "Nodes searched: 20"),
        (&["setoption name Threads value 2", "go perft 3 hash"], "Nodes searched: 8902"),
    ] {
        let output = run_program(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        let text = text(&output);
        let answer = text.lines().rfind(|line| !line.starts_with("Time: "));
        assert_eq!(answer, Some(last), "{words:?}");
        assert!(output.stderr.is_empty(), "{words:?}: {output:?}");
    }
    for words in [&["go", "depth", "3"][..], &["position fen k7/8/1K6/1R6/8/8/8/8 w - - 0 1", "go movetime 20"]] {
        let output = run_program(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        let lines: Vec<String> = text(&output).lines().map(str::to_owned).collect();
        assert_eq!(count(&lines, "bestmove "), 1, "{words:?}: {lines:#?}");
        assert!(!analysis(&lines).is_empty(), "{words:?}: {lines:#?}");
    }
}

#[test]
fn a_fault_on_the_command_line_ends_the_program() {
    for words in [
        &["castle"][..],
        &["go", "perft"],
        &["go", "perft", "x"],
        &["go", "depth", "x"],
        &["go", "depth", "1", "fast"],
        &["perft", "3", "8/8/8/8/8/8/8/8 w - - 0 1"],
        &["position fen 8/8", "go depth 1"],
        &["position startpos moves e2e5", "go depth 1"],
        &["setoption name Hash value 0", "go depth 1"],
        &["bench", "x"],
        &["go depth 1 searchmoves e2e5"],
    ] {
        let output = run_program(words);
        assert!(!output.status.success(), "{words:?}: {output:?}");
        assert_eq!(output.status.code(), Some(1), "{words:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{words:?}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1, "{words:?}: {output:?}");
    }
}

#[test]
fn bench_has_the_form_that_test_frameworks_read() {
    let runs = [run_program(&["bench", "3"]), run_program(&["bench", "3"])];
    let totals = runs.map(|output| {
        assert!(output.status.success(), "{output:?}");
        assert!(output.stdout.is_ascii() && output.stderr.is_empty(), "{output:?}");
        let text = String::from_utf8(output.stdout).expect("text");
        let (positions, last) = text.trim_end().rsplit_once('\n').expect("several lines");
        let words: Vec<&str> = last.split(' ').collect();
        assert!(matches!(words[..], [_, "nodes", _, "nps"]), "{last}");
        assert!(words[2].parse::<u64>().is_ok(), "{last}");
        let nodes: u64 = words[0].parse().expect("a number");
        let each =
            positions.lines().map(|line| line.rsplit_once(": ").expect("a colon").1.parse::<u64>().expect("a number"));
        assert_eq!(each.sum::<u64>(), nodes);
        nodes
    });
    assert_eq!(totals[0], totals[1]);
}
