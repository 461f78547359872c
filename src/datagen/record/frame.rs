//! Pieces of a file that tell whether they are whole: length (2 bytes, little-endian), its complement, content,
//! CRC-32 of all that.
//!
//! The complement makes sure that a damaged length is not taken for a file that was cut short.

use std::io::{self, Read};

const LENGTH_BYTES: usize = 4;
const CHECKSUM_BYTES: usize = 4;

/// Most bytes of content.
pub(super) const MAX_CONTENT: usize = u16::MAX as usize;

/// What was found where a frame should begin.
pub(super) enum Frame {
    /// A whole frame; its content is in the buffer, its size with everything is so many bytes.
    Whole(u64),
    /// The end of the file, after so many bytes of an unfinished frame.
    End(u64),
    /// Length or checksum are wrong.
    Damaged,
}

/// Adds a frame around content; `None`, and nothing is added, if the content is longer than `MAX_CONTENT`.
pub(super) fn push_frame(content: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    let length = u16::try_from(content.len()).ok()?;
    let begin = bytes.len();
    bytes.extend(length.to_le_bytes());
    bytes.extend((!length).to_le_bytes());
    bytes.extend(content);
    let checksum = crc32fast::hash(&bytes[begin..]);
    bytes.extend(checksum.to_le_bytes());
    Some(())
}

/// Reads a frame; if it is whole, the buffer holds its content.
pub(super) fn read_frame(source: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<Frame> {
    buffer.clear();
    let found = read_up_to(source, LENGTH_BYTES, buffer)?;
    let &[low, high, not_low, not_high] = buffer.as_slice() else { return Ok(Frame::End(found)) };
    if (low, high) != (!not_low, !not_high) {
        return Ok(Frame::Damaged);
    }
    let rest = usize::from(u16::from_le_bytes([low, high])) + CHECKSUM_BYTES;
    let found = found + read_up_to(source, rest, buffer)?;
    if buffer.len() < LENGTH_BYTES + rest {
        return Ok(Frame::End(found));
    }
    let Some((content, checksum)) = buffer.split_last_chunk::<CHECKSUM_BYTES>() else { return Ok(Frame::Damaged) };
    if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
        return Ok(Frame::Damaged);
    }
    buffer.truncate(buffer.len() - CHECKSUM_BYTES);
    buffer.drain(..LENGTH_BYTES);
    Ok(Frame::Whole(found))
}

/// Adds bytes to the buffer, fewer only at the end of the source; returns how many.
pub(super) fn read_up_to(source: &mut impl Read, count: usize, buffer: &mut Vec<u8>) -> io::Result<u64> {
    source.take(count as u64).read_to_end(buffer).map(|read| read as u64)
}
