//! The thresholds that estimates hold over the traced records of this project.

#[path = "../src/bin/accuracy/measure.rs"]
mod measure;
#[path = "../src/bin/accuracy/published.rs"]
mod published;
#[path = "../src/bin/accuracy/report.rs"]
mod report;

use measure::{Measured, PARTS, Reading};
use report::Summary;
use std::path::PathBuf;
use std::sync::LazyLock;

fn records_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../vramlint_memory/tests/records")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(records_folder().join(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
}

static RECORDS: LazyLock<Vec<Measured>> = LazyLock::new(|| {
    let (records, unread) = measure::measure(&(text("own.jsonl") + "\n" + &text("shared.jsonl")), Reading::Family);
    // Two steps of Mamba: no figure stands for a state-space model.
    let undescribed = unread.iter().filter(|why| why.contains("estimates do not describe mamba, a state-space")).count();
    assert_eq!((unread.len(), undescribed), (2, 2), "records that describe no setup: {unread:?}");
    records
});

fn one_gpu() -> Summary {
    Summary::of(RECORDS.iter().filter(|record| !record.sharded))
}

fn several_gpus() -> Summary {
    Summary::of(RECORDS.iter().filter(|record| record.sharded))
}

/// Fails with the records that are farthest off.
fn at_most(what: &str, value: f64, limit: f64) {
    assert!(value <= limit, "{what}: {value:.3} % instead of at most {limit} %\n{}", report::worst(&RECORDS));
}

#[test]
fn there_are_as_many_records_as_the_files_say() {
    let single = RECORDS.iter().filter(|record| !record.sharded).count();
    assert!(single >= 620 && RECORDS.len() >= 692, "{single} of {}", RECORDS.len());
}

#[test]
fn tensors_of_one_gpu() {
    let tensors = one_gpu().tensors;
    at_most("median", tensors.median, 0.3);
    at_most("95 of 100", tensors.p95, 2.0);
    // The worst of the families that are described; what is read as the usual decoder has bounds, but no such promise.
    let described: Vec<&Measured> =
        RECORDS.iter().filter(|record| !record.sharded && record.label("architecture") == "known family").collect();
    assert!(described.len() > 560, "{} records", described.len());
    at_most("worst", Summary::of(described.into_iter()).tensors.worst, 5.0);
}

/// Encoders beyond BERT and its kin, and transformers that classify images.
#[test]
fn encoders_of_texts_and_images() {
    let families = ["albert", "mpnet", "ernie", "esm2", "deberta", "xlnet", "vit", "deit", "dinov2"];
    let of_family = |record: &&Measured| families.iter().any(|family| record.label("family").starts_with(family));
    let records: Vec<&Measured> = RECORDS.iter().filter(of_family).collect();
    assert!(records.len() >= 70, "{} records", records.len());
    let Summary { tensors, reserved, coverage, .. } = Summary::of(records.into_iter());
    at_most("median of tensors", tensors.median, 0.02);
    at_most("95 of 100 of tensors", tensors.p95, 0.5);
    at_most("worst of tensors", tensors.worst, 1.2);
    at_most("median of reserved", reserved.median, 0.3);
    assert!(coverage >= 98.0, "{coverage:.1} % held");
}

/// T5, BART, mBART, Pegasus, Marian and M2M100: an encoder and a decoder.
#[test]
fn encoders_with_decoders() {
    let (records, unread) = measure::measure(&text("seq2seq.jsonl"), Reading::Family);
    assert_eq!((records.len(), unread.len()), (29, 0), "{unread:?}");
    let Summary { tensors, reserved, coverage, .. } = Summary::of(records.iter());
    let by_positions = Summary::of(records.iter().filter(|record| record.label("family") != "t5"));
    let limits = [
        ("worst of tensors", tensors.worst, 1.0),
        ("worst of reserved", reserved.worst, 2.5),
        ("worst of tensors, by positions", by_positions.tensors.worst, 0.1),
        ("worst of reserved, by positions", by_positions.reserved.worst, 0.6),
    ];
    for (what, value, limit) in limits {
        assert!(value <= limit, "{what}: {value:.3} % instead of at most {limit} %\n{}", report::worst(&records));
    }
    assert!(coverage >= 100.0, "{coverage:.1} % held");
}

/// Scripts of TRL and accelerate, and scripts written as transformers' and PEFT's examples are, traced unchanged.
#[test]
fn scripts_that_ran_unchanged() {
    let (records, unread) = measure::measure(&text("scripts.jsonl"), Reading::Family);
    assert_eq!(unread, Vec::<String>::new(), "records that describe no setup");
    assert!(records.len() >= 46, "{} records", records.len());
    let tensors = Summary::of(records.iter()).tensors;
    at_most("median", tensors.median, 0.1);
    at_most("worst", tensors.worst, 2.0);
}

/// The fullest GPU of a model that `device_map="auto"` spreads over several.
#[test]
fn models_that_device_map_spreads() {
    let (records, unread) = measure::measure(&text("device_map.jsonl"), Reading::Family);
    assert_eq!(unread, Vec::<String>::new(), "records that describe no setup");
    assert!(records.len() >= 28, "{} records", records.len());
    let Summary { tensors, reserved, coverage, .. } = Summary::of(records.iter());
    at_most("median of tensors", tensors.median, 0.1);
    at_most("worst of tensors", tensors.worst, 1.0);
    at_most("worst of reserved", reserved.worst, 5.0);
    assert!(coverage >= 99.0, "bounds hold for {coverage:.1} %");
}

#[test]
fn reserved_of_one_gpu() {
    let reserved = one_gpu().reserved;
    at_most("median", reserved.median, 2.5);
    at_most("95 of 100", reserved.p95, 8.0);
}

#[test]
fn tensors_of_several_gpus() {
    let tensors = several_gpus().tensors;
    at_most("median", tensors.median, 2.0);
    at_most("95 of 100", tensors.p95, 8.0);
}

#[test]
fn every_part() {
    for (kind, summary) in [("one GPU", one_gpu()), ("several GPUs", several_gpus())] {
        for (part, name) in PARTS.iter().enumerate() {
            at_most(&format!("{name}, {kind}"), summary.parts[part], 3.0);
        }
    }
}

#[test]
fn bounds_hold_what_was_reserved_and_are_narrow() {
    for (kind, summary) in [("one GPU", one_gpu()), ("several GPUs", several_gpus()), ("all", Summary::of(RECORDS.iter()))] {
        assert!(summary.coverage >= 98.0, "{kind}: {:.1} % held\n{}", summary.coverage, report::worst(&RECORDS));
        at_most(&format!("width, {kind}"), summary.width, 12.0);
    }
}

/// Where less is known, the bounds are wider and hold 95 of 100 of each class: decoders read as if nobody had described their family.
#[test]
fn bounds_hold_where_the_family_is_not_known() {
    let text = text("own.jsonl") + "\n" + &text("shared.jsonl");
    let (unknown, unread) = measure::measure(&text, Reading::Unknown);
    let (counted, _) = measure::measure(&text, Reading::Count);
    let class = |records: &[Measured], of: fn(&Measured) -> bool| Summary::of(records.iter().filter(|record| of(record)));
    for (what, summary) in [
        ("keys of a config", class(&unknown, report::usual)),
        ("keys of a config, experts", class(&unknown, report::with_experts)),
        ("a count of parameters", class(&counted, report::usual)),
    ] {
        assert!(summary.coverage >= 95.0, "{what}: {:.1} % of {}", summary.coverage, summary.tensors.count);
    }
    // No decoder is trained to guess masked words: encoders of an unknown family get no figure.
    let encoders =
        unread.iter().filter(|why| why.contains("the task trains an encoder, and estimates know unlisted as a decoder")).count();
    assert!(encoders >= 20, "{encoders} of {unread:?}");
}

/// Our words in Chinese, for the tables of the other document.
const CHINESE: &[(&str, &str)] = &[
    (
        "| | records | tensors: median | 95 of 100 | worst | reserved: median | 95 of 100 | worst | coverage | width |",
        "| | 记录数 | 张量误差：中位数 | 第 95 百分位 | 最大 | 保留误差：中位数 | 第 95 百分位 | 最大 | 覆盖率 | 宽度 |",
    ),
    (
        "| part | median error in percent of the peak: one GPU | several GPUs |",
        "| 部分 | 误差中位数，占峰值的百分比：单卡 | 多卡 |",
    ),
    ("| figure | setup | GPU | measured | predicted | error |", "| 编号 | 配置 | GPU | 实测 | 预测 | 误差 |"),
    ("| one GPU |", "| 单卡 |"),
    ("| several GPUs |", "| 多卡 |"),
    ("| all |", "| 全部 |"),
    ("| weights |", "| 权重 |"),
    ("| gradients |", "| 梯度 |"),
    ("| optimizer |", "| 优化器状态 |"),
    ("| activations and buffers |", "| 激活值与缓冲区 |"),
    ("| logits |", "| logits |"),
    ("| other |", "| 其他 |"),
    ("| not stated |", "| 未说明 |"),
    ("| not stated (A100 80GB class) |", "| 未说明（A100 80GB 级别） |"),
    ("Median error ", "误差中位数 "),
    (" % over ", " %，共 "),
    (" figures.", " 条。"),
];

fn between(text: &str, name: &str, table: &str) -> String {
    let (open, close) = (format!("<!-- {name} -->"), format!("<!-- /{name} -->"));
    let (before, rest) = text.split_once(&open).unwrap_or_else(|| panic!("{open} is missing"));
    let (_, after) = rest.split_once(&close).unwrap_or_else(|| panic!("{close} is missing"));
    format!("{before}{open}\n{}\n{close}{after}", table.trim_end())
}

/// `UPDATE_DOCS=1 cargo test -p vramlint_estimate --test accuracy` writes them.
#[test]
fn documents_quote_the_figures() {
    let figures =
        published::compare(&text("published.jsonl"), &text("published_setups.jsonl")).expect("figures and setups agree");
    let (overview, published) = (report::overview(&RECORDS), published::table(&figures));
    for (name, chinese) in [("memory.md", false), ("memory.zh.md", true)] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
        let written = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{name}: {why}")).replace("\r\n", "\n");
        let words = |table: &str| {
            let pairs = if chinese { CHINESE } else { &[] };
            pairs.iter().fold(table.to_owned(), |text, (en, zh)| text.replace(en, zh))
        };
        let now = between(&between(&written, "overview", &words(&overview)), "published", &words(&published));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, now).expect("writable");
        } else {
            assert_eq!(written, now, "{name}: UPDATE_DOCS=1 writes it");
        }
    }
}

/// Figures that were measured on GPUs are met at the median.
#[test]
fn published_figures() {
    let figures =
        published::compare(&text("published.jsonl"), &text("published_setups.jsonl")).expect("figures and setups agree");
    let errors = report::Spread::of(figures.iter().map(|figure| measure::error(figure.bytes)));
    assert!(errors.count >= 16 && errors.median <= 5.0, "{errors:?}");
}
