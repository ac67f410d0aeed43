//! A Whisper model in CTranslate2's format as the safetensors file that Hugging Face's names make of it: the same numbers in the same
//! element types, in other places. `tools/whisper_from_ct2.py` does the same; what comes out is pinned by its hash.
//!
//! The file is: version u32; name; revision u32; count u32; so many variables; count u32; so many aliases. A string is its length with the
//! final NUL as u16, then its bytes. A variable is its name, rank u8, dimensions u32 each, type u8, bytes u32 and the data. Little-endian.
//!
//! Deliberately absent: models whose weights are quantized, and of other kinds.

use std::collections::HashMap;
use std::fmt::Write;

/// CTranslate2's numbers of element types.
const TYPES: [&str; 6] = ["F32", "I8", "I16", "I32", "F16", "BF16"];
/// The first version with aliases as they are read here.
const LEAST_VERSION: u32 = 4;

#[derive(Clone)]
struct Variable<'a> {
    dims: Vec<u32>,
    kind: &'static str,
    data: &'a [u8],
}

/// The safetensors file's beginning, and what follows it. The error says what is wrong.
pub(crate) fn safetensors(model: &[u8]) -> Result<(Vec<u8>, Vec<&[u8]>), String> {
    let mut c = Converter { found: variables(model)?, out: Vec::new() };
    for conv in ["conv1", "conv2"] {
        c.linear(&format!("encoder/{conv}"), &format!("model.encoder.{conv}"))?;
    }
    c.put("decoder/embeddings/weight", "model.decoder.embed_tokens.weight".into())?;
    c.layers("encoder")?;
    c.layers("decoder")?;
    let mut header = String::from("{\"__metadata__\":{\"format\":\"pt\"}");
    let mut at = 0;
    for (name, v) in &c.out {
        let dims: Vec<String> = v.dims.iter().map(u32::to_string).collect();
        let end = at + v.data.len();
        // (Writing to a string does not fail; the names are made here.)
        let _ = write!(
            header,
            ",\"{name}\":{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{at},{end}]}}",
            v.kind,
            dims.join(",")
        );
        at = end;
    }
    header.push('}');
    header.push_str(&" ".repeat(header.len().next_multiple_of(8) - header.len()));
    let mut head = (header.len() as u64).to_le_bytes().to_vec();
    head.extend(header.into_bytes());
    Ok((head, c.out.into_iter().map(|(_, v)| v.data).collect()))
}

/// The bytes that have not been read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], String> {
        let short = || "it ends within what it announces".to_owned();
        let (taken, rest) = self.0.split_at_checked(n).ok_or_else(short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self, bytes: usize) -> Result<u32, String> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b)))
    }

    fn string(&mut self) -> Result<String, String> {
        let length = self.number(2)? as usize;
        let bytes = self.take(length)?;
        let text = bytes.strip_suffix(b"\0").unwrap_or(bytes);
        String::from_utf8(text.to_vec()).map_err(|_| "a name is no UTF-8".to_owned())
    }
}

fn variables(model: &[u8]) -> Result<HashMap<String, Variable<'_>>, String> {
    let mut r = Reader(model);
    let (version, name, _revision) = (r.number(4)?, r.string()?, r.number(4)?);
    if version < LEAST_VERSION || name != "WhisperSpec" {
        return Err(format!(
            "a {name:?} of version {version}, not a WhisperSpec of version {LEAST_VERSION} or later"
        ));
    }
    let mut found = HashMap::new();
    for _ in 0..r.number(4)? {
        let name = r.string()?;
        let rank = r.number(1)?;
        let dims = (0..rank).map(|_| r.number(4)).collect::<Result<_, _>>()?;
        let kind = r.number(1)? as usize;
        let kind = *TYPES.get(kind).ok_or_else(|| format!("{name} has the element type {kind}"))?;
        let bytes = r.number(4)? as usize;
        found.insert(name, Variable { dims, kind, data: r.take(bytes)? });
    }
    for _ in 0..r.number(4)? {
        let (alias, name) = (r.string()?, r.string()?);
        let same = found
            .get(&name)
            .cloned()
            .ok_or_else(|| format!("{alias} stands for {name}, which is not there"))?;
        found.entry(alias).or_insert(same);
    }
    if r.0.is_empty() { Ok(found) } else { Err(format!("it has {} bytes more than it announces", r.0.len())) }
}

struct Converter<'a> {
    found: HashMap<String, Variable<'a>>,
    /// In the order of the file.
    out: Vec<(String, Variable<'a>)>,
}

impl Converter<'_> {
    fn put(&mut self, source: &str, name: String) -> Result<(), String> {
        self.rows(source, &[Some(name)])
    }

    /// A stack of equal matrices or vectors under the names of its parts. One without a name must be zeros: Whisper's keys have no bias.
    fn rows(&mut self, source: &str, names: &[Option<String>]) -> Result<(), String> {
        let v = self.found.get(source).ok_or_else(|| format!("{source} is not there"))?;
        let part = v.data.len() / names.len();
        let mut dims = v.dims.clone();
        if let Some(rows) = dims.first_mut() {
            *rows /= names.len() as u32;
        }
        for (name, data) in names.iter().zip(v.data.chunks(part.max(1))) {
            match name {
                Some(name) => {
                    self.out.push((name.clone(), Variable { dims: dims.clone(), kind: v.kind, data }))
                }
                None if data.iter().all(|b| *b == 0) => {}
                None => return Err(format!("{source} has a bias of keys")),
            }
        }
        Ok(())
    }

    fn linear(&mut self, source: &str, name: &str) -> Result<(), String> {
        self.put(&format!("{source}/weight"), format!("{name}.weight"))?;
        self.put(&format!("{source}/bias"), format!("{name}.bias"))
    }

    fn norm(&mut self, source: &str, name: &str) -> Result<(), String> {
        self.put(&format!("{source}/gamma"), format!("{name}.weight"))?;
        self.put(&format!("{source}/beta"), format!("{name}.bias"))
    }

    /// Projections in one, of which the keys have no bias.
    fn fused(&mut self, source: &str, name: &str, parts: &[&str]) -> Result<(), String> {
        let of =
            |kind: &str| parts.iter().map(|p| Some(format!("{name}.{p}_proj.{kind}"))).collect::<Vec<_>>();
        self.rows(&format!("{source}/weight"), &of("weight"))?;
        let biases: Vec<_> =
            of("bias").into_iter().zip(parts).map(|(n, p)| n.filter(|_| *p != "k")).collect();
        self.rows(&format!("{source}/bias"), &biases)
    }

    fn layers(&mut self, side: &str) -> Result<(), String> {
        for i in 0.. {
            let source = format!("{side}/layer_{i}");
            if !self.found.contains_key(&format!("{source}/ffn/linear_0/weight")) {
                break;
            }
            let name = format!("model.{side}.layers.{i}");
            let own = format!("{name}.self_attn");
            self.fused(&format!("{source}/self_attention/linear_0"), &own, &["q", "k", "v"])?;
            self.linear(&format!("{source}/self_attention/linear_1"), &format!("{own}.out_proj"))?;
            self.norm(&format!("{source}/self_attention/layer_norm"), &format!("{own}_layer_norm"))?;
            if side == "decoder" {
                let other = format!("{name}.encoder_attn");
                self.linear(&format!("{source}/attention/linear_0"), &format!("{other}.q_proj"))?;
                self.fused(&format!("{source}/attention/linear_1"), &other, &["k", "v"])?;
                self.linear(&format!("{source}/attention/linear_2"), &format!("{other}.out_proj"))?;
                self.norm(&format!("{source}/attention/layer_norm"), &format!("{other}_layer_norm"))?;
            }
            for i in 0..2 {
                self.linear(&format!("{source}/ffn/linear_{i}"), &format!("{name}.fc{}", i + 1))?;
            }
            self.norm(&format!("{source}/ffn/layer_norm"), &format!("{name}.final_layer_norm"))?;
        }
        self.norm(&format!("{side}/layer_norm"), &format!("model.{side}.layer_norm"))?;
        self.put(
            &format!("{side}/position_encodings/encodings"),
            format!("model.{side}.embed_positions.weight"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::safetensors;

    fn string(out: &mut Vec<u8>, s: &str) {
        out.extend((s.len() as u16 + 1).to_le_bytes());
        out.extend(s.as_bytes());
        out.push(0);
    }

    /// A model of one layer on each side, whose numbers are their places.
    fn model() -> Vec<u8> {
        let mut names: Vec<(String, u32)> = Vec::new();
        let mut linear =
            |at: String, n| names.extend([(format!("{at}/weight"), n), (format!("{at}/bias"), n)]);
        for (side, crosses) in [("encoder", false), ("decoder", true)] {
            let at = format!("{side}/layer_0");
            linear(format!("{at}/self_attention/linear_0"), 3);
            linear(format!("{at}/self_attention/linear_1"), 1);
            if crosses {
                linear(format!("{at}/attention/linear_0"), 1);
                linear(format!("{at}/attention/linear_1"), 2);
                linear(format!("{at}/attention/linear_2"), 1);
            }
            (0..2).for_each(|i| linear(format!("{at}/ffn/linear_{i}"), 1));
        }
        (1..3).for_each(|i| linear(format!("encoder/conv{i}"), 1));
        for at in [
            "encoder/layer_0/self_attention",
            "encoder/layer_0/ffn",
            "encoder",
            "decoder/layer_0/self_attention",
            "decoder/layer_0/attention",
            "decoder/layer_0/ffn",
            "decoder",
        ] {
            names.extend(["gamma", "beta"].map(|p| (format!("{at}/layer_norm/{p}"), 1)));
        }
        names.extend(["encoder", "decoder"].map(|s| (format!("{s}/position_encodings/encodings"), 1)));
        let mut out = 6u32.to_le_bytes().to_vec();
        string(&mut out, "WhisperSpec");
        out.extend(3u32.to_le_bytes());
        out.extend((names.len() as u32).to_le_bytes());
        for (i, (name, rows)) in names.iter().enumerate() {
            string(&mut out, name);
            out.push(1);
            out.extend(rows.to_le_bytes());
            out.push(4);
            out.extend((2 * rows).to_le_bytes());
            for row in 0..*rows {
                let keys = name.ends_with("bias") && ((*rows == 3 && row == 1) || (*rows == 2 && row == 0));
                out.extend(if keys { [0, 0] } else { [i as u8 + 1, row as u8] });
            }
        }
        out.extend(1u32.to_le_bytes());
        string(&mut out, "decoder/embeddings/weight");
        string(&mut out, "decoder/layer_norm/gamma");
        out
    }

    #[test]
    fn parts_get_their_names() {
        let model = model();
        let (head, data) = safetensors(&model).unwrap_or_else(|e| unreachable!("{e}"));
        let length = u64::from_le_bytes(head[..8].try_into().unwrap_or_default());
        assert_eq!((length as usize, length % 8), (head.len() - 8, 0));
        let header: serde_json::Value = serde_json::from_slice(&head[8..]).unwrap_or_default();
        let all = data.concat();
        let of = |name: &str| {
            let at = |i: usize| header[name]["data_offsets"][i].as_u64().unwrap_or(0) as usize;
            all[at(0)..at(1)].to_vec()
        };
        assert_eq!(of("model.encoder.layers.0.self_attn.q_proj.weight"), [1, 0]);
        assert_eq!(of("model.encoder.layers.0.self_attn.v_proj.weight"), [1, 2]);
        assert_eq!(of("model.encoder.layers.0.self_attn.v_proj.bias"), [2, 2]);
        assert_eq!(of("model.decoder.embed_tokens.weight"), of("model.decoder.layer_norm.weight"));
        assert_eq!(
            header["model.decoder.layers.0.encoder_attn.k_proj.weight"]["shape"],
            serde_json::json!([1])
        );
        assert!(header.get("model.decoder.layers.0.encoder_attn.k_proj.bias").is_none());
        assert_eq!(header["model.encoder.conv1.weight"]["dtype"], "F16");
    }

    /// A file cut anywhere, with bytes after it, of another kind, or with a bias of keys.
    #[test]
    fn broken_files_are_told() {
        let model = model();
        for n in 0..model.len() {
            assert!(safetensors(&model[..n]).is_err(), "{n}");
        }
        let mut more = model.clone();
        more.push(0);
        assert!(safetensors(&more).is_err_and(|e| e.contains("1 bytes more")));
        let mut other = model.clone();
        other[6] = b'X';
        assert!(safetensors(&other).is_err_and(|e| e.contains("WhisperSpec")));
        let name = b"encoder/layer_0/self_attention/linear_0/bias\0";
        let at = model.windows(name.len()).position(|w| w == name).map_or(0, |at| at + name.len() + 10);
        let mut keys = model;
        keys[at + 2] = 1;
        assert!(safetensors(&keys).is_err_and(|e| e.contains("bias of keys")));
    }
}
