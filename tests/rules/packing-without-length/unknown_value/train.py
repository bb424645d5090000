from trl import SFTConfig
from elsewhere import value

args = SFTConfig(
    output_dir="out",
    packing=True,
    max_length=value,
)
