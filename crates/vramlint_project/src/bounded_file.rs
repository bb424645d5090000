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
    let (file, size) = open_regular(path)?;
    read_sized(file, size, limit)
}

/// As [`read_file`], for a path that was a regular file itself when it was found: a link that has taken its place is not followed.
pub(crate) fn read_own(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let (file, size) = open_sized(path, true)?;
    read_sized(file, size, limit)
}

/// Reads an open file whose size was `size` bytes when it was opened.
fn read_sized(mut file: File, size: u64, limit: u64) -> Result<Vec<u8>> {
    // Where one byte more than the size finds no more, the file has ended.
    let mut bytes = vec![0; usize::try_from(size.min(limit)).unwrap_or(0) + 1];
    let length = match file.read(&mut bytes) {
        Err(error) if error.kind() == ErrorKind::Interrupted => 0,
        read => read?,
    };
    bytes.truncate(length);
    if length as u64 != size || size > limit {
        read_rest(file, limit, &mut bytes)?;
    }
    Ok(bytes)
}

/// Reads a stream of at most `limit` bytes to its end.
///
/// # Errors
///
/// Fails if there are more bytes, or if reading fails.
pub fn read_stream(stream: impl Read, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_rest(stream, limit, &mut bytes)?;
    Ok(bytes)
}

/// Reads to the end, so that there are at most `limit` bytes.
fn read_rest(stream: impl Read, limit: u64, bytes: &mut Vec<u8>) -> Result<()> {
    stream.take(limit.saturating_add(1).saturating_sub(bytes.len() as u64)).read_to_end(bytes)?;
    if bytes.len() as u64 > limit {
        let kib = limit >> 10;
        return Err(Error::new(ErrorKind::FileTooLarge, format!("more than {kib} KiB")));
    }
    Ok(())
}

/// Opens a regular file, and says how many bytes it has.
///
/// # Errors
///
/// Fails for anything else, and if opening fails.
pub(crate) fn open_regular(path: &Path) -> Result<(File, u64)> {
    // Opening a device may already have an effect.
    regular(&std::fs::metadata(path)?)?;
    open_sized(path, false)
}

fn open_sized(path: &Path, refuses_links: bool) -> Result<(File, u64)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        // Files of the kernel are regular, and reading them may wait for ever.
        let flags = libc::O_NONBLOCK | if refuses_links { libc::O_NOFOLLOW } else { 0 };
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    #[cfg(not(unix))]
    if refuses_links {
        regular(&path.symlink_metadata()?)?;
    }
    let file = options.open(path)?;
    let data = file.metadata()?;
    regular(&data)?;
    Ok((file, data.len()))
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
        assert_eq!(read_own(&path, 4).expect_err("too large").kind(), ErrorKind::FileTooLarge);
        assert_eq!(read_own(&path, 3).expect_err("too large").kind(), ErrorKind::FileTooLarge);
        assert_eq!(read_own(&path, 5).expect("five bytes"), b"a: 1\n");
        assert!(read_file(folder.path(), 5).is_err(), "a folder is no file");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_whose_size_says_nothing_is_read_to_its_end() {
        let status = Path::new("/proc/self/status");
        assert_eq!(std::fs::metadata(status).expect("a file").len(), 0);
        assert!(read_file(status, MAX_READ).expect("read").ends_with(b"\n"));
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
        assert!(read_own(&folder.path().join("link.yaml"), MAX_READ).is_err());
        assert_eq!(read_own(&pipe, MAX_READ).expect_err("refused").to_string(), "not a regular file");
    }
}
