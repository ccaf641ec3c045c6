#!/usr/bin/python3
"""Draws a model's attention to lines of segments as SVG: one row per segment, one column per hop.

  attend translate --model DIR --input FILE --attention A.jsonl --level word --attention-kinds encoder
  draw_segments.py A.jsonl [--lines 0,1,2] [--separator '|||'] > PICTURE.svg

For a memory network (model.encoder.type: memory) the columns are its hops, as in Fig. 2 of Sukhbaatar et al. (2015). For
model.encoder.type: hierarchical the single column is the segment's weight when the first word is written, and words are
shaded by their weight within the segment, as in Fig. 5 of Yang et al. (2016). Above the segments of a line stand its
number and, after the arrow, the model's output.
"""
import argparse
import json
import sys
import xml.sax.saxutils

ROW, CHARACTER, CELL, LEFT = 22, 7.3, 46, 12
DARKEST = (33, 102, 172)


class BadInput(Exception):
    """A wrong argument or file; its text is for the user."""


def color(weight):
    share = min(max(weight, 0.0), 1.0)
    return "#" + "".join(f"{round(255 + (dark - 255) * share):02x}" for dark in DARKEST)


def segments_of(names, separator):
    """Positions of the words of each segment, without the end symbol."""
    segments = [[]]
    for place, name in enumerate(names[:-1]):
        if name == separator:
            segments.append([])
        else:
            segments[-1].append(place)
    return segments


def view_of(record, separator):
    """(column names, weights per segment and column, {position: weight of the word in its segment} or {})."""
    layers = record.get("kinds", {}).get("encoder", {}).get("layers")
    if record.get("level") != "word" or not layers:
        raise BadInput(f"line {record.get('id')}: no encoder attention by words; write the file with --level word "
                       "--attention-kinds encoder")
    segments = segments_of(record["source"], separator)
    if "segments" in record:
        table = layers[0][0]
        words = {place: table[place][place] for segment in segments for place in segment}
        return ["segment"], [[share] for share in record["segments"][0]], words
    if any(abs(a - b) > 1e-4 for layer in layers for row in layer[0] for a, b in zip(row, layer[0][0])):
        raise BadInput(f"line {record['id']}: neither hops nor segments: every word has its own weights")
    hops = [layer[0][0] for layer in layers]
    weights = [[sum(hop[place] for place in segment) for hop in hops] for segment in segments]
    return [f"hop {number + 1}" for number in range(len(hops))], weights, {}


class Picture:
    def __init__(self):
        self.parts, self.width, self.y = [], 0.0, 0.0

    def text(self, x, text, anchor="start", fill="#222", weight="normal"):
        self.parts.append(f'<text x="{x:.1f}" y="{self.y + 15:.1f}" text-anchor="{anchor}" fill="{fill}" '
                          f'font-weight="{weight}">{xml.sax.saxutils.escape(text)}</text>')

    def box(self, x, width, share):
        self.parts.append(f'<rect x="{x:.1f}" y="{self.y + 1:.1f}" width="{width:.1f}" height="{ROW - 2}" '
                          f'fill="{color(share)}"/>')

    def segment(self, weights, words):
        x = LEFT
        for weight in weights:
            self.box(x, CELL - 2, weight)
            if weight >= 0.005:
                self.text(x + CELL / 2 - 1, f"{weight:.2f}", "middle", "#fff" if weight > 0.55 else "#222")
            x += CELL
        x += 6
        for word, share in words:
            width = len(word) * CHARACTER
            if share is not None:
                self.box(x - 2, width + 4, share)
            self.text(x, word, fill="#fff" if share is not None and share > 0.55 else "#222")
            x += width + CHARACTER
        self.width = max(self.width, x)
        self.y += ROW

    def line(self, record, separator):
        columns, weights, shares = view_of(record, separator)
        for number, name in enumerate(columns):
            self.text(LEFT + CELL * (number + 0.5) - 1, name if len(columns) > 1 else "", "middle", "#777")
        answer = " ".join(record["target"][:-1])
        self.text(LEFT + CELL * len(columns) + 6, f"line {record['id']} → {answer}", weight="bold")
        self.y += ROW
        for segment, row in zip(segments_of(record["source"], separator), weights):
            self.segment(row, [(record["source"][place], shares.get(place)) for place in segment])
        self.y += ROW / 2

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:.0f}" height="{self.y:.0f}" '
                f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="12">\n'
                f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def chosen(path, numbers):
    with open(path, encoding="utf-8") as file:
        records = [record for record in map(json.loads, file) if record.get("rank") == 0 and record.get("source")]
    known = {record["id"]: record for record in records}
    for number in numbers or ():
        if number not in known:
            raise BadInput(f"{path}: has no line {number}")
    return [known[number] for number in numbers] if numbers else records


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attention")
    parser.add_argument("--lines", type=lambda text: [int(number) for number in text.split(",")])
    parser.add_argument("--separator", default="|||")
    options = parser.parse_args()
    picture = Picture()
    for record in chosen(options.attention, options.lines):
        picture.line(record, options.separator)
    sys.stdout.write(picture.svg())


if __name__ == "__main__":
    try:
        main()
    except (BadInput, OSError, json.JSONDecodeError) as error:
        sys.exit(f"{sys.argv[0]}: {error}")
