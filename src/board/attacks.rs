//! Attack tables: leapers, sliders, and the rays between squares. Everything is computed by the compiler.
//!
//! Sliders look a table up with the relevant blockers, gathered by the PEXT instruction where the build's CPU has it
//! and by multiplication with a magic number elsewhere (chessprogramming.org/Magic_Bitboards).

use crate::types::{Bitboard, Color, PieceType, Square};

type Steps<const N: usize> = [(i8, i8); N];

const KNIGHT_STEPS: Steps<8> = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING_STEPS: Steps<8> = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
const BISHOP_STEPS: Steps<4> = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const ROOK_STEPS: Steps<4> = [(0, 1), (1, 0), (0, -1), (-1, 0)];

static KNIGHT_ATTACKS: [u64; 64] = leaper_table(KNIGHT_STEPS);
static KING_ATTACKS: [u64; 64] = leaper_table(KING_STEPS);
static PAWN_ATTACKS: [[u64; 64]; 2] = [leaper_table([(-1, 1), (1, 1)]), leaper_table([(-1, -1), (1, -1)])];

/// Where a knight on `square` attacks.
#[inline]
#[must_use]
pub fn knight_attacks(square: Square) -> Bitboard {
    Bitboard(KNIGHT_ATTACKS[square.index()])
}

/// Where a king on `square` attacks.
#[inline]
#[must_use]
pub fn king_attacks(square: Square) -> Bitboard {
    Bitboard(KING_ATTACKS[square.index()])
}

/// Where a pawn of `color` on `square` attacks.
#[inline]
#[must_use]
pub fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    Bitboard(PAWN_ATTACKS[color.index()][square.index()])
}

/// Where all `pawns` of `color` attack.
#[inline]
#[must_use]
pub fn pawns_attacks(color: Color, pawns: Bitboard) -> Bitboard {
    let (west, east) = match color {
        Color::White => (7, 9),
        Color::Black => (-9, -7),
    };
    (pawns & Bitboard::NOT_A).shift(west) | (pawns & Bitboard::NOT_H).shift(east)
}

/// Where a bishop on `square` attacks when the squares in `occupied` are taken.
#[inline]
#[must_use]
pub fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    BISHOPS.attacks(square, occupied)
}

/// Where a rook on `square` attacks when the squares in `occupied` are taken.
#[inline]
#[must_use]
pub fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    ROOKS.attacks(square, occupied)
}

/// Where a queen on `square` attacks when the squares in `occupied` are taken.
#[inline]
#[must_use]
pub fn queen_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    bishop_attacks(square, occupied) | rook_attacks(square, occupied)
}

/// Where a piece other than a pawn attacks from `square`.
#[inline]
#[must_use]
pub fn piece_attacks(kind: PieceType, square: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceType::Knight => knight_attacks(square),
        PieceType::Bishop => bishop_attacks(square, occupied),
        PieceType::Rook => rook_attacks(square, occupied),
        PieceType::Queen => queen_attacks(square, occupied),
        PieceType::King => king_attacks(square),
        PieceType::Pawn => {
            debug_assert!(false, "pawn attacks depend on the colour");
            Bitboard::EMPTY
        }
    }
}

/// The squares strictly between two squares on a common rank, file or diagonal; empty for all other pairs.
#[inline]
#[must_use]
pub fn between(a: Square, b: Square) -> Bitboard {
    Bitboard(BETWEEN[a.index()][b.index()])
}

/// The whole rank, file or diagonal through two squares, from edge to edge; empty for all other pairs.
#[inline]
#[must_use]
pub fn line(a: Square, b: Square) -> Bitboard {
    Bitboard(LINE[a.index()][b.index()])
}

/// The diagonal through a square that rises with the files.
#[inline]
#[must_use]
pub fn diagonal(square: Square) -> Bitboard {
    Bitboard(DIAGONALS[0][square.index()])
}

/// The diagonal through a square that falls with the files.
#[inline]
#[must_use]
pub fn anti_diagonal(square: Square) -> Bitboard {
    Bitboard(DIAGONALS[1][square.index()])
}

/// The index of the square one step away, if it is on the board.
const fn step(square: usize, step: (i8, i8)) -> Option<usize> {
    let file = (square % 8) as i8 + step.0;
    let rank = (square / 8) as i8 + step.1;
    if file >= 0 && file < 8 && rank >= 0 && rank < 8 { Some(rank as usize * 8 + file as usize) } else { None }
}

const fn leaper_table<const N: usize>(steps: Steps<N>) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < N {
            if let Some(target) = step(square, steps[i]) {
                table[square] |= 1 << target;
            }
            i += 1;
        }
        square += 1;
    }
    table
}

/// The squares from `square` in one direction, up to and including the first blocker.
const fn ray(square: usize, direction: (i8, i8), occupied: u64) -> u64 {
    let mut attacks = 0;
    let mut at = square;
    while let Some(next) = step(at, direction) {
        attacks |= 1 << next;
        if occupied & (1 << next) != 0 {
            break;
        }
        at = next;
    }
    attacks
}

/// The squares whose occupation matters to a slider: its rays without their last squares.
const fn relevant_blockers(square: usize, steps: Steps<4>) -> u64 {
    let mut mask = 0;
    let mut i = 0;
    while i < 4 {
        let mut at = square;
        while let Some(next) = step(at, steps[i]) {
            if step(next, steps[i]).is_none() {
                break;
            }
            mask |= 1 << next;
            at = next;
        }
        i += 1;
    }
    mask
}

/// How one square finds its part of the attack table.
#[derive(Clone, Copy)]
struct SliderSquare {
    mask: u64,
    magic: u64,
    shift: u32,
    offset: u32,
}

/// The attacks of one kind of slider; `N` is the number of blocker patterns over all squares.
struct SliderTable<const N: usize> {
    squares: [SliderSquare; 64],
    attacks: [u64; N],
}

static BISHOPS: SliderTable<5_248> = SliderTable::new(BISHOP_STEPS, &BISHOP_MAGICS);
static ROOKS: SliderTable<102_400> = SliderTable::new(ROOK_STEPS, &ROOK_MAGICS);

const HAS_PEXT: bool = cfg!(all(target_arch = "x86_64", target_feature = "bmi2"));

impl SliderSquare {
    /// The place of a blocker pattern; `occupied` may hold squares outside the mask.
    #[inline]
    fn index(&self, occupied: Bitboard) -> usize {
        #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
        // SAFETY: the cfg above says that every CPU this build runs on has BMI2.
        let pattern = unsafe { core::arch::x86_64::_pext_u64(occupied.0, self.mask) };
        #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
        let pattern = (occupied.0 & self.mask).wrapping_mul(self.magic) >> self.shift;
        self.offset as usize + pattern as usize
    }
}

impl<const N: usize> SliderTable<N> {
    #[inline]
    fn attacks(&self, square: Square, occupied: Bitboard) -> Bitboard {
        Bitboard(self.attacks[self.squares[square.index()].index(occupied)])
    }

    const fn new(steps: Steps<4>, magics: &[u64; 64]) -> Self {
        let mut table =
            Self { squares: [SliderSquare { mask: 0, magic: 0, shift: 0, offset: 0 }; 64], attacks: [0; N] };
        let mut offset = 0;
        let mut square = 0;
        while square < 64 {
            let mask = relevant_blockers(square, steps);
            let shift = 64 - mask.count_ones();
            table.squares[square] = SliderSquare { mask, magic: magics[square], shift, offset };
            table.fill(square, steps);
            offset += 1 << mask.count_ones();
            square += 1;
        }
        table
    }

    /// Enters the attacks of one square for all its blocker patterns.
    const fn fill(&mut self, square: usize, steps: Steps<4>) {
        let SliderSquare { mask, magic, shift, offset } = self.squares[square];
        let mut blockers = 0_u64;
        let mut count = 0;
        loop {
            // Subsets of the mask come in rising order, which is the order of PEXT.
            let pattern = if HAS_PEXT { count } else { blockers.wrapping_mul(magic) >> shift };
            let attacks = ray(square, steps[0], blockers)
                | ray(square, steps[1], blockers)
                | ray(square, steps[2], blockers)
                | ray(square, steps[3], blockers);
            self.attacks[offset as usize + pattern as usize] = attacks;
            blockers = blockers.wrapping_sub(mask) & mask;
            count += 1;
            if blockers == 0 {
                break;
            }
        }
    }
}

static DIAGONALS: [[u64; 64]; 2] = [diagonal_table((1, 1)), diagonal_table((1, -1))];

/// For each square the line through it in one direction and its opposite.
const fn diagonal_table(direction: (i8, i8)) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = ray(square, direction, 0) | ray(square, (-direction.0, -direction.1), 0) | 1 << square;
        square += 1;
    }
    table
}

static BETWEEN: [[u64; 64]; 64] = ray_table(false);
static LINE: [[u64; 64]; 64] = ray_table(true);

/// For each pair of aligned squares the squares between them, or (`whole`) the line through them.
const fn ray_table(whole: bool) -> [[u64; 64]; 64] {
    let mut table = [[0; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let forward = KING_STEPS[direction];
            let through = ray(from, forward, 0) | ray(from, (-forward.0, -forward.1), 0) | 1 << from;
            let mut passed = 0;
            let mut at = from;
            while let Some(to) = step(at, forward) {
                table[from][to] = if whole { through } else { passed };
                passed |= 1 << to;
                at = to;
            }
            direction += 1;
        }
        from += 1;
    }
    table
}

// Found by random search over sparse numbers; `magics_separate_all_blocker_patterns` proves them.
#[rustfmt::skip]
const BISHOP_MAGICS: [u64; 64] = [
    0x40C0_0220_A404_8480, 0x0808_011C_0C8A_0A00, 0x0108_0801_2020_0200, 0x0002_4085_0000_0404,
    0x0081_1040_8100_2800, 0x0112_881C_4022_1284, 0x0080_4A10_2520_0100, 0x0992_0100_4230_0402,
    0x0688_4002_8214_0900, 0x0208_0410_020A_0026, 0x0A00_0441_0401_0332, 0x1004_8405_0602_0086,
    0x2040_8212_1004_0818, 0x8804_0841_1010_0000, 0x1802_0042_3004_2000, 0x8398_2044_1088_0800,
    0x0011_8004_0508_0800, 0x1088_0050_1200_CC00, 0x7002_0004_0024_0100, 0x0300_8028_0200_4400,
    0x9003_0198_2008_0001, 0x800A_0301_008A_010A, 0x0040_400A_0842_080C, 0x0800_4090_8048_0800,
    0x4020_8800_6002_4408, 0x0042_0808_0210_0420, 0x6422_0100_0808_0020, 0x0A28_0800_0082_0500,
    0x0001_0010_0900_4000, 0x0002_0410_0200_4208, 0x0041_0201_3100_9000, 0x8484_0080_3420_8C20,
    0x6001_0908_5240_3008, 0x0092_1010_023A_0241, 0x2004_0041_0428_0210, 0x0480_1108_0004_0040,
    0x0000_4404_0000_4100, 0x4001_0204_8148_0800, 0x0009_0501_1002_0800, 0x1088_0123_0A50_2080,
    0x5042_0160_0800_6010, 0x0000_4210_4402_1000, 0x00C1_8404_0109_0200, 0x0000_1601_2400_0200,
    0x0312_0220_0908_0200, 0x4004_0088_0040_0201, 0xC502_2408_0888_0208, 0x2004_0808_8100_4038,
    0x0200_4808_0410_0006, 0x7C82_0042_4230_0000, 0x0049_0020_9410_0840, 0xD450_1882_2288_0080,
    0x0002_0020_E041_1081, 0x2030_D060_0101_0808, 0x5042_02C2_0202_0000, 0x0050_1208_A102_0240,
    0x0461_0080_6120_1000, 0x0800_0684_0409_A400, 0x0202_0026_0201_0410, 0x0820_0202_0820_A80C,
    0x8022_0004_1002_0209, 0x0030_1021_0490_0082, 0x0020_20A5_1000_8100, 0x0040_0108_1200_4040,
];

#[rustfmt::skip]
const ROOK_MAGICS: [u64; 64] = [
    0x4080_0053_2040_0880, 0x0440_0040_2000_1002, 0x1100_1020_0009_0040, 0x1500_2010_0005_0900,
    0x0A00_1008_8200_2004, 0x0D00_0824_0002_9300, 0x4400_1004_4201_0088, 0x0200_0020_8200_4419,
    0x8488_8000_9020_4008, 0x8200_8040_0020_0082, 0x0201_0020_0041_0010, 0x2002_8010_0080_0800,
    0x208A_0010_0422_0008, 0x235A_0010_0402_0008, 0x01A1_0001_0042_0004, 0x0302_0007_2200_824C,
    0x0080_0040_2000_4004, 0x0010_0040_0040_2012, 0x6020_8380_2000_5000, 0x0480_8280_0801_1000,
    0x28A2_0500_0800_1100, 0x8002_0080_8002_0400, 0x0010_0101_0004_0200, 0x0400_0200_0080_4401,
    0x0400_4010_8000_8020, 0x8008_2008_8040_0084, 0x0010_1000_8080_2000, 0x0281_0021_0008_1005,
    0x0008_0008_8080_0400, 0x0008_2008_0104_4090, 0x8000_0204_0001_08D0, 0x4200_0042_0001_0084,
    0x0B48_A440_0080_0190, 0x2400_8040_0100_2103, 0x0400_8020_0080_1000, 0x0821_0120_8900_1000,
    0xA000_0400_8080_0800, 0x0002_0004_0101_0008, 0x1444_0188_0400_1002, 0x0000_0408_4A00_0081,
    0x0080_0044_200A_C001, 0x0200_8201_0022_0048, 0x0020_0204_0010_1000, 0x0250_0018_0081_8010,
    0x0004_0040_8008_0800, 0x0201_0004_0089_0002, 0xC040_0110_1204_00C8, 0x0009_040C_4082_000D,
    0x0084_4008_3480_0080, 0x0000_2100_4000_8100, 0xA080_1840_8200_2200, 0x0201_1000_A100_0900,
    0x1309_8204_0008_0080, 0x00E2_0200_8004_0080, 0x0227_0002_0004_0300, 0x2001_0000_4082_0100,
    0x8008_2200_1040_8102, 0x6480_4000_2100_8013, 0x0002_1042_0A00_2082, 0x0020_2100_0408_1001,
    0x8882_0005_1020_8802, 0x0021_0008_0204_0001, 0x0010_20A2_0801_1024, 0x000A_0141_0401_2A82,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn slow_attacks(square: Square, steps: Steps<4>, occupied: u64) -> Bitboard {
        Bitboard(steps.iter().fold(0, |set, &direction| set | ray(square.index(), direction, occupied)))
    }

    /// Whichever of PEXT and magics the build uses, the numbers must work.
    #[test]
    fn magics_separate_all_blocker_patterns() {
        for (steps, magics) in [(BISHOP_STEPS, &BISHOP_MAGICS), (ROOK_STEPS, &ROOK_MAGICS)] {
            for square in Square::all() {
                let mask = relevant_blockers(square.index(), steps);
                let mut seen = vec![None; 1 << mask.count_ones()];
                let mut blockers = 0_u64;
                loop {
                    let pattern = blockers.wrapping_mul(magics[square.index()]) >> (64 - mask.count_ones());
                    let attacks = slow_attacks(square, steps, blockers);
                    assert_eq!(*seen[pattern as usize].get_or_insert(attacks), attacks, "{square}");
                    blockers = blockers.wrapping_sub(mask) & mask;
                    if blockers == 0 {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn slider_attacks_equal_walked_rays() {
        let mut state = 1_u64;
        for _ in 0..2_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let occupied = state & state.rotate_left(23);
            for square in Square::all() {
                assert_eq!(bishop_attacks(square, Bitboard(occupied)), slow_attacks(square, BISHOP_STEPS, occupied));
                assert_eq!(rook_attacks(square, Bitboard(occupied)), slow_attacks(square, ROOK_STEPS, occupied));
            }
        }
    }

    #[test]
    fn between_and_line_agree_with_sliders() {
        for a in Square::all() {
            for b in Square::all() {
                let both = a.bitboard() | b.bitboard();
                let aligned = a != b && queen_attacks(a, Bitboard::EMPTY).contains(b);
                assert_eq!(line(a, b).any(), aligned);
                let expected = if !aligned {
                    Bitboard::EMPTY
                } else if rook_attacks(a, Bitboard::EMPTY).contains(b) {
                    rook_attacks(a, both) & rook_attacks(b, both)
                } else {
                    bishop_attacks(a, both) & bishop_attacks(b, both)
                };
                assert_eq!(between(a, b), expected & line(a, b), "{a} {b}");
            }
        }
    }
}
