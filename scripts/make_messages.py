#!/usr/bin/env python3
"""Generates English-German messages of software with parts that must not be translated, or checks translations of them.

Messages join one to three templates; their slots get numbers, URLs, e-mail addresses, paths, printf formats, braces,
variables, emoji, entities and escapes. The same seed gives the same files. Messages of the test are not in the others.

    scripts/make_messages.py --pairs 20000 --output messages
writes train, dev (500 pairs) and test (5,000 pairs) as .en and .de, and test.parts with a JSON list per line.

    scripts/make_messages.py --check translations --output messages
counts the translations of test.en that have every part as often as the source, and no other.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import string
import sys

# {a}, {b}: parts of any kind; {n}: a number; {x}: a noun.
TEMPLATES = [
    ("cannot open {x} {a}", "{x} {a} kann nicht geöffnet werden"),
    ("{a}: no such {x}", "{a}: {x} nicht gefunden"),
    ("copied {n} of {a} to {b}", "{n} von {a} nach {b} kopiert"),
    ("the {x} {a} needs {b}", "{b} wird von {x} {a} benötigt"),
    ("failed to write {a} after {n} seconds", "{a} konnte nach {n} Sekunden nicht geschrieben werden"),
    ("see {a} for details", "Einzelheiten stehen in {a}"),
    ("use {a} instead of {b}", "verwenden Sie {a} anstelle von {b}"),
    ("{n} new messages from {a}", "{n} neue Nachrichten von {a}"),
    ("removing {x} ({a})", "{x} ({a}) wird entfernt"),
    ("invalid {x} \"{a}\" in line {n}", "ungültiger Wert \"{a}\" für {x} in Zeile {n}"),
    ("{a} is newer than {b}", "{a} ist neuer als {b}"),
    ("download {a} from {b}?", "{a} von {b} herunterladen?"),
    ("progress: {n}, file {a}", "Fortschritt: {n}, Datei {a}"),
    ("Hello {a}, welcome back!", "Hallo {a}, willkommen zurück!"),
    ("set {a} to {b} before you start", "setzen Sie vor dem Start {a} auf {b}"),
    ("the {x} was not changed", "{x} wurde nicht geändert"),
    ("please wait", "bitte warten"),
    ("do you want to delete {a} and {b}?", "möchten Sie {a} und {b} löschen?"),
    ("{b} was replaced by {a}", "{a} ersetzt {b}"),
    ("found {n} errors in {x} {a}", "{x} {a} enthält {n} Fehler"),
]
NOUNS = [("file", "Datei"), ("folder", "Ordner"), ("package", "Paket"), ("image", "Bild"), ("key", "Schlüssel"),
         ("server", "Server"), ("module", "Modul"), ("user", "Benutzer"), ("printer", "Drucker"), ("font", "Schriftart")]
WORDS = "alpha beta data home main report user cache image index notes system backup archive server local".split()


def number(rng):
    return rng.choice([str(rng.randint(0, 9)), str(rng.randint(10, 99999)), f"{rng.randint(1, 999)},{rng.randint(0, 999):03}",
                       f"{rng.randint(0, 99)}.{rng.randint(0, 99)}", f"{rng.randint(0, 100)}%",
                       f"{rng.randint(0, 23)}:{rng.randint(0, 59):02}", f"{rng.randint(1, 9)}.{rng.randint(0, 20)}.{rng.randint(0, 9)}"])


def part(rng):
    word = lambda: rng.choice(WORDS)
    kinds = [
        lambda: number(rng),
        lambda: f"https://{word()}.example.org/{word()}?id={rng.randint(1, 999)}",
        lambda: f"{word()}.{word()}@example.com",
        lambda: f"/{word()}/{word()}/{word()}.txt",
        lambda: f"{word()}-{rng.randint(1, 99)}.tar.gz",
        lambda: rng.choice(["%s", "%d", "%u", "%1$s", "%2$s", "%-5.2f", "%lu", "%(name)s", "%(count)d"]),
        lambda: rng.choice(["{0}", "{1}", "{name}", "{{user}}", "{count}", "{path}"]),
        lambda: rng.choice(["$name", "${HOME}", "$" + word(), "${" + word() + "}"]),
        lambda: rng.choice(["\U0001F600", "\U0001F468\u200D\U0001F469\u200D\U0001F467", "\U0001F1E9\U0001F1EA", "\u2764\uFE0F"]),
        lambda: rng.choice(["&amp;", "&lt;", "&#10;", "&nbsp;"]),
        lambda: rng.choice(["\\n", "\\t", "\\u00e4"]),
    ]
    return rng.choice(kinds)()


def message(rng):
    source, target, parts = [], [], []
    for english, german in rng.sample(TEMPLATES, rng.choice((1, 1, 2, 3))):
        noun = rng.choice(NOUNS)
        slots = {"a": part(rng), "b": part(rng), "n": number(rng)}
        parts += [slots[name] for _, name, _, _ in string.Formatter().parse(english) if name in slots]
        source.append(english.format(x=noun[0], **slots))
        target.append(german.format(x=noun[1], **slots))
    join = rng.choice([". ", "; ", ": "])
    return join.join(source), join.join(target), parts


def write(folder, name, messages):
    for suffix, place in (("en", 0), ("de", 1)):
        (folder / f"{name}.{suffix}").write_text("".join(one[place] + "\n" for one in messages), encoding="utf-8")


def generate(folder, pairs, seed):
    rng = random.Random(seed)
    messages, seen = [], set()
    while len(messages) < pairs + 5500:
        one = message(rng)
        if one[0] not in seen:
            seen.add(one[0])
            messages.append(one)
    folder.mkdir(parents=True, exist_ok=True)
    write(folder, "test", messages[:5000])
    write(folder, "dev", messages[5000:5500])
    write(folder, "train", messages[5500:])
    lines = (json.dumps(parts, ensure_ascii=False) + "\n" for _, _, parts in messages[:5000])
    (folder / "test.parts").write_text("".join(lines), encoding="utf-8")


def has_parts(line, parts):
    """Takes the longest parts first, since a part may be inside of another. German messages have no other digits."""
    for text, count in sorted(collections.Counter(parts).items(), key=lambda item: -len(item[0])):
        if line.count(text) != count:
            return False
        line = line.replace(text, " ")
    return not re.search(r"[0-9%{}$&\\\u27E6@]", line)


def check(folder, translations):
    lines = pathlib.Path(translations).read_text(encoding="utf-8").split("\n")[:-1]
    parts = [json.loads(line) for line in (folder / "test.parts").read_text(encoding="utf-8").splitlines()]
    if len(lines) != len(parts):
        sys.exit(f"make_messages.py: {translations} has {len(lines)} lines, but test.en has {len(parts)}")
    exact = sum(has_parts(line, of_line) for line, of_line in zip(lines, parts))
    print(f"{exact} of {len(parts)} lines have all parts ({100 * exact / len(parts):.2f} %)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True, metavar="FOLDER", help="folder of the texts")
    parser.add_argument("--pairs", type=int, default=20000, metavar="N", help="training pairs (default 20000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the messages (default 1)")
    parser.add_argument("--check", metavar="FILE", help="count the lines of this file that have all parts")
    options = parser.parse_args()
    folder = pathlib.Path(options.output)
    if options.check:
        check(folder, options.check)
    else:
        generate(folder, options.pairs, options.seed)


if __name__ == "__main__":
    main()
