from trl import SFTConfig

args = SFTConfig("out", loss_type="nll")
