#!/usr/bin/python3
"""Joins two independent judgements of word alignment into gold links, and prints how far they agree.

  join_judgements.py FIRST SECOND SOURCE TARGET > GOLD

FIRST and SECOND have a line of links for each line pair of SOURCE and TARGET: i-j is sure, ipj possible. A link is sure in
GOLD if both judge it sure, and possible if at least one links the words (Och & Ney 2003, section 5). Prints on standard
error: Cohen's kappa (Cohen 1960) over all pairs of words, with the classes sure, possible and no link; and the F measure of
the sure links of one judgement against the other's.
"""
import argparse
import collections
import re
import sys


def read_links(path):
    """A dictionary {(i, j): "-" or "p"} for each line."""
    lines = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            links = {}
            for link in line.split():
                match = re.fullmatch(r"(\d+)([-p])(\d+)", link)
                if not match:
                    sys.exit(f"join_judgements.py: {path}:{number}: {link} is not a link; expected 0-2 or 0p2")
                links[int(match[1]), int(match[3])] = match[2]
            lines.append(links)
    return lines


def read_lengths(path):
    with open(path, encoding="utf-8") as file:
        return [len(line.split()) for line in file]


def check(path, judgement, lengths):
    if len(judgement) != len(lengths):
        sys.exit(f"join_judgements.py: {path} has {len(judgement)} lines, the text {len(lengths)}")
    for number, (links, (source, target)) in enumerate(zip(judgement, lengths), 1):
        for i, j in links:
            if i >= source or j >= target:
                sys.exit(f"join_judgements.py: {path}:{number}: {i}{links[i, j]}{j} is outside of {source} and {target} words")


def kappa(first, second, lengths):
    """Cohen's kappa of sure, possible and no link, over all pairs of words."""
    both = collections.Counter()
    for one, other, (source, target) in zip(first, second, lengths):
        both.update((one.get((i, j)), other.get((i, j))) for i in range(source) for j in range(target))
    pairs = sum(both.values())
    rows, columns = collections.Counter(), collections.Counter()
    for (one, other), count in both.items():
        rows[one] += count
        columns[other] += count
    agreed = sum(count for (one, other), count in both.items() if one == other) / pairs
    by_chance = sum(rows[kind] * columns[kind] for kind in rows) / pairs**2
    return (agreed - by_chance) / (1 - by_chance)


def sure(links):
    return {link for link, kind in links.items() if kind == "-"}


def agreement(first, second):
    """F measure of the sure links."""
    common = sum(len(sure(one) & sure(other)) for one, other in zip(first, second))
    return 2 * common / sum(len(sure(links)) for links in first + second)


def join(one, other):
    certain = sure(one) & sure(other)
    return " ".join(f"{i}{'-' if (i, j) in certain else 'p'}{j}" for i, j in sorted(one.keys() | other.keys()))


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("first", "second", "source", "target"):
        parser.add_argument(name)
    options = parser.parse_args(arguments)
    first, second = read_links(options.first), read_links(options.second)
    lengths = list(zip(read_lengths(options.source), read_lengths(options.target)))
    check(options.first, first, lengths)
    check(options.second, second, lengths)
    for one, other in zip(first, second):
        print(join(one, other))
    print(f"join_judgements.py: kappa {kappa(first, second, lengths):.3f}, sure links F {agreement(first, second):.3f}",
          file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
