#!/usr/bin/env python3
"""Kills `attend train` with SIGKILL again and again, resumes it, and compares the result with an undisturbed run.

  scripts/crash_test.sh [--kills N] [--seed N] [--work DIR]

Trains a tiny model on the first lines of the bundled corpus, with validation, a moving average, snapshots, averaging and
a save every few updates. The first run is undisturbed. The next runs are killed once, twice and three times at chosen
places: inside an epoch, right after a validation, during averaging. Further runs are killed at random (--seed) until
--kills is reached. Their first kill comes before they have a state: while data is prepared, while token ids are written,
or while the folder gets its first files. Later kills come at the same places, inside a save (at a random step of writing a
file), inside a validation, inside averaging, at the start of an update, while --overwrite removes an earlier run, or at
a random time.

After every kill, a separate reader checks all files that a process may resume from. The folder's train.lock must name
the killed process and may not be held. Then foreign files with names like ours are added. The run is resumed until it
ends. Its weights must equal those of the undisturbed run byte for byte, and so must its last state and train.jsonl apart
from times. No temporary file and no lock may be left, and the foreign files must be unchanged. Prints counts. The exit
code is 1 if anything differs, or if no kill left a lock or (in a long test) a temporary file, because then those cases
were not tested.
"""

import argparse
import collections
import fcntl
import json
import os
import pathlib
import random
import re
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
CACHE = ".tokens"  # suffix of the token cache beside a run's folder
LOCK = "train.lock"
LAST_MOMENT = "flush folder of report.html"  # before the lock is released
TEMPORARY = re.compile(r".+\.attend-[0-9]+\.tmp")
# Files that look like temporary files of a run, but have no number or no name of a run's file.
FOREIGN = {"last.state.attend-.tmp": "one", "best.safetensors.tmp": "two", "notes.attend-1.tmp": "three"}
MOST_KILLS_OF_A_RUN = 12
FEW_KILLS = 50  # fewer kills may all miss the moments when a temporary file exists
PATIENCE_SECONDS = 300


class Damaged(Exception):
    """A file whose content does not match its checksum or format."""


def read_tensor_file(path):
    """Header and tensor bytes of a safetensors file; recomputes our checksum."""
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
        raise Damaged(f"{path}: checksum {checksum:08x}, expected {claimed}")
    return header, data


def check_token_ids(path):
    """Raises Damaged if the index or an array of a token cache does not match its checksum. The texts here are small, so
    the index ends with (elements, bytes per element, checksum) of three arrays with one block each."""
    content = path.read_bytes()
    if len(content) < 16 or content[-4:] != b"attn":
        raise Damaged(f"{path}: its {len(content)} bytes do not end like a token cache")
    begin, checksum = struct.unpack("<QI", content[-16:-4])
    index = content[begin:-16]
    if zlib.crc32(index) != checksum:
        raise Damaged(f"{path}: wrong checksum of the index")
    arrays = list(struct.iter_unpack("<QQI", index[-60:]))
    place = begin - sum(count * size for count, size, _ in arrays)
    for count, size, checksum in arrays:
        if zlib.crc32(content[place:place + count * size]) != checksum:
            raise Damaged(f"{path}: wrong checksum of the array at {place}")
        place += count * size


def lock_problem(lock, process):
    """The problem with the lock that a killed process left, or ""."""
    if not lock.exists():
        return f"{lock}: missing after a kill in training"
    with open(lock, encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return f"{lock}: still held after a kill"
        holder = file.read().strip()
    return "" if holder == str(process) else f"{lock}: names process {holder or '?'}, but {process} was killed"


def temporary_files(output):
    """Our temporary files in the folder of a run and beside it."""
    inside = list(output.iterdir()) if output.exists() else []
    beside = output.parent.glob(f"{output.name}{CACHE}*")
    found = [file for file in [*inside, *beside] if TEMPORARY.fullmatch(file.name) and file.name not in FOREIGN]
    return sorted(map(str, found))


def without_clock(state):
    """Header and data of a state without its times."""
    header, data = read_tensor_file(state)
    counters = json.loads(header["__metadata__"]["state"])
    counters.pop("seconds")
    counters.pop("history_checksum")  # of lines with times
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
    """True if every run must end with the same file. Those with times and the previous state may differ."""
    return name not in ("previous.state", "last.state", "train.jsonl", "report.html")


class Work:
    """The program, and a folder with corpus and config."""

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

    def start(self, output, faults, begin):
        """Starts a process for the run in `output` with --resume or --overwrite, and with a new trace."""
        trace = output.with_suffix(".trace")
        trace.unlink(missing_ok=True)
        plan = ",".join(part for part in (faults, f"trace={trace}") if part)
        environment = {**os.environ, "ATTEND_FAULTS": plan, "OMP_NUM_THREADS": "1"}
        with open(output.with_suffix(".log"), "w", encoding="utf-8") as log:
            command = [self.attend, "train", self.config, "--output", output, begin, "--threads", "1",
                       "--device", "cpu"]
            return subprocess.Popen(command, env=environment, stderr=log)


class Run:
    """A run and its folder, over all its processes."""

    def __init__(self, work, name):
        self.work = work
        self.output = work.folder / name
        self.places = []       # descriptions of where it was killed
        self.unreadable = []   # problems with files after a kill
        self.wrong_locks = []  # problems with the lock after a kill
        self.locks = 0         # kills that left a lock
        self.temporary = 0     # kills that left a temporary file
        self.laid = False      # true once foreign files were added

    def has_state(self):
        return any((self.output / name).exists() for name in ("last.state", "previous.state"))

    def has_weights(self):
        return self.output.exists() and any(self.output.glob("*.safetensors"))

    def forget_token_ids(self):
        """Makes the next process read the text and write the token cache again."""
        self.output.with_suffix(CACHE).unlink(missing_ok=True)

    def trace(self):
        file = self.output.with_suffix(".trace")
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def go_on(self, faults="", after_seconds=None, overwrite=False):
        """Starts or resumes the run. True if it ended, False if it was killed; raises RuntimeError if it failed."""
        # A killed --overwrite leaves weights without a state, which cannot be resumed.
        begin = "--overwrite" if overwrite or (self.has_weights() and not self.has_state()) else "--resume"
        process = self.work.start(self.output, faults, begin)
        try:
            code = process.wait(timeout=after_seconds or PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
            if after_seconds is None:
                raise RuntimeError(f"{self.output}: did not end after {PATIENCE_SECONDS} seconds") from None
        if code == 0:
            return True
        if code != -signal.SIGKILL:
            log = self.output.with_suffix(".log").read_text(encoding="utf-8")
            raise RuntimeError(f"{self.output}: exit code {code}\n{log}")
        self.places.append(place_of_death(self.trace()))
        self.look_at_lock(process.pid)
        self.temporary += bool(temporary_files(self.output))
        self.read_everything()
        self.lay_foreign_files()
        return False

    def look_at_lock(self, process):
        """Checks the lock, which is taken before the first entry of the trace."""
        if not self.trace():
            return
        problem = lock_problem(self.output / LOCK, process)
        if self.trace()[-1] == LAST_MOMENT and not (self.output / LOCK).exists():
            return  # the run had ended, but not the process
        self.locks += not problem
        self.wrong_locks += [problem] if problem else []

    def lay_foreign_files(self):
        """Adds foreign files to a folder with a state."""
        if self.has_state():
            self.laid = True
            for name, content in FOREIGN.items():
                (self.output / name).write_text(content, encoding="utf-8")

    def read_everything(self):
        """Checks all files that have their final names."""
        for pattern in ("*.state", "*.safetensors"):
            for file in sorted(self.output.glob(pattern)):
                try:
                    read_tensor_file(file)
                except Damaged as error:
                    self.unreadable.append(str(error))
        token_ids = self.output.with_suffix(CACHE)
        if token_ids.exists():
            try:
                check_token_ids(token_ids)
            except Damaged as error:
                self.unreadable.append(str(error))
        if (self.output / "train.jsonl").exists():
            try:
                history(self.output)
            except ValueError as error:
                self.unreadable.append(f"{self.output}/train.jsonl: {error}")

    def differences(self, reference):
        """The differences from the undisturbed run `reference`."""
        left = temporary_files(self.output)
        changed = [name for name, content in FOREIGN.items() if self.foreign(name) not in (None, content)]
        if left or changed:
            return [f"{name} is left" for name in left] + [f"{self.output / name} was changed" for name in changed]
        names = sorted(file.name for file in self.output.iterdir() if file.name not in FOREIGN)
        expected = sorted(file.name for file in reference.output.iterdir())
        if names != expected:
            return [f"{self.output} has {names}, expected {expected}"]
        found = [name for name in names if is_of_the_end(name)
                 and (self.output / name).read_bytes() != (reference.output / name).read_bytes()]
        if history(self.output) != history(reference.output):
            found.append("train.jsonl")
        if without_clock(self.output / "last.state") != without_clock(reference.output / "last.state"):
            found.append("last.state")
        if self.laid and any(self.foreign(name) is None for name in FOREIGN):
            found.append("the foreign files, which are gone,")
        return [f"{self.output / name} differs" for name in found]

    def foreign(self, name):
        """The content of a foreign file, or None if it is missing."""
        file = self.output / name
        return file.read_text(encoding="utf-8") if file.exists() else None


def place_of_death(trace):
    """A description of where the process died, from its trace."""
    if not trace:
        return "before anything is written"
    last = trace[-1]
    step = next((step for step in STEPS if last.startswith(step + " ")), None)
    if step is not None:
        name = last[len(step) + 1:]
        if CACHE in name:
            return "while token ids are kept"
        if "text is ready" in trace and "update begins" not in trace:
            return "while files are removed" if step == "remove" else "between preparation and the first update"
        return f"in a save: {name.split('-')[0]}" if name.startswith(CHECKPOINT) else "in another file"
    if last in ("validation begins", "averaging begins", "batch of validation"):
        begun = [line for line in trace if line in ("validation begins", "averaging begins")]
        return "in averaging" if begun[-1] == "averaging begins" else "in a validation"
    if last in PREPARATION:
        return "while data is prepared"
    return {"weights measured": "after a validation", "saved": "after a save"}.get(last, "in an update")


class Killer:
    """Chooses where runs are killed."""

    def __init__(self, seed, trace, seconds):
        self.random = random.Random(seed)
        self.seconds = seconds
        self.moments = collections.Counter(self.file_of(line) for line in trace)
        self.moments.pop(None)
        self.batches = trace.count("batch of validation")
        self.cache = sum(CACHE in line for line in trace)
        self.averaging = trace[trace.index("averaging begins"):].count("batch of validation")
        self.beginning = trace.index("update begins") - trace.index("text is ready") - 1

    @staticmethod
    def file_of(line):
        """The checkpoint file in a line of the trace, or None."""
        return next((name for name in CHECKPOINT if f" {name}" in line), None)

    def next(self, run):
        """Keyword arguments for run.go_on. The first kill of a run comes before it has a state."""
        kinds = {"preparation": 5, "cache": 5, "beginning": 5}
        if run.places:
            kinds.update({"save": 42, "validation": 13, "averaging": 9, "update": 4, "overwrite": 3, "time": 14})
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
        if kind == "beginning":
            return {"faults": f"kill={self.random.randint(1, self.beginning)},after=text is ready"}
        if kind == "overwrite":
            return {"faults": f"kill={self.random.randint(1, 12)},only=remove ", "overwrite": True}
        if kind == "update":
            return {"faults": f"kill={self.random.randint(1, 20)},only=update begins"}
        return {"after_seconds": self.random.uniform(0.0, self.seconds)}


class Result:
    """Counts and problems."""

    def __init__(self):
        self.runs = 0
        self.places = collections.Counter()
        self.differences = []
        self.unreadable = []
        self.wrong_locks = []
        self.locks = 0
        self.temporary = 0

    def kills(self):
        return sum(self.places.values())

    def add(self, run, reference):
        self.runs += 1
        self.places.update(run.places)
        self.differences += run.differences(reference)
        self.unreadable += run.unreadable
        self.wrong_locks += run.wrong_locks
        self.locks += run.locks
        self.temporary += run.temporary

    def is_good(self):
        tried = self.locks > 0 and (self.temporary > 0 or self.kills() < FEW_KILLS)
        return tried and not (self.differences or self.unreadable or self.wrong_locks)

    def print(self):
        saving = sum(count for place, count in self.places.items() if place.startswith("in a save"))
        print(f"{self.kills()} kills in {self.runs} runs, {saving} of them inside a save")
        for place, count in sorted(self.places.items()):
            print(f"  {count:5} {place}")
        for problem in self.differences + self.unreadable + self.wrong_locks:
            print(f"  {problem}")
        print(f"{self.locks} kills left a lock, {self.temporary} a temporary file")
        print(f"{len(self.differences)} differences, {len(self.unreadable)} unreadable files, "
              f"{len(self.wrong_locks)} wrong locks", flush=True)


def leave_alone(work):
    run = Run(work, "alone")
    started = time.monotonic()
    if not run.go_on():
        raise RuntimeError("the undisturbed run was killed")
    return run, time.monotonic() - started


def kill_at_odd_places(work, reference, result):
    for count in range(1, len(ODD_PLACES) + 1):
        run = Run(work, f"odd-{count}")
        for place, faults in ODD_PLACES[:count]:
            if run.go_on(faults):
                raise RuntimeError(f"the run was not killed {place}")
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
    return 0 if result.is_good() else 1


def run_test(test, description, counted, default, what):
    """The command line of this test and ranks_test.py. `test(arguments, folder)` returns the exit code."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attend", type=pathlib.Path, help="the program")
    parser.add_argument(f"--{counted}", type=int, default=default, help=f"{what} ({default})")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random choices (1)")
    parser.add_argument("--work", type=pathlib.Path, help="folder for the runs, which is kept; may not exist yet")
    arguments = parser.parse_args()
    arguments.attend = arguments.attend.resolve()
    if arguments.work:
        arguments.work.mkdir(parents=True)
        return test(arguments, arguments.work.resolve())
    with tempfile.TemporaryDirectory(prefix=f"attend_{counted}.") as folder:
        return test(arguments, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(run_test(test, __doc__, "kills", 300, "number of random kills, besides six at chosen places"))
