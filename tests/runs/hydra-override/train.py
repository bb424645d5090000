import hydra
from omegaconf import DictConfig
from torch.utils.data import DataLoader

from data import dataset, model, optimizer


@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(cfg: DictConfig) -> None:
    loader = DataLoader(dataset, batch_size=cfg.training.batch_size)
    for step, batch in enumerate(loader):
        loss = model(**batch).loss / cfg.training.accumulation_steps
        loss.backward()
        if (step + 1) % cfg.training.accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
