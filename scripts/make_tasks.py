#!/usr/bin/python3
"""Writes tasks with exact answers for models with a memory, as source and target lines.

  make_tasks.py TASK --output DIR [--seed 1] [--train 10000] [--dev 200] [--test 500]
                [--length 1-20] [--test-length 20,40] [--apart]
  make_tasks.py --babi DIR --output DIR [--seed 1] [--short 56] [--apart]

TASK, the unit of --length, and an example line:
  copy         symbols                       c a f                -> c a f
  repeat-copy  symbols, and the most         c a ; 3              -> c a c a c a
               repetitions (up to 10)
  recall       items of three symbols        c a f ; b b d ? c a f -> b b d
  sort         symbols with a priority       c 17 a 60 f 5        -> a c f
  qa           sentences before a question   mary went to the garden ||| ... ||| where is mary -> garden

The first four are from Graves, Wayne & Danihelka (2014), "Neural Turing Machines", Sec. 4, with symbols instead of bit
vectors; qa is similar to Weston et al. (2015), "Towards AI-Complete Question Answering". DIR gets train, dev and one
test.LENGTH per test length, each as a .source and a .target file. Score a model with `attend eval --metrics exact`.

--babi reads files in the bAbI format, qaN_NAME_train.txt and qaN_NAME_test.txt (or .gz), and writes train, dev (every tenth
story), test, and test.qaN for each task. Sentences are lower-cased and lose their final mark; the question comes last.
train.short and dev.short contain the lines of at most --short words, separators included, for a first training run.

--apart is for models with two sources: it writes questions (qa and bAbI) as two files instead of .source. They are
.question, and .story with a full stop after each sentence: "mary went to the garden . john took the milk ."

The same arguments write the same files.
"""
import argparse
import gzip
import os
import random
import re
import sys

SEPARATOR = " ||| "
SYMBOLS = "abcdefghijklmnop"
PEOPLE = ("daniel", "john", "mary", "sandra")
PLACES = ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office")
THINGS = ("apple", "football", "milk")
DEFAULT_LENGTHS = {"copy": "1-20", "repeat-copy": "1-10", "recall": "2-6", "sort": "2-10", "qa": "2-10"}
DEFAULT_TEST_LENGTHS = {"copy": "20,40", "repeat-copy": "10,20", "recall": "6,12", "sort": "10,16", "qa": "10,20"}


class UsageError(Exception):
    """A wrong argument or file; its text is for the user."""


# ---- the tasks: draw(random, length) -> (source words, target words)


def symbols(draw, count):
    return [draw.choice(SYMBOLS) for _ in range(count)]


def copy(draw, length):
    line = symbols(draw, length)
    return line, line


def repeat_copy(draw, length):
    line = symbols(draw, length)
    times = draw.randint(1, min(length, 10))
    return line + [";", str(times)], line * times


def recall(draw, length):
    """All items differ, so the answer is unique."""
    items = []
    while len(items) < length:
        item = symbols(draw, 3)
        if item not in items:
            items.append(item)
    asked = draw.randrange(length - 1)
    source = []
    for item in items:
        source += [";"] * bool(source) + item
    return source + ["?"] + items[asked], items[asked + 1]


def priority_sort(draw, length):
    line = symbols(draw, length)
    priorities = draw.sample(range(100), length)
    source = [word for pair in zip(line, map(str, priorities)) for word in pair]
    order = sorted(range(length), key=lambda i: -priorities[i])
    return source, [line[i] for i in order]


class World:
    """The places of people and things, and the holders of things, as the sentences tell."""

    def __init__(self, draw):
        self.draw = draw
        self.place = {}
        self.holder = {}

    def sentence(self):
        who = self.draw.choice(PEOPLE)
        held = sorted(thing for thing, holder in self.holder.items() if holder == who)
        free = sorted(thing for thing in THINGS if self.holder.get(thing) is None)
        action = self.draw.random()
        if who in self.place and action < 0.25 and free:
            return self.take(who, self.draw.choice(free))
        if who in self.place and action < 0.35 and held:
            return self.drop(who, self.draw.choice(held))
        return self.move(who, self.draw.choice([place for place in PLACES if place != self.place.get(who)]))

    def move(self, who, place):
        self.place[who] = place
        for thing, holder in self.holder.items():
            if holder == who:
                self.place[thing] = place
        return f"{who} {self.draw.choice(('went', 'moved', 'travelled'))} to the {place}"

    def take(self, who, thing):
        self.holder[thing] = who
        self.place[thing] = self.place[who]
        return f"{who} took the {thing}"

    def drop(self, who, thing):
        self.holder[thing] = None
        return f"{who} dropped the {thing}"

    def question(self):
        """Asks for a known place: where someone or something is, or if it is in a place."""
        about = self.draw.choice(sorted(self.place))
        name = about if about in PEOPLE else f"the {about}"
        if self.draw.random() < 0.7:
            return f"where is {name}", self.place[about]
        asked = self.place[about] if self.draw.random() < 0.5 else self.draw.choice(PLACES)
        return f"is {name} in the {asked}", "yes" if asked == self.place[about] else "no"


def one_line(facts, question):
    return SEPARATOR.join(facts + [question])


def question_answering(draw, length):
    world = World(draw)
    facts = [world.sentence() for _ in range(length)]
    question, answer = world.question()
    return [one_line(facts, question)], [answer]


TASKS = {
    "copy": (copy, 1),
    "repeat-copy": (repeat_copy, 1),
    "recall": (recall, 2),
    "sort": (priority_sort, 1),
    "qa": (question_answering, 1),
}
LONGEST = {"recall": len(SYMBOLS) ** 3, "sort": 100}


# ---- files


def write_lines(folder, name, lines):
    with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as out:
        out.writelines(line + "\n" for line in lines)


def write_pairs(options, name, pairs):
    os.makedirs(options.output, exist_ok=True)
    sources = [source for source, _ in pairs]
    if options.apart:
        parts = [source.split(SEPARATOR) for source in sources]
        write_lines(options.output, f"{name}.question", (question for *_, question in parts))
        write_lines(options.output, f"{name}.story", (" ".join(fact + " ." for fact in facts) for *facts, _ in parts))
    else:
        write_lines(options.output, f"{name}.source", sources)
    write_lines(options.output, f"{name}.target", (target for _, target in pairs))


def drawn_pairs(task, seed, name, count, lengths):
    """`count` lines with uniformly drawn lengths, from a separate random stream."""
    make = TASKS[task][0]
    draw = random.Random(f"{seed}/{task}/{name}")
    pairs = (make(draw, draw.randint(*lengths)) for _ in range(count))
    return [(" ".join(source), " ".join(target)) for source, target in pairs]


def write_task(options):
    lengths = length_range(options.task, options.length or DEFAULT_LENGTHS[options.task])
    tests = (options.test_length or DEFAULT_TEST_LENGTHS[options.task]).split(",")
    counts = {"train": options.train, "dev": options.dev}
    plan = [(name, count, lengths) for name, count in counts.items()]
    plan += [(f"test.{test}", options.test, length_range(options.task, test)) for test in tests]
    for name, count, of in plan:
        write_pairs(options, name, drawn_pairs(options.task, options.seed, name, count, of))


def length_range(task, text):
    found = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", text)
    if not found:
        raise UsageError(f"length \"{text}\": expected a number or a range such as 1-20")
    first, last = int(found[1]), int(found[2] or found[1])
    least, most = TASKS[task][1], LONGEST.get(task, 10**6)
    if not least <= first <= last <= most:
        raise UsageError(f"length \"{text}\": expected {least} to {most} for {task}, the smaller number first")
    return first, last


# ---- bAbI


def opened(path):
    return gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8")


def plain(sentence):
    return sentence.strip().rstrip(".?").strip().lower()


def babi_questions(path):
    """(story, source, target) of each question; an answer `a,b` becomes two words."""
    facts, story = [], 0
    with opened(path) as lines:
        for row, line in enumerate(lines, 1):
            found = re.fullmatch(r"([0-9]+) ([^\t]+)(?:\t([^\t]+)\t[0-9 ]*)?\n?", line)
            if not found:
                raise UsageError(f"{path}:{row}: expected the bAbI format, \"1 Sentence.\" or \"3 Question?<tab>answer<tab>1\"")
            if int(found[1]) == 1:
                facts, story = [], story + 1
            if found[3] is None:
                facts.append(plain(found[2]))
            else:
                yield story, one_line(facts, plain(found[2])), " ".join(found[3].lower().split(","))


def babi_files(folder, part):
    """{task number: path of its file}."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise UsageError(f"cannot read {folder}: {error.strerror}") from error
    found = [(re.fullmatch(rf"qa([0-9]+)_.*_{part}\.txt(\.gz)?", name), name) for name in names]
    paths = {}
    for number, name in [(int(match[1]), name) for match, name in found if match]:
        if number in paths:
            raise UsageError(f"{folder} has two files of task {number}: {os.path.basename(paths[number])} and {name}")
        paths[number] = os.path.join(folder, name)
    if not paths:
        raise UsageError(f"{folder} has no files qaN_NAME_{part}.txt or .txt.gz")
    return dict(sorted(paths.items()))


def write_babi(options):
    train, dev, test = [], [], []
    for path in babi_files(options.babi, "train").values():
        for story, source, target in babi_questions(path):
            (dev if story % 10 == 0 else train).append((source, target))
    for number, path in babi_files(options.babi, "test").items():
        pairs = [(source, target) for _, source, target in babi_questions(path)]
        write_pairs(options, f"test.qa{number}", pairs)
        test += pairs
    random.Random(f"{options.seed}/babi").shuffle(train)
    for name, pairs in (("train", train), ("dev", dev), ("test", test)):
        write_pairs(options, name, pairs)
    for name, pairs in (("train", train), ("dev", dev)):
        write_pairs(options, f"{name}.short", [pair for pair in pairs if len(pair[0].split()) <= options.short])


# ---- command line


def parsed(arguments):
    usage, about = __doc__.split("\n\n")[1], __doc__.split("\n\n", 2)[2]
    parser = argparse.ArgumentParser(usage=usage.strip(), epilog=about, add_help=True,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", nargs="?", choices=sorted(TASKS), metavar="TASK")
    parser.add_argument("--babi", metavar="DIR")
    parser.add_argument("--output", metavar="DIR", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--train", type=int)
    parser.add_argument("--dev", type=int)
    parser.add_argument("--test", type=int)
    parser.add_argument("--length")
    parser.add_argument("--test-length")
    parser.add_argument("--short", type=int)
    parser.add_argument("--apart", action="store_true")
    options = parser.parse_args(arguments)
    if (options.task is None) == (options.babi is None):
        parser.error(f"choose a TASK ({', '.join(sorted(TASKS))}) or --babi DIR")
    if options.apart and not options.babi and options.task != "qa":
        parser.error("--apart is for questions (qa, --babi); other tasks have one source")
    counts = {"train": 10000, "dev": 200, "test": 500}
    if options.babi and (options.length or options.test_length or any(getattr(options, name) is not None for name in counts)):
        parser.error("--train, --dev, --test and lengths need a TASK; bAbI files are used completely")
    if options.short is None:
        options.short = 56
    elif not options.babi:
        parser.error("--short needs --babi; use --length with a TASK")
    elif options.short < 1:
        parser.error("--short: expected at least 1 word")
    for name, count in counts.items():
        if getattr(options, name) is None:
            setattr(options, name, count)
    if min(options.train, options.dev, options.test) < 1:
        parser.error("--train, --dev and --test: expected at least 1 line")
    return options


def main(arguments):
    options = parsed(arguments)
    try:
        (write_babi if options.babi else write_task)(options)
    except (UsageError, OSError, EOFError, UnicodeDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
