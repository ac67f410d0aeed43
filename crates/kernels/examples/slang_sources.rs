//! Writes the Slang text of every Vulkan kernel into a folder, as `NAME.slang`, and prints (that name, where its SPIR-V
//! belongs, and `metal` where Metal's text lies beside it). For `tools/vulkan-kernels.sh`.

use akunu_kernels::vulkan::{Metal, SOURCES, control};
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err(std::io::Error::other("usage: slang_sources FOLDER"));
    };
    for s in SOURCES {
        std::fs::write(folder.join(s.name()).with_extension("slang"), s.text())?;
        let metal = if s.metal == Metal::Made { "metal" } else { "spirv-only" };
        println!("{} {} {metal}", s.name(), s.code);
    }
    for (name, text) in control() {
        std::fs::write(folder.join(name).with_extension("slang"), text)?;
        println!("{name} vulkan/{name}.spv metal");
    }
    Ok(())
}
