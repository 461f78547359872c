//! Checkpoints: all that a training has come to, in a file.
//!
//! In little-endian order: the magic, the format version and the width of a tile (4 bytes each), the settings as
//! text, the fingerprint of the data, the finished runs, the run in progress if there is one, and a hash of all that.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::model::Parameters;
use super::optimiser::AdamW;
use super::random::fold;
use super::run::{Best, History, Run};
use super::settings::Settings;

const MAGIC: [u8; 8] = *b"ROKADECP";
const VERSION: u32 = 1;

/// A training that is over: its losses and its best weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished<const WIDTH: usize> {
    /// Its seed.
    pub seed: u64,
    /// Its losses.
    pub history: History,
    /// Its best weights.
    pub best: Best<WIDTH>,
}

/// Where a training with one or more seeds stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint<const WIDTH: usize> {
    /// What it was started with.
    pub settings: Settings,
    /// A hash of its data.
    pub fingerprint: u64,
    /// Runs that are over, by seed.
    pub finished: Vec<Finished<WIDTH>>,
    /// The run that is not; `None` between two.
    pub current: Option<Run<WIDTH>>,
}

/// Why a file is no checkpoint.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum CheckpointError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("not a checkpoint of the trainer")]
    Magic,
    #[error("format version {0}, expected {VERSION}")]
    Version(u32),
    #[error("tiles of {found} hidden values, expected {expected}")]
    Width { found: u32, expected: usize },
    #[error("networks of {found} hidden values, expected {expected}")]
    Hidden { found: usize, expected: usize },
    #[error("the checkpoint is damaged")]
    Damaged,
}

impl<const WIDTH: usize> Checkpoint<WIDTH> {
    /// Reads a checkpoint of networks with so many hidden values.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is not a sound checkpoint of this version, or one of other networks.
    pub fn load(path: &Path, hidden: usize) -> Result<Self, CheckpointError> {
        let checkpoint = Self::from_bytes(&fs::read(path)?)?;
        let other = checkpoint.parameters().map(Parameters::hidden).find(|&found| found != hidden);
        match other {
            Some(found) => Err(CheckpointError::Hidden { found, expected: hidden }),
            None => Ok(checkpoint),
        }
    }

    /// All weights in it.
    fn parameters(&self) -> impl Iterator<Item = &Parameters<WIDTH>> {
        let finished = self.finished.iter().map(|finished| &finished.best.parameters);
        let best = self.current.iter().filter_map(|run| run.best.as_ref()).map(|best| &best.parameters);
        finished.chain(best).chain(self.current.iter().map(|run| &run.parameters))
    }

    /// Writes the checkpoint. At no moment is there a half-written one under this name.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        replace_file(path, &self.to_bytes())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((WIDTH as u32).to_le_bytes());
        let settings = self.settings.to_lines();
        put_u64(&mut bytes, settings.len() as u64);
        bytes.extend(settings.as_bytes());
        put_u64(&mut bytes, self.fingerprint);
        put_u64(&mut bytes, self.finished.len() as u64);
        for finished in &self.finished {
            put_u64(&mut bytes, finished.seed);
            put_history(&mut bytes, &finished.history);
            put_best(&mut bytes, &finished.best);
        }
        put_u64(&mut bytes, u64::from(self.current.is_some()));
        if let Some(run) = &self.current {
            put_run(&mut bytes, run);
        }
        let hash = hash(&bytes);
        put_u64(&mut bytes, hash);
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let (content, checksum) = bytes.split_last_chunk().ok_or(CheckpointError::Magic)?;
        let mut reader = Reader(content);
        if reader.array() != Some(MAGIC) {
            return Err(CheckpointError::Magic);
        }
        let [version, width] = [reader.array(), reader.array()].map(|bytes| bytes.map_or(0, u32::from_le_bytes));
        if version != VERSION {
            return Err(CheckpointError::Version(version));
        }
        if width as usize != WIDTH {
            return Err(CheckpointError::Width { found: width, expected: WIDTH });
        }
        if hash(content) != u64::from_le_bytes(*checksum) {
            return Err(CheckpointError::Damaged);
        }
        reader.checkpoint().filter(|_| reader.0.is_empty()).ok_or(CheckpointError::Damaged)
    }
}

/// Writes a file under another name first, so that a killed process leaves the old file or the new one.
///
/// # Errors
///
/// When the file cannot be written; the old one is still there then.
pub fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = new_name(path);
    let written = fs::File::create(&new).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&new, path)).inspect_err(|_| {
        // The first error is the one to tell.
        let _ = fs::remove_file(&new);
    })
}

/// Finds out whether a file could be written.
///
/// # Errors
///
/// When its name is that of a folder, or no file can be made where it is to be.
pub fn check_replaceable(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let new = new_name(path);
    fs::File::create(&new)?;
    fs::remove_file(&new)
}

/// The name of a file that is not yet complete.
fn new_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(bytes.len() as u64, |hash, word| fold(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, &byte| fold(hash, u64::from(byte)))
}

fn put_u64(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend(number.to_le_bytes());
}

fn put_f64(bytes: &mut Vec<u8>, number: f64) {
    put_u64(bytes, number.to_bits());
}

fn put_f32s(bytes: &mut Vec<u8>, numbers: &[f32]) {
    put_u64(bytes, numbers.len() as u64);
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn put_history(bytes: &mut Vec<u8>, history: &History) {
    put_u64(bytes, history.training.len() as u64);
    for &(epochs, loss) in &history.training {
        put_f64(bytes, epochs);
        put_f64(bytes, loss);
    }
    put_u64(bytes, history.held_out.len() as u64);
    history.held_out.iter().for_each(|&loss| put_f64(bytes, loss));
}

fn put_best<const WIDTH: usize>(bytes: &mut Vec<u8>, best: &Best<WIDTH>) {
    put_u64(bytes, u64::from(best.epoch));
    put_f64(bytes, best.loss);
    put_f32s(bytes, best.parameters.values());
}

fn put_run<const WIDTH: usize>(bytes: &mut Vec<u8>, run: &Run<WIDTH>) {
    put_u64(bytes, run.seed);
    put_u64(bytes, u64::from(run.epochs));
    put_f32s(bytes, run.parameters.values());
    put_u64(bytes, run.optimiser.steps);
    put_f32s(bytes, &run.optimiser.means);
    put_f32s(bytes, &run.optimiser.squares);
    put_history(bytes, &run.history);
    put_u64(bytes, u64::from(run.best.is_some()));
    if let Some(best) = &run.best {
        put_best(bytes, best);
    }
}

/// Takes what `put_..` wrote from the front of a file; `None` where it does not stand there.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(length)?;
        self.0 = tail;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.0.split_first_chunk()?;
        self.0 = tail;
        Some(*head)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn f64(&mut self) -> Option<f64> {
        self.u64().map(f64::from_bits)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.u64()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// A length, and as many items as it says; never more than could be in the file.
    fn list<T>(&mut self, item_bytes: usize, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = usize::try_from(self.u64()?).ok()?;
        if length > self.0.len() / item_bytes {
            return None;
        }
        (0..length).map(|_| item(self)).collect()
    }

    fn f32s(&mut self) -> Option<Vec<f32>> {
        self.list(4, |reader| reader.array().map(f32::from_le_bytes))
    }

    fn parameters<const WIDTH: usize>(&mut self) -> Option<Parameters<WIDTH>> {
        Parameters::from_values(&self.f32s()?)
    }

    fn history(&mut self) -> Option<History> {
        let training = self.list(16, |reader| Some((reader.f64()?, reader.f64()?)))?;
        Some(History { training, held_out: self.list(8, Self::f64)? })
    }

    fn best<const WIDTH: usize>(&mut self) -> Option<Best<WIDTH>> {
        let epoch = u32::try_from(self.u64()?).ok()?;
        Some(Best { epoch, loss: self.f64()?, parameters: self.parameters()? })
    }

    fn finished<const WIDTH: usize>(&mut self) -> Option<Finished<WIDTH>> {
        Some(Finished { seed: self.u64()?, history: self.history()?, best: self.best()? })
    }

    fn run<const WIDTH: usize>(&mut self) -> Option<Run<WIDTH>> {
        let (seed, epochs) = (self.u64()?, u32::try_from(self.u64()?).ok()?);
        let parameters: Parameters<WIDTH> = self.parameters()?;
        let optimiser = AdamW { steps: self.u64()?, means: self.f32s()?, squares: self.f32s()? };
        let history = self.history()?;
        let best = if self.flag()? { Some(self.best()?) } else { None };
        let count = parameters.values().len();
        let fits = optimiser.means.len() == count && optimiser.squares.len() == count;
        fits.then_some(Run { seed, epochs, parameters, optimiser, history, best })
    }

    fn checkpoint<const WIDTH: usize>(&mut self) -> Option<Checkpoint<WIDTH>> {
        let length = usize::try_from(self.u64()?).ok()?;
        let settings = Settings::from_lines(std::str::from_utf8(self.take(length)?).ok()?)?;
        let fingerprint = self.u64()?;
        let finished = self.list(8, Self::finished)?;
        let current = if self.flag()? { Some(self.run()?) } else { None };
        Some(Checkpoint { settings, fingerprint, finished, current })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint<8> {
        let mut run = Run::new(2, 9);
        run.epochs = 3;
        run.optimiser.steps = 77;
        run.optimiser.means[1] = 0.5;
        run.optimiser.squares[2] = 0.25;
        run.history = History { training: vec![(0.5, 0.1), (1.0, 0.05)], held_out: vec![0.06] };
        let best = Best { epoch: 2, loss: 0.06, parameters: Parameters::random(2, 3) };
        run.best = Some(best.clone());
        let finished = Finished { seed: 8, history: run.history.clone(), best };
        Checkpoint { settings: Settings::default(), fingerprint: 5, finished: vec![finished], current: Some(run) }
    }

    #[test]
    fn a_checkpoint_comes_back_as_it_was() {
        let full = checkpoint();
        let between = Checkpoint { current: None, ..full.clone() };
        for checkpoint in [full, between] {
            let bytes = checkpoint.to_bytes();
            assert_eq!(Checkpoint::from_bytes(&bytes).expect("a checkpoint"), checkpoint);
        }
    }

    #[test]
    fn damage_is_noticed_everywhere() {
        let bytes = checkpoint().to_bytes();
        for index in (0..bytes.len()).step_by(997).chain(0..40).chain(bytes.len() - 40..bytes.len()) {
            let mut damaged = bytes.clone();
            damaged[index] ^= 4;
            assert!(Checkpoint::<8>::from_bytes(&damaged).is_err(), "byte {index}");
        }
        for length in [0, 7, 8, 12, 16, 24, 100, bytes.len() - 1] {
            assert!(Checkpoint::<8>::from_bytes(&bytes[..length]).is_err(), "length {length}");
        }
        assert!(matches!(Checkpoint::<16>::from_bytes(&bytes), Err(CheckpointError::Width { found: 8, expected: 16 })));
    }

    #[test]
    fn sound_checksums_do_not_make_nonsense_sound() {
        let sealed = |mut bytes: Vec<u8>| {
            let hash = hash(&bytes);
            put_u64(&mut bytes, hash);
            Checkpoint::<8>::from_bytes(&bytes)
        };
        let mut bytes = checkpoint().to_bytes();
        bytes.truncate(bytes.len() - 8);
        assert!(sealed(bytes.clone()).is_ok());
        let longer = [bytes.as_slice(), &[0]].concat();
        assert!(matches!(sealed(longer), Err(CheckpointError::Damaged)));
        // Every number of the head is a length at some place: none may be trusted.
        for index in 16..400 {
            let mut changed = bytes.clone();
            changed[index] = 0xFF;
            let _ = sealed(changed);
        }
    }
}
