from trl import SFTConfig

args = SFTConfig("out", packing=True, max_length=None, dataset_kwargs={"skip_prepare_dataset": True})
