//! Writes a tiny random model whose chat template knows tools, for tests in other languages:
//! `cargo run -p akunu-conformance --example tiny_model -- FILE.gguf`

use akunu::Token;
use akunu_conformance::{TOOLS_TEMPLATE, tiny_gguf_chatting};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name the file to be written")?;
    std::fs::write(path, tiny_gguf_chatting("tiny-llama:q8_0", Token(1023), &[], TOOLS_TEMPLATE)?)?;
    Ok(())
}
