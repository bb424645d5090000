from trl import SFTConfig

args = SFTConfig(
    output_dir="out",
    model_init_kwargs={"torch_dtype": "bfloat16"},
)
