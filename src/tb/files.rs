//! Which table files there are, and which of them are sound.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::{env, thread};

use thiserror::Error;

use super::checksum;

/// So many bytes of files are read through when the tables are set, the smallest first. That covers all tables of five
/// men; beyond, only sizes and beginnings are looked at, or a large collection would take minutes.
const READ_THROUGH: u64 = 1 << 30;
/// The first bytes of a file with values, and of one with distances.
const WDL_MAGIC: [u8; 4] = [0x71, 0xE8, 0x23, 0x5D];
const DTZ_MAGIC: [u8; 4] = [0xD7, 0x66, 0x0C, 0xA5];
/// Files consist of blocks of this size and the checksum.
const BLOCK: u64 = 64;
/// The most men on a table's board.
const MOST_MEN: usize = 7;

/// What is wrong with a part of the path.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum Problem {
    #[error("SyzygyPath: {}: {error}", path.display())]
    Folder { path: PathBuf, error: io::Error },
    // The name comes first, since long messages are cut.
    #[error("SyzygyPath: {} is left out, {fault}: {}", name(path), path.display())]
    Table { path: PathBuf, fault: Fault },
}

/// What is wrong with a table file.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum Fault {
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    #[error("damaged (no table has {0} bytes)")]
    Size(u64),
    #[error("damaged (it does not begin as a table does)")]
    Magic,
    #[error("damaged (its checksum is wrong)")]
    Checksum,
}

impl Problem {
    pub(super) fn table(path: PathBuf, fault: impl Into<Fault>) -> Self {
        Self::Table { path, fault: fault.into() }
    }
}

fn name(path: &Path) -> std::path::Display<'_> {
    path.file_name().map_or(path, Path::new).display()
}

/// A table file.
#[derive(Clone, Debug)]
pub(super) struct TableFile {
    pub(super) path: PathBuf,
    pub(super) is_wdl: bool,
}

/// The sound tables of a path, each once, and what is wrong with the rest.
pub(super) fn find(path: &str) -> (Vec<TableFile>, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut candidates = Vec::new();
    for folder in folders(path) {
        match list(&folder) {
            Ok(files) => candidates.extend(files),
            Err(error) => problems.push(Problem::Folder { path: folder, error }),
        }
    }
    let mut names = BTreeSet::new();
    let mut sound = Vec::new();
    for (file, fault) in candidates.iter().zip(check_all(&candidates)) {
        match fault {
            Some(fault) => problems.push(Problem::table(file.path.clone(), fault)),
            // The first of several files of a name counts.
            None if names.insert(file.path.file_name()) => sound.push(file.clone()),
            None => {}
        }
    }
    (sound, problems)
}

/// The folders of a path. Blanks around a name belong to it only if there is such a folder.
fn folders(path: &str) -> Vec<PathBuf> {
    let trim = |folder: PathBuf| match folder.to_str().map(str::trim) {
        Some(trimmed) if !folder.is_dir() => trimmed.into(),
        _ => folder,
    };
    env::split_paths(path).map(trim).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

/// The files in a folder whose names are those of tables, in the order of the names.
fn list(folder: &Path) -> io::Result<Vec<TableFile>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        files.extend(recognize(entry?.path()));
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

/// A table by its name, like `KQvKP.rtbw`.
fn recognize(path: PathBuf) -> Option<TableFile> {
    let is_wdl = match path.extension()?.to_str()? {
        "rtbw" => true,
        "rtbz" => false,
        _ => return None,
    };
    let name = path.file_stem()?.to_str()?;
    let (strong, weak) = name.split_once('v')?;
    let is_side =
        |side: &str| side.strip_prefix('K').is_some_and(|rest| rest.chars().all(|letter| "QRBNP".contains(letter)));
    (is_side(strong) && is_side(weak) && strong.len() + weak.len() <= MOST_MEN).then_some(TableFile { path, is_wdl })
}

/// Looks at all files with several threads, and says what is wrong with each.
fn check_all(files: &[TableFile]) -> Vec<Option<Fault>> {
    let sizes: Vec<u64> = files.iter().map(|file| fs::metadata(&file.path).map_or(0, |data| data.len())).collect();
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|&index| sizes[index]);
    // Where the bytes that are read through run out.
    let mut total = 0;
    let read_through = order.iter().take_while(|&&index| {
        total += sizes[index];
        total <= READ_THROUGH && sizes[index] <= checksum::LONGEST
    });
    let read_through = read_through.count();

    let next = AtomicUsize::new(0);
    let work = || {
        let mut faults = Vec::new();
        loop {
            let place = next.fetch_add(1, Relaxed);
            let Some(&index) = order.get(place) else { return faults };
            faults.push((index, check(&files[index], place < read_through).err()));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(files.len());
    let mut all: Vec<Option<Fault>> = files.iter().map(|_| None).collect();
    thread::scope(|scope| {
        // The work is done here alone if no thread is to be had.
        let helpers: Vec<_> =
            (1..threads).filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        let faults = work().into_iter().chain(helpers.into_iter().flat_map(|helper| helper.join().unwrap_or_default()));
        for (index, fault) in faults {
            all[index] = fault;
        }
    });
    all
}

/// Whether a file is what its name says: by its size and beginning, or by its whole content.
fn check(table: &TableFile, thoroughly: bool) -> Result<(), Fault> {
    let mut file = File::open(&table.path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::from(io::ErrorKind::InvalidInput).into());
    }
    let size = metadata.len();
    if size <= checksum::LENGTH || size % BLOCK != checksum::LENGTH {
        return Err(Fault::Size(size));
    }
    let mut magic = [0; 4];
    file.read_exact(&mut magic)?;
    if magic != if table.is_wdl { WDL_MAGIC } else { DTZ_MAGIC } {
        return Err(Fault::Magic);
    }
    file.rewind()?;
    if thoroughly && !checksum::is_right(&mut file, size)? {
        return Err(Fault::Checksum);
    }
    Ok(())
}
