//! Writing that a crash, a full disk or a kill cannot tear: a file has the old or the new text.
//!
//! The new text goes to a temporary file beside the old one, which then takes its place. Owner, mode and extended attributes move with
//! it. Where that cannot be, for a file of several names (hard links) or of another owner, the file is written in place once the new
//! text is safe on the disk; only there can a kill leave half a text, and the whole one lies beside it.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// How the names of temporary files start; the number of their process follows.
const PREFIX: &str = ".vramlint-";
/// Age after which a temporary file is nobody's any more, seconds.
const ABANDONED: u64 = 3600;

/// Writes a file that may exist. A link is replaced, not followed; a pipe or a device is written to.
///
/// # Errors
///
/// Fails if the file or its folder cannot be written; the old file is then whole.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(data) if data.is_file() => replace(path, bytes),
        Ok(data) if !data.is_symlink() => std::fs::write(path, bytes),
        // The standard output of this process, reached through the links of `/dev`.
        Ok(_) if std::fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) => std::fs::write(path, bytes),
        _ => {
            let temporary = temporary(path, bytes)?;
            // What the mode of a new file would be.
            #[cfg(unix)]
            if let Ok(mode) = new_mode(path) {
                temporary.as_file().set_permissions(mode)?;
            }
            persist(temporary, path)
        }
    }
}

/// Creates a file that must not exist.
///
/// # Errors
///
/// Fails if it exists, or if it cannot be written.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = File::create_new(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        // Half a file helps nobody.
        let _ = std::fs::remove_file(path);
    }
    written
}

/// Replaces the content of an existing file.
pub(crate) fn replace(target: &Path, bytes: &[u8]) -> Result<()> {
    let data = std::fs::metadata(target)?;
    // Renaming would replace a read-only file.
    if data.permissions().readonly() {
        return Err(Error::new(ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let temporary = temporary(target, bytes)?;
    if has_other_names(&data) || keep_owner(temporary.as_file(), &data).is_err() {
        return write_in_place(target, bytes, &temporary);
    }
    // After the owner, whose change takes away bits of the mode.
    temporary.as_file().set_permissions(data.permissions())?;
    if copy_attributes(target, temporary.as_file()).is_err() {
        return write_in_place(target, bytes, &temporary);
    }
    persist(temporary, target)
}

/// The text in a temporary file beside `target`, on the disk.
fn temporary(target: &Path, bytes: &[u8]) -> Result<NamedTempFile> {
    let folder = target.parent().ok_or_else(|| Error::other("the file has no folder"))?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    remove_abandoned(folder);
    let prefix = format!("{PREFIX}{}-", std::process::id());
    let mut temporary = tempfile::Builder::new().prefix(&prefix).suffix(".tmp").tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

fn persist(temporary: NamedTempFile, target: &Path) -> Result<()> {
    temporary.persist(target).map_err(|error| error.error)?;
    Ok(())
}

/// Overwrites the file itself. `safe` holds the new text until that is done.
fn write_in_place(target: &Path, bytes: &[u8], safe: &NamedTempFile) -> Result<()> {
    debug_assert!(safe.path().exists(), "the text is on the disk before the old one goes");
    let mut file = OpenOptions::new().write(true).open(target)?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// Removes temporary files that a process left that was killed.
fn remove_abandoned(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let abandoned = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?.strip_prefix(PREFIX)?.strip_suffix(".tmp")?;
        let process: u32 = name.split('-').next()?.parse().ok()?;
        let old = || path.metadata().ok()?.modified().ok()?.elapsed().ok().map(|age| age.as_secs() > ABANDONED);
        let gone = cfg!(target_os = "linux") && !Path::new("/proc").join(process.to_string()).exists();
        (process != std::process::id() && (gone || old()?)).then_some(())
    };
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| abandoned(path).is_some()) {
        // Another process may be quicker.
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(unix)]
fn has_other_names(data: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(data) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

/// Gives the new file the owner and group of the old one; fails where the system does not let us.
#[cfg(unix)]
fn keep_owner(new: &File, old: &Metadata) -> Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = new.metadata()?;
    let differs = |a: u32, b: u32| (a != b).then_some(b);
    let (user, group) = (differs(own.uid(), old.uid()), differs(own.gid(), old.gid()));
    if user.is_none() && group.is_none() { Ok(()) } else { fchown(new, user, group) }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> Result<()> {
    Ok(())
}

/// The mode that a new file gets here.
#[cfg(unix)]
fn new_mode(path: &Path) -> Result<std::fs::Permissions> {
    let probe = path.with_file_name(format!("{PREFIX}{}-mode.tmp", std::process::id()));
    let made = File::create_new(&probe)?;
    let mode = made.metadata().map(|data| data.permissions());
    std::fs::remove_file(&probe)?;
    mode
}

/// Copies the extended attributes, access control lists among them. Those that the system keeps for itself are left out.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn copy_attributes(from: &Path, to: &File) -> Result<()> {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
    let from = File::open(from)?;
    let mut names = vec![0; 64 << 10];
    let length = match flistxattr(&from, names.as_mut_slice()) {
        Ok(length) => length,
        // A file system without attributes.
        Err(rustix::io::Errno::NOTSUP) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0; 64 << 10];
        let length = fgetxattr(&from, name, value.as_mut_slice())?;
        let set = fsetxattr(to, name, &value[..length], XattrFlags::empty());
        let is_own = name.starts_with(b"security.") || name.starts_with(b"trusted.") || name.starts_with(b"system.");
        if set.is_err() && (!is_own || name.starts_with(b"system.posix_acl")) {
            set?;
        }
    }
    Ok(())
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn copy_attributes(_: &Path, _: &File) -> Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::testing::Folder;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn names(folder: &Folder) -> Vec<String> {
        let entries = std::fs::read_dir(folder.path()).expect("folder");
        let mut names: Vec<String> = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn all_names_of_a_file_see_the_change() {
        let folder = Folder::new(&[("a", "old, and longer")]);
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::hard_link(&a, &b).expect("a second name");
        replace(&a, b"new").expect("written");
        assert_eq!((folder.read("b").as_str(), a.metadata().expect("a").nlink()), ("new", 2));
        assert_eq!(names(&folder), ["a", "b"]);
    }

    #[test]
    fn attributes_stay() {
        let folder = Folder::new(&[("a", "old")]);
        let path = folder.path().join("a");
        let file = File::open(&path).expect("a");
        // Not every file system has attributes.
        if rustix::fs::fsetxattr(&file, "user.x", b"1", rustix::fs::XattrFlags::empty()).is_ok() {
            replace(&path, b"new").expect("written");
            let mut value = [0; 8];
            let length = rustix::fs::fgetxattr(File::open(&path).expect("a"), "user.x", &mut value[..]).expect("kept");
            assert_eq!(&value[..length], b"1");
        }
    }

    #[test]
    fn a_link_is_replaced_where_a_file_is_made() {
        let folder = Folder::new(&[("out/x", "theirs"), ("in/y", "")]);
        let path = folder.path().join("in/baseline.json");
        symlink("../out/x", &path).expect("a link");
        write_file(&path, b"ours").expect("written");
        assert_eq!((folder.read("out/x").as_str(), folder.read("in/baseline.json").as_str()), ("theirs", "ours"));
        assert!(!path.symlink_metadata().expect("a file").is_symlink());
        let mode = |path: &Path| path.metadata().expect("a file").permissions().mode() & 0o777;
        assert_eq!(mode(&path), mode(&folder.path().join("in/y")), "as any new file");
        write_file(Path::new("/dev/null"), b"gone").expect("a device is written to");
    }

    #[test]
    fn what_a_killed_process_left_is_removed() {
        let folder =
            Folder::new(&[("a", "old"), (".vramlint-4294967294-abc.tmp", ""), (".vramlint-notes", ""), (".vramlint-x.tmp", "")]);
        replace(&folder.path().join("a"), b"new").expect("written");
        if cfg!(target_os = "linux") {
            assert_eq!(names(&folder), [".vramlint-notes", ".vramlint-x.tmp", "a"]);
        }
    }
}
