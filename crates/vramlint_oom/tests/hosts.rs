//! Messages about processes that were killed, host memory, shared memory and engines.

mod common;

use common::check;

#[test]
fn one_kill_has_many_reporters() {
    check(
        "[ 1203.1] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=user.slice,mems_allowed=0,global_oom,task_memcg=/user.slice,task=python,pid=9911,uid=1000\n[ 1203.2] Out of memory: Killed process 9911 (python) total-vm:201326592kB, anon-rss:130023424kB, file-rss:0kB, shmem-rss:0kB, UID:1000\ntrain.sh: line 12:  9911 Killed                  python train.py\nmake: *** [train] Error 137",
        &["killed kernel_oom: line=1 pid=9911 process=python cgroup=false rss=130023424KiB -> host_oom_confirmed"],
    );
    check(
        "Out of memory: Kill process 77 (python3) score 912 or sacrifice child\nKilled process 77 (python3) total-vm:100kB, anon-rss:90kB, file-rss:1kB",
        &["killed kernel_oom: line=1 pid=77 process=python3 cgroup=false rss=90KiB -> host_oom_confirmed"],
    );
}

#[test]
fn a_shell_names_the_process_that_was_killed() {
    for (log, expected) in [
        (
            "bash: line 1: 20417 Killed                  accelerate launch train.py",
            "killed shell: line=1 pid=20417 -> host_oom_likely",
        ),
        ("train.sh: 第 3 行： 12345 已杀死               python train.py", "killed shell: line=1 pid=12345 -> host_oom_likely"),
        ("train.sh: 行 3: 12345 已杀死               python train.py", "killed shell: line=1 pid=12345 -> host_oom_likely"),
        ("Loading checkpoint shards:  33%|███▎      | 1/3\nKilled\n$ ", "killed shell: line=2 -> host_oom_likely"),
        ("[1]+  Killed                  nohup python train.py", "killed shell: line=1 -> host_oom_likely"),
        ("zsh: killed     python train.py", "killed shell: line=1 -> host_oom_likely"),
        ("##[error]Process completed with exit code 137.", "killed exit_status: line=1 exitcode=137 -> host_oom_likely"),
        ("command terminated with exit code 137", "killed exit_status: line=1 exitcode=137 -> host_oom_likely"),
    ] {
        check(log, &[expected]);
    }
}

#[test]
fn launchers_report_sigkill() {
    check(
        "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) local_rank: 3 (pid: 471) of binary: /usr/bin/python\nTraceback (most recent call last):\ntorch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n======================\ntrain.py FAILED\n----------------------\nFailures:\n[1]:\n  time      : 2026-01-01_00:00:00\n  host      : node7\n  rank      : 12 (local_rank: 4)\n  exitcode  : -15 (pid: 472)\n----------------------\nRoot Cause (first observed failure):\n[0]:\n  time      : 2026-01-01_00:00:00\n  host      : node7\n  rank      : 11 (local_rank: 3)\n  exitcode  : -9 (pid: 471)\n  error_file: <N/A>\n  traceback : Signal 9 (SIGKILL) received by PID 471\n======================",
        &["killed torchrun: line=1 ranks=11 pid=471 exitcode=-9 host=node7 -> host_oom_likely"],
    );
    check(
        "subprocess.CalledProcessError: Command '['python', 'train.py']' died with <Signals.SIGKILL: 9>.",
        &["killed called_process: line=1 exitcode=-9 -> host_oom_likely"],
    );
    check(
        "torch.multiprocessing.spawn.ProcessExitedException: process 2 terminated with signal SIGKILL",
        &["killed multiprocessing: line=1 ranks=2 exitcode=-9 -> host_oom_likely"],
    );
    check(
        "[INFO] [launch.py:318:sigkill_handler] Killing subprocess 80\n[INFO] [launch.py:318:sigkill_handler] Killing subprocess 81\n[ERROR] [launch.py:324:sigkill_handler] ['python3', '-u', 'train.py', '--local_rank=1'] exits with return code = -9",
        &["killed deepspeed_launcher: line=3 ranks=1 exitcode=-9 -> host_oom_likely"],
    );
    check(
        "RuntimeError: DataLoader worker (pid 46794) is killed by signal: Killed. ",
        &["killed dataloader_killed: line=1 pid=46794 -> host_oom_likely"],
    );
}

#[test]
fn batch_systems_and_containers_know_the_reason() {
    for (log, expected) in [
        (
            "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=191.batch cgroup. Some of your processes may have been killed by the cgroup out-of-memory handler.",
            "killed scheduler: line=1 cgroup=true -> host_oom_confirmed",
        ),
        (
            "slurmstepd: error: Detected 1 oom_kill event in StepId=440575.0. Some of the step tasks have been OOM Killed.\nsrun: error: nid001277: tasks 1-3: Out Of Memory\nsrun: Terminating StepId=440575.0",
            "killed scheduler: line=1 ranks=1,2,3 cgroup=true -> host_oom_confirmed",
        ),
        (
            "slurmstepd: error: Job 17 exceeded memory limit (67108864 > 62914560), being killed",
            "killed scheduler: line=1 limit=62914560KiB -> host_oom_confirmed",
        ),
        ("TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.", "killed scheduler: line=1 -> host_oom_confirmed"),
        (
            "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137",
            "killed container: line=2 exitcode=137 cgroup=true -> host_oom_confirmed",
        ),
        ("        \"OOMKilled\": true,", "killed container: line=1 cgroup=true -> host_oom_confirmed"),
        (
            "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.\nMemory on the node (IP: 172.31.69.247, ID: 5bf8) where the task was running was 54.86GB / 57.60GB (0.952354), which exceeds the memory usage threshold of 0.95. Ray killed this worker (ID: 0c7d) because it was the most recently scheduled task",
            "killed ray: line=1 exception=ray.exceptions.OutOfMemoryError limit=57.6GiB -> host_oom_confirmed",
        ),
        (
            "systemd-oomd[812]: Killed /user.slice/user-1000.slice/session-2.scope due to memory used (99%) and swap used (95%)",
            "killed daemon: line=1 -> host_oom_confirmed",
        ),
        (
            "earlyoom[600]: sending SIGTERM to process 4455 uid 1000 \"python\": badness 1200, VmRSS 60000 MiB",
            "killed daemon: line=1 pid=4455 -> host_oom_confirmed",
        ),
    ] {
        check(log, &[expected]);
    }
    check("        \"OOMKilled\": false,", &[]);
}

#[test]
fn host_allocations_name_their_size() {
    for (log, expected) in [
        (
            "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 137438953472 bytes. Error code 12 (Cannot allocate memory)",
            "host cpu_allocator: line=1 exception=RuntimeError requested=137438953472bytes -> host_oom_confirmed",
        ),
        (
            "RuntimeError: [enforce fail at C:\\alloc_cpu.cpp:72] data. DefaultCPUAllocator: not enough memory: you tried to allocate 90177536 bytes.",
            "host cpu_allocator: line=1 exception=RuntimeError requested=90177536bytes -> host_oom_confirmed",
        ),
        (
            "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 12.2 GiB for an array with shape (40, 40000000) and data type float64",
            "host numpy: line=1 exception=numpy.core._exceptions._ArrayMemoryError requested=12.2GiB -> host_oom_confirmed",
        ),
        ("  File \"x.py\", line 3\nMemoryError", "host memory_error: line=2 exception=MemoryError -> host_oom_confirmed"),
        ("OSError: [Errno 12] Cannot allocate memory", "host enomem: line=1 exception=OSError -> host_oom_confirmed"),
        (
            "OSError: [WinError 1455] 页面文件太小，无法完成操作。 Error loading \"torch_cuda.dll\" or one of its dependencies.",
            "host windows_page_file: line=1 exception=OSError -> host_oom_confirmed",
        ),
        (
            "OSError: The paging file is too small for this operation to complete. (os error 1455)",
            "host windows_page_file: line=1 exception=OSError -> host_oom_confirmed",
        ),
    ] {
        check(log, &[expected]);
    }
}

#[test]
fn shared_memory_of_a_container_is_small() {
    for (log, expected) in [
        (
            "RuntimeError: unable to write to file </torch_46794_1234_0>: No space left on device (28)",
            "shared_memory torch_shm: line=1 exception=RuntimeError -> shm_too_small",
        ),
        (
            "RuntimeError: unable to allocate shared memory(shm) for file </torch_17_1>: No space left on device (28)",
            "shared_memory torch_shm: line=1 exception=RuntimeError -> shm_too_small",
        ),
        (
            "ubuntu:9621:9691 [6] misc/shmutils.cc:71 NCCL WARN Error: failed to extend /dev/shm/nccl-fjwOOB to 5967876 bytes\nubuntu:9621:9691 [6] misc/shmutils.cc:112 NCCL WARN Error while creating shared memory segment /dev/shm/nccl-fjwOOB (size 5967872)",
            "shared_memory nccl_shm: line=1 requested=5967876bytes -> shm_too_small",
        ),
        (
            "[0]:\n  exitcode  : -7 (pid: 5)\nRoot Cause (first observed failure):\n[0]:\n  rank      : 2 (local_rank: 2)\n  exitcode  : -7 (pid: 15)\n  traceback : Signal 7 (SIGBUS) received by PID 15",
            "shared_memory torchrun_sigbus: line=6 ranks=2 pid=15 -> shm_too_small",
        ),
    ] {
        check(log, &[expected]);
    }
}

#[test]
fn engines_lack_a_share_or_a_cache() {
    for (log, expected) in [
        (
            "ValueError: Free memory on device cuda:0 (14.66/79.15 GiB) on startup is less than desired GPU memory utilization (0.3, 23.75 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.",
            "engine vllm_free_on_startup: line=1 exception=ValueError free=14.66GiB total=79.15GiB share=0.3 desired=23.75GiB -> colocation",
        ),
        (
            "(EngineCore_0 pid=17) ERROR 09-01 10:00:00 [core.py:700] ValueError: To serve at least one request with the models's max seq len (131072), (16.00 GiB KV cache is needed, which is larger than the available KV cache memory (12.13 GiB). Based on the available memory, the estimated maximum model length is 99328. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
            "engine vllm_cache_too_small: line=1 exception=ValueError tokens=131072 cache_tokens=99328 needed=16GiB available=12.13GiB -> cache_too_small",
        ),
        (
            "ValueError: The model's max seq len (32768) is larger than the maximum number of tokens that can be stored in KV cache (12416). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
            "engine vllm_cache_too_small: line=1 exception=ValueError tokens=32768 cache_tokens=12416 -> cache_too_small",
        ),
        (
            "AssertionError: Error in memory profiling. Initial free memory 33.2 GiB, current free memory 44.1 GiB. This happens when other processes sharing the same container release GPU memory while vLLM is profiling during initialization.",
            "engine vllm_profiling: line=1 exception=AssertionError -> colocation",
        ),
        (
            "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
            "engine sglang_not_enough: line=1 exception=RuntimeError -> utilization_too_low",
        ),
    ] {
        check(log, &[expected]);
    }
}

#[test]
fn mpirun_srun_pbs_and_notebooks_report_in_their_own_words() {
    for (log, expected) in [
        (
            "mpirun noticed that process rank 3 with PID 12345 on node gpu07 exited on signal 9 (Killed).",
            "killed mpi: line=1 ranks=3 pid=12345 host=gpu07 -> host_oom_likely",
        ),
        ("srun: error: gpu07: tasks 0-2: Killed", "killed shell: line=1 ranks=0,1,2 host=gpu07 -> host_oom_likely"),
        ("Command terminated by signal 9", "killed shell: line=1 -> host_oom_likely"),
        (
            "=>> PBS: job killed: mem 66000000kb exceeded limit 65536000kb",
            "killed scheduler: line=1 limit=65536000KiB -> host_oom_confirmed",
        ),
        (
            "The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi.",
            "killed container: line=1 cgroup=true -> host_oom_confirmed",
        ),
        (
            "Your session crashed after using all available RAM. View runtime logs",
            "killed container: line=1 cgroup=true -> host_oom_confirmed",
        ),
        (
            "Your notebook tried to allocate more memory than is available. It has restarted.",
            "killed container: line=1 cgroup=true -> host_oom_confirmed",
        ),
    ] {
        check(log, &[expected]);
    }
}

#[test]
fn an_allocation_of_cpp_and_a_file_in_shared_memory_fail_without_a_size() {
    let log = "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\nAborted (core dumped)";
    assert_eq!(common::events(log).len(), 1, "{:?}", common::events(log));
    check("RuntimeError: std::bad_alloc: out_of_memory: RMM failure", &[]);
    check(
        "OSError: [Errno 28] No space left on device: '/dev/shm/pym-1'",
        &["shared_memory torch_shm: line=1 exception=OSError -> shm_too_small"],
    );
    check("OSError: [Errno 28] No space left on device: '/data/checkpoint'", &[]);
}
