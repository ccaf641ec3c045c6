#!/usr/bin/env python3
"""Runs and measures one command, or prints a table of all measurements. For scripts/bench.sh.

  bench_results.py run RESULTS KEY=VALUE... [history=FILE] -- COMMAND...
      appends one JSON line to RESULTS: the keys, the command's wall time and peak memory, the JSON it prints, the rate
      that `attend translate` logs, and the speeds in the train.jsonl `history`; or the reason why it failed
  bench_results.py table RESULTS
      prints a Markdown table: medians, shares of the roofline, ratios to PyTorch; then the failed measurements and why
  bench_results.py compare RESULTS HERE THERE
      prints a table that compares side=here with side=there: medians, their ratio, and the lowest and highest ratio of a
      round
"""
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

MFLOP_PER_TOKEN = 78.5  # the reference job, per target token without padding, forward and backward


# ---- running


def has_avx512(cpuinfo="/proc/cpuinfo"):
    """True if the CPU has what LibTorch's AVX-512 code needs. LibTorch does not check a requested level and dies by SIGILL."""
    try:
        with open(cpuinfo, encoding="utf-8") as file:
            flags = next((line.split(":", 1)[1].split() for line in file if line.startswith("flags")), [])
    except OSError:
        return False
    return {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= set(flags)


# The names that LibTorch, its oneDNN and OpenBLAS use for the values of ATTEND_MAX_CPU (src/kernels/cpu/cpu_limit.cpp).
LIBRARIES = ("ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "OPENBLAS_CORETYPE")
GENERATIONS = {"baseline": ("default", "SSE41", "Nehalem"),
               "avx2": ("avx2", "AVX2", "Haswell"),
               "avx2_vnni": ("avx2", "AVX2", "Haswell"),
               "avx512": ("avx512", "AVX512_CORE", "SkylakeX"),
               "avx512_vnni": ("avx512", "AVX512_CORE_VNNI", "SkylakeX"),
               "avx512_bf16": ("avx512", "AVX512_CORE_BF16", "SkylakeX")}


def library_limits(limit, avx512):
    """Environment variables that make the libraries use what the CPU has and ATTEND_MAX_CPU allows. By default LibTorch 1.13
    stops at AVX2."""
    if limit in GENERATIONS and (avx512 or "avx512" not in limit):
        return dict(zip(LIBRARIES, GENERATIONS[limit]))
    return {"ATEN_CPU_CAPABILITY": "avx512"} if avx512 else {}


def read_history(path, start):
    """Target tokens/s of every window of a training run, and the time of the first line if there is only one."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    rates = [line["timing"]["target_tokens_per_second"] for line in lines if line["type"] == "train"]
    found = {"tokens_per_second": rates}
    if len(lines) == 1:
        found["first_update"] = os.stat(path).st_mtime - start
    return found


def read_output(output, log):
    found = {}
    if output.lstrip().startswith(("{", "[")):
        printed = json.loads(output)
        found.update(printed[0] if isinstance(printed, list) else printed)
    rate = re.search(r"\(([0-9.]+) lines/s\)", log)
    if rate:
        found["sentences_per_second"] = float(rate.group(1))
    return found


def reason(status, log):
    """Why a process failed: the signal, or the exit code and its last line of output."""
    if os.WIFSIGNALED(status):
        return f"died by {signal.Signals(os.WTERMSIG(status)).name}"
    said = [line.strip() for line in log.splitlines() if line.strip()]
    return f"exit code {os.waitstatus_to_exitcode(status)}" + (f": {said[-1]}" if said else "")


def append(results, record):
    with open(results, "a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def run(results, arguments):
    split = arguments.index("--")
    keys = dict(pair.split("=", 1) for pair in arguments[:split])
    history = keys.pop("history", None)
    start = time.time()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(arguments[split + 1:], stdout=output, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
        record = {"seconds": time.time() - start, "peak_mb": usage.ru_maxrss / 1024}
        output.seek(0)
        log.seek(0)
        output, log = output.read(), log.read()
    if status != 0:
        why = reason(status, log)
        append(results, dict(keys, failed=why))
        sys.exit(f"bench_results.py: {why}: {' '.join(arguments[split + 1:])}\n{log[-2000:]}")
    record.update(read_output(output, log))
    if history:
        record.update(read_history(history, start))
    record.update(keys)
    append(results, record)


# ---- the table


class Results:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.records = [json.loads(line) for line in file]

    def values(self, key, **wanted):
        """Values of all records that match; lists without their first entry, which is a warm-up."""
        found = []
        for record in self.records:
            if key in record and all(str(record.get(name)) == value for name, value in wanted.items()):
                found += record[key][1:] if isinstance(record[key], list) else [record[key]]
        return found

    def median(self, key, **wanted):
        found = self.values(key, **wanted)
        return statistics.median(found) if found else None

    def all_of(self, key, **wanted):
        """The values of a key in the order in which they first occur."""
        return list(dict.fromkeys(self.values(key, **wanted)))


def number(value, digits):
    return "-" if value is None else f"{value:,.{digits}f}"


def ratio(value, other):
    return "-" if value is None or not other else f"{value / other:.2f}x"


def share(value, other):
    return "-" if value is None or not other else f"{100 * value / other:.0f} %"


def precision_of(contender):
    return contender.split()[-1]


class Table:
    def __init__(self, results):
        self.results = results
        self.threads = sorted(results.all_of("threads"), key=int)
        self.rows = []

    def add(self, job, contender, cells):
        """cells: a value per number of threads, with its share of the roofline and its ratio to PyTorch."""
        self.rows.append([job, contender] + [cell for each in cells for cell in each])

    def add_roofline(self):
        for precision in ("f32", "bf16"):
            rates = [self.results.median(precision, part="roofline", threads=threads) for threads in self.threads]
            if any(rates):    # 0: the CPU lacks this precision
                self.add("2048-cubed matrix product, GFLOP/s", precision,
                         [(number(rate, 0), "100 %", "") for rate in rates])

    def training_cell(self, contender, threads):
        results = self.results
        rate = results.median("tokens_per_second", part="train", contender=contender, threads=threads)
        peak = results.median(precision_of(contender), part="roofline", threads=threads)
        rival = results.median("tokens_per_second", part="train", threads=threads,
                               contender="PyTorch " + precision_of(contender))
        return number(rate, 0), share(rate, peak and peak * 1000 / MFLOP_PER_TOKEN), ratio(rate, rival)

    def add_training(self):
        for contender in self.results.all_of("contender", part="train"):
            self.add("training, target tokens/s", contender,
                     [self.training_cell(contender, threads) for threads in self.threads])

    def add_memory(self):
        for contender in self.results.all_of("contender", part="train"):
            own = self.results.median("peak_mb", part="load", contender=contender.split()[0])
            cells = []
            for threads in self.threads:
                peak = self.results.median("peak_mb", part="train", contender=contender, threads=threads)
                cells.append((number(None if None in (peak, own) else peak - own, 0), "", ""))
            self.add("training, peak MB above LibTorch's own", contender, cells)

    def add_starts(self):
        for part, key, job in (("load", "seconds", "loading the program, s"),
                               ("start", "first_update", "from start to the first update, s")):
            for contender in self.results.all_of("contender", part=part):
                cells = [(number(self.results.median(key, part=part, contender=contender, threads=threads), 2), "", "")
                         for threads in self.threads]
                self.add(job, contender, cells)

    def decoding_cell(self, contender, threads, search):
        wanted = dict(search, part="decode", threads=threads)
        rate = self.results.median("sentences_per_second", contender=contender, **wanted)
        rivals = [self.results.median("sentences_per_second", contender=f"PyTorch {precision}", **wanted)
                  for precision in ("f32", "bf16")]
        rival = dict(zip(("f32", "bf16"), rivals)).get(precision_of(contender), max(filter(None, rivals), default=None))
        return number(rate, 1), "", ratio(rate, rival)

    def add_decoding(self):
        for beam in self.results.all_of("beam", part="decode"):
            for batch in self.results.all_of("batch", part="decode", beam=beam):
                search = {"beam": beam, "batch": batch}
                for contender in self.results.all_of("contender", part="decode", **search):
                    bleu = self.results.median("score", part="bleu", contender=contender, **search)
                    self.add(f"translating, beam {beam}, batch {batch}, sentences/s",
                             contender if bleu is None else f"{contender} (BLEU {bleu:.2f})",
                             [self.decoding_cell(contender, threads, search) for threads in self.threads])

    def left_out(self):
        """One line per failed measurement."""
        lines = []
        for record in self.results.records:
            if "failed" in record:
                keys = ", ".join(f"{key} {value}" for key, value in record.items() if key not in ("part", "failed"))
                lines.append(f"Left out: {record['part']} ({keys}): {record['failed']}")
        return list(dict.fromkeys(lines))

    def print(self):
        heads = ["job", "program"]
        for threads in self.threads:
            heads += [f"{threads} thread{'' if threads == '1' else 's'}", "of the roofline", "to PyTorch"]
        print("| " + " | ".join(heads) + " |")
        print("|---|---|" + "---:|" * (len(heads) - 2))
        for row in self.rows:
            print("| " + " | ".join(row) + " |")
        for line in self.left_out():
            print("\n" + line)


def print_table(path):
    table = Table(Results(path))
    table.add_roofline()
    table.add_training()
    table.add_memory()
    table.add_starts()
    table.add_decoding()
    table.print()


# ---- two commits


class Comparison:
    JOBS = (("train", "tokens_per_second", "training, target tokens/s"),
            ("decode", "sentences_per_second", "translating, sentences/s"))

    def __init__(self, results):
        self.results = results

    def rows(self):
        for part, key, job in self.JOBS:
            kinds = [tuple((name, record[name]) for name in ("contender", "beam", "batch", "threads") if name in record)
                     for record in self.results.records if record.get("part") == part and "side" in record]
            for kind in dict.fromkeys(kinds):
                yield [self.job(job, dict(kind)), dict(kind)["contender"], dict(kind)["threads"],
                       *self.cells(key, dict(kind, part=part))]

    @staticmethod
    def job(job, kind):
        return f"{job}, beam {kind['beam']}, batch {kind['batch']}" if "beam" in kind else job

    def cells(self, key, kind):
        here = self.results.median(key, side="here", **kind)
        there = self.results.median(key, side="there", **kind)
        digits = 0 if key == "tokens_per_second" else 1
        return [number(here, digits), number(there, digits), ratio(here, there), self.spread(key, kind)]

    def spread(self, key, kind):
        """The lowest and highest ratio of the rounds in which both were measured."""
        ratios = []
        for round_number in self.results.all_of("round", **kind):
            here, there = (self.results.median(key, side=side, round=round_number, **kind) for side in ("here", "there"))
            if here is not None and there:
                ratios.append(here / there)
        return f"{min(ratios):.2f} to {max(ratios):.2f}" if ratios else "-"


def print_comparison(path, here, there):
    results = Results(path)
    rows = list(Comparison(results).rows())
    print(f"| job | program | threads | {here} | {there} | ratio of medians | of rounds |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    for line in Table(results).left_out():
        print("\n" + line)


def main():
    if len(sys.argv) >= 3 and sys.argv[1] == "run" and "--" in sys.argv:
        run(sys.argv[2], sys.argv[3:])
    elif len(sys.argv) == 3 and sys.argv[1] == "table":
        print_table(sys.argv[2])
    elif len(sys.argv) == 5 and sys.argv[1] == "compare":
        print_comparison(*sys.argv[2:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
