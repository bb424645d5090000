def get_train_ds_config(offload, stage=0):
    device = "cpu" if offload else "none"
    zero_opt_dict = {"stage": stage, "stage3_param_persistence_threshold": 1e4, "offload_param": {"device": device}, "memory_efficient_linear": False}
    return {
        "train_batch_size": -1,
        "train_micro_batch_size_per_gpu": -1,
        "steps_per_print": 10,
        "zero_optimization": zero_opt_dict,
        "fp16": {"enabled": True},
        "gradient_clipping": 1.0,
    }
class Intent:
    def __init__(self, intent_model):
        self._model = load(intent_model)
        self.use_deepspeed = True
        if self.use_deepspeed:
            import deepspeed
            ds_config = get_train_ds_config(offload=True)
            ds_config['train_micro_batch_size_per_gpu'] = 64
            ds_config['train_batch_size'] = 1280
            self.rew_engine, *_ = deepspeed.initialize(model=self._model, config=ds_config)
