//! Scans a text for references to other files: paths, and in Python also modules. The result may contain too many files, but should
//! not miss any; resolution decides which ones are used.

use crate::discovery::file_format::FileFormat;
use crate::discovery::mentions::{modules, path_tokens};
use std::collections::{HashMap, HashSet};
use vramlint_resolve::LibraryPackage;

/// Maximum number of equally near files that one name may refer to.
const MAX_SAME_NAME: usize = 16;

/// The files of a folder by path and module name.
#[derive(Debug, Default)]
pub(crate) struct PathIndex {
    /// Indices by file name.
    by_name: HashMap<Box<str>, Vec<u32>>,
    /// Python files by the name that imports use: the stem, or the folder of an `__init__.py`.
    by_module: HashMap<Box<str>, Vec<u32>>,
    /// Names of files without an extension.
    bare: HashSet<Box<str>>,
    /// The paths.
    paths: Vec<Box<str>>,
    /// The packages of libraries.
    libraries: Vec<Library>,
}

/// The package of a library which the catalogue describes: nothing that it imports is looked at.
#[derive(Debug)]
struct Library {
    package: LibraryPackage,
    /// The index of its `__init__.py`.
    init: u32,
}

impl PathIndex {
    /// Builds the index from paths as shown, with `/`, and the packages of libraries among them.
    pub(crate) fn new(files: impl Iterator<Item = (String, FileFormat)>, libraries: Vec<LibraryPackage>) -> Self {
        let mut out = Self::default();
        for (index, (path, format)) in files.enumerate() {
            let name = last(&path);
            out.by_name.entry(name.into()).or_default().push(index as u32);
            if !name.contains('.') {
                out.bare.insert(name.into());
            }
            if format == FileFormat::Python {
                let module = if name == "__init__.py" { last(folder(&path)) } else { name.trim_end_matches(".py") };
                out.by_module.entry(module.into()).or_default().push(index as u32);
            }
            out.paths.push(path.into());
        }
        let inits = out.by_name.get("__init__.py").map_or(&[][..], Vec::as_slice);
        let with_init = |package: LibraryPackage| {
            let init = inits.iter().copied().find(|init| folder(&out.paths[*init as usize]) == package.folder)?;
            Some(Library { package, init })
        };
        out.libraries = libraries.into_iter().filter_map(with_init).collect();
        out
    }

    /// The library that a file belongs to.
    fn library_of(&self, file: u32) -> Option<&Library> {
        self.libraries.iter().find(|library| library.package.holds(&self.paths[file as usize]))
    }

    /// The files that the text of file `own` refers to, sorted, without `own`.
    pub(crate) fn references_in(&self, own: u32, text: &str, format: FileFormat) -> Box<[u32]> {
        let mut out = Vec::new();
        let path: &str = &self.paths[own as usize];
        let library = self.library_of(own);
        // Its package makes a file that of a library.
        out.extend(library.map(|library| library.init));
        if format == FileFormat::Python && library.is_some_and(|library| library.package.is_copy) {
            out.retain(|index| *index != own);
            return out.into();
        }
        let mut seen: HashSet<&str> = HashSet::new();
        for token in path_tokens(text) {
            let name = last(token);
            let is_name = name.contains('.') || self.bare.contains(name);
            if is_name && seen.insert(token) && self.by_name.contains_key(name) {
                self.resolve_path(path, token, &mut out);
            }
        }
        let mut imported = Vec::new();
        modules(text, format, &mut |dots, module| self.resolve_module(path, dots, module, &mut imported));
        imported.retain(|index| self.library_of(*index).is_none_or(|library| library.init == *index));
        out.append(&mut imported);
        out.sort_unstable();
        out.dedup();
        out.retain(|index| *index != own);
        out.into()
    }

    /// The files that the path `token` in file `from` may refer to: of the files that share its longest suffix, the nearest.
    fn resolve_path(&self, from: &str, token: &str, out: &mut Vec<u32>) {
        let Some(named) = self.by_name.get(last(token)) else { return };
        let parts: Vec<&str> = token.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
        for skip in 0..parts.len() {
            let tail = &parts[skip..];
            let ends = |index: &u32| ends_with(&self.paths[*index as usize], tail);
            let matching: Vec<u32> = named.iter().copied().filter(ends).collect();
            if !matching.is_empty() {
                return self.nearest(from, &matching, out);
            }
        }
    }

    fn nearest(&self, from: &str, matching: &[u32], out: &mut Vec<u32>) {
        let near = |index: &u32| common(from, &self.paths[*index as usize]);
        let best = matching.iter().map(near).max();
        let nearest = || matching.iter().copied().filter(|index| Some(near(index)) == best);
        // A name that many folders share usually belongs to a script that loops over them, so it is not a reference.
        if nearest().count() <= MAX_SAME_NAME {
            out.extend(nearest());
        }
    }

    /// The modules that a dotted name may refer to: the module, and its parent packages, whose `__init__.py` runs. The import root is
    /// unknown, so the folder of the file, its parents, and `src` in each of them are tried.
    fn resolve_module(&self, from: &str, dots: usize, dotted: &str, out: &mut Vec<u32>) {
        let mut parts: Vec<&str> = dotted.split('.').collect();
        while let Some(name) = parts.last() {
            if let Some(named) = self.by_module.get(*name) {
                let tail = parts.join("/");
                let matches = |base: &str, index: &u32| {
                    let path: &str = &self.paths[*index as usize];
                    let module = path.strip_suffix("/__init__.py").unwrap_or(path.trim_end_matches(".py"));
                    let rest = if base.is_empty() {
                        Some(module)
                    } else {
                        module.strip_prefix(base).and_then(|rest| rest.strip_prefix('/'))
                    };
                    rest.is_some_and(|rest| rest == tail || rest.strip_prefix("src/") == Some(&tail))
                };
                let mut base = folder(from);
                for _ in 1..dots {
                    base = folder(base);
                }
                loop {
                    let before = out.len();
                    out.extend(named.iter().copied().filter(|index| matches(base, index)));
                    if out.len() > before || dots > 0 || base.is_empty() {
                        break;
                    }
                    base = folder(base);
                }
            }
            parts.pop();
        }
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a path ends with these components.
fn ends_with(path: &str, tail: &[&str]) -> bool {
    let mut parts = path.rsplit('/');
    tail.iter().rev().all(|want| parts.next() == Some(want))
}

/// Number of folders that two paths share from the root.
fn common(left: &str, right: &str) -> usize {
    folder(left).split('/').zip(folder(right).split('/')).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> PathIndex {
        let paths =
            ["a/train.py", "a/ds.json", "b/train.py", "b/ds.json", "b/lib/__init__.py", "b/lib/data.py", "run.sh", "b/x/启动.sh"];
        PathIndex::new(
            paths
                .into_iter()
                .map(|path| (path.to_owned(), if path.ends_with(".py") { FileFormat::Python } else { FileFormat::Json })),
            Vec::new(),
        )
    }

    #[test]
    fn what_a_library_imports_is_not_looked_at() {
        let paths = ["train.py", "libs/trl/__init__.py", "libs/trl/sft.py", "libs/trl/data.py", "libs/trl/run.yaml"];
        let files = || paths.into_iter().map(|path| (path.to_owned(), FileFormat::Python));
        let of = |is_copy| PathIndex::new(files(), vec![LibraryPackage { folder: "libs/trl".to_owned(), is_copy }]);
        let script = "import libs.trl.sft\n# libs/trl/data.py\n";
        assert_eq!(of(true).references_in(0, script, FileFormat::Python).as_ref(), [1, 3]);
        let module = "from trl import data\nconfig = \"run.yaml\"\n";
        assert_eq!(of(true).references_in(2, module, FileFormat::Python).as_ref(), [1]);
        assert_eq!(of(false).references_in(2, module, FileFormat::Python).as_ref(), [1, 4]);
    }

    #[test]
    fn the_nearest_file_of_a_name_is_meant() {
        let names = names();
        assert_eq!(names.references_in(0, "open('ds.json')", FileFormat::Python).as_ref(), [1]);
        assert_eq!(names.references_in(2, "x = \"$ROOT/conf/ds.json\"", FileFormat::Python).as_ref(), [3]);
        assert_eq!(names.references_in(6, "python a/train.py --deepspeed ./b/ds.json", FileFormat::Bash).as_ref(), [0, 3]);
        assert_eq!(names.references_in(6, "bash b/x/启动.sh", FileFormat::Bash).as_ref(), [7]);
        assert_eq!(names.references_in(6, "nothing.txt trains", FileFormat::Bash).as_ref(), [0; 0]);
    }

    #[test]
    fn imports_name_modules_and_their_packages() {
        let names = names();
        assert_eq!(names.references_in(2, "from lib.data import load\n", FileFormat::Python).as_ref(), [4, 5]);
        assert_eq!(names.references_in(2, "from lib import (\n    data,  # rows\n)\n", FileFormat::Python).as_ref(), [4, 5]);
        assert_eq!(names.references_in(2, "\"\"\"\nimport lib\n\"\"\"\n", FileFormat::Python).as_ref(), [0; 0]);
        assert_eq!(names.references_in(4, "from . import data\n", FileFormat::Python).as_ref(), [5]);
        assert_eq!(names.references_in(5, "    import lib, os\n", FileFormat::Python).as_ref(), [4]);
        assert_eq!(names.references_in(7, "python -m lib.data", FileFormat::Bash).as_ref(), [4, 5]);
        assert_eq!(names.references_in(6, "python -m lib.data", FileFormat::Bash).as_ref(), [0; 0]);
    }
}
