//! What callers give: text, arrays, structs with a size, places for results, functions. The one file that dereferences their pointers and
//! calls their functions, but for those of `model.rs` and `log.rs`.
//!
//! All functions here are unsafe for the same reason: whether memory is there cannot be asked. What can be asked is checked.

use crate::status::{AKUNU_ERROR_BUFFER, Failure};
use akunu::Control;
use std::ffi::{CStr, c_char, c_void};

/// The length of a text that ends at its first NUL.
pub const AKUNU_NUL: usize = usize::MAX;

/// Structs of which callers may have a smaller version, or a larger one.
///
/// # Safety
///
/// The type is `repr(C)`, begins with `size: usize`, and every pattern of bits is one of its values, as for numbers, raw pointers and
/// functions that may be NULL.
pub(crate) unsafe trait Versioned: Copy {
    /// Bytes of its first version.
    const FIRST: usize;
    /// Its name in the header.
    const NAME: &'static str;
}

/// The longest struct of a later version.
const LONGEST: usize = 4096;

/// A caller's text.
///
/// # Safety
///
/// `text` is NULL, or `len` bytes are there, or a text that ends with NUL where `len` is `AKUNU_NUL`, until the result is not used
/// any more.
pub(crate) unsafe fn text<'a>(text: *const c_char, len: usize, name: &str) -> Result<&'a str, Failure> {
    if text.is_null() && len == 0 {
        return Ok("");
    }
    if text.is_null() {
        return Err(Failure::argument(format!("`{name}` is NULL; give a text")));
    }
    let bytes = if len == AKUNU_NUL {
        // SAFETY: the caller promises that it ends with NUL.
        unsafe { CStr::from_ptr(text) }.to_bytes()
    } else {
        // SAFETY: the caller promises so many bytes; bytes are aligned anywhere.
        unsafe { array(text.cast::<u8>(), len, name)? }
    };
    std::str::from_utf8(bytes).map_err(|e| {
        Failure::argument(format!("`{name}` is no UTF-8 from byte {} on; convert it first", e.valid_up_to()))
    })
}

/// A caller's text that may be NULL.
///
/// # Safety
///
/// As [`text`], with a NUL at the end.
pub(crate) unsafe fn optional<'a>(ptr: *const c_char, name: &str) -> Result<Option<&'a str>, Failure> {
    match ptr.is_null() {
        true => Ok(None),
        // SAFETY: the caller's promise.
        false => unsafe { text(ptr, AKUNU_NUL, name) }.map(Some),
    }
}

/// A caller's array.
///
/// # Safety
///
/// `ptr` is NULL, or `len` values are there and do not change until the result is not used any more.
pub(crate) unsafe fn array<'a, T>(ptr: *const T, len: usize, name: &str) -> Result<&'a [T], Failure> {
    if len == 0 {
        return Ok(&[]);
    }
    check_array(ptr, len, name)?;
    // SAFETY: neither NULL nor misaligned nor longer than memory; the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(ptr, len) })
}

/// A caller's array to be written.
///
/// # Safety
///
/// `ptr` is NULL, or `len` initialized values are there, and nobody else uses them until the result is not used any more.
pub(crate) unsafe fn array_mut<'a, T>(ptr: *mut T, len: usize, name: &str) -> Result<&'a mut [T], Failure> {
    if len == 0 {
        return Ok(&mut []);
    }
    check_array(ptr, len, name)?;
    // SAFETY: neither NULL nor misaligned nor longer than memory; the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts_mut(ptr, len) })
}

fn check_array<T>(ptr: *const T, len: usize, name: &str) -> Result<(), Failure> {
    if ptr.is_null() {
        return Err(Failure::argument(format!("`{name}` is NULL and should have {len} values")));
    }
    check_aligned(ptr, name)?;
    let bytes = len.checked_mul(size_of::<T>()).filter(|b| *b <= isize::MAX as usize);
    let end = bytes.and_then(|b| ptr.addr().checked_add(b));
    end.map(|_| ())
        .ok_or_else(|| Failure::argument(format!("`{name}` cannot have {len} values; check the count")))
}

fn check_aligned<T>(ptr: *const T, name: &str) -> Result<(), Failure> {
    match ptr.is_aligned() {
        true => Ok(()),
        false => Err(Failure::argument(format!(
            "`{name}` is at an odd address; it must be a multiple of {}",
            align_of::<T>()
        ))),
    }
}

/// Writes a result.
///
/// # Safety
///
/// `to` is NULL, or a value may be written there.
pub(crate) unsafe fn put<T>(to: *mut T, value: T, name: &str) -> Result<(), Failure> {
    if to.is_null() {
        return Err(Failure::argument(format!("`{name}` is NULL; give a place for the result")));
    }
    check_aligned(to, name)?;
    // SAFETY: neither NULL nor misaligned; the caller promises the place.
    unsafe { to.write(value) };
    Ok(())
}

/// Refuses a place for a result that cannot be written, before work is done for it.
pub(crate) fn place<T>(to: *mut T, name: &str) -> Result<(), Failure> {
    match to.is_null() {
        true => Err(Failure::argument(format!("`{name}` is NULL; give a place for the result"))),
        false => check_aligned(to, name),
    }
}

/// A field that says yes or no.
pub(crate) fn flag(value: u32, name: &str) -> Result<bool, Failure> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        n => Err(Failure::argument(format!("`{name}` is {n}; choose 0 or 1"))),
    }
}

/// A field that a later version may give a meaning.
pub(crate) fn reserved<T: Versioned>(value: u32) -> Result<(), Failure> {
    match value {
        0 => Ok(()),
        _ => Err(Failure::argument(format!("`reserved` must be 0; use {}_init", T::NAME))),
    }
}

/// A short text in a struct of results, with a NUL at its end; what is too long for it is cut off.
pub(crate) fn short<const N: usize>(text: &str) -> [c_char; N] {
    let mut out = [0; N];
    out.iter_mut().zip(text.bytes().take(N - 1)).for_each(|(to, b)| *to = b as c_char);
    out
}

/// A caller's function that is told something; anything but 0 ends what it is told of.
pub(crate) type Told<T> = Option<unsafe extern "C-unwind" fn(what: *const T, user_data: *mut c_void) -> i32>;

/// Tells a caller's function, where there is one.
///
/// # Safety
///
/// It takes such a struct, and this data.
pub(crate) unsafe fn tell<T>(told: Told<T>, what: &T, user_data: *mut c_void) -> Control {
    // SAFETY: the caller's promise.
    match told.map_or(0, |told| unsafe { told(what, user_data) }) {
        0 => Control::Continue,
        _ => Control::Stop,
    }
}

/// Copies values into a caller's buffer, and tells how many there are. One that is too small gets none.
///
/// # Safety
///
/// As [`array_mut`] and [`put`].
pub(crate) unsafe fn fill<T: Copy>(
    values: &[T],
    to: *mut T,
    capacity: usize,
    count: *mut usize,
) -> Result<(), Failure> {
    if !count.is_null() {
        // SAFETY: the caller's promise.
        unsafe { put(count, values.len(), "count") }?;
    }
    if capacity < values.len() {
        let message =
            format!("the buffer holds {capacity}, and there are {}; give a larger one", values.len());
        return Err(Failure::new(AKUNU_ERROR_BUFFER, message));
    }
    // SAFETY: the caller's promise, of no more than what is needed.
    unsafe { array_mut(to, values.len(), "buffer") }?.copy_from_slice(values);
    Ok(())
}

/// Copies a text into a caller's buffer, with a NUL at its end, and tells how many bytes it has without that.
///
/// # Safety
///
/// As [`fill`].
pub(crate) unsafe fn fill_text(
    text: &str,
    to: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> Result<(), Failure> {
    if !length.is_null() {
        // SAFETY: the caller's promise.
        unsafe { put(length, text.len(), "length") }?;
    }
    if capacity <= text.len() {
        let needed = text.len() + 1;
        let message =
            format!("the buffer holds {capacity} bytes, and the text needs {needed}; give a larger one");
        return Err(Failure::new(AKUNU_ERROR_BUFFER, message));
    }
    // SAFETY: the caller's promise, of no more than what is needed.
    let to = unsafe { array_mut(to.cast::<u8>(), text.len() + 1, "buffer") }?;
    to[..text.len()].copy_from_slice(text.as_bytes());
    to[text.len()] = 0;
    Ok(())
}

/// A struct of options: `otherwise`, with what the caller has of it written over.
///
/// # Safety
///
/// `from` is NULL, or a struct is there with as many bytes as its `size` says.
pub(crate) unsafe fn options<T: Versioned>(from: *const T, otherwise: T) -> Result<T, Failure> {
    if from.is_null() {
        return Ok(otherwise);
    }
    // SAFETY: the caller's promise, and `Versioned` says that the size comes first.
    let size = unsafe { size(from) }?;
    let mut out = otherwise;
    let (ours, given) = (size_of::<T>(), size);
    // SAFETY: so many bytes are there; every pattern of bits is a value, so says `Versioned`.
    unsafe {
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), (&raw mut out).cast::<u8>(), ours.min(given));
    }
    if given > ours {
        // SAFETY: so many bytes are there.
        let more = unsafe { std::slice::from_raw_parts(from.cast::<u8>().add(ours), given - ours) };
        if more.iter().any(|b| *b != 0) {
            let message =
                format!("`{}` asks for what this version does not have; use a newer library", T::NAME);
            return Err(Failure::argument(message));
        }
    }
    Ok(out)
}

/// Fills in a struct of options of so many bytes.
///
/// # Safety
///
/// `to` is NULL, or `size` bytes may be written there.
pub(crate) unsafe fn initialize<T: Versioned>(to: *mut T, size: usize, value: T) -> Result<(), Failure> {
    place(to, T::NAME)?;
    check_size::<T>(size)?;
    // SAFETY: so many bytes may be written; what is beyond our struct is zero, which asks for nothing.
    unsafe {
        to.cast::<u8>().write_bytes(0, size);
        std::ptr::copy_nonoverlapping(
            (&raw const value).cast::<u8>(),
            to.cast::<u8>(),
            size.min(size_of::<T>()),
        );
        to.cast::<usize>().write(size);
    }
    Ok(())
}

/// Writes as much of a result as the caller has room for.
///
/// # Safety
///
/// `to` is NULL, or a struct is there that has as many bytes as its `size` says.
pub(crate) unsafe fn report<T: Versioned>(to: *mut T, value: T) -> Result<(), Failure> {
    place(to, T::NAME)?;
    // SAFETY: the caller's promise.
    let size = unsafe { size(to.cast_const()) }?;
    // SAFETY: the same.
    unsafe { initialize(to, size, value) }
}

/// # Safety
///
/// A struct is there that begins with its size.
unsafe fn size<T: Versioned>(from: *const T) -> Result<usize, Failure> {
    check_aligned(from, T::NAME)?;
    // SAFETY: aligned, and the caller's promise.
    let size = unsafe { from.cast::<usize>().read() };
    check_size::<T>(size)?;
    Ok(size)
}

fn check_size<T: Versioned>(size: usize) -> Result<(), Failure> {
    // The first version of the interface is this one; later ones only add.
    const { assert!(T::FIRST <= size_of::<T>()) };
    match (T::FIRST..=LONGEST).contains(&size) {
        true => Ok(()),
        false => Err(Failure::argument(format!(
            "`size` of `{name}` is {size}; set it to sizeof({name}) before the call",
            name = T::NAME
        ))),
    }
}
