import deepspeed, torch.distributed as dist
def main(args, model, loader):
    world_size = dist.get_world_size()
    ds_config = {
        "train_batch_size": args.batch_size * args.gradient_accumulation_steps * world_size,
        "train_micro_batch_size_per_gpu": args.batch_size,
        "gradient_accumulation_steps": args.gradient_accumulation_steps,
        "optimizer": {"type": "AdamW", "params": {"lr": 5e-4, "weight_decay": 0.01}},
        "fp16": {"enabled": True, "loss_scale": 0, "initial_scale_power": 16, "loss_scale_window": 1000, "hysteresis": 2, "min_loss_scale": 1},
        "scheduler": {"type": "WarmupDecayLR", "params": {"total_num_steps": args.epochs * len(loader), "warmup_min_lr": 0, "warmup_max_lr": 5e-4, "warmup_num_steps": 100}},
    }
    if args.bf16:
        ds_config["fp16"]["enabled"] = False
        ds_config["bf16"] = {"enabled": True}
    ds_config.update(args.extra)
    model, optimizer, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=ds_config)
