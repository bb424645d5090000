NPROC_PER_NODE=4 swift sft --model Qwen/Qwen2.5-7B --dataset d --sequence_parallel_size 2 --padding_free true --use_liger_kernel true
