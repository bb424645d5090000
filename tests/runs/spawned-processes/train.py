import torch
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from data import dataset, model, optimizer


def worker(rank, world_size):
    torch.distributed.init_process_group("nccl", rank=rank, world_size=world_size)
    ddp = DDP(model.to(rank))
    for batch in DataLoader(dataset, batch_size=16):
        loss = ddp(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    mp.spawn(worker, nprocs=torch.cuda.device_count(), args=(torch.cuda.device_count(),))
