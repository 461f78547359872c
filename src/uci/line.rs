//! From the bytes of one line of input to its canonical text.

use super::command::Verb;

/// A line of input without the differences that mean nothing: byte order mark, carriage return, extra blanks, unknown
/// words before the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputLine {
    /// A line that begins with a known command; one blank between words, except inside the value of a `setoption`.
    Command(String),
    /// The words of a line in which no command was found.
    Unknown(String),
}

/// Makes a line canonical; `None` when there is nothing on it.
///
/// Unknown words are skipped up to the first command of the protocol. The commands that only a person types count as
/// the first word alone: they are plain English words, which a chatty program may well send.
///
/// ```
/// use rokade::uci::line::{InputLine, canonicalize};
/// assert_eq!(canonicalize(b"joho  debug\ton\r"), Some(InputLine::Command("debug on".into())));
/// assert_eq!(canonicalize(b"hello world"), Some(InputLine::Unknown("hello world".into())));
/// assert_eq!(canonicalize(b" \r"), None);
/// ```
#[must_use]
pub fn canonicalize(bytes: &[u8]) -> Option<InputLine> {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = &*text;
    let mut is_first = true;
    while let Some((word, after)) = split_word(rest) {
        match Verb::parse(word) {
            Some(Verb::SetOption) => return Some(InputLine::Command(canonical_set_option(rest))),
            Some(verb) if is_first || verb.is_protocol() => return Some(InputLine::Command(collapse_blanks(rest))),
            _ => {}
        }
        rest = after;
        is_first = false;
    }
    let words = collapse_blanks(&text);
    (!words.is_empty()).then_some(InputLine::Unknown(words))
}

/// Keeps the blanks inside the value: it may be a path.
fn canonical_set_option(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((word, after)) = split_word(rest) {
        push_word(&mut line, word);
        rest = after;
        if word.eq_ignore_ascii_case("value") {
            push_word(&mut line, rest.trim_matches(is_blank));
            break;
        }
    }
    line
}

fn collapse_blanks(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    text.split(is_blank).for_each(|word| push_word(&mut line, word));
    line
}

fn push_word(line: &mut String, word: &str) {
    if !line.is_empty() && !word.is_empty() {
        line.push(' ');
    }
    line.push_str(word);
}

/// The first word and what follows it.
fn split_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(is_blank);
    (!text.is_empty()).then(|| text.split_once(is_blank).unwrap_or((text, "")))
}

/// Whatever separates words: also tabs, stray control characters and a byte order mark.
fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control() || letter == '\u{feff}'
}
