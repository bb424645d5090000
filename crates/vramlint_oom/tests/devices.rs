//! Messages of the allocators of PyTorch, of its ports, of drivers and of libraries.

mod common;

use common::check;

#[test]
fn pytorch_before_1_4_prints_what_is_cached_but_free() {
    check(
        "RuntimeError: CUDA out of memory. Tried to allocate 32.00 MiB (GPU 0; 7.79 GiB total capacity; 6.64 GiB already allocated; 21.00 MiB free; 150.86 MiB cached)",
        &[
            "cuda legacy: line=1 exception=RuntimeError device=0 requested=32MiB total=7.79GiB free=21MiB allocated=6.64GiB unallocated=150.86MiB -> full",
        ],
    );
}

#[test]
fn a_source_line_behind_the_message_changes_nothing() {
    check(
        "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 3; 10.92 GiB total capacity; 9.80 GiB already allocated; 11.38 MiB free; 3.52 MiB cached) (malloc at /pytorch/c10/cuda/CUDACachingAllocator.cpp:289)\nframe #0: c10::Error::Error",
        &[
            "cuda legacy: line=1 exception=RuntimeError device=3 requested=20MiB total=10.92GiB free=11.38MiB allocated=9.8GiB unallocated=3.52MiB -> full",
        ],
    );
}

#[test]
fn a_cap_of_the_process_is_named() {
    check(
        "RuntimeError: CUDA out of memory. Tried to allocate 512.00 MiB (GPU 0; 23.70 GiB total capacity; 11.40 GiB already allocated; 11.20 GiB free; 11.85 GiB allowed; 11.62 GiB reserved in total by PyTorch)",
        &[
            "cuda legacy: line=1 exception=RuntimeError device=0 requested=512MiB total=23.7GiB free=11.2GiB allocated=11.4GiB reserved=11.62GiB allowed=11.85GiB -> cap",
        ],
    );
    check(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.25 GiB of which 38.10 GiB is free. Including non-PyTorch memory, this process has 40.10 GiB memory in use. 39.62 GiB allowed; Of the allocated memory 38.50 GiB is allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.",
        &[
            "cuda v2: line=1 exception=torch.OutOfMemoryError device=0 requested=2GiB total=79.25GiB free=38.1GiB allocated=38.5GiB unallocated=512MiB process=40.1GiB allowed=39.62GiB hint=expandable_segments -> cap",
        ],
    );
}

#[test]
fn private_pools_of_cuda_graphs_are_part_of_what_is_allocated() {
    check(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 256.00 MiB. GPU 0 has a total capacity of 23.64 GiB of which 101.19 MiB is free. Including non-PyTorch memory, this process has 23.52 GiB memory in use. Of the allocated memory 22.80 GiB is allocated by PyTorch, with 1.21 GiB allocated in private pools (e.g., CUDA Graphs), and 88.40 MiB is reserved by PyTorch but unallocated.",
        &[
            "cuda v2: line=1 exception=torch.OutOfMemoryError device=0 requested=256MiB total=23.64GiB free=101.19MiB allocated=22.8GiB unallocated=88.4MiB process=23.52GiB pools=1.21GiB -> full",
        ],
    );
}

#[test]
fn a_process_of_a_container_may_be_listed_by_the_identifier_of_the_host() {
    check(
        "CUDA out of memory. Tried to allocate 35.60 GiB. GPU 0 has a total capacity of 79.33 GiB of which 26.16 GiB is free. Process 76883 has 53.16 GiB memory in use. Of the allocated memory 11.97 GiB is allocated by PyTorch, and 40.69 GiB is reserved by PyTorch but unallocated.",
        &[
            "cuda v2: line=1 device=0 requested=35.6GiB total=79.33GiB free=26.16GiB allocated=11.97GiB unallocated=40.69GiB other=76883:53.16GiB -> fragmentation",
        ],
    );
    check(
        "CUDA out of memory. Tried to allocate 448.00 MiB. GPU 0 has a total capacity of 79.15 GiB of which 240.19 MiB is free. Process 76883 has 78.90 GiB memory in use. Of the allocated memory 77.92 GiB is allocated by PyTorch, and 120.61 MiB is reserved by PyTorch but unallocated.",
        &[
            "cuda v2: line=1 device=0 requested=448MiB total=79.15GiB free=240.19MiB allocated=77.92GiB unallocated=120.61MiB other=76883:78.9GiB -> full",
        ],
    );
}

#[test]
fn what_a_container_cannot_see_is_still_another_process() {
    check(
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.16 GiB. GPU 0 has a total capacty of 39.39 GiB of which 643.06 MiB is free. Including non-PyTorch memory, this process has 17.02 GiB memory in use. Of the allocated memory 16.10 GiB is allocated by PyTorch, and 403.51 MiB is reserved by PyTorch but unallocated.",
        &[
            "cuda v2: line=1 exception=torch.cuda.OutOfMemoryError device=0 requested=1.16GiB total=39.39GiB free=643.06MiB allocated=16.1GiB unallocated=403.51MiB process=17.02GiB -> other_process",
        ],
    );
    check(
        "RuntimeError: CUDA out of memory. Tried to allocate 130.00 MiB (GPU 1; 23.69 GiB total capacity; 5.91 GiB already allocated; 33.56 MiB free; 6.09 GiB reserved in total by PyTorch)",
        &[
            "cuda legacy: line=1 exception=RuntimeError device=1 requested=130MiB total=23.69GiB free=33.56MiB allocated=5.91GiB reserved=6.09GiB -> other_process",
        ],
    );
}

#[test]
fn one_request_can_be_larger_than_the_card() {
    check(
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 55.57 GiB. GPU 0 has a total capacty of 12.00 GiB of which 9.02 GiB is free. Of the allocated memory 984.52 MiB is allocated by PyTorch, and 463.48 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF",
        &[
            "cuda v2: line=1 exception=torch.cuda.OutOfMemoryError device=0 requested=55.57GiB total=12GiB free=9.02GiB allocated=984.52MiB unallocated=463.48MiB hint=max_split_size_mb -> larger_than_device",
        ],
    );
}

#[test]
fn tensors_beyond_the_card_lie_in_system_memory() {
    check(
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.73 GiB (GPU 0; 8.00 GiB total capacity; 17.20 GiB already allocated; 0 bytes free; 19.15 GiB reserved in total by PyTorch)",
        &[
            "cuda legacy: line=1 exception=torch.cuda.OutOfMemoryError device=0 requested=1.73GiB total=8GiB free=0bytes allocated=17.2GiB reserved=19.15GiB -> system_memory_fallback",
        ],
    );
}

#[test]
fn other_backends_have_the_same_forms() {
    check(
        "RuntimeError: HIP out of memory. Tried to allocate 2.00 GiB (GPU 0; 15.98 GiB total capacity; 13.51 GiB already allocated; 1.41 GiB free; 14.50 GiB reserved in total by PyTorch)",
        &[
            "hip legacy: line=1 exception=RuntimeError device=0 requested=2GiB total=15.98GiB free=1.41GiB allocated=13.51GiB reserved=14.5GiB -> full",
        ],
    );
    check(
        "torch.OutOfMemoryError: NPU out of memory. Tried to allocate 72.00 MiB (NPU 0; 61.27 GiB total capacity; 56.05 GiB already allocated; 56.05 GiB current active; 5.04 MiB free; 58.39 GiB reserved in total by PyTorch).If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.",
        &[
            "npu legacy_npu: line=1 exception=torch.OutOfMemoryError device=0 requested=72MiB total=61.27GiB free=5.04MiB allocated=56.05GiB active=56.05GiB reserved=58.39GiB hint=max_split_size_mb -> fragmentation",
        ],
    );
    check(
        "RuntimeError: NPU out of memory. NPUWorkspaceAllocator tried to allocate 3.50 GiB(NPU 5; 60.97 GiB total capacity; 1.20 GiB already allocated; 59.70 MiB free.)",
        &[
            "npu legacy_npu: line=1 exception=RuntimeError device=5 requested=3.5GiB total=60.97GiB free=59.7MiB allocated=1.2GiB -> full",
        ],
    );
    check(
        "torch.OutOfMemoryError: XPU out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 15.56 GiB. Of the allocated memory 13.41 GiB is allocated by PyTorch, and 702.00 MiB is reserved by PyTorch but unallocated. Please use `empty_cache` to release all unoccupied cached memory.",
        &[
            "xpu v2: line=1 exception=torch.OutOfMemoryError device=0 requested=1.96GiB total=15.56GiB allocated=13.41GiB unallocated=702MiB -> full",
        ],
    );
    check(
        "RuntimeError: MPS backend out of memory (MPS allocated: 17.82 GB, other allocations: 324.50 MB, max allowed: 18.13 GB). Tried to allocate 512.00 MB on private pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory allocations (may cause system failure).",
        &["mps mps: line=1 exception=RuntimeError requested=512MiB allocated=17.82GiB allowed=18.13GiB -> cap"],
    );
}

#[test]
fn the_stream_ordered_allocator_prints_a_table() {
    check(
        "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)\nCurrently allocated     : 15.16 GiB\nRequested               : 512.00 KiB\nDevice limit            : 15.99 GiB\nFree (according to CUDA): 0 bytes\nPyTorch limit (set by user-supplied memory fraction)\n                        : 17179869184.00 GiB\n",
        &[
            "cuda malloc_async: line=1 exception=torch.OutOfMemoryError device=0 requested=512KiB total=15.99GiB free=0bytes allocated=15.16GiB -> full",
        ],
    );
}

#[test]
fn drivers_and_libraries_give_no_numbers() {
    for (log, expected) in [
        (
            "THCudaCheck FAIL file=/pytorch/aten/src/THC/generic/THCStorage.cu line=58 error=2 : out of memory\nRuntimeError: cuda runtime error (2) : out of memory at /pytorch/aten/src/THC/generic/THCStorage.cu:58",
            "cuda driver: line=1 exception=RuntimeError -> outside_allocator",
        ),
        ("RuntimeError: HIP error: out of memory", "hip driver: line=1 exception=RuntimeError -> outside_allocator"),
        (
            "torch.AcceleratorError: CUDA error: out of memory",
            "cuda driver: line=1 exception=torch.AcceleratorError -> outside_allocator",
        ),
        ("RuntimeError: Triton Error [CUDA]: out of memory", "cuda driver: line=1 exception=RuntimeError -> outside_allocator"),
        ("RuntimeError: CUDA driver error: out of memory", "cuda driver: line=1 exception=RuntimeError -> outside_allocator"),
        ("numba.cuda.cudadrv.driver.CudaAPIError: [2] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY", ""),
        (
            "Error out of memory at line 380 in file /src/csrc/pythonInterface.cpp",
            "cuda bitsandbytes: line=1 -> outside_allocator",
        ),
        (
            "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasLtMatmul( ltHandle )`",
            "cuda cublas: line=1 exception=RuntimeError -> outside_allocator",
        ),
        (
            "RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
            "cuda math_library: line=1 exception=RuntimeError -> outside_allocator",
        ),
        (
            "RuntimeError: cuFFT error: CUFFT_ALLOC_FAILED",
            "cuda math_library: line=1 exception=RuntimeError -> outside_allocator",
        ),
        (
            "node:2134736:2285781 [0] include/alloc.h:178 NCCL WARN Cuda failure 'out of memory'\nnode:2134736:2285781 [0] include/alloc.h:185 NCCL WARN Failed to CUDA calloc 6291456 bytes",
            "cuda nccl: line=1 requested=6291456bytes -> outside_allocator",
        ),
        (
            "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes.",
            "cuda xla: line=1 exception=jaxlib.xla_extension.XlaRuntimeError requested=17179869184bytes -> full",
        ),
    ] {
        check(log, if expected.is_empty() { &[] } else { std::slice::from_ref(&expected) });
    }
}

#[test]
fn words_about_memory_are_no_failure() {
    for log in [
        "If you run out of memory, lower per_device_train_batch_size",
        "except torch.cuda.OutOfMemoryError as error:",
        "# retry after CUDA out of memory",
        "  if \"CUDA out of memory\" in str(error):",
        "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 131072, Hardware limit: 101376. Reducing block sizes or `num_stages` may help.",
        "warnings.warn(\"an operation may run out of memory\")",
        "oom_score_adj:0",
        "step 137 loss 0.137 exit code 0",
        "torch.OutOfMemoryError is raised where the allocator fails",
        "[2026-01-01] [INFO] [launch.py:318:sigkill_handler] Killing subprocess 80",
        "exitcode  : 1 (pid: 11632)",
        "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling cublasGemmEx",
        "{'train_runtime': 137.0, 'status 1370': 1}",
        "free memory: shared memory broadcast took 60 seconds",
    ] {
        check(log, &[]);
    }
}
