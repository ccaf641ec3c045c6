#!/usr/bin/env python3
"""Runs the quick commands of README.md and the guides, with tiny models in place of those that take minutes to train.

    tests/docs/run_guides.py --program build/src/cli/attend

Every block of the language sh that calls attend runs in a folder with the recipes, the bundled corpus and the files that the
guides call the reader's own. It fails if a command of it fails. `attend train` makes four updates of a tiny model. Blocks
that need a fetched corpus, a server, a launcher, a build, root or a GPU are skipped; --verbose lists them.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import check_docs

ROOT = check_docs.ROOT
MOST_SECONDS = 600  # for a block, on a busy machine

# What the test does not have, with a pattern of the blocks that need it.
ABSENT = {
    "a fetched corpus": r"data/(multi30k|bible|tasks|babi)|runs/(m30k|bible)"
                        r"|configs/\w*(multi30k|bible|2014|2015|copy|memn2n|babi)\w*\.yaml(?![\s\S]*\bmy/)",
    "a script": r"(?m)^(scripts|tests|\.ci)/",
    "a server": r"attend serve|curl ",
    "a launcher": r"srun |mpirun |torchrun ",
    "a build or root": r"cmake |ctest |sudo ",
    "a GPU": r"--device cuda",
    "a large model": r"transformer_base",
    "files of other blocks": r"\Aattend (average|merge)|my\.model|big\.en|test\.nbest|--votes",
}

LIMITS = {"training.max_updates": 4, "training.warmup_updates": 0, "training.validate_every.epochs": 0,
          "training.validate_every.updates": 1, "training.validation.max_sentences": 8}
MODEL = {"model.embedding": 8, "model.encoder.hidden": 8, "model.decoder.hidden": 8, "tokenizer.vocabulary": 300}

# attend, but every training is a tiny one.
WRAPPER = """#!/usr/bin/env bash
[[ $1 == train ]] || exec {program} "$@"
case " $* " in
  *" --from "*) exec {program} "$@" --threads 1 {limits} ;;
  *quickstart_transformer*) exec {program} "$@" --threads 1 --overwrite {limits} --set training.warmup_updates=1 ;;
  *) exec {program} "$@" --threads 1 {limits} {model} ;;
esac
"""


def settings(keys):
    return " ".join(f"--set {key}={value}" for key, value in keys.items())


def run(folder, text):
    """Runs shell text in a folder; returns the error, or None."""
    environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}")
    try:
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8", errors="replace", timeout=MOST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"takes more than {MOST_SECONDS} seconds"
    return None if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr.strip()[-500:]}"


def block_with(guide, text):
    """The first fenced block of a guide that contains the text."""
    return next(fence.text for fence in check_docs.Document(ROOT, ROOT / guide).fences if text in fence.text)


def write_own_text(folder):
    """The files that the guides call the reader's own."""
    my = folder / "my"
    my.mkdir()
    for name in ("train", "dev", "test"):
        for side in ("en", "de"):
            shutil.copy(ROOT / f"data/quickstart/{name}.{side}", my / f"{name}.{side}")
    for name in ("de.yaml", "news.yaml"):
        (my / name).write_text(block_with("README.md", "data:"), encoding="utf-8")
    shutil.copy(my / "test.en", my / "new.en")
    for name in ("base.de", "new.de", "test.de"):
        shutil.copy(my / "test.de", folder / name)
    phrases = block_with("src/decode/README.md", '["Küchentür"]')
    (folder / "phrases.jsonl").write_text(phrases, encoding="utf-8")
    (folder / "terms.tsv").write_text(block_with("src/decode/README.md", "dog\tHund"), encoding="utf-8")
    (folder / "words.txt").write_text("Köter\n", encoding="utf-8")
    lines = (my / "test.en").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "new.en").write_text("".join(lines[:phrases.count("\n")]), encoding="utf-8")


def prepare(folder, program):
    """Prepares the folder in which the guides' commands run; returns the error, or None."""
    (folder / "bin").mkdir(parents=True)
    wrapper = folder / "bin/attend"
    wrapper.write_text(WRAPPER.format(program=shlex.quote(program), limits=settings(LIMITS), model=settings(MODEL)))
    wrapper.chmod(0o755)
    shutil.copytree(ROOT / "configs", folder / "configs")
    shutil.copytree(ROOT / "data/quickstart", folder / "data/quickstart")
    write_own_text(folder)
    return run(folder, "attend train configs/quickstart.yaml && cp -r runs/quickstart runs/seed1 && "
                       "cp -r runs/quickstart runs/seed2 && "
                       "attend train configs/quickstart_transformer.yaml --output runs/transformer")


def absent(text):
    """What a block needs that the test does not have, or None."""
    if "man -l" in text and shutil.which("man") is None:
        return "man"
    return next((name for name, pattern in ABSENT.items() if re.search(pattern, text)), None)


def run_guide(document, template, verbose):
    """Runs the blocks of a guide in order, in a copy of the prepared folder; the numbers run and skipped, and problems."""
    counts, problems = [0, 0], []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary, "copy")
        shutil.copytree(template, folder)
        for fence in document.fences:
            if fence.language not in check_docs.SHELL or not re.search(r"\battend [a-z]", fence.text):
                continue
            needed = absent(fence.text)
            counts[needed is not None] += 1
            if needed and verbose:
                print(f"{document.name}:{fence.line}: skipped, needs {needed}")
            problem = None if needed else run(folder, fence.text)
            if problem:
                problems.append(f"{document.name}:{fence.line}: {problem}")
    return counts, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="build/src/cli/attend")
    parser.add_argument("--verbose", action="store_true", help="list the blocks that are skipped")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        template = pathlib.Path(temporary, "template")
        problem = prepare(template, str(pathlib.Path(arguments.program).resolve()))
        if problem:
            sys.exit(f"run_guides: the tiny models: {problem}")
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as workers:
            done = list(workers.map(lambda document: run_guide(document, template, arguments.verbose),
                                    check_docs.documents(ROOT)))
    problems = [problem for _, found in done for problem in found]
    for problem in problems:
        print(problem)
    print(f"run_guides: {sum(counts[0] for counts, _ in done)} blocks run, {sum(counts[1] for counts, _ in done)} skipped; "
          f"{len(problems)} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
