from trl import SFTConfig

args = SFTConfig(
    output_dir="out",
    model_init_kwargs={"dtype": "bfloat16"},
)
