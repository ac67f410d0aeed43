//! Gives the shared library its name for the dynamic linker, and keeps what dependencies export out of its interface.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let major = std::env::var("CARGO_PKG_VERSION_MAJOR").unwrap_or_default();
    match os.as_str() {
        "linux" | "freebsd" | "android" => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libakunu.so.{major}");
            println!("cargo:rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
        }
        "macos" => println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libakunu.{major}.dylib"),
        _ => {}
    }
}
