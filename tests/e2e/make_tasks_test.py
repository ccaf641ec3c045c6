#!/usr/bin/env python3
"""Tests scripts/make_tasks.py: derives every answer from its source line by independent code."""

import gzip
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def run(*arguments):
    return subprocess.run([sys.executable, ROOT / "scripts/make_tasks.py", *map(str, arguments)], capture_output=True,
                          text=True, check=False)


def follow(facts, question):
    """Finds the answer by searching the facts backwards."""
    words = question.split()
    name = words[3] if words[1:3] == ["is", "the"] else words[2] if words[0] == "where" else \
        words[2] if words[1] == "the" else words[1]
    place, until = None, len(facts)
    while place is None:
        for index in range(until - 1, -1, -1):
            fact = facts[index].split()
            if fact[0] == name and fact[-2] == "the" and fact[1] in ("went", "moved", "travelled"):
                place = fact[-1]
                break
            if fact[-1] == name and fact[1] in ("took", "dropped"):
                # The object is where its holder was last: at the end, or when it was dropped.
                name, until = fact[0], until if fact[1] == "took" else index
                break
        else:
            raise AssertionError(f"no fact tells where {name} is")
    return place if words[0] == "where" else "yes" if words[-1] == place else "no"


class MakeTasks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def made(self, *arguments, name="made"):
        done = run(*arguments, "--output", self.folder / name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.folder / name

    def pairs(self, folder, part):
        sides = [(folder / f"{part}.{side}").read_text(encoding="utf-8").splitlines() for side in ("source", "target")]
        self.assertEqual(len(sides[0]), len(sides[1]))
        return list(zip(*sides))

    def each(self, *arguments):
        """Returns source and target words of every pair of every part."""
        folder = self.made(*arguments, "--train", "60", "--dev", "5", "--test", "7")
        parts = sorted(path.stem for path in folder.glob("*.source"))
        pairs = [pair for part in parts for pair in self.pairs(folder, part)]
        self.assertEqual(len(pairs), 60 + 5 + 7 * (len(parts) - 2))
        return [(source.split(" "), target.split(" ")) for source, target in pairs]

    def test_copy_is_the_line_itself(self):
        for source, target in self.each("copy"):
            self.assertEqual(source, target)

    def test_repeat_copy_repeats_the_line(self):
        for source, target in self.each("repeat-copy"):
            self.assertEqual(source[-2], ";")
            self.assertEqual(target, source[:-2] * int(source[-1]))

    def test_recall_is_the_item_after_the_queried_one(self):
        for source, target in self.each("recall"):
            line, asked = " ".join(source).split(" ? ")
            items = line.split(" ; ")
            self.assertEqual(len(set(items)), len(items))
            self.assertEqual(" ".join(target), items[items.index(asked) + 1])

    def test_sort_is_by_descending_priority(self):
        for source, target in self.each("sort"):
            by_priority = sorted(zip(map(int, source[1::2]), source[::2]), reverse=True)
            self.assertEqual(target, [symbol for _, symbol in by_priority])

    def test_questions_are_answered_by_the_last_relevant_fact(self):
        answers = set()
        for source, target in self.each("qa", "--train", "300"):
            *facts, question = " ".join(source).split(" ||| ")
            self.assertEqual(" ".join(target), follow(facts, question), (facts, question))
            answers.update(target)
        self.assertEqual(answers, {"bathroom", "bedroom", "garden", "hallway", "kitchen", "office", "yes", "no"})

    def test_lengths_are_those_requested(self):
        folder = self.made("copy", "--length", "2-3", "--test-length", "9,4-5", "--train", "50", "--test", "20")
        lengths = {part: {len(target.split()) for _, target in self.pairs(folder, part)}
                   for part in ("train", "dev", "test.9", "test.4-5")}
        self.assertEqual(lengths, {"train": {2, 3}, "dev": {2, 3}, "test.9": {9}, "test.4-5": {4, 5}})

    def test_files_depend_on_the_seed(self):
        texts = [(self.made("recall", "--seed", seed, name=str(at)) / "train.source").read_bytes()
                 for at, seed in enumerate((1, 1, 2))]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def babi(self, train):
        folder = self.folder / "babi"
        folder.mkdir()
        with gzip.open(folder / "qa8_lists_train.txt.gz", "wt") as out:
            out.write(train)
        (folder / "qa8_lists_test.txt").write_text("1 Mary took the milk.\n2 What has Mary?\tmilk,apple\t1\n")
        return folder

    def test_babi_questions_follow_the_facts_of_their_story(self):
        folder = self.made("--babi", self.babi("1 A is b.\n2 Where is A?\tb\t1\n3 C is d.\n4 Where is C?\td\t3\n"
                                               "1 E is f.\n2 Who is E?\tf\t1\n"))
        self.assertCountEqual(self.pairs(folder, "train"), [
            ("a is b ||| where is a", "b"), ("a is b ||| c is d ||| where is c", "d"), ("e is f ||| who is e", "f")])
        self.assertEqual(self.pairs(folder, "test.qa8"), [("mary took the milk ||| what has mary", "milk apple")])
        self.assertEqual(self.pairs(folder, "test"), self.pairs(folder, "test.qa8"))

    def test_short_babi_questions_are_repeated(self):
        stories = self.babi("1 A is b.\n2 Where is A?\tb\t1\n3 C is d.\n4 Where is C?\td\t3\n" * 10)
        folder = self.made("--short", "7", "--babi", stories)
        self.assertEqual(self.pairs(folder, "train.short"), [("a is b ||| where is a", "b")] * 9)
        self.assertEqual(self.pairs(folder, "dev.short"), [("a is b ||| where is a", "b")])
        done = run("copy", "--short", "7", "--output", self.folder / "other")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--short needs --babi", done.stderr)
        done = run("--babi", self.folder / "babi", "--short", "0", "--output", self.folder / "other")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--short: expected at least 1 word", done.stderr)

    def lines(self, folder, name):
        return (folder / name).read_text(encoding="utf-8").splitlines()

    def test_separate_stories_and_questions_equal_those_of_one_line(self):
        together = self.made("qa", "--train", "50", name="together")
        apart = self.made("qa", "--train", "50", "--apart", name="apart")
        self.assertEqual(list(apart.glob("*.source")), [])
        for part in ("train", "dev", "test.10", "test.20"):
            stories, questions = self.lines(apart, f"{part}.story"), self.lines(apart, f"{part}.question")
            self.assertEqual(len(stories), len(questions))
            joined = [story.removesuffix(" .").replace(" . ", " ||| ") + " ||| " + question
                      for story, question in zip(stories, questions)]
            self.assertEqual(joined, self.lines(together, f"{part}.source"))
            self.assertEqual(self.lines(apart, f"{part}.target"), self.lines(together, f"{part}.target"))

    def test_babi_stories_and_questions_can_be_separate(self):
        folder = self.made("--apart", "--babi", self.babi("1 A is b.\n2 C is d.\n3 Where is C?\td\t2\n"))
        self.assertEqual(self.lines(folder, "train.story"), ["a is b . c is d ."])
        self.assertEqual(self.lines(folder, "train.question"), ["where is c"])
        self.assertEqual(self.lines(folder, "test.qa8.story"), ["mary took the milk ."])

    def test_apart_is_rejected_for_tasks_without_questions(self):
        done = run("copy", "--apart", "--output", self.folder / "made")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--apart is for questions", done.stderr)

    def test_reports_a_line_that_is_not_babi(self):
        done = run("--babi", self.babi("1 A is b.\nWhere is A?\n"), "--output", self.folder / "made")
        self.assertEqual(done.returncode, 2)
        self.assertIn("qa8_lists_train.txt.gz:2: expected the bAbI format", done.stderr)

    def test_invalid_lengths_are_rejected(self):
        for task, length in (("copy", "5-3"), ("copy", "long"), ("recall", "1"), ("sort", "101")):
            done = run(task, "--length", length, "--output", self.folder / "made")
            self.assertEqual(done.returncode, 2, (task, length))
            self.assertIn(f'"{length}"', done.stderr)


if __name__ == "__main__":
    unittest.main()
