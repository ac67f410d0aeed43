//! Where a step's time goes, command by command, next to the least work each must do.

use crate::Error;
use crate::sampling::Sampling;
use crate::session::{Session, StepWrite};
use akunu_kernels::contract::{Cost, Load};
use akunu_plan::Shape;
use akunu_plan::VerifiedTable;
use std::time::Instant;

/// One command.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandTime {
    /// `layers.3.attention.qkv`.
    pub label: String,
    /// `attention.qkv`.
    pub group: &'static str,
    /// Kernel name.
    pub kernel: &'static str,
    /// Median seconds.
    pub seconds: f64,
    /// The least work.
    pub cost: Cost,
}

/// A profiled step.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Every command, in order.
    pub commands: Vec<CommandTime>,
    /// Median seconds of a plain replay, without clocks and extra barriers.
    pub step_seconds: f64,
    /// Sum of the commands' medians; what it exceeds `step_seconds` by is the profile's own distortion.
    pub sum_seconds: f64,
}

impl Session {
    /// Profiles a step of `rows` rows that ends at KV length `kv_len`. The session is reset.
    pub fn profile(&mut self, rows: u32, kv_len: u32, repeats: u32) -> Result<Profile, Error> {
        if rows == 0 || kv_len < rows || kv_len > self.context() || repeats == 0 {
            let value = format!("rows {rows}, KV length {kv_len}, repeats {repeats}");
            let remedy =
                "rows and repeats must be at least 1, and the KV length between rows and the context";
            return Err(Error::Option { name: "profile", value, remedy });
        }
        self.cancel.begin();
        self.reset();
        let shape = Shape { rows: self.ladder[self.rung(rows).0].0, head_rows: 1 };
        let table = self.model.program.table("profile", shape)?;
        let mut replay = self.model.device.lower(&table, &self.memory, &self.stream)?;
        let mut samples = vec![Vec::new(); table.commands.len()];
        let mut steps = Vec::new();
        let mut seconds = vec![0.0; table.commands.len()];
        for i in 0..=repeats {
            let rows_now = rows.min(shape.rows);
            self.write_profile_step(kv_len - rows_now, rows_now)?;
            let start = Instant::now();
            replay.submit(1)?;
            self.stream.wait(u64::MAX, 0)?;
            let plain = start.elapsed().as_secs_f64();
            if self.cancel.asked() {
                self.cancel.withdraw();
                return Err(Error::Cancelled);
            }
            self.write_profile_step(kv_len - rows_now, rows_now)?;
            replay.profile(&mut seconds)?;
            // The first round warms caches and pages.
            if i > 0 {
                steps.push(plain);
                for (s, v) in samples.iter_mut().zip(&seconds) {
                    s.push(*v);
                }
            }
        }
        self.stream.reset();
        Ok(report(&table, Load { rows, head_rows: 1, kv_len }, samples, steps))
    }

    fn write_profile_step(&mut self, first: u32, rows: u32) -> Result<(), Error> {
        let sampling = Sampling::DEFAULT;
        self.write_step(StepWrite { first, rows, head_rows: 1, limit: u32::MAX, sampling, eos: &[] })
    }
}

fn report(table: &VerifiedTable, load: Load, samples: Vec<Vec<f64>>, steps: Vec<f64>) -> Profile {
    let commands: Vec<CommandTime> = samples
        .into_iter()
        .enumerate()
        .map(|(i, s)| CommandTime {
            label: table.labels[i].to_string(),
            group: table.labels[i].group,
            kernel: table.kernel_of(i).kernel.name,
            seconds: median(s),
            cost: table.cost_of(i, load),
        })
        .collect();
    let sum_seconds = commands.iter().map(|c| c.seconds).sum();
    Profile { commands, step_seconds: median(steps), sum_seconds }
}

fn median(mut v: Vec<f64>) -> f64 {
    v.sort_by(f64::total_cmp);
    v.get(v.len() / 2).copied().unwrap_or(0.0)
}
