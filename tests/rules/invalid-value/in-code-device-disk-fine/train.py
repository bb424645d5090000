import deepspeed


def main(model):
    engine, _, _, _ = deepspeed.initialize(
        model=model,
        model_parameters=model.parameters(),
        config={
            "train_micro_batch_size_per_gpu": 1, "gradient_clipping": 1.0,
            "bf16": {
                "enabled": True,
            },
            "optimizer": {
                "type": "AdamW",
                "params": {
                    "lr": 0.001,
                    "torch_adam": True,
                },
            },
            "zero_optimization": {
                "stage": 2,
                "reduce_bucket_size": 100000,
                "allgather_bucket_size": 100000,
                "offload_optimizer": {
                    "device": "cpu",
                },
            },
        },
    )
    return engine
