#!/usr/bin/env python3
"""Prints the Markdown tables of scripts/compare_attention.sh from its output folder.

  compare_attention_table.py DIR

Every row is a folder <axis>.<name>.<seed>. Speeds are medians over the intervals of a run, relative to the row `score dot`
with the same seed. The second table has means over the target tokens of the explained verses; "-" stands where attend
explain refuses the model.
"""
import collections
import json
import pathlib
import re
import statistics
import sys

AXES = ["score", "distribution", "scope", "multiplicity"]
Row = collections.namedtuple("Row", "bleu aer entropy zeros parameters training decoding")


# Columns of the second table: title, measure of attend explain, class of target words (None: all).
EXPLAINED = [("kept, content", "kept_uniform", "content"), ("kept, function", "kept_uniform", "function"),
             ("kept by any", "kept_by_any", None), ("total variation", "tvd_uniform", None),
             ("removed", "removed_by_attention", None), ("at random", "removed_by_random", None),
             ("another attention", "adversary_js", None), ("comprehensiveness", "comprehensiveness_deleted", None),
             ("random words", "random_comprehensiveness_deleted", None), ("tau, leave-one-out", "tau_leave_one_out", None),
             ("tau, saliency", "tau_saliency", None)]


def number(text, pattern):
    found = re.search(pattern, text)
    if not found:
        raise ValueError(f"no match for {pattern} in: {text[:200]}")
    return float(found.group(1).replace(",", ""))


def training_speed(history):
    """Target tokens per second, the median over the intervals."""
    lines = [json.loads(line) for line in history.read_text(encoding="utf-8").splitlines()]
    return statistics.median(line["timing"]["target_tokens_per_second"] for line in lines if line["type"] == "train")


def read_row(folder):
    def text(name):
        return (folder / name).read_text(encoding="utf-8")

    inspection = text("result.txt")
    return Row(bleu=number(text("bleu.txt"), r" = ([0-9.]+) "),
               aer=number(text("aer.txt"), r"AER = ([0-9.]+)"),
               entropy=number(inspection, r"mean entropy +([0-9.]+) nats"),
               zeros=number(inspection, r"exact zeros +([0-9.]+) %"),
               parameters=number(inspection, r"\nparameters +([0-9,]+)"),
               training=training_speed(folder / "model" / "train.jsonl"),
               decoding=number(text("translate.log"), r"\(([0-9.]+) lines/s\)"))


def read_rows(output):
    """{(axis, name): {seed: Row}} of the finished rows, sorted by axis and name."""
    rows = collections.defaultdict(dict)
    for result in output.glob("*/result.txt"):
        axis, name, seed = result.parent.name.split(".")
        rows[axis, name][int(seed)] = read_row(result.parent)
    return dict(sorted(rows.items(), key=lambda item: (AXES.index(item[0][0]), item[0][1])))


def print_main(rows, seed):
    print("| axis | attention | BLEU | AER | entropy, nats | exact zeros | parameters | training | decoding |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    dot = rows["score", "dot"][seed]
    for (axis, name), seeds in rows.items():
        if seed not in seeds:
            continue
        row = seeds[seed]
        print(f"| {axis} | {name} | {row.bleu:.2f} | {row.aer:.3f} | {row.entropy:.2f} | {row.zeros:.0f} % | "
              f"{row.parameters / 1e6:.2f} M | {row.training / dot.training:.2f} | {row.decoding / dot.decoding:.2f} |")
    print(f"\nSpeeds relative to dot: {dot.training:,.0f} target tokens/s in training, {dot.decoding:.0f} sentences/s "
          "in decoding.")


def print_seeds(rows):
    print("\n| attention | seeds | BLEU | AER |")
    print("|---|---|---|---|")
    for (_, name), seeds in rows.items():
        if len(seeds) < 2:
            continue
        ordered = [seeds[seed] for seed in sorted(seeds)]
        print(f"| {name} | {', '.join(map(str, sorted(seeds)))} | {' / '.join(f'{row.bleu:.2f}' for row in ordered)} | "
              f"{' / '.join(f'{row.aer:.3f}' for row in ordered)} |")


def explained_means(records):
    """The mean of each column over the records (attend explain --output)."""
    values = [[] for _ in EXPLAINED]
    with records.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            for place, (_, measure, word_class) in zip(values, EXPLAINED):
                if word_class in (None, record["class"]) and measure in record["measures"]["all"]:
                    place.append(record["measures"]["all"][measure])
    return [f"{statistics.fmean(place):.3f}" if place else "-" for place in values]


def print_explained(output, rows, seed):
    print("\n| axis | attention | " + " | ".join(title for title, _, _ in EXPLAINED) + " |")
    print("|---|---|" + "---:|" * len(EXPLAINED))
    for axis, name in rows:
        folder = output / f"{axis}.{name}.{seed}"
        if not (folder / "explain.txt").exists():
            continue
        records = folder / "tokens.jsonl"
        cells = explained_means(records) if records.exists() else ["-"] * len(EXPLAINED)
        print(f"| {axis} | {name} | {' | '.join(cells)} |")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    output = pathlib.Path(sys.argv[1])
    rows = read_rows(output)
    if ("score", "dot") not in rows:
        sys.exit("compare_attention_table.py: the row score dot is not finished; speeds are relative to it")
    print_main(rows, min(rows["score", "dot"]))
    print_seeds(rows)
    print_explained(output, rows, min(rows["score", "dot"]))


if __name__ == "__main__":
    main()
