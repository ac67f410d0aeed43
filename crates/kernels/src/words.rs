//! Structs that kernels of every language share. Each is written once, in Rust, by `shared!`; a language's text of it
//! comes from its [`Field`]s (for CUDA: [`crate::cuda::prelude`]).

use bytemuck::AnyBitPattern;

/// What a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word.
    U32,
    /// Two words.
    U64,
    /// A number in one word.
    F32,
    /// So many words.
    Words(usize),
    /// So many numbers.
    Numbers(usize),
    /// A struct's fields, one after the other.
    Struct(&'static [Field]),
}

/// A field of a shared struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Bytes before it.
    pub offset: usize,
}

/// A type that fields have.
pub(crate) trait Typed {
    const KIND: Kind;
}

impl Typed for u32 {
    const KIND: Kind = Kind::U32;
}

impl Typed for u64 {
    const KIND: Kind = Kind::U64;
}

impl Typed for f32 {
    const KIND: Kind = Kind::F32;
}

impl<const N: usize> Typed for [u32; N] {
    const KIND: Kind = Kind::Words(N);
}

impl<const N: usize> Typed for [f32; N] {
    const KIND: Kind = Kind::Numbers(N);
}

/// Structs in `repr(C)` without padding, with their `FIELDS`, and `NAMES` of those and of nested structs' fields.
macro_rules! shared {
    ($($(#[$meta:meta])* pub struct $name:ident { $($(#[$doc:meta])* pub $field:ident: $type:ty,)* })*) => {$(
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl $crate::words::Typed for $name {
            const KIND: $crate::words::Kind = $crate::words::Kind::Struct(Self::FIELDS);
        }

        impl $name {
            /// Its fields.
            pub const FIELDS: &'static [$crate::words::Field] = &[$($crate::words::Field {
                name: stringify!($field),
                kind: <$type as $crate::words::Typed>::KIND,
                offset: std::mem::offset_of!($name, $field),
            }),*];
            /// Their names, those of a nested struct's in its place.
            pub const NAMES: &'static [&'static str] =
                &$crate::words::names::<{ $crate::words::count(Self::FIELDS) }>(Self::FIELDS);
        }
    )*};
}
pub(crate) use shared;

/// How many names fields have.
pub(crate) const fn count(fields: &[Field]) -> usize {
    let (mut n, mut i) = (0, 0);
    while i < fields.len() {
        n += if let Kind::Struct(inner) = fields[i].kind { count(inner) } else { 1 };
        i += 1;
    }
    n
}

/// The names of fields.
pub(crate) const fn names<const N: usize>(fields: &[Field]) -> [&'static str; N] {
    let (mut all, mut n, mut i) = ([""; N], 0, 0);
    while i < fields.len() {
        if let Kind::Struct(inner) = fields[i].kind {
            let (inner, mut k) = (names::<N>(inner), 0);
            while k < N && !inner[k].is_empty() {
                all[n] = inner[k];
                (n, k) = (n + 1, k + 1);
            }
        } else {
            all[n] = fields[i].name;
            n += 1;
        }
        i += 1;
    }
    all
}

/// Reads a struct from its words, which may be followed by others.
pub fn from_words<T: AnyBitPattern>(words: &[u32]) -> T {
    bytemuck::pod_read_unaligned(&bytemuck::cast_slice(words)[..size_of::<T>()])
}
