"""Batches for the PyTorch opponent, all made before the clock starts."""
import collections
import os
import pickle
import random

import torch

PAD, UNK, BOS, EOS = range(4)
POOL = 100  # batches that are sorted by length together
COUNT = 600  # batches that are made; training repeats them
RARE = 0.02  # a shape with a smaller share of the batches takes the next larger shape

# source [S, B], lengths [B] on the device and as a list, target_input and target_output [T, B], real tokens of both sides
Batch = collections.namedtuple("Batch", "source lengths target_input target_output host_lengths source_tokens target_tokens")
TENSORS = ("source", "lengths", "target_input", "target_output")


def read_pairs(tokenizer, source, target, cache=None):
    if cache and os.path.exists(cache):
        with open(cache, "rb") as file:
            return pickle.load(file)
    sides = []
    for path in (source, target):
        with open(path, encoding="utf-8", newline="\n") as file:
            sides.append(tokenizer.encode(file.read().split("\n")[:-1]))
    pairs = [pair for pair in zip(*sides) if 0 < len(pair[0]) <= 100 and 0 < len(pair[1]) <= 100]
    if cache:
        with open(cache, "wb") as file:
            pickle.dump(pairs, file)
    return pairs


def longer(pair):
    return 1 + max(len(pair[0]), len(pair[1]))


def up(length, step):
    return -(-length // step) * step


def plan_by_sentences(pairs, size):
    """Batches of `size` pairs of similar length, from pools, as attend makes them."""
    order = random.sample(pairs, len(pairs))
    groups = []
    for pool in range(0, len(order), size * POOL):
        part = sorted(order[pool:pool + size * POOL], key=lambda pair: (len(pair[1]), len(pair[0]) * (-1) ** len(pair[1])))
        groups += [part[begin:begin + size] for begin in range(0, len(part) - size + 1, size)]
    return groups


def plan_by_tokens(pairs, size, longest_step):
    """Batches of up to `size` tokens of the longer side. Each length class has one number of rows, so that shapes recur."""
    classes = collections.defaultdict(list)
    for pair in random.sample(pairs, len(pairs)):
        length = longer(pair)
        classes[up(length, longest_step if length <= 32 else 2 * longest_step)].append(pair)
    groups = []
    for length, members in classes.items():
        rows = max(1, size // length)
        groups += [members[begin:begin + rows] for begin in range(0, len(members) - rows + 1, rows)]
    return groups


def shapes_of(groups, job):
    """The shape (S, T, B) of each group, or None for a group that no frequent shape holds."""
    exact = []
    for group in groups:
        source, target = (1 + max(len(pair[side]) for pair in group) for side in (0, 1))
        if job.unit == "tokens":
            source = target = up(max(source, target), 2)
        exact.append((up(source, 4), up(target, 2), len(group)))
    counts = collections.Counter(exact)
    frequent = [shape for shape, count in counts.items() if count >= RARE * len(groups)]
    if job.unit == "tokens":  # the number of rows differs, so a rare shape has no larger one
        frequent = [shape for shape, count in counts.items() if count >= 2 or len(counts) < 4]

    def fitting(shape):
        fits = [other for other in frequent if other[0] >= shape[0] and other[1] >= shape[1] and other[2] == shape[2]]
        return min(fits, key=lambda other: other[0] * other[1], default=None)
    return [fitting(shape) for shape in exact]


def pad(rows, length):
    """[length, rows]: time first."""
    return torch.tensor([ids + [PAD] * (length - len(ids)) for ids in rows]).t().contiguous()


def make_batch(group, shape, pin):
    """Rows by descending source length, as packing wants them."""
    group = sorted(group, key=lambda pair: -len(pair[0]))
    source, target = (1 + max(len(pair[side]) for pair in group) for side in (0, 1))
    if shape:
        source, target = shape[:2]
    lengths = [len(pair[0]) + 1 for pair in group]
    tensors = [pad([pair[0] + [EOS] for pair in group], source), torch.tensor(lengths),
               pad([[BOS] + pair[1] for pair in group], target), pad([pair[1] + [EOS] for pair in group], target)]
    if pin:
        tensors = [tensor.pin_memory() for tensor in tensors]
    return Batch(*tensors, lengths, sum(lengths), sum(len(pair[1]) + 1 for pair in group))


def make_batches(pairs, job, fixed_shapes, pin):
    """Up to COUNT batches in random order; with fixed_shapes, padded to a few shapes."""
    groups = plan_by_sentences(pairs, job.batch) if job.unit == "sentences" else plan_by_tokens(pairs, job.batch, 2)
    random.shuffle(groups)
    groups = groups[:COUNT]
    shapes = shapes_of(groups, job) if fixed_shapes else [None] * len(groups)
    chosen = [(group, shape) for group, shape in zip(groups, shapes) if shape or not fixed_shapes]
    return [make_batch(group, shape, pin) for group, shape in chosen]


def to_device(batch, device):
    return batch._replace(**{name: getattr(batch, name).to(device, non_blocking=True) for name in TENSORS})
