#!/usr/bin/env python3
"""Measures attend and PyTorch on a GPU, part by part. scripts/bench_gpu.sh says how to use it."""
import argparse
import json
import pathlib
import re
import shlex
import sys

from data import Data, sets
from jobs import JOBS, ROOT
from ledger import Ledger, run, say
from table import print_table

OPPONENT = pathlib.Path(__file__).resolve().parent / "opponent.py"
PARTS = ("card", "equality", "train", "translate", "recipe")
RECIPE_TOKENS = 30 * 29_000 * 15  # epochs, pairs, mean length of a target sentence
LINES = {1: 64, 64: 3072, 128: 6144, 256: 6144}  # to translate, by batch size; enough to make the first batches cheap
RECIPE_LINES = 4  # times as many for the smaller model


class Bench:
    def __init__(self, options):
        self.options = options
        self.ledger = Ledger(options.results, options.budget, options.retry, options.again)
        self.data = Data(options)
        self.logs = options.work / "logs"

    def job(self, name):
        return JOBS[name].small() if self.options.small else JOBS[name]

    def log(self, key):
        return self.logs / ("_".join(str(value) for value in key.values()).replace(" ", "-") + ".log")

    def python(self, command, *arguments):
        small = ["--small"] if self.options.small else []
        return [*shlex.split(self.options.python), OPPONENT, command, "--device", self.options.device, *small, *arguments]

    def measure(self, key, command, estimate, read, environment=None):
        """Runs a command if its measurement is missing, and records what `read` finds in its output."""
        if not self.ledger.wanted(key, estimate):
            return None
        done = run(command, min(1.5 * estimate + 15, self.ledger.left()), self.log(key), environment)
        if done.failed:
            return self.ledger.add(key, failed=done.failed, wall=done.seconds)
        try:
            found = read(done)
        except (OSError, ValueError, KeyError, IndexError) as error:
            found = {"failed": f"printed no result: {error!r}"}
        return self.ledger.add(key, wall=done.seconds, **found)

    # ---- card and equality

    def card(self):
        def first_line(done):
            return {"text": (done.output.strip() or done.log.strip()).splitlines()[0]}
        fields = "--query-gpu=name,driver_version,memory.total,clocks.max.sm"
        queries = {"nvidia-smi": ["nvidia-smi", fields, "--format=csv,noheader"], "attend": [self.options.program, "--version"]}
        for name, command in queries.items():
            self.measure({"part": "card", "contender": name}, command, 10, first_line)
        self.measure({"part": "card", "contender": "ceilings"}, self.python("ceilings"), 20,
                     lambda done: json.loads(done.output))

    def equality(self):
        """Runs the checks and counts their tests."""
        def count(done):
            passed = re.search(r"\[  PASSED  \] (\d+) test", done.output)
            skipped = re.search(r"\[  SKIPPED \] (\d+) test", done.output)
            return {"passed": int(passed.group(1)), "skipped": int(skipped.group(1)) if skipped else 0}
        for command in self.options.checks:
            key = {"part": "equality", "contender": pathlib.Path(shlex.split(command)[0]).name}
            self.measure(key, shlex.split(command), self.options.checks_seconds, count,
                         {"ATTEND_TEST_DEVICE": self.options.device})

    # ---- training

    def train(self):
        for turn in range(1, self.options.rounds + 1):
            for precision in self.options.precisions:
                for name in self.options.jobs:
                    contenders = [lambda *key: self.train_attend(*key)]
                    contenders += [lambda *key, loop=loop: self.train_pytorch(*key, loop) for loop in self.options.loops]
                    for contender in contenders[::1 if turn % 2 else -1]:
                        contender(self.job(name), precision, turn)

    def estimate(self, contender, job, usual):
        """Estimated seconds of a run: those of the longest such run so far, or the measurement plus the usual overhead."""
        walls = [record["wall"] for record in self.ledger.matching(part="train", contender=contender, job=job.name)
                 if "failed" not in record]
        return max(walls) + 2 if walls else self.options.seconds + usual

    def train_settings(self, job, precision):
        settings = {**self.data.settings(job), "tokenizer.model": self.data.tokenizer(job), **job.overrides(),
                    "training.precision": precision, "training.max_epochs": 0,
                    "training.max_minutes": (self.options.seconds + job.saving_seconds) / 60}
        if job.name == "recipe":
            dev = self.data.multi30k / "val.lc.norm.tok"
            settings |= {"data.dev.source": f"{dev}.en", "data.dev.target": f"{dev}.de",
                         "training.validate_every.epochs": 100_000}
        return settings

    def train_attend(self, job, precision, turn):
        key = {"part": "train", "job": job.name, "contender": "attend", "precision": precision, "round": turn}
        if job.name == "recipe" and not self.data.multi30k:
            return None
        return self.train_into(key, self.options.work / "models" / f"{job.name}_{precision}", job)

    def train_into(self, key, folder, job):
        if not self.ledger.wanted(key, self.estimate("attend", job, 20)):
            return None
        command = [self.options.program, "train", ROOT / job.config, "--overwrite", "--output", folder, "--device",
                   self.options.device, "--threads", self.options.threads, *sets(self.train_settings(job, key["precision"]))]
        return self.measure(key, command, self.estimate("attend", job, 20),
                            lambda done: read_history(folder / "train.jsonl", job.window, done.log))

    def train_pytorch(self, job, precision, turn, loop):
        contender = f"PyTorch {loop}"
        key = {"part": "train", "job": job.name, "contender": contender, "precision": precision, "round": turn}
        usual = 100 if loop == "compile" else 25
        if job.family == "conditional" or not self.ledger.wanted(key, self.estimate(contender, job, usual)):
            return
        text, tokenizer = self.data.text(job), self.data.tokenizer(job)
        command = self.python("train", "--job", job.name, "--precision", precision, "--loop", loop, "--seconds",
                              self.options.seconds, "--tokenizer", tokenizer, "--source", text.source, "--target", text.target,
                              "--pieces", self.options.work / f"{self.data.name(job)}.pieces")
        self.measure(key, command, self.estimate(contender, job, usual), lambda done: json.loads(done.output))

    # ---- translating

    def model(self, job):
        """A folder with a trained model, or None. The gnmt job takes a small network in a large one (widen.py)."""
        if job.name == "gnmt":
            return self.data.wide(job)
        names = ["recipe_whole_1"] if job.name == "recipe" else []
        names += [f"{job.name}_{precision}" for precision in ("bf16", "tf32", "f32")]
        for folder in (self.options.work / "models" / name for name in names):
            if (folder / "best.safetensors").exists():
                return folder
        for precision in self.options.precisions:
            key = {"part": "model", "job": job.name, "precision": precision}
            self.train_into(key, folder := self.options.work / "models" / f"{job.name}_{precision}", job)
            if (folder / "best.safetensors").exists():
                return folder
        return None

    def translate(self):
        for name in self.options.translate_jobs:
            job = self.job(name)
            if job.name == "recipe" and not self.data.multi30k:
                continue
            model = self.model(job)
            if model is None:
                say(f"translate {name}: no model")
                continue
            self.same_as_cpu(job, model)
            for batch in self.options.batches:
                for precision in ("bf16", "f32"):
                    self.translate_attend(job, model, batch, precision)
                    if job.family == "recurrent" and batch in self.options.rival_batches:
                        self.translate_pytorch(job, model, batch, precision)

    def input(self, job, batch):
        count = LINES.get(batch, 3072) * (RECIPE_LINES if job.name == "recipe" else 1)
        count = count // 16 + 1 if self.options.small else count
        return self.data.easy_test(count) if job.name == "gnmt" else self.data.head(self.data.text(job).source, count)

    def attend_search(self, model, source, output, device, *arguments):
        return [self.options.program, "translate", "--model", model, "--input", source, "--output", output, "--device", device,
                "--threads", self.options.threads, "--beam", "5", *arguments]

    def translate_attend(self, job, model, batch, precision):
        output, source = self.options.work / f"{job.name}.attend", self.input(job, batch)

        def read(done):
            rate = float(re.search(r"\(([0-9.,]+) lines/s\)", done.log).group(1).replace(",", ""))
            lines = output.read_text(encoding="utf-8").splitlines()
            length = count_pieces(lines, model) / len(lines)
            found = {"sentences_per_second": rate, "tokens_per_second": rate * length, "mean_length": length}
            return found | ({"bleu": self.bleu(output, source.with_suffix(".tgt"))} if job.name == "gnmt" else {})
        self.measure({"part": "translate", "job": job.name, "contender": "attend", "precision": precision, "batch": batch},
                     self.attend_search(model, source, output, self.options.device, "--batch-size", batch,
                                        "--precision", precision), 15, read)

    def translate_pytorch(self, job, model, batch, precision):
        key = {"part": "translate", "job": job.name, "contender": "PyTorch graphs", "precision": precision, "batch": batch}
        self.measure(key, self.python("translate", "--job", job.name, "--model", model, "--input", self.input(job, batch),
                                      "--output", self.options.work / f"{job.name}.pytorch", "--batch-size", batch,
                                      "--precision", precision), 25, lambda done: json.loads(done.output))

    def same_as_cpu(self, job, model):
        """Counts the lines that the device translates in f32 like the CPU."""
        if job.name != "recipe":
            return
        source = self.data.multi30k / "test_2016_flickr.lc.norm.tok.en"
        source = self.data.head(source, 50) if self.options.small else source
        outputs = [self.options.work / f"same.{side}" for side in ("cpu", "device")]
        key = {"part": "same", "job": job.name, "contender": "attend", "precision": "f32"}
        if not self.ledger.wanted(key, 40):
            return
        search = self.attend_search(model, source, outputs[0], "cpu", "--precision", "f32")
        done = run(search, 60, self.logs / "same_cpu.log")
        if done.failed:
            self.ledger.add(key, failed=f"on the CPU: {done.failed}")
            return

        def read(_):
            cpu, device = (output.read_text(encoding="utf-8").splitlines() for output in outputs)
            return {"lines": len(cpu), "same": sum(one == other for one, other in zip(cpu, device))}
        self.measure(key, self.attend_search(model, source, outputs[1], self.options.device, "--precision", "f32"), 20, read)

    # ---- the recipe

    def recipe(self):
        if not self.data.multi30k:
            self.ledger.add({"part": "recipe"}, failed="Multi30k is neither in --data nor in data/multi30k")
            return
        for seed in self.options.seeds:
            self.train_recipe(self.job("recipe"), seed)

    def train_recipe(self, job, seed):
        key = {"part": "recipe", "contender": "attend", "precision": self.options.recipe_precision, "seed": seed}
        folder = self.options.work / "models" / f"recipe_whole_{seed}"
        settings = {**self.train_settings(job, self.options.recipe_precision), "training.max_minutes": 58,
                    "training.max_epochs": 2 if self.options.small else 30, "training.validate_every.epochs": 1}
        command = [self.options.program, "train", ROOT / job.config, "--overwrite", "--output", folder, "--device",
                   self.options.device, "--threads", self.options.threads, "--seed", seed, *sets(settings)]

        def read(done):
            last = (folder / "train.jsonl").read_text(encoding="utf-8").splitlines()[-1]
            return {"seconds": json.loads(last)["timing"]["seconds"], **self.score(folder), "log": done.log.splitlines()[-1]}
        self.measure(key, command, self.recipe_estimate(job), read)

    def recipe_estimate(self, job):
        """Seconds of the whole recipe: from the speed of its training job if that is known, else --recipe-seconds."""
        found = [self.ledger.median("target_rates", part="train", job=job.name, contender="attend", precision=precision)
                 for precision in (self.options.recipe_precision, *self.options.precisions)]
        rate = next(filter(None, found), None)
        return 20 + 1.3 * RECIPE_TOKENS / rate if rate and not self.options.small else self.options.recipe_seconds

    def score(self, model):
        """BLEU on the test set."""
        test = self.data.multi30k / "test_2016_flickr.lc.norm.tok"
        output = self.options.work / "recipe.de"
        done = run(self.attend_search(model, f"{test}.en", output, self.options.device), 60, self.logs / "recipe_test.log")
        if done.failed:
            return {"failed": f"translating: {done.failed}"}
        return {"bleu": self.bleu(output, f"{test}.de")}

    def bleu(self, hypothesis, reference):
        """BLEU of a translation, or None if the program fails."""
        done = run([self.options.program, "eval", "--hypothesis", hypothesis, "--reference", reference, "--tokenize", "none",
                    "--json"], 30, self.logs / "bleu.log")
        return None if done.failed else json.loads(done.output)[0]["score"]


def read_history(path, window, log):
    """Target and source tokens/s of every window, from train.jsonl."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line["type"] == "train"]
    targets = [line["timing"]["target_tokens_per_second"] for line in lines]
    kind = re.search(r"training uses .*", log)
    return {"target_rates": targets, "updates": lines[-1]["update"], "loss": lines[-1]["loss"],
            "source_rates": [rate * line["source_tokens"] / line["target_tokens"] for rate, line in zip(targets, lines)],
            "tokens_per_update": sum(line["target_tokens"] for line in lines) / (window * len(lines)),
            **({"kind": kind.group(0)} if kind else {})}


def count_pieces(lines, model):
    """Pieces of the lines with their end symbols; words if Python has no sentencepiece."""
    try:
        import sentencepiece  # pylint: disable=import-outside-toplevel
    except ImportError:
        return sum(len(line.split()) + 1 for line in lines)
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(model / "joint.model"))
    return sum(len(pieces) + 1 for pieces in tokenizer.encode(lines))


def parse():
    parser = argparse.ArgumentParser(prog="bench_gpu.sh")
    words, numbers = str.split, lambda text: [int(word) for word in text.split()]
    parser.add_argument("--program", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--checks", action="append", default=[])
    parser.add_argument("--checks-seconds", type=float, default=60)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--work", type=lambda text: pathlib.Path(text).resolve(), default=ROOT / "build" / "bench_gpu")
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--only", type=words, default=list(PARTS))
    parser.add_argument("--jobs", type=words, default=list(JOBS))
    parser.add_argument("--translate-jobs", type=words, default=["gnmt", "recipe"])
    parser.add_argument("--precisions", type=words, default=["bf16", "tf32", "f32"])
    parser.add_argument("--loops", type=words, default=["graphs"])
    parser.add_argument("--batches", type=numbers, default=[1, 64, 128, 256])
    parser.add_argument("--seeds", type=numbers, default=[1])
    parser.add_argument("--recipe-precision", default="f32")
    parser.add_argument("--recipe-seconds", type=float, default=150)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--budget", type=float, default=480)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--narrow-minutes", type=float, default=3)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--python", default="python3")
    parser.add_argument("--again", type=words, default=[])
    parser.add_argument("--rival-batches", type=numbers, default=[128])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--retry", action="store_true")
    options = parser.parse_args()
    choices = {"only": PARTS, "jobs": JOBS, "translate_jobs": JOBS, "loops": ("eager", "graphs", "compile")}
    for name, known in choices.items():
        for word in getattr(options, name):
            if word not in known:
                parser.error(f"--{name.replace('_', '-')} {word}: expected {', '.join(known)}")
    options.results = options.results or options.work / "results.jsonl"
    return options


def main():
    options = parse()
    bench = Bench(options)
    for part in options.only:
        getattr(bench, part)()
    print_table(bench.ledger, bench.job)


if __name__ == "__main__":
    sys.exit(main())
