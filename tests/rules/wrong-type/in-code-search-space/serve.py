DEFAULTS = {"train_batch_size": 0, "stage": 7, "optimizer": "adamw", "zero_optimization": None}
SPACE = {"zero_optimization": {"stage": [1, 2, 3], "reduce_bucket_size": [5e7, 5e8]}, "train_micro_batch_size_per_gpu": [1, 2, 4]}
def f(stage): return {"zero_optimization": {"stage": stage, **EXTRA}, "train_micro_batch_size_per_gpu": "auto", **common()}
