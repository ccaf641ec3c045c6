#!/usr/bin/env python3
"""Writes the quickstart corpus, data/quickstart, from its grammar; --check only compares.

Standard library only. The same seed gives the same bytes with every Python from 3.7 on.
"""

import argparse
import collections
import pathlib
import sys

from quickstart_corpus.sentences import Sentences

SEED = 20240501
SIZES = {"train": 5000, "dev": 200, "test": 300}
SHORTEST, LONGEST = 3, 20           # words on either side
RARE = 5                            # a dev or test word occurs at least this often in training
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "data" / "quickstart"


def draw_pairs(seed, count):
    """Pairs that share no sentence on either side."""
    sentences = Sentences(seed)
    german_of, seen_german, pairs = {}, set(), []
    while len(pairs) < count:
        pair = sentences.draw()
        known = german_of.setdefault(pair.english, pair.german)
        if known != pair.german:
            raise ValueError(f"two translations of {pair.english!r}: {known!r}, {pair.german!r}")
        lengths = [len(side.split()) for side in (pair.english, pair.german)]
        if min(lengths) < SHORTEST or max(lengths) > LONGEST or pair.german in seen_german:
            continue
        seen_german.add(pair.german)
        pairs.append(pair)
    return pairs


def word_counts(pairs):
    counts = collections.Counter()
    for pair in pairs:
        counts.update(("en", word.lower()) for word in pair.english.split())
        counts.update(("de", word.lower()) for word in pair.german.split())
    return counts


def split(pairs):
    """Holds out the first pairs whose words all stay frequent enough in the rest."""
    counts = word_counts(pairs)
    held_out, train = [], []
    wanted = SIZES["dev"] + SIZES["test"]
    for pair in pairs:
        own = word_counts([pair])
        if len(held_out) < wanted and all(counts[word] - n >= RARE for word, n in own.items()):
            counts.subtract(own)
            held_out.append(pair)
        else:
            train.append(pair)
    return {"train": train, "dev": held_out[: SIZES["dev"]], "test": held_out[SIZES["dev"]:]}


def files(parts):
    """File name -> content."""
    result = {}
    for part, pairs in parts.items():
        result[f"{part}.en"] = [pair.english for pair in pairs]
        result[f"{part}.de"] = [pair.german for pair in pairs]
        if part != "train":
            result[f"{part}.gold"] = [pair.gold_line() for pair in pairs]
    return {name: "".join(line + "\n" for line in lines).encode() for name, lines in result.items()}


def verify(parts):
    """Raises ValueError if the corpus contradicts data/README.md."""
    for part, pairs in parts.items():
        if len(pairs) != SIZES[part]:
            raise ValueError(f"{part}: {len(pairs)} pairs, not {SIZES[part]}")
    for side in ("english", "german"):
        train = {getattr(pair, side) for pair in parts["train"]}
        if any(getattr(pair, side) in train for part in ("dev", "test") for pair in parts[part]):
            raise ValueError(f"a held-out {side} sentence is in the training part")
    counts = word_counts(parts["train"])
    for pair in parts["dev"] + parts["test"]:
        rare = [word for word in word_counts([pair]) if counts[word] < RARE]
        if rare:
            raise ValueError(f"{pair.english!r}: {rare} are too rare in the training part")
    for language in ("en", "de"):
        types = sum(1 for name, _ in counts if name == language)
        if types < 300:
            raise ValueError(f"{language}: only {types} word types in the training part")


def same(path, content):
    return path.is_file() and path.read_bytes() == content


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the files and write nothing")
    parser.add_argument("--output", type=pathlib.Path, default=FOLDER,
                        help="folder (default: data/quickstart)")
    arguments = parser.parse_args()
    parts = split(draw_pairs(SEED, sum(SIZES.values())))
    verify(parts)
    contents = files(parts)
    if not arguments.check:
        arguments.output.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            (arguments.output / name).write_bytes(content)
        return 0
    wrong = [name for name, content in contents.items()
             if not same(arguments.output / name, content)]
    for name in wrong:
        print(f"{arguments.output / name}: differs from the generated file; run "
              "scripts/make_quickstart_corpus.py", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
