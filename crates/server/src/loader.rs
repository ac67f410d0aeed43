//! The thread that loads models, one after the other, and gives back the memory of those that nobody asks for.
//!
//! A model that a request has is never unloaded. Where all that are in memory are in use and another one is wanted, the one that was
//! asked for the longest time ago takes no new requests after a while, so that its last one ends: who asks for one model without
//! a pause does not keep others out.

use crate::life::{Life, Phase, ServerError};
use crate::models::{Leaves, Models, NotLoaded, Slot};
use crate::options::Resident;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often idle models are looked for.
const LOOK: Duration = Duration::from_millis(100);
/// The same while somebody waits for their room.
const LOOK_FOR_ROOM: Duration = Duration::from_millis(10);
/// How long a model waits for room before another one takes no new requests.
const GRACE: Duration = Duration::from_millis(500);

/// Loads models.
pub(crate) struct Loader {
    asked: Mutex<Sender<Arc<Slot>>>,
    /// Taken by the thread.
    asks: Mutex<Option<Receiver<Arc<Slot>>>>,
}

impl Loader {
    pub(crate) fn new() -> Self {
        let (asked, asks) = channel();
        Self { asked: Mutex::new(asked), asks: Mutex::new(Some(asks)) }
    }

    /// Has a slot loaded, unless that is under way.
    pub(crate) fn ask(&self, slot: &Arc<Slot>) {
        if slot.begin() {
            let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            if asked.send(Arc::clone(slot)).is_err() {
                slot.end();
            }
        }
    }

    /// Loads what there is room for at the start, then what is asked for, until the server ends. At the start an error ends it.
    pub(crate) fn run(&self, models: &Models, resident: &Resident, life: &Arc<Life>) {
        let Some(asks) = self.asks.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        if let Err(e) = start(models, resident, life) {
            return life.fail(e);
        }
        while life.phase() == Phase::Serving {
            if let Ok(slot) = asks.recv_timeout(LOOK) {
                match make_room(&slot, models, resident, life) {
                    // Whoever asked is told.
                    Ok(Some(bytes)) => drop(slot.load(bytes, life)),
                    Ok(None) => break,
                    Err(why) => slot.fail(why),
                }
            }
            for slot in models.0.iter().filter(|s| s.is_forgotten(resident.idle)) {
                slot.sleep();
            }
        }
        // From here on who asks finds that nobody listens. Who asked before is told now.
        drop(asks);
        models.0.iter().filter(|s| s.is_awaited()).for_each(|s| s.end());
    }
}

/// Loads the first models, as many as there is room for. The others wait for a request; one of them for which there will never be
/// room is an error now.
fn start(models: &Models, resident: &Resident, life: &Arc<Life>) -> Result<(), ServerError> {
    let mut now = Vec::new();
    for slot in &models.0 {
        let size = match (resident.memory, slot.size()) {
            (None, _) => Ok(0),
            (Some(budget), Ok(needed)) if needed > budget => {
                return Err(ServerError::Budget { name: slot.name.clone(), needed, budget });
            }
            (Some(_), size) => size,
        };
        // One that cannot be looked at is loaded last, where that is told.
        let taken: u64 = now.iter().map(|(_, bytes)| bytes).sum();
        let room = resident.memory.is_none_or(|most| taken + size.as_ref().unwrap_or(&0) <= most);
        if room && resident.most.is_none_or(|most| now.len() < most) {
            now.push((slot, size.unwrap_or(0)));
        } else {
            slot.wait_for_request();
        }
    }
    for (slot, bytes) in now {
        slot.load(bytes, life).map_err(|why| match why {
            NotLoaded::Failed(why) => ServerError::Fatal { why },
            NotLoaded::TooLarge { needed, budget } => {
                ServerError::Budget { name: slot.name.clone(), needed, budget }
            }
        })?;
    }
    Ok(())
}

/// Waits until there is room for one model more: those that no request has make way, the one first that was asked for the
/// longest time ago. The bytes that it takes; `None` where the server ends.
fn make_room(
    slot: &Slot,
    models: &Models,
    resident: &Resident,
    life: &Life,
) -> Result<Option<u64>, NotLoaded> {
    let since = Instant::now();
    let size = || if resident.memory.is_some() { slot.size() } else { Ok(0) };
    let mut needed = size()?;
    let found = loop {
        match resident.memory {
            Some(budget) if needed > budget => break Err(NotLoaded::TooLarge { needed, budget }),
            _ if life.phase() != Phase::Serving => break Ok(None),
            _ => {}
        }
        let held: Vec<u64> = models.0.iter().filter_map(|s| s.holds()).collect();
        let fits = resident.memory.is_none_or(|budget| held.iter().sum::<u64>() + needed <= budget);
        if fits && resident.most.is_none_or(|most| held.len() < most) {
            break Ok(Some(needed));
        }
        let idle = models.0.iter().filter_map(|s| Some((s.idle()?, s)));
        match idle.max_by_key(|(idle, _)| *idle) {
            Some((_, other)) if other.sleep() => {
                // How long its context is may depend on what is free.
                match size() {
                    Ok(bytes) => needed = bytes,
                    Err(why) => break Err(why),
                }
            }
            _ => {
                if since.elapsed() >= GRACE {
                    let loaded = models.0.iter().filter(|s| s.holds().is_some());
                    if let Some(other) = loaded.min_by_key(|s| s.asked()) {
                        other.leave(Leaves::Soon);
                    }
                }
                std::thread::sleep(LOOK_FOR_ROOM);
            }
        }
    };
    models.0.iter().for_each(|s| s.leave(Leaves::NotNow));
    found
}
