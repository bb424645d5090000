FORCE_TORCHRUN=1 NPROC_PER_NODE=4 llamafactory-cli train qwen.yaml \
    per_device_train_batch_size=2 learning_rate=1e-5
