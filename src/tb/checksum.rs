//! The checksum in the last 16 bytes of a table file: the CityHashCrc256 (Pike and Alakuijala, 2011) of every 16 MB
//! of what is before, and the CityHash128 of all these.

use std::io::{self, Read};

use cityhash_rs::cityhash_103_128;

/// The part of a file that is hashed at a time.
const BLOCK: usize = 1 << 24;
/// Length of the checksum.
pub(super) const LENGTH: u64 = 16;
/// Beyond so many blocks the generator hashes the hashes in another way.
pub(super) const LONGEST: u64 = 28 * BLOCK as u64;

const K0: u64 = 0xC3A5_C85C_97CB_3127;
const MIX: u64 = 0x9DDF_EA08_EB38_2D69;

/// Whether the checksum of a file of a certain size, at most `LONGEST`, is that of its content.
pub(super) fn is_right(file: &mut impl Read, size: u64) -> io::Result<bool> {
    let mut left = (size - LENGTH) as usize;
    let mut block = vec![0; left.min(BLOCK)];
    let mut hashes = Vec::new();
    while left > 0 {
        let part = &mut block[..left.min(BLOCK)];
        file.read_exact(part)?;
        left -= part.len();
        hashes.extend(hash_block(part).into_iter().flat_map(u64::to_le_bytes));
    }
    let mut noted = [0; LENGTH as usize];
    file.read_exact(&mut noted)?;
    // The first of the two words of the hash is the high half here.
    Ok(noted == cityhash_103_128(&hashes).rotate_left(64).to_le_bytes())
}

/// CityHashCrc256. What is shorter than a round is filled up with zeros.
fn hash_block(data: &[u8]) -> [u64; 4] {
    if data.len() >= ROUND {
        return hash_long(data, 0);
    }
    let mut filled = [0; ROUND];
    filled[..data.len()].copy_from_slice(data);
    hash_long(&filled, u64::from(!(data.len() as u32)))
}

fn hash_long(data: &[u8], seed: u64) -> [u64; 4] {
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| data[at + byte]));
    let length = data.len() as u64;
    let c = mix(word(96).wrapping_add(K0), length);
    let d = word(120).wrapping_mul(K0).wrapping_add(length);
    let mut state = State {
        words: [word(56).wrapping_add(K0), word(96).wrapping_add(K0), c, d, word(184).wrapping_add(seed)],
        spare: c.wrapping_add(d),
        crcs: [seed as u32, 0, 0, 0, 0],
    };
    let (rounds, rest) = data.as_chunks::<ROUND>();
    for round in rounds {
        for pair in round.as_chunks::<STEP>().0.chunks_exact(2) {
            state.step(&pair[0], 1, 1);
            state.step(&pair[1], K0, 0);
        }
    }
    let (steps, rest) = rest.as_chunks::<STEP>();
    for step in steps {
        state.step(step, K0, 0);
    }
    if let (false, Some(step)) = (rest.is_empty(), data.last_chunk()) {
        state.step(step, K0, 0);
    }
    state.finish(c, d)
}

/// Bytes that are worked in at a time.
const STEP: usize = 40;
/// The steps of a round take turns with two factors.
const ROUND: usize = 6 * STEP;

struct State {
    words: [u64; 5],
    spare: u64,
    crcs: [u32; 5],
}

impl State {
    /// Works in five words of data.
    #[inline]
    fn step(&mut self, data: &[u8; STEP], factor: u64, twist: u32) {
        const ROTATIONS: [u32; 5] = [41, 27, 41, 33, 25];
        let [a, b, c, d, e] = self.words;
        let sources = [b, c, d, e, self.spare];
        for (index, &bytes) in data.as_chunks().0.iter().enumerate() {
            let rotated = sources[index].rotate_right(ROTATIONS[index] ^ twist);
            let mixed = rotated.wrapping_mul(factor).wrapping_add(u64::from_le_bytes(bytes));
            self.words[index] = mixed;
            self.crcs[index] = crc32c(self.crcs[index], mixed);
        }
        self.spare = a;
    }

    /// The hash; `first` and `second` are what the third and fourth word began with.
    fn finish(self, first: u64, second: u64) -> [u64; 4] {
        let [a, b, c, d, e] = self.words;
        let [f, g, h, i, j] = self.crcs.map(u64::from);
        let sum = |terms: &[u64]| terms.iter().fold(0, |sum: u64, &term| sum.wrapping_add(term));
        let j = sum(&[j, i << 32]);
        let a = mix(a, j);
        let h = sum(&[h, g << 32]);
        let b = sum(&[b, h]);
        let c = sum(&[mix(c, f), i]);
        let d = mix(d, sum(&[e, first]));
        let j = sum(&[j, e]);
        let i = sum(&[i, mix(h, self.spare)]);
        let e = sum(&[mix(a, d), j]);
        let f = sum(&[mix(b, c), a]);
        let g = sum(&[mix(j, i), c]);
        let hash0 = sum(&[e, f, g, h]);
        let a = sum(&[fold(sum(&[a, g])), b]);
        let hash1 = sum(&[second, a, hash0]);
        let a = sum(&[fold(a), c]);
        let hash2 = sum(&[a, hash1]);
        [hash0, hash1, hash2, sum(&[fold(sum(&[a, e])), hash2])]
    }
}

/// Mixes two words into one.
fn mix(low: u64, high: u64) -> u64 {
    let a = (low ^ high).wrapping_mul(MIX);
    let b = (high ^ a ^ a >> 47).wrapping_mul(MIX);
    (b ^ b >> 47).wrapping_mul(MIX)
}

fn fold(word: u64) -> u64 {
    let product = word.wrapping_mul(K0);
    (product ^ product >> 47).wrapping_mul(K0)
}

/// CRC-32C of eight bytes after others, as the instruction of that name computes it: without the usual inversions.
fn crc32c(crc: u32, word: u64) -> u32 {
    let bytes = (word ^ u64::from(crc)).to_le_bytes();
    (0..8).fold(0, |crc, index| crc ^ CRC_TABLES[index][usize::from(bytes[index])])
}

/// What a byte becomes when seven, six, ... and no bytes follow it.
static CRC_TABLES: [[u32; 256]; 8] = {
    const POLYNOMIAL: u32 = 0x82F6_3B78;
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        // The byte itself, then zeros.
        while bit < 64 {
            crc = crc >> 1 ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
            if bit % 8 == 0 {
                tables[8 - bit / 8][byte] = crc;
            }
        }
        byte += 1;
    }
    tables
};
