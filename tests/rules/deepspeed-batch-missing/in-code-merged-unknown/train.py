import deepspeed
BASE = {"train_micro_batch_size_per_gpu": 4, "gradient_clipping": 1.0, "zero_optimization": {"stage": 2}}
def main(model, optimizer, args):
    config = {**BASE, "bf16": {"enabled": True}, "optimizer": {"type": "AdamW", "params": {"lr": args.lr}}}
    config["zero_optimization"]["stage"] = 3
    config["zero_optimization"]["offload_param"] = {"device": "cpu"}
    engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)
