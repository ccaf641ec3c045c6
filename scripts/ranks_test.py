#!/usr/bin/env python3
"""Kills or stops processes of `attend train --ranks N`, resumes the run, and compares it with an undisturbed run.

  scripts/ranks_test.py build/src/cli/attend [--faults N] [--seed N] [--work DIR]

Trains the tiny model of crash_test.py with 2 to 4 processes. In each run, one process gets SIGKILL or SIGSTOP at a random
time, or the first is killed inside a save, or processes are killed inside a validation, or all are killed at once. About
half of the runs share memory, the others send messages. The job must end by itself within training.distributed.timeout
(plus slack for a busy machine), with a documented exit code and one line on standard error that names the process. It may
leave no process, and all files in its folder must be readable. Resumed with the same number of processes, it must end
with the weights, state and train.jsonl of an undisturbed run. Prints counts; the exit code is 1 if a check failed.
"""

import collections
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True

from crash_test import Damaged, Work, history, is_of_the_end, read_tensor_file, run_test, without_clock  # noqa: E402

TIMEOUT = 6.0  # training.distributed.timeout
TIMEOUT_BEFORE_TRAINING = 120.0  # until the processes are connected
SLACK = 15.0   # for a busy machine
PATIENCE = 300.0
KINDS = ("SIGKILL", "SIGSTOP", "in a save", "in a validation", "all at once")
CODES = {"SIGKILL": (5, 137), "SIGSTOP": (5,)}  # the others: 137


def is_running(process):
    """True if the process exists and is not a zombie."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Job:
    """A run with several processes that share memory or send messages."""

    def __init__(self, work, output, ranks, by, faults=""):
        self.output = output
        has_state = any((output / name).exists() for name in ("last.state", "previous.state"))
        has_weights = any(output.glob("*.safetensors"))
        begin = "--overwrite" if has_weights and not has_state else "--resume"
        environment = {**os.environ, "ATTEND_FAULTS": faults, "OMP_NUM_THREADS": "1"}
        if by == "messages":
            environment["GLOO_SOCKET_IFNAME"] = "lo"
        command = [work.attend, "train", work.config, "--output", output, begin, "--ranks", str(ranks), "--threads",
                   str(ranks), "--device", "cpu", "--set", f"training.distributed.timeout={TIMEOUT}"]
        self.log = output.with_suffix(".log")
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, env=environment, stderr=log)

    def ranks(self):
        """The process of each rank."""
        file = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        try:
            return [int(process) for process in file.read_text(encoding="ascii").split()]
        except OSError:
            return []

    def wait(self, seconds):
        """The exit code, or None if the job does not end in time."""
        try:
            return self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None

    def messages(self):
        return self.log.read_text(encoding="utf-8")


class Test:
    """Runs the faults; counts them and collects the problems."""

    def __init__(self, work, seed):
        self.work = work
        self.random = random.Random(seed)
        self.alone = {}
        self.seconds = {}
        self.counts = collections.Counter()
        self.problems = []
        self.longest = 0.0

    def leave_alone(self, ranks, by):
        output = self.work.folder / f"alone-{ranks}-{by}"
        started = time.monotonic()
        job = Job(self.work, output, ranks, by)
        if job.wait(PATIENCE) != 0:
            raise RuntimeError(f"{output}: {job.messages()}")
        self.alone[ranks, by] = output
        self.seconds[ranks, by] = time.monotonic() - started

    def fault(self, number):
        ranks = self.random.randint(2, 4)
        by = self.random.choice(("memory", "messages"))
        if (ranks, by) not in self.alone:
            self.leave_alone(ranks, by)
        kind = self.random.choice(KINDS)
        output = self.work.folder / f"run-{number}"
        self.disturb(kind, output, ranks, by)
        self.look_at_files(output)
        job = Job(self.work, output, ranks, by)
        if job.wait(PATIENCE) == 0:
            self.compare(output, self.alone[ranks, by])
        else:
            self.problems.append(f"{output} {kind} by {by}: not resumed: {job.messages()}")

    def disturb(self, kind, output, ranks, by):
        faults = {"in a save": f"kill={self.random.randint(1, 60)},only= last.",
                  "in a validation": f"kill={self.random.randint(1, 16)},only=batch of validation",
                  "all at once": f"kill={self.random.randint(1, 40)},only=update begins"}.get(kind, "")
        job = Job(self.work, output, ranks, by, faults)
        if not faults:
            time.sleep(self.random.uniform(0.0, self.seconds[ranks, by]))
        processes = job.ranks()
        if not faults and processes:
            victim = self.random.choice(processes)
            os.kill(victim, getattr(signal, kind))
            processes = job.ranks() or processes
        self.expect_end(job, kind, faults, processes)

    def expect_end(self, job, kind, faults, processes):
        started = time.monotonic()
        limit = TIMEOUT if "train together" in job.messages() else TIMEOUT_BEFORE_TRAINING
        code = job.wait(limit + SLACK + (PATIENCE if faults else 0.0))
        if code is None:
            self.problems.append(f"{job.output} {kind}: did not end; {job.messages()}")
            job.process.kill()
            job.process.wait()
        elif code == 0:
            kind = "missed"
        elif code not in CODES.get(kind, (137,)):
            self.problems.append(f"{job.output} {kind}: exit code {code}; {job.messages()}")
        elif job.messages().count("error: ") != 1 or "rank " not in job.messages():
            self.problems.append(f"{job.output} {kind}: expected one error that names a rank: {job.messages()}")
        if not faults:
            self.longest = max(self.longest, time.monotonic() - started)
        self.counts[f"{kind}, exit code {code}"] += 1
        time.sleep(0.2)
        orphans = [process for process in processes if is_running(process)]
        if orphans:
            self.problems.append(f"{job.output} {kind}: left {orphans}")

    def look_at_files(self, output):
        for file in [*output.glob("*.state"), *output.glob("*.safetensors")]:
            try:
                read_tensor_file(file)
            except Damaged as error:
                self.problems.append(str(error))

    def compare(self, output, alone):
        names = {file.name for file in alone.iterdir()}
        different = [name for name in names if is_of_the_end(name)
                     and (output / name).read_bytes() != (alone / name).read_bytes()]
        if history(output) != history(alone):
            different.append("train.jsonl")
        if without_clock(output / "last.state") != without_clock(alone / "last.state"):
            different.append("last.state")
        self.problems += [f"{output / name} differs from {alone}" for name in different]

    def print(self):
        for what, count in sorted(self.counts.items()):
            print(f"  {count:5} {what}")
        for problem in self.problems:
            print(f"  {problem}")
        print(f"{sum(self.counts.values())} faults, {len(self.problems)} problems; the longest end took "
              f"{self.longest:.1f} s", flush=True)


def test(arguments, folder):
    run = Test(Work(arguments.attend, folder), arguments.seed)
    try:
        for number in range(arguments.faults):
            known = len(run.problems)
            run.fault(number)
            for problem in run.problems[known:]:
                print(problem, file=sys.stderr)
            print(f"ranks_test: {number + 1} faults, {len(run.problems)} problems", file=sys.stderr)
    finally:
        run.print()
    return 1 if run.problems else 0


if __name__ == "__main__":
    sys.exit(run_test(test, __doc__, "faults", 200, "number of processes to kill or stop"))
