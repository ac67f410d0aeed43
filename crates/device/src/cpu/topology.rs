//! Which processors this process may use, and how many workers they are worth.
//!
//! One worker per performance core: hyperthreads share the units that products keep busy, and a command is shared
//! evenly, so that a slower core would hold up all others. Affinity and container quotas (cgroups of both versions,
//! nested ones too) cap the number; the standard library reads them. The rest comes from files below `/sys`, whose
//! root is a parameter so that tests can describe any machine. What cannot be read costs speed at most.

use std::collections::BTreeMap;
use std::path::Path;

/// What the system grants this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Processors (hardware threads) that it may run on.
    pub processors: u32,
    /// Of those, how many it may keep busy: less than `processors` where a quota says so. A fraction of a processor
    /// is rounded down, because a worker that is put to sleep in mid-command holds up all others.
    pub parallelism: u32,
    /// Performance cores among them.
    pub cores: u32,
    /// Slower cores among them.
    pub slower_cores: u32,
    /// Memory nodes with processors among them, in order; empty where not known.
    pub nodes: Vec<Node>,
}

/// One memory node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The system's number for it.
    pub id: u32,
    /// Its performance cores, each as the granted processors on it.
    pub cores: Vec<Vec<u32>>,
    /// All its granted processors.
    pub processors: Vec<u32>,
}

impl Topology {
    /// This machine and this process.
    pub fn detect() -> Self {
        let parallelism = std::thread::available_parallelism().map_or(1, |n| n.get().min(MOST) as u32);
        detect(parallelism)
    }

    /// Linux: `granted` are the processors of the affinity mask, `sys` is `/sys`.
    pub fn read(sys: &Path, granted: &[u32], parallelism: u32) -> Self {
        let cpu = sys.join("devices/system/cpu");
        let list = |path: &Path| std::fs::read_to_string(path).ok().and_then(|s| CpuList::parse(&s));
        let online = list(&cpu.join("online"));
        let granted: Vec<u32> =
            granted.iter().copied().filter(|c| online.as_ref().is_none_or(|o| o.contains(*c))).collect();
        if granted.is_empty() {
            return Self::unknown(parallelism);
        }

        // A core is known by its first processor, granted or not.
        let mut cores: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for c in &granted {
            let topology = cpu.join(format!("cpu{c}/topology"));
            let siblings =
                ["core_cpus_list", "thread_siblings_list"].iter().find_map(|name| list(&topology.join(name)));
            let first = siblings.filter(|s| s.contains(*c)).and_then(|s| s.first()).unwrap_or(*c);
            cores.entry(first).or_default().push(*c);
        }
        let cores: Vec<Vec<u32>> = cores.into_values().collect();
        let performance = performance_cores(sys, &cores);

        let nodes = nodes(sys);
        let node_of = |c: u32| nodes.iter().find(|(_, cpus)| cpus.contains(c)).map_or(0, |(id, _)| *id);
        let mut by_node: BTreeMap<u32, Node> = BTreeMap::new();
        for c in &granted {
            let id = node_of(*c);
            let new = || Node { id, cores: Vec::new(), processors: Vec::new() };
            by_node.entry(id).or_insert_with(new).processors.push(*c);
        }
        for (core, _) in cores.iter().zip(&performance).filter(|(_, fast)| **fast) {
            if let Some(n) = by_node.get_mut(&node_of(core[0])) {
                n.cores.push(core.clone());
            }
        }
        let fast = performance.iter().filter(|fast| **fast).count();
        Self {
            processors: granted.len() as u32,
            parallelism,
            cores: fast as u32,
            slower_cores: (cores.len() - fast) as u32,
            nodes: by_node.into_values().collect(),
        }
    }

    /// Nothing is known but a number.
    fn unknown(parallelism: u32) -> Self {
        Self { processors: parallelism, parallelism, cores: parallelism, slower_cores: 0, nodes: Vec::new() }
    }

    /// Workers to run unless the user says otherwise.
    pub fn workers(&self) -> u32 {
        self.cores.min(self.parallelism).clamp(1, MOST as u32)
    }

    /// Why so many, in one line.
    pub fn reason(&self) -> String {
        let plural = |n: u32, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let mut text = format!(
            "{}: {} of {} granted",
            plural(self.workers(), "worker"),
            plural(self.cores, "performance core"),
            plural(self.processors, "processor"),
        );
        if self.slower_cores > 0 {
            text += &format!(", {} left out", plural(self.slower_cores, "slower core"));
        }
        if self.parallelism < self.processors {
            text += &format!(", a quota of {}", plural(self.parallelism, "processor"));
        }
        if self.nodes.len() > 1 {
            text += &format!(", {} memory nodes", self.nodes.len());
        }
        text
    }
}

/// More workers than this are refused everywhere.
const MOST: usize = 1024;

/// Which of the cores are performance cores; all of them where nothing tells them apart.
fn performance_cores(sys: &Path, cores: &[Vec<u32>]) -> Vec<bool> {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let fast: Option<Vec<bool>> = match read(&sys.join("devices/cpu_core/cpus"))
        .and_then(|s| CpuList::parse(&s))
    {
        Some(fast) => Some(cores.iter().map(|c| fast.contains(c[0])).collect()),
        None => {
            let capacity = |c: &Vec<u32>| -> Option<u64> {
                read(&sys.join(format!("devices/system/cpu/cpu{}/cpu_capacity", c[0])))?.trim().parse().ok()
            };
            cores.iter().map(capacity).collect::<Option<Vec<u64>>>().map(|all| {
                // Cores share the work evenly, so n of them do n times what the slowest does: take the slowest that
                // pays, and of two equal choices the one with fewer workers.
                let work = |least: u64| least * all.iter().filter(|c| **c >= least).count() as u64;
                let least = all.iter().copied().max_by_key(|c| (work(*c), *c)).unwrap_or(0);
                all.iter().map(|c| *c >= least).collect()
            })
        }
    };
    // A process may be granted slow cores only.
    fast.filter(|f| f.contains(&true)).unwrap_or_else(|| vec![true; cores.len()])
}

/// Every memory node and its processors, in order of their numbers.
fn nodes(sys: &Path) -> Vec<(u32, CpuList)> {
    let mut nodes = Vec::new();
    for entry in std::fs::read_dir(sys.join("devices/system/node")).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let id = name.to_str().and_then(|n| n.strip_prefix("node")).and_then(|n| n.parse::<u32>().ok());
        let cpus = std::fs::read_to_string(entry.path().join("cpulist")).ok();
        if let (Some(id), Some(cpus)) = (id, cpus.and_then(|s| CpuList::parse(&s))) {
            nodes.push((id, cpus));
        }
    }
    nodes.sort_by_key(|(id, _)| *id);
    nodes
}

/// A list of processors as the kernel writes it: `0-3,8,10-11`.
struct CpuList(Vec<(u32, u32)>);

impl CpuList {
    fn parse(text: &str) -> Option<Self> {
        let parts = text.trim().split(',').filter(|p| !p.is_empty());
        let range = |p: &str| match p.split_once('-') {
            Some((a, b)) => Some((a.parse().ok()?, b.parse().ok()?)),
            None => p.parse().ok().map(|c| (c, c)),
        };
        parts.map(range).collect::<Option<_>>().map(Self)
    }

    fn contains(&self, cpu: u32) -> bool {
        self.0.iter().any(|(a, b)| (*a..=*b).contains(&cpu))
    }

    fn first(&self) -> Option<u32> {
        self.0.iter().map(|(a, _)| *a).min()
    }
}

#[cfg(target_os = "linux")]
mod os {
    use super::{MOST, Topology};
    use std::path::Path;

    /// Room for more processors than the kernel can be built for.
    const WORDS: usize = 128;

    pub(super) fn detect(parallelism: u32) -> Topology {
        Topology::read(Path::new("/sys"), &affinity(), parallelism)
    }

    /// The processors that the calling thread may run on; none where the system does not say.
    pub(crate) fn affinity() -> Vec<u32> {
        let mut mask = [0u64; WORDS];
        // SAFETY: the mask has as many writable bytes as said; 0 is the calling thread.
        let rc = unsafe { libc::sched_getaffinity(0, size_of_val(&mask), mask.as_mut_ptr().cast()) };
        if rc != 0 {
            return Vec::new();
        }
        (0..WORDS as u32 * 64).filter(|c| mask[*c as usize / 64] >> (c % 64) & 1 == 1).collect()
    }

    /// Binds the calling thread to these processors. A refusal costs speed only.
    pub(crate) fn bind(cpus: &[u32]) {
        let mut mask = [0u64; WORDS];
        for c in cpus.iter().filter(|c| (**c as usize) < WORDS * 64) {
            mask[*c as usize / 64] |= 1 << (c % 64);
        }
        if !cpus.is_empty() {
            // SAFETY: the mask has as many readable bytes as said; 0 is the calling thread.
            unsafe { libc::sched_setaffinity(0, size_of_val(&mask), mask.as_ptr().cast()) };
        }
    }
    const _: () = assert!(MOST <= WORDS * 64);
}

#[cfg(target_os = "macos")]
mod os {
    use super::Topology;

    pub(super) fn detect(parallelism: u32) -> Topology {
        let fast = sysctl(c"hw.perflevel0.physicalcpu");
        let all = sysctl(c"hw.physicalcpu");
        let mut t = Topology::unknown(parallelism);
        if let Some(fast) = fast.filter(|f| *f > 0) {
            t.cores = fast;
            t.slower_cores = all.unwrap_or(fast).saturating_sub(fast);
        }
        t
    }

    fn sysctl(name: &std::ffi::CStr) -> Option<u32> {
        let mut value: u32 = 0;
        let mut len = size_of::<u32>();
        // SAFETY: the name is a C string, and `value` and `len` describe four writable bytes.
        let rc = unsafe {
            let to = std::ptr::from_mut(&mut value).cast();
            libc::sysctlbyname(name.as_ptr(), to, &mut len, std::ptr::null_mut(), 0)
        };
        (rc == 0 && len == size_of::<u32>()).then_some(value)
    }

    /// The system has no way to bind threads to processors.
    pub(crate) fn bind(_: &[u32]) {}
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod os {
    use super::Topology;

    pub(super) fn detect(parallelism: u32) -> Topology {
        Topology::unknown(parallelism)
    }

    /// Not needed: nothing is known of nodes here.
    pub(crate) fn bind(_: &[u32]) {}
}

#[cfg(all(test, not(loom), target_os = "linux"))]
pub(crate) use os::affinity;
pub(crate) use os::bind;
use os::detect;

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::super::placement::Placement;
    use super::*;
    use std::fmt::Write;

    /// A `/sys` of its own, gone after the test.
    struct Sys(tempfile::TempDir);

    impl Sys {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn file(self, path: &str, text: &str) -> Self {
            let path = self.0.path().join("devices").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!("{text}\n")).unwrap();
            self
        }

        /// Processors of one core.
        fn core(mut self, cpus: &[u32]) -> Self {
            let mut list = String::new();
            for c in cpus {
                write!(list, "{}{c}", if list.is_empty() { "" } else { "," }).unwrap();
            }
            for c in cpus {
                self = self.file(&format!("system/cpu/cpu{c}/topology/core_cpus_list"), &list);
            }
            self
        }

        fn capacity(self, cpu: u32, capacity: u32) -> Self {
            self.file(&format!("system/cpu/cpu{cpu}/cpu_capacity"), &capacity.to_string())
        }

        fn read(&self, granted: &[u32]) -> Topology {
            Topology::read(self.0.path(), granted, granted.len() as u32)
        }
    }

    /// Four cores of two processors: 0 and 4, 1 and 5, …
    fn hyperthreads() -> Sys {
        (0..4).fold(Sys::new(), |s, c| s.core(&[c, c + 4]))
    }

    #[test]
    fn one_worker_per_core() {
        let sys = hyperthreads();
        let t = sys.read(&[0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!((t.processors, t.cores, t.workers()), (8, 4, 4));
        // Both threads of one core, and one thread of another.
        assert_eq!(sys.read(&[1, 5, 6]).workers(), 2);
        // The second threads only.
        assert_eq!(sys.read(&[4, 5, 6, 7]).workers(), 4);
    }

    #[test]
    fn older_kernels_name_siblings_otherwise() {
        let sys = (0..2).fold(Sys::new(), |s, c| {
            s.file(&format!("system/cpu/cpu{c}/topology/thread_siblings_list"), "0-1")
        });
        assert_eq!(sys.read(&[0, 1]).workers(), 1);
    }

    #[test]
    fn a_quota_caps_the_workers() {
        let sys = hyperthreads();
        let t = Topology::read(sys.0.path(), &[0, 1, 2, 3, 4, 5, 6, 7], 3);
        assert_eq!(t.workers(), 3);
        assert!(t.reason().contains("a quota of 3 processors"), "{}", t.reason());
        // A quota above the cores changes nothing.
        assert_eq!(Topology::read(sys.0.path(), &[0, 1, 2, 3, 4, 5, 6, 7], 6).workers(), 4);
        assert_eq!(Topology::read(sys.0.path(), &[0], 0).workers(), 1);
    }

    #[test]
    fn hybrid_processors_use_their_performance_cores() {
        // Two performance cores of two threads, four efficiency cores.
        let mut sys = Sys::new().core(&[0, 1]).core(&[2, 3]);
        for c in 4..8 {
            sys = sys.core(&[c]);
        }
        let sys = sys.file("cpu_core/cpus", "0-3").file("cpu_atom/cpus", "4-7");
        let t = sys.read(&[0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!((t.cores, t.slower_cores, t.workers()), (2, 4, 2));
        assert!(t.reason().contains("4 slower cores left out"), "{}", t.reason());
        // All on one node, so only the kind of core binds them.
        assert_eq!(Placement::new(&t, 2).workers, vec![vec![0, 1, 2, 3]; 2]);
        // Who asks for more gets every core.
        assert_eq!(Placement::new(&t, 6).workers, vec![Vec::<u32>::new(); 6]);
        // Granted slow cores only.
        let t = sys.read(&[5, 6]);
        assert_eq!((t.cores, t.slower_cores, t.workers()), (2, 0, 2));
        assert_eq!(Placement::new(&t, 2).workers, vec![Vec::<u32>::new(); 2]);
    }

    #[test]
    fn capacities_tell_which_cores_pay() {
        let machine = |capacities: &[u32]| {
            let sys = (0u32..).zip(capacities).fold(Sys::new(), |s, (c, v)| s.core(&[c]).capacity(c, *v));
            let all: Vec<u32> = (0..capacities.len() as u32).collect();
            sys.read(&all).workers()
        };
        assert_eq!(machine(&[1024; 4]), 4);
        // Eight even shares at 40% do less than four at full speed.
        assert_eq!(machine(&[410, 410, 410, 410, 1024, 1024, 1024, 1024]), 4);
        // One fastest core and three nearly as fast.
        assert_eq!(machine(&[300, 300, 300, 300, 900, 900, 900, 1024]), 4);
        // Equal work: fewer workers.
        assert_eq!(machine(&[512, 512, 1024, 1024]), 2);
        assert_eq!(machine(&[0, 0]), 2);
    }

    #[test]
    fn a_capacity_that_is_missing_tells_nothing() {
        let sys = Sys::new().core(&[0]).core(&[1]).capacity(0, 1024);
        assert_eq!(sys.read(&[0, 1]).workers(), 2);
    }

    #[test]
    fn offline_processors_do_not_count() {
        let sys = hyperthreads().file("system/cpu/online", "0-1,4");
        let t = sys.read(&[0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!((t.processors, t.workers()), (3, 2));
    }

    #[test]
    fn without_files_every_processor_counts() {
        let t = Sys::new().read(&[0, 1, 5]);
        assert_eq!((t.processors, t.cores, t.workers()), (3, 3, 3));
        // No affinity mask either.
        let t = Topology::read(Path::new("/nonexistent"), &[], 6);
        assert_eq!((t.workers(), t.nodes.len()), (6, 0));
        assert_eq!(Placement::new(&t, 3), Placement { workers: vec![Vec::new(); 3], nodes: 1 });
    }

    #[test]
    fn lists_that_make_no_sense_are_ignored() {
        for text in ["x", "0-", "-1", "3-x,1", "9-2", "1-4294967295", "", ","] {
            let sys = hyperthreads()
                .file("system/cpu/cpu1/topology/core_cpus_list", text)
                .file("system/node/node0/cpulist", text)
                .file("system/node/nodeX/cpulist", "0");
            assert!(sys.read(&[0, 1]).workers() <= 2, "{text:?}");
        }
        // A core that does not hold its own processor.
        let sys = Sys::new().file("system/cpu/cpu1/topology/core_cpus_list", "0");
        assert_eq!(sys.read(&[0, 1]).workers(), 2);
    }

    /// Two nodes of four cores with two threads each; a third has memory only.
    fn two_nodes() -> Sys {
        (0..8)
            .fold(Sys::new(), |s, c| s.core(&[c, c + 8]))
            .file("system/node/node0/cpulist", "0-3,8-11")
            .file("system/node/node1/cpulist", "4-7,12-15")
            .file("system/node/node2/cpulist", "")
    }

    #[test]
    fn workers_are_bound_to_nodes_in_contiguous_groups() {
        let all: Vec<u32> = (0..16).collect();
        let t = two_nodes().read(&all);
        assert_eq!((t.workers(), t.nodes.len()), (8, 2));
        let (first, second) = (vec![0, 8, 1, 9, 2, 10, 3, 11], vec![4, 12, 5, 13, 6, 14, 7, 15]);
        let p = Placement::new(&t, 8);
        assert_eq!(p.workers, [vec![first.clone(); 4], vec![second.clone(); 4]].concat());
        // Fewer workers are spread over both; one stays on one.
        let p = Placement::new(&t, 3);
        assert_eq!((p.workers, p.nodes), (vec![first.clone(), first.clone(), second], 2));
        assert_eq!(Placement::new(&t, 1), Placement { workers: vec![first], nodes: 1 });
        // More workers than cores use every thread of their node.
        let p = Placement::new(&t, 16);
        assert_eq!(p.workers[7], [0, 1, 2, 3, 8, 9, 10, 11]);
        assert_eq!(p.workers[8], [4, 5, 6, 7, 12, 13, 14, 15]);
    }

    #[test]
    fn groups_follow_what_is_granted_of_each_node() {
        // Three cores of the first node, one of the second.
        let t = two_nodes().read(&[0, 1, 2, 4]);
        let p = Placement::new(&t, 4);
        assert_eq!(p.workers, [vec![vec![0, 1, 2]; 3], vec![vec![4]]].concat());
        // One node only: nothing is bound.
        let t = two_nodes().read(&[0, 1, 8, 9]);
        assert_eq!(Placement::new(&t, 2), Placement { workers: vec![Vec::new(); 2], nodes: 1 });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_is_read() {
        let t = Topology::detect();
        let granted = affinity();
        assert_eq!(t.processors as usize, granted.len());
        assert!(t.parallelism <= t.processors);
        assert!((1..=t.parallelism).contains(&t.workers()), "{t:?}");
        let nodes: Vec<u32> = t.nodes.iter().flat_map(|n| n.processors.iter().copied()).collect();
        assert_eq!(nodes.len(), granted.len());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_can_be_bound() {
        let last = *affinity().last().unwrap();
        let bound = std::thread::spawn(move || {
            bind(&[last]);
            affinity()
        });
        assert_eq!(bound.join().unwrap(), [last]);
        // Binding to nothing changes nothing.
        let free = std::thread::spawn(|| {
            bind(&[]);
            affinity()
        });
        assert_eq!(free.join().unwrap(), affinity());
    }
}
