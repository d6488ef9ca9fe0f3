"""A whole control loop on a GPU, held in one CUDA graph: policy, steps, reward, reset by mask. Needs libgradus_gpu (docs/gpu.md)
and PyTorch; prints robot-steps a second of the loop and of its physics alone.

    python3 gpu_loop.py learn_humanoid_walk humanoid 131072 20
"""
import sys
import time

import torch

import gradus

MOST_STEPS = 700  # of an episode

scene, robot, worlds, steps = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
names = [f"{robot}.{n}" for n in ("gravity", "velocity", "spin", "z", "joint_q", "joint_v")]
batch = gradus.Batch(scene, worlds, backend="gpu", observe=names, sets=["world.step=1 ms"])
seen = torch.as_tensor(batch.gpu.observations, device="cuda")  # the batch's own numbers, not copies
act = torch.as_tensor(batch.gpu.actions, device="cuda")
start = torch.tensor(batch.start, device="cuda")
height, forward = batch.at[f"{robot}.z"].start, batch.at[f"{robot}.velocity"].start

net = torch.nn.Sequential(torch.nn.Linear(seen.shape[1], 256), torch.nn.ELU(), torch.nn.Linear(256, 128), torch.nn.ELU(),
                          torch.nn.Linear(128, act.shape[1])).cuda().bfloat16()
with torch.no_grad():
    net[-1].weight.mul_(0.02)  # small movements: this policy has learned nothing
    net[-1].bias.zero_()
returns = torch.zeros(worlds, device="cuda")
age = torch.randint(0, MOST_STEPS // steps, (worlds,), device="cuda").float()  # so that not all episodes end together
over = torch.ones(worlds, dtype=torch.uint8, device="cuda")
stream = torch.cuda.Stream()


def judge() -> None:
    returns.add_(seen[:, forward] - 0.01 * (act - start).square().sum(1))
    age.add_(1)
    over.copy_((seen[:, height] < lowest) | (age >= MOST_STEPS / steps))
    age.mul_(1 - over.float())


def loop() -> None:
    act.copy_(start + 0.2 * torch.tanh(net(seen.bfloat16()).float()))
    batch.launch(steps, stream.cuda_stream)
    judge()
    batch.begin_on_gpu(over, stream.cuda_stream)


def captured(what) -> torch.cuda.CUDAGraph:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        what()
    return graph


def rate(graph: torch.cuda.CUDAGraph) -> float:
    """Robot-steps a second, the median of five times 20 replays."""
    times = []
    for _ in range(6):
        begin = time.perf_counter()
        for _ in range(20):
            graph.replay()
        stream.synchronize()
        times.append(time.perf_counter() - begin)
    return worlds * steps * 20 / sorted(times[1:])[2]


with torch.no_grad(), torch.cuda.stream(stream):
    act[:] = start
    batch.launch(1, stream.cuda_stream)
    lowest = 0.7 * seen[:, height].median().item()
    for _ in range(3):  # PyTorch makes its workspaces before a graph may hold it
        loop()
    stream.synchronize()
    print(f"{batch.why}: {rate(captured(loop)) / 1e6:.0f} million robot-steps a second, "
          f"physics alone {rate(captured(lambda: batch.launch(steps, stream.cuda_stream))) / 1e6:.0f}")
