//! Where search threads run on machines with several memory nodes: each thread stays on the processors of one node, so
//! that its histories and accumulators are always near.

/// The memory nodes of the machine, each with the processors of it that the process may use.
#[derive(Debug, Default)]
pub(super) struct MemoryNodes {
    nodes: Vec<Vec<usize>>,
}

impl MemoryNodes {
    /// What the system tells; nothing where it does not tell, or where all memory is equally near.
    pub(super) fn of_this_machine() -> Self {
        Self::new(system::nodes())
    }

    pub(super) fn new(mut nodes: Vec<Vec<usize>>) -> Self {
        nodes.retain(|processors| !processors.is_empty());
        if nodes.len() < 2 {
            nodes.clear();
        }
        Self { nodes }
    }

    /// Whether so many threads should be bound: only if they are more than one node would hold at ease. Fewer may be
    /// one of many engines that play side by side, which the system distributes better.
    pub(super) fn should_bind(&self, threads: usize) -> bool {
        self.nodes.iter().map(Vec::len).max().is_some_and(|largest| threads > largest / 2)
    }

    /// The processors of a thread: one node after the other gets a thread, and again.
    fn processors(&self, id: usize) -> Option<&[usize]> {
        (!self.nodes.is_empty()).then(|| self.nodes[id % self.nodes.len()].as_slice())
    }

    /// Binds the calling thread to its node. A refusal of the system costs speed only, so it is not told.
    pub(super) fn bind_current_thread(&self, id: usize) {
        if let Some(processors) = self.processors(id) {
            system::bind_current_thread(processors);
        }
    }
}

/// The numbers in a list like `0-3,8,10-11`; `None` if it is none.
#[cfg(any(target_os = "linux", test))]
fn parse_list(list: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for range in list.trim().split(',').filter(|range| !range.is_empty()) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        numbers.extend(first.parse::<usize>().ok()?..=last.parse().ok()?);
    }
    Some(numbers)
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;

    const CURRENT_THREAD: Pid = Pid::from_raw(0);

    /// The processors of each node that the process may use.
    pub(super) fn nodes() -> Vec<Vec<usize>> {
        let Ok(allowed) = sched_getaffinity(CURRENT_THREAD) else { return Vec::new() };
        let Some(online) = read_list("/sys/devices/system/node/online") else { return Vec::new() };
        let processors = online.into_iter().filter_map(|node| {
            let all = read_list(&format!("/sys/devices/system/node/node{node}/cpulist"))?;
            Some(all.into_iter().filter(|&processor| allowed.is_set(processor).unwrap_or(false)).collect())
        });
        processors.collect()
    }

    fn read_list(path: &str) -> Option<Vec<usize>> {
        super::parse_list(&fs::read_to_string(path).ok()?)
    }

    pub(super) fn bind_current_thread(processors: &[usize]) {
        let mut set = CpuSet::new();
        if processors.iter().all(|&processor| set.set(processor).is_ok()) {
            let _ = sched_setaffinity(CURRENT_THREAD, &set);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn nodes() -> Vec<Vec<usize>> {
        Vec::new()
    }

    pub(super) fn bind_current_thread(_processors: &[usize]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(parse_list("0-3,8,10-11\n"), Some(vec![0, 1, 2, 3, 8, 10, 11]));
        assert_eq!(parse_list("\n"), Some(vec![]));
        assert_eq!(parse_list("0-"), None);
        assert_eq!(parse_list("a"), None);
    }

    #[test]
    fn threads_are_bound_in_turn_when_they_are_many() {
        let two = MemoryNodes::new(vec![vec![0, 1, 2, 3], vec![], vec![4, 5, 6, 7]]);
        assert!(!two.should_bind(1) && !two.should_bind(2) && two.should_bind(3) && two.should_bind(100));
        assert_eq!([0, 1, 2].map(|id| two.processors(id).unwrap()[0]), [0, 4, 0]);
    }

    #[test]
    fn nothing_is_bound_on_a_machine_with_one_node() {
        for nodes in [vec![], vec![vec![0, 1]], vec![vec![0, 1], vec![]]] {
            let nodes = MemoryNodes::new(nodes);
            assert!(!nodes.should_bind(64) && nodes.processors(0).is_none());
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_bound_thread_runs_on_its_processors_only() {
        use nix::sched::{CpuSet, sched_getaffinity};
        use nix::unistd::Pid;
        let allowed = |set: CpuSet| (0..CpuSet::count()).filter(|&processor| set.is_set(processor).unwrap()).collect();
        let all: Vec<usize> = allowed(sched_getaffinity(Pid::from_raw(0)).unwrap());
        let chosen = *all.last().unwrap();
        let nodes = MemoryNodes::new(vec![vec![all[0]], vec![chosen]]);
        let after = std::thread::spawn(move || {
            nodes.bind_current_thread(1);
            sched_getaffinity(Pid::from_raw(0)).unwrap()
        });
        let after: Vec<usize> = allowed(after.join().unwrap());
        assert_eq!(after, [chosen]);
    }
}
