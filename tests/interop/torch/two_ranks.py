"""One process of two, as torchrun would start them: asks torch.distributed for its
rank, trains for an epoch with averaged gradients, and prints its samples.

Usage: two_ranks.py DATASET RENDEZVOUS_FILE RANK
"""

import json
import sys
import warnings

import torch
import torch.distributed

import shardine


def main(path: str, rendezvous: str, rank: int) -> None:
    early = shardine.Loader(path, batch_size=3, raw=True)
    told = shardine.Loader(path, batch_size=3, seed=1, raw=True, rank=0, world=1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=2
    )
    loader = shardine.Loader(
        path,
        batch_size=3,
        seed=5,
        last_batch="short",
        transform=shardine.RandomResizedCrop(16),
        dtype="float32",
        std=(255, 255, 255),
        threads=1,
    )
    weights = torch.zeros(3 * 16 * 16, 4, requires_grad=True)
    ids, steps = [], 0
    for batch in loader:
        images = torch.from_dlpack(batch.images).flatten(1)
        labels = torch.from_dlpack(batch.labels)
        loss = torch.nn.functional.cross_entropy(images @ weights, labels)
        (gradient,) = torch.autograd.grad(loss, weights)
        # Hangs if the other rank has another number of steps.
        torch.distributed.all_reduce(gradient)
        with torch.no_grad():
            weights -= 0.01 * gradient / 2
        ids += batch.ids.tolist()
        steps += 1
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(2):
            next(iter(early))
            next(iter(told))
    torch.distributed.barrier()
    print(
        json.dumps(
            {
                "rank": loader.rank,
                "world": loader.world,
                "steps": steps,
                "ids": ids,
                "state": loader.state_dict(),
                "said": [[str(each.message), each.filename] for each in said],
                "weights": weights.double().sum().item(),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    torch.distributed.destroy_process_group()
