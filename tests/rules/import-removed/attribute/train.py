import trl
import trl.trainer

config = trl.PPOConfig(output_dir="out")
