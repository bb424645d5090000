//! Writes fixed files atomically: after a crash, a file has the old or the new text.

use super::FixedFile;
use crate::atomic_file::{create, replace};
use crate::bounded_file::{MAX_READ, read_file};
use std::io::Error;

/// Writes one fixed file; creates it if it did not exist. Links are followed and kept, and permissions are kept. Fails if the file
/// has changed since it was read.
pub fn write(file: &FixedFile) -> Result<(), Error> {
    if file.before.is_empty() && !file.path.exists() {
        return create(&file.path, file.after.as_bytes());
    }
    let target = file.path.canonicalize()?;
    if read_file(&target, MAX_READ)? != file.before.as_bytes() {
        return Err(Error::other("the file has changed since it was read"));
    }
    replace(&target, file.after.as_bytes())
}

/// Writes files that belong together: all of them, or none. The error names the file that could not be written, as shown.
pub fn write_all(files: &[FixedFile]) -> Result<(), (String, Error)> {
    for (index, file) in files.iter().enumerate() {
        if let Err(error) = write(file) {
            for written in files[..index].iter().rev() {
                let back = FixedFile { before: written.after.clone(), after: written.before.clone(), ..written.clone() };
                // What cannot be taken back was changed by somebody else in the meantime, and stays as it is now.
                let _ = write(&back);
            }
            return Err((file.shown.clone(), error));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;
    use std::path::Path;

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

    #[test]
    fn files_that_belong_together_are_all_written_or_none() {
        let folder = Folder::new(&[("a.yaml", "a: 1\n"), ("b.json", "{}")]);
        let (a, b) = (folder.path().join("a.yaml"), folder.path().join("b.json"));
        let files = [fixed(&a, "a: 1\n", "a: 2\n"), fixed(&b, "{\"changed\": 1}", "{}\n")];
        assert!(write_all(&files).is_err());
        assert_eq!((folder.read("a.yaml").as_str(), folder.read("b.json").as_str()), ("a: 1\n", "{}"));
        write_all(&[files[0].clone(), fixed(&b, "{}", "{}\n")]).expect("written");
        assert_eq!((folder.read("a.yaml").as_str(), folder.read("b.json").as_str()), ("a: 2\n", "{}\n"));
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
