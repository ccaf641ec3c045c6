"""attend's recurrent model of the reference and GNMT-shaped jobs in PyTorch, with the fastest parts that PyTorch has.

The encoder is one nn.LSTM over packed sequences (cuDNN). The decoder needs a loop, because a step reads the attentional
vector of the step before. The loop casts its weights once a batch, multiplies the embeddings of all steps at once, and
uses PyTorch's fused LSTM cell on a GPU. With `compiled`, torch.compile fuses the steps and the output loss.
"""
import collections
import json
import os
import struct

import torch
import torch.nn.functional as F
from torch import nn

from batches import PAD

NEVER = -1e9

Source = collections.namedtuple("Source", "memory keys mask")  # [B, S, C], [B, S, A], [B, 1, S]
State = collections.namedtuple("State", "feed hidden cell")  # [N, D], and a tuple of [N, D] with an entry per layer
Loop = collections.namedtuple("Loop", "first above recurrent above_bias query vector combine")  # weights, transposed


def plain_cell(input_gates, hidden_gates, cell):
    i, f, g, o = (input_gates + hidden_gates).chunk(4, 1)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell


def fused_cell(input_gates, hidden_gates, cell):
    if not input_gates.is_cuda:
        return plain_cell(input_gates, hidden_gates, cell)
    return torch.ops.aten._thnn_fused_lstm_cell(input_gates, hidden_gates, cell)[:2]


def attend(query, source, vector):
    """query [N, A], N = B K: the K rows of a source sentence are neighbours. Returns contexts [N, C]."""
    sentences, _, inner = source.keys.shape
    energies = torch.tanh(source.keys.unsqueeze(1) + query.view(sentences, -1, 1, inner)).matmul(vector)  # [B, K, S]
    weights = torch.softmax(energies + source.mask, 2)
    return torch.bmm(weights, source.memory).flatten(0, 1)


def step(loop, projected, state, source, cell):
    """One step of N rows. projected [N, 4D]: the input part of the gates of the lowest layer."""
    gates = torch.mm(torch.cat([state.feed, state.hidden[0]], 1), loop.first)
    below, carried = cell(gates, projected, state.cell[0])
    hidden, cells = [below], [carried]
    for layer, (above, bias, recurrent) in enumerate(zip(loop.above, loop.above_bias, loop.recurrent), 1):
        gates = torch.addmm(bias, below, above)
        below, carried = cell(gates, torch.mm(state.hidden[layer], recurrent), state.cell[layer])
        hidden.append(below)
        cells.append(carried)
    context = attend(torch.mm(below, loop.query), source, loop.vector)
    feed = torch.tanh(torch.mm(torch.cat([context, below], 1), loop.combine))
    return State(feed, tuple(hidden), tuple(cells))


def output_loss(outputs, weight, bias, targets, smoothing):
    logits = F.linear(outputs, weight, bias).float()
    return F.cross_entropy(logits, targets, ignore_index=PAD, label_smoothing=smoothing)


class Recurrent(nn.Module):
    def __init__(self, job, dtype=torch.float32, compiled=False):
        super().__init__()
        size, memory, layers = job.decoder_hidden, job.memory, job.decoder_layers
        self.job, self.dtype = job, dtype
        self.source_embedding = nn.Embedding(job.vocabulary, job.embedding)
        self.target_embedding = nn.Embedding(job.vocabulary, job.embedding)
        self.encoder = nn.LSTM(job.embedding, job.encoder_hidden, job.encoder_layers, bidirectional=True)
        bridges = layers if job.bridge == "last" else 0
        self.bridge_hidden = nn.ModuleList(nn.Linear(memory, size) for _ in range(bridges))
        self.bridge_cell = nn.ModuleList(nn.Linear(memory, size) for _ in range(bridges))
        self.input = nn.Linear(job.embedding, 4 * size)
        self.feed = nn.Linear(size, 4 * size, bias=False)
        self.above = nn.ModuleList(nn.Linear(size, 4 * size) for _ in range(layers - 1))
        self.recurrent = nn.ModuleList(nn.Linear(size, 4 * size, bias=False) for _ in range(layers))
        self.key = nn.Linear(memory, size)
        self.query = nn.Linear(size, size, bias=False)
        self.vector = nn.Parameter(torch.empty(size))
        self.combine = nn.Linear(memory + size, size, bias=False)
        self.output = nn.Linear(size, job.vocabulary)
        self.cell = plain_cell if compiled else fused_cell
        self.step, self.output_loss = step, output_loss
        if compiled:
            self.step = torch.compile(step, dynamic=True)
            self.output_loss = torch.compile(output_loss, dynamic=True)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -0.05, 0.05)

    def linear(self, x, layer):
        bias = None if layer.bias is None else layer.bias.to(self.dtype)
        return F.linear(x.to(self.dtype), layer.weight.to(self.dtype), bias)

    def read(self, source, host_lengths):
        """source [S, B] -> memory [B, S, C], and the top layer's last states [B, C] if the decoder starts from them."""
        embedded = self.source_embedding(source)
        packed = nn.utils.rnn.pack_padded_sequence(embedded, torch.tensor(host_lengths))
        with torch.autocast(source.device.type, torch.bfloat16, enabled=self.dtype == torch.bfloat16):
            states, (hidden, cell) = self.encoder(packed)
        memory, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=len(source))
        memory = memory.to(self.dtype).contiguous()
        if self.job.bridge == "zero":
            return (memory,)
        return memory, torch.cat([hidden[-2], hidden[-1]], 1), torch.cat([cell[-2], cell[-1]], 1)

    def prepare(self, lengths, memory):
        padding = torch.arange(memory.size(1), device=memory.device) >= lengths.unsqueeze(1)
        mask = torch.zeros_like(padding, dtype=self.dtype).masked_fill(padding, NEVER)
        return Source(memory, self.linear(memory, self.key), mask.unsqueeze(1))

    def start(self, memory, hidden=None, cell=None):
        zeros = memory.new_zeros(len(memory), self.job.decoder_hidden)
        if hidden is None:
            nothing = (zeros,) * self.job.decoder_layers
            return State(zeros, nothing, nothing)
        return State(zeros, tuple(self.linear(hidden, layer).tanh() for layer in self.bridge_hidden),
                     tuple(self.linear(cell, layer) for layer in self.bridge_cell))

    def loop(self):
        def cast(weight):
            return weight.to(self.dtype).t()
        first = torch.cat([self.feed.weight, self.recurrent[0].weight], 1)
        return Loop(cast(first), [cast(layer.weight) for layer in self.above],
                    [cast(layer.weight) for layer in self.recurrent[1:]],
                    [layer.bias.to(self.dtype) for layer in self.above],
                    cast(self.query.weight), self.vector.to(self.dtype), cast(self.combine.weight))

    def write(self, batch, memory, *last):
        """Mean negative log-likelihood of the target tokens, from the tensors of read()."""
        source, state, loop = self.prepare(batch.lengths, memory), self.start(memory, *last), self.loop()
        outputs = []
        for projected in self.linear(self.target_embedding(batch.target_input), self.input).unbind(0):
            state = self.step(loop, projected, state, source, self.cell)
            outputs.append(state.feed)
        return self.output_loss(torch.stack(outputs).flatten(0, 1), self.output.weight.to(self.dtype),
                                self.output.bias.to(self.dtype), batch.target_output.flatten(), self.job.smoothing)


# ---- weights of attend


def load_tensors(folder):
    """The tensors of best.safetensors: 8 bytes of header length, JSON header, raw floats."""
    with open(os.path.join(folder, "best.safetensors"), "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = bytearray(file.read())
    header.pop("__metadata__", None)
    return {name: torch.frombuffer(data, dtype=torch.float32, offset=entry["data_offsets"][0],
                                   count=(entry["data_offsets"][1] - entry["data_offsets"][0]) // 4)
            .view(entry["shape"]) for name, entry in header.items()}


def parameters_of(tensors, job):
    """Names of this model -> tensors of a model of attend. nn.LSTM's second bias is 0."""
    found = {name: tensors[name] for name in ("source_embedding.weight", "target_embedding.weight",
                                              "output.weight", "output.bias")}
    score = "decoder.attention.score"
    found.update({"feed.weight": tensors["decoder.feed.weight"], "combine.weight": tensors["decoder.combine.weight"],
                  "key.weight": tensors[f"{score}.key_weight"], "key.bias": tensors[f"{score}.bias"],
                  "query.weight": tensors[f"{score}.query_weight"], "vector": tensors[f"{score}.vector"]})
    for layer in range(job.encoder_layers):
        for way, suffix in (("forward", ""), ("backward", "_reverse")):
            name = f"encoder.layer{layer}_{way}"
            found[f"encoder.weight_ih_l{layer}{suffix}"] = tensors[f"{name}.input_weight"]
            found[f"encoder.weight_hh_l{layer}{suffix}"] = tensors[f"{name}.recurrent_weight"]
            found[f"encoder.bias_ih_l{layer}{suffix}"] = tensors[f"{name}.bias"]
            found[f"encoder.bias_hh_l{layer}{suffix}"] = torch.zeros_like(tensors[f"{name}.bias"])
    for layer in range(job.decoder_layers):
        name = f"decoder.stack.layer{layer}"
        own = f"above.{layer - 1}" if layer else "input"
        found[f"{own}.weight"], found[f"{own}.bias"] = tensors[f"{name}.input_weight"], tensors[f"{name}.bias"]
        found[f"recurrent.{layer}.weight"] = tensors[f"{name}.recurrent_weight"]
        if job.bridge == "last":
            for part in ("hidden", "cell"):
                for kind in ("weight", "bias"):
                    found[f"bridge_{part}.{layer}.{kind}"] = tensors[f"bridge.layer{layer}_{part}.{kind}"]
    return found
