"""The results of scripts/bench_gpu.sh: one JSON line per measurement, appended when it ends, so that a run can resume."""
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import time


def say(message):
    print(f"bench_gpu.sh: {message}", file=sys.stderr, flush=True)


def reason(status, log):
    """Why a process failed: the signal, or the exit code and the line that says why."""
    if status < 0:
        return f"died by {signal.Signals(-status).name}"
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"error|refused|[Ee]xception|FAILED", line)]
    said = (errors or lines or [""])[-1]
    return f"exit code {status}: {said[:300]}"


def card_name():
    """The name of the first GPU, or None."""
    try:
        command = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.splitlines()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        return None


class Ledger:
    """Measurements so far. Those of the contenders `again` are set aside, in a file beside the results."""

    def __init__(self, path, budget, retry, again=()):
        self.path, self.retry = pathlib.Path(path), retry
        self.end = time.monotonic() + budget
        self.card = card_name()
        self.records = []
        if self.path.exists():
            self.records = [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines() if line.strip()]
        aside = [record for record in self.records if record.get("contender") in again]
        if aside:
            self.append(aside, self.path.with_suffix(".before.jsonl"))
            self.records = [record for record in self.records if record not in aside]
            self.path.write_text("")
            self.append(self.records, self.path)

    @staticmethod
    def append(records, path):
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)

    def left(self):
        return self.end - time.monotonic()

    def matching(self, **wanted):
        return [record for record in self.records if all(record.get(key) == value for key, value in wanted.items())]

    def has(self, **key):
        """True if this measurement has a result; with --retry, a failed one does not count."""
        return any(not (self.retry and "failed" in record) for record in self.matching(**key))

    def add(self, key, **found):
        record = {**key, **found, **({"card": self.card} if self.card else {})}
        self.records.append(record)
        self.append([record], self.path)
        told = {name: round(value, 2) if isinstance(value, float) else value for name, value in found.items()
                if not isinstance(value, list)}  # without the rates of all windows
        say(f"{' '.join(str(value) for value in key.values())}: {json.dumps(told)}")
        return record

    def values(self, name, **wanted):
        """All values of matching measurements; lists without their first entry, which warms up."""
        found = []
        for record in self.matching(**wanted):
            value = record.get(name)
            if isinstance(value, list):
                found += value[1:] if len(value) > 2 else value
            elif value is not None:
                found.append(value)
        return found

    def median(self, name, **wanted):
        found = self.values(name, **wanted)
        return statistics.median(found) if found else None

    def wanted(self, key, estimate):
        """True if the measurement is missing and its estimated seconds fit the budget."""
        name = " ".join(str(value) for value in key.values())
        if self.has(**key):
            say(f"{name}: already there")
            return False
        if estimate > self.left():
            say(f"{name}: not started; it needs about {estimate:.0f} s, and {max(0, self.left()):.0f} s are left")
            return False
        return True


class Finished:
    """What a command printed, its seconds, and `failed`, the reason why it failed, or None."""

    def __init__(self, failed, output, log, seconds):
        self.failed, self.output, self.log, self.seconds = failed, output, log, seconds


def run(command, limit, log_file, environment=None):
    """Runs a command for at most `limit` seconds; then ends its process group. Keeps its messages in `log_file`."""
    hidden = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OMP_NUM_THREADS", "ATEN_CPU_CAPABILITY")
    clean = {name: value for name, value in os.environ.items() if name not in hidden} | (environment or {})
    start = time.monotonic()
    log_file = pathlib.Path(log_file)
    log_file.parent.mkdir(parents=True, exist_ok=True)
    output_file = log_file.with_suffix(".out")
    with open(log_file, "w", encoding="utf-8") as log, open(output_file, "w", encoding="utf-8") as output:
        try:
            process = subprocess.Popen([str(part) for part in command], stdout=output, stderr=log, env=clean,
                                       start_new_session=True)
        except OSError as error:
            return Finished(f"does not start: {error}", "", "", 0.0)
        try:
            status = process.wait(timeout=max(1.0, limit))
            failed = None
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            failed = f"ended after {limit:.0f} s"
    said = log_file.read_text(encoding="utf-8", errors="replace")
    printed = output_file.read_text(encoding="utf-8", errors="replace")
    if failed is None and status != 0:
        failed = reason(status, said + "\n" + printed if "[  FAILED  ]" in printed else said)
    return Finished(failed, printed, said, time.monotonic() - start)
