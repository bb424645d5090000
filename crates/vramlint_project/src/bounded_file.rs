//! Reading of files that anybody may have put into a project: no pipe, device or endless file stops a command or fills the memory.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// The most that is read of any file, bytes. What belongs to a project has lower limits of its own.
pub const MAX_READ: u64 = 64 << 20;

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
///
/// Fails if the file is a pipe, a device or a socket, if it has more bytes, or if reading it fails or would wait.
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>> {
    read_stream(open_regular(path)?, limit)
}

/// As [`read_file`], for a path whose own metadata are known.
pub(crate) fn read_known(path: &Path, data: &Metadata, limit: u64) -> Result<Vec<u8>> {
    regular(data)?;
    let file = open(path)?;
    regular(&file.metadata()?)?;
    // One byte more, so that the end is found without another read.
    let mut bytes = Vec::with_capacity(usize::try_from(data.len().min(limit)).unwrap_or(0) + 1);
    read_into(file, limit, &mut bytes)?;
    Ok(bytes)
}

/// Reads a stream of at most `limit` bytes to its end.
///
/// # Errors
///
/// Fails if there are more bytes, or if reading fails.
pub fn read_stream(stream: impl Read, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_into(stream, limit, &mut bytes)?;
    Ok(bytes)
}

fn read_into(stream: impl Read, limit: u64, bytes: &mut Vec<u8>) -> Result<()> {
    stream.take(limit.saturating_add(1)).read_to_end(bytes)?;
    if bytes.len() as u64 > limit {
        let kib = limit >> 10;
        return Err(Error::new(ErrorKind::FileTooLarge, format!("more than {kib} KiB")));
    }
    Ok(())
}

/// Opens a regular file.
///
/// # Errors
///
/// Fails for anything else, and if opening fails.
pub(crate) fn open_regular(path: &Path) -> Result<File> {
    // Opening a device may already have an effect.
    regular(&std::fs::metadata(path)?)?;
    let file = open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

fn open(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        // Files of the kernel are regular, and reading them may wait for ever.
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    }
    options.open(path)
}

/// Fails for what is no regular file.
pub(crate) fn regular(data: &Metadata) -> Result<()> {
    if data.is_file() { Ok(()) } else { Err(Error::new(ErrorKind::InvalidInput, "not a regular file")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = Folder::new(&[("a.yaml", "a: 1\n")]);
        let path = folder.path().join("a.yaml");
        assert_eq!(read_file(&path, 5).expect("five bytes"), b"a: 1\n");
        assert_eq!(read_file(&path, 4).expect_err("too large").kind(), ErrorKind::FileTooLarge);
        assert_eq!(read_stream(std::io::repeat(0), 1 << 20).expect_err("endless").kind(), ErrorKind::FileTooLarge);
        assert!(read_file(folder.path(), 5).is_err(), "a folder is no file");
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused() {
        let folder = Folder::new(&[]);
        let pipe = folder.path().join("config.yaml");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
        for path in [pipe.as_path(), Path::new("/dev/zero")] {
            assert_eq!(read_file(path, MAX_READ).expect_err("refused").to_string(), "not a regular file");
        }
        std::os::unix::fs::symlink("/dev/zero", folder.path().join("link.yaml")).expect("a link");
        assert!(read_file(&folder.path().join("link.yaml"), MAX_READ).is_err());
    }
}
