//! The names that the models' authors gave their tensors.

/// A module within a layer, and the canonical one.
const MODULES: &[(&str, &str)] = &[
    ("attn_ln", "attention_norm"),
    ("attn.query", "attention.q"),
    ("attn.key", "attention.k"),
    ("attn.value", "attention.v"),
    ("attn.out", "attention.output"),
    ("cross_attn_ln", "cross_norm"),
    ("cross_attn.query", "cross.q"),
    ("cross_attn.key", "cross.k"),
    ("cross_attn.value", "cross.v"),
    ("cross_attn.out", "cross.output"),
    ("mlp_ln", "ffn_norm"),
    ("mlp.0", "ffn.up"),
    ("mlp.2", "ffn.down"),
];

/// The canonical name of a tensor.
pub(super) fn canonical(name: &str) -> Option<String> {
    match name {
        "encoder.positional_embedding" => return Some("audio.positions.weight".into()),
        "decoder.positional_embedding" => return Some("positions.weight".into()),
        "decoder.token_embedding.weight" => return Some("embed.weight".into()),
        _ => {}
    }
    let (module, what) = name.rsplit_once('.').filter(|(_, what)| matches!(*what, "weight" | "bias"))?;
    let whole = match module {
        "encoder.conv1" => "audio.conv1",
        "encoder.conv2" => "audio.conv2",
        "encoder.ln_post" => "audio.output_norm",
        "decoder.ln" => "output_norm",
        _ => "",
    };
    if !whole.is_empty() {
        return Some(format!("{whole}.{what}"));
    }
    let (side, rest) = module.split_once(".blocks.")?;
    let (layer, inner) = rest.split_once('.')?;
    let prefix = match side {
        "encoder" => "audio.",
        "decoder" => "",
        _ => return None,
    };
    let plain = layer.len() <= 5
        && layer.bytes().all(|b| b.is_ascii_digit())
        && (layer == "0" || !layer.starts_with('0'));
    let (_, to) = MODULES.iter().find(|(m, _)| *m == inner).filter(|_| plain && !layer.is_empty())?;
    Some(format!("{prefix}layers.{layer}.{to}.{what}"))
}

/// The file's name of a canonical one.
pub(super) fn of(name: &str) -> Option<String> {
    let (module, what) = name.rsplit_once('.')?;
    let whole = match module {
        "audio.positions" => return Some("encoder.positional_embedding".into()),
        "positions" => return Some("decoder.positional_embedding".into()),
        "embed" => "decoder.token_embedding",
        "audio.conv1" => "encoder.conv1",
        "audio.conv2" => "encoder.conv2",
        "audio.output_norm" => "encoder.ln_post",
        "output_norm" => "decoder.ln",
        _ => "",
    };
    if !whole.is_empty() {
        return Some(format!("{whole}.{what}"));
    }
    let (side, rest) = match module.strip_prefix("audio.") {
        Some(rest) => ("encoder", rest),
        None => ("decoder", module),
    };
    let (layer, inner) = rest.strip_prefix("layers.")?.split_once('.')?;
    let (from, _) = MODULES.iter().find(|(_, to)| *to == inner)?;
    Some(format!("{side}.blocks.{layer}.{from}.{what}"))
}

#[cfg(test)]
mod tests {
    use super::{canonical, of};

    #[test]
    fn tensors_have_one_name() {
        for (name, want) in [
            ("encoder.conv1.bias", Some("audio.conv1.bias")),
            ("encoder.blocks.3.attn.key.weight", Some("audio.layers.3.attention.k.weight")),
            ("decoder.blocks.0.cross_attn_ln.bias", Some("layers.0.cross_norm.bias")),
            ("decoder.blocks.11.mlp.2.weight", Some("layers.11.ffn.down.weight")),
            ("decoder.ln.weight", Some("output_norm.weight")),
            ("decoder.token_embedding.weight", Some("embed.weight")),
            ("encoder.positional_embedding", Some("audio.positions.weight")),
            ("decoder.positional_embedding", Some("positions.weight")),
            ("encoder.ln_post.weight", Some("audio.output_norm.weight")),
            ("encoder.conv2.weight", Some("audio.conv2.weight")),
            ("decoder.blocks.01.mlp.2.weight", None),
            ("decoder.blocks..mlp.2.weight", None),
            ("decoder.blocks.1.mlp.1.weight", None),
            ("decoder.blocks.1.mlp.2.scale", None),
            ("other.blocks.1.mlp.2.weight", None),
            ("", None),
        ] {
            assert_eq!(canonical(name).as_deref(), want, "{name}");
            if let Some(own) = want {
                assert_eq!(of(own).as_deref(), Some(name), "{own}");
            }
        }
    }
}
