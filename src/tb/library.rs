//! The library shakmaty-syzygy, asked about boards of this crate.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shakmaty::{ByColor, ByRole, CastlingMode, Chess, FromSetup, PositionError, Setup};
use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};
use shakmaty_syzygy::{MaybeRounded, Tablebase};

use super::files::{self, Problem};
use super::{Dtz, Wdl};
use crate::board::Board;
use crate::types::{Color, PieceType};

/// The tables that were found to be sound.
pub(super) struct Library {
    tablebase: Tablebase<Chess>,
    /// The material of the tables with values, sorted: most positions without a table are turned away by it.
    materials: Vec<u64>,
    dtz_count: usize,
}

impl Library {
    pub(super) fn load(path: &str) -> (Self, Vec<Problem>) {
        let (found, mut problems) = files::find(path);
        let mut library = Self {
            tablebase: Tablebase::with_filesystem(Arc::new(HeadCache(OsFilesystem::new()))),
            materials: Vec::new(),
            dtz_count: 0,
        };
        for table in found {
            match library.tablebase.add_file(&table.path) {
                Ok(()) if table.is_wdl => library.materials.push(material_of_name(&table.path)),
                Ok(()) => library.dtz_count += 1,
                Err(error) => problems.push(Problem::table(table.path, error)),
            }
        }
        library.materials.sort_unstable();
        (library, problems)
    }

    pub(super) fn counts(&self) -> (usize, usize) {
        (self.materials.len(), self.dtz_count)
    }

    pub(super) fn men(&self) -> u32 {
        self.tablebase.max_pieces() as u32
    }

    pub(super) fn wdl(&self, board: &Board) -> Option<Wdl> {
        // Bare kings need no table.
        let material = material_of_board(board);
        if material != 0 && self.materials.binary_search(&material).is_err() {
            return None;
        }
        self.tablebase.probe_wdl_after_zeroing(&position(board)?).ok().map(Wdl::from)
    }

    pub(super) fn dtz(&self, board: &Board) -> Option<Dtz> {
        let dtz = self.tablebase.probe_dtz(&position(board)?).ok()?;
        Some(Dtz { plies: dtz.ignore_rounding().0, exact: matches!(dtz, MaybeRounded::Precise(_)) })
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (wdl, dtz) = self.counts();
        write!(f, "Library({wdl} WDL, {dtz} DTZ)")
    }
}

impl From<shakmaty_syzygy::Wdl> for Wdl {
    fn from(wdl: shakmaty_syzygy::Wdl) -> Self {
        match wdl {
            shakmaty_syzygy::Wdl::Loss => Self::Loss,
            shakmaty_syzygy::Wdl::BlessedLoss => Self::BlessedLoss,
            shakmaty_syzygy::Wdl::Draw => Self::Draw,
            shakmaty_syzygy::Wdl::CursedWin => Self::CursedWin,
            shakmaty_syzygy::Wdl::Win => Self::Win,
        }
    }
}

/// The pieces besides the kings as a number that is the same whichever side has which.
fn material(count: impl Fn(Color, PieceType) -> u32) -> u64 {
    const KINDS: [PieceType; 5] =
        [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];
    let of = |color| KINDS.into_iter().fold(0, |sum, kind| sum << 4 | u64::from(count(color, kind)));
    let (white, black) = (of(Color::White), of(Color::Black));
    white.max(black) << 32 | white.min(black)
}

fn material_of_board(board: &Board) -> u64 {
    material(|color, kind| board.pieces(color, kind).count())
}

/// The material of a table by its name.
fn material_of_name(path: &Path) -> u64 {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let (white, black) = name.split_once('v').unwrap_or_default();
    material(|color, kind| {
        let side = if color == Color::White { white } else { black };
        side.chars().filter(|letter| letter.to_ascii_lowercase() == kind.to_char()).count() as u32
    })
}

/// The library's position; `None` for what it does not take, like a check that no game leads to.
fn position(board: &Board) -> Option<Chess> {
    let kind = |kind: PieceType| shakmaty::Bitboard(board.of_kind(kind).0);
    let by_role = ByRole {
        pawn: kind(PieceType::Pawn),
        knight: kind(PieceType::Knight),
        bishop: kind(PieceType::Bishop),
        rook: kind(PieceType::Rook),
        queen: kind(PieceType::Queen),
        king: kind(PieceType::King),
    };
    let color = |color: Color| shakmaty::Bitboard(board.of_color(color).0);
    let by_color = ByColor { white: color(Color::White), black: color(Color::Black) };
    let setup = Setup {
        board: shakmaty::Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: shakmaty::Color::from_white(board.stm() == Color::White),
        ep_square: board.ep_square().map(|square| shakmaty::Square::new(square.index() as u32)),
        ..Setup::empty()
    };
    Chess::from_setup(setup, CastlingMode::Chess960).or_else(PositionError::ignore_impossible_check).ok()
}

/// Files as the system reads them, but for their beginnings, which are kept in memory: the library goes back to the
/// head of a file for every symbol that it decodes. A file that shrinks meanwhile is an error to read, where a mapped
/// one would be the end of the program.
struct HeadCache(OsFilesystem);

/// Longer than the head of any table, whose most symbols are 8 times 4095 of 3 bytes.
const HEAD: u64 = 1 << 17;

struct CachedFile {
    head: Vec<u8>,
    rest: Box<dyn RandomAccessFile>,
}

impl Filesystem for HeadCache {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.0.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.0.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        let file = File::open(path)?;
        let mut head = Vec::new();
        file.take(HEAD).read_to_end(&mut head)?;
        Ok(Box::new(CachedFile { head, rest: self.0.open(path)? }))
    }
}

impl RandomAccessFile for CachedFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64, hint: ReadHint) -> io::Result<usize> {
        let cached = usize::try_from(offset).ok().and_then(|start| self.head.get(start..start + buffer.len()));
        match cached {
            Some(bytes) => {
                buffer.copy_from_slice(bytes);
                Ok(bytes.len())
            }
            None => self.rest.read_at(buffer, offset, hint),
        }
    }
}
