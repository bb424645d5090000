//! What each source tells.

use vramlint_measured::{Measured, Source, read, read_wandb};

const GIB: u64 = 1 << 30;

/// Three steps of `AdamW` over six linear layers, recorded by torch 2.15; the figures are `torch.cuda.max_memory_allocated` and
/// `torch.cuda.max_memory_reserved` of the same process.
#[test]
fn a_snapshot_gives_the_peaks_of_its_history() {
    let found = read(include_bytes!("data/adamw_steps.pickle")).expect("a snapshot");
    assert_eq!(
        found,
        Measured { source: Source::Snapshot, tensors: Some(126_208_000), reserved: Some(130_023_424), process: None }
    );
}

/// The source, tensors, reserved and process bytes.
type Told = (Source, Option<u64>, Option<u64>, Option<u64>);

fn told(text: &str) -> Option<Told> {
    read(text.as_bytes()).map(|found| (found.source, found.tensors, found.reserved, found.process))
}

#[test]
fn a_state_of_the_trainer_gives_what_it_logged() {
    let state = r#"{"log_history": [{"loss": 1.0, "memory(GiB)": 10.5}, {"memory(GiB)": 12}, {"eval_loss": 2}]}"#;
    assert_eq!(told(state), Some((Source::TrainerState, None, Some(12 * GIB), None)));
    let results = r#"{"before_init_mem_gpu": 0, "init_mem_gpu_alloc_delta": 1000, "train_mem_gpu_alloc_delta": 2000, "train_mem_gpu_peaked_delta": 500}"#;
    assert_eq!(told(results), Some((Source::TrainerState, Some(3500), None, None)));
    assert_eq!(told(r#"{"log_history": [{"loss": 1.0}]}"#), None);
}

#[test]
fn a_log_gives_what_it_prints() {
    for (log, tensors, reserved) in [
        ("[INFO] MA 1.0 GB         Max_MA 11.5 GB         CA 2 GB         Max_CA 12 GB", Some(23 * GIB / 2), Some(12 * GIB)),
        ("Peak reserved memory = 5.5 GB.", None, Some(11 * GIB / 2)),
        ("max_memory_allocated: 1073741824", Some(GIB), None),
        ("torch.cuda.max_memory_reserved() = 2.5 GiB", None, Some(5 * GIB / 2)),
        ("{'loss': 1.0, 'memory(GiB)': 8.25}", None, Some(33 * GIB / 4)),
        ("Step 3 | loss:1.0 peak_memory_alloc:4.0 peak_memory_reserved:5.0", Some(4 * GIB), Some(5 * GIB)),
    ] {
        assert_eq!(told(log), Some((Source::Log, tensors, reserved, None)), "{log}");
    }
    assert_eq!(told("loss 1.0\nout of memory\n"), None);
}

#[test]
fn a_recording_gives_the_highest_process() {
    let line = |used: u64| {
        format!(
            "{{\"time\": 1.0, \"gpus\": [{{\"index\": 0, \"memory\": {{\"used\": 9}}, \"processes\": [{{\"pid\": 1, \"memory\": {used}}}]}}]}}\n"
        )
    };
    assert_eq!(told(&format!("{}{}", line(5), line(7))), Some((Source::Recording, None, None, Some(7))));
}

#[test]
fn a_folder_of_weights_and_biases_gives_summary_and_system_metrics() {
    let files: [(&str, &[u8]); 3] = [
        ("files/wandb-summary.json", br#"{"memory/max_allocated (GiB)": 3.0, "memory/device_reserved (GiB)": 4.0}"#),
        (
            "files/wandb-events.jsonl",
            b"{\"system.gpu.0.memoryAllocatedBytes\": 5000000000}\n{\"system.gpu.0.memoryAllocatedBytes\": 6000000000.0}\n",
        ),
        ("run-x.wandb", b"\x0a\x1agpu.0.memoryAllocatedBytes\x82\x01\x0a7000000000\xff"),
    ];
    let found = read_wandb(files).expect("a run");
    assert_eq!((found.tensors, found.reserved, found.process), (Some(3 * GIB), Some(4 * GIB), Some(7_000_000_000)));
}

#[test]
fn bytes_that_are_nothing_give_nothing() {
    for bytes in [&b""[..], b"\x80\x04\x95", b"\x80\x04K\x01.", b"{}", b"[]", b"\xff\xfe\x00", b"{\"gpus\": []}"] {
        assert_eq!(read(bytes), None, "{bytes:?}");
    }
}
