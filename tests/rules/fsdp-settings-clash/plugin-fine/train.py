from accelerate import Accelerator, FullyShardedDataParallelPlugin

plugin = FullyShardedDataParallelPlugin(fsdp_version=2, reshard_after_forward=True)
accelerator = Accelerator(fsdp_plugin=plugin)
