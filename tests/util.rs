//! What the other modules share: data files, boards and moves by text, a list of failures, random numbers.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use rokade::board::Board;
use rokade::rules::Game;
use rokade::types::{CastlingMode, CastlingSide, Move, Square};

/// The root of the source tree.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file below the root.
pub(crate) fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file below a folder of the source tree, by path from the root.
pub(crate) fn files_below(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        let full = root().join(&folder);
        for entry in std::fs::read_dir(&full).unwrap_or_else(|error| panic!("{}: {error}", full.display())) {
            let entry = entry.expect("a readable folder");
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// The lines of a file below `tests/data`; there are some, or the test that reads them would hold for nothing.
pub(crate) fn lines(path: &str) -> Vec<String> {
    let lines: Vec<String> = read(Path::new("tests/data").join(path)).lines().map(str::to_owned).collect();
    assert!(!lines.is_empty(), "{path} has no lines");
    lines
}

/// The rows of a tab-separated file below `tests/data`, which has `N` columns.
pub(crate) fn rows<const N: usize>(path: &str) -> Vec<[String; N]> {
    let row = |line: &String| {
        let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
        columns.try_into().unwrap_or_else(|columns| panic!("{path}: {columns:?} has not {N} columns"))
    };
    lines(path).iter().map(row).collect()
}

/// One line of an EPD perft file.
pub(crate) struct PerftLine {
    /// The position.
    pub(crate) fen: String,
    /// Depths and their node counts, shallowest first.
    pub(crate) counts: Vec<(u32, u64)>,
}

/// The lines of a perft file (or of any EPD with `;D1 n` fields).
pub(crate) fn perft_lines(path: &str) -> Vec<PerftLine> {
    let parse = |line: &String| {
        let mut fields = line.split(';');
        let fen = fields.next().unwrap_or_default().trim().to_owned();
        let count = |field: &str| {
            let (depth, nodes) = field.trim().strip_prefix('D')?.split_once(' ')?;
            Some((depth.parse().ok()?, nodes.trim().parse().ok()?))
        };
        let counts: Vec<(u32, u64)> = fields.filter_map(count).collect();
        assert!(!counts.is_empty(), "{path}: no counts in '{line}'");
        PerftLine { fen, counts }
    };
    lines(path).iter().map(parse).collect()
}

/// The board of a FEN that the data calls playable.
pub(crate) fn board(fen: &str, mode: CastlingMode) -> Board {
    Board::from_fen(fen, mode).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The mode of a file or of a row: `standard`, or any other word for Chess960.
pub(crate) fn mode_of(variant: &str) -> CastlingMode {
    if variant == "standard" { CastlingMode::Standard } else { CastlingMode::Chess960 }
}

/// An empty folder for a test, removed at its end.
pub(crate) struct TempFolder(pub(crate) PathBuf);

impl TempFolder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rokade-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A move as UCI writes it in a mode: made here from the squares, so that the engine's own text is not its judge.
pub(crate) fn uci_text(m: Move, mode: CastlingMode) -> String {
    if m.is_castling() && mode == CastlingMode::Standard {
        let side = CastlingSide::of(m.from(), m.to());
        let target = Square::new(side.king_target(), m.from().rank());
        return format!("{}{target}", m.from());
    }
    let promotion = m.promoted_to().map(|piece| piece.to_char().to_string()).unwrap_or_default();
    format!("{}{}{promotion}", m.from(), m.to())
}

/// The legal move with a UCI text.
pub(crate) fn find_move(board: &Board, text: &str, mode: CastlingMode) -> Option<Move> {
    board.legal_moves().into_iter().find(|&m| uci_text(m, mode) == text)
}

/// A game from a FEN and UCI moves.
pub(crate) fn game(fen: &str, moves: &str, mode: CastlingMode) -> Game {
    let mut game = Game::new(board(fen, mode));
    for text in moves.split_whitespace() {
        let m = find_move(game.board(), text, mode).unwrap_or_else(|| panic!("{fen}: illegal move {text}"));
        game.play(m);
    }
    game
}

/// Collects what does not hold, so that one run of a test over data names every bad line.
#[derive(Default)]
pub(crate) struct Failures {
    list: Vec<String>,
    checks: usize,
}

impl Failures {
    /// Counts a check and notes `what` if it did not hold.
    pub(crate) fn check(&mut self, holds: bool, what: impl FnOnce() -> String) {
        self.checks += 1;
        if !holds {
            self.list.push(what());
        }
    }

    /// Counts a comparison and notes both sides if they differ.
    pub(crate) fn equal<T: PartialEq + Display>(&mut self, found: &T, expected: &T, what: &str) {
        self.check(found == expected, || format!("{what}: {found}, expected {expected}"));
    }

    /// Panics if something did not hold, or if fewer than `at_least` checks were made at all.
    pub(crate) fn finish(self, at_least: usize) {
        let shown: Vec<&str> = self.list.iter().take(60).map(String::as_str).collect();
        assert!(self.list.is_empty(), "{} of {} fail:\n{}", self.list.len(), self.checks, shown.join("\n"));
        assert!(self.checks >= at_least, "only {} checks were made", self.checks);
    }
}

/// A small deterministic random number generator: SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) struct Rng(u64);

impl Rng {
    /// The numbers of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("a small number")
    }

    /// One of a list that is not empty.
    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}
