#!/usr/bin/env python3
"""A translation model trained with attend, in plain PyTorch, to use and to fine-tune.

    from model import load
    model, source, target = load("FOLDER")       # source and target: lists of pieces, whose places are their ids
    model.log_probs(source_ids, target_ids)      # [B, T] of ids [B, S] and [B, T], each row with </s>, then <pad>
    model.translate(source_ids)                  # lists of ids, by greedy search

    python3 FOLDER/model.py < PAIRS              # lines "source pieces, tab, target pieces"; prints log-probabilities

Pieces are those of the SentencePiece models in the folder. state_dict() has the names of model.safetensors, config.json the
settings of attend's config. There is no dropout.
"""
import json
import math
import pathlib
import struct
import sys

import torch
import torch.nn.functional as F
from torch import nn

PAD, UNK, BOS, EOS = range(4)


def read_safetensors(path):
    data = pathlib.Path(path).read_bytes()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = torch.frombuffer(bytearray(data[begin:end]), dtype=torch.float32).reshape(entry["shape"])
    return tensors


class Block(nn.Module):
    """Parameters and blocks by the parts of their dotted names."""

    def __init__(self, weights):
        super().__init__()
        for part in sorted({name.split(".")[0] for name in weights}):
            if part in weights:
                self.register_parameter(part, nn.Parameter(weights[part]))
            else:
                self.add_module(part, Block({n[len(part) + 1:]: w for n, w in weights.items() if n.startswith(part + ".")}))


def part(block, name):
    """A parameter or block, None if there is none."""
    return getattr(block, name, None)


def numbered(block, name="layer"):
    count = sum(child[len(name):].isdigit() for child, _ in block.named_children() if child.startswith(name))
    return [getattr(block, f"{name}{i}") for i in range(count)]


def affine(block, x):
    return F.linear(x, block.weight, part(block, "bias"))


def normed(norm, x):
    return x if norm is None else F.layer_norm(x, norm.gain.shape, norm.gain, norm.bias)


# ---------------------------------------------------------------------------------------------------------- attention


def energies(kind, score, query, keys):
    """query [..., T, H], keys [..., S, C] -> [..., T, S]."""
    scale = part(score, "scale")
    if kind == "dot":
        return query @ keys.transpose(-1, -2)
    if kind == "scaled_dot":
        return query @ keys.transpose(-1, -2) * (1 / math.sqrt(keys.shape[-1]) if scale is None else scale)
    if kind == "general":
        return query @ score.weight @ keys.transpose(-1, -2)
    if kind == "biased_general":
        return affine(score, query) @ keys.transpose(-1, -2)
    if kind == "activated_general":
        return torch.tanh(query @ score.weight @ keys.transpose(-1, -2) + score.bias)
    vector = score.vector if scale is None else score.vector * scale / score.vector.norm()
    if kind == "concat":
        query_weight, key_weight = score.weight.split([query.shape[-1], keys.shape[-1]], 1)
    else:  # additive
        query_weight, key_weight = score.query_weight, score.key_weight
    sums = F.linear(query, query_weight).unsqueeze(-2) + F.linear(keys, key_weight, score.bias).unsqueeze(-3)
    return torch.tanh(sums) @ vector


def distances(energy, start, most):
    """Numbers of the distances source - target, [T, S]: 0 is -most; farther ones count as +-most."""
    steps, length = energy.shape[-2:]
    return (torch.arange(length) - torch.arange(start, start + steps)[:, None]).clamp(-most, most) + most


def position_angles(steps, size):
    places = torch.arange(steps, dtype=torch.float64)
    return torch.outer(places, torch.exp(torch.arange((size + 1) // 2, dtype=torch.float64) * (-2 * math.log(1e4) / size)))


def rotated(x):
    """x [..., T, D] with each pair of features turned by the angle of its position."""
    angles = position_angles(x.shape[-2], x.shape[-1]).to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * angles.cos() - odd * angles.sin(), odd * angles.cos() + even * angles.sin()), -1).flatten(-2)


def attend(block, options, query, memory, mask, heads=None, count=1, positions="none", start=0):
    """query [B, T, H], memory [B, S, C], mask (true: visible) for [B, T, S] -> context [B, T, C]."""
    keys = values = memory
    if heads is not None:
        query, keys, values = (affine(projection, x).unflatten(-1, (count, -1)).transpose(1, 2) for projection, x in
                               ((heads.query, query), (heads.key, memory), (heads.value, memory)))
        mask = mask.unsqueeze(1)
    if positions == "rotary":
        query, keys = rotated(query), rotated(keys)
    energy = energies(options["score"], part(block, "score"), query, keys)  # [B, (heads,) T, S]
    tables = dict(part(block, "scope").named_parameters()) if part(block, "scope") is not None else {}
    tables = {name.split(".")[-1]: table for name, table in tables.items()}
    if "bias" in tables:
        energy = energy + tables["bias"][..., distances(energy, start, tables["bias"].shape[-1] // 2)]
    if positions == "relative":
        number = distances(energy, start, len(tables["keys"]) // 2)
        factor = 1 if options["score"] == "dot" else 1 / math.sqrt(query.shape[-1])
        energy = energy + torch.einsum("bhtd,tsd->bhts", query * factor, tables["keys"][number])
    weights = (energy / options.get("temperature", 1)).masked_fill(~mask, -math.inf).softmax(-1)
    context = weights @ values
    if positions == "relative":
        context = context + torch.einsum("bhts,tsd->bhtd", weights, tables["values"][number])
    return context if heads is None else affine(heads.output, context.transpose(1, 2).flatten(2))


# -------------------------------------------------------------------------------------------------------- transformer


def stack_input(block, options, x):
    x = x * math.sqrt(x.shape[-1])
    if part(block, "projection") is not None:
        x = affine(block.projection, x)
    if options["positions"] == "sinusoidal":
        angles = position_angles(x.shape[1], x.shape[2])
        x = x + torch.stack((angles.sin(), angles.cos()), 2).flatten(1)[:, :x.shape[2]].to(x.dtype)
    if options["positions"] == "learned":
        table = block.positions.weight
        x = x + table[torch.arange(x.shape[1]).clamp_max(len(table) - 1)]
    return x


def feed_forward(block, options, x):
    activation = {"relu": F.relu, "gelu": F.gelu, "geglu": F.gelu, "swiglu": F.silu}[options["activation"]]
    inner = activation(affine(block.inner, x))
    return affine(block.outer, inner * affine(block.gated, x) if part(block, "gated") is not None else inner)


def around(norm, options, x, function):
    return x + function(normed(norm, x)) if options["norm"] == "pre" else normed(norm, x + function(x))


def self_attention(block, options, x, mask):
    return attend(block.attention if part(block, "attention") is not None else None, options["layer_attention"], x, x, mask,
                  block.heads, options["heads"], options["positions"])


def ssru(block, x):
    forget = affine(block.forget, x).sigmoid()
    kept, cell, cells = (1 - forget) * affine(block.input, x), 0, []
    for t in range(x.shape[1]):
        cell = forget[:, t] * cell + kept[:, t]
        cells.append(cell)
    return torch.stack(cells, 1).relu()


def mix(mixer, options, x):
    """The self-attention of a decoder layer, or what replaces it."""
    if part(mixer, "ssru") is not None:
        return ssru(mixer.ssru, x)
    if part(mixer, "cell") is not None:
        return run_cell(options["type"], mixer.cell, x, torch.ones(x.shape[:2], dtype=torch.bool))[0]
    causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    return self_attention(mixer.self_attention, options, x, causal[None])


def transformer_encoder(block, options, x, mask):
    x = stack_input(part(block, "input"), options, x)
    for layer in numbered(block):
        x = around(layer.self_attention_norm, options, x,
                   lambda y: self_attention(layer.self_attention, options, y, mask[:, None]))
        x = around(layer.feed_forward_norm, options, x, lambda y: feed_forward(layer.feed_forward, options, y))
    outputs = normed(part(block, "norm"), x) * mask[..., None]
    mean = outputs.sum(1) / mask.sum(1, keepdim=True)
    return outputs, [(mean, mean)]


def transformer_decoder(block, options, source, x, memory, mask):
    x = stack_input(part(block, "input"), options, x)
    if part(block, "memory") is not None:
        memory = affine(block.memory, memory)
    for layer in numbered(block):
        x = around(layer.mixer_norm, options, x, lambda y: mix(layer.mixer, options, y))
        x = around(layer.attention_norm, options, x, lambda y: attend(
            layer.attention, source, y, memory, mask[:, None], layer.attention.heads, source["heads"]))
        x = around(layer.feed_forward_norm, options, x, lambda y: feed_forward(layer.feed_forward, options, y))
    return normed(part(block, "norm"), x)


# ---------------------------------------------------------------------------------------------------------- recurrent


def step_cell(kind, cell, x, state, more=0):
    """The state (hidden, cell), each [B, H], after the input x [B, I]. `more` is added to the projected input."""
    hidden, memory = state
    inputs = normed(part(cell, "input_norm"), F.linear(x, cell.input_weight, cell.bias) + more)
    size = hidden.shape[-1]
    if kind == "mingru":
        update, candidate = inputs.split(size, -1)
        return torch.lerp(hidden, candidate, update.sigmoid()), memory
    recurrent = normed(part(cell, "recurrent_norm"), F.linear(hidden, cell.recurrent_weight))
    if kind == "lstm":
        entry, forget, candidate, exit_ = (inputs + recurrent).split(size, -1)
        memory = forget.sigmoid() * memory + entry.sigmoid() * candidate.tanh()
        return exit_.sigmoid() * normed(part(cell, "cell_norm"), memory).tanh(), memory
    reset, update = (inputs + recurrent)[..., :2 * size].sigmoid().split(size, -1)
    candidate = torch.tanh(inputs[..., 2 * size:] + reset * (recurrent[..., 2 * size:] + cell.candidate_bias))
    return torch.lerp(candidate, hidden, update), memory


def run_cell(kind, cell, x, mask, backward=False):
    """Outputs [B, S, H], zero on padding, and the last state of each row."""
    size = len(cell.bias) // {"gru": 3, "lstm": 4, "mingru": 2}[kind]
    state = (x.new_zeros(len(x), size), x.new_zeros(len(x), size))
    outputs = [None] * x.shape[1]
    for t in reversed(range(x.shape[1])) if backward else range(x.shape[1]):
        real = mask[:, t, None]
        state = tuple(torch.where(real, new, old) for new, old in zip(step_cell(kind, cell, x[:, t], state), state))
        outputs[t] = state[0] * real
    return torch.stack(outputs, 1), state


def recurrent_encoder(block, options, x, mask):
    """Outputs [B, S, C], and the last state of each layer."""
    states = []
    for i in range(options["layers"]):
        ways = ("forward", "backward") if options["bidirectional"] else ("forward",)
        runs = [run_cell(options["cell"], getattr(block, f"layer{i}_{way}"), x, mask, way == "backward") for way in ways]
        outputs = torch.cat([run[0] for run in runs], 2)
        hidden, cell = (torch.cat(parts, 1) for parts in zip(*(run[1] for run in runs)))
        states.append((hidden, cell if options["cell"] == "lstm" else hidden))
        x = outputs + x if options["residual"] and i > 0 else outputs
    return x, states


def first_states(bridge, options, memory, mask, states):
    zeros = memory.new_zeros(len(memory), options["hidden"])
    if options["bridge"] == "copy":
        return states
    if options["bridge"] == "zero":
        return [(zeros, zeros)] * options["layers"]
    mean = (memory * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    hidden, cell = (mean, mean) if options["bridge"] == "mean" else states[-1]
    return [(affine(getattr(bridge, f"layer{i}_hidden"), hidden).tanh(),
             affine(getattr(bridge, f"layer{i}_cell"), cell) if options["cell"] == "lstm" else zeros)
            for i in range(options["layers"])]


def step_stack(options, cells, x, states, more=0, shortcut=0):
    states = [step_cell(options["cell"], cells[0], x, states[0], more), *states[1:]]
    x = states[0][0] + shortcut
    for i in range(1, len(cells)):
        states[i] = step_cell(options["cell"], cells[i], x, states[i])
        x = states[i][0] + x if options["residual"] else states[i][0]
    return x, states


def read_out(block, options, *parts):
    mixed = affine(block.linear, torch.cat(parts, -1))
    return mixed.tanh() if options["readout"] == "tanh" else mixed.unflatten(-1, (-1, 2)).amax(-1)


def recurrent_decoder(block, options, source, x, memory, mask, states):
    def look(query, t):
        attention = part(block, "attention")
        return attend(attention, source, query[:, None], memory, mask[:, None], part(attention, "heads"), source["heads"],
                      start=t)[:, 0]

    wiring, outputs, feed = options["wiring"], [], 0
    stack = numbered(block.stack) if wiring != "conditional" else numbered(part(block, "upper") or nn.Module())
    for t, word in enumerate(x.unbind(1)):
        if wiring == "none":
            output, states = step_stack(options, stack, word, states)
        elif wiring == "luong":
            hidden, states = step_stack(options, stack, word, states, feed)
            output = torch.tanh(affine(block.combine, torch.cat((look(hidden, t), hidden), -1)))
            feed = affine(block.feed, output) if options["input_feeding"] else 0
        elif wiring == "bahdanau":
            context = look(states[-1][0], t)
            hidden, states = step_stack(options, stack, word, states, affine(block.context_input, context))
            output = read_out(block.readout, options, hidden, word, context)
        else:  # conditional
            half = step_cell(options["cell"], block.first, word, states[0])
            context = look(half[0], t)
            lowest = step_cell(options["cell"], block.second, context, half)
            hidden, upper = lowest[0], []
            if stack:
                shortcut = hidden if options["residual"] else 0
                hidden, upper = step_stack(options, stack, hidden, states[1:], shortcut=shortcut)
            states = [lowest, *upper]
            output = read_out(block.readout, options, hidden, word, context)
        outputs.append(output)
    return torch.stack(outputs, 1)


# -------------------------------------------------------------------------------------------------------------- model


class Model(Block):
    def __init__(self, options, weights):
        super().__init__(weights)
        self.options = options

    def encode(self, source):
        """Ids [B, S] -> outputs [B, S, C], mask [B, S] and the last states."""
        options, mask = self.options["encoder"], source != PAD
        if options.get("reverse_source"):
            place = torch.arange(source.shape[1]).expand_as(source)
            last = mask.sum(1, keepdim=True) - 1
            source = source.gather(1, torch.where(place < last, last - 1 - place, place))
        words = getattr(self, "source_embedding" if self.options["tie"] != "all" else "target_embedding").weight
        read = transformer_encoder if options["type"] == "transformer" else recurrent_encoder
        memory, states = read(self.encoder, options, words[source], mask)
        return memory, mask, states

    def decode(self, encoded, inputs):
        """The words before each position, [B, T] -> logits [B, T, V]."""
        options, (memory, mask, states) = self.options["decoder"], encoded
        words = self.target_embedding.weight
        if options["type"] == "recurrent":
            states = first_states(part(self, "bridge"), options, memory, mask, states)
            x = recurrent_decoder(self.decoder, options, self.options["attention"], words[inputs], memory, mask, states)
        else:
            x = transformer_decoder(self.decoder, options, self.options["attention"], words[inputs], memory, mask)
        if part(self.output, "projection") is not None:
            x = affine(self.output.projection, x)
        return F.linear(x, words if part(self.output, "weight") is None else self.output.weight, self.output.bias)

    def log_probs(self, source, target):
        """Log-probabilities of the ids `target` [B, T], zero on padding. The sum is differentiable."""
        inputs = F.pad(target[:, :-1], (1, 0), value=BOS)
        chosen = self.decode(self.encode(source), inputs).log_softmax(-1).gather(-1, target[..., None])[..., 0]
        return chosen * (target != PAD)

    @torch.no_grad()
    def translate(self, source, longest=200):
        encoded, inputs = self.encode(source), torch.full((len(source), 1), BOS)
        while inputs.shape[1] <= longest and not (inputs == EOS).any(1).all():
            scores = self.decode(encoded, inputs)[:, -1]
            scores[:, [PAD, UNK, BOS]] = -math.inf
            inputs = torch.cat((inputs, scores.argmax(-1, keepdim=True)), 1)
        rows = [row[1:] for row in inputs.tolist()]
        return [row[:row.index(EOS)] if EOS in row else row for row in rows]


def load(folder):
    folder = pathlib.Path(folder)

    def read(name):
        return json.loads((folder / name).read_text(encoding="utf-8"))

    model = Model(read("config.json"), read_safetensors(folder / "model.safetensors"))
    shared = (folder / "shared_vocabulary.json").exists()
    return (model, *(read("shared_vocabulary.json" if shared else f"{side}_vocabulary.json") for side in ("source", "target")))


def main():
    model, source, target = load(pathlib.Path(__file__).parent)
    ids = [{piece: i for i, piece in enumerate(pieces)} for pieces in (source, target)]
    for line in sys.stdin:
        sides = line.rstrip("\n").split("\t")
        rows = [torch.tensor([[known.get(piece, UNK) for piece in side.split()] + [EOS]]) for side, known in zip(sides, ids)]
        with torch.no_grad():
            print(f"{model.log_probs(*rows).sum().item():.6f}")


if __name__ == "__main__":
    main()
