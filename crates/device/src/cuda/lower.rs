//! Lowering: a verified table becomes one graph. `begin` looks at the step block; the body (the table's commands
//! and `step_end`) repeats until the step block says stop; `finish` tells the host. Where many steps are submitted, an iteration of the
//! loop is several of them. A driver without conditional nodes gets the body alone, queued as often as there are steps.

use super::context::{Address, Context};
use super::memory::CudaMemory;
use super::modules::{Function, Modules};
use super::stream::CudaStream;
use super::{Options, compile};
use crate::limits::Limits;
use crate::regions::addresses;
use crate::{DeviceError, Memory, Replay, Stream};
use akunu_kernels::cuda::{CudaLaunch, Overlap, TensorMap};
use akunu_plan::table::{Binding, Region};
use akunu_plan::{Steps, VerifiedTable};
use cudarc::driver::sys as cu;
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::sync::Arc;

/// Steps of an iteration of a long submission's loop: each look at the condition costs microseconds.
const UNROLLED: u32 = 4;
/// Steps that make a submission long.
const LONG: u32 = 2 * UNROLLED;

/// One kernel launch with the values of its arguments.
#[derive(Clone)]
struct Launch {
    function: Function,
    grid: [u32; 3],
    block: u32,
    shared: u32,
    overlap: Overlap,
    /// Argument values, each in words of 8 bytes of its own.
    args: Vec<Vec<u64>>,
    /// Tensor maps, after the other arguments.
    maps: Vec<cu::CUtensorMap>,
    /// Whether it leaves sums in the stream's memory.
    exchanges: bool,
}

impl Launch {
    fn plain(function: &Function, block: u32, args: Vec<Vec<u64>>) -> Self {
        Self {
            function: function.clone(),
            grid: [1; 3],
            block,
            shared: 0,
            overlap: Overlap::No,
            args,
            maps: Vec::new(),
            exchanges: false,
        }
    }

    fn pointers(&mut self) -> Vec<*mut c_void> {
        let args = self.args.iter_mut().map(|a| a.as_mut_ptr().cast());
        args.chain(self.maps.iter_mut().map(|m| std::ptr::from_mut(m).cast())).collect()
    }
}

/// A graph that frees itself.
struct Graph {
    context: Arc<Context>,
    raw: cu::CUgraph,
}

impl Drop for Graph {
    fn drop(&mut self) {
        if let Ok(d) = self.context.enter() {
            // SAFETY: created by `Graph::new`, destroyed once; the executable form does not need it.
            let _ = unsafe { d.graph_destroy(self.raw) };
        }
    }
}

/// How an edge waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// For the end of the node.
    Full,
    /// Programmatically: the node may start early and waits itself.
    Early,
}

impl Graph {
    fn new(context: &Arc<Context>) -> Result<Self, DeviceError> {
        let mut raw: cu::CUgraph = std::ptr::null_mut();
        // SAFETY: a writable pointer.
        unsafe { context.enter()?.graph_create(&mut raw, 0)? };
        Ok(Self { context: Arc::clone(context), raw })
    }

    fn kernel(
        &self,
        graph: cu::CUgraph,
        launch: &Launch,
        after: &[(cu::CUgraphNode, Edge)],
    ) -> Result<cu::CUgraphNode, DeviceError> {
        let d = self.context.enter()?;
        let mut launch = launch.clone();
        let mut pointers = launch.pointers();
        let [x, y, z] = launch.grid;
        let nodes: Vec<cu::CUgraphNode> = after.iter().map(|(n, _)| *n).collect();
        let mut node: cu::CUgraphNode = std::ptr::null_mut();
        if after.iter().all(|(_, e)| *e == Edge::Full) {
            let params = cu::CUDA_KERNEL_NODE_PARAMS {
                func: launch.function.raw,
                gridDimX: x,
                gridDimY: y,
                gridDimZ: z,
                blockDimX: launch.block,
                blockDimY: 1,
                blockDimZ: 1,
                sharedMemBytes: launch.shared,
                kernelParams: pointers.as_mut_ptr(),
                extra: std::ptr::null_mut(),
                kern: std::ptr::null_mut(),
                ctx: std::ptr::null_mut(),
            };
            // SAFETY: the driver copies the arguments now; their number and sizes are those of the kernel, whose
            // text was generated from the same contract.
            unsafe { d.graph_kernel(&mut node, graph, nodes.as_ptr(), nodes.len(), &params)? };
            return Ok(node);
        }
        let edges: Vec<cu::CUgraphEdgeData> = after
            .iter()
            .map(|(_, e)| match e {
                Edge::Full => cu::CUgraphEdgeData { from_port: 0, to_port: 0, type_: 0, reserved: [0; 5] },
                Edge::Early => cu::CUgraphEdgeData {
                    from_port: cu::CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC as u8,
                    to_port: 0,
                    type_: cu::CUgraphDependencyType_enum::CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC as u8,
                    reserved: [0; 5],
                },
            })
            .collect();
        // SAFETY: an all-zero value is valid for this plain structure of the C interface.
        let mut params: cu::CUgraphNodeParams = unsafe { std::mem::zeroed() };
        params.type_ = cu::CUgraphNodeType::CU_GRAPH_NODE_TYPE_KERNEL;
        params.__bindgen_anon_1.kernel = cu::CUDA_KERNEL_NODE_PARAMS_v3 {
            func: launch.function.raw,
            gridDimX: x,
            gridDimY: y,
            gridDimZ: z,
            blockDimX: launch.block,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: launch.shared,
            kernelParams: pointers.as_mut_ptr(),
            extra: std::ptr::null_mut(),
            kern: std::ptr::null_mut(),
            ctx: std::ptr::null_mut(),
        };
        // SAFETY: as above; there are as many edges as nodes.
        unsafe { d.graph_node(&mut node, graph, nodes.as_ptr(), edges.as_ptr(), nodes.len(), &mut params)? };
        Ok(node)
    }

    /// A condition of this graph, false unless a kernel says otherwise.
    fn condition(&self) -> Result<cu::CUgraphConditionalHandle, DeviceError> {
        let mut handle: cu::CUgraphConditionalHandle = 0;
        // SAFETY: a writable handle, this graph and its context.
        unsafe {
            self.context.enter()?.graph_condition(
                &mut handle,
                self.raw,
                self.context.raw(),
                0,
                cu::CU_GRAPH_COND_ASSIGN_DEFAULT,
            )?;
        }
        Ok(handle)
    }

    /// A loop while a condition holds: its node, and the graph of its body.
    fn repeat(
        &self,
        handle: cu::CUgraphConditionalHandle,
        after: cu::CUgraphNode,
    ) -> Result<(cu::CUgraphNode, cu::CUgraph), DeviceError> {
        // SAFETY: an all-zero value is valid for this plain structure of the C interface.
        let mut params: cu::CUgraphNodeParams = unsafe { std::mem::zeroed() };
        params.type_ = cu::CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
        params.__bindgen_anon_1.conditional = cu::CUDA_CONDITIONAL_NODE_PARAMS {
            handle,
            type_: cu::CUgraphConditionalNodeType_enum::CU_GRAPH_COND_TYPE_WHILE,
            size: 1,
            phGraph_out: std::ptr::null_mut(),
            ctx: self.context.raw(),
        };
        let mut node: cu::CUgraphNode = std::ptr::null_mut();
        // SAFETY: one dependency, no edge data; the driver writes the address of the body's graph, which belongs to
        // this one and lives as long.
        unsafe {
            self.context.enter()?.graph_node(
                &mut node,
                self.raw,
                &after,
                std::ptr::null(),
                1,
                &mut params,
            )?;
            Ok((node, *params.__bindgen_anon_1.conditional.phGraph_out))
        }
    }

    fn instantiate(&self, stream: &CudaStream) -> Result<Exec, DeviceError> {
        let d = self.context.enter()?;
        let mut raw: cu::CUgraphExec = std::ptr::null_mut();
        // SAFETY: a writable pointer, a whole graph; then the stream of the same context.
        unsafe {
            d.graph_instantiate(&mut raw, self.raw, 0)?;
            let exec = Exec { context: Arc::clone(&self.context), raw };
            d.graph_upload(raw, stream.raw)?;
            Ok(exec)
        }
    }
}

/// The executable form of a graph.
struct Exec {
    context: Arc<Context>,
    raw: cu::CUgraphExec,
}

// SAFETY: handles of the driver, which locks; a replay uses them from one thread at a time.
unsafe impl Send for Exec {}

impl Drop for Exec {
    fn drop(&mut self) {
        if let Ok(d) = self.context.enter() {
            // SAFETY: created by `instantiate`, destroyed once; the driver waits for launches under way.
            let _ = unsafe { d.graph_exec_destroy(self.raw) };
        }
    }
}

/// A table on a GPU.
struct CudaReplay {
    context: Arc<Context>,
    stream: Arc<dyn Stream>,
    /// Keeps the addresses in the graphs valid.
    _regions: Vec<Arc<dyn Memory>>,
    commands: Vec<Launch>,
    begin: Launch,
    step_end: Launch,
    rest: Launch,
    finish: Launch,
    stamp: Function,
    order: Order,
    /// Set by `lower`, last.
    form: Option<Form>,
    /// Built when many steps are first submitted, after which it is there or could not be had: then the other form does.
    long: Option<Option<Exec>>,
    /// Built when a profile is first asked for: the graph and its stamps.
    profile: Option<(Exec, Address)>,
}

// SAFETY: the launches hold addresses and function handles, which any thread may pass to the driver.
unsafe impl Send for CudaReplay {}

enum Form {
    /// One launch runs until the device says stop.
    While(Exec),
    /// One launch is one step.
    Step(Exec),
    /// The same with all that belongs to a submission, for tables of which one step is submitted at a time.
    Single(Exec),
}

fn cuda_stream(stream: &Arc<dyn Stream>) -> Result<&CudaStream, DeviceError> {
    stream.as_any().downcast_ref::<CudaStream>().ok_or(DeviceError::Foreign { what: "stream" })
}

pub(crate) fn lower(
    context: &Arc<Context>,
    modules: &Modules,
    options: Options,
    table: &VerifiedTable,
    regions: &[Arc<dyn Memory>],
    stream: &Arc<dyn Stream>,
) -> Result<Box<dyn Replay>, DeviceError> {
    let limits = Limits::of(table)?;
    let s = cuda_stream(stream)?;
    if !Arc::ptr_eq(&s.context, context) {
        return Err(DeviceError::Foreign { what: "stream" });
    }
    let addresses = addresses(table, regions, |m| {
        m.as_any().downcast_ref::<CudaMemory>().filter(|m| m.is_of(context)).map(|m| m.at())
    })?;
    let kernels = compile::table_sources(table, &context.gpu, options)?;
    let mut sources: Vec<compile::Source> = kernels.iter().map(|(s, _)| s.clone()).collect();
    let control = compile::control(&context.gpu, options);
    sources.push(control.clone());
    let repeats = options.repeat && context.driver.has_conditions();
    modules.load(&sources)?;
    let functions: Vec<Function> =
        kernels.iter().map(|(s, l)| modules.function(s, s.name, l.shared)).collect::<Result<_, _>>()?;
    let mut commands = Vec::with_capacity(table.commands.len());
    for (i, c) in table.commands.iter().enumerate() {
        let k = c.kernel as usize;
        commands.push(command(context, s, table, i, &addresses, &functions[k], &kernels[k].1)?);
    }
    let own = |name| modules.function(&control, name, 0);
    let [step, blocks, windows] =
        [Region::Step, Region::BlockTable, Region::WindowTable].map(|r| addresses[r as usize]);
    let (ctl, page) = (s.control.at, s.mapped.device);
    // Two words of the kernel's argument in each; the last has one.
    let pair = |w: &[u32]| w.iter().rev().fold(0, |v, w| v << 32 | u64::from(*w));
    let limit_words: Vec<u64> = limits.words().chunks(2).map(pair).collect();
    let begin = Launch::plain(
        &own("begin")?,
        if limits.is_batch() { 1024 } else { 256 },
        vec![vec![step], vec![blocks], vec![windows], vec![ctl], vec![page], limit_words],
    );
    let threads = if limits.is_batch() { 256 } else { 1 };
    let mut step_end = Launch::plain(&own("step_end")?, threads, vec![vec![step], vec![ctl], vec![page]]);
    if options.overlap {
        step_end.overlap = Overlap::Yes;
    }
    let rest = Launch::plain(&own("rest")?, 1, vec![vec![step], vec![ctl]]);
    let finish = Launch::plain(&own("finish")?, 1, vec![vec![ctl], vec![page]]);
    let order = Order::of(table, &commands, &step_end, options);
    let mut replay = CudaReplay {
        context: Arc::clone(context),
        stream: Arc::clone(stream),
        _regions: regions.to_vec(),
        commands,
        begin,
        step_end,
        rest,
        finish,
        stamp: own("stamp")?,
        order,
        form: None,
        long: None,
        profile: None,
    };
    let form = match table.steps {
        Steps::Single => Form::Single(replay.single_graph(s)?),
        Steps::Many if repeats => Form::While(replay.while_graph(s)?),
        Steps::Many => Form::Step(replay.step_graph(s)?),
    };
    replay.form = Some(form);
    Ok(Box::new(replay))
}

fn command(
    context: &Arc<Context>,
    stream: &CudaStream,
    table: &VerifiedTable,
    i: usize,
    addresses: &[u64],
    function: &Function,
    l: &CudaLaunch,
) -> Result<Launch, DeviceError> {
    let bindings = table.bindings_of(i);
    let mut args: Vec<Vec<u64>> =
        bindings.iter().map(|b| vec![addresses[b.region.0 as usize] + b.offset]).collect();
    let params = table.params_of(i);
    if !params.is_empty() {
        let mut words = vec![0u64; params.len().div_ceil(2)];
        bytemuck::cast_slice_mut(&mut words)[..params.len()].copy_from_slice(params);
        args.push(words);
    }
    if l.exchange > 0 {
        args.push(vec![stream.exchange(l.exchange)?]);
    }
    let mut maps = Vec::with_capacity(l.maps.len());
    for m in &l.maps {
        let b = bindings.get(m.binding).ok_or(DeviceError::Foreign { what: "tensor map" })?;
        let all = b.len.saturating_sub(m.offset) / m.stride.max(1);
        let m = TensorMap { rows: if m.rows == TensorMap::ALL { all } else { m.rows }, ..*m };
        let end = m.offset + m.rows.saturating_sub(1) * m.stride + m.cols * 2;
        if end > b.len {
            return Err(DeviceError::Range { offset: m.offset, len: end - m.offset, bytes: b.len });
        }
        maps.push(tensor_map(context, addresses[b.region.0 as usize] + b.offset, &m)?);
    }
    Ok(Launch {
        function: function.clone(),
        grid: l.grid,
        block: l.block,
        shared: l.shared,
        overlap: l.overlap,
        args,
        maps,
        exchanges: l.exchange > 0,
    })
}

fn tensor_map(context: &Arc<Context>, base: u64, m: &TensorMap) -> Result<cu::CUtensorMap, DeviceError> {
    // SAFETY: an all-zero value is valid for this plain structure of the C interface.
    let mut map: cu::CUtensorMap = unsafe { std::mem::zeroed() };
    let (dim, strides) = ([m.cols, m.rows], [m.stride]);
    let (tile, element_strides) = ([m.box_cols, m.box_rows], [1u32, 1]);
    use cu::CUtensorMapSwizzle_enum::{CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_NONE};
    let swizzle = if m.swizzled() { CU_TENSOR_MAP_SWIZZLE_128B } else { CU_TENSOR_MAP_SWIZZLE_NONE };
    // SAFETY: the arrays have the lengths that rank 2 asks for; the driver checks alignment and sizes.
    unsafe {
        context.enter()?.tensor_map(
            &mut map,
            cu::CUtensorMapDataType_enum::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
            2,
            (base + m.offset) as *mut c_void,
            dim.as_ptr(),
            strides.as_ptr(),
            tile.as_ptr(),
            element_strides.as_ptr(),
            cu::CUtensorMapInterleave_enum::CU_TENSOR_MAP_INTERLEAVE_NONE,
            swizzle,
            // 256 bytes were slower on an H200: a step of 256 sequences by 1.5%, of 8 by 2 to 4%.
            cu::CUtensorMapL2promotion_enum::CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
            cu::CUtensorMapFloatOOBfill_enum::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )?;
    }
    Ok(map)
}

/// What a step's end decides.
#[derive(Clone, Copy)]
struct StepEnd {
    /// The condition of the loop that it is the last of, or 0.
    handle: u64,
    /// The loop's steps, or 0 where another step follows in any case.
    each: u32,
}

impl StepEnd {
    const ALONE: Self = Self { handle: 0, each: 1 };
    const FOLLOWED: Self = Self { handle: 0, each: 0 };
}

/// What each command waits for, and the step's end: commands by their number, and how. With overlap they form a chain, in which a kernel may start
/// before its predecessor has ended and waits for it itself; each waits before it ends, so waiting for one is waiting for all before it. Without,
/// the edges are the table's dependencies, and independent commands run side by side.
struct Order {
    /// None for a command that the step begins with.
    after: Vec<Vec<(usize, Edge)>>,
    last: Vec<(usize, Edge)>,
}

impl Order {
    fn of(table: &VerifiedTable, commands: &[Launch], step_end: &Launch, options: Options) -> Self {
        let edge = |l: &Launch| if l.overlap == Overlap::Yes { Edge::Early } else { Edge::Full };
        let all = 0..commands.len();
        if options.overlap {
            // A kernel may read its step block before it waits, so what comes next starts after the one that writes it. What comes
            // then starts after that.
            let before = |i: usize| {
                let wrote = i > 0 && table.bindings_of(i - 1).iter().any(writes_a_step);
                i.checked_sub(1).map(|b| (b, if wrote { Edge::Full } else { edge(&commands[i]) }))
            };
            return Self {
                after: all.clone().map(|i| before(i).into_iter().collect()).collect(),
                last: all.last().map(|i| (i, edge(step_end))).into_iter().collect(),
            };
        }
        let (mut after, mut is_last) = (Vec::with_capacity(commands.len()), vec![true; commands.len()]);
        let mut exchanged = None;
        for (i, l) in commands.iter().enumerate() {
            let deps = table.deps(i).iter().filter(|d| !d.previous_replay).map(|d| d.command as usize);
            // All use the same memory of the stream.
            let before: BTreeSet<usize> = deps.chain(exchanged.filter(|_| l.exchanges)).collect();
            before.iter().for_each(|d| is_last[*d] = false);
            after.push(before.into_iter().map(|d| (d, Edge::Full)).collect());
            exchanged = if l.exchanges { Some(i) } else { exchanged };
        }
        Self { after, last: all.filter(|i| is_last[*i]).map(|i| (i, Edge::Full)).collect() }
    }
}

/// Whether a command leaves a step block for the commands after it.
fn writes_a_step(b: &Binding) -> bool {
    b.region == Region::HeadStep.id() && b.access.writes()
}

impl CudaReplay {
    /// The commands and `step_end`, after `first`; gives the node of the latter.
    fn step(
        &self,
        g: &Graph,
        graph: cu::CUgraph,
        end: StepEnd,
        first: Option<cu::CUgraphNode>,
    ) -> Result<cu::CUgraphNode, DeviceError> {
        let mut nodes: Vec<cu::CUgraphNode> = Vec::with_capacity(self.commands.len());
        let first = first.map(|n| (n, Edge::Full));
        for (l, after) in self.commands.iter().zip(&self.order.after) {
            let after: Vec<_> = match &after[..] {
                [] => first.into_iter().collect(),
                some => some.iter().map(|(i, edge)| (nodes[*i], *edge)).collect(),
            };
            nodes.push(g.kernel(graph, l, &after)?);
        }
        let after: Vec<_> = self.order.last.iter().map(|(i, edge)| (nodes[*i], *edge)).collect();
        g.kernel(graph, &self.step_end(end), &after)
    }

    fn step_end(&self, end: StepEnd) -> Launch {
        let mut l = self.step_end.clone();
        l.args.extend([vec![end.handle], vec![end.each.into()]]);
        l
    }

    fn begin(&self, handle: u64, each: u32, own: u32) -> Launch {
        let mut l = self.begin.clone();
        l.args.extend([vec![handle], vec![each.into()], vec![own.into()]]);
        l
    }

    /// One launch without a condition, and without a word of the host's: both take microseconds that a table of one step does not make
    /// up for.
    fn single_graph(&self, stream: &CudaStream) -> Result<Exec, DeviceError> {
        let g = Graph::new(&self.context)?;
        let first = g.kernel(g.raw, &self.begin(0, 1, 1), &[])?;
        let last = self.step(&g, g.raw, StepEnd::ALONE, Some(first))?;
        g.kernel(g.raw, &self.finish, &[(last, Edge::Full)])?;
        g.instantiate(stream)
    }

    /// A step, which the host launches as often as there are steps.
    fn step_graph(&self, stream: &CudaStream) -> Result<Exec, DeviceError> {
        let g = Graph::new(&self.context)?;
        self.step(&g, g.raw, StepEnd::ALONE, None)?;
        g.instantiate(stream)
    }

    /// A loop that takes a step at a time.
    fn while_graph(&self, stream: &CudaStream) -> Result<Exec, DeviceError> {
        let g = Graph::new(&self.context)?;
        let handle = g.condition()?;
        let first = g.kernel(g.raw, &self.begin(handle, 1, 0), &[])?;
        let node = self.repeat(&g, handle, 1, first)?;
        g.kernel(g.raw, &self.finish, &[(node, Edge::Full)])?;
        g.instantiate(stream)
    }

    /// A loop of [`UNROLLED`] steps an iteration, and one of a step for those that are left. A step begins sooner after one of its own
    /// iteration than after one of the iteration before.
    fn long_graph(&self, stream: &CudaStream) -> Result<Exec, DeviceError> {
        let g = Graph::new(&self.context)?;
        let [many, one] = [g.condition()?, g.condition()?];
        let first = g.kernel(g.raw, &self.begin(many, UNROLLED, 0), &[])?;
        let node = self.repeat(&g, many, UNROLLED, first)?;
        let mut rest = self.rest.clone();
        rest.args.push(vec![one]);
        let node = g.kernel(g.raw, &rest, &[(node, Edge::Full)])?;
        let node = self.repeat(&g, one, 1, node)?;
        g.kernel(g.raw, &self.finish, &[(node, Edge::Full)])?;
        g.instantiate(stream)
    }

    /// A loop of `each` steps at a time while its condition holds.
    fn repeat(
        &self,
        g: &Graph,
        handle: cu::CUgraphConditionalHandle,
        each: u32,
        after: cu::CUgraphNode,
    ) -> Result<cu::CUgraphNode, DeviceError> {
        let (node, body) = g.repeat(handle, after)?;
        let mut last = None;
        for i in 1..=each {
            let end = if i < each { StepEnd::FOLLOWED } else { StepEnd { handle, each } };
            last = Some(self.step(g, body, end, last)?);
        }
        Ok(node)
    }

    /// Every command alone, with a time stamp on both sides.
    fn profile_graph(&self, stream: &CudaStream) -> Result<(Exec, Address), DeviceError> {
        let stamps = Address::new(&self.context, "stamps", (self.commands.len() as u64 + 3) * 8)?;
        let g = Graph::new(&self.context)?;
        let stamp = |i: usize| Launch::plain(&self.stamp, 1, vec![vec![stamps.at + 8 * i as u64]]);
        let mut chain = vec![self.begin(0, 1, 0), stamp(0), stamp(1)];
        for (i, c) in self.commands.iter().enumerate() {
            chain.extend([c.clone(), stamp(i + 2)]);
        }
        chain.extend([self.step_end(StepEnd::ALONE), self.finish.clone()]);
        let mut last: Option<cu::CUgraphNode> = None;
        for l in &chain {
            let after: Vec<_> = last.map(|n| (n, Edge::Full)).into_iter().collect();
            last = Some(g.kernel(g.raw, l, &after)?);
        }
        Ok((g.instantiate(stream)?, stamps))
    }

    fn run_alone(&self, l: &Launch, stream: &CudaStream) -> Result<(), DeviceError> {
        let mut l = l.clone();
        let mut pointers = l.pointers();
        let [x, y, z] = l.grid;
        // SAFETY: as for the nodes of a graph.
        unsafe {
            self.context.enter()?.launch(
                l.function.raw,
                x,
                y,
                z,
                l.block,
                1,
                1,
                l.shared,
                stream.raw,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        }
    }
}

impl Replay for CudaReplay {
    fn submit(&mut self, steps: u32) -> Result<(), DeviceError> {
        if steps == 0 {
            return Ok(());
        }
        let stream = cuda_stream(&self.stream)?;
        let form = self.form.as_ref().ok_or(DeviceError::Foreign { what: "replay" })?;
        if let Form::Single(exec) = form {
            // SAFETY: instantiated for this context; the stream is of the same.
            return (0..steps)
                .try_for_each(|_| stream.queue(|d| unsafe { d.graph_launch(exec.raw, stream.raw) }));
        }
        if matches!(form, Form::While(_)) && steps >= LONG && self.long.is_none() {
            self.long = Some(self.long_graph(stream).ok());
        }
        stream.submit(steps, |d| match form {
            Form::Single(_) => Ok(()),
            Form::While(exec) => {
                let long = self.long.as_ref().and_then(Option::as_ref);
                let exec = long.filter(|_| steps >= LONG).unwrap_or(exec);
                // SAFETY: instantiated for this context; the stream is of the same.
                unsafe { d.graph_launch(exec.raw, stream.raw) }
            }
            Form::Step(exec) => {
                self.run_alone(&self.begin(0, 1, 0), stream)?;
                for _ in 0..steps {
                    // SAFETY: as above.
                    unsafe { d.graph_launch(exec.raw, stream.raw)? };
                }
                self.run_alone(&self.finish, stream)
            }
        })
    }

    fn profile(&mut self, seconds: &mut [f64]) -> Result<(), DeviceError> {
        let stream = cuda_stream(&self.stream)?;
        if self.profile.is_none() {
            self.profile = Some(self.profile_graph(stream)?);
        }
        let Some((exec, stamps)) = &self.profile else { return Ok(()) };
        let mut at = vec![0u64; self.commands.len() + 2];
        stream.submit(1, |d| {
            // SAFETY: instantiated for this context; the stream is of the same.
            unsafe { d.graph_launch(exec.raw, stream.raw) }
        })?;
        stream.wait(u64::MAX, 0)?;
        // SAFETY: the stamps' memory holds more than these words.
        unsafe {
            self.context.enter()?.copy_out(at.as_mut_ptr().cast(), stamps.at, at.len() * 8)?;
        }
        // What two neighbouring stamps show is the stamp's own.
        let own = at[1].saturating_sub(at[0]);
        for (i, s) in seconds.iter_mut().enumerate().take(self.commands.len()) {
            *s = at[i + 2].saturating_sub(at[i + 1]).saturating_sub(own) as f64 * 1e-9;
        }
        Ok(())
    }
}
