#!/usr/bin/env python3
"""Compares exported models with their originals, run by the programs that they were exported for.

    tests/e2e/export_test.py build/src/cli/attend ctranslate2
    tests/e2e/export_test.py build/src/cli/attend ctranslate2 --model DIR --source FILE --target FILE

The first trains tiny models of all kinds that the format knows. The second compares a model of your own, whose text is cut
into pieces by the Python package sentencepiece. Log-probabilities of given translations must agree to 1e-4, and so must the
scores of equal translations. Exit code 77: the program is not installed.
"""
import argparse
import importlib.util
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SKIPPED = 77
TOLERANCE = 1e-4
LONGEST = 40  # words of a translation that is compared
EQUAL = {1: 0.98, 5: 0.75}  # share of equal translations: ties, and searches that end at different times
WORDS = "a b c d e f g h i j".split()
TRANSFORMER = {
    "data.max_length": 20,
    "tokenizer": "{type: word, vocabulary: 14, joint: false}",
    "model.embedding": 16,
    "model.encoder": "{type: transformer, layers: 2, heads: 2, feed_forward: 24}",
    "model.decoder": "{type: transformer, layers: 2, heads: 2, feed_forward: 20}",
    "training": "{max_updates: 150, learning_rate: 0.01, batch: {size: 20, unit: sentences}}",
}
CTRANSLATE2_VARIANTS = {
    "pre_norm": {},
    "post_norm": {"model.encoder.norm": "post", "model.decoder.norm": "post"},
    "gelu": {"model.encoder.activation": "gelu", "model.decoder.activation": "gelu"},
    "gated": {"model.encoder.activation": "swiglu", "model.decoder.activation": "geglu"},
    "learned_positions": {"model.encoder.positions": "learned", "model.decoder.positions": "learned",
                          "model.encoder.max_positions": 5, "model.decoder.max_positions": 6},
    "rotary_positions": {"model.encoder.positions": "rotary", "model.decoder.positions": "rotary"},
    "relative_positions": {"model.encoder.positions": "relative", "model.decoder.positions": "relative",
                           "model.encoder.layer_attention.max_distance": 3,
                           "model.decoder.layer_attention.max_distance": 2},
    "no_positions": {"model.encoder.positions": "none", "model.decoder.positions": "none"},
    "tied_output": {"model.tie": "decoder"},
    "all_tied": {"model.tie": "all", "tokenizer": "{type: word, vocabulary: 26}"},
    "several_widths": {"model.tie": "decoder", "model.encoder.width": 20, "model.decoder.width": 24},
    "several_depths": {"model.encoder.layers": 3, "model.decoder.layers": 1},
    "dot_products": {"model.attention": "{score: dot, heads: 2, temperature: 2}",
                     "model.decoder.layer_attention.score": "dot"},
    "learned_scale": {"model.attention": "{score: scaled_dot, heads: 2, learned_scale: true}"},
}


RECURRENT = {
    **TRANSFORMER,
    "model.encoder": "{cell: gru, hidden: 10}",
    "model.decoder": "{cell: gru, hidden: 20, wiring: luong}",
}
RECURRENT_VARIANTS = {
    "luong": {},
    "luong_without_feeding": {"model.decoder.input_feeding": "false", "model.decoder.bridge": "mean"},
    "bahdanau_lstm": {"model.encoder.cell": "lstm", "model.decoder": "{cell: lstm, hidden: 18, wiring: bahdanau, layers: 2}"},
    "bahdanau_maxout": {"model.decoder": "{cell: gru, hidden: 18, wiring: bahdanau, readout: maxout}",
                        "model.attention.score": "general", "model.attention.temperature": 2},
    "conditional": {"model.decoder.wiring": "conditional", "model.tie": "decoder", "model.attention.normalized": "true"},
    "conditional_layers": {"model.decoder": "{cell: lstm, hidden: 20, wiring: conditional, layers: 3, residual: true, "
                                            "layer_norm: true, bridge: zero}", "model.attention.score": "dot"},
    "encoder_layers": {"model.encoder": "{cell: gru, hidden: 10, layers: 3, residual: true, layer_norm: true}",
                       "model.attention.score": "concat"},
    "no_attention": {"model.encoder": "{cell: lstm, hidden: 20, layers: 2, bidirectional: false, reverse_source: true}",
                     "model.decoder": "{cell: lstm, hidden: 20, layers: 2, wiring: none, bridge: copy}"},
    "mingru": {"model.encoder": "{cell: mingru, hidden: 10, layer_norm: true}",
               "model.decoder": "{cell: mingru, hidden: 20, wiring: conditional}", "model.attention.score": "biased_general"},
    "heads": {"model.attention": "{score: scaled_dot, heads: 2, scope: position_bias, max_distance: 3}"},
    "one_bias": {"model.attention": "{score: activated_general, scope: position_bias, max_distance: 3}"},
    "hybrid": {"model.encoder": TRANSFORMER["model.encoder"], "model.decoder.wiring": "conditional"},
    "reverse_hybrid": {"model.decoder": TRANSFORMER["model.decoder"]},
}
BIASED = {"scope": "position_bias", "max_distance": 3}
STACK_VARIANTS = {
    "ssru": {"model.decoder": "{type: ssru, layers: 2, heads: 2}"},
    "gru_layers": {"model.decoder": "{type: gru, layers: 2, heads: 2}"},
    "lstm_layers": {"model.decoder": "{type: lstm, layers: 2, heads: 2, norm: post}"},
    "biases": {f"{section}.{key}": value for key, value in BIASED.items()
               for section in ("model.encoder.layer_attention", "model.decoder.layer_attention", "model.attention")},
    "biases_and_distances": {"model.encoder.positions": "relative", "model.encoder.layer_attention": str(BIASED).replace("'", "")},
    "additive": {"model.encoder.layer_attention.score": "additive", "model.decoder.layer_attention.score": "concat",
                 "model.attention.score": "additive"},
}


class Original:
    """A model folder and the program that wrote it."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments), "--quiet"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"attend {arguments[0]} failed: {done.stderr}")
        return done.stdout.splitlines()

    def translations(self, source, beam):
        """Pairs of text and score, one for each line of the file `source`. The longest output has ten times its pieces."""
        lines = self.run("translate", "--model", self.folder, "--input", source, "--scores", "--beam", beam,
                         "--length-penalty", 1, "--max-length-ratio", 10, "--device", "cpu")
        fields = [line.split(" ||| ") for line in lines]
        return [(text, float(score)) for _, text, score in fields]

    def log_probs(self, source, target):
        lines = self.run("score", "--model", self.folder, "--source", source, "--target", target, "--device", "cpu")
        return [float(line) for line in lines]


class WordPieces:
    """Cuts lines as a SentencePiece model of type word does."""

    def encode(self, line):
        return ["▁" + word for word in line.split()]

    def decode(self, pieces):
        return "".join(pieces).replace("▁", " ").strip()


class SentencePieces:
    """Cuts lines with a SentencePiece model."""

    def __init__(self, model):
        import sentencepiece
        self.processor = sentencepiece.SentencePieceProcessor(model_file=str(model))

    def encode(self, line):
        return self.processor.encode(line, out_type=str)

    def decode(self, pieces):
        return self.processor.decode(pieces)


class Ctranslate2:
    """A model exported for CTranslate2, with settings that make its search like ours."""

    BEAMS = (1, 5)

    def __init__(self, folder, source_pieces, target_pieces):
        import ctranslate2
        self.translator = ctranslate2.Translator(str(folder), device="cpu", compute_type="float32", intra_threads=1)
        self.source, self.target = source_pieces, target_pieces

    def translations(self, lines, beam):
        results = self.translator.translate_batch([self.source.encode(line) for line in lines], beam_size=beam,
                                                  length_penalty=1, min_decoding_length=0, return_scores=True,
                                                  max_batch_size=32)
        return [(self.target.decode(result.hypotheses[0]), result.scores[0]) for result in results]

    def log_probs(self, lines, targets):
        results = self.translator.score_batch([self.source.encode(line) for line in lines],
                                              [self.target.encode(line) for line in targets], max_batch_size=32)
        return [sum(result.log_probs) for result in results]


class Torch:
    """A model exported for PyTorch, run by an interpreter that has it."""

    BEAMS = (1,)
    TRANSLATE = """
import sys, torch
from model import load, EOS, PAD, UNK
model, source, target = load(".")
def batch(rows):
    return torch.nn.utils.rnn.pad_sequence([torch.tensor(row + [EOS]) for row in rows], batch_first=True, padding_value=PAD)
known = {piece: i for i, piece in enumerate(source)}
lines = batch([[known.get(piece, UNK) for piece in line.split()] for line in sys.stdin])
found = model.translate(lines, 100)
log_probs = model.log_probs(lines, batch(found))
for row, sum_ in zip(found, log_probs.sum(1).tolist()):
    print(*(target[i] for i in row), sum_ / (len(row) + 1))
"""

    def __init__(self, folder, source_pieces, target_pieces):
        self.folder, self.source, self.target = folder, source_pieces, target_pieces

    @staticmethod
    def interpreter():
        """The path of a Python with PyTorch; None if there is none."""
        for python in (sys.executable, "/usr/bin/python3"):
            if subprocess.run([python, "-c", "import torch"], capture_output=True, check=False).returncode == 0:
                return python
        return None

    def run(self, arguments, lines):
        done = subprocess.run([self.interpreter(), *arguments], input="".join(line + "\n" for line in lines), cwd=self.folder,
                              capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout.splitlines()

    def translations(self, lines, beam):
        del beam
        answers = self.run(["-c", self.TRANSLATE], (" ".join(self.source.encode(line)) for line in lines))
        fields = [line.split(" ") for line in answers]
        return [(self.target.decode(pieces), float(score)) for *pieces, score in fields]

    def log_probs(self, lines, targets):
        pairs = ("\t".join((" ".join(self.source.encode(line)), " ".join(self.target.encode(target))))
                 for line, target in zip(lines, targets, strict=True))
        return [float(line) for line in self.run(["model.py"], pairs)]


FORMATS = {"ctranslate2": Ctranslate2, "torch": Torch}


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def read_lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def invented_text(folder):
    """Sentences of letters, and their translations: the capitals."""
    draw = random.Random(7)
    source = [" ".join(draw.choices(WORDS, k=draw.randint(1, 9))) for _ in range(300)]
    target = [line.upper() for line in source]
    return write_lines(folder / "source", source), write_lines(folder / "target", target)


def train(program, folder, name, settings, texts):
    model = folder / name
    config = write_lines(folder / f"{name}.yaml", [f"data: {{train: {{source: {texts[0]}, target: {texts[1]}}}}}"])
    sets = [argument for key, value in settings.items() for argument in ("--set", f"{key}={value}")]
    original = Original(program, model)
    original.run("train", config, "--output", model, "--device", "cpu", "--threads", 1, *sets)
    return original


def compare(name, original, exported, texts):
    """Prints a line of figures. Returns the number of objections."""
    lines, targets = read_lines(texts[0]), read_lines(texts[1])
    forced = [abs(a - b) for a, b in zip(original.log_probs(*texts), exported.log_probs(lines, targets), strict=True)]
    report = f"{name}: log-probabilities of {len(forced)} pairs within {max(forced):.1e}"
    wrong = max(forced) > TOLERANCE
    for beam in exported.BEAMS:
        pairs = zip(original.translations(texts[0], beam), exported.translations(lines, beam), strict=True)
        # The programs cut endless repetitions at different lengths.
        pairs = [(a, b) for a, b in pairs if max(len(a[0].split()), len(b[0].split())) < LONGEST]
        scores = [abs(a[1] - b[1]) for a, b in pairs if a[0] == b[0]]
        report += f"; beam {beam}: {len(scores)} of {len(pairs)} equal, their scores within {max(scores):.1e}"
        wrong += max(scores) > TOLERANCE or len(scores) < EQUAL[beam] * len(pairs)
    print(report + ("  WRONG" if wrong else ""), flush=True)
    return wrong


def variants(format_):
    """Pairs of name and settings."""
    stacks = {**CTRANSLATE2_VARIANTS, **(STACK_VARIANTS if format_ == "torch" else {})}
    recurrent = RECURRENT_VARIANTS if format_ == "torch" else {}
    return [*((name, {**TRANSFORMER, **changes}) for name, changes in stacks.items()),
            *((name, {**RECURRENT, **changes}) for name, changes in recurrent.items())]


def check_variants(arguments, folder):
    texts = invented_text(folder)
    some = [write_lines(folder / f"some.{text.name}", read_lines(text)[:100]) for text in texts]
    wrong = 0
    for name, settings in variants(arguments.format):
        if arguments.only and name not in arguments.only:
            continue
        original = train(arguments.program, folder, name, settings, texts)
        exported = folder / f"{name}.exported"
        original.run("export", "--model", original.folder, "--format", arguments.format, "--output", exported)
        wrong += compare(name, original, FORMATS[arguments.format](exported, WordPieces(), WordPieces()), some)
    return wrong


def check_model(arguments, folder):
    original = Original(arguments.program, arguments.model)
    exported = folder / "exported"
    original.run("export", "--model", arguments.model, "--format", arguments.format, "--output", exported)
    joint = exported / "joint.model"
    pieces = [SentencePieces(joint if joint.exists() else exported / f"{side}.model") for side in ("source", "target")]
    return compare(arguments.model, original, FORMATS[arguments.format](exported, *pieces), (arguments.source, arguments.target))


def is_installed(format_):
    return Torch.interpreter() is not None if format_ == "torch" else importlib.util.find_spec("ctranslate2") is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("--only", nargs="*", help="kinds of tiny models")
    parser.add_argument("--model")
    parser.add_argument("--source", type=pathlib.Path)
    parser.add_argument("--target", type=pathlib.Path)
    arguments = parser.parse_args()
    if not is_installed(arguments.format):
        print(f"skipped: no {arguments.format} for {sys.executable}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        check = check_model if arguments.model else check_variants
        return min(check(arguments, pathlib.Path(folder)), 1)


if __name__ == "__main__":
    sys.exit(main())
