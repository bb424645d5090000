//! Logs of several processes, wrapped, cut and coloured texts, and logs of any size.

mod common;

use common::{check, events, scan_in_pieces};
use vramlint_oom::Scanner;

const V2: &str = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 12.00 MiB. GPU 0 has a total capacity of 79.25 GiB of which 8.94 MiB is free. Including non-PyTorch memory, this process has 79.23 GiB memory in use. Of the allocated memory 77.59 GiB is allocated by PyTorch, and 17.18 MiB is reserved by PyTorch but unallocated.";
const V2_EVENT: &str = "exception=torch.OutOfMemoryError device=0 requested=12MiB total=79.25GiB free=8.94MiB allocated=77.59GiB unallocated=17.18MiB process=79.23GiB -> full";

#[test]
fn prefixes_name_the_rank() {
    for (prefix, ranks) in [
        ("[rank3]: ", " ranks=3"),
        ("[default2]:", " ranks=2"),
        ("5: ", " ranks=5"),
        ("[1,4]<stderr>:", " ranks=4"),
        ("(VllmWorker rank=1 pid=9) ", " ranks=1"),
        ("(WorkerDict pid=9, ip=10.0.0.2) ", ""),
        ("2026-01-01T00:00:00.1Z stderr F [rank7]: ", " ranks=7"),
        ("node-3: [rank0]: ", " ranks=0"),
        ("trainer-1  | ", ""),
        ("\u{1b}[31m[rank6]: ", " ranks=6"),
        ("| ", ""),
    ] {
        check(&format!("{prefix}{V2}\n"), &[&format!("cuda v2: line=1{ranks} {V2_EVENT}")]);
    }
}

#[test]
fn ranks_that_fail_alike_are_one_event() {
    let log: String = (0..4)
        .map(|rank| {
            format!(
                "[rank{rank}]: {}\n",
                V2.replace("GPU 0", &format!("GPU {rank}")).replace("77.59", &format!("77.{}", 50 + rank))
            )
        })
        .collect();
    let found = events(&log);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("ranks=0,1,2,3") && found[0].ends_with("-> full_on_every_rank"), "{found:#?}");
}

#[test]
fn ranks_that_fail_differently_are_several_events() {
    let other = V2.replace("GPU 0", "GPU 1").replace("Tried to allocate 12.00 MiB", "Tried to allocate 3.00 GiB");
    let found = events(&format!("[rank0]: {V2}\n[rank1]: {other}\n"));
    assert_eq!(found.len(), 2, "{found:#?}");
}

#[test]
fn a_message_repeated_by_a_chain_of_exceptions_is_one_event() {
    let log = format!("{V2}\n\nDuring handling of the above exception, another exception occurred:\n\n{V2}\n");
    let found = Scanner::scan(log.as_bytes()).events;
    assert_eq!((found.len(), found[0].messages), (1, 2));
}

#[test]
fn lines_of_other_ranks_may_stand_inside_a_wrapped_message() {
    let log = "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 12.00 MiB. GPU 0 has\n[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 1 has a total\n[rank0]:  a total capacity of 79.25 GiB of which 8.94 MiB is free. Of the allocated memory 77.59 GiB is allocated by PyTorch, and\n[rank1]:  capacity of 79.25 GiB of which 2.00 GiB is free. Of the allocated memory 76.00 GiB is allocated by PyTorch, and 1.00 MiB is\n[rank0]:  17.18 MiB is reserved by PyTorch but unallocated.\n[rank1]:  reserved by PyTorch but unallocated.\n";
    check(
        log,
        &[
            "cuda v2: line=1 ranks=0 exception=torch.OutOfMemoryError device=0 requested=12MiB total=79.25GiB free=8.94MiB allocated=77.59GiB unallocated=17.18MiB -> full",
            "cuda v2: line=2 ranks=1 exception=torch.OutOfMemoryError device=1 requested=3GiB total=79.25GiB free=2GiB allocated=76GiB unallocated=1MiB -> full",
        ],
    );
}

#[test]
fn a_terminal_wraps_a_message_anywhere() {
    for width in [40, 47, 64, 80, 100, 120] {
        let letters: Vec<char> = V2.chars().collect();
        let wrapped = letters.chunks(width).map(|line| line.iter().collect::<String>()).collect::<Vec<_>>().join("\n");
        let found = events(&wrapped);
        assert_eq!(found.len(), 1, "{width}: {found:#?}\n{wrapped}");
        let numbers = V2_EVENT.split_once(' ').expect("several words").1;
        assert!(found[0].ends_with(numbers), "{width}: {found:#?}\n{wrapped}");
    }
}

#[test]
fn a_frame_and_carriage_returns_change_nothing() {
    let framed = format!("╭──── Traceback ────╮\r\n│ {} │\r\n│ {} │\r\n╰────╯\r\n", &V2[..100], &V2[100..]);
    check(&framed, &[&format!("cuda v2: line=2 {V2_EVENT}")]);
    check(&format!(" 45%|████▌     | 10/22 [00:10<00:12,  1.00s/it]\r{V2}"), &[&format!("cuda v2: line=1 {V2_EVENT}")]);
}

#[test]
fn a_log_of_json_lines_is_read() {
    let json = format!("{{\"log\":\"Traceback\\n  File \\\"train.py\\\"\\n{V2}\\n\",\"stream\":\"stderr\"}}\n");
    check(&json, &[&format!("cuda v2: line=1 {V2_EVENT}")]);
}

#[test]
fn two_messages_may_share_a_line() {
    let other = V2.replace("GPU 0", "GPU 1").replace("12.00 MiB", "3.00 GiB");
    let found = events(&format!("{V2}{other}"));
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[1].contains("device=1 requested=3GiB"), "{found:#?}");
}

#[test]
fn a_message_may_be_cut_at_any_byte() {
    let start = V2.find("out of memory").expect("there") + "out of memory".len();
    for end in start..V2.len() {
        let found = events(&V2[..end]);
        assert_eq!(found.len(), 1, "{:?}: {found:#?}", &V2[..end]);
        assert!(found[0].starts_with("cuda "), "{found:#?}");
    }
    check(
        "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to",
        &["cuda cut: line=1 ranks=1 exception=torch.OutOfMemoryError -> unknown"],
    );
    check(
        "RuntimeError: CUDA out of memory. Tried to allocate 62.00 MiB (GPU 0; 12.00 GiB total capa",
        &["cuda cut: line=1 exception=RuntimeError device=0 requested=62MiB -> unknown"],
    );
}

#[test]
fn the_size_of_the_pieces_changes_nothing() {
    let noise = "step 17 | loss 1.234 | grad_norm 0.5 | lr 1e-5 | tokens/s 12345\n".repeat(9000);
    let log = format!("{noise}[rank0]: {V2}\n{noise}Killed\n{noise}RuntimeError: CUDA error: out of memory\n");
    let whole = Scanner::scan(log.as_bytes());
    assert_eq!(whole.lines, 27_003);
    assert_eq!(whole.events.iter().map(|event| event.line).collect::<Vec<_>>(), [9001, 18_002, 27_003]);
    for size in [1, 7, 4096, 65_537, 1 << 20] {
        assert_eq!(scan_in_pieces(log.as_bytes(), size), whole, "{size}");
    }
}

#[test]
fn a_failure_explains_the_kills_that_follow() {
    let log = format!(
        "[rank0]: {V2}\nE0307 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -9) local_rank: 1 (pid: 11) of binary: python3\n"
    );
    assert_eq!(events(&log).len(), 1);
}

#[test]
fn a_log_that_fails_forever_stays_small() {
    let log: String = (0..3000).map(|step| format!("RuntimeError: CUDA out of memory. Tried to allocate {step}.50 MiB (GPU 0; 12.00 GiB total capacity; 10.57 GiB already allocated; 0 bytes free; 10.71 GiB reserved in total by PyTorch)\n")).collect();
    let found = Scanner::scan(log.as_bytes());
    assert_eq!((found.events.len(), found.omitted), (1000, 2000));
}

#[test]
fn bytes_that_are_no_text_are_read_over() {
    let mut log = vec![0xff, 0xfe, b'\n', 0x80];
    log.extend_from_slice(b"\n");
    log.extend_from_slice(V2.as_bytes());
    let found = Scanner::scan(&log).events;
    assert_eq!((found.len(), found[0].line), (1, 3));
}

#[test]
fn a_traceback_tells_the_stage_and_the_files() {
    let log = format!(
        "loading\nTraceback (most recent call last):\n  File \"/home/me/project/train.py\", line 88, in <module>\n    trainer.train()\n  File \"/env/lib/python3.11/site-packages/transformers/trainer.py\", line 3000, in training_step\n    self.accelerator.backward(loss, **kwargs)\n{V2}\n"
    );
    let found = &Scanner::scan(log.as_bytes()).events[0];
    assert_eq!(found.context.stage, Some(vramlint_oom::Stage::Backward));
    assert_eq!(found.context.files, ["/home/me/project/train.py"]);
    let killed = "bash: line 1: 20417 Killed                  accelerate launch --config_file ds_z3_offload.yaml train.py\n";
    assert_eq!(Scanner::scan(killed.as_bytes()).events[0].context.files, ["ds_z3_offload.yaml", "train.py"]);
}
