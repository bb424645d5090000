//! Running the binary.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The root of the checkout.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below a folder, relative to it, in order.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).expect("below the folder").to_path_buf());
            }
        }
    }
    found.sort();
    found
}

/// The example projects: every folder below `tests/guides` that states what is expected of it.
pub(crate) fn guides() -> Vec<PathBuf> {
    let guides = root().join("tests/guides");
    let stated = files_below(&guides).into_iter().filter(|path| path.ends_with("expect.json"));
    let found: Vec<PathBuf> = stated.filter_map(|path| Some(guides.join(path.parent()?))).collect();
    assert!(found.len() >= 10, "the guides are there: {found:?}");
    found
}

/// A folder that is gone after the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// With these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    /// A copy of another.
    pub(crate) fn copy(of: &Path) -> Self {
        let folder = Self::new(&[]);
        for name in files_below(of) {
            let bytes = std::fs::read(of.join(&name)).expect("readable");
            folder.write(name.to_str().expect("a plain name"), bytes);
        }
        folder
    }

    /// A copy of the project beside this file.
    pub(crate) fn project() -> Self {
        Self::copy(&root().join("tests/cli/project"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("inside the folder")).expect("writable");
        std::fs::write(path, bytes).expect("writable");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(std::fs::read(self.path().join(name)).expect("readable")).expect("UTF-8")
    }

    /// Runs `vramlint` with these words.
    pub(crate) fn run(&self, words: &str) -> Ran {
        self.start(words, &[], None)
    }

    /// The same with variables of the environment.
    pub(crate) fn run_with(&self, words: &str, variables: &[(&str, &str)]) -> Ran {
        self.start(words, variables, None)
    }

    /// The same with a text on standard input.
    pub(crate) fn pipe(&self, words: &str, input: &[u8]) -> Ran {
        self.start(words, &[], Some(input))
    }

    fn start(&self, words: &str, variables: &[(&str, &str)], input: Option<&[u8]>) -> Ran {
        let mut child = vramlint(self.path())
            .args(words.split_whitespace())
            .envs(variables.iter().copied())
            .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        if let Some(input) = input {
            let mut pipe = child.stdin.take().expect("a pipe");
            pipe.write_all(input).expect("the binary reads");
        }
        let output = child.wait_with_output().expect("the binary ends");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
        Ran { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// The binary in a folder, with nothing of the environment but what it is given.
pub(crate) fn vramlint(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vramlint"));
    command.current_dir(folder).env_clear().env("LANG", "C.UTF-8");
    command
}

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit status; `None` where a signal ended it.
    pub(crate) status: Option<i32>,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Ran {
    /// Standard output, after looking at the status; standard error must be empty.
    pub(crate) fn out(self, status: i32) -> String {
        assert_eq!((self.status, self.err.as_str()), (Some(status), ""), "{}", self.out);
        self.out
    }

    /// Standard error of a failure; standard output must be empty.
    pub(crate) fn fault(self) -> String {
        assert_eq!((self.status, self.out.as_str()), (Some(2), ""), "{}", self.err);
        self.err
    }
}
