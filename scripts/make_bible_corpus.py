#!/usr/bin/env python3
"""Makes the English-Spanish Bible corpus from two module dumps of mod2imp. Called by get_bible.sh.

Verses are joined by name, in the order of the English module. Markup is removed, each note becomes a
space, and runs of blanks become one. The last 2,000 verses are test, the 2,000 before them dev, and the
rest train. The gold word alignments of dev and test come from the Strong's numbers of both modules.

Standard library only.
"""

import argparse
import collections
import html
import pathlib
import re
import sys

HELD_OUT = 2000
VERSE = re.compile(r".+ \d+:[1-9]\d*")      # chapter and book introductions have verse 0
BACK_MATTER = re.compile(r'<div [^>]*type="glossary"')    # follows the text of the last verse of a module
NOTE = re.compile(r"<note\b.*?</note>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
STRONG = re.compile(r"[HG]\d+[a-z]?")
# A word keeps its inner apostrophes and hyphens; any other sign is a separate token.
TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


class Verse:
    """One verse of one module: its text, its tokens, and the words of each tagged phrase."""

    def __init__(self, markup):
        characters, owners, self.phrases = [], [], []
        verse = BACK_MATTER.split(markup)[0]
        for text, phrase in self._pieces(NOTE.sub(" ", verse)):
            characters.append(text)
            owners.extend([phrase] * len(text))
        self.text, owners = _collapse("".join(characters), owners)
        self.tokens, self.members = [], collections.defaultdict(list)
        for position, match in enumerate(TOKEN.finditer(self.text)):
            self.tokens.append(match.group())
            if match.group()[0].isalnum():
                for phrase in set(owners[match.start(): match.end()]) - {None}:
                    self.members[phrase].append(position)

    def _pieces(self, markup):
        """(text, index of its tagged phrase or None) for all text between tags."""
        open_phrase, end = None, 0
        for tag in TAG.finditer(markup):
            yield html.unescape(markup[end: tag.start()]), open_phrase
            end = tag.end()
            if tag.group().startswith("<w "):
                lemma = re.search(r'lemma="([^"]*)"', tag.group())
                self.phrases.append(frozenset(STRONG.findall(lemma.group(1) if lemma else "")))
                open_phrase = len(self.phrases) - 1
            elif tag.group() == "</w>":
                open_phrase = None
        yield html.unescape(markup[end:]), open_phrase

    def words_by_number(self):
        """Strong's number -> one list of word positions per phrase that it tags."""
        result = collections.defaultdict(list)
        for phrase, numbers in enumerate(self.phrases):
            for number in numbers:
                if self.members[phrase]:
                    result[_normal(number)].append(self.members[phrase])
        return result


def _normal(number):
    return number[0] + number[1:].lstrip("0")


def _collapse(text, owners):
    """Collapses runs of blanks and strips the ends; each character keeps its owner."""
    kept = [index for index, sign in enumerate(text)
            if not sign.isspace() or (index + 1 < len(text) and not text[index + 1].isspace())]
    if kept and text[kept[0]].isspace():
        kept = kept[1:]
    return ("".join(" " if text[index].isspace() else text[index] for index in kept),
            [owners[index] for index in kept])


def gold(english, spanish):
    """The links of a verse, as "i-j" and "ipj".

    Uses the numbers that tag exactly one Spanish phrase. Each gives possible links between every
    English word with that number and every word of the phrase. The link is sure if there is one
    such English word and the phrase is one word.
    """
    links = {}
    english_words = english.words_by_number()
    for number, phrases in spanish.words_by_number().items():
        if len(phrases) != 1:
            continue
        sources = sorted({word for words in english_words.get(number, []) for word in words})
        sure = len(sources) == 1 and len(phrases[0]) == 1
        for pair in ((source, target) for source in sources for target in phrases[0]):
            links[pair] = links.get(pair, False) or sure
    return " ".join(f"{source}{'-' if sure else 'p'}{target}"
                    for (source, target), sure in sorted(links.items()))


def read_module(path):
    """Verse name -> markup, in the order of the dump."""
    text = path.read_text(encoding="utf-8")
    parts = re.split(r"(?m)^\$\$\$(.*)\n", text)
    return {name: body for name, body in zip(parts[1::2], parts[2::2]) if VERSE.fullmatch(name)}


def join(english, spanish):
    """(name, English verse, Spanish verse) of the verses with text in both modules."""
    result = []
    for name, markup in english.items():
        if name in spanish:
            pair = Verse(markup), Verse(spanish[name])
            if pair[0].text and pair[1].text:
                result.append((name, *pair))
    return result


def split(verses):
    return {"train": verses[: -2 * HELD_OUT], "dev": verses[-2 * HELD_OUT: -HELD_OUT],
            "test": verses[-HELD_OUT:]}


def write_part(folder, part, verses):
    columns = {f"bible.{part}.names": [name for name, _, _ in verses]}
    for column, language in ((1, "en"), (2, "es")):
        columns[f"bible.{part}.{language}"] = [verse[column].text for verse in verses]
        columns[f"bible.{part}.tok.{language}"] = [" ".join(verse[column].tokens)
                                                   for verse in verses]
    if part != "train":
        columns[f"bible.{part}.gold"] = [gold(english, spanish) for _, english, spanish in verses]
    for name, lines in columns.items():
        (folder / name).write_bytes("".join(line + "\n" for line in lines).encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("english", type=pathlib.Path, help="mod2imp dump of the English module")
    parser.add_argument("spanish", type=pathlib.Path, help="mod2imp dump of the Spanish module")
    parser.add_argument("output", type=pathlib.Path, help="existing folder")
    arguments = parser.parse_args()
    verses = join(read_module(arguments.english), read_module(arguments.spanish))
    if len(verses) < 3 * HELD_OUT:
        print(f"only {len(verses)} verses are in both dumps: are they the right modules?",
              file=sys.stderr)
        return 1
    for part, chosen in split(verses).items():
        write_part(arguments.output, part, chosen)
        print(f"bible.{part}: {len(chosen)} verses, {chosen[0][0]} to {chosen[-1][0]}",
              file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
