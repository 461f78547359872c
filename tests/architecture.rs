//! What the source promises about itself: dependencies run one way, only the front end makes text, every `unsafe`
//! says why, files stay small, and the README tells the truth.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crate::util::{Failures, files_below, read, root};

/// The top-level modules and what each may use. A new module must find its place here.
const MAY_USE: [(&str, &[&str]); 16] = [
    ("types", &[]),
    ("cpu", &[]),
    ("rng", &[]),
    ("board", &["types", "rng"]),
    ("rules", &["types", "board"]),
    ("referee", &["types", "board", "rules"]),
    ("perft", &["types", "board"]),
    ("nnue", &["types", "board"]),
    ("tb", &["types", "board"]),
    ("eval", &["types", "board", "rules", "nnue", "tb"]),
    ("search", &["types", "rng", "board", "rules", "nnue", "tb", "eval"]),
    ("bench", &["types", "board", "rules", "perft", "nnue", "tb", "eval", "search"]),
    ("datagen", &["types", "rng", "board", "rules", "nnue", "tb", "eval", "search"]),
    ("train", &["types", "rng", "board", "nnue", "datagen"]),
    ("uci", &["types", "board", "rules", "perft", "nnue", "tb", "eval", "search", "bench", "datagen"]),
    (
        "main",
        &["types", "board", "rules", "referee", "perft", "cpu", "eval", "search", "bench", "datagen", "train", "uci"],
    ),
];

/// Longest file in `src`, in lines.
const LONGEST_FILE: usize = 700;
/// The functions of the search are shorter, in lines.
const LONGEST_SEARCH_FUNCTION: usize = 150;
/// Longest `main.rs`, in lines.
const LONGEST_MAIN: usize = 40;

/// The files of `src` with their text.
fn sources() -> Vec<(String, String)> {
    let sources: Vec<(String, String)> = files_below("src")
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| (path.to_string_lossy().into_owned(), read(&path)))
        .collect();
    assert!(sources.len() > 20, "only {} files found", sources.len());
    sources
}

/// The modules of a file, from the top: `src/board/fen.rs` is `board`, `fen`, and `src/board/mod.rs` is `board`.
fn module_path(path: &str) -> Vec<&str> {
    let path = path.trim_start_matches("src/").trim_end_matches(".rs");
    path.split('/').filter(|part| *part != "mod").collect()
}

/// A line without its comment. A `//` in a string is cut too, which loses no path.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// The first names after each `prefix` in a text: one, or those of a group in braces.
fn names_after(prefix: &str, text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (start, _) in text.match_indices(prefix) {
        let before = text[..start].chars().next_back();
        if before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_' || letter == ':') {
            continue;
        }
        let rest = &text[start + prefix.len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut item = String::new();
            for letter in group.chars() {
                match letter {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => names.extend(first_name(&std::mem::take(&mut item))),
                    _ if depth == 0 => item.push(letter),
                    _ => {}
                }
            }
            names.extend(first_name(&item));
        } else {
            names.extend(first_name(rest));
        }
    }
    names
}

fn first_name(text: &str) -> Option<String> {
    let name: String =
        text.trim_start().chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// The top-level modules that a file names.
fn uses(path: &str, text: &str) -> BTreeSet<String> {
    let code: String = text.lines().map(|line| format!("{}\n", code(line))).collect();
    let module = module_path(path);
    let mut used = names_after("crate::", &code);
    used.extend(names_after("$crate::", &code));
    used.extend(names_after("rokade::", &code));
    // `super` may climb to the crate as well.
    used.extend(names_after(&"super::".repeat(module.len()), &code));
    used.retain(|name| MAY_USE.iter().any(|(module, _)| module == name));
    used.remove(module[0]);
    used
}

/// Every arrow between top-level modules, with the files it comes from.
fn arrows() -> BTreeMap<(String, String), Vec<String>> {
    let mut arrows: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (path, text) in sources() {
        for used in uses(&path, &text) {
            arrows.entry((module_path(&path)[0].to_owned(), used)).or_default().push(path.clone());
        }
    }
    arrows
}

#[test]
fn every_module_has_a_place_in_the_order() {
    let modules: BTreeSet<String> =
        sources().iter().map(|(path, _)| module_path(path)[0].to_owned()).filter(|name| name != "lib").collect();
    for module in &modules {
        assert!(MAY_USE.iter().any(|(name, _)| name == module), "{module} is not in the table");
    }
}

#[test]
fn dependencies_run_one_way() {
    let mut failures = Failures::default();
    for ((module, used), files) in arrows() {
        let allowed = MAY_USE.iter().any(|(name, allowed)| *name == module && allowed.contains(&used.as_str()));
        failures.check(allowed || module == "lib", || format!("{module} uses {used}: {files:?}"));
    }
    failures.finish(10);
}

#[test]
fn the_table_of_dependencies_has_no_circle() {
    // Each row may use only modules of earlier rows.
    for (index, (module, allowed)) in MAY_USE.iter().enumerate() {
        for used in *allowed {
            assert!(MAY_USE[..index].iter().any(|(name, _)| name == used), "{module} may use {used}");
        }
    }
}

#[test]
fn the_reader_of_dependencies_sees_every_way_to_write_one() {
    for (path, text, expected) in [
        ("src/eval/mod.rs", "use crate::board::Board;", "board"),
        ("src/eval/mod.rs", "use crate::{types::{Move, Score}, board};", "board types"),
        ("src/eval/mod.rs", "use crate::{\n    board::{Board, Keys},\n    search::Pool,\n};", "board search"),
        ("src/eval/mod.rs", "fn f() -> crate::uci::Line {}", "uci"),
        ("src/eval/mod.rs", "use super::search::Pool; use super::{uci, types};", "search types uci"),
        ("src/board/fen.rs", "use super::super::uci::Line; use super::search;", "uci"),
        ("src/board/fen.rs", "use super::Board; use crate::board::Keys; // crate::uci", ""),
        ("src/board/fen.rs", "//! [`crate::search`]", ""),
        ("src/main.rs", "use rokade::uci; rokade::bench::run();", "bench uci"),
        ("src/board/mod.rs", "macro_rules! m { () => { $crate::search::f() } }", "search"),
        ("src/board/mod.rs", "use arrayvec::ArrayVec; use std::search::x;", ""),
    ] {
        let found: Vec<String> = uses(path, text).into_iter().collect();
        assert_eq!(found.join(" "), expected, "{path}: {text}");
    }
}

#[test]
fn nothing_below_the_front_end_and_the_tools_prints() {
    let mut failures = Failures::default();
    for (path, text) in sources() {
        let module = module_path(&path)[0];
        for (number, line) in text.lines().enumerate() {
            let prints =
                ["println!", "print!", "dbg!", "io::stdout", "io::stderr"].iter().any(|way| code(line).contains(way));
            let may_print = ["uci", "main", "referee", "datagen", "train"].contains(&module);
            failures.check(!prints || may_print, || format!("{path}:{}: {line}", number + 1));
        }
    }
    failures.finish(1_000);
}

#[test]
fn every_unsafe_says_why_it_is_sound() {
    for (path, text) in sources() {
        let lines: Vec<&str> = text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let is_unsafe = code(line)
                .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                .any(|word| word == "unsafe");
            if !is_unsafe {
                continue;
            }
            // The reason stands in the comment right above the statement, or in the documentation of an unsafe function.
            let reasons = lines[index.saturating_sub(8)..=index].iter();
            let has_reason = reasons.rev().any(|line| line.contains("SAFETY:") || line.contains("# Safety"));
            assert!(has_reason, "{path}:{}: {line}", index + 1);
        }
    }
}

#[test]
fn files_stay_small() {
    for (path, text) in sources() {
        let longest = if path == "src/main.rs" { LONGEST_MAIN } else { LONGEST_FILE };
        assert!(text.lines().count() <= longest, "{path} has {} lines, more than {longest}", text.lines().count());
    }
}

/// The functions of a formatted file with their lengths in lines, signature and braces included.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut functions = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some((before, name)) = code(line).split_once("fn ") else { continue };
        let indent = line.len() - line.trim_start().len();
        let is_definition = before.trim().is_empty() || before.trim_start().starts_with(['p', 'c', 'u']);
        let end = format!("{}}}", " ".repeat(indent));
        let length = lines[start..].iter().position(|line| *line == end);
        if let (true, Some(length)) = (is_definition, length) {
            functions.push((name.to_owned(), length + 1));
        }
    }
    functions
}

#[test]
fn functions_of_the_search_stay_readable() {
    let in_search = sources().into_iter().filter(|(path, _)| path.starts_with("src/search/"));
    let functions: Vec<(String, usize)> = in_search.flat_map(|(_, text)| functions(&text)).collect();
    assert!(functions.len() > 100, "only {} functions found", functions.len());
    for (name, length) in functions {
        assert!(length < LONGEST_SEARCH_FUNCTION, "{name} has {length} lines");
    }
}

#[test]
fn every_file_opens_with_what_it_owns() {
    let tests = files_below("tests").into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let tests = tests.map(|path| (path.to_string_lossy().into_owned(), read(&path)));
    for (path, text) in sources().into_iter().chain(tests) {
        assert!(text.starts_with("//! "), "{path} does not open with a //! line");
    }
}

/// An option as the README or the engine describes it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OptionRow {
    name: String,
    kind: String,
    default: String,
    range: String,
}

/// The rows of the README's table whose heading begins with `| Option |`.
fn options_of_the_readme() -> BTreeSet<OptionRow> {
    let readme = read("README.md");
    let rows = readme.lines().skip_while(|line| !line.starts_with("| Option |")).skip(2);
    let parse = |line: &str| {
        let cells: Vec<String> = line.split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect();
        let [_, name, kind, default, range, ..] = &cells[..] else { panic!("{line}") };
        let (name, kind) = (name.clone(), kind.clone());
        OptionRow { name, kind, default: default.clone(), range: range.clone() }
    };
    rows.take_while(|line| line.starts_with('|')).map(parse).collect()
}

/// The value after a word of an option line, up to the next word of the protocol.
fn value_of(word: &str, line: &str) -> String {
    let words = line.split(' ').skip_while(|next| *next != word).skip(1);
    let value = words.take_while(|next| !["type", "default", "min", "max", "var"].contains(next));
    value.collect::<Vec<_>>().join(" ")
}

fn options_of_the_engine() -> BTreeSet<OptionRow> {
    let output = Command::new(env!("CARGO_BIN_EXE_rokade")).arg("uci").output().expect("the engine runs");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("plain text");
    let parse = |line: &str| {
        let (min, max) = (value_of("min", line), value_of("max", line));
        OptionRow {
            name: value_of("name", line),
            kind: value_of("type", line),
            default: value_of("default", line),
            range: if min.is_empty() { String::new() } else { format!("{min} to {max}") },
        }
    };
    text.lines().filter(|line| line.starts_with("option name ")).map(parse).collect()
}

#[test]
fn the_readme_lists_exactly_the_options_of_the_engine() {
    let mut engine = options_of_the_engine();
    // The numbers of the search, for tuners only.
    engine.retain(|option| option.name.contains(char::is_uppercase) || !option.name.contains('_'));
    assert!(engine.len() >= 8, "{engine:?}");
    let mut readme = options_of_the_readme();
    if !cfg!(feature = "syzygy") {
        readme.retain(|option| !option.name.starts_with("Syzygy"));
    }
    assert_eq!(readme, engine);
}

/// The pieces of a text between pairs of backticks on one line.
fn code_spans(text: &str) -> Vec<&str> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Whether a word looks like a file of the source tree: a name with an ending, or a path.
fn looks_like_a_file(word: &str) -> bool {
    let plain = word.chars().all(|letter| letter.is_alphanumeric() || "._-/".contains(letter));
    let has_ending =
        [".rs", ".sh", ".md", ".toml", ".yml", ".lock", ".txt", ".epd", ".tsv"].iter().any(|end| word.ends_with(end));
    let is_path = ["src/", "tests/", ".ci/", ".github/", ".cargo/", "./"].iter().any(|start| word.starts_with(start));
    plain && (has_ending || is_path)
}

#[test]
fn the_readme_names_only_files_that_exist() {
    let readme = read("README.md");
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let links = links.filter(|link| !link.contains("://") && !link.starts_with('#'));
    let words = code_spans(&readme).into_iter().flat_map(|span| span.split(' ')).chain(readme.split_whitespace());
    let named: BTreeSet<&str> = links.chain(words.filter(|word| looks_like_a_file(word))).collect();
    assert!(named.len() >= 5, "{named:?}");
    for name in named {
        // What a build makes is not in the tree.
        if !name.starts_with("target/") && !name.starts_with("./target/") {
            assert!(root().join(name).exists(), "the README names {name}, which does not exist");
        }
    }
}

#[test]
fn the_data_has_a_note_for_every_file() {
    let notes = read("tests/data/README.md");
    for path in files_below("tests/data") {
        let name = path.strip_prefix("tests/data").unwrap_or(Path::new("")).to_string_lossy().into_owned();
        assert!(
            name == "README.md" || notes.contains(&format!("`{name}`")),
            "tests/data/README.md does not name {name}"
        );
    }
}

#[test]
fn the_readme_shows_the_picture_of_the_crate_documentation() {
    let picture = |text: &str| {
        let plain = text.lines().map(|line| line.trim_start_matches("//! ").trim().to_owned());
        plain.filter(|line| line.contains(" <- ")).collect::<Vec<_>>()
    };
    let documented = picture(&read("src/lib.rs"));
    assert!(!documented.is_empty());
    assert_eq!(picture(&read("README.md")), documented);
}

#[test]
fn the_readme_asks_for_the_version_of_rust_that_the_manifest_asks_for() {
    let manifest = read("Cargo.toml");
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = \"")?.strip_suffix('"'));
    let version = version.expect("a version of Rust in Cargo.toml");
    let asked = format!("{version} or later");
    assert!(read("README.md").contains(&asked), "the README does not ask for Rust {asked}");
}
