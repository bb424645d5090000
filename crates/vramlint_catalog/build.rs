//! Compresses the tables of `data/`, which are a tenth of the binary as they are, and a hundredth so.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=data");
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    compress(Path::new("data"), Path::new(&out))
}

/// Writes each table of a folder as `NAME.deflate`.
fn compress(folder: &Path, out: &Path) -> io::Result<()> {
    /// Slower levels save nothing here.
    const LEVEL: u8 = 9;
    fs::create_dir_all(out)?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let target = out.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            compress(&path, &target)?;
        } else {
            fs::write(target.with_extension("deflate"), miniz_oxide::deflate::compress_to_vec(&fs::read(&path)?, LEVEL))?;
        }
    }
    Ok(())
}
