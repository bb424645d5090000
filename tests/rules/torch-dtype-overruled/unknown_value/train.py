from trl import SFTConfig
from elsewhere import value

args = SFTConfig(
    output_dir="out",
    model_init_kwargs=value,
)
