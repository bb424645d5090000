import hydra
from omegaconf import DictConfig
from transformers import TrainingArguments


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig):
    args = TrainingArguments(output_dir="out", learning_rate=cfg.lr, per_device_train_batch_size=cfg.batch_size)


main()
