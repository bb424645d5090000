from trl import SFTConfig

args = SFTConfig("out", loss_type="chunked_nll")
