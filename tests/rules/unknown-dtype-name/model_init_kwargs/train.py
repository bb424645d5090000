from trl import SFTConfig

args = SFTConfig("out", model_init_kwargs={"dtype": "bf16"})
