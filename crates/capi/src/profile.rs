//! Where a step's time goes.

use crate::handle::Table;
use crate::input::{Versioned, report};
use crate::status::{AKUNU_DONE, AKUNU_OK, akunu_status, call};
use crate::tables::free;
use akunu::Profile;
use std::ffi::{CString, c_char};

/// A measured step.
pub struct akunu_profile;

pub(crate) struct ProfileCell {
    profile: Profile,
    /// Of each command: its label, its group, its kernel.
    names: Vec<[CString; 3]>,
}

pub(crate) static PROFILES: Table<ProfileCell> = Table::new("akunu_profile", 5);

impl From<Profile> for ProfileCell {
    fn from(profile: Profile) -> Self {
        let c = |s: &str| CString::new(s.replace('\0', "")).unwrap_or_default();
        let names = profile.commands.iter().map(|r| [c(&r.label), c(r.group), c(r.kernel)]).collect();
        Self { profile, names }
    }
}

/// One command of a measured step. Texts are valid until the profile is freed.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_profile_row {
    /// Bytes of this struct.
    pub size: usize,
    /// Which command: `layers.3.attention.qkv`.
    pub label: *const c_char,
    /// What it is a part of in every layer: `attention.qkv`.
    pub group: *const c_char,
    /// The kernel.
    pub kernel: *const c_char,
    /// Median seconds.
    pub seconds: f64,
    /// The least bytes that it must read and write.
    pub bytes: u64,
    /// The least operations.
    pub flops: u64,
}

// SAFETY: repr(C), the size first, numbers and raw pointers.
unsafe impl Versioned for akunu_profile_row {
    const FIRST: usize = 56;
    const NAME: &'static str = "akunu_profile_row";
}

/// The command with that number, from 0 on; `AKUNU_DONE` after the last one. Set `row->size` to `sizeof(akunu_profile_row)` before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_profile_get_row(
    profile: *const akunu_profile,
    index: usize,
    row: *mut akunu_profile_row,
) -> akunu_status {
    call(|| {
        let cell = PROFILES.get(profile)?;
        let (Some(command), Some([label, group, kernel])) =
            (cell.profile.commands.get(index), cell.names.get(index))
        else {
            return Ok(AKUNU_DONE);
        };
        let told = akunu_profile_row {
            size: 0,
            label: label.as_ptr(),
            group: group.as_ptr(),
            kernel: kernel.as_ptr(),
            seconds: command.seconds,
            bytes: command.cost.bytes(),
            flops: command.cost.flops,
        };
        // SAFETY: the caller's promise.
        unsafe { report(row, told) }?;
        Ok(AKUNU_OK)
    })
}

/// Median seconds of the whole step as it runs, without clocks between its commands; 0 for a handle that is none.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_profile_step_seconds(profile: *const akunu_profile) -> f64 {
    let mut seconds = 0.0;
    call(|| {
        seconds = PROFILES.get(profile)?.profile.step_seconds;
        Ok(())
    });
    seconds
}

/// Frees a profile.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_profile_free(profile: *mut akunu_profile) {
    free(&PROFILES, profile);
}
