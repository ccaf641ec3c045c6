#!/usr/bin/env python3
"""The jobs of scripts/bench_gpu.sh in PyTorch, as a careful user would write them for a GPU. Prints one JSON line.

  opponent.py train --job NAME --tokenizer FILE --source FILE --target FILE [--seconds 20] [--pieces FILE]
  opponent.py translate --job NAME --model DIR --input FILE --output FILE [--beam 5] [--batch-size 64]
  opponent.py ceilings
All take [--device cuda|cpu] [--precision f32|tf32|bf16] [--loop eager|graphs|compile] [--small] [--threads N].

The models are in recurrent.py and transformer.py. bf16 keeps f32 weights and casts them once a batch. Adam is PyTorch's
fused one, batches wait in pinned memory, and losses are read once a window. --loop graphs replays CUDA graphs, one per
shape of batches; compile also fuses the steps with torch.compile. --pieces keeps the pieces of the text in a file.
Translation reads its weights from a model folder of attend, and translates everything once before the timed run.
Needs PyTorch 2 and sentencepiece. scripts/bench_pytorch.py is the opponent on a CPU.
"""
import argparse
import json
import os
import random
import resource
import sys
import time

import torch

from batches import EOS, make_batches, read_pairs
from jobs import JOBS
from recurrent import Recurrent, load_tensors, parameters_of
from search import Translator
from transformer import Transformer
from update import Eager, Graphed


def fail(message):
    sys.exit(f"opponent.py: {message}")


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def make_model(options, job):
    kind = {"recurrent": Recurrent, "transformer": Transformer}.get(job.family)
    if kind is None:
        fail(f"no PyTorch program for the job {job.name}")
    dtype = torch.bfloat16 if options.precision == "bf16" else torch.float32
    return kind(job, dtype, compiled=options.loop == "compile").to(options.device)


def load_tokenizer(path):
    import sentencepiece  # pylint: disable=import-outside-toplevel  # ceilings need none
    return sentencepiece.SentencePieceProcessor(model_file=path)


def job_of(options):
    return JOBS[options.job].small() if options.small else JOBS[options.job]


# ---- training


def train(options):
    job = job_of(options)
    pairs = read_pairs(load_tokenizer(options.tokenizer), options.source, options.target, options.pieces)
    model = make_model(options, job)
    graphs = options.loop != "eager"
    on_card = options.device.type == "cuda"
    batches = make_batches(pairs, job, fixed_shapes=graphs, pin=on_card)
    if not batches:
        fail(f"{len(pairs)} pairs make no batch")
    optimizer = torch.optim.Adam(model.parameters(), lr=0.0005, fused=True, capturable=on_card)
    update = (Graphed if graphs else Eager)(model, optimizer, options.device)
    begin = time.monotonic()
    update.prepare(batches)
    synchronize(options.device)
    found = {"prepare_seconds": time.monotonic() - begin, "shapes": len(getattr(update, "shapes", ()))}
    return found | measure(options, job, update, batches)


def measure(options, job, update, batches):
    """Windows of target and source tokens per second, and mean losses."""
    target_rates, source_rates, losses, position = [], [], [], 0
    end = time.monotonic() + options.seconds
    while time.monotonic() < end or len(target_rates) < 2:
        update.total.zero_()
        synchronize(options.device)
        start, source, target = time.monotonic(), 0, 0
        for _ in range(job.window):
            batch = batches[position % len(batches)]
            update(batch)
            source, target, position = source + batch.source_tokens, target + batch.target_tokens, position + 1
        losses.append(update.total.item() / job.window)
        seconds = time.monotonic() - start
        target_rates.append(target / seconds)
        source_rates.append(source / seconds)
    memory = torch.cuda.max_memory_reserved() / 2**20 if options.device.type == "cuda" else None
    return {"target_rates": target_rates, "source_rates": source_rates, "updates": position,
            "first_loss": losses[0], "last_loss": losses[-1], "device_mb": memory,
            "tokens_per_update": sum(batch.target_tokens for batch in batches) / len(batches)}


# ---- translation


def translate(options):
    job = job_of(options)
    if job.family != "recurrent":
        fail(f"translates recurrent jobs only, not {job.name}")
    tokenizer = load_tokenizer(os.path.join(options.model, "joint.model"))
    model = make_model(options, job).eval()
    model.load_state_dict(parameters_of(load_tensors(options.model), job))
    with open(options.input, encoding="utf-8", newline="\n") as file:
        lines = file.read().split("\n")[:-1]
    with torch.inference_mode():
        translator = Translator(model, options.beam, options.device, options.loop != "eager")
        sources = [pieces + [EOS] for pieces in tokenizer.encode(lines)]
        translator.translate(sources, options.batch_size)
        start = time.monotonic()
        sources = [pieces + [EOS] for pieces in tokenizer.encode(lines)]
        found = translator.translate(sources, options.batch_size)
        found = [words[:-1] if words[-1] == EOS else words for words in found]
        results = tokenizer.decode(found)
        seconds = time.monotonic() - start
    with open(options.output, "w", encoding="utf-8") as file:
        file.writelines(result + "\n" for result in results)
    return {"sentences_per_second": len(lines) / seconds,
            "tokens_per_second": sum(len(words) + 1 for words in found) / seconds}


# ---- ceilings


def timed(work, device, repeats):
    """Median seconds of one call."""
    for _ in range(3):
        work()
    times = []
    for _ in range(repeats):
        synchronize(device)
        start = time.monotonic()
        work()
        synchronize(device)
        times.append(time.monotonic() - start)
    return sorted(times)[len(times) // 2]


def ceilings(options):
    """Bytes/s of a copy (read and written) and FLOP/s of a large product on random data."""
    device, size = options.device, 512 if options.device.type == "cpu" else 8192
    values = torch.randn(size * size * 8, device=device)
    other = torch.empty_like(values)
    found = {"bytes_per_second": 8 * values.numel() / timed(lambda: other.copy_(values), device, 20)}
    del values, other
    for precision in ("f32", "tf32", "bf16"):
        set_precision(precision)
        dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        a, b = (torch.randn(size, size, device=device, dtype=dtype) for _ in range(2))
        found[f"{precision}_flop_per_second"] = 2 * size**3 / timed(lambda a=a, b=b: a @ b, device, 10)
    if device.type == "cuda":
        found |= {"card": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda,
                  "cudnn": torch.backends.cudnn.version()}
    return found


# ---- the process


def set_precision(precision):
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--device", type=torch.device, default="cuda")
    common.add_argument("--precision", choices=("f32", "tf32", "bf16"), default="f32")
    common.add_argument("--loop", choices=("eager", "graphs", "compile"), default="graphs")
    common.add_argument("--small", action="store_true", help="sizes for a test on a CPU")
    common.add_argument("--threads", type=int, default=4)
    commands.add_parser("ceilings", parents=[common])
    common.add_argument("--job", choices=sorted(JOBS), required=True)
    trainer = commands.add_parser("train", parents=[common])
    for name in ("--tokenizer", "--source", "--target"):
        trainer.add_argument(name, required=True)
    trainer.add_argument("--pieces")
    trainer.add_argument("--seconds", type=float, default=20)
    translator = commands.add_parser("translate", parents=[common])
    for name in ("--model", "--input", "--output"):
        translator.add_argument(name, required=True)
    translator.add_argument("--beam", type=int, default=5)
    translator.add_argument("--batch-size", type=int, default=64)
    return parser.parse_args()


def main():
    options = parse()
    random.seed(1)
    torch.manual_seed(1)
    torch.set_num_threads(options.threads)
    set_precision(options.precision)
    result = {"train": train, "translate": translate, "ceilings": ceilings}[options.command](options)
    result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result))


if __name__ == "__main__":
    main()
