use super::*;

fn name(text: &str) -> Option<&'static str> {
    find(text).map(|gpu| gpu.name)
}

#[test]
fn names_as_people_write_them() {
    for (text, card) in [
        ("4090", "GeForce RTX 4090"),
        ("RTX 4090", "GeForce RTX 4090"),
        ("rtx4090", "GeForce RTX 4090"),
        ("RTX-4090 24GB", "GeForce RTX 4090"),
        ("NVIDIA GeForce RTX 4090", "GeForce RTX 4090"),
        ("GeForce RTX 4090 D", "GeForce RTX 4090 D"),
        ("4090D", "GeForce RTX 4090 D"),
        ("RTX 4090 Laptop", "GeForce RTX 4090 Laptop GPU"),
        ("3080ti", "GeForce RTX 3080 Ti"),
        ("RTX 4070 Ti Super", "GeForce RTX 4070 Ti SUPER"),
        ("4070tisuper", "GeForce RTX 4070 Ti SUPER"),
        ("NVIDIA GeForce RTX 4060 Laptop GPU", "GeForce RTX 4060 Laptop GPU"),
        ("RTX 4060 mobile", "GeForce RTX 4060 Laptop GPU"),
        ("4060 Ti 16GB", "GeForce RTX 4060 Ti 16GB"),
        ("RTX 3060", "GeForce RTX 3060 12GB"),
        ("A100 80G", "A100 80GB SXM"),
        ("A100-80GB", "A100 80GB SXM"),
        ("a100_80g", "A100 80GB SXM"),
        ("A100 80", "A100 80GB SXM"),
        ("A100-SXM4-40GB", "A100 40GB SXM"),
        ("NVIDIA A100-SXM4-80GB", "A100 80GB SXM"),
        ("NVIDIA A100 80GB PCIe", "A100 80GB PCIe"),
        ("A100 40 GB", "A100 40GB SXM"),
        ("H100", "H100 SXM 80GB"),
        ("H100 SXM5", "H100 SXM 80GB"),
        ("h100sxm", "H100 SXM 80GB"),
        ("NVIDIA H100 80GB HBM3", "H100 SXM 80GB"),
        ("H100 NVL", "H100 NVL 94GB"),
        ("H200", "H200 SXM"),
        ("GH200", "GH200 96GB"),
        ("NVIDIA GH200 480GB", "GH200 96GB"),
        ("T4", "Tesla T4"),
        ("Colab T4", "Tesla T4"),
        ("V100 32G", "Tesla V100 32GB"),
        ("Tesla V100-SXM2-16GB", "Tesla V100 16GB"),
        ("A6000", "RTX A6000"),
        ("RTX 6000 Ada", "RTX 6000 Ada Generation"),
        ("RTX PRO 6000", "RTX PRO 6000 Blackwell"),
        ("A10G", "A10G"),
        ("L40S", "L40S"),
        ("MI300X", "Instinct MI300X"),
        ("7900 XTX", "Radeon RX 7900 XTX"),
        ("Ascend 910B", "Ascend 910B (64 GB)"),
        ("910B4", "Ascend 910B4 (32 GB)"),
        ("RTX 4080 SUPER 32GB", "GeForce RTX 4080 SUPER 32GB (modified)"),
    ] {
        assert_eq!(name(text), Some(card), "{text}");
    }
}

#[test]
fn every_name_of_the_table_finds_its_card() {
    for gpu in all() {
        for name in std::iter::once(&gpu.name).chain(gpu.aliases) {
            let found = lookup(name).unwrap_or_else(|| panic!("{name}"));
            let same = match &found {
                Match::One(one) => one.memory_mib == gpu.memory_mib || gpu.is_modified(),
                Match::Ambiguous(several) => several.contains(&gpu) || gpu.is_modified(),
            };
            assert!(same, "{name}: {found:?}");
        }
    }
}

#[test]
fn a_name_that_does_not_tell_the_size_says_so() {
    let sizes = |text: &str| match lookup(text) {
        Some(Match::Ambiguous(gpus)) => gpus.iter().map(|gpu| gpu.memory_gib_nominal).collect(),
        _ => Vec::new(),
    };
    assert_eq!(sizes("A100"), [40, 40, 80, 80]);
    assert_eq!(sizes("NVIDIA A100"), [40, 40, 80, 80]);
    assert_eq!(sizes("V100"), [16, 32]);
    assert_eq!(sizes("RTX 3080"), [10, 12]);
    assert_eq!(sizes("NVIDIA GeForce RTX 5060 Ti"), [8, 16]);
    assert_eq!(sizes("RTX 6000"), [24, 48, 96]);
    assert_eq!(sizes("A100 40GB"), [0; 0]);
    assert_eq!(find("A100").map(|gpu| gpu.memory_mib), Some(40960));
}

#[test]
fn what_is_not_known_is_not_guessed() {
    for text in
        ["", "   ", "GPU", "RTX", "80GB", "NVIDIA", "RTX 4099", "RTX 4090 48GB", "Laptop", "Ti", "A1000", "100", "显卡", "5000"]
    {
        assert_ne!(name(text), Some("GeForce RTX 4090"), "{text}");
    }
    for text in ["", "GPU", "80GB", "RTX 4099", "RTX 4090 48GB", "Laptop", "A100 96GB", "H100 141GB", "显卡"] {
        assert_eq!(name(text), None, "{text}");
    }
}

#[test]
fn the_nearest_name() {
    assert_eq!(nearest("RTX 4090 48GB"), Some("GeForce RTX 4090"));
    assert_eq!(nearest("RTX 4900"), Some("GeForce RTX 4090"));
    assert_eq!(nearest("H10"), Some("H100 SXM 80GB"));
    assert_eq!(nearest("A100 96GB"), Some("A100 40GB SXM"));
    assert_eq!(nearest("toaster"), None);
    assert_eq!(nearest(""), None);
}

#[test]
fn capacity_is_what_the_driver_prints() {
    for (text, mib) in [("RTX 4090", 24564), ("A10", 23028), ("T4", 15360), ("H100", 81559), ("RTX 3090", 24576)] {
        assert_eq!(find(text).map(|gpu| gpu.memory_mib), Some(mib), "{text}");
    }
    for gpu in all() {
        let nominal = gpu.memory_gib_nominal * 1024;
        assert!(gpu.memory_mib * 100 >= nominal * 92 && gpu.memory_mib <= nominal * 102 / 100 + 400, "{}", gpu.name);
        assert!(!gpu.source.is_empty() && (gpu.vendor != "nvidia" || gpu.compute_capability.is_some()), "{}", gpu.name);
        assert!(gpu.memory() == gpu.memory_mib * 1024 * 1024);
    }
}

#[test]
fn speeds_are_peaks_of_dense_products() {
    let tera = |ops: Option<u64>| ops.map(|ops| ops / 1_000_000_000);
    let speeds = |name: &str| find(name).and_then(|gpu| gpu.speeds).expect("its speeds are known");
    let h100 = speeds("H100 SXM 80GB");
    assert_eq!((tera(h100.bf16), h100.memory, h100.links), (Some(989_400), Some(3_350_000_000_000), Some(450_000_000_000)));
    let rtx4090 = speeds("RTX 4090");
    assert_eq!(
        (tera(rtx4090.bf16), rtx4090.links),
        (Some(165_200), rtx4090.host),
        "half the rate of fp16 accumulation; no links"
    );
    assert_eq!(rtx4090.host, Some(31_507_692_304), "16 lanes of PCIe 4.0 in one direction");
    assert!(find("RTX 4090 Laptop").is_some_and(|gpu| gpu.speeds.is_none()), "no paper states those of laptops");
}

#[test]
fn speeds_agree_with_each_other() {
    let mut seen = 0;
    for gpu in all() {
        let Some(speeds) = gpu.speeds else { continue };
        seen += 1;
        let name = gpu.name;
        assert_eq!(speeds.bf16.is_some(), gpu.bf16, "{name} computes in bf16 or does not");
        assert!(!speeds.source.is_empty() && speeds.fp32.is_some() && speeds.fp16.is_some() && speeds.memory.is_some(), "{name}");
        if gpu.vendor == "nvidia" && gpu.bf16 {
            // Tensor cores since Ampere: bf16 as fast as fp16, TF32 half as fast.
            assert_eq!(speeds.bf16, speeds.fp16, "{name}");
            let (bf16, tf32) = (speeds.bf16.unwrap_or(0), speeds.tf32.unwrap_or(0));
            assert!(tf32.abs_diff(bf16 / 2) * 100 <= bf16, "{name}: TF32 {tf32}, bf16 {bf16}");
            assert!(speeds.tf32 >= speeds.fp32, "{name}");
        }
        assert!(gpu.vendor != "nvidia" || speeds.links.is_some(), "{name}");
    }
    assert!(seen > 60, "{seen} rows have speeds");
}
