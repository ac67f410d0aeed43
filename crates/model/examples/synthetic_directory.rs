//! Writes a synthetic model as a Hugging Face directory, so that what needs a file and a tokenizer can be measured at real sizes:
//! `cargo run --release -p akunu-model --example synthetic_directory -- SHAPE:DTYPE TOKENIZER_DIR OUT`.
//!
//! SHAPE is one of the Llama architecture without RoPE scaling, DTYPE is f32, f16 or bf16. TOKENIZER_DIR holds `tokenizer.json` and
//! `tokenizer_config.json` of as many tokens.

use akunu_kernels::DType;
use akunu_model::WeightSource;
use akunu_model::config::RopeScaling;
use akunu_model::synthetic::Synthetic;
use serde_json::{Map, Value, json};
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// Bytes that are copied at a time.
const PIECE: u64 = 64 << 20;

/// A tensor's name in such a directory.
fn name(canonical: &str) -> String {
    let whole = match canonical {
        "embed.weight" => "model.embed_tokens.weight",
        "output_norm.weight" => "model.norm.weight",
        "output.weight" => "lm_head.weight",
        layer => {
            let parts = [
                ("layers.", "model.layers."),
                ("attention_norm", "input_layernorm"),
                ("attention.output", "self_attn.o_proj"),
                ("attention.q", "self_attn.q_proj"),
                ("attention.k", "self_attn.k_proj"),
                ("attention.v", "self_attn.v_proj"),
                ("ffn_norm", "post_attention_layernorm"),
                ("ffn.gate", "mlp.gate_proj"),
                ("ffn.up", "mlp.up_proj"),
                ("ffn.down", "mlp.down_proj"),
            ];
            return parts.iter().fold(layer.to_owned(), |name, (from, to)| name.replace(from, to));
        }
    };
    whole.into()
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, spec, tokenizer, out] = args.as_slice() else {
        return Err("usage: synthetic_directory SHAPE:DTYPE TOKENIZER_DIR OUT".into());
    };
    let source = Synthetic::parse(spec)?;
    let c = source.config();
    if c.arch != "llama" || !matches!(c.rope.scaling, RopeScaling::None) {
        return Err(format!("{spec}: choose a shape of the Llama architecture without RoPE scaling").into());
    }
    let (tokenizer, out) = (Path::new(tokenizer), Path::new(out));
    fs::create_dir_all(out)?;
    for file in ["tokenizer.json", "tokenizer_config.json"] {
        fs::copy(tokenizer.join(file), out.join(file))?;
    }
    let tied = !source.tensors().iter().any(|t| t.name == "output.weight");
    let config = json!({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": c.hidden,
        "intermediate_size": c.ffn, "num_hidden_layers": c.layers, "num_attention_heads": c.heads,
        "num_key_value_heads": c.kv_heads, "head_dim": c.head_dim, "vocab_size": c.vocab,
        "max_position_embeddings": c.context, "rms_norm_eps": c.norm_eps, "rope_theta": c.rope.base,
        "hidden_act": "silu", "tie_word_embeddings": tied,
    });
    fs::write(out.join("config.json"), config.to_string())?;

    let (mut header, mut offset) = (Map::new(), 0u64);
    for t in source.tensors() {
        let dtype = match t.dtype {
            DType::F32 => "F32",
            DType::F16 => "F16",
            DType::Bf16 => "BF16",
            other => {
                return Err(format!("{spec}: {other} has no place in such a directory; ask for bf16").into());
            }
        };
        let shape: Vec<Value> =
            if t.rows == 1 { vec![t.cols.into()] } else { vec![t.rows.into(), t.cols.into()] };
        let entry = json!({ "dtype": dtype, "shape": shape, "data_offsets": [offset, offset + t.bytes] });
        header.insert(name(&t.name), entry);
        offset += t.bytes;
    }
    let mut head = Value::Object(header).to_string().into_bytes();
    head.resize(head.len().next_multiple_of(8), b' ');
    let mut file = File::create(out.join("model.safetensors"))?;
    file.write_all(&(head.len() as u64).to_le_bytes())?;
    file.write_all(&head)?;
    let mut piece = Vec::new();
    for t in source.tensors() {
        let mut at = 0;
        while at < t.bytes {
            piece.resize(PIECE.min(t.bytes - at) as usize, 0);
            source.read(t, at, &mut piece)?;
            file.write_all(&piece)?;
            at += piece.len() as u64;
        }
    }
    println!("{}: {} tensors, {offset} B", out.display(), source.tensors().len());
    Ok(())
}
