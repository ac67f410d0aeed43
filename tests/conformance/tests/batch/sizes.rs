//! How large a batch is where nobody says it, and what is refused before anything is allocated.

use super::*;
use akunu::Lower;
use akunu::device::null::NullDevice;
use akunu::device::{DeviceError, DeviceInfo, Memory, Replay, Stream};
use akunu::kernels::Machine;
use akunu::kernels::cuda::Gpu;
use akunu::plan::{RegionDecl, Target, VerifiedTable};
use std::sync::atomic::{AtomicU64, Ordering};

/// Somebody's device with so many bytes free, which counts what is allocated of it.
struct Bounded {
    inner: NullDevice,
    free: u64,
    allocated: AtomicU64,
}

impl Bounded {
    fn new(machine: Machine, free: u64) -> Arc<Self> {
        let inner = NullDevice::new(Target::of(machine));
        Arc::new(Self { inner, free, allocated: AtomicU64::new(0) })
    }
}

impl Device for Bounded {
    fn info(&self) -> DeviceInfo {
        DeviceInfo { free_bytes: self.free, ..self.inner.info() }
    }

    fn target(&self) -> &Target {
        self.inner.target()
    }

    fn alloc(&self, decl: &RegionDecl) -> Result<Arc<dyn Memory>, DeviceError> {
        self.allocated.fetch_add(decl.bytes, Ordering::Relaxed);
        self.inner.alloc(decl)
    }

    fn stream(&self) -> Result<Arc<dyn Stream>, DeviceError> {
        self.inner.stream()
    }

    fn lower(
        &self,
        table: &VerifiedTable,
        regions: &[Arc<dyn Memory>],
        stream: &Arc<dyn Stream>,
    ) -> Result<Box<dyn Replay>, DeviceError> {
        self.inner.lower(table, regions, stream)
    }

    fn measure_bandwidth(&self) -> Option<f64> {
        None
    }
}

const GPU: Machine = Machine::Cuda(Gpu { sm: 90, multiprocessors: 132, shared: 227 << 10 });

/// A model of a long context on a device with so many bytes free, which its weights do not take.
fn bounded(machine: Machine, free: u64) -> (Model, Arc<Bounded>) {
    let device = Bounded::new(machine, free);
    let options = LoadOptions { context: Some(8192), ..LoadOptions::default() };
    let source = Box::new(Synthetic::parse("tiny-llama:q8_0").unwrap());
    let m = Model::load_on(source, Arc::clone(&device) as Arc<dyn Device>, &options, &mut |_| {}).unwrap();
    device.allocated.store(0, Ordering::Relaxed);
    (m, device)
}

#[test]
fn a_batch_is_as_large_as_its_device_allows() {
    let size = |m: &Model| {
        let p = m.check_batch(&BatchOptions::default()).unwrap();
        (p.capacity().seqs, p.cache.pool)
    };
    let cpu = Machine::Cpu(Level::Portable);
    // A context of 32 blocks, and one for each sequence, however much is free. 0 is a device that does not know.
    assert_eq!(size(&bounded(cpu, 1 << 50).0), (16, 48));
    assert_eq!(size(&bounded(cpu, 0).0), (16, 48));
    assert_eq!(size(&bounded(GPU, 0).0), (256, 32 + 256));
    // All that 256 sequences can hold, twice.
    assert_eq!(size(&bounded(GPU, 1 << 50).0), (256, 32 * 256 * 2));
    // 90% of what the rest leaves, and not a block more.
    let (m, _) = bounded(GPU, 2 << 30);
    let p = m.check_batch(&BatchOptions::default()).unwrap();
    assert_eq!(p.capacity().seqs, 256);
    let room = ((2u64 << 30) - (p.own_bytes() - p.cache_bytes())) as f64 * 0.9;
    let block = (p.cache_bytes() / u64::from(p.cache.pool)) as f64;
    assert!((room - block..=room).contains(&(p.cache_bytes() as f64)), "{} of {room}", p.cache_bytes());
    assert!(p.cache.pool > 256 + 32, "{}", p.cache.pool);
    // Where not all places fit, fewer, each with the whole context.
    for machine in [cpu, GPU] {
        let (m, _) = bounded(machine, 0);
        let bytes =
            |sequences| m.batch_program(&BatchOptions { sequences, ..BatchOptions::default() }).unwrap();
        let (all, one) = (bytes(None).own_bytes(), bytes(Some(1)).own_bytes());
        let free = one + (all - one) * 2 / 3;
        let p = bounded(machine, free).0.check_batch(&BatchOptions::default()).unwrap();
        let most = bytes(None).capacity().seqs;
        assert!((2..most).contains(&p.capacity().seqs), "{}", p.capacity().seqs);
        assert!(p.cache.pool >= 32 && p.own_bytes() <= free);
    }
    // A cache that was asked for decides how many have a block.
    let (m, _) = bounded(cpu, 0);
    let small = BatchOptions { cache_tokens: Some(8192), ..BatchOptions::default() };
    assert_eq!(m.batch_program(&small).unwrap().cache.pool, 32);
    let context = LoadOptions { context: Some(700), ..LoadOptions::default() };
    let source = Box::new(Synthetic::parse("tiny-llama:q8_0").unwrap());
    let m = Model::load_on(source, Bounded::new(cpu, 0), &context, &mut |_| {}).unwrap();
    let three =
        m.batch_program(&BatchOptions { cache_tokens: Some(768), ..BatchOptions::default() }).unwrap();
    assert_eq!((three.capacity().seqs, three.cache.pool), (3, 3));
}

/// With what is needed, what is free, and what to lower; nothing has been allocated.
#[test]
fn a_batch_that_does_not_fit_is_refused_before_anything_is_allocated() {
    let cpu = Machine::Cpu(Level::Portable);
    let refused = |free: u64, sequences, cache_tokens| {
        let (m, device) = bounded(cpu, free);
        let o = BatchOptions { sequences, cache_tokens, ..BatchOptions::default() };
        let needs = m.batch_program(&o).unwrap().own_bytes();
        let e = m.batch(&o).map(|_| ()).unwrap_err();
        assert_eq!(device.allocated.load(Ordering::Relaxed), 0);
        let text = e.to_string();
        let Error::Memory { needed, free: has, lower, .. } = e else { panic!("{text}") };
        assert_eq!((needed, has), (needs, free));
        assert!(needed > has);
        (lower, text)
    };
    let needs = |sequences, cache_tokens| {
        let (m, _) = bounded(cpu, 0);
        let o = BatchOptions { sequences: Some(sequences), cache_tokens, ..BatchOptions::default() };
        m.batch_program(&o).unwrap().own_bytes()
    };
    let (one, many) = (needs(1, Some(8192)), needs(64, Some(8192 * 2)));
    let (lower, text) = refused(many, Some(500), None);
    assert!(lower == Lower::Sequences && text.contains("`sequences`"), "{text}");
    let (lower, text) = refused(many, Some(64), Some(1 << 30));
    assert!(lower == Lower::CacheTokens && text.contains("`cache_tokens`"), "{text}");
    for (sequences, cache) in [(None, None), (Some(9), None), (None, Some(8192))] {
        let (lower, text) = refused(one - 1, sequences, cache);
        assert!(lower == Lower::Context && text.contains("shorter context"), "{text}");
    }
    // To the byte.
    let (m, _) = bounded(cpu, many);
    let o = BatchOptions { sequences: Some(64), cache_tokens: Some(8192 * 2), ..BatchOptions::default() };
    assert!(m.batch(&o).is_ok());
    assert!(m.check_batch(&BatchOptions { cache_tokens: Some(8192 * 2 + 1), ..o }).is_err());
}
