//! Writes fixed files atomically: after a crash, a file has the old or the new text.

use super::FixedFile;
use crate::bounded_file::{MAX_READ, read_file};
use std::io::{Error, Write};
use std::path::Path;

/// Writes one fixed file; creates it if it did not exist. Links are followed and kept, and permissions are kept. Fails if the file
/// has changed since it was read.
pub fn write(file: &FixedFile) -> Result<(), Error> {
    if file.before.is_empty() && !file.path.exists() {
        return std::fs::File::create_new(&file.path)?.write_all(file.after.as_bytes());
    }
    let target = file.path.canonicalize()?;
    if read_file(&target, MAX_READ)? != file.before.as_bytes() {
        return Err(Error::other("the file has changed since it was read"));
    }
    replace(&target, file.after.as_bytes())
}

/// Replaces the content of an existing file atomically.
pub(crate) fn replace(target: &Path, bytes: &[u8]) -> Result<(), Error> {
    let permissions = std::fs::metadata(target)?.permissions();
    // Renaming would replace a read-only file.
    if permissions.readonly() {
        return Err(Error::new(std::io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let folder = target.parent().ok_or_else(|| Error::other("the file has no folder"))?;
    let mut temporary = tempfile::Builder::new().prefix(".vramlint-").tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().set_permissions(permissions)?;
    temporary.as_file().sync_all()?;
    temporary.persist(target).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;

    fn fixed(path: &Path, before: &str, after: &str) -> FixedFile {
        FixedFile { path: path.to_path_buf(), shown: "x".into(), before: before.into(), after: after.into(), applied: vec![] }
    }

    #[test]
    fn a_changed_file_is_not_overwritten() {
        let folder = Folder::new(&[("a.yaml", "a: 1\n")]);
        let path = folder.path().join("a.yaml");
        assert!(write(&fixed(&path, "a: 0\n", "a: 2\n")).is_err());
        assert_eq!(folder.read("a.yaml"), "a: 1\n");
        write(&fixed(&path, "a: 1\n", "a: 2\r\n显存")).expect("written");
        assert_eq!(folder.read("a.yaml"), "a: 2\r\n显存");
        assert_eq!(std::fs::read_dir(folder.path()).expect("folder").count(), 1, "no temporary file is left");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = Folder::new(&[("real.sh", "a\n")]);
        let (real, link) = (folder.path().join("real.sh"), folder.path().join("link.sh"));
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o750)).expect("chmod");
        symlink("real.sh", &link).expect("symlink");
        write(&fixed(&link, "a\n", "b\n")).expect("written");
        assert!(link.symlink_metadata().expect("link").is_symlink());
        assert_eq!(folder.read("real.sh"), "b\n");
        assert_eq!(std::fs::metadata(&real).expect("file").permissions().mode() & 0o777, 0o750);

        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o444)).expect("chmod");
        assert!(write(&fixed(&real, "b\n", "c\n")).is_err());
    }
}
