//! Which GPU and driver something was made for.

/// A GPU and its driver, as files of pipelines tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) vendor: u32,
    pub(crate) device: u32,
    /// `pipelineCacheUUID`.
    pub(crate) cache: [u8; 16],
    /// `driverUUID`.
    pub(crate) driver: [u8; 16],
    /// A processor that plays a GPU can be told another width, which its UUIDs do not say.
    pub(crate) subgroup: u32,
}
