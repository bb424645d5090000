//! Ranks, ranges and folders.

use super::files::{ManifestKind, read_mentions};
use super::*;
use std::str::FromStr;

fn evidence(library: &str, mentioned: &[(EvidenceRank, &str)]) -> VersionEvidence {
    let candidates = mentioned.iter().map(|(rank, text)| VersionCandidate {
        version: VersionSpec::from_specifiers(text).expect("specifiers"),
        rank: *rank,
        place: None,
        source: format!("{rank:?}"),
    });
    VersionEvidence::new(library, candidates.collect()).expect("something")
}

fn range(text: &str, span: VersionRange) -> RangeMatch {
    evidence(span.library, &[(EvidenceRank::Range, text)]).matches(&span)
}

#[test]
fn ranges_are_compared_with_the_releases_there_are() {
    let five = VersionRange::since("transformers", "5.0");
    assert_eq!(range("<5", five), RangeMatch::Never);
    assert_eq!(range(">=5.1", five), RangeMatch::Always);
    assert_eq!(range(">=4.40", five), RangeMatch::Sometimes);
    assert_eq!(range("", five), RangeMatch::Sometimes);
    assert_eq!(range("~=4.44.0", five), RangeMatch::Never);
    assert_eq!(range("==5.23.*", five), RangeMatch::Always);
    assert_eq!(range(">=4.57.6,!=5.0.0", VersionRange::since("transformers", "4.50")), RangeMatch::Always);
    // 4.57 is the last line of 4: nothing lies between it and 5.
    assert_eq!(range("<5", VersionRange::until("transformers", "4.58")), RangeMatch::Always);
    assert_eq!(range(">=4.58,<5", five), RangeMatch::Sometimes, "no release fits: nothing is known");
    assert_eq!(range(">=5.23", VersionRange::until("transformers", "5.23")), RangeMatch::Never);
    // Old releases count only where nothing newer is allowed.
    assert_eq!(range("<4.31", VersionRange::since("transformers", "4.30")), RangeMatch::Always);
    assert_eq!(range("<4.20", VersionRange::since("transformers", "4.10")), RangeMatch::Sometimes);
    // Libraries without a list of releases.
    assert_eq!(range(">=2", VersionRange::since("wandb", "1")), RangeMatch::Sometimes);
}

#[test]
fn exact_versions_decide_and_builds_between_releases_do_not() {
    let span = VersionRange::since("transformers", "4.45");
    let exact = |text: &str| evidence("transformers", &[(EvidenceRank::Exact, text)]).matches(&span);
    assert_eq!(exact("==4.45.0"), RangeMatch::Always);
    assert_eq!(exact("==4.44.2"), RangeMatch::Never);
    assert_eq!(exact("==4.45.0.dev0"), RangeMatch::Sometimes);
    assert_eq!(exact("==4.46.0rc1"), RangeMatch::Always);
    // 4.46.0 was withdrawn: whether it has what 4.46.1 is the first to be known for is not recorded.
    let withdrawn = |span: VersionRange| evidence("transformers", &[(EvidenceRank::Exact, "==4.46.0")]).matches(&span);
    assert_eq!(withdrawn(VersionRange::since("transformers", "4.46.1")), RangeMatch::Sometimes);
    assert_eq!(withdrawn(span), RangeMatch::Always);
    assert_eq!(withdrawn(VersionRange::since("transformers", "4.47")), RangeMatch::Never);
    assert_eq!(
        evidence("torch", &[(EvidenceRank::Exact, "==2.1.0+cu118")]).matches(&VersionRange::until("torch", "2.1.0")),
        RangeMatch::Never
    );
}

#[test]
fn ranks_decide_and_contradictions_leave_what_both_allow() {
    let five = VersionRange::since("transformers", "5.0");
    let both = evidence(
        "transformers",
        &[(EvidenceRank::Range, ">=4"), (EvidenceRank::Installed, "==5.1.0"), (EvidenceRank::Exact, "==4.44.0")],
    );
    assert_eq!((both.matches(&five), both.source.as_str()), (RangeMatch::Never, "Exact"));
    let declared = evidence("transformers", &[(EvidenceRank::Exact, "==4.44.0"), (EvidenceRank::Declared, "==5.1.0")]);
    assert_eq!(declared.matches(&five), RangeMatch::Always);
    let apart = evidence("transformers", &[(EvidenceRank::Exact, "==4.44.0"), (EvidenceRank::Exact, "==5.1.0")]);
    assert_eq!(apart.matches(&five), RangeMatch::Sometimes);
    assert_eq!(apart.matches(&VersionRange::since("transformers", "4.40")), RangeMatch::Always);
    assert_eq!(apart.version.to_string(), "4.44.0 | 5.1.0");
    // An environment that the ranges refuse is an old one.
    let stale = evidence("transformers", &[(EvidenceRank::Installed, "==4.44.0"), (EvidenceRank::Range, ">=5")]);
    assert_eq!(stale.matches(&five), RangeMatch::Sometimes);
    let fits = evidence("transformers", &[(EvidenceRank::Installed, "==5.1.0"), (EvidenceRank::Range, ">=4")]);
    assert_eq!(fits.matches(&five), RangeMatch::Always);
    assert_eq!(fits.candidates.len(), 2);
}

#[test]
fn nothing_known_is_the_span_of_what_is_supported() {
    assert_eq!(VersionRange::since("transformers", "4.20").match_unknown(), RangeMatch::Always);
    assert_eq!(VersionRange::since("transformers", "4.50").match_unknown(), RangeMatch::Sometimes);
    assert_eq!(VersionRange::until("transformers", "4.20").match_unknown(), RangeMatch::Never);
    assert_eq!(VersionRange::until("transformers", "9.0").match_unknown(), RangeMatch::Sometimes);
    assert_eq!(VersionRange::since("nothing", "1").match_unknown(), RangeMatch::Sometimes);
}

#[test]
fn folders_govern_what_lies_below() {
    let governs = |root: &str, path: &str| FolderLibraries { root: root.into(), ..FolderLibraries::default() }.governs(path);
    assert!(governs("", "a/b.yaml") && governs("", "b.yaml") && !governs("", "../b.yaml") && !governs("", "/b.yaml"));
    assert!(governs("a", "a/b.yaml") && !governs("a", "ab/c.yaml") && !governs("a", "b.yaml"));
    assert!(governs("..", "a.yaml") && governs("..", "../x/a.yaml") && !governs("..", "../../a.yaml"));
    assert!(governs("../a", "../a/x.yaml") && !governs("../a", "x.yaml"));
    let depth = |root: &str| FolderLibraries { root: root.into(), ..FolderLibraries::default() }.depth();
    assert!(depth("../..") < depth("..") && depth("..") < depth("") && depth("") < depth("a") && depth("a") < depth("a/b"));
    assert!(depth("..") < depth("../a"));
}

#[test]
fn notations_of_tools() {
    let poetry = |text: &str| VersionSpec::from_poetry(text).expect("read").to_string();
    assert_eq!(poetry("^4.40"), ">=4.40,<5");
    assert_eq!(poetry("^0.9.1"), ">=0.9.1,<0.10");
    assert_eq!(poetry("~4.40.1"), ">=4.40.1,<4.41");
    assert_eq!(poetry("~=4.40"), "~=4.40");
    assert_eq!(poetry("4.44.0"), "4.44.0");
    assert_eq!(poetry("4.*"), "==4.*");
    assert_eq!(poetry("*"), "*");
    assert_eq!(poetry(">= 4.40, < 5"), ">=4.40,<5");
    assert_eq!(poetry("^4.40 || 5.1.0"), ">=4.40,<5 | 5.1.0");
    let conda = |text: &str| VersionSpec::from_conda(text).expect("read").to_string();
    assert_eq!(conda("=2.1"), "==2.1.*");
    assert_eq!(conda("==2.1.0"), "2.1.0");
    assert_eq!(conda("=2.1.0=py3.10_cuda11.8_0"), "2.1.0");
    assert_eq!(conda(">=4.40,<5"), ">=4.40,<5");
    assert_eq!(conda(" 2.1.*"), "==2.1.*");
    assert_eq!(conda(""), "*");
    let own = |text: &str| VersionSpec::parse_declared(text).map(|known| known.to_string());
    assert_eq!(own("5.23").as_deref(), Some("==5.23.*"));
    assert_eq!(own("4.44.2").as_deref(), Some("4.44.2"));
    assert_eq!(own("4.44.*").as_deref(), Some("==4.44.*"));
    assert_eq!(own(">=4.40,<5").as_deref(), Some(">=4.40,<5"));
    assert_eq!((own("newest"), own("")), (None, None));
}

#[test]
fn every_cut_of_every_file_is_survived() {
    let files = [
        (
            ManifestKind::Requirements,
            "-r a.txt\ntransformers[torch]==4.44.0 ; python_version>'3' --hash=sha256:x \\\n  --hash=y\n-e git+https://x/transformers.git@v4.44.0#egg=transformers\n",
        ),
        (
            ManifestKind::Pyproject,
            "[project]\ndependencies = [\"torch>=2\"]\n[tool.poetry.dependencies]\ntrl = {version = \"^0.9\"}\n",
        ),
        (ManifestKind::Lock, "[[package]]\nname = \"torch\"\nversion = \"2.1.0\"\n"),
        (ManifestKind::PipfileLock, "{\"default\": {\"torch\": {\"version\": \"==2.1.0\"}}}"),
        (ManifestKind::Conda, "dependencies:\n  - pytorch=2.1\n  - pip:\n    - trl==0.9.6\n"),
        (ManifestKind::SetupCfg, "[options]\ninstall_requires =\n    torch>=2\n"),
        (ManifestKind::SetupPy, "setup(install_requires=[\"torch>=2\", f\"x=={v}\"])\n"),
        (ManifestKind::Pipfile, "[packages]\ntorch = \"~=2.1\"\n"),
    ];
    for (form, text) in files {
        for end in 0..=text.len() {
            for mention in read_mentions(form, &text[..end]) {
                assert!(mention.range.end as usize <= end, "{form:?} {end}");
            }
        }
        assert!(!read_mentions(form, text).is_empty(), "{form:?}");
    }
    assert!(Version::from_str("1").is_ok());
}
