use super::*;

#[test]
fn a_size_that_the_family_lacks() {
    for (id, meant, near) in [
        ("Qwen/Qwen3-1.8B", "Qwen/Qwen3-1.7B", true),
        ("qwen/qwen3-1.8b", "Qwen/Qwen3-1.7B", true),
        ("Qwen/Qwen3-1.8B-Instruct", "Qwen/Qwen3-1.7B", true),
        ("Qwen/Qwen3-7B", "Qwen/Qwen3-8B", true),
        ("Qwen/Qwen3-235B", "Qwen/Qwen3-235B-A22B", true),
        ("Qwen/Qwen3-72B", "Qwen/Qwen3-32B", false),
        ("Qwen/Qwen2.5-8B-Instruct", "Qwen/Qwen2.5-7B-Instruct", true),
        ("meta-llama/Llama-3.1-7B-Instruct", "meta-llama/Llama-3.1-8B-Instruct", true),
        ("meta-llama/Llama-3.2-8B", "meta-llama/Llama-3.2-11B", false),
        ("google/gemma-2-7b", "google/gemma-2-9b", false),
        ("google/gemma-3-2b-it", "google/gemma-3-1b-it", false),
        ("EleutherAI/pythia-7b", "EleutherAI/pythia-6.9b", true),
        ("mistralai/Mixtral-7x8B-v0.1", "mistralai/Mixtral-8x7B-v0.1", true),
    ] {
        let slip = slip(id).unwrap_or_else(|| panic!("{id}"));
        assert_eq!((slip.kind, slip.meant.as_str(), slip.near), (Kind::Size, meant, near), "{id}");
    }
}

#[test]
fn a_family_that_is_spelt_otherwise() {
    for (id, meant) in [
        ("meta-llama/Llama3-8B", "meta-llama/Meta-Llama-3-8B"),
        ("meta-llama/Llama3-8B-Instruct", "meta-llama/Meta-Llama-3-8B-Instruct"),
        ("meta-llama/Llama3.1-8B", "meta-llama/Llama-3.1-8B"),
        ("Qwen/Qwen-2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct"),
        ("google/gemma2-9b-it", "google/gemma-2-9b-it"),
    ] {
        let slip = slip(id).unwrap_or_else(|| panic!("{id}"));
        assert_eq!((slip.kind, slip.meant.as_str(), slip.near), (Kind::Spelling, meant, true), "{id}");
    }
}

#[test]
fn an_ending_that_the_family_lacks() {
    for (id, meant) in [
        ("Qwen/Qwen3-8B-Instruct", "Qwen/Qwen3-8B"),
        ("Qwen/Qwen3-1.7B-Chat", "Qwen/Qwen3-1.7B"),
        ("Qwen/Qwen3-4B-Instruct", "Qwen/Qwen3-4B-Instruct-2507"),
    ] {
        let slip = slip(id).unwrap_or_else(|| panic!("{id}"));
        assert_eq!((slip.kind, slip.meant.as_str()), (Kind::Ending, meant), "{id}");
    }
}

/// Names of models that are on the hub, of the organisations in the table and of others.
const REAL: &str = include_str!("real.txt");

#[test]
fn real_names_are_no_slips() {
    let ids: Vec<&str> = REAL.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(ids.len() >= 250, "{}", ids.len());
    let wrong: Vec<_> = ids.iter().filter_map(|id| Some((id, slip(id)?.meant))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_the_catalogue_knows_is_no_slip() {
    for model in models::all() {
        for id in std::iter::once(&model.id).chain(model.aliases) {
            assert!(slip(id).is_none(), "{id}");
        }
    }
}

#[test]
fn what_is_meant_is_no_slip_and_every_family_is_whole() {
    for family in all() {
        assert!(!family.source.is_empty() && family.sizes.iter().all(|size| number(size).is_some()), "{}", family.organisation);
        let stem = &family.stems[0];
        for size in &family.sizes {
            let id = format!("{}/{stem}-{size}", family.organisation);
            assert!(slip(&id).is_none(), "{id}");
        }
        let invented = format!("{}/{stem}-999B", family.organisation);
        let found = slip(&invented).unwrap_or_else(|| panic!("{invented}"));
        assert!(!found.near && slip(&found.meant).is_none(), "{invented}: {}", found.meant);
    }
}

#[test]
fn odd_texts_are_no_slips() {
    for id in [
        "",
        "/",
        "Qwen/",
        "/Qwen3-1.8B",
        "Qwen3-1.8B",
        "Qwen/Qwen3",
        "Qwen/-1.8B",
        "Qwen/Qwen3-B",
        "Qwen/Qwen3-..B",
        "千问/千问-1.8B",
        "Qwen/千问-é1.8B-",
        "a/b/c-7B",
    ] {
        assert!(slip(id).is_none(), "{id}");
    }
}
