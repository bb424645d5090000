from accelerate import Accelerator, FullyShardedDataParallelPlugin

plugin = FullyShardedDataParallelPlugin(auto_wrap_policy="transformer_based_wrap")
accelerator = Accelerator(fsdp_plugin=plugin)
