#!/usr/bin/env python3
"""The contenders of scripts/bench_translate.sh, the order of their runs, and the table of the results.

    scripts/bench_translate.py run OPTIONS              see scripts/bench_translate.sh --help
    scripts/bench_translate.py table results.jsonl
    scripts/bench_translate.py ctranslate2 OPTIONS      one run of CTranslate2, as a program of its own
"""
import argparse
import dataclasses
import itertools
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

from bench_results import has_avx512, library_limits

TOKENS = 2048  # source tokens in a batch of kind "file"
FIRST, BEST = 100, 100  # sizes of the shortlist: frequent pieces, and pieces for each source piece
FOLDER = pathlib.Path("build/bench_translate")


# ---- CTranslate2, as a program


def read_pieces(folder, name):
    import sentencepiece
    file = os.path.join(folder, name + ".model")
    return sentencepiece.SentencePieceProcessor(
        model_file=file if os.path.exists(file) else os.path.join(folder, "joint.model"))


def run_ctranslate2(options):
    import ctranslate2
    source, target = read_pieces(options.model, "source"), read_pieces(options.model, "target")
    translator = ctranslate2.Translator(options.model, compute_type=options.compute_type,
                                        inter_threads=options.translators, intra_threads=options.threads)
    lines = pathlib.Path(options.input).read_text(encoding="utf-8").split("\n")[:-1]
    start = time.monotonic()
    by_tokens = options.batch == "file"
    results = translator.translate_batch(
        source.encode(lines, out_type=str), beam_size=options.beam, length_penalty=options.length_penalty,
        max_batch_size=TOKENS if by_tokens else int(options.batch), batch_type="tokens" if by_tokens else "examples",
        min_decoding_length=0, use_vmap=options.vmap)
    texts = target.decode([result.hypotheses[0] for result in results])
    seconds = time.monotonic() - start
    pathlib.Path(options.output).write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    print(json.dumps({"translating": seconds}))


# ---- contenders


@dataclasses.dataclass(frozen=True)
class Job:
    batch: str
    threads: int
    shortlist: bool


class Bench:
    def __init__(self, options):
        self.options = options
        self.results = FOLDER / "results.jsonl"
        self.exported = FOLDER / "exported"
        self.lexicon = FOLDER / "lexicon"
        self.environment = dict(os.environ, **library_limits(os.environ.get("ATTEND_MAX_CPU"), has_avx512()))
        if os.environ.get("ATTEND_MAX_CPU", "").startswith("avx2"):
            self.environment.update(CT2_FORCE_CPU_ISA="AVX2", MKL_ENABLE_INSTRUCTIONS="AVX2")

    # -- preparation

    def attend(self, *arguments, **more):
        return subprocess.run([self.options.program, *map(str, arguments)], check=True, **more)

    def prepare(self):
        FOLDER.mkdir(parents=True, exist_ok=True)
        self.results.unlink(missing_ok=True)
        self.attend("export", "--model", self.options.model, "--format", "ctranslate2", "--output", self.exported,
                    "--overwrite", "--quiet")
        lines = pathlib.Path(self.options.input).read_text(encoding="utf-8").split("\n")[:-1]
        for name, count in (("all", self.options.lines), ("one", 1)):
            (FOLDER / name).write_text("".join(line + "\n" for line in lines[:count]), encoding="utf-8")
        self.length_penalty = self.decoding("length_penalty")
        if self.options.lexicon_target:
            self.attend("lexicon", "--model", self.options.model, "--source", self.options.lexicon_source,
                        "--target", self.options.lexicon_target, "--output", self.lexicon, "--quiet")
            self.write_vmap()

    def decoding(self, key):
        config = pathlib.Path(self.options.model, "config.yaml").read_text(encoding="utf-8")
        section = re.search(r"^decoding:\n((?:  .*\n)+)", config, re.MULTILINE).group(1)
        return float(re.search(rf"^  {key}: (\S+)", section, re.MULTILINE).group(1))

    def write_vmap(self):
        """The table of `attend lexicon` as CTranslate2 reads it: a source piece, a tab, the target pieces. All pieces of the
        line without a source piece are candidates for every sentence."""
        frequent, best = [], {}
        for line in self.lexicon.read_text(encoding="utf-8").split("\n"):
            fields = line.split(" ")
            if len(fields) == 3 and not line.startswith("#"):
                target, source, probability = fields
                best.setdefault(source, []).append((float(probability), target))
        vocabulary = json.loads((self.exported / self.vocabulary_file()).read_text(encoding="utf-8"))
        frequent = vocabulary[:FIRST]
        with open(self.exported / "vmap.txt", "w", encoding="utf-8") as file:
            file.write("\t" + " ".join(frequent) + "\n")
            for source, targets in best.items():
                targets = sorted(targets, reverse=True)[:BEST]
                file.write(source + "\t" + " ".join(target for _, target in targets) + "\n")

    def vocabulary_file(self):
        return next(name for name in ("target_vocabulary.json", "shared_vocabulary.json") if (self.exported / name).exists())

    # -- running

    def commands(self, job, text):
        """Yields the name, precision and command line of every contender."""
        options = self.options
        for precision in options.precision.split():
            if "attend" in options.programs.split():
                batch = [TOKENS, "--batch-unit", "tokens"] if job.batch == "file" else [job.batch]
                yield "attend", precision, [
                    options.program, "translate", "--model", options.model, "--input", text, "--beam", options.beam,
                    "--threads", job.threads, "--precision", precision, "--batch-size", *batch,
                    "--output", FOLDER / f"attend.{precision}",
                    *(["--shortlist", self.lexicon, FIRST, BEST] if job.shortlist else [])]
            if "ctranslate2" in options.programs.split() and precision != "bf16":
                yield from self.ctranslate2_commands(job, text, precision)
        if "torch" in options.programs.split() and job.batch != "file" and not job.shortlist:
            yield "PyTorch", "f32", [
                "/usr/bin/python3", "scripts/bench_pytorch.py", "translate", "--architecture", "transformer", "--model",
                options.model, "--input", text, "--output", FOLDER / "PyTorch.f32", "--beam", options.beam, "--batch-size",
                job.batch, "--threads", job.threads]

    def ctranslate2_commands(self, job, text, precision):
        for translators in range(1, job.threads + 1):
            if job.threads % translators:
                continue
            for kind in {"f32": ["float32"], "int8": ["int8", "int8_float32"]}[precision]:
                yield f"CTranslate2 {kind} {translators}x{job.threads // translators}", precision, [
                    self.options.python, __file__, "ctranslate2", "--model", self.exported, "--input", text,
                    "--output", FOLDER / f"CTranslate2.{precision}", "--beam", self.options.beam, "--batch", job.batch,
                    "--translators", translators, "--threads", job.threads // translators, "--compute-type", kind,
                    "--length-penalty", self.length_penalty, *(["--vmap"] if job.shortlist else [])]

    def measure(self, command):
        """Runs a command. Returns its seconds, peak memory and the seconds of translating alone."""
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as log:
            start = time.monotonic()
            process = subprocess.Popen([str(part) for part in command], stdout=output, stderr=log, env=self.environment)
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.monotonic() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            for stream in (output, log):
                stream.seek(0)
            output, log = output.read(), log.read()
        if process.returncode != 0:
            sys.exit(f"bench_translate.py: exit code {process.returncode}: {' '.join(map(str, command))}\n{log[-2000:]}")
        return {"seconds": seconds, "peak_mb": usage.ru_maxrss / 1024, "translating": translating_seconds(output, log)}

    def bleu(self, command):
        hypothesis = command[command.index("--output") + 1]
        reference = FOLDER / "reference"
        count = len(pathlib.Path(hypothesis).read_text(encoding="utf-8").split("\n")) - 1
        lines = pathlib.Path(self.options.reference).read_text(encoding="utf-8").split("\n")[:count]
        reference.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        report = self.attend("eval", "--hypothesis", hypothesis, "--reference", reference, "--tokenize", "none", "--json",
                             "--quiet", stdout=subprocess.PIPE, text=True).stdout
        return json.loads(report)[0]["score"]

    def run(self):
        self.prepare()
        options = self.options
        jobs = [Job(batch, threads, shortlist) for threads, batch, shortlist in itertools.product(
            map(int, options.threads.split()), options.batch.split(), [False, True] if options.lexicon_target else [False])]
        hopeless = set()  # CTranslate2's settings that took three times as long as another
        for index in range(options.rounds):
            for job in jobs:
                contenders = list(self.commands(job, FOLDER / "all"))
                seconds = {}
                for name, precision, command in contenders if index % 2 == 0 else reversed(contenders):
                    if (*vars(job).values(), name, precision) in hopeless:
                        continue
                    record = {"part": "translate", "program": name, "precision": precision, "round": index,
                              "lines": options.lines, **vars(job), **self.measure(command)}
                    if index == 0 and options.reference:
                        record["bleu"] = self.bleu(command)
                    self.append(record)
                    seconds[name, precision] = record["seconds"]
                hopeless.update((*vars(job).values(), *key) for key, value in seconds.items()
                                if key[0] != "attend" and value > 3 * min(seconds.values()))
            self.measure_starts(index)
        print_table(self.results)

    def measure_starts(self, index):
        """Times the translation of one line."""
        job = Job("1", 1, False)
        for name, precision, command in self.commands(job, FOLDER / "one"):
            self.append({"part": "start", "program": name, "precision": precision, "round": index, **self.measure(command)})

    def append(self, record):
        with open(self.results, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def translating_seconds(output, log):
    """attend says it in its log, CTranslate2's program as JSON; bench_pytorch.py has only a rate."""
    if found := re.search(r"translated [\d,]+ lines in ([\d.]+) s", log):
        return float(found.group(1))
    record = json.loads(output.strip().split("\n")[-1])
    return record.get("translating")


# ---- the table


def best(records, key):
    """The lowest median of `key` among programs, and the name of the program."""
    by_program = {}
    for record in records:
        if record.get(key) is not None:
            by_program.setdefault(record["program"], []).append(record[key])
    if not by_program:
        return None, "-"
    return min((statistics.median(values), program) for program, values in by_program.items())


def row(records, job):
    """Cells of a row: both programs' sentences per second, the ratios of the medians, memory and BLEU."""
    own = [record for record in records if record["program"] == "attend"]
    other = [record for record in records if record["program"].startswith("CTranslate2")]
    seconds, _ = best(own, "seconds")
    rival, name = best(other, "seconds")
    translating, rival_translating = best(own, "translating")[0], best(other, "translating")[0]
    if None in (seconds, rival):
        return None
    fastest = [record for record in other if record["program"] == name]
    lines = own[0]["lines"]
    scores = [next((f"{record['bleu']:.2f}" for record in group if "bleu" in record), "-") for group in (own, fastest)]
    memory = [statistics.median(record["peak_mb"] for record in group) for group in (own, fastest)]
    precision, batch, threads, shortlist = job
    return [precision, batch, "yes" if shortlist else "no", str(threads), f"{lines / seconds:,.1f}", f"{lines / rival:,.1f}",
            f"{rival / seconds:.2f}", f"{rival_translating / translating:.2f}" if translating else "-",
            name.removeprefix("CTranslate2 "), f"{memory[0]:,.0f} / {memory[1]:,.0f}", " / ".join(scores)]


def print_rows(heads, rows):
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for cells in rows:
        print("| " + " | ".join(cells) + " |")


def print_table(path):
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    translations = [record for record in records if record["part"] == "translate"]
    keys = ("precision", "batch", "threads", "shortlist")
    jobs = list(dict.fromkeys(tuple(record[key] for key in keys) for record in translations))
    rows = [row([record for record in translations if tuple(record[key] for key in keys) == job], job) for job in jobs]
    print_rows(["precision", "batch", "shortlist", "threads", "attend, sentences/s", "CTranslate2", "ratio", "translating alone",
                "its best", "peak MB", "BLEU"], filter(None, rows))
    print()
    groups = {}
    for record in records:
        if record["part"] == "start":
            groups.setdefault((record["program"], record["precision"]), []).append(record)
    print_rows(["program", "precision", "one line, s", "peak MB"],
               [[*key, *(f"{statistics.median(record[name] for record in group):.{digits}f}"
                         for name, digits in (("seconds", 2), ("peak_mb", 0)))] for key, group in groups.items()])


# ---- the command line


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("--model", required=True)
    run.add_argument("--input", required=True)
    run.add_argument("--reference")
    run.add_argument("--lexicon-source", help="default: --input")
    run.add_argument("--lexicon-target")
    run.add_argument("--programs", default="attend ctranslate2")
    run.add_argument("--precision", default="f32 int8")
    run.add_argument("--batch", default="1 16 64 file")
    run.add_argument("--beam", type=int, default=5)
    run.add_argument("--threads", default="1 2")
    run.add_argument("--lines", type=int, default=1000)
    run.add_argument("--rounds", type=int, default=3)
    run.add_argument("--program", default="build/src/cli/attend")
    run.add_argument("--python", default=sys.executable)
    table = commands.add_parser("table")
    table.add_argument("results")
    other = commands.add_parser("ctranslate2")
    for name in ("--model", "--input", "--output", "--batch", "--compute-type"):
        other.add_argument(name, required=True)
    for name in ("--beam", "--translators", "--threads"):
        other.add_argument(name, type=int, required=True)
    other.add_argument("--length-penalty", type=float, required=True)
    other.add_argument("--vmap", action="store_true")
    options = parser.parse_args()
    if options.command == "run":
        options.lexicon_source = options.lexicon_source or options.input
    return options


def main():
    options = parse()
    if options.command == "run":
        Bench(options).run()
    elif options.command == "table":
        print_table(options.results)
    else:
        run_ctranslate2(options)


if __name__ == "__main__":
    main()
