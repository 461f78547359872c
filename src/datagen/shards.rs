//! The folder of a run: shard after shard, none of them overwritten.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::record::{GameRecord, RecordError, SHARD_EXTENSION, ShardHeader, ShardWriter};

/// Why games cannot be kept.
#[derive(Debug, Error)]
#[error("{path}: {reason}")]
pub struct ShardsError {
    path: PathBuf,
    reason: RecordError,
}

impl ShardsError {
    fn new(path: &Path, reason: impl Into<RecordError>) -> Self {
        Self { path: path.to_owned(), reason: reason.into() }
    }
}

/// Writes games to numbered shards.
#[derive(Debug)]
pub(super) struct Shards {
    folder: PathBuf,
    header: ShardHeader,
    /// A shard of this size, in bytes, is full.
    full: u64,
    /// Number of the first shard of this run; no other run has it.
    first: u64,
    number: u64,
    writer: ShardWriter,
}

impl Shards {
    /// Makes the folder if need be, and a new shard in it.
    pub(super) fn create(folder: &Path, header: ShardHeader, full: u64) -> Result<Self, ShardsError> {
        fs::create_dir_all(folder).map_err(|reason| ShardsError::new(folder, reason))?;
        let last = last_number(folder).map_err(|reason| ShardsError::new(folder, reason))?;
        let (number, writer) = create_after(folder, last, &header)?;
        Ok(Self { folder: folder.to_owned(), header, full, first: number, number, writer })
    }

    /// Number of the first shard of this run, from 1.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// Adds a game; a full shard is closed and the next begun before.
    pub(super) fn write(&mut self, game: &GameRecord) -> Result<(), ShardsError> {
        if self.writer.bytes() >= self.full {
            let (number, writer) = create_after(&self.folder, self.number, &self.header)?;
            let full = std::mem::replace(&mut self.writer, writer);
            full.finish().map_err(|reason| ShardsError::new(&self.path(), reason))?;
            self.number = number;
        }
        self.writer.write(game).map_err(|reason| ShardsError::new(&self.path(), reason))
    }

    /// Closes the last shard.
    pub(super) fn finish(self) -> Result<(), ShardsError> {
        let path = self.path();
        self.writer.finish().map_err(|reason| ShardsError::new(&path, reason))
    }

    fn path(&self) -> PathBuf {
        shard_path(&self.folder, self.number)
    }
}

fn shard_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("shard-{number:06}.{SHARD_EXTENSION}"))
}

/// The number of a file that is named like a shard.
fn shard_number(path: &Path) -> Option<u64> {
    let is_shard = path.extension().is_some_and(|extension| extension == SHARD_EXTENSION);
    path.file_stem().filter(|_| is_shard)?.to_str()?.strip_prefix("shard-")?.parse().ok()
}

/// The highest number of a shard in a folder; 0 if there is none.
fn last_number(folder: &Path) -> io::Result<u64> {
    fs::read_dir(folder)?.try_fold(0, |last, entry| Ok(last.max(shard_number(&entry?.path()).unwrap_or(0))))
}

/// Creates the shard with the first free number after `last`: another run may be filling the same folder.
fn create_after(folder: &Path, last: u64, header: &ShardHeader) -> Result<(u64, ShardWriter), ShardsError> {
    let mut number = last.saturating_add(1);
    loop {
        let path = shard_path(folder, number);
        match ShardWriter::create(&path, header) {
            Ok(writer) => return Ok((number, writer)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < u64::MAX => number += 1,
            Err(error) => return Err(ShardsError::new(&path, error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_shards_count() {
        for (name, number) in [
            ("shard-000001.games", Some(1)),
            ("folder/shard-1234567.games", Some(1_234_567)),
            ("shard-000001.txt", None),
            ("shard-.games", None),
            ("shard-x.games", None),
            ("000001.games", None),
            ("games", None),
        ] {
            assert_eq!(shard_number(Path::new(name)), number, "{name}");
        }
        assert_eq!(shard_number(&shard_path(Path::new("."), 42)), Some(42));
    }
}
