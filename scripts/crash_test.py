#!/usr/bin/env python3
"""Kills `attend train` with SIGKILL again and again, resumes it, and compares the end with a run left alone.

  scripts/crash_test.sh [--kills N] [--seed N] [--work DIR]

Trains a tiny model on the first lines of the bundled corpus, with validations, a moving average, snapshots, averaging
and a save every few updates. First one run is left alone. Then runs are killed once, twice and three times at odd
places: inside an epoch, right after a validation, during averaging. Then runs are killed at random (--seed) until --kills
is reached: inside a save (at a random step of writing a file), inside a validation, inside averaging, at the start of an
update, while data is prepared, while the token ids of the text are kept, or at a random time. After every kill all files that a run may go on from are read by a reader of their own, and
the run is resumed until it ends. Its weights must be those of the run left alone, byte for byte, and so must its last
state and train.jsonl, apart from what depends on the clock. Prints what was counted; exit code 1 if anything differs.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent

CONFIG = """
seed: 7
data:
  train: {source: train.en, target: train.de}
  dev: {source: dev.en, target: dev.de}
tokenizer: {type: bpe, vocabulary: 200, joint: true, sampling: 0.1}
model:
  embedding: 16
  encoder: {hidden: 16}
  decoder: {hidden: 16}
  dropout: {embedding: 0.1, layer: 0.1, recurrent: 0.1, output: 0.1}
training:
  batch: {size: 16, unit: sentences}     # 13 updates an epoch
  ema: 0.9
  max_epochs: 0
  max_updates: 48
  patience: 0
  log_every: 5
  validate_every: {updates: 12, epochs: 0}
  save_every: {updates: 4, minutes: 0}
  keep: {last: 2}
  average: {last: 3}
decoding: {beam: 2, batch_size: 4}
"""
LINES = {"train": 200, "dev": 16}
CHECKPOINT = ("last.state", "last.safetensors", "best.safetensors", "update-", "train.jsonl")
STEPS = ("open", "write", "flush folder of", "flush", "verify", "keep", "rename", "remove", "append to")
ODD_PLACES = (("inside an epoch", "kill=7,only=update begins"),
              ("right after a validation", "kill=2,only=weights measured"),
              ("during averaging", "kill=3,after=averaging begins,only=batch of validation"))
PREPARATION = ("preparation begins", "tokenizers are ready", "text is ready")
CACHE = ".tokens"  # what the file of token ids beside a run's folder is called after it
MOST_KILLS_OF_A_RUN = 12
PATIENCE_SECONDS = 300


class Damaged(Exception):
    """A file that cannot be what it claims."""


def read_tensor_file(path):
    """Header and tensor bytes of a safetensors file with our checksum, computed here once more."""
    content = path.read_bytes()
    if len(content) < 8:
        raise Damaged(f"{path}: {len(content)} bytes")
    length = struct.unpack("<Q", content[:8])[0]
    try:
        header = json.loads(content[8:8 + length])
        claimed = header["__metadata__"].pop("checksum")
    except (ValueError, KeyError) as error:
        raise Damaged(f"{path}: {error}") from error
    text = json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    data = content[8 + length:]
    checksum = zlib.crc32(data, zlib.crc32(text.encode()))
    if claimed != f"crc32:{checksum:08x}":
        raise Damaged(f"{path}: checksum {checksum:08x}, the file says {claimed}")
    return header, data


def without_clock(state):
    """A state without the seconds it counts."""
    header, data = read_tensor_file(state)
    counters = json.loads(header["__metadata__"]["state"])
    counters.pop("seconds")
    counters["interval"].pop("seconds")
    header["__metadata__"]["state"] = counters
    return header, data


def history(folder):
    """The lines of train.jsonl without their timing."""
    lines = (folder / "train.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    for record in records:
        record.pop("timing")
    return records


def is_of_the_end(name):
    """Whether the file is the same however the run came to its end: the generation before and the page are not."""
    return name not in ("previous.state", "last.state", "train.jsonl", "report.html")


class Work:
    """The folder with corpus and config, and the program."""

    def __init__(self, attend, folder):
        self.attend = attend
        self.folder = folder
        self.config = folder / "crash.yaml"
        self.config.write_text(CONFIG, encoding="utf-8")
        for part, count in LINES.items():
            for language in ("en", "de"):
                text = (ROOT / "data" / "quickstart" / f"{part}.{language}").read_text(encoding="utf-8")
                lines = text.splitlines(keepends=True)[:count]
                (folder / f"{part}.{language}").write_text("".join(lines), encoding="utf-8")

    def start(self, output, faults):
        """A process that begins or goes on with the run in `output`; its trace starts anew."""
        trace = output.with_suffix(".trace")
        trace.unlink(missing_ok=True)
        plan = ",".join(part for part in (faults, f"trace={trace}") if part)
        environment = {**os.environ, "ATTEND_FAULTS": plan, "OMP_NUM_THREADS": "1"}
        with open(output.with_suffix(".log"), "w", encoding="utf-8") as log:
            command = [self.attend, "train", self.config, "--output", output, "--resume", "--threads", "1",
                       "--device", "cpu"]
            return subprocess.Popen(command, env=environment, stderr=log)


class Run:
    """A run in its folder, over all its processes."""

    def __init__(self, work, name):
        self.work = work
        self.output = work.folder / name
        self.places = []       # where it was killed
        self.unreadable = []   # what could not be read after a kill

    def forget_token_ids(self):
        """Makes the next process read the text and keep its token ids again."""
        self.output.with_suffix(CACHE).unlink(missing_ok=True)

    def trace(self):
        file = self.output.with_suffix(".trace")
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def go_on(self, faults="", after_seconds=None):
        """True if it ended, False if it was killed. Raises RuntimeError if it failed."""
        process = self.work.start(self.output, faults)
        try:
            code = process.wait(timeout=after_seconds or PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
            if after_seconds is None:
                raise RuntimeError(f"{self.output}: no end after {PATIENCE_SECONDS} seconds") from None
        if code == 0:
            return True
        if code != -signal.SIGKILL:
            log = self.output.with_suffix(".log").read_text(encoding="utf-8")
            raise RuntimeError(f"{self.output}: exit code {code}\n{log}")
        self.places.append(place_of_death(self.trace()))
        self.read_everything()
        return False

    def read_everything(self):
        """Looks for files under their final names that are not whole."""
        for pattern in ("*.state", "*.safetensors"):
            for file in sorted(self.output.glob(pattern)):
                try:
                    read_tensor_file(file)
                except Damaged as error:
                    self.unreadable.append(str(error))
        if (self.output / "train.jsonl").exists():
            try:
                history(self.output)
            except ValueError as error:
                self.unreadable.append(f"{self.output}/train.jsonl: {error}")

    def differences(self, reference):
        """What is not as in the other run, which was left alone."""
        names = sorted(file.name for file in self.output.iterdir())
        expected = sorted(file.name for file in reference.output.iterdir())
        if names != expected:
            return [f"{self.output} has {names}, expected {expected}"]
        found = [name for name in names if is_of_the_end(name)
                 and (self.output / name).read_bytes() != (reference.output / name).read_bytes()]
        if history(self.output) != history(reference.output):
            found.append("train.jsonl")
        if without_clock(self.output / "last.state") != without_clock(reference.output / "last.state"):
            found.append("last.state")
        return [f"{self.output / name} differs" for name in found]


def place_of_death(trace):
    """In words, from the last moments that the process reached."""
    if not trace:
        return "before anything is written"
    last = trace[-1]
    step = next((step for step in STEPS if last.startswith(step + " ")), None)
    if step is not None:
        name = last[len(step) + 1:]
        if CACHE in name:
            return "while token ids are kept"
        return f"in a save: {name.split('-')[0]}" if name.startswith(CHECKPOINT) else "in another file"
    if last in ("validation begins", "averaging begins", "batch of validation"):
        begun = [line for line in trace if line in ("validation begins", "averaging begins")]
        return "in averaging" if begun[-1] == "averaging begins" else "in a validation"
    if last in PREPARATION:
        return "while data is prepared"
    return {"weights measured": "after a validation", "saved": "after a save"}.get(last, "in an update")


class Killer:
    """Chooses where runs die."""

    def __init__(self, seed, trace, seconds):
        self.random = random.Random(seed)
        self.seconds = seconds
        self.moments = collections.Counter(self.file_of(line) for line in trace)
        self.moments.pop(None)
        self.batches = trace.count("batch of validation")
        self.cache = sum(CACHE in line for line in trace)
        self.averaging = trace[trace.index("averaging begins"):].count("batch of validation")

    @staticmethod
    def file_of(line):
        """The checkpoint file that a moment is about."""
        return next((name for name in CHECKPOINT if f" {name}" in line), None)

    def next(self, run):
        """Keywords for go_on of `run`."""
        kinds = {"save": 44, "validation": 14, "averaging": 9, "update": 5, "preparation": 5, "cache": 5, "time": 18}
        kind = self.random.choices(list(kinds), list(kinds.values()))[0]
        if kind == "save":
            name = self.random.choice(sorted(self.moments))
            count = self.random.randint(1, max(1, self.moments[name] // 3))
            return {"faults": f"kill={count},only= {name}"}
        if kind == "validation":
            count = self.random.randint(1, max(1, self.batches // 3))
            return {"faults": f"kill={count},only=batch of validation"}
        if kind == "averaging":
            count = self.random.randint(1, self.averaging)
            return {"faults": f"kill={count},after=averaging begins,only=batch of validation"}
        if kind == "preparation":
            return {"faults": f"kill=1,only={self.random.choice(PREPARATION)}"}
        if kind == "cache":
            run.forget_token_ids()
            return {"faults": f"kill={self.random.randint(1, self.cache)},only={CACHE}"}
        if kind == "update":
            return {"faults": f"kill={self.random.randint(1, 20)},only=update begins"}
        return {"after_seconds": self.random.uniform(0.0, self.seconds)}


class Result:
    """What was counted."""

    def __init__(self):
        self.runs = 0
        self.places = collections.Counter()
        self.differences = []
        self.unreadable = []

    def kills(self):
        return sum(self.places.values())

    def add(self, run, reference):
        self.runs += 1
        self.places.update(run.places)
        self.differences += run.differences(reference)
        self.unreadable += run.unreadable

    def print(self):
        saving = sum(count for place, count in self.places.items() if place.startswith("in a save"))
        print(f"{self.kills()} kills in {self.runs} runs, {saving} of them inside a save")
        for place, count in sorted(self.places.items()):
            print(f"  {count:5} {place}")
        for problem in self.differences + self.unreadable:
            print(f"  {problem}")
        print(f"{len(self.differences)} differences, {len(self.unreadable)} unreadable files", flush=True)


def leave_alone(work):
    run = Run(work, "alone")
    started = time.monotonic()
    if not run.go_on():
        raise RuntimeError("the run that was left alone was killed")
    return run, time.monotonic() - started


def kill_at_odd_places(work, reference, result):
    for count in range(1, len(ODD_PLACES) + 1):
        run = Run(work, f"odd-{count}")
        for place, faults in ODD_PLACES[:count]:
            if run.go_on(faults):
                raise RuntimeError(f"no kill {place}")
        run.go_on()
        result.add(run, reference)


def kill_at_random(work, reference, killer, kills, result):
    done = result.kills()
    while result.kills() < done + kills:
        run = Run(work, f"random-{result.runs}")
        left = min(MOST_KILLS_OF_A_RUN, done + kills - result.kills())
        ended = False
        while not ended and len(run.places) < left:
            ended = run.go_on(**killer.next(run))
        if not ended:
            run.go_on()
        result.add(run, reference)
        print(f"crash_test: {result.kills()} kills, {len(result.differences)} differences", file=sys.stderr)
        if not run.differences(reference):
            shutil.rmtree(run.output)


def test(arguments, folder):
    work = Work(arguments.attend, folder)
    reference, seconds = leave_alone(work)
    killer = Killer(arguments.seed, reference.trace(), seconds)
    result = Result()
    try:
        kill_at_odd_places(work, reference, result)
        kill_at_random(work, reference, killer, arguments.kills, result)
    finally:
        result.print()
    return 1 if result.differences or result.unreadable else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attend", type=pathlib.Path, help="the program")
    parser.add_argument("--kills", type=int, default=300, help="at random, besides six at odd places (300)")
    parser.add_argument("--seed", type=int, default=1, help="of what is random (1)")
    parser.add_argument("--work", type=pathlib.Path, help="folder for the runs, which stays")
    arguments = parser.parse_args()
    arguments.attend = arguments.attend.resolve()
    if arguments.work:
        arguments.work.mkdir(parents=True)
        return test(arguments, arguments.work.resolve())
    with tempfile.TemporaryDirectory(prefix="attend_crash.") as folder:
        return test(arguments, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
