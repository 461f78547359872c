//! Files of games: how they begin, how they are written and read.
//!
//! A shard is the magic, the version of the format (4 bytes), a frame with the header and a frame for each game. It
//! is complete after every game, so a process may be killed at any moment.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use thiserror::Error;

use super::frame::{Frame, MAX_CONTENT, push_frame, read_frame, read_up_to};
use super::{GameRecord, MalformedGame};

/// How the names of shards end.
pub const SHARD_EXTENSION: &str = "games";

const MAGIC: [u8; 8] = *b"ROKADEGM";
const VERSION: u32 = 1;
const PREFIX_BYTES: usize = MAGIC.len() + 4;
/// Longer texts in a header are cut, in characters.
const MAX_TEXT: usize = 4_000;

/// What a shard says about the games in it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ShardHeader {
    /// Soft node limit of each search.
    pub nodes: u32,
    /// Share of games that were to start from a double Chess960 position, in percent.
    pub dfrc_percent: u8,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Checksum of the network that played; 0 if none did.
    pub net_checksum: u64,
    /// Name and version of the engine.
    pub engine: String,
    /// The other settings, as command line arguments.
    pub settings: String,
}

/// Why a shard, or the rest of it, cannot be read or written.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum RecordError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("not a file of self-play games")]
    Magic,
    #[error("format version {0}, expected {VERSION}")]
    Version(u32),
    #[error("the header is damaged")]
    Header,
    #[error("game {game}, at byte {offset}, is damaged")]
    Damaged { game: u64, offset: u64 },
    #[error("game {game}, at byte {offset}, makes no sense: {reason}")]
    Malformed { game: u64, offset: u64, reason: MalformedGame },
    #[error("a game of {0} plies is too long to be recorded")]
    TooLong(usize),
}

impl ShardHeader {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.nodes.to_le_bytes().to_vec();
        bytes.push(self.dfrc_percent);
        bytes.extend(self.seed.to_le_bytes());
        bytes.extend(self.net_checksum.to_le_bytes());
        for text in [&self.engine, &self.settings] {
            let text: String = text.chars().take(MAX_TEXT).collect();
            bytes.extend((text.len() as u16).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        Some(Self {
            nodes: u32::from_le_bytes(take(&mut bytes)?),
            dfrc_percent: u8::from_le_bytes(take(&mut bytes)?),
            seed: u64::from_le_bytes(take(&mut bytes)?),
            net_checksum: u64::from_le_bytes(take(&mut bytes)?),
            engine: take_text(&mut bytes)?,
            settings: take_text(&mut bytes)?,
        })
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*head)
}

fn take_text(bytes: &mut &[u8]) -> Option<String> {
    let length = usize::from(u16::from_le_bytes(take(bytes)?));
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}

/// Writes a shard, a whole game at a time and without a buffer, so that a killed process loses no finished game.
#[derive(Debug)]
pub struct ShardWriter {
    file: File,
    bytes: u64,
    content: Vec<u8>,
    frame: Vec<u8>,
}

impl ShardWriter {
    /// Creates a shard. A file that exists is never overwritten.
    ///
    /// # Errors
    ///
    /// When the file exists or cannot be created or written.
    pub fn create(path: &Path, header: &ShardHeader) -> io::Result<Self> {
        let mut writer =
            Self { file: File::create_new(path)?, bytes: 0, content: header.to_bytes(), frame: Vec::new() };
        writer.frame.extend(MAGIC);
        writer.frame.extend(VERSION.to_le_bytes());
        writer.write_frame()?;
        Ok(writer)
    }

    /// Adds a game.
    ///
    /// # Errors
    ///
    /// When the game is too long (thirteen thousand plies fit), or the file cannot be written. After the latter the
    /// shard may end with a part of the game, which readers leave out, and nothing should be added to it.
    pub fn write(&mut self, game: &GameRecord) -> Result<(), RecordError> {
        self.content.clear();
        game.encode(&mut self.content);
        if self.content.len() > MAX_CONTENT {
            return Err(RecordError::TooLong(game.plies.len()));
        }
        self.frame.clear();
        Ok(self.write_frame()?)
    }

    fn write_frame(&mut self) -> io::Result<()> {
        push_frame(&self.content, &mut self.frame).ok_or(io::ErrorKind::InvalidInput)?;
        self.file.write_all(&self.frame)?;
        self.bytes += self.frame.len() as u64;
        Ok(())
    }

    /// Bytes written so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Closes the shard after making sure that the disk has it.
    ///
    /// # Errors
    ///
    /// When the system reports that it has not.
    pub fn finish(self) -> io::Result<()> {
        self.file.sync_all()
    }
}

/// Reads the games of a shard one by one.
///
/// The iteration ends quietly where the file ends, even within a game (`truncated` tells), and with one error where
/// the file is damaged.
///
/// ```no_run
/// use rokade::datagen::record::ShardReader;
/// let mut plies = 0;
/// for game in ShardReader::open("data/shard-000001.games".as_ref())? {
///     plies += game?.plies.len();
/// }
/// # Ok::<(), rokade::datagen::record::RecordError>(())
/// ```
#[derive(Debug)]
pub struct ShardReader<R = BufReader<File>> {
    source: R,
    header: Option<ShardHeader>,
    buffer: Vec<u8>,
    games: u64,
    offset: u64,
    truncated: u64,
    finished: bool,
}

impl ShardReader {
    /// Opens a shard and reads its header.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no shard of this version, or its header is damaged.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        Self::new(BufReader::with_capacity(1 << 16, File::open(path)?))
    }
}

impl<R: Read> ShardReader<R> {
    /// Reads the header of a shard from any source of bytes.
    ///
    /// # Errors
    ///
    /// When the source cannot be read, is no shard of this version, or its header is damaged.
    pub fn new(source: R) -> Result<Self, RecordError> {
        let mut reader =
            Self { source, header: None, buffer: Vec::new(), games: 0, offset: 0, truncated: 0, finished: false };
        reader.read_header()?;
        Ok(reader)
    }

    /// What the shard says about its games; `None` if the file ends before there is any.
    #[must_use]
    pub fn header(&self) -> Option<&ShardHeader> {
        self.header.as_ref()
    }

    /// How many bytes of an unfinished game, or header, stand at the end of the file. Known after the iteration.
    #[must_use]
    pub fn truncated(&self) -> u64 {
        self.truncated
    }

    fn read_header(&mut self) -> Result<(), RecordError> {
        self.offset = read_up_to(&mut self.source, PREFIX_BYTES, &mut self.buffer)?;
        let (magic, version) = self.buffer.split_at(self.buffer.len().min(MAGIC.len()));
        if !MAGIC.starts_with(magic) {
            return Err(RecordError::Magic);
        }
        let Ok(version) = version.try_into() else {
            self.end(self.offset);
            return Ok(());
        };
        let version = u32::from_le_bytes(version);
        if version != VERSION {
            return Err(RecordError::Version(version));
        }
        match read_frame(&mut self.source, &mut self.buffer)? {
            Frame::Whole(size) => {
                self.offset += size;
                self.header = Some(ShardHeader::from_bytes(&self.buffer).ok_or(RecordError::Header)?);
            }
            Frame::End(rest) => self.end(self.offset + rest),
            Frame::Damaged => return Err(RecordError::Header),
        }
        Ok(())
    }

    fn end(&mut self, truncated: u64) {
        self.truncated = truncated;
        self.finished = true;
    }

    fn read_game(&mut self) -> Result<Option<GameRecord>, RecordError> {
        let (game, offset) = (self.games + 1, self.offset);
        match read_frame(&mut self.source, &mut self.buffer)? {
            Frame::Whole(size) => {
                self.games = game;
                self.offset += size;
                let record = GameRecord::decode(&self.buffer);
                record.map(Some).map_err(|reason| RecordError::Malformed { game, offset, reason })
            }
            Frame::End(rest) => {
                self.end(rest);
                Ok(None)
            }
            Frame::Damaged => Err(RecordError::Damaged { game, offset }),
        }
    }
}

impl<R: Read> Iterator for ShardReader<R> {
    type Item = Result<GameRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        let item = self.read_game().transpose();
        if matches!(item, Some(Err(_))) {
            self.finished = true;
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::datagen::record::{GameResult, Ply};
    use crate::types::{Move, Square};

    fn header() -> ShardHeader {
        ShardHeader {
            nodes: 500,
            dfrc_percent: 15,
            seed: u64::MAX,
            net_checksum: 0x0123_4567_89AB_CDEF,
            engine: "rokade".to_owned(),
            settings: "--book Bücher/eröffnungen.epd".to_owned(),
        }
    }

    fn game(plies: usize) -> GameRecord {
        let ply = Ply { m: Move::normal(Square::G1, Square::F3), score: 20 };
        GameRecord { start: Board::startpos(), result: GameResult::Draw, plies: vec![ply; plies], random_plies: 63 }
    }

    /// The bytes of a shard, and where its header and each game end.
    fn shard(lengths: &[usize]) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        push_frame(&header().to_bytes(), &mut bytes).expect("a short header");
        let mut ends = vec![bytes.len()];
        for &length in lengths {
            let mut content = Vec::new();
            game(length).encode(&mut content);
            push_frame(&content, &mut bytes).expect("a short game");
            ends.push(bytes.len());
        }
        (bytes, ends)
    }

    /// How many games come out of bytes, whether an error does, and how many bytes are left over.
    fn read(bytes: &[u8]) -> (usize, bool, u64) {
        let Ok(mut reader) = ShardReader::new(bytes) else { return (0, true, 0) };
        let (mut games, mut errors) = (0, 0);
        for item in reader.by_ref() {
            match item {
                Ok(_) => games += 1,
                Err(_) => errors += 1,
            }
        }
        assert!(errors <= 1 && reader.next().is_none());
        (games, errors > 0, reader.truncated())
    }

    #[test]
    fn headers_come_back_and_long_texts_are_cut() {
        let (bytes, _) = shard(&[1]);
        let reader = ShardReader::new(bytes.as_slice()).expect("a shard");
        assert_eq!(reader.header(), Some(&header()));
        let long = ShardHeader { settings: "ü".repeat(100_000), ..header() };
        let read = ShardHeader::from_bytes(&long.to_bytes()).expect("a header");
        assert_eq!(read.settings, "ü".repeat(MAX_TEXT));
    }

    #[test]
    fn a_file_cut_anywhere_keeps_its_whole_games() {
        let (bytes, ends) = shard(&[3, 0, 7]);
        for length in 0..=bytes.len() {
            let whole = ends[1..].iter().filter(|&&end| end <= length).count();
            let last = ends.iter().copied().filter(|&end| end <= length).max().unwrap_or(0);
            assert_eq!(read(&bytes[..length]), (whole, false, (length - last) as u64), "cut at {length}");
        }
    }

    #[test]
    fn a_flipped_bit_anywhere_is_seen() {
        let (bytes, ends) = shard(&[3, 0, 7]);
        for index in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[index] ^= 1 << bit;
                let before = ends[1..].iter().filter(|&&end| end <= index).count();
                assert_eq!(read(&damaged), (before, true, 0), "bit {bit} of byte {index}");
            }
        }
    }

    #[test]
    fn other_files_are_refused() {
        for bytes in [b"[Event \"x\"]".as_slice(), &[0; 200], b"ROKADEGM\x02\0\0\0rest"] {
            assert!(ShardReader::new(bytes).is_err());
        }
    }

    #[test]
    fn a_whole_frame_without_a_game_is_an_error() {
        let (mut bytes, _) = shard(&[2]);
        push_frame(b"nonsense", &mut bytes).expect("short");
        assert_eq!(read(&bytes), (1, true, 0));
    }

    #[test]
    fn a_game_that_is_too_long_leaves_the_shard_as_it_was() {
        let folder = std::env::temp_dir().join(format!("rokade-shard-{}", std::process::id()));
        let _ = std::fs::remove_file(&folder);
        let mut writer = ShardWriter::create(&folder, &header()).expect("a new file");
        assert!(ShardWriter::create(&folder, &header()).is_err(), "files are not overwritten");
        writer.write(&game(13_000)).expect("a game that fits");
        assert!(matches!(writer.write(&game(30_000)), Err(RecordError::TooLong(30_000))));
        writer.write(&game(5)).expect("a short game");
        let bytes = writer.bytes();
        writer.finish().expect("a disk with room");
        let content = std::fs::read(&folder).expect("the file");
        std::fs::remove_file(&folder).expect("the file is ours");
        assert_eq!(content.len() as u64, bytes);
        assert_eq!(read(&content), (2, false, 0));
    }
}
