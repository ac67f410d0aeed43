//! Where a step's time goes, command by command, next to the least work each must do.

use crate::Error;
use crate::decoded::Eos;
use crate::sampling::Sampling;
use crate::session::Session;
use akunu_device::{Replay, Stream};
use akunu_kernels::contract::{Cost, Load};
use akunu_kernels::step::RowCount;
use akunu_plan::{Shape, VerifiedTable};
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
    pub fn profile(&mut self, rows: RowCount, kv_len: u32, repeats: u32) -> Result<Profile, Error> {
        if rows.0 == 0 || kv_len < rows.0 || kv_len > self.context() || repeats == 0 {
            let value = format!("rows {rows}, KV length {kv_len}, repeats {repeats}");
            let remedy =
                "rows and repeats must be at least 1, and the KV length between rows and the context";
            return Err(Error::Option { name: "profile", value, remedy });
        }
        let done = self.profile_steps(rows, kv_len, repeats);
        self.cancel.withdraw();
        self.reset();
        done
    }

    fn profile_steps(&mut self, rows: RowCount, kv_len: u32, repeats: u32) -> Result<Profile, Error> {
        self.cancel.begin();
        self.reset();
        let sampling = Sampling { temperature: 0.8, min_p: 0.05, ..Sampling::NEUTRAL };
        self.begin(u32::MAX, &sampling, Eos::Ignore);
        let shape = Shape::new(self.batch.table_rows(rows), RowCount(1));
        let (table, mut replay) = self.batch.profiled(shape)?;
        let mut samples = Samples::new(&table);
        let stream = self.batch.stopper();
        let now = rows.min(shape.rows);
        self.sequence.stand_at(kv_len - now.0);
        for _ in 0..=repeats {
            let mut write = || self.batch.write_rows(&mut self.sequence, now, RowCount(1));
            samples.take(&mut *replay, &*stream, &mut write)?;
            if self.cancel.asked() {
                return Err(Error::Cancelled);
            }
        }
        self.batch.forget_stop();
        Ok(samples.report(&table, Load { rows, head_rows: RowCount(1), kv_len }))
    }
}

/// What several rounds of a table took.
pub(crate) struct Samples {
    /// Of each command.
    commands: Vec<Vec<f64>>,
    /// Of the table as it runs.
    steps: Vec<f64>,
    /// The round under way.
    seconds: Vec<f64>,
    /// Rounds so far. The first warms caches and pages.
    rounds: u32,
}

impl Samples {
    pub(crate) fn new(table: &VerifiedTable) -> Self {
        let n = table.commands.len();
        Self { commands: vec![Vec::new(); n], steps: Vec::new(), seconds: vec![0.0; n], rounds: 0 }
    }

    /// One round: the step as it runs, then command by command. `write` writes the step block.
    pub(crate) fn take(
        &mut self,
        replay: &mut dyn Replay,
        stream: &dyn Stream,
        mut write: impl FnMut() -> Result<(), Error>,
    ) -> Result<(), Error> {
        write()?;
        let start = Instant::now();
        replay.submit(1)?;
        stream.wait(u64::MAX, 0)?;
        let plain = start.elapsed().as_secs_f64();
        write()?;
        replay.profile(&mut self.seconds)?;
        if self.rounds > 0 {
            self.steps.push(plain);
            self.commands.iter_mut().zip(&self.seconds).for_each(|(all, s)| all.push(*s));
        }
        self.rounds += 1;
        Ok(())
    }

    /// Medians beside the least work of a step.
    pub(crate) fn report(self, table: &VerifiedTable, load: Load) -> Profile {
        let commands: Vec<CommandTime> = self
            .commands
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
        Profile { commands, step_seconds: median(self.steps), sum_seconds }
    }
}

fn median(mut v: Vec<f64>) -> f64 {
    v.sort_by(f64::total_cmp);
    v.get(v.len() / 2).copied().unwrap_or(0.0)
}
