#!/usr/bin/python3
"""The reference job in PyTorch, as a careful user would write it: the baseline for attend.

The model of tests/bench/reference.yaml (bi-LSTM encoder, LSTM decoder with additive attention and input feeding) on
Debian's python3-torch, the same LibTorch that attend runs on. Input projections are computed for all steps at once, and
the output layer for all positions except padding at once. The weights of a loop are cast once per batch. Batches hold
sentences of similar length. Decoding encodes once and drops finished sentences. The loops are written by hand because
nn.LSTM took 1.3 times as long. Translation reads its weights from a model folder of attend. For a GPU, see
scripts/gpu_bench/opponent.py.

  bench_pytorch.py train --tokenizer FILE --source FILE --target FILE [--seconds 60]
  bench_pytorch.py translate --model DIR --input FILE --output FILE [--beam 5] [--batch-size 64]
Both take [--threads 1] [--precision f32|bf16] [--architecture rnn|transformer] and print one JSON line. The transformer is
the model of configs/transformer_multi30k.yaml (bench_transformer.py), with batches of up to 4000 tokens per side.
"""
import argparse
import collections
import contextlib
import ctypes
import json
import os
import random
import resource
import struct
import sys
import time

os.environ.pop("OPENBLAS_CORETYPE", None)  # some environments select kernels of half the speed

from bench_results import has_avx512, library_limits  # noqa: E402

for name, value in library_limits(os.environ.get("ATTEND_MAX_CPU"), has_avx512()).items():
    os.environ.setdefault(name, value)

import sentencepiece  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

import bench_transformer  # noqa: E402

PAD, UNK, BOS, EOS = range(4)
SIZE = 512
VOCABULARY = 8000
BATCH = 80
BATCHES_PER_POOL = 100
BATCH_TOKENS = 4000  # for the transformer
CLIP_NORM = 1.0
NEVER = -1e9


# ---- the model


class Lstm(nn.Module):
    """One layer in one direction; the gates are input, forget, candidate, output."""

    def __init__(self):
        super().__init__()
        self.input_weight = nn.Parameter(torch.empty(4 * SIZE, SIZE))
        self.recurrent_weight = nn.Parameter(torch.empty(4 * SIZE, SIZE))
        self.bias = nn.Parameter(torch.empty(4 * SIZE))

    def project(self, x):
        return F.linear(x, self.input_weight, self.bias)

    @staticmethod
    def cell(gates, cell):
        i, f, g, o = gates.unsafe_chunk(4, 1)
        cell = torch.addcmul(f.sigmoid_() * cell, i.sigmoid_(), g.tanh_())
        return o.sigmoid_() * cell.tanh(), cell

    def forward(self, x):
        """x [S, B, E] -> hidden and cell states, each [S, B, H]."""
        projected = self.project(x)
        weight = self.recurrent_weight.to(projected.dtype).t()
        hidden = cell = torch.zeros(x.size(1), SIZE)
        steps = []
        for step in projected.unbind(0):
            hidden, cell = self.cell(torch.addmm(step, hidden, weight), cell)
            steps.append((hidden, cell))
        return [torch.stack(states) for states in zip(*steps)]


class Score(nn.Module):
    """Additive attention."""

    def __init__(self):
        super().__init__()
        self.key_weight = nn.Parameter(torch.empty(SIZE, 2 * SIZE))
        self.query_weight = nn.Parameter(torch.empty(SIZE, SIZE))
        self.bias = nn.Parameter(torch.empty(SIZE))
        self.vector = nn.Parameter(torch.empty(SIZE))


Encoded = collections.namedtuple("Encoded", "memory keys mask")  # [B, S, C], [B, S, A], [B, 1, S]
State = collections.namedtuple("State", "hidden cell feed")  # [N, H] each
Loop = collections.namedtuple("Loop", "feed recurrent query vector combine")  # weights of the decoder, transposed


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.source_embedding = nn.Embedding(VOCABULARY, SIZE)
        self.target_embedding = nn.Embedding(VOCABULARY, SIZE)
        self.encoder_forward = Lstm()
        self.encoder_backward = Lstm()
        self.bridge_hidden = nn.Linear(2 * SIZE, SIZE)
        self.bridge_cell = nn.Linear(2 * SIZE, SIZE)
        self.decoder = Lstm()
        self.feed = nn.Linear(SIZE, 4 * SIZE, bias=False)
        self.score = Score()
        self.combine = nn.Linear(3 * SIZE, SIZE, bias=False)
        self.output = nn.Linear(SIZE, VOCABULARY)

    def initialize(self):
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -0.05, 0.05)

    def encode(self, source, lengths):
        """source [S, B], lengths [B]."""
        position = torch.arange(source.size(0)).unsqueeze(1)
        row = torch.arange(len(lengths))
        turned = torch.where(position < lengths, lengths - 1 - position, position)  # padding stays at the end
        embedded = self.source_embedding(torch.stack([source, source[turned, row]]))  # one lookup, so one gradient
        ahead, ahead_cells = self.encoder_forward(embedded[0])
        back, back_cells = self.encoder_backward(embedded[1])
        memory = torch.cat([ahead, back[turned, row]], 2).transpose(0, 1).contiguous()
        hidden = torch.cat([ahead[lengths - 1, row], back[lengths - 1, row]], 1)
        cell = torch.cat([ahead_cells[lengths - 1, row], back_cells[lengths - 1, row]], 1)
        keys = F.linear(memory, self.score.key_weight, self.score.bias)
        mask = torch.zeros(position.shape[0], len(lengths)).masked_fill_(position >= lengths, NEVER).t().unsqueeze(1)
        start = State(self.bridge_hidden(hidden).tanh().float(), self.bridge_cell(cell).float(),
                      torch.zeros(len(lengths), SIZE))
        return Encoded(memory.to(keys.dtype), keys, mask.to(keys.dtype)), start

    def loop(self, dtype):
        """The weights of the decoder step, cast and transposed."""
        weights = (self.feed.weight, self.decoder.recurrent_weight, self.score.query_weight, self.score.vector,
                   self.combine.weight)
        return Loop(*(weight.to(dtype).t() for weight in weights))

    @staticmethod
    def step(loop, projected, state, encoded):
        """One step of N = B K rows; the K rows of a source sentence are neighbours."""
        sentences, positions, inner = encoded.keys.shape
        gates = torch.addmm(torch.addmm(projected, state.feed, loop.feed), state.hidden, loop.recurrent)
        hidden, cell = Lstm.cell(gates, state.cell)
        query = torch.mm(hidden, loop.query).view(sentences, -1, 1, inner)
        energies = torch.tanh(encoded.keys.unsqueeze(1) + query).matmul(loop.vector)  # [B, K, S]
        weights = torch.softmax(energies + encoded.mask, 2).to(encoded.memory.dtype)
        context = torch.bmm(weights, encoded.memory).view(len(hidden), -1)
        feed = torch.tanh(torch.mm(torch.cat([context, hidden.to(context.dtype)], 1), loop.combine))
        return State(hidden, cell, feed)

    def loss(self, batch):
        """Mean negative log-likelihood of the target tokens."""
        encoded, state = self.encode(batch.source, batch.lengths)
        loop = self.loop(encoded.keys.dtype)
        outputs = []
        for projected in self.decoder.project(self.target_embedding(batch.target_input)).unbind(0):
            state = self.step(loop, projected, state, encoded)
            outputs.append(state.feed)
        real = batch.target_output.view(-1).ne(PAD).nonzero().squeeze(1)
        outputs = torch.stack(outputs).view(-1, SIZE).index_select(0, real)
        return F.cross_entropy(self.output(outputs).float(), batch.target_output.view(-1)[real])


# ---- training


Batch = collections.namedtuple("Batch", "source lengths target_input target_output tokens")


def read_pairs(tokenizer, source, target):
    sides = []
    for path in (source, target):
        with open(path, encoding="utf-8", newline="\n") as file:
            sides.append(tokenizer.encode(file.read().split("\n")[:-1]))
    return list(zip(*sides))


def plan_epoch(pairs):
    """Like attend: batches of similar length from random pools, in random order."""
    order = random.sample(pairs, len(pairs))
    pools = -(-len(order) // (BATCH * BATCHES_PER_POOL))
    batches = []
    for pool in range(pools):
        part = order[len(order) * pool // pools:len(order) * (pool + 1) // pools]
        part.sort(key=lambda pair: (len(pair[1]), len(pair[0]) * (-1) ** len(pair[1])))
        batches += [part[begin:begin + BATCH] for begin in range(0, len(part), BATCH)]
    random.shuffle(batches)
    return batches


def plan_epoch_by_tokens(pairs):
    """Batches with at most BATCH_TOKENS on either side, padding included."""
    order = sorted(random.sample(pairs, len(pairs)), key=lambda pair: (len(pair[1]), len(pair[0])))
    batches, batch, longest = [], [], 0
    for pair in order:
        longer = max(longest, len(pair[0]) + 1, len(pair[1]) + 1)
        if batch and longer * (len(batch) + 1) > BATCH_TOKENS:
            batches.append(batch)
            batch, longer = [], max(len(pair[0]), len(pair[1])) + 1
        batch.append(pair)
        longest = longer
    random.shuffle(batches)
    return batches


def pad(rows):
    """[longest, rows]: time first."""
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], padding_value=PAD)


def make_batch(pairs):
    return Batch(
        source=pad([source + [EOS] for source, _ in pairs]),
        lengths=torch.tensor([len(source) + 1 for source, _ in pairs]),
        target_input=pad([[BOS] + target for _, target in pairs]),
        target_output=pad([target + [EOS] for _, target in pairs]),
        tokens=sum(len(target) + 1 for _, target in pairs))


def train(options):
    random.seed(1)
    torch.manual_seed(1)
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=options.tokenizer)
    pairs = read_pairs(tokenizer, options.source, options.target)
    transformer = options.architecture == "transformer"
    model = bench_transformer.Transformer(tokenizer.get_piece_size()) if transformer else Translator()
    plan = plan_epoch_by_tokens if transformer else plan_epoch
    model.initialize()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    rates, losses = [], []
    end = time.monotonic() + options.seconds
    batches = []
    while time.monotonic() < end:
        start, tokens = time.monotonic(), 0
        for _ in range(options.window):
            batches = batches or plan(pairs)
            batch = make_batch(batches.pop())
            with options.autocast():
                loss = model.loss(batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), CLIP_NORM)
            optimizer.step()
            losses.append(loss.item())
            tokens += batch.tokens
        rates.append(tokens / (time.monotonic() - start))
    return {"tokens_per_second": rates, "first_loss": losses[0], "last_loss": losses[-1]}


# ---- translation


def load_weights(folder):
    """The tensors of best.safetensors: 8 bytes of header length, JSON header, raw floats."""
    with open(os.path.join(folder, "best.safetensors"), "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = bytearray(file.read())
    header.pop("__metadata__", None)
    return {name: torch.frombuffer(data, dtype=torch.float32, offset=entry["data_offsets"][0],
                                   count=(entry["data_offsets"][1] - entry["data_offsets"][0]) // 4)
            .view(entry["shape"]) for name, entry in header.items()}


def own_name(name):
    """attend's decoder.attention.score.vector -> score.vector and so on."""
    for theirs, ours in (("encoder.layer0_", "encoder_"), ("bridge.layer0_", "bridge_"),
                         ("decoder.stack.layer0.", "decoder."), ("decoder.attention.", ""), ("decoder.", "")):
        if name.startswith(theirs):
            return ours + name[len(theirs):]
    return name


class Search:
    """Beam search for a batch. Each step keeps the best `beam - ended` continuations of a sentence, until none can beat
    the best finished one."""

    def __init__(self, model, loop, sources, beam):
        self.model, self.loop, self.beam = model, loop, beam
        self.results = [[] for _ in sources]
        self.sentence = torch.arange(len(sources))  # the sentence of each row of the tensors below
        lengths = torch.tensor([len(source) for source in sources])
        self.limit = (lengths - 1) * 2 + 10
        self.encoded, start = self.encode(pad(sources), lengths)
        self.state = State(*(part.repeat_interleave(beam, 0) for part in start))
        self.scores = torch.full((len(sources), beam), -torch.inf)
        self.scores[:, 0] = 0
        self.best = torch.full((len(sources),), -torch.inf)
        self.ended = torch.zeros(len(sources), dtype=torch.long)
        self.tokens = torch.full((len(sources), beam, 1), BOS)

    def encode(self, source, lengths):
        return self.model.encode(source, lengths)

    def outputs(self):
        projected = self.model.decoder.project(self.model.target_embedding(self.tokens[:, :, -1].reshape(-1)))
        self.state = self.model.step(self.loop, projected, self.state, self.encoded)
        return self.state.feed

    def log_probs(self):
        logits = self.model.output(self.outputs()).float()
        normaliser = logits.logsumexp(1, keepdim=True)
        logits[:, :EOS] = -torch.inf
        values, tokens = logits.topk(self.beam, 1, sorted=False)
        return (values - normaliser).view(-1, self.beam, self.beam), tokens.view(-1, self.beam * self.beam)

    def advance(self):
        length = self.tokens.size(2)  # length of a translation that ends here, with its end symbol
        log_probs, tokens = self.log_probs()
        scores, cells = (self.scores.unsqueeze(2) + log_probs).flatten(1).topk(self.beam, 1)
        tokens, parents = tokens.gather(1, cells), cells // self.beam
        scores.masked_fill_(torch.arange(self.beam) >= self.beam - self.ended.unsqueeze(1), -torch.inf)
        ends = (tokens == EOS) | (self.limit < length).unsqueeze(1)
        ends &= scores > -torch.inf
        self.collect(ends, scores / length, parents)
        self.scores = scores.masked_fill(ends, -torch.inf)
        self.ended += ends.sum(1)
        chosen = self.tokens.gather(1, parents.unsqueeze(2).expand(-1, -1, length))
        self.tokens = torch.cat([chosen, tokens.unsqueeze(2)], 2)
        self.keep(parents, self.best < self.scores.max(1)[0] / (self.limit + 1))

    def collect(self, ends, scores, parents):
        best, row = scores.masked_fill(~ends, -torch.inf).max(1)
        for i in (best > self.best).nonzero().squeeze(1).tolist():
            self.results[self.sentence[i]] = self.tokens[i, parents[i, row[i]], 1:].tolist()
        self.best = torch.maximum(self.best, best)

    def keep(self, parents, going):
        """Keeps the rows of `parents`; drops finished sentences once they are a quarter of all."""
        rows = parents + self.beam * torch.arange(len(parents)).unsqueeze(1)
        self.scores.masked_fill_(~going.unsqueeze(1), -torch.inf)
        count = int(going.sum())
        if 4 * count <= 3 * len(going):
            kept = going.nonzero().squeeze(1)
            rows = rows[kept]
            self.encoded = Encoded(*(part[kept] for part in self.encoded))
            for name in ("sentence", "limit", "scores", "best", "ended", "tokens"):
                setattr(self, name, getattr(self, name)[kept])
        self.state = State(*(part.index_select(0, rows.flatten()) for part in self.state))

    def run(self):
        while bool((self.scores > -torch.inf).any()):
            self.advance()
        return self.results


class TransformerSearch(Search):
    """Beam search in which each step reads all words so far."""

    def encode(self, source, lengths):
        memory, padding = self.model.read(source.t())
        nothing = torch.zeros(len(lengths), 0)
        return Encoded(memory, nothing, padding), State(nothing, nothing, nothing)

    def outputs(self):
        memory, padding = (part.repeat_interleave(self.beam, 0) for part in (self.encoded.memory, self.encoded.mask))
        return self.model.write(self.tokens.flatten(0, 1), memory, padding)[:, -1]


def load_model(options):
    weights = load_weights(options.model)
    if options.architecture == "transformer":
        model = bench_transformer.from_attend(weights)
        if options.precision == "bf16":
            bench_transformer.leave_fast_path(model)
        return model
    model = Translator()
    model.load_state_dict({own_name(name): value for name, value in weights.items()})
    return model


def translate(options):
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=os.path.join(options.model, "joint.model"))
    model = load_model(options)
    transformer = options.architecture == "transformer"
    search = TransformerSearch if transformer else Search
    with open(options.input, encoding="utf-8", newline="\n") as file:
        lines = file.read().split("\n")[:-1]
    start = time.monotonic()
    results = [""] * len(lines)
    with torch.inference_mode(), options.autocast():
        sources = [pieces + [EOS] for pieces in tokenizer.encode(lines)]
        order = sorted(range(len(lines)), key=lambda line: -len(sources[line]))
        loop = None if transformer else model.loop(torch.bfloat16 if options.precision == "bf16" else torch.float32)
        for begin in range(0, len(order), options.batch_size):
            batch = order[begin:begin + options.batch_size]
            found = search(model, loop, [sources[line] for line in batch], options.beam).run()
            for line, pieces in zip(batch, found):
                results[line] = tokenizer.decode(pieces)
    seconds = time.monotonic() - start
    with open(options.output, "w", encoding="utf-8") as file:
        file.writelines(result + "\n" for result in results)
    return {"sentences_per_second": len(lines) / seconds}


# ---- the process


def set_up(threads):
    """Sets one thread pool, keeps freed memory (like attend) and flushes denormals."""
    libc = ctypes.CDLL(None)
    for parameter, value in ((-3, 1 << 30), (-1, 2**31 - 1), (-2, 64 << 20)):  # mmap and trim threshold, top pad
        libc.mallopt(parameter, value)
    torch.set_flush_denormal(True)
    torch.set_num_threads(threads)
    with open("/proc/self/maps", encoding="utf-8") as maps:
        blas = sorted({line.split()[-1] for line in maps if "blas" in line})
    if not any("openblas-openmp" in path for path in blas) or any("pthread" in path for path in blas):
        print(f"bench_pytorch.py: the BLAS is not OpenBLAS with OpenMP, so this is slower than necessary: {blas}", file=sys.stderr)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--threads", type=int, default=1)
    common.add_argument("--precision", choices=("f32", "bf16"), default="f32")
    common.add_argument("--architecture", choices=("rnn", "transformer"), default="rnn")
    trainer = commands.add_parser("train", parents=[common])
    for name in ("--tokenizer", "--source", "--target"):
        trainer.add_argument(name, required=True)
    trainer.add_argument("--seconds", type=float, default=60)
    trainer.add_argument("--window", type=int, default=10, help="updates between two measurements")
    translator = commands.add_parser("translate", parents=[common])
    for name in ("--model", "--input", "--output"):
        translator.add_argument(name, required=True)
    translator.add_argument("--beam", type=int, default=5)
    translator.add_argument("--batch-size", type=int, default=64)
    return parser.parse_args()


def main():
    options = parse()
    set_up(options.threads)
    bf16 = options.precision == "bf16"
    options.autocast = lambda: torch.autocast("cpu", torch.bfloat16) if bf16 else contextlib.nullcontext()
    result = {"train": train, "translate": translate}[options.command](options)
    result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result))


if __name__ == "__main__":
    main()
