#!/usr/bin/python3
"""Prints the verses of a module that are named in a file, one per line. Called by get_bible_kjv.sh.

  pick_verses.py DUMP NAMES > VERSES

DUMP is the output of mod2imp; markup is removed like in make_bible_corpus.py. Verses that the module lacks become empty
lines, and their number is printed on standard error.
"""
import argparse
import pathlib
import sys

import make_bible_corpus


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dump", type=pathlib.Path)
    parser.add_argument("names", type=pathlib.Path)
    options = parser.parse_args(arguments)
    module = make_bible_corpus.read_module(options.dump)
    names = options.names.read_text(encoding="utf-8").splitlines()
    verses = [make_bible_corpus.Verse(module[name]).text if name in module else "" for name in names]
    missing = verses.count("")
    if missing * 2 > len(names):
        sys.exit(f"pick_verses.py: {options.dump} has only {len(names) - missing} of the {len(names)} verses in "
                 f"{options.names}: is it the right module?")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    for verse in verses:
        print(verse)
    print(f"pick_verses.py: {len(names)} verses, {missing} of them not in the module", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
