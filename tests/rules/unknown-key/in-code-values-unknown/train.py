import argparse
import deepspeed
GLOBAL_BATCH_SIZE = 32
MICRO_BATCH_SIZE = 4
def get_train_ds_config(offload, stage=2, enable_hybrid_engine=False, max_out_tokens=512, tb_path=""):
    device = "cpu" if offload else "none"
    zero_opt_dict = {
        "stage": stage,
        "offload_param": {"device": device},
        "offload_optimizer": {"device": device},
        "stage3_param_persistence_threshold": 1e4,
        "stage3_max_live_parameters": 3e7,
        "stage3_prefetch_bucket_size": 3e7,
        "memory_efficient_linear": False,
    }
    return {
        "train_batch_size": GLOBAL_BATCH_SIZE,
        "train_micro_batch_size_per_gpu": MICRO_BATCH_SIZE,
        "steps_per_print": 10,
        "zero_optimization": zero_opt_dict,
        "fp16": {"enabled": True, "loss_scale_window": 100},
        "gradient_clipping": 1.0,
        "prescale_gradients": False,
        "wall_clock_breakdown": False,
        "hybrid_engine": {"enabled": enable_hybrid_engine, "max_out_tokens": max_out_tokens},
        "tensorboard": {"enabled": False, "output_path": f"{tb_path}/x/", "job_name": "a"},
    }
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--offload", action="store_true")
    parser.add_argument("--zero_stage", type=int, default=0)
    parser.add_argument("--per_device_train_batch_size", type=int, default=16)
    parser.add_argument("--gradient_accumulation_steps", type=int, default=1)
    args = parser.parse_args()
    ds_config = get_train_ds_config(offload=args.offload, stage=args.zero_stage)
    ds_config["train_micro_batch_size_per_gpu"] = args.per_device_train_batch_size
    ds_config["train_batch_size"] = args.per_device_train_batch_size * torch.distributed.get_world_size() * args.gradient_accumulation_steps
    model, optimizer, _, lr_scheduler = deepspeed.initialize(model=m, optimizer=o, args=args, config=ds_config, lr_scheduler=s, dist_init_required=True)
main()
