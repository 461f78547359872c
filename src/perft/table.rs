//! The table of counts: what lies below positions that come up again, shared by all threads without locks.
//!
//! An entry is the whole 64-bit key, mixed with the depth, and the count. Two threads that write one entry at once leave
//! one whose words do not belong together, which the check of the key refuses.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use thiserror::Error;

const ENTRIES: usize = 4;
const MEGABYTE: usize = 1 << 20;
/// An odd number without a pattern: its products spread the depth over the key.
const DEPTH_FACTOR: u64 = 0x9E6D_62D0_6F6A_9A9B;

/// There is not enough memory for a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is no memory for a table of {0} MB")]
pub struct TableError(usize);

#[derive(Default)]
struct Entry {
    /// Key and count, one xor the other.
    check: AtomicU64,
    count: AtomicU64,
}

#[derive(Default)]
#[repr(align(64))]
struct Cluster([Entry; ENTRIES]);

const _: () = assert!(size_of::<Cluster>() == 64, "a cluster fills a cache line");

pub(super) struct Table {
    clusters: Vec<Cluster>,
}

impl Table {
    /// An empty table of so many megabytes.
    pub(super) fn new(megabytes: usize) -> Result<Self, TableError> {
        let length = (megabytes.saturating_mul(MEGABYTE) / size_of::<Cluster>()).max(1);
        let mut clusters = Vec::new();
        clusters.try_reserve_exact(length).map_err(|_| TableError(megabytes))?;
        clusters.resize_with(length, Cluster::default);
        Ok(Self { clusters })
    }

    /// The count below the position with this key, if it is known at this depth.
    pub(super) fn probe(&self, key: u64, depth: u32) -> Option<u64> {
        let key = mix(key, depth);
        let counts = self.cluster(key).0.iter().filter_map(|entry| {
            let count = entry.count.load(Relaxed);
            (count != 0 && entry.check.load(Relaxed) ^ count == key).then_some(count)
        });
        counts.into_iter().next()
    }

    /// Keeps a count in place of the smallest, which is the cheapest to make again. Nothing stands for an empty entry,
    /// so that a count of nothing is not kept.
    pub(super) fn store(&self, key: u64, depth: u32, count: u64) {
        let key = mix(key, depth);
        if let Some(entry) = self.cluster(key).0.iter().min_by_key(|entry| entry.count.load(Relaxed)) {
            entry.count.store(count, Relaxed);
            entry.check.store(key ^ count, Relaxed);
        }
    }

    fn cluster(&self, key: u64) -> &Cluster {
        let index = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }
}

fn mix(key: u64, depth: u32) -> u64 {
    key ^ DEPTH_FACTOR.wrapping_mul(depth.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_found_by_its_key_and_depth_only() {
        let table = Table::new(1).unwrap();
        for (key, depth, count) in [(0, 3, 7), (1 << 63, 3, 8), (u64::MAX, 200, u64::MAX)] {
            table.store(key, depth, count);
            assert_eq!(table.probe(key, depth), Some(count));
            assert_eq!(table.probe(key, depth + 1), None);
            assert_eq!(table.probe(key ^ 1, depth), None);
        }
        table.store(5, 2, 0);
        assert_eq!(table.probe(5, 2), None);
    }

    #[test]
    fn the_smallest_count_gives_way() {
        let table = Table::new(0).unwrap();
        assert_eq!(table.clusters.len(), 1);
        for count in [50, 20, 40, 30, 10] {
            table.store(count, 1, count);
        }
        let kept: Vec<u64> = (1..=5).filter_map(|tens| table.probe(10 * tens, 1)).collect();
        assert_eq!(kept, [10, 30, 40, 50]);
    }

    #[test]
    fn memory_that_is_not_to_be_had_is_refused() {
        assert_eq!(Table::new(usize::MAX).err(), Some(TableError(usize::MAX)));
    }
}
