//! Compiles C and C++ programs against the header and the library that cargo has built, and runs them.
#![allow(dead_code, reason = "each test uses a part")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder with the library under its installed names, in which programs are made.
pub(crate) struct Build<'a> {
    dir: &'a Path,
}

impl<'a> Build<'a> {
    /// Puts the library into a folder.
    pub(crate) fn new(dir: &'a Path) -> Self {
        // Tests lie beside the libraries of the crates that they test.
        let deps = std::env::current_exe().unwrap();
        let built = deps.parent().unwrap().join(format!(
            "{}akunu_capi{}",
            std::env::consts::DLL_PREFIX,
            std::env::consts::DLL_SUFFIX
        ));
        assert!(built.exists(), "{} is not there; cargo builds it with the crate", built.display());
        for name in names() {
            let _ = std::fs::remove_file(dir.join(&name));
            std::os::unix::fs::symlink(&built, dir.join(name)).unwrap();
        }
        Self { dir }
    }

    /// Compiles a source of this crate with every warning an error.
    pub(crate) fn compile(&self, source: &str) -> PathBuf {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let cpp = source.ends_with(".cpp");
        let (compiler, standard) = if cpp { ("c++", "-std=c++17") } else { ("cc", "-std=c11") };
        let program = self.dir.join(Path::new(source).file_stem().unwrap());
        let status = Command::new(compiler)
            .args([
                standard,
                "-O1",
                "-g",
                "-Wall",
                "-Wextra",
                "-Wpedantic",
                "-Werror",
                "-D_POSIX_C_SOURCE=200809L",
            ])
            .arg("-I")
            .arg(root.join("include"))
            .arg(root.join(source))
            .arg("-o")
            .arg(&program)
            .arg("-L")
            .arg(self.dir)
            .args(["-lakunu", "-lpthread"])
            .arg(format!("-Wl,-rpath,{}", self.dir.display()))
            .status()
            .unwrap();
        assert!(status.success(), "{source} does not compile");
        program
    }
}

/// What the linker looks for, and what the dynamic linker does.
fn names() -> [String; 2] {
    let major = env!("CARGO_PKG_VERSION_MAJOR");
    match cfg!(target_os = "macos") {
        true => ["libakunu.dylib".into(), format!("libakunu.{major}.dylib")],
        false => ["libakunu.so".into(), format!("libakunu.so.{major}")],
    }
}

/// Runs a program with this input; it must end well. Gives what it prints.
pub(crate) fn run(program: &Path, arguments: &[&str], input: &str) -> String {
    let mut child =
        Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(input.as_bytes());
    });
    let out = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(out.status.success(), "{} ended with {}", program.display(), out.status);
    String::from_utf8(out.stdout).unwrap()
}
