//! Recipes: which format each tensor of a model gets.
//!
//! A recipe has one format for most matrices and rules for those that suffer most: the values of attention, the last
//! matrix of the feed-forward layer, the output head. The choices are those of llama.cpp's quantizer, whose names for
//! them everyone knows; so a file of a name has the size that people expect. Formats that only MLX has are uniform, as
//! MLX makes them.

use crate::ModelConfig;
use akunu_kernels::DType;
use std::fmt;

/// One recipe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// Its name: a format's, or `q4_k_m` and the like.
    pub name: &'static str,
    /// The format of most matrices.
    pub base: DType,
    /// `general.file_type` of a GGUF made by it; `None` where no GGUF can hold the format.
    pub file_type: Option<u32>,
    head: Head,
    rules: &'static [Rule],
}

/// The format of one matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What the recipe asks for.
    pub wanted: DType,
    /// What the matrix gets: another format where its rows are no whole number of blocks.
    pub dtype: DType,
}

/// The format of the output head, or of the embedding where it is the head too.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Head {
    /// As the other matrices.
    Base,
    /// Another one.
    Is(DType),
}

/// The first rule that fits a tensor decides.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rule {
    part: Part,
    layers: Layers,
    dtype: DType,
}

/// A kind of matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    AttentionK,
    AttentionV,
    AttentionOutput,
    /// Queries, keys and values in one.
    AttentionQkv,
    /// Of every expert too.
    FfnDown,
    Experts,
    Other,
}

/// Which layers a rule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layers {
    All,
    /// The first so many.
    First(u32),
    /// The first of so many equal parts.
    FirstPart(u32),
    /// The first and the last eighth, and every third between.
    Spread,
    /// All, where at least four query heads share a KV head.
    Grouped,
}

const fn rule(part: Part, layers: Layers, dtype: DType) -> Rule {
    Rule { part, layers, dtype }
}

const fn recipe(
    name: &'static str,
    base: DType,
    file_type: u32,
    head: Head,
    rules: &'static [Rule],
) -> Recipe {
    Recipe { name, base, file_type: Some(file_type), head, rules }
}

const HEAD_6: Head = Head::Is(DType::Q6K);
const HEAD_8: Head = Head::Is(DType::Q8_0);

/// Every recipe for a GGUF file.
pub static RECIPES: &[Recipe] = {
    use Layers::{All, First, FirstPart, Grouped, Spread};
    use Part::{AttentionOutput, AttentionQkv, AttentionV, Experts, FfnDown};
    const IQ4: &[Rule] = &[rule(AttentionV, Grouped, DType::Q5K), rule(FfnDown, FirstPart(8), DType::Q5K)];
    &[
        recipe("f32", DType::F32, 0, Head::Base, &[]),
        recipe("f16", DType::F16, 1, Head::Base, &[]),
        recipe("bf16", DType::Bf16, 32, Head::Base, &[]),
        recipe("q4_0", DType::Q4_0, 2, HEAD_6, &[]),
        recipe("q4_1", DType::Q4_1, 3, HEAD_6, &[]),
        recipe("q5_0", DType::Q5_0, 8, HEAD_6, &[]),
        recipe("q5_1", DType::Q5_1, 9, HEAD_6, &[]),
        recipe("q8_0", DType::Q8_0, 7, Head::Base, &[]),
        recipe(
            "q2_k",
            DType::Q2K,
            10,
            HEAD_6,
            &[
                rule(AttentionV, Grouped, DType::Q4K),
                rule(AttentionV, All, DType::Q3K),
                rule(FfnDown, All, DType::Q3K),
                rule(AttentionOutput, All, DType::Q3K),
            ],
        ),
        recipe(
            "q2_k_s",
            DType::Q2K,
            21,
            HEAD_6,
            &[rule(AttentionV, Grouped, DType::Q4K), rule(FfnDown, FirstPart(8), DType::Q4K)],
        ),
        recipe("q3_k_s", DType::Q3K, 11, HEAD_6, &[]),
        recipe(
            "q3_k_m",
            DType::Q3K,
            12,
            HEAD_6,
            &[
                rule(AttentionV, First(2), DType::Q5K),
                rule(AttentionV, All, DType::Q4K),
                rule(FfnDown, FirstPart(16), DType::Q5K),
                rule(FfnDown, All, DType::Q4K),
                rule(AttentionOutput, All, DType::Q4K),
                rule(AttentionQkv, All, DType::Q4K),
            ],
        ),
        recipe(
            "q3_k_l",
            DType::Q3K,
            13,
            HEAD_6,
            &[
                rule(AttentionV, All, DType::Q5K),
                rule(FfnDown, All, DType::Q5K),
                rule(AttentionOutput, All, DType::Q5K),
                rule(AttentionQkv, All, DType::Q4K),
            ],
        ),
        recipe(
            "q4_k_s",
            DType::Q4K,
            14,
            HEAD_6,
            &[rule(AttentionV, First(4), DType::Q5K), rule(FfnDown, FirstPart(8), DType::Q5K)],
        ),
        recipe(
            "q4_k_m",
            DType::Q4K,
            15,
            HEAD_6,
            &[
                rule(AttentionV, Spread, DType::Q6K),
                rule(FfnDown, Spread, DType::Q6K),
                rule(AttentionQkv, All, DType::Q5K),
            ],
        ),
        recipe("q5_k_s", DType::Q5K, 16, HEAD_6, &[]),
        recipe(
            "q5_k_m",
            DType::Q5K,
            17,
            HEAD_6,
            &[
                rule(AttentionV, Spread, DType::Q6K),
                rule(FfnDown, Spread, DType::Q6K),
                rule(AttentionQkv, All, DType::Q6K),
            ],
        ),
        recipe("q6_k", DType::Q6K, 18, HEAD_6, &[]),
        recipe("iq4_nl", DType::Iq4Nl, 25, HEAD_6, IQ4),
        recipe("iq4_xs", DType::Iq4Xs, 30, HEAD_6, IQ4),
        recipe("mxfp4", DType::Mxfp4, 38, HEAD_8, &[]),
        // Only the experts are small floats, as in the models that are published so.
        recipe("mxfp4_moe", DType::Q8_0, 38, HEAD_8, &[rule(Experts, All, DType::Mxfp4)]),
        recipe("nvfp4", DType::Nvfp4, 39, HEAD_6, &[]),
    ]
};

/// Other names of recipes.
static ALIASES: &[(&str, &str)] = &[("q3_k", "q3_k_m"), ("q4_k", "q4_k_m"), ("q5_k", "q5_k_m")];

/// Recipes of eight experts, which share the attention: its values and keys are kept at eight bits, and its output at
/// five in these.
static EIGHT_EXPERTS_OUTPUT: &[&str] = &["q2_k", "q3_k_s", "q3_k_m", "q4_k_s", "q4_k_m", "iq4_nl", "iq4_xs"];

impl Recipe {
    /// The recipe of that name, any case: one of [`RECIPES`], or any other format for every matrix.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = ALIASES.iter().find(|a| a.0 == name).map_or(name.as_str(), |a| a.1);
        RECIPES.iter().find(|r| r.name == name).copied().or_else(|| {
            let base = DType::parse(name)?;
            Some(Self { name: base.name(), base, file_type: None, head: Head::Base, rules: &[] })
        })
    }

    /// The names of all recipes for GGUF files.
    pub fn names() -> impl Iterator<Item = &'static str> {
        RECIPES.iter().map(|r| r.name)
    }

    /// The format of the matrix `name` (canonical; `layers.{i}.attention.qkv.weight` for queries, keys and values in one)
    /// with rows of `cols`. `tied`: the model has no head but the
    /// embedding. Vectors are no matrices; they stay F32.
    pub fn dtype(&self, config: &ModelConfig, tied: bool, name: &str, cols: u64) -> DType {
        self.choice(config, tied, name, cols).dtype
    }

    /// The same with the format that it stands in for.
    pub fn choice(&self, config: &ModelConfig, tied: bool, name: &str, cols: u64) -> Choice {
        // Routing decides between experts: an error there is no small error.
        if name.ends_with("ffn.router.weight") {
            return Choice { wanted: DType::F32, dtype: DType::F32 };
        }
        let is_head = name == "output.weight" || (tied && name == "embed.weight");
        let wanted = match self.head {
            Head::Is(head) if is_head => head,
            _ => self.by_rules(config, name),
        };
        let other_head = is_head && self.head != Head::Base && !cols.is_multiple_of(self.base.block().into());
        Choice { wanted, dtype: fitting(if other_head { DType::Q8_0 } else { wanted }, cols) }
    }

    fn by_rules(&self, config: &ModelConfig, name: &str) -> DType {
        let (layer, part) = part(name);
        let experts = config.experts.map_or(1, |e| e.count);
        if experts == 8 && self.head == HEAD_6 {
            match part {
                Part::AttentionK | Part::AttentionV => return DType::Q8_0,
                Part::AttentionOutput if EIGHT_EXPERTS_OUTPUT.contains(&self.name) => return DType::Q5K,
                _ => {}
            }
        }
        let fits = |rule: &&Rule| {
            let same = rule.part == part || (rule.part == Part::Experts && name.contains(".ffn.experts."));
            same && rule.layers.hold(layer, config)
        };
        let dtype = self.rules.iter().find(fits).map_or(self.base, |r| r.dtype);
        // The 70B models of Llama's kind: eight query heads share a small matrix of values.
        let small_values = part == Part::AttentionV && config.layers == 80;
        if small_values && matches!(dtype, DType::Q3K | DType::Q4K) { DType::Q5K } else { dtype }
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Layers {
    fn hold(self, layer: u32, config: &ModelConfig) -> bool {
        let n = config.layers;
        match self {
            Self::All => true,
            Self::First(count) => layer < count,
            Self::FirstPart(parts) => layer < n / parts,
            Self::Spread => layer < n / 8 || layer >= 7 * n / 8 || (layer - n / 8) % 3 == 2,
            Self::Grouped => config.heads / config.kv_heads.max(1) >= 4,
        }
    }
}

/// A matrix's layer and kind.
fn part(name: &str) -> (u32, Part) {
    let Some((layer, rest)) = name.strip_prefix("layers.").and_then(|n| n.split_once('.')) else {
        return (0, Part::Other);
    };
    let part = match rest {
        "attention.k.weight" => Part::AttentionK,
        "attention.v.weight" => Part::AttentionV,
        "attention.output.weight" => Part::AttentionOutput,
        "attention.qkv.weight" => Part::AttentionQkv,
        "ffn.down.weight" | "ffn.experts.down.weight" => Part::FfnDown,
        _ => Part::Other,
    };
    (layer.parse().unwrap_or(0), part)
}

/// The format, or one of smaller blocks and about as many bits where a row is no whole number of blocks.
fn fitting(dtype: DType, cols: u64) -> DType {
    let fits = |d: DType| cols.is_multiple_of(d.block().into());
    let smaller = match dtype {
        d if fits(d) => return d,
        DType::Q2K | DType::Q3K => DType::Q4_0,
        DType::Q4K => DType::Q5_0,
        DType::Q5K => DType::Q5_1,
        DType::Q6K | DType::Q8K => DType::Q8_0,
        DType::Iq4Xs => DType::Iq4Nl,
        DType::Nvfp4 => DType::Mxfp4,
        _ => DType::F16,
    };
    if fits(smaller) { smaller } else { DType::F16 }
}
