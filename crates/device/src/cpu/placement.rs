//! Where workers run.

use super::topology::Topology;

/// Where workers run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placement {
    /// The processors that each worker is bound to; none where it may run anywhere.
    pub(crate) workers: Vec<Vec<u32>>,
    /// Memory nodes among them.
    pub(crate) nodes: usize,
}

impl Placement {
    /// So many workers on a machine: contiguous groups on the nodes, in proportion to their cores, or to all their
    /// processors where workers are more than cores. Workers are bound to a node and not to a core, so that the system
    /// can still move them out of another program's way.
    pub(crate) fn new(topology: &Topology, workers: u32) -> Self {
        let nodes = topology.nodes.iter();
        let fits = workers as usize <= nodes.clone().map(|n| n.cores.len()).sum();
        let places = nodes
            .enumerate()
            .flat_map(|(i, n)| std::iter::repeat_n(i, if fits { n.cores.len() } else { n.processors.len() }));
        let places: Vec<usize> = places.collect();
        if places.is_empty() {
            return Self { workers: vec![Vec::new(); workers as usize], nodes: 1 };
        }
        let bound = topology.nodes.len() > 1 || fits && topology.slower_cores > 0;
        let mut used = Vec::new();
        let workers = (0..workers as usize).map(|w| {
            let node = places[w * places.len() / workers as usize];
            used.push(node);
            let node = &topology.nodes[node];
            match (bound, fits) {
                (false, _) => Vec::new(),
                (true, true) => node.cores.concat(),
                (true, false) => node.processors.clone(),
            }
        });
        let workers = workers.collect();
        used.dedup();
        Self { workers, nodes: used.len() }
    }
}
