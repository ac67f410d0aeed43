//! `akunu compile`: a model's GPU kernels into the cache, on a machine that need not have the GPU.

use super::{cache, source};
use crate::args::{Compile, Machine};
use crate::error::CliError;
use crate::output::Output;
use akunu::Model;
use akunu::device::cuda::{self, Options};
use akunu::kernels::cuda::Gpu;
use akunu::plan::Target;
use serde_json::json;

/// Runs the command.
pub(crate) fn run(a: &Compile, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let Some(gpu) = Gpu::of_arch(&a.arch) else {
        let known = "sm_80, sm_86, sm_87, sm_89, sm_90a, sm_100, sm_103, sm_120, sm_121";
        return Err(CliError::Usage(format!("no architecture `{}`; choose one of {known}", a.arch)));
    };
    let mut options = Options::from_env().map_err(akunu::Error::from)?;
    options.overlap &= gpu.sm >= 90;
    let source = source(a.model.as_deref(), a.synthetic.as_deref(), out)?;
    let program = Model::plan_for(
        &source,
        Target::of(akunu::kernels::Machine::Cuda(gpu)),
        machine.ctx,
        cache(machine),
    )?;
    let tables = Model::tables(&program, a.sequences)?;
    let (mut kernels, mut compiled) = (0, 0);
    let bar = out.steps("compile", tables.len() as u64);
    for table in &tables {
        let made = cuda::compile_table(table, options).map_err(akunu::Error::from)?;
        kernels += made.kernels;
        compiled += made.compiled;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let folder = cuda::cache_folder().map(|f| f.display().to_string()).unwrap_or_default();
    if out.is_json() {
        out.json(&json!({ "arch": a.arch, "kernels": kernels, "compiled": compiled, "folder": folder }))?;
    } else {
        let cached = kernels - compiled;
        out.line(&format!(
            "{kernels} kernels for {}: {compiled} compiled, {cached} there already; {folder}",
            a.arch
        ))?;
    }
    Ok(0)
}
