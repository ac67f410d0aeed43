//! The regions of a program: what each is called, how long it lives and what it holds. (How large they are: `regions.rs`.)

use bytemuck::{Pod, Zeroable};

/// Bindings of weights begin at multiples of so many bytes: the default alignment of GGUF files, in which they may lie.
pub(crate) const WEIGHT_ALIGN: u64 = 32;

/// A region of device memory, by number in its program.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Pod, Zeroable)]
pub struct RegionId(pub u32);

/// What a region holds and how long it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// Written at load, then only read.
    Weights,
    /// Lives as long as a session: tokens, step block.
    Persistent,
    /// Lives as long as a session, and is filled little by little, seldom whole: keys and values.
    Cache,
    /// Has no meaning between replays.
    Scratch,
    /// Written by the host while tables run that do not read it. What is submitted after a write sees it.
    Mailbox,
}

impl RegionKind {
    /// Name for dumps.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weights => "weights",
            Self::Persistent => "persistent",
            Self::Cache => "cache",
            Self::Scratch => "scratch",
            Self::Mailbox => "mailbox",
        }
    }
}

/// One region of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionDecl {
    /// Which one; `None` for memory that belongs to no program.
    pub region: Option<Region>,
    /// Name (`h0`, `k_cache`).
    pub name: &'static str,
    /// Kind.
    pub kind: RegionKind,
    /// Size.
    pub bytes: u64,
}

/// Makes [`Region`], its names and kinds from one line for each: `Variant "name" Kind`.
macro_rules! regions {
    ($($(#[$doc:meta])* $region:ident $name:literal $kind:ident,)*) => {
        /// The regions of every program, in the order of their ids. A model that does not need one gives it no bytes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Region {
            $($(#[$doc])* $region,)*
        }

        impl Region {
            /// All of them, in the order of their ids.
            pub const ALL: &[Self] = &[$(Self::$region),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$region => $name,)*
                }
            }

            /// Its kind in a program.
            pub(crate) const fn kind(self) -> RegionKind {
                match self {
                    $(Self::$region => RegionKind::$kind,)*
                }
            }
        }
    };
}

regions! {
    /// All weights, packed, and tables derived from the configuration. Slots, each at a multiple of 256 bytes.
    Weights "weights" Weights,
    /// The step block.
    Step "step" Persistent,
    /// Token belts, `[seqs, context + 1] u32`.
    Tokens "tokens" Persistent,
    /// Physical KV block of each logical one, `[seqs, blocks] u32`.
    BlockTable "block_table" Persistent,
    /// Keys, `[layers, pool, kv_heads, 256, head_dim]` in the cache's format.
    KCache "k_cache" Cache,
    /// Values, the same shape in a format of their own.
    VCache "v_cache" Cache,
    /// Residual stream, `[rows, hidden] f32`; ping.
    H0 "h0" Scratch,
    /// Residual stream; pong.
    H1 "h1" Scratch,
    /// Normalised input of a product, `[rows, hidden]` in an activation format.
    X "x" Scratch,
    /// Queries, keys and values, `[rows, (heads + 2 kv_heads) head_dim] f32`.
    Qkv "qkv" Scratch,
    /// Rotation angles, `[rows, pairs, 2] f32`: cosine and sine.
    Angles "angles" Scratch,
    /// Attention output in f32, where its activation format cannot be written directly.
    AttnF32 "attn_f32" Scratch,
    /// Attention output, `[rows, heads head_dim]` in an activation format.
    AttnOut "attn_out" Scratch,
    /// Gate and up projections, `[rows used, 2 ffn] f32`; `used` is 1 without experts. Without a gate `[rows, ffn]`, and what the
    /// convolutions before an encoder of audio give.
    GateUp "gate_up" Scratch,
    /// Gated product, `[rows used, ffn]` in an activation format.
    FfnAct "ffn_act" Scratch,
    /// `[head_rows, vocab] f32`; hidden states, where a table ends in them, `[head_rows, hidden]` as [`ActFormat::F32`](akunu_kernels::act::ActFormat::F32).
    Logits "logits" Scratch,
    /// `[head_rows, chunks]` picks before noise; a family says the chunk.
    Best "best" Scratch,
    /// `[head_rows, chunks]` picks after noise.
    Picks "picks" Scratch,
    /// What the parts of a split attention leave for each other.
    Partials "partials" Scratch,
    /// Counters of split and fused kernels; zero between commands.
    Sync "sync" Persistent,
    /// A dequantized matrix, for products of many rows on a GPU.
    Staging "staging" Scratch,
    /// As `angles`, of windowed layers, where their RoPE base is another.
    LocalAngles "local_angles" Scratch,
    /// A sublayer's output before the norm after it, `[rows, hidden] f32`.
    Sublayer "sublayer" Scratch,
    /// The router's scores, `[rows, experts] f32`.
    Scores "scores" Scratch,
    /// Each row's experts and their weights, `[rows, used]`.
    Routes "routes" Scratch,
    /// What the experts gave, `[rows used, hidden] f32`.
    ExpertOut "expert_out" Scratch,
    /// Tiles of slots by expert, then the slots' order, in tables of many rows.
    Groups "groups" Scratch,
    /// As `block_table`, of a batch's windowed layers, where they have a pool of their own. Entries before a sequence's window
    /// name blocks that it has given back; nobody reads them.
    WindowTable "window_table" Persistent,
    /// Sampler settings, `[seqs]`; written by the host.
    Samplers "samplers" Persistent,
    /// What is added to logits, `[seqs, 1024]` of (token, bias); written by the host.
    Biases "biases" Persistent,
    /// Which tokens may be drawn, `[seqs, vocab / 32] u32`, rounded up; written by the host, also while logits are being computed.
    Masks "masks" Mailbox,
    /// Mirostat's bound for the token at each position, `[seqs, context + 1] f32`.
    Mirostat "mirostat" Persistent,
    /// Tokens that no repetition goes over, the same shape; written by the host.
    Breakers "breakers" Persistent,
    /// How each sequence drafts, `[seqs]`; settings by the host, counts by the device.
    Drafts "drafts" Persistent,
    /// As `logits`, before anything changed them, of the rows that log-probabilities are asked of.
    RawLogits "raw_logits" Scratch,
    /// Log-probabilities of drawn tokens, `[seqs, 64]`, by position.
    LogProbs "log_probs" Persistent,
    /// An encoder's vectors, `[seqs, hidden] f32`.
    Pooled "pooled" Persistent,
    /// A window of audio, `[positions, 2, mels] f32`: the frames one after the other; written by the host.
    Mel "mel" Persistent,
    /// The frames under the filters of a convolution, `[rows, channels taps]` in an activation format.
    Unfolded "unfolded" Scratch,
    /// What the first convolution gave, `[rows, 2 hidden]` as [`ActFormat::F32`](akunu_kernels::act::ActFormat::F32).
    Frames "frames" Scratch,
    /// Keys of the audio for each decoder layer, `[layers, sources, heads, head_dim, columns]` (see `cross_kv`).
    CrossK "cross_k" Persistent,
    /// Its values, `[layers, sources, heads, columns, head_dim]`.
    CrossV "cross_v" Persistent,
    /// The source that each sequence reads, `[seqs] u32`; written by the host.
    Sources "sources" Persistent,
    /// Scores of the audio, `[alignment heads, rows, positions] f32`, each head's at a multiple of 64 bytes; read by the host.
    Alignment "alignment" Persistent,
    /// The header of a step block of the rows that draw alone (see `take_heads`).
    HeadStep "head_step" Scratch,
}

impl Region {
    /// Its id.
    pub const fn id(self) -> RegionId {
        RegionId(self as u32)
    }

    /// A declaration with its name.
    pub fn declare(self, kind: RegionKind, bytes: u64) -> RegionDecl {
        RegionDecl { region: Some(self), name: self.name(), kind, bytes }
    }
}
