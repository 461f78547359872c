//! A filter in front of the PGN reader, which passes over words of the move text that it cannot read. A referee must
//! not: each such word becomes a null move, and is kept so that the judge can quote it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::rc::Rc;

use pgn_reader::SanPlus;
use pgn_reader::shakmaty::san::San;

/// The words that could not be read, in order.
pub(super) type Oddities = Rc<RefCell<VecDeque<String>>>;

/// What the reader sees in place of a word that it cannot read.
const NULL_MOVE: &[u8] = b"--";
/// Longer words are cut when they are quoted.
const LONGEST_QUOTE: usize = 40;
/// Longer words are no moves; the rest of them is dropped.
const LONGEST_WORD: usize = 64;
/// More words are not kept to be quoted.
const MOST_QUOTES: usize = 1_000;
/// What may stand before everything else.
const BOM: &[u8] = b"\xef\xbb\xbf";
/// Bytes read at a time.
const CHUNK: usize = 1 << 16;

/// Where in a PGN the next byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// At the start of a line, outside comments.
    LineStart,
    /// In the move text, between words.
    Gap,
    /// In a word of the move text.
    Word,
    /// In a tag or after a `%` at the start of a line, or after a `;`: to the end of the line.
    Line,
    /// In a comment in braces.
    Comment,
}

/// A PGN in which every word of a game's moves can be read.
pub(super) struct Words<R> {
    input: R,
    place: Place,
    /// How many parentheses are open.
    depth: usize,
    /// Whether the last line had nothing on it so far; a blank line ends a game, and with it open parentheses.
    is_blank_line: bool,
    /// How much of a byte order mark has been passed.
    skipped: usize,
    word: Vec<u8>,
    ready: Vec<u8>,
    taken: usize,
    chunk: Box<[u8]>,
    oddities: Oddities,
}

impl<R: Read> Words<R> {
    /// The filter, and the words that it will find to be unreadable.
    pub(super) fn new(input: R) -> (Self, Oddities) {
        let oddities = Oddities::default();
        let words = Self {
            input,
            place: Place::LineStart,
            depth: 0,
            is_blank_line: true,
            skipped: 0,
            word: Vec::new(),
            ready: Vec::new(),
            taken: 0,
            chunk: vec![0; CHUNK].into_boxed_slice(),
            oddities: Rc::clone(&oddities),
        };
        (words, oddities)
    }

    fn take_byte(&mut self, byte: u8) {
        match self.place {
            Place::Comment => {
                self.ready.push(byte);
                if byte == b'}' {
                    self.place = Place::Gap;
                }
            }
            Place::Line => {
                self.ready.push(byte);
                if byte == b'\n' {
                    self.start_line();
                }
            }
            Place::LineStart if byte == b'[' || byte == b'%' => {
                if byte == b'[' {
                    self.depth = 0;
                }
                self.place = Place::Line;
                self.ready.push(byte);
            }
            // A byte order mark, or blanks before a tag.
            Place::LineStart if self.skipped < BOM.len() && byte == BOM[self.skipped] => {
                self.skipped += 1;
                self.ready.push(byte);
            }
            Place::LineStart if matches!(byte, b' ' | b'\t' | b'\r') => self.ready.push(byte),
            Place::LineStart | Place::Gap if is_between_words(byte) => self.take_separator(byte),
            Place::Word if is_between_words(byte) => {
                self.end_word();
                self.take_separator(byte);
            }
            Place::LineStart | Place::Gap | Place::Word => {
                self.place = Place::Word;
                self.skipped = BOM.len();
                self.is_blank_line = false;
                if self.word.len() <= LONGEST_WORD {
                    self.word.push(byte);
                }
            }
        }
    }

    fn take_separator(&mut self, byte: u8) {
        self.ready.push(byte);
        match byte {
            b'\n' => return self.start_line(),
            b'{' => self.place = Place::Comment,
            b';' => self.place = Place::Line,
            b'(' => self.depth += 1,
            b')' => self.depth = self.depth.saturating_sub(1),
            // The reader knows tags and escaped lines at the very start of a line only.
            _ => self.place = Place::Gap,
        }
        if matches!(byte, b'(' | b')') {
            self.place = Place::Gap;
        }
        self.is_blank_line &= matches!(byte, b' ' | b'\t' | b'\r');
    }

    fn start_line(&mut self) {
        if self.is_blank_line {
            self.depth = 0;
        }
        self.is_blank_line = true;
        self.place = Place::LineStart;
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        match readable(&word) {
            _ if self.depth > 0 => self.ready.extend_from_slice(&word),
            Some(text) => self.ready.extend_from_slice(text),
            None => {
                self.ready.extend_from_slice(NULL_MOVE);
                let quote: String = String::from_utf8_lossy(&word).chars().take(LONGEST_QUOTE).collect();
                let is_odd = |letter: char| letter.is_control();
                let mut oddities = self.oddities.borrow_mut();
                if oddities.len() < MOST_QUOTES {
                    oddities.push_back(quote.replace(is_odd, "?"));
                }
            }
        }
    }
}

/// Whether a byte ends a word. Dots belong to the words: they part move numbers from moves, and "e.p." from nothing.
fn is_between_words(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'{' | b'}' | b'(' | b')' | b';')
}

/// What the reader should see of a word; `None` if it would pass over something that ought to be a move.
fn readable(word: &[u8]) -> Option<&[u8]> {
    const HARMLESS: [&[u8]; 3] = [b"e.p.", b"ep", b"*"];
    if HARMLESS.contains(&word) || is_result(word) || word.starts_with(b"$") {
        return Some(word);
    }
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let dots = word[digits..].iter().take_while(|&&byte| byte == b'.').count();
    // Castling may be written with zeros.
    let is_number = word.get(digits).is_none_or(|&next| next == b'.' || next.is_ascii_alphabetic());
    let start = if is_number { digits + dots } else { 0 };
    let text = &word[start..];
    let text = text.strip_suffix(b"e.p.").unwrap_or(text);
    // Signs of check, mate and praise say nothing of which move it is.
    let end = text.iter().rposition(|byte| !b"+#!?=-".contains(byte)).map_or(0, |last| last + 1);
    let text = &text[..end];
    let is_move = match SanPlus::from_ascii(text) {
        Ok(san) => san.san != San::Null,
        Err(_) => text.is_empty() && start + end == word.len() || is_sign(word) || matches!(text, b"0-0" | b"0-0-0"),
    };
    if is_move || is_result(text) || text == b"*" { Some(&word[..start + end]) } else { None }
}

/// Whether a word is only signs, as they stand after a move and a blank.
fn is_sign(word: &[u8]) -> bool {
    word != b"--" && word.iter().all(|byte| b"+#!?=-".contains(byte))
}

/// Whether a word is a result, perhaps with another dash than the usual one, or with one half.
fn is_result(word: &[u8]) -> bool {
    if word.len() > 12 || !matches!(word.first(), Some(b'0' | b'1' | 0xC2)) {
        return false;
    }
    let text = String::from_utf8_lossy(word).replace(['–', '—'], "-").replace('½', "1/2");
    matches!(&*text, "1-0" | "0-1" | "1/2-1/2")
}

impl<R: Read> Read for Words<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.ready.len() {
            self.ready.clear();
            self.taken = 0;
            let mut chunk = std::mem::take(&mut self.chunk);
            let count = self.input.read(&mut chunk);
            if let Ok(count) = count {
                chunk[..count].iter().for_each(|&byte| self.take_byte(byte));
            }
            self.chunk = chunk;
            if count? == 0 {
                if self.place == Place::Word {
                    self.end_word();
                    self.place = Place::Gap;
                }
                if self.ready.is_empty() {
                    return Ok(0);
                }
            }
        }
        let count = buffer.len().min(self.ready.len() - self.taken);
        buffer[..count].copy_from_slice(&self.ready[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}
