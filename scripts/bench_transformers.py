#!/usr/bin/env python3
"""Times attend's Transformers against PyTorch's nn.Transformer layers on Multi30k and prints a Markdown table.

  bench_transformers.py --program FILE --model DIR [--ssru DIR] [--data data/multi30k] [--threads 2] [--rounds 2]
                        [--jobs "train decode"] [--updates 40] [--sentences 1000] [--output build/bench_transformers]

The model is that of configs/transformer_multi30k.yaml without its position biases, which PyTorch's layers lack. DIR must
be trained with the settings of PLAIN below (--ssru: with configs/ssru_multi30k.yaml unchanged). PyTorch's model is in
bench_transformer.py and translates with the same weights. The programs take turns; keep the machine idle otherwise.
Training: median of windows of 5 updates without the first, on the same pieces, without subword sampling. Translation:
test_2016_flickr with beam 5, a quarter of the lines at batch 1. PyTorch's rows need Debian's python3-torch and
python3-sentencepiece.
"""
import argparse
import collections
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys

PYTHON = "/usr/bin/python3"  # Debian's
PLAIN = {f"model.{part}.scope": "global" for part in ("attention", "encoder.layer_attention", "decoder.layer_attention")}
HERE = pathlib.Path(__file__).resolve().parent
PRECISIONS = {"train": {"attend": ("f32", "bf16"), "pytorch": ("f32", "bf16")},
              "decode": {"attend": ("f32", "int8"), "ssru": ("f32", "int8"), "pytorch": ("f32", "bf16")}}


def run(command, environment=None):
    finished = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                              env={**clean_environment(), **(environment or {})})
    if finished.returncode != 0:
        sys.exit(f"bench_transformers.py: {' '.join(map(str, command))}\n{finished.stderr}")
    return finished


def clean_environment():
    hidden = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OMP_NUM_THREADS", "ATEN_CPU_CAPABILITY")
    return {name: value for name, value in os.environ.items() if name not in hidden}


def run_pytorch(options, command, *arguments):
    blas = f"/usr/lib/{platform.machine()}-linux-gnu/openblas-openmp"  # this flavour shares LibTorch's threads
    answer = run([PYTHON, HERE / "bench_pytorch.py", command, "--architecture", "transformer", "--threads", options.threads,
                  *arguments], {"LD_LIBRARY_PATH": blas})
    return json.loads(answer.stdout)


def side(options, name, language):
    return options.data / f"{name}.lc.norm.tok.{language}"


def train_attend(options, precision):
    folder = options.output / f"train_{precision}"
    settings = {"data.train.source": side(options, "train", "en"), "data.train.target": side(options, "train", "de"),
                "data.dev.source": side(options, "val", "en"), "data.dev.target": side(options, "val", "de"),
                "tokenizer.model": options.model / "joint.model", "tokenizer.sampling": 0,
                "training.precision": precision, "training.log_every": 5, "training.max_updates": options.updates,
                "training.validation.metric": "loss", "training.validation.beam": 0} | PLAIN
    sets = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    run([options.program, "train", HERE.parent / "configs" / "transformer_multi30k.yaml", "--threads", options.threads,
         "--output", folder, "--overwrite", "--quiet", *sets])
    lines = [json.loads(line) for line in (folder / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    return [line["timing"]["target_tokens_per_second"] for line in lines if line["type"] == "train"][1:]


def train_pytorch(options, precision):
    return run_pytorch(options, "train", "--precision", precision, "--tokenizer", options.model / "joint.model",
                       "--source", side(options, "train", "en"), "--target", side(options, "train", "de"),
                       "--seconds", options.seconds, "--window", 5)["tokens_per_second"][1:]


def input_of(options, batch):
    lines = side(options, "test_2016_flickr", "en").read_text(encoding="utf-8").split("\n")[:options.sentences]
    path = options.output / f"input.{batch}"
    path.write_text("".join(line + "\n" for line in (lines[::4] if batch == 1 else lines)), encoding="utf-8")
    return path


def decode_attend(options, model, precision, batch):
    answer = run([options.program, "translate", "--model", model, "--input", input_of(options, batch), "--output",
                  options.output / f"attend.{batch}", "--beam", 5, "--batch-size", batch, "--threads", options.threads,
                  "--length-penalty", 1, "--precision", precision])
    return [float(re.search(r"\(([0-9.,]+) lines/s\)", answer.stderr).group(1).replace(",", ""))]


def decode_pytorch(options, precision, batch):
    return [run_pytorch(options, "translate", "--precision", precision, "--model", options.model, "--input",
                        input_of(options, batch), "--output", options.output / f"pytorch.{batch}", "--beam", 5,
                        "--batch-size", batch)["sentences_per_second"]]


def measure(options):
    """{(job, program, precision): rates of all rounds}."""
    rates = collections.defaultdict(list)
    for _ in range(options.rounds):
        if "train" in options.jobs:
            for precision in PRECISIONS["train"]["attend"]:
                rates["training", "attend", precision] += train_attend(options, precision)
                rates["training", "pytorch", precision] += train_pytorch(options, precision)
        if "decode" not in options.jobs:
            continue
        for batch in (1, 64):
            job = f"beam 5, batch {batch}"
            for precision in PRECISIONS["decode"]["attend"]:
                rates[job, "attend", precision] += decode_attend(options, options.model, precision, batch)
                if options.ssru:
                    rates[job, "ssru", precision] += decode_attend(options, options.ssru, precision, batch)
            for precision in PRECISIONS["decode"]["pytorch"]:
                rates[job, "pytorch", precision] += decode_pytorch(options, precision, batch)
    return rates


def show(rates):
    names = {"attend": "attend, Transformer", "ssru": "attend, SSRU decoder", "pytorch": "PyTorch, nn.Transformer"}
    print("| job | program | precision | median | to PyTorch f32 |\n|---|---|---|---:|---:|")
    for (job, program, precision), values in sorted(rates.items()):
        median, base = statistics.median(values), statistics.median(rates[job, "pytorch", "f32"])
        unit = "target tokens/s" if job == "training" else "sentences/s"
        print(f"| {job}, {unit} | {names[program]} | {precision} | {median:,.1f} | {median / base:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--ssru", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, default=HERE.parent / "data" / "multi30k")
    parser.add_argument("--output", type=pathlib.Path, default=HERE.parent / "build" / "bench_transformers")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--updates", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--jobs", default="train decode")
    options = parser.parse_args()
    if not options.jobs.split() or set(options.jobs.split()) - {"train", "decode"}:
        parser.error(f"--jobs {options.jobs}: expected train, decode or both")
    options.output.mkdir(parents=True, exist_ok=True)
    show(measure(options))


if __name__ == "__main__":
    main()
