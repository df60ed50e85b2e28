//! Lists the scope's own JavaScript, every file of `js/` in the order of its name, for the worker to evaluate.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=js");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("js");
    let mut files: Vec<PathBuf> = fs::read_dir(&root)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<io::Result<Vec<_>>>()?
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "js"))
        .collect();
    files.sort();
    let mut out = String::from("&[\n");
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        println!("cargo::rerun-if-changed={}", file.display());
        writeln!(out, "    ({name:?}, include_str!({:?})),", file.display().to_string())
            .map_err(io::Error::other)?;
    }
    out.push_str("]\n");
    let target = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(Path::new(&target).join("scope_files.rs"), out)
}
