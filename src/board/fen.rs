//! FEN in and out: Forsyth-Edwards, X-FEN and Shredder-FEN.
//!
//! Reading is lenient where nothing is lost (missing last fields, unusable castling rights and en passant squares)
//! and strict where the position could not be played.

use std::fmt::Write as _;

use thiserror::Error;

use super::attacks::{between, king_attacks};
use super::{Board, Keys, STARTPOS_FEN};
use crate::types::{Bitboard, CastlingMode, CastlingRights, CastlingSide, Color, File, Piece, PieceType, Rank, Square};

/// Why a FEN was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum FenError {
    #[error("the FEN is empty")]
    Empty,
    #[error("the FEN has more than six fields: '{0}' is too many")]
    TooManyFields(String),
    #[error("the board has {0} ranks instead of 8")]
    RankCount(usize),
    #[error("rank {rank} does not have 8 squares: '{text}'")]
    RankLength { rank: usize, text: String },
    #[error("'{0}' is neither a piece nor a number of empty squares")]
    UnknownPiece(char),
    #[error("the side to move is '{0}' instead of w or b")]
    SideToMove(String),
    #[error("'{0}' is not a castling right")]
    Castling(char),
    #[error("the en passant square is '{0}'")]
    EnPassant(String),
    #[error("the {field} is '{text}', which is not a number")]
    Counter { field: &'static str, text: String },
    #[error("{0:?} has {1} kings instead of one")]
    Kings(Color, u32),
    #[error("{0:?} has {1} pieces, more than 16")]
    TooManyPieces(Color, u32),
    #[error("{0:?} has {1} pawns, more than 8")]
    TooManyPawns(Color, u32),
    #[error("a pawn stands on {0}, on the first or last rank")]
    PawnOnBackRank(Square),
    #[error("the kings stand next to each other")]
    AdjacentKings,
    #[error("{0:?} is in check, but the other side is to move")]
    OpponentInCheck(Color),
    #[error("{0} pieces give check at once, more than two")]
    TooManyCheckers(u32),
}

/// Clocks beyond this are cut: no game is that long.
const MAX_COUNTER: u16 = 9_999;

impl Board {
    /// The orthodox start position.
    #[must_use]
    pub fn startpos() -> Self {
        match Self::from_fen(STARTPOS_FEN, CastlingMode::Standard) {
            Ok(board) => board,
            Err(error) => unreachable!("{error}"),
        }
    }

    /// Reads a FEN of one to six fields; those missing are `w - - 0 1`.
    ///
    /// In standard mode the letters `KQkq` mean a king on the e-file and rooks in the corners. In Chess960 they mean
    /// the outermost rook on that side of the king (X-FEN). File letters (Shredder-FEN) mean the rook on that file
    /// in both modes. Rights without their king and rook, and en passant squares without a legal capture, are
    /// dropped.
    ///
    /// ```
    /// use rokade::{board::Board, types::CastlingMode};
    /// let board = Board::from_fen("4k3/8/8/8/8/8/8/4K2R w K -", CastlingMode::Standard)?;
    /// assert_eq!(board.legal_moves().len(), 15);
    /// assert_eq!(board.to_fen(CastlingMode::Chess960), "4k3/8/8/8/8/8/8/4K2R w H - 0 1");
    /// # Ok::<(), rokade::board::FenError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the text is not a FEN, or the position cannot be played.
    pub fn from_fen(fen: &str, mode: CastlingMode) -> Result<Self, FenError> {
        let mut fields = fen.split_ascii_whitespace();
        let mut board = Self::empty();
        board.parse_placement(fields.next().ok_or(FenError::Empty)?)?;
        board.stm = parse_side(fields.next().unwrap_or("w"))?;
        board.check_material()?;
        board.find_checks_and_pins();
        board.check_kings()?;
        board.parse_castling(fields.next().unwrap_or("-"), mode)?;
        board.parse_en_passant(fields.next().unwrap_or("-"))?;
        board.halfmove_clock = parse_counter(fields.next().unwrap_or("0"), "half-move clock")?;
        board.fullmove_number = parse_counter(fields.next().unwrap_or("1"), "move number")?.max(1);
        if let Some(extra) = fields.next() {
            return Err(FenError::TooManyFields(extra.to_owned()));
        }
        board.keys = board.recomputed_keys();
        debug_assert_eq!(board.check_consistency(), Ok(()));
        Ok(board)
    }

    /// Writes a FEN of six fields. Castling rights are file letters in Chess960 (Shredder-FEN); in standard mode
    /// `KQkq`, with file letters only for rights that these cannot express.
    #[must_use]
    pub fn to_fen(&self, mode: CastlingMode) -> String {
        let side = match self.stm {
            Color::White => 'w',
            Color::Black => 'b',
        };
        let castling = self.castling_field(mode);
        let ep_square = self.ep_square.map_or_else(|| "-".to_owned(), |square| square.to_string());
        let placement = self.placement_field();
        format!("{placement} {side} {castling} {ep_square} {} {}", self.halfmove_clock, self.fullmove_number)
    }

    fn empty() -> Self {
        Self {
            mailbox: [None; 64],
            pieces: [Bitboard::EMPTY; 6],
            colors: [Bitboard::EMPTY; 2],
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            castling: CastlingRights::NONE,
            keys: Keys::default(),
            halfmove_clock: 0,
            fullmove_number: 1,
            ep_square: None,
            stm: Color::White,
        }
    }

    fn parse_placement(&mut self, text: &str) -> Result<(), FenError> {
        let ranks: Vec<&str> = text.split('/').collect();
        if ranks.len() != 8 {
            return Err(FenError::RankCount(ranks.len()));
        }
        for (index, text) in ranks.into_iter().enumerate() {
            self.parse_rank(Rank::from_index(7 - index), text)?;
        }
        Ok(())
    }

    fn parse_rank(&mut self, rank: Rank, text: &str) -> Result<(), FenError> {
        let wrong_length = || FenError::RankLength { rank: rank.index() + 1, text: text.to_owned() };
        let mut file = 0;
        let mut after_digit = false;
        for letter in text.chars() {
            match letter {
                '1'..='8' => {
                    // Two numbers in a row are a misprint of one.
                    if after_digit {
                        return Err(wrong_length());
                    }
                    file += letter as usize - '0' as usize;
                }
                _ => {
                    let piece = Piece::from_char(letter).ok_or(FenError::UnknownPiece(letter))?;
                    if file < 8 {
                        self.put_piece(piece, Square::new(File::from_index(file), rank));
                    }
                    file += 1;
                }
            }
            after_digit = letter.is_ascii_digit();
        }
        if file == 8 { Ok(()) } else { Err(wrong_length()) }
    }

    fn check_material(&self) -> Result<(), FenError> {
        for color in Color::ALL {
            let kings = self.pieces(color, PieceType::King).count();
            if kings != 1 {
                return Err(FenError::Kings(color, kings));
            }
            let pieces = self.of_color(color).count();
            if pieces > 16 {
                return Err(FenError::TooManyPieces(color, pieces));
            }
            let pawns = self.pieces(color, PieceType::Pawn).count();
            if pawns > 8 {
                return Err(FenError::TooManyPawns(color, pawns));
            }
        }
        match (self.of_kind(PieceType::Pawn) & Bitboard::BACK_RANKS).into_iter().next() {
            Some(square) => Err(FenError::PawnOnBackRank(square)),
            None => Ok(()),
        }
    }

    fn check_kings(&self) -> Result<(), FenError> {
        let (us, them) = (self.stm, !self.stm);
        if king_attacks(self.king(us)).contains(self.king(them)) {
            return Err(FenError::AdjacentKings);
        }
        if self.is_attacked(self.king(them), us, self.occupied()) {
            return Err(FenError::OpponentInCheck(them));
        }
        match self.checkers.count() {
            0..=2 => Ok(()),
            checkers => Err(FenError::TooManyCheckers(checkers)),
        }
    }

    fn parse_castling(&mut self, text: &str, mode: CastlingMode) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        for letter in text.chars() {
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let rook = match letter.to_ascii_lowercase() {
                'k' => self.rook_of_side(color, CastlingSide::HSide, mode),
                'q' => self.rook_of_side(color, CastlingSide::ASide, mode),
                'a'..='h' => File::from_char(letter).map(|file| Square::new(file, color.back_rank())),
                _ => return Err(FenError::Castling(letter)),
            };
            if let Some(rook) = rook {
                self.add_castling_right(color, rook);
            }
        }
        Ok(())
    }

    /// The rook that `K` or `Q` means: the corner in standard mode, else the outermost rook on that side.
    fn rook_of_side(&self, color: Color, side: CastlingSide, mode: CastlingMode) -> Option<Square> {
        let king = self.king(color);
        if mode == CastlingMode::Standard {
            let corner = match side {
                CastlingSide::ASide => File::A,
                CastlingSide::HSide => File::H,
            };
            return (king.file() == File::E).then(|| Square::new(corner, color.back_rank()));
        }
        let rooks = self.pieces(color, PieceType::Rook) & color.back_rank_squares();
        if rooks.is_empty() {
            return None;
        }
        match side {
            CastlingSide::ASide => Some(rooks.lsb()),
            CastlingSide::HSide => Some(rooks.msb()),
        }
        .filter(|&rook| CastlingSide::of(king, rook) == side)
    }

    /// Adds a right if king and rook are there. Of two rights on one side the outer rook's stays.
    fn add_castling_right(&mut self, color: Color, rook: Square) {
        let king = self.king(color);
        if king.rank() != color.back_rank() || !self.pieces(color, PieceType::Rook).contains(rook) {
            return;
        }
        if let Some(other) = self.castling_rook(color, CastlingSide::of(king, rook)) {
            if between(king, rook).contains(other) {
                self.castling.remove(other.bitboard());
            } else {
                return;
            }
        }
        self.castling.add(rook);
    }

    fn parse_en_passant(&mut self, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let ep_square = Square::parse(text).ok_or_else(|| FenError::EnPassant(text.to_owned()))?;
        let (them, step) = (!self.stm, self.stm.pawn_step());
        let pushed = ep_square.offset(-step);
        let empty = ep_square.bitboard() | ep_square.offset(step).bitboard();
        if ep_square.rank() == Rank::from_index(2).relative_to(them)
            && self.pieces(them, PieceType::Pawn).contains(pushed)
            && (self.occupied() & empty).is_empty()
        {
            self.allow_en_passant(ep_square);
        }
        Ok(())
    }

    fn placement_field(&self) -> String {
        let mut text = String::new();
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                let square = Square::new(File::from_index(file), Rank::from_index(rank));
                match self.piece_on(square) {
                    Some(piece) => {
                        write_empty(&mut text, &mut empty);
                        text.push(piece.to_char());
                    }
                    None => empty += 1,
                }
            }
            write_empty(&mut text, &mut empty);
            if rank > 0 {
                text.push('/');
            }
        }
        text
    }

    fn castling_field(&self, mode: CastlingMode) -> String {
        let mut text = String::new();
        for color in Color::ALL {
            for side in [CastlingSide::HSide, CastlingSide::ASide] {
                let Some(rook) = self.castling_rook(color, side) else { continue };
                let orthodox = mode == CastlingMode::Standard && Self::is_orthodox_castling(self.king(color), rook);
                let letter = match (orthodox, side) {
                    (true, CastlingSide::HSide) => 'k',
                    (true, CastlingSide::ASide) => 'q',
                    (false, _) => rook.file().to_char(),
                };
                text.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
            }
        }
        if text.is_empty() { "-".to_owned() } else { text }
    }
}

/// Writes a run of empty squares, if there is one, and resets it.
fn write_empty(text: &mut String, empty: &mut u32) {
    if *empty > 0 {
        // Writing to a string cannot fail.
        let _ = write!(text, "{empty}");
        *empty = 0;
    }
}

fn parse_side(text: &str) -> Result<Color, FenError> {
    match text {
        "w" => Ok(Color::White),
        "b" => Ok(Color::Black),
        _ => Err(FenError::SideToMove(text.to_owned())),
    }
}

/// Reads a number; one that is too large is cut to `MAX_COUNTER`. A dash, as some programs write, is 0.
fn parse_counter(text: &str, field: &'static str) -> Result<u16, FenError> {
    if text == "-" {
        return Ok(0);
    }
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(FenError::Counter { field, text: text.to_owned() });
    }
    Ok(text.parse().unwrap_or(MAX_COUNTER).min(MAX_COUNTER))
}
