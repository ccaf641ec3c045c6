"""The texts and tokenizers of scripts/bench_gpu.sh, from a given folder or generated."""
import dataclasses
import gzip
import pathlib
import random
import shutil
import subprocess
import sys

from jobs import JOBS, ROOT
from ledger import run, say
from widen import widen

sys.path.insert(0, str(ROOT / "scripts"))
import make_large_corpus  # noqa: E402

MULTI30K = [f"{part}.lc.norm.tok.{side}" for part in ("train", "val", "test_2016_flickr") for side in ("en", "de")]


EASY_WORDS = 100
NARROW = dataclasses.replace(JOBS["gnmt"], vocabulary=300, embedding=64, encoder_hidden=32, decoder_hidden=64, batch=2000,
                             window=250)


def write_easy(folder, name, seed, count):
    """Pairs like those of make_large_corpus.py, of 100 words only, so that a small network learns them in minutes."""
    source, target = make_large_corpus.word_lists(random.Random(1))
    rng = random.Random(seed)
    with open(folder / f"{name}.src", "w", encoding="utf-8") as sources, \
         open(folder / f"{name}.tgt", "w", encoding="utf-8") as targets:
        for size in make_large_corpus.lengths(rng, count):
            line = rng.choices(range(EASY_WORDS), k=size)
            sources.write(" ".join(source[word] for word in line) + "\n")
            targets.write(" ".join(target[word] for word in make_large_corpus.target_of(line)) + "\n")


@dataclasses.dataclass
class Text:
    source: pathlib.Path
    target: pathlib.Path


class Data:
    """Looks in `given` for Multi30k's files, plain or compressed, tokenizers (NAME.model) and the model gnmt-narrow."""

    def __init__(self, options):
        self.options = options
        self.given = options.data
        self.work = options.work
        self.work.mkdir(parents=True, exist_ok=True)
        self.easy = self.work / "easy"
        self.easy.mkdir(exist_ok=True)
        self.multi30k = self.unpack()
        self.large = self.generate()

    def unpack(self):
        """The folder with Multi30k, or None."""
        for folder in filter(None, (self.given, ROOT / "data" / "multi30k")):
            if all((folder / name).exists() or (folder / f"{name}.gz").exists() for name in MULTI30K):
                break
        else:
            say("no Multi30k in --data or data/multi30k: the reference job takes generated text, and the recipe is left out")
            return None
        own = self.work / "multi30k"
        own.mkdir(exist_ok=True)
        for name in MULTI30K:
            if (own / name).exists():
                continue
            if (folder / name).exists():
                shutil.copy(folder / name, own / name)
            else:
                (own / name).write_bytes(gzip.decompress((folder / f"{name}.gz").read_bytes()))
        return own

    def generate(self):
        folder = self.work / "large"
        if not (folder / "made").exists():
            subprocess.run([sys.executable, ROOT / "scripts" / "make_large_corpus.py", "--pairs", str(self.options.pairs),
                            "--output", folder], check=True)
            (folder / "made").touch()
        return folder

    def text(self, job):
        if job.corpus == "multi30k" and self.multi30k:
            return Text(self.multi30k / MULTI30K[0], self.multi30k / MULTI30K[1])
        return Text(self.large / "train.src", self.large / "train.tgt")

    def settings(self, job):
        """Settings of attend that name the texts, the tokenizer and a token cache."""
        text = self.text(job)
        return {"data.train.source": text.source, "data.train.target": text.target,
                "data.cache": self.work / f"{self.name(job)}.tokens"}

    def name(self, job):
        """Jobs with the same text and vocabulary share a tokenizer."""
        kind = "multi30k" if job.corpus == "multi30k" and self.multi30k else "large"
        return f"{kind}-{job.vocabulary}"

    def tokenizer(self, job):
        """The SentencePiece model of a job: given, made before, or trained now by attend. None if that fails."""
        own = self.work / f"{self.name(job)}.model"
        given = self.given / own.name if self.given else None
        if not own.exists() and given and given.exists():
            shutil.copy(given, own)
        if not own.exists():
            say(f"training a tokenizer: {own.name}")
            folder = self.work / f"{self.name(job)}.run"
            small = {"model.embedding": 16, "model.encoder.hidden": 16, "model.decoder.hidden": 16}
            settings = {**self.settings(job), **small, "tokenizer.vocabulary": job.vocabulary, "training.max_updates": 1}
            command = [self.options.program, "train", ROOT / "tests" / "bench" / "reference.yaml", "--overwrite",
                       "--output", folder, "--device", "cpu", *sets(settings)]
            done = run(command, 180, self.work / "logs" / f"{own.name}.log")
            if done.failed:
                say(f"{own.name}: {done.failed}")
                return None
            shutil.copy(folder / "joint.model", own)
        return own

    def narrow(self):
        """A small network that has the layers of the gnmt job and translates the easy text: given, or trained on the CPU in
        --narrow-minutes. None if that fails."""
        if self.given and (self.given / "gnmt-narrow" / "best.safetensors").exists():
            return self.given / "gnmt-narrow"
        folder = self.work / "gnmt-narrow"
        if (folder / "best.safetensors").exists():
            return folder
        minutes = self.options.narrow_minutes
        say(f"training gnmt-narrow for {minutes} minutes; --data DIR may hold one of an earlier run")
        for name, seed, count in (("train", 1, 40_000), ("dev", 2, 200)):
            write_easy(self.easy, name, seed, count)
        texts = {f"data.{part}.{side}": self.easy / f"{part}.{end}" for part in ("train", "dev")
                 for side, end in (("source", "src"), ("target", "tgt"))}
        settings = {**texts, **NARROW.overrides(), "training.learning_rate": 0.004, "training.schedule": "one_cycle",
                    "training.warmup_updates": 200, "training.max_minutes": minutes, "training.validate_every.updates": 500}
        command = [self.options.program, "train", ROOT / NARROW.config, "--overwrite", "--output", folder, "--device", "cpu",
                   *sets(settings)]
        done = run(command, 60 * minutes + 120, self.work / "logs" / "gnmt-narrow.log")
        if done.failed:
            say(f"gnmt-narrow: {done.failed}")
            return None
        return folder

    def wide(self, job):
        """A model folder with the sizes of `job` that translates the easy text."""
        folder = self.work / "models" / "gnmt_wide"
        narrow = self.narrow()
        if narrow and not (folder / "best.safetensors").exists():
            widen(narrow, folder, NARROW, job)
        return folder if narrow else None

    def easy_test(self, count):
        """A file with `count` lines of easy text."""
        write_easy(self.easy, f"test.{count}", 3, count)
        return self.easy / f"test.{count}.src"

    def head(self, path, count):
        """A file with the first `count` lines of `path`."""
        own = self.work / f"{path.name}.{count}"
        with open(path, encoding="utf-8", newline="\n") as file:
            own.write_text("".join(line for _, line in zip(range(count), file)), encoding="utf-8")
        return own


def sets(settings):
    return [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
