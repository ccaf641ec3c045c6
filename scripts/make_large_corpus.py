#!/usr/bin/env python3
"""Generates a parallel corpus of any size, to test attend with large ones.

Words consist of random syllables and follow Zipf's law; lengths are like those of natural text (median 13 words). Each
source word has its own target word, and every third target word changes places with the next one. The same seed and
number of pairs give the same files. Memory does not grow with the number of pairs.

    scripts/make_large_corpus.py --pairs 1000000 --output /data/large
writes /data/large/train.src, train.tgt and 500 other pairs as dev.src, dev.tgt.
"""
import argparse
import itertools
import math
import pathlib
import random
import sys

WORDS = 50_000
LONGEST = 60
AT_ONCE = 1000  # pairs whose words are drawn in one call


def make_words(rng, onsets, vowels, count):
    """Distinct words of one to four syllables, short ones first."""
    words = []
    seen = set()
    while len(words) < count:
        syllables = 1 + min(3, int(math.log(1 + len(words) / 40, 12)))
        word = "".join(rng.choice(onsets) + rng.choice(vowels) for _ in range(rng.choice((syllables, syllables + 1))))
        if word not in seen:
            seen.add(word)
            words.append(word)
    return words


def word_lists(rng):
    """The words of the source and of the target, frequent ones first."""
    source_words = make_words(rng, "b d f g k l m n p r s t v z st tr pl".split(), "a e i o u ai".split(), WORDS)
    target_words = make_words(rng, "b ch d f g h l m n p s sch t w kr".split(), "a e i o u ei ü".split(), WORDS)
    return source_words, target_words


def lengths(rng, count):
    return [max(1, min(LONGEST, round(math.exp(rng.gauss(math.log(13), 0.5))))) for _ in range(count)]


def target_of(words):
    """Swaps every third word with the next one."""
    turned = list(words)
    for i in range(2, len(turned) - 1, 3):
        turned[i], turned[i + 1] = turned[i + 1], turned[i]
    return turned


def write_pairs(rng, tables, pairs, source, target):
    source_words, target_words, cumulative = tables
    ranks = range(WORDS)
    for begin in range(0, pairs, AT_ONCE):
        sizes = lengths(rng, min(AT_ONCE, pairs - begin))
        drawn = iter(rng.choices(ranks, cum_weights=cumulative, k=sum(sizes)))
        for size in sizes:
            line = list(itertools.islice(drawn, size))
            source.write(" ".join([source_words[word] for word in line]) + "\n")
            target.write(" ".join([target_words[word] for word in target_of(line)]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, required=True, help="training pairs")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="folder for the files")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.pairs < 1:
        sys.exit(f"make_large_corpus.py: --pairs {options.pairs}: expected 1 or more")
    rng = random.Random(options.seed)
    source_words, target_words = word_lists(rng)
    cumulative = list(itertools.accumulate(1 / (rank + 3) for rank in range(WORDS)))
    options.output.mkdir(parents=True, exist_ok=True)
    for name, pairs in (("dev", 500), ("train", options.pairs)):
        with (options.output / f"{name}.src").open("w", encoding="utf-8") as source, \
             (options.output / f"{name}.tgt").open("w", encoding="utf-8") as target:
            write_pairs(rng, (source_words, target_words, cumulative), pairs, source, target)


if __name__ == "__main__":
    main()
