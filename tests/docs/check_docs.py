#!/usr/bin/env python3
"""Checks every Markdown file of the project against the sources and the program.

    tests/docs/check_docs.py --program build/src/cli/attend
    tests/docs/check_docs.py --program build/src/cli/attend --self-test

- Links, anchors and images exist.
- README.md has at most 250 lines and 2,000 words, every guide at most 400 lines. A file of more than 100 lines links to each
  of its sections (except CHANGELOG.md).
- Every command in a fenced block that calls attend is accepted by the program: its options and their values are parsed, its
  config exists, and `attend config FILE --set ...` accepts its keys. The same holds for `attend ...` in inline code, and an
  option alone in inline code is one of attend or of a script.
- Fenced configs (yaml) are accepted, and the keys, recipes, scripts and sources named in inline code exist.

Models and texts need not exist: commands run in an empty folder, where they end when they open the first file. A config below
my/ is the reader's own; its --set keys are tried on an empty config. The self-test shows that each kind of mistake is found.
"""
import argparse
import concurrent.futures
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED_FOLDERS = re.compile(r"build.*|runs|node_modules|__pycache__|\..*")
KEPT_FOLDERS = {".github", ".ci"}
SHELL = {"sh", "bash", "shell", "console"}
SECTIONS = {"seed", "data", "tokenizer", "model", "training", "decoding"}
OTHER_OPTIONS = {"--redirects", "--tee"}  # of torchrun
LAUNCHERS = {"torchrun", "srun", "mpirun", "env", "nohup", "time"}
KEYWORDS = {"do", "then", "else", "!", "{", "time"}
NO_SUCH_FILE = "No such file or directory"
USAGE = 2


class Fence:
    """A fenced block: its language, its text, and the line of its first line."""

    def __init__(self, language, line):
        self.language, self.line, self.lines = language, line, []

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"


class Document:
    """A Markdown file, split into fenced blocks and prose. Prose keeps its line numbers."""

    def __init__(self, root, path):
        self.root, self.path = root, path
        self.name = path.relative_to(root).as_posix()
        self.text = path.read_text(encoding="utf-8")
        self.fences, self.prose = [], []
        fence = None
        for number, line in enumerate(self.text.splitlines(), 1):
            mark = re.match(r" *(```+)(\w*)", line)
            if mark and fence is None:
                fence = Fence(mark[2], number + 1)
            elif mark:
                self.fences.append(fence)
                fence = None
            elif fence is not None:
                fence.lines.append(line)
            self.prose.append("" if mark or fence is not None else line)
        self.open = fence is not None

    def anchors(self):
        """The anchors that a forge makes from the headings, with the line and level of each."""
        found = {}
        for number, line in enumerate(self.prose, 1):
            heading = re.match(r"(#{1,6}) +(.*?) *#*$", line)
            if not heading:
                continue
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[2]).lower()
            slug = anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            repeated = 0
            while anchor in found:
                repeated += 1
                anchor = f"{slug}-{repeated}"
            found[anchor] = (number, len(heading[1]))
        return found

    def inline_code(self):
        """Pairs of line and text."""
        for number, line in enumerate(self.prose, 1):
            for _, code in re.findall(r"(`+)(.+?)\1", line):
                yield number, code.strip().replace(r"\|", "|")

    def links(self):
        """Pairs of line and target."""
        text = "\n".join(re.sub(r"`[^`]*`", lambda code: "x" * len(code[0]), line) for line in self.prose)
        for link in re.finditer(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)", text, re.M):
            yield text.count("\n", 0, link.start()) + 1, link[1] or link[2]


def documents(root):
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name in KEPT_FOLDERS or not SKIPPED_FOLDERS.fullmatch(name))
        found += [Document(root, pathlib.Path(folder, name)) for name in sorted(files) if name.endswith(".md")]
    return found


# ---------------------------------------------------------------------------------------------------------------- shell


class Shell:
    """Splits shell text into commands, lists of words. Knows quotes, comments, variables, pipes and redirections.

    A variable without a known value becomes a word with "$".
    """

    def __init__(self, variables):
        self.variables = variables
        self.commands = []  # pairs of line and words

    def read(self, text, line=1):
        text = re.sub(r"<<-?\s*'?(\w+)'?(.*?)\n.*?^\1$", r"\2", text, flags=re.M | re.S)  # here documents
        self.text, self.at, self.line, self.first = text, 0, line, line
        self.words, self.word, self.dropped = [], None, False
        while self.at < len(self.text):
            self.step()
        self.end_command()
        return self.commands

    def step(self):
        c = self.text[self.at]
        if c == "\\":
            self.escape()
        elif c == "'":
            end = self.text.index("'", self.at + 1)
            self.add(self.text[self.at + 1:end])
            self.skip(end + 1)
        elif c == '"':
            self.double_quotes()
        elif c == "$":
            self.add(self.expansion())
        elif c == "#" and self.word is None:
            self.skip(self.end_of_line())
        elif c in "<>":
            self.redirection(c)
        elif c in "|&;()\n":
            self.end_command()
            self.skip(self.at + 1)
        elif c in " \t":
            self.end_word()
            self.skip(self.at + 1)
        else:
            self.add(c)
            self.skip(self.at + 1)

    def skip(self, end):
        self.line += self.text.count("\n", self.at, end)
        self.at = end

    def end_of_line(self):
        end = self.text.find("\n", self.at)
        return len(self.text) if end < 0 else end

    def add(self, text):
        if self.word is None and not self.words:
            self.first = self.line
        self.word = (self.word or "") + text

    def escape(self):
        following = self.text[self.at + 1:self.at + 2]
        if following != "\n":
            self.add(following)
        self.skip(self.at + 2)

    def double_quotes(self):
        self.add("")
        self.skip(self.at + 1)
        while self.at < len(self.text) and self.text[self.at] != '"':
            if self.text[self.at] == "\\":
                self.escape()
            elif self.text[self.at] == "$":
                self.add(self.expansion())
            else:
                self.add(self.text[self.at])
                self.skip(self.at + 1)
        self.skip(self.at + 1)

    def expansion(self):
        if self.text.startswith("$(", self.at):
            return self.inner(self.at + 2)
        name = re.compile(r"\$(?:\{(\w+)[^}]*\}|(\w+|[@*#?$!]))").match(self.text, self.at)
        if not name:
            self.skip(self.at + 1)
            return "$"
        self.skip(name.end())
        return self.variables.get(name[1] or name[2], "$" + (name[1] or name[2]))

    def inner(self, begin):
        """The commands between parentheses are read by themselves."""
        depth, end = 1, begin
        while depth:
            depth += {"(": 1, ")": -1}.get(self.text[end], 0)
            end += 1
        reader = Shell(self.variables)
        self.commands += reader.read(self.text[begin:end - 1], self.line)
        self.skip(end)
        return "$inner"

    def redirection(self, c):
        if self.text.startswith(c + "(", self.at):
            self.add(self.inner(self.at + 2))
            return
        if self.word is not None and self.word.isdigit():
            self.word = None
        self.end_word()
        while self.at < len(self.text) and self.text[self.at] in "<>&":
            self.skip(self.at + 1)
        self.dropped = True

    def end_word(self):
        if self.word is not None and not self.dropped:
            self.words.append(self.word)
        if self.word is not None:
            self.dropped = False
        self.word = None

    def end_command(self):
        self.end_word()
        self.dropped = False
        words = self.words
        self.words = []
        while words and words[0] in KEYWORDS:
            words = words[1:]
        if words[:1] == ["for"]:
            self.variables.pop(words[1], None)
            return
        if words[:1] == ["export"]:
            words = words[1:]
        while words and re.fullmatch(r"\w+=.*", words[0], re.S):
            name, value = words[0].split("=", 1)
            self.variables[name] = value
            words = words[1:]
        if words:
            self.commands.append((self.first, words))


def attend_words(words, names):
    """The words after the program's name, or None if the command does not call attend."""
    for at, word in enumerate(words):
        if re.fullmatch(r"(.*/)?attend", word) is None:
            continue
        rest = words[at + 1:]
        if at == 0 or words[0] in LAUNCHERS or (rest and rest[0] in names):
            return rest
        return None
    return None


# -------------------------------------------------------------------------------------------------------------- program


class Program:
    """Runs attend, and remembers the answers."""

    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())
        self.help, self.answers = {}, {}
        overview = self.run(["--help"])[1]
        self.names = set(re.findall(r"^  ([a-z]+)  ", overview.split("Commands:")[1], re.M)) | {"help"}
        self.keys = self.read_keys(self.run(["config"])[1])

    def run(self, arguments, folder=None):
        """Exit code, standard output and standard error; without a folder, in an empty one."""
        if folder is None:
            if tuple(arguments) not in self.answers:
                with tempfile.TemporaryDirectory() as empty:
                    self.answers[tuple(arguments)] = self.run(arguments, empty)
            return self.answers[tuple(arguments)]
        done = subprocess.run([self.path, *arguments], cwd=folder, stdin=subprocess.DEVNULL, timeout=300,
                              capture_output=True, encoding="utf-8", check=False)
        return done.returncode, done.stdout, done.stderr

    @staticmethod
    def read_keys(reference):
        """All keys of the printed reference, with dots."""
        keys, path = set(), []
        for line in reference.splitlines():
            key = re.match(r"( *)([a-z_0-9]+):", line)
            if key:
                path[len(key[1]) // 2:] = [key[2]]
                keys.add(".".join(path))
        return keys | {f"data.train.{key}" for key in ("source", "target", "weight", "tag")}

    def options(self, command):
        """The options of a command, by its manual page, which has those that --help leaves out."""
        if command not in self.help:
            page = self.run(["man", command])[1].replace("\\-", "-")
            self.help[command] = set(re.findall(r"--[a-z][\w-]*", page)) | {"-h"}
        return self.help[command]

    def unknown_options(self, words):
        """The options in a command line that are unknown to its command."""
        given = [word.split("=")[0] for word in words[1:] if re.match(r"-[-a-z]", word)]
        return [option for option in given if option not in self.options(words[0])]

    def usage_problem(self, words):
        """What the program says about the command line, or None if it accepts it."""
        code, _, errors = self.run([word.replace("$", "") or "x" for word in words])
        errors = errors.strip()
        if code == USAGE and NO_SUCH_FILE not in errors:
            return next((line for line in errors.splitlines() if "error" in line), errors)
        return f"exit code {code}: {errors}" if code < 0 or code == 1 else None

    @functools.lru_cache(maxsize=None)
    def yaml_problem(self, text):
        """What `attend config` says about a config with this text, or None."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "config.yaml").write_text(text, encoding="utf-8")
            return self.said_of_config("config.yaml", (), folder)

    @functools.lru_cache(maxsize=None)
    def config_problem(self, config, settings, root):
        """What `attend config CONFIG --set ...` says, or None. The configs of the root do not change."""
        return self.said_of_config(config, settings, root)

    def said_of_config(self, config, settings, folder):
        arguments = ["config", *([config] if config else [])]
        for setting in settings:
            arguments += ["--set", setting]
        code, _, errors = self.run(arguments, folder)
        return None if code == 0 else errors.strip()


# --------------------------------------------------------------------------------------------------------------- checks


class Checker:
    """Collects problems as "file:line: text"."""

    def __init__(self, root, program):
        self.root, self.program = root, program
        self.problems, self.count = [], {"files": 0, "links": 0, "commands": 0, "configs": 0, "names": 0}
        self.scripts_options = self.read_scripts_options()
        self.later = {}  # checks that run the program: key -> (function, places)

    def report(self, document, line, text):
        self.problems.append(f"{document.name}:{line}: {text}")

    def read_scripts_options(self):
        """The options of all scripts: "--name" in Python, --name) or --name | in bash."""
        found = set()
        for path in (path for folder in ("scripts", "tests", ".ci") for path in (self.root / folder).rglob("*")):
            if path.is_file() and path.suffix in ("", ".py", ".sh"):
                text = path.read_text(encoding="utf-8", errors="replace")
                found |= set(re.findall(r'(?:"|\s)(--[a-z][\w-]*)(?:"|\)| \|)', text))
        return found

    def ask(self, document, line, key, function):
        """Runs function() once per key at the end; it returns a problem or None."""
        self.later.setdefault(key, (function, []))[1].append((document, line))

    def check(self):
        for document in documents(self.root):
            self.count["files"] += 1
            if document.open:
                self.report(document, len(document.prose), "a fenced block has no end")
            self.check_size(document)
            self.check_links(document)
            self.check_contents(document)
            self.check_names(document)
            self.check_inline_commands(document)
            self.check_fences(document)
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as workers:
            answers = workers.map(lambda check: (check[0](), check[1]), self.later.values())
            for problem, places in answers:
                for document, line in places if problem else []:
                    self.report(document, line, problem)
        return self.problems

    def check_size(self, document):
        lines, words = len(document.text.splitlines()), len(document.text.split())
        most = 250 if document.name == "README.md" else 400
        if document.path.name != "CHANGELOG.md" and lines > most:
            self.report(document, lines, f"{lines} lines; at most {most} are allowed")
        if document.name == "README.md" and words > 2000:
            self.report(document, lines, f"{words} words; at most 2000 are allowed")

    def check_links(self, document):
        for line, target in document.links():
            if re.match(r"[a-z]+:", target):
                continue
            self.count["links"] += 1
            path, _, anchor = target.partition("#")
            file = (document.path.parent / path).resolve() if path else document.path
            if self.root not in [file, *file.parents]:
                self.report(document, line, f"link {target} leaves the project")
            elif not file.exists():
                self.report(document, line, f"link {target}: no such file")
            elif anchor and (file.suffix != ".md" or anchor not in Document(self.root, file).anchors()):
                self.report(document, line, f"link {target}: no such heading")

    def check_contents(self, document):
        if document.path.name == "CHANGELOG.md" or len(document.prose) <= 100:
            return
        targets = {target for _, target in document.links()}
        for anchor, (line, level) in document.anchors().items():
            if level == 2 and f"#{anchor}" not in targets:
                self.report(document, line, f"no link to #{anchor} in the table of contents")

    def check_names(self, document):
        """Recipes, sources and keys that inline code names."""
        for line, code in document.inline_code():
            for path in re.findall(r"^(?:configs|scripts|src|tests|\.ci|\.github)/[\w./-]*\w(?=$| )", code):
                self.count["names"] += 1
                if not (self.root / path).exists():
                    self.report(document, line, f"{path}: no such file")
            key = re.match(rf"((?:{'|'.join(SECTIONS)})(?:\.[a-z_0-9]+)+)(?=$|[:=])", code)
            if key and not re.search(r"\.(h|cpp|py|md|yaml|jsonl)$", key[1]):
                self.count["names"] += 1
                if key[1] not in self.program.keys:
                    self.report(document, line, f"{key[1]}: no such config key")

    def check_inline_commands(self, document):
        """Command lines in inline code may be fragments, so only their options are checked."""
        for line, code in document.inline_code():
            words = code.split()
            if re.match(r"--[a-z]", words[0]):
                self.check_lone_option(document, line, words[0].split("=")[0])
            if words[0] == "attend":
                words = words[1:]
            elif len(words) < 2 or not words[1].startswith("--"):
                continue
            if words and words[0] in self.program.names - {"help"}:
                self.count["commands"] += 1
                for option in self.program.unknown_options(words):
                    self.report(document, line, f"attend {words[0]} has no option {option}")
            elif code.split()[0] == "attend" and words and re.match(r"[a-z]", words[0]) and words[0] != "help":
                self.report(document, line, f"attend has no command {words[0]}")

    def check_lone_option(self, document, line, option):
        self.count["names"] += 1
        commands = self.program.names - {"help"}
        if option in OTHER_OPTIONS | self.scripts_options or any(option in self.program.options(name) for name in commands):
            return
        self.report(document, line, f"neither attend nor a script has the option {option}")

    def check_fences(self, document):
        variables = {}
        for fence in document.fences:
            if fence.language in SHELL:
                for line, words in Shell(variables).read(re.sub(r"(?m)^\$ ", "", fence.text), fence.line):
                    self.check_command(document, line, words)
            elif fence.language == "yaml":
                self.check_yaml(document, fence)
            elif not fence.language:
                for number, text in enumerate(fence.lines):
                    call = re.match(r"(?:\$ )?attend ([a-z]+)\b", text)
                    if call and call[1] in self.program.names:
                        self.report(document, fence.line + number, "commands need a block of the language sh")

    def check_yaml(self, document, fence):
        if not any(re.match(rf"({'|'.join(SECTIONS)}):", line) for line in fence.lines):
            return
        self.count["configs"] += 1

        self.ask(document, fence.line, ("yaml", fence.text), lambda: self.program.yaml_problem(fence.text))

    def check_command(self, document, line, words):
        if re.match(r"(\./)?(scripts|\.ci|tests)/", words[0]) and not (self.root / words[0]).exists():
            self.report(document, line, f"{words[0]}: no such file")
        words = attend_words(words, self.program.names)
        if words is None:
            return
        self.count["commands"] += 1
        if words and words[0] in self.program.names - {"help"}:
            unknown = self.program.unknown_options(words)
            for option in unknown:
                self.report(document, line, f"attend {words[0]} has no option {option}")
            if unknown:
                return
        self.ask(document, line, ("usage", *words), lambda: self.program.usage_problem(words))
        if words[:1] in (["train"], ["config"]):
            self.check_settings(document, line, words[1:], explains=words[0] == "config")

    def check_settings(self, document, line, words, explains):
        """The config and the --set values of attend train or attend config, which also `explains` keys."""
        config, settings, takes = None, [], None
        for word in words:
            if word.startswith("--"):
                takes = word.split("=")[0]
                settings += [word.split("=", 1)[1]] if word.startswith("--set=") else []
            elif takes == "--set" and "=" in word:
                settings.append(word)
            elif takes in (None, "--set", "--resume", "--overwrite", "--dry-run", "--quiet", "--verbose") and not config:
                config = word
            else:
                takes = None
        if config and "$" in config or any(re.match(r"[\w.]*\$", setting) for setting in settings):
            return
        if config and config.startswith("my/"):
            config = None
        elif explains and config in self.program.keys:
            config = None  # a key that `attend config` explains
        elif config and not (self.root / config).exists():
            self.report(document, line, f"{config}: no such config")
            return
        self.count["configs"] += 1
        self.ask(document, line, ("config", config, *settings),
                 lambda: self.program.config_problem(config or os.devnull, tuple(settings), self.root))


# ------------------------------------------------------------------------------------------------------------ self-test

README_TEXT = """# Title

See [the guide](src/README.md#train-a-model) and ![a picture](picture.png).

```sh
config=configs/small.yaml
attend train $config --output runs/x --set training.max_updates=10 \\
  --set "model.dropout={embedding: 0.1}"    # a comment
attend config training.max_epochs
cat text | attend translate --model runs/x --beam 3 > out
```

The key `training.max_epochs` and the command `attend eval --paired bootstrap` exist, and so does `configs/small.yaml`.
`--n-best 3` is an option of translate.
"""

GUIDE_TEXT = """# Guide

## Train a model

```yaml
model: {encoder: {hidden: 32}}
```
"""

# The file to change, the text to replace, the mistake, and what the report must say.
MISTAKES = [
    ("README.md", "--beam 3", "--beams 3", "attend translate has no option --beams"),
    ("README.md", "--beam 3", "--beam many", "--beam"),
    ("README.md", "attend translate", "attend trnslate", "unknown command"),
    ("README.md", "--paired", "--pared", "attend eval has no option --pared"),
    ("README.md", "`--n-best", "`--n-bests", "neither attend nor a script has the option --n-bests"),
    ("README.md", "config training.max_epochs", "config training.max_epoch", "training.max_epoch: no such config"),
    ("README.md", "training.max_updates", "training.max_update", "max_update: unknown key"),
    ("README.md", "{embedding: 0.1}", "{embeding: 0.1}", "unknown key"),
    ("README.md", "=10 ", "=ten ", "is not a whole number"),
    ("README.md", "`training.max_epochs`", "`training.max_epoch`", "training.max_epoch: no such config key"),
    ("README.md", "config=configs/small.yaml", "config=configs/tiny.yaml", "configs/tiny.yaml: no such config"),
    ("README.md", "`configs/small.yaml`", "`configs/tiny.yaml`", "configs/tiny.yaml: no such file"),
    ("README.md", "src/README.md#", "src/READ.md#", "no such file"),
    ("README.md", "#train-a-model", "#train-models", "no such heading"),
    ("README.md", "picture.png", "pictures.png", "no such file"),
    ("README.md", "```sh", "```", "commands need a block of the language sh"),
    ("README.md", "# Title", "# Title" + "\n" * 251, "lines; at most 250"),
    ("README.md", "# Title", "# Title" + " word" * 2000, "words; at most 2000"),
    ("src/README.md", "hidden", "hiden", "unknown key"),
    ("src/README.md", "# Guide", "# Guide" + "\n" * 101, "no link to #train-a-model"),
    ("src/README.md", "# Guide", "# Guide" + "\n" * 401, "lines; at most 400"),
]


def self_test(program):
    """Plants mistakes; returns the number of them that the checks miss."""
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name in ("src", "configs"):
            (root / name).mkdir()
        (root / "picture.png").touch()
        (root / "configs/small.yaml").write_text("model: {embedding: 16}\n", encoding="utf-8")
        texts = {"README.md": README_TEXT, "src/README.md": GUIDE_TEXT}
        for file, right, wrong, wanted in [("README.md", "", "", None), *MISTAKES]:
            for name, text in texts.items():
                (root / name).write_text(text.replace(right, wrong) if name == file and right else text, encoding="utf-8")
            problems = Checker(root, program).check()
            found = any(wanted in problem for problem in problems) if wanted else not problems
            if not found:
                failures += 1
                print(f"self-test: {right!r} -> {wrong!r}: expected {wanted!r}, got {problems}", file=sys.stderr)
    print(f"self-test: {len(MISTAKES) + 1 - failures} of {len(MISTAKES) + 1} cases as expected")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program to check against, build/src/cli/attend")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the project (default: that of this script)")
    parser.add_argument("--self-test", action="store_true", help="show that mistakes are found")
    arguments = parser.parse_args()
    program = Program(arguments.program)
    if arguments.self_test:
        return self_test(program) != 0
    checker = Checker(arguments.root.resolve(), program)
    problems = checker.check()
    for problem in sorted(set(problems)):
        print(problem)
    print("check_docs: " + ", ".join(f"{count} {name}" for name, count in checker.count.items()) +
          f"; {len(set(problems))} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
