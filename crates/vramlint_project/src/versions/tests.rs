//! Which version files of a project apply to which folders.

use crate::testing::{Folder, check};
use vramlint_base::FileId;
use vramlint_resolve::versions::{RangeMatch, VersionRange};

const FIVE: VersionRange = VersionRange::since("transformers", "5.0");

/// `version from source` of transformers for a file.
fn version_of(folder: &Folder, paths: &[&str], file: &str) -> String {
    let report = check(&folder.request(paths)).expect("no error");
    let number = report.project.files.iter().position(|source| source.path == file).expect("a file of the project");
    report.project.library(FileId(number as u32), "transformers").map_or_else(String::new, |evidence| {
        let place = evidence.place.map(|place| {
            let (file, start, _) = report.project.position(place);
            format!(" at {}:{}", file.path, start.line)
        });
        format!("{} from {}{}", evidence.version, evidence.source, place.unwrap_or_default())
    })
}

#[test]
fn the_nearest_folder_that_says_something_governs() {
    let folder = Folder::new(&[
        ("requirements.txt", "torch\ntransformers==4.44.0\r\n"),
        ("a.yaml", ""),
        ("one/requirements/train.txt", "transformers==5.1.0\n"),
        ("one/deep/er/b.yaml", ""),
        ("two/pyproject.toml", "[project]\ndependencies = [\"torch\"]\n"),
        ("two/c.yaml", ""),
    ]);
    assert_eq!(version_of(&folder, &[], "a.yaml"), "4.44.0 from requirements.txt at requirements.txt:2");
    assert_eq!(
        version_of(&folder, &[], "one/deep/er/b.yaml"),
        "5.1.0 from one/requirements/train.txt at one/requirements/train.txt:1"
    );
    assert_eq!(version_of(&folder, &[], "two/c.yaml"), "4.44.0 from requirements.txt at requirements.txt:2");
    let report = check(&folder.request(&[])).expect("no error");
    assert_eq!(report.files, 3, "what names versions is not checked");
    let number = report.project.files.iter().position(|source| source.path == "a.yaml").expect("there");
    assert_eq!(report.project.version_matches(FileId(number as u32), &FIVE), RangeMatch::Never);
}

#[test]
fn the_project_around_a_named_file_counts_and_nothing_above_it() {
    let folder = Folder::new(&[
        ("requirements.txt", "transformers==4.1.0\n"),
        ("p/.git/HEAD", ""),
        ("p/requirements.txt", "-r more/base.txt\n"),
        ("p/more/base.txt", "transformers==5.2.0\n"),
        ("p/sub/a.yaml", ""),
        ("loose/b.yaml", ""),
    ]);
    assert_eq!(version_of(&folder, &["p/sub/a.yaml"], "p/sub/a.yaml"), "5.2.0 from p/more/base.txt at p/more/base.txt:1");
    assert_eq!(version_of(&folder, &["loose"], "loose/b.yaml"), "");
    let request = crate::Request { cwd: folder.path().join("p/sub"), ..folder.request(&["a.yaml"]) };
    let report = check(&request).expect("no error");
    let found = report.project.library(FileId(0), "transformers").expect("a version");
    assert_eq!((found.source.as_str(), found.version.to_string().as_str()), ("../more/base.txt", "5.2.0"));
}

#[test]
fn the_configuration_wins_then_locks_then_environments_then_ranges() {
    let folder = Folder::new(&[
        ("a.yaml", ""),
        ("requirements.txt", "transformers>=4.40\n"),
        (".venv/pyvenv.cfg", ""),
        (".venv/lib/python3.11/site-packages/transformers-4.45.0.dist-info/METADATA", ""),
    ]);
    assert_eq!(version_of(&folder, &[], "a.yaml"), "4.45.0 from .venv");
    folder.write("uv.lock", "[[package]]\nname = \"transformers\"\nversion = \"4.46.0\"\n");
    assert_eq!(version_of(&folder, &[], "a.yaml"), "4.46.0 from uv.lock at uv.lock:3");
    folder.write("Dockerfile", "RUN pip install transformers==4.47.0\n");
    assert_eq!(version_of(&folder, &[], "a.yaml"), "4.46.0 | 4.47.0 from uv.lock, Dockerfile at uv.lock:3");
    folder.write("vramlint.toml", "[versions]\ntransformers = \"5.23\"\n");
    assert_eq!(version_of(&folder, &[], "a.yaml"), "==5.23.* from vramlint.toml at vramlint.toml:2");
}

#[test]
fn a_workspace_lock_narrows_the_ranges_of_its_members() {
    let folder = Folder::new(&[
        ("uv.lock", "[[package]]\nname = \"transformers\"\nversion = \"4.46.0\"\n"),
        ("member/pyproject.toml", "[project]\ndependencies = [\"transformers>=4.40\"]\n"),
        ("member/a.yaml", ""),
        ("other/pyproject.toml", "[project]\ndependencies = [\"transformers>=5\"]\n"),
        ("other/b.yaml", ""),
    ]);
    assert_eq!(version_of(&folder, &[], "member/a.yaml"), "4.46.0 from uv.lock at uv.lock:3");
    assert_eq!(version_of(&folder, &[], "other/b.yaml"), ">=5 from other/pyproject.toml at other/pyproject.toml:2");
}

#[test]
fn what_is_broken_or_circular_is_passed_over() {
    let folder = Folder::new(&[
        ("a.yaml", ""),
        ("requirements.txt", "-r requirements.txt\n-r no/such.txt\n-r ../../../../../etc\n=== \n@@\ntransformers ==== 4\n"),
        ("pyproject.toml", "[project\n"),
        ("uv.lock/x", ""),
        ("environment.yml", ": : [\n"),
        ("venv/pyvenv.cfg", ""),
    ]);
    std::fs::write(folder.path().join("Pipfile.lock"), b"\xff\xfe\x00{").expect("written");
    assert_eq!(version_of(&folder, &[], "a.yaml"), "");
}

#[test]
fn scripts_that_serve_the_folder_above_install_for_it() {
    let folder = Folder::new(&[
        ("docker/Dockerfile", "RUN pip install transformers==4.47.0\n"),
        ("a.yaml", ""),
        ("ex/run.sh", "pip install transformers==5.0.0\n"),
        ("ex/b.yaml", ""),
    ]);
    assert_eq!(version_of(&folder, &[], "a.yaml"), "4.47.0 from docker/Dockerfile at docker/Dockerfile:1");
    assert_eq!(version_of(&folder, &[], "ex/b.yaml"), "5.0.0 from ex/run.sh at ex/run.sh:1");
}
