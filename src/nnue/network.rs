//! The network: its shape, its weights, and the file that holds them.
//!
//! Two accumulators of `HIDDEN` values, one for each side, are sums of the weight rows of the active features. They
//! go through a squared clipped ReLU into one of `OUTPUT_BUCKETS` output neurons, chosen by the number of pieces.
//!
//! A network file is, in little-endian order: the magic, the format version, the dimensions (features, hidden,
//! buckets) and quantisation (QA, QB, scale) as 32-bit numbers, the length of the description and the description in
//! UTF-8, a 64-bit checksum of the weights (FNV-1a), then the weights as 16-bit numbers in the order of `Network`.

use std::sync::Arc;

use once_cell::sync::Lazy;
use thiserror::Error;

use super::features::FEATURES;
use crate::types::Score;

/// Values in the accumulator of one perspective.
pub const HIDDEN: usize = 512;
/// Output layers, chosen by the number of pieces.
pub const OUTPUT_BUCKETS: usize = 8;
/// Activation 1.0 in the hidden layer.
pub const QA: i32 = 255;
/// Weight 1.0 in the output layer.
pub const QB: i32 = 64;
/// Output 1.0 as a score.
pub const SCALE: i32 = 400;

/// Weights of the output layer stay within this, so that activation times weight fits 16 bits.
pub const MAX_OUTPUT_WEIGHT: i16 = 127;

const MAGIC: [u8; 8] = *b"ROKADENN";
const VERSION: u32 = 1;
const MAX_DESCRIPTION: usize = 1 << 16;

/// A row of the hidden layer.
pub type Row = [i16; HIDDEN];

/// All weights, quantised, in the layout of inference.
#[repr(C, align(64))]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// Rows of the feature transformer, one for each feature.
    pub ft_weights: [Row; FEATURES],
    /// What the accumulators start from.
    pub ft_bias: Row,
    /// Output weights: of the side to move, then of the other.
    pub output_weights: [[Row; 2]; OUTPUT_BUCKETS],
    /// Output biases, in units of 1 / (QA * QB).
    pub output_bias: [i16; OUTPUT_BUCKETS],
}

/// How many numbers there are.
const WEIGHT_COUNT: usize = (FEATURES + 1 + 2 * OUTPUT_BUCKETS) * HIDDEN + OUTPUT_BUCKETS;

/// A network with what its file says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// The weights.
    pub weights: Box<Weights>,
    /// How it was trained.
    pub description: String,
    /// Checksum of the weights.
    pub checksum: u64,
}

/// Why a network file is refused.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum NetworkError {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("not a network file of this engine")]
    Magic,
    #[error("format version {0}, expected {VERSION}")]
    Version(u32),
    #[error("the {name} is {found}, expected {expected}")]
    Dimension { name: &'static str, found: u32, expected: u32 },
    #[error("the file ends too early")]
    Short,
    #[error("the file has {0} bytes too many")]
    Long(usize),
    #[error("the description is not readable")]
    Description,
    #[error("the checksum does not match: the file is damaged")]
    Checksum,
    #[error("the weights could overflow: {0}")]
    Overflow(&'static str),
}

/// What a file must say about its shape.
const DIMENSIONS: [(&str, u32); 6] = [
    ("number of features", FEATURES as u32),
    ("hidden size", HIDDEN as u32),
    ("number of output buckets", OUTPUT_BUCKETS as u32),
    ("hidden quantisation", QA as u32),
    ("output quantisation", QB as u32),
    ("output scale", SCALE as u32),
];

static EMBEDDED: Lazy<Arc<Network>> = Lazy::new(|| match Network::from_bytes(include_bytes!("rokade.nnue")) {
    Ok(network) => Arc::new(network),
    Err(error) => unreachable!("the embedded network: {error}"),
});

impl Network {
    /// The network that is part of the program.
    #[must_use]
    pub fn embedded() -> Arc<Self> {
        Arc::clone(&EMBEDDED)
    }

    /// A network of these weights.
    ///
    /// # Errors
    ///
    /// When they could overflow the arithmetic of inference.
    pub fn new(weights: Box<Weights>, description: String) -> Result<Self, NetworkError> {
        weights.check_bounds()?;
        let checksum = fnv1a(&weights.to_bytes());
        Ok(Self { weights, description, checksum })
    }

    /// Reads a network file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is not a sound network of this shape.
    pub fn load(path: &std::path::Path) -> Result<Self, NetworkError> {
        Self::from_bytes(&std::fs::read(path)?)
    }

    /// Reads the bytes of a network file.
    ///
    /// # Errors
    ///
    /// When they are not a sound network of this shape.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let mut reader = Reader(bytes);
        if reader.array::<8>().map_err(|_| NetworkError::Magic)? != MAGIC {
            return Err(NetworkError::Magic);
        }
        let version = reader.u32()?;
        if version != VERSION {
            return Err(NetworkError::Version(version));
        }
        for (name, expected) in DIMENSIONS {
            let found = reader.u32()?;
            if found != expected {
                return Err(NetworkError::Dimension { name, found, expected });
            }
        }
        let length = reader.u32()? as usize;
        if length > MAX_DESCRIPTION {
            return Err(NetworkError::Description);
        }
        let description = reader.take(length)?.to_vec();
        let description = String::from_utf8(description).map_err(|_| NetworkError::Description)?;
        let checksum = u64::from_le_bytes(reader.array()?);
        let weights = reader.take(2 * WEIGHT_COUNT)?;
        if !reader.0.is_empty() {
            return Err(NetworkError::Long(reader.0.len()));
        }
        if fnv1a(weights) != checksum {
            return Err(NetworkError::Checksum);
        }
        let weights = Weights::from_le_bytes(weights);
        weights.check_bounds()?;
        Ok(Self { weights, description, checksum })
    }

    /// The bytes of the network's file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        for (_, value) in DIMENSIONS {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend((self.description.len() as u32).to_le_bytes());
        bytes.extend(self.description.as_bytes());
        bytes.extend(self.checksum.to_le_bytes());
        bytes.extend(self.weights.to_bytes());
        bytes
    }
}

impl Weights {
    /// Weights that are all zero.
    #[must_use]
    pub fn zeroed() -> Box<Self> {
        Box::new(Self {
            ft_weights: [[0; HIDDEN]; FEATURES],
            ft_bias: [0; HIDDEN],
            output_weights: [[[0; HIDDEN]; 2]; OUTPUT_BUCKETS],
            output_bias: [0; OUTPUT_BUCKETS],
        })
    }

    /// The score that an output layer makes of its sum of squared activations times weights.
    #[inline]
    #[must_use]
    pub fn score(&self, bucket: usize, sum: i32) -> Score {
        (sum / QA + i32::from(self.output_bias[bucket])) * SCALE / (QA * QB)
    }

    /// The numbers in file order.
    fn numbers(&self) -> impl Iterator<Item = &i16> {
        let transformer = self.ft_weights.as_flattened().iter().chain(&self.ft_bias);
        transformer.chain(self.output_weights.as_flattened().as_flattened()).chain(&self.output_bias)
    }

    fn numbers_mut(&mut self) -> impl Iterator<Item = &mut i16> {
        let transformer = self.ft_weights.as_flattened_mut().iter_mut().chain(&mut self.ft_bias);
        transformer.chain(self.output_weights.as_flattened_mut().as_flattened_mut()).chain(&mut self.output_bias)
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.numbers().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn from_le_bytes(bytes: &[u8]) -> Box<Self> {
        let mut weights = Self::zeroed();
        let (numbers, _) = bytes.as_chunks::<2>();
        for (weight, number) in weights.numbers_mut().zip(numbers) {
            *weight = i16::from_le_bytes(*number);
        }
        weights
    }

    /// Whether no position of up to 32 pieces can overflow: accumulators fit 16 bits, products in the output layer
    /// 16 bits, their sum and the score that is made of it 32 bits.
    fn check_bounds(&self) -> Result<(), NetworkError> {
        for hidden in 0..HIDDEN {
            let mut magnitudes: Vec<i32> = self.ft_weights.iter().map(|row| i32::from(row[hidden]).abs()).collect();
            let (larger, &mut last, _) = magnitudes.select_nth_unstable_by_key(31, |&magnitude| -magnitude);
            let most = larger.iter().sum::<i32>() + last + i32::from(self.ft_bias[hidden]).abs();
            if most > i32::from(i16::MAX) {
                return Err(NetworkError::Overflow("accumulator"));
            }
        }
        for (weights, &bias) in self.output_weights.iter().zip(&self.output_bias) {
            let weights = weights.as_flattened();
            if weights.iter().any(|weight| weight.unsigned_abs() > MAX_OUTPUT_WEIGHT.unsigned_abs()) {
                return Err(NetworkError::Overflow("output weight"));
            }
            let sum: i64 = weights.iter().map(|&weight| i64::from(weight).abs() * i64::from(QA * QA)).sum();
            let most = sum / i64::from(QA) + i64::from(bias).abs();
            if most * i64::from(SCALE) > i64::from(i32::MAX) {
                return Err(NetworkError::Overflow("output sum"));
            }
        }
        Ok(())
    }
}

/// Takes bytes from the front of a file.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], NetworkError> {
        let (head, tail) = self.0.split_at_checked(length).ok_or(NetworkError::Short)?;
        self.0 = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], NetworkError> {
        let (head, tail) = self.0.split_first_chunk().ok_or(NetworkError::Short)?;
        self.0 = tail;
        Ok(*head)
    }

    fn u32(&mut self) -> Result<u32, NetworkError> {
        Ok(u32::from_le_bytes(self.array()?))
    }
}

/// The 64-bit FNV-1a hash.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}
