#!/usr/bin/python3
"""Prefixes each line of a text with the lines before it, as context for model.encoder.type: hierarchical.

  make_context.py TEXT [--names FILE] [--previous 2] [--separator '|||'] > CONTEXT

An output line is "PREVIOUS ||| PREVIOUS ||| LINE", oldest first. --names gives the name of each line, a book with chapter
and verse such as "1 Kings 3:7"; context does not cross books. Missing context is omitted, with its separator. The
separator is one token and may not occur in the text.
"""
import argparse
import collections
import sys


def lines_of(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


def book_of(name):
    return name.rpartition(" ")[0]


def with_context(lines, names, previous, separator):
    """Yields each line with its context."""
    before, book = collections.deque(maxlen=previous), None
    for line, name in zip(lines, names):
        if book != book_of(name):
            before.clear()
            book = book_of(name)
        yield f" {separator} ".join([*before, line])
        before.append(line)


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text")
    parser.add_argument("--names", help="file with one name per line; without it, the text is one book")
    parser.add_argument("--previous", type=int, default=2, help="lines of context (%(default)s)")
    parser.add_argument("--separator", default="|||", help="token between lines (%(default)s)")
    options = parser.parse_args(arguments)
    if options.previous < 1:
        parser.error(f"--previous {options.previous}: expected 1 or more")
    if not options.separator or options.separator.split() != [options.separator]:
        parser.error(f"--separator '{options.separator}': expected one token without blanks")
    return options


def fail(message):
    sys.exit(f"make_context.py: {message}")


def main(arguments):
    options = parse(arguments)
    try:
        lines = lines_of(options.text)
        names = lines_of(options.names) if options.names else [""] * len(lines)
    except (OSError, UnicodeDecodeError) as error:
        fail(f"cannot read: {error}")
    if len(names) != len(lines):
        fail(f"{options.text} has {len(lines)} lines, {options.names} has {len(names)} names; expected one name per line")
    for number, line in enumerate(lines, 1):
        if options.separator in line:
            fail(f"{options.text}:{number}: the text contains the separator {options.separator}; choose another one "
                 "(--separator)")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    for line in with_context(lines, names, options.previous, options.separator):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
