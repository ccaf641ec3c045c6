#!/usr/bin/env python3
"""Tests scripts/make_context.py, which adds the preceding verses to each verse."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class MakeContext(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.folder / name

    def run_on(self, *arguments):
        return subprocess.run([sys.executable, ROOT / "scripts/make_context.py", *map(str, arguments)],
                              capture_output=True, encoding="utf-8", check=False)

    def test_context_is_the_preceding_lines_of_the_book(self):
        text = self.file("text", "a\nb b\n\nd\né\nf\n")
        names = self.file("names", "1 Kings 1:1\n1 Kings 1:2\n1 Kings 2:1\n1 Kings 2:2\n2 Kings 1:1\n2 Kings 1:2\n")
        done = self.run_on(text, "--names", names)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout, "a\na ||| b b\na ||| b b ||| \nb b |||  ||| d\né\né ||| f\n")

    def test_one_line_and_another_separator(self):
        done = self.run_on(self.file("text", "a\nb\nc\n"), "--previous", 1, "--separator", "##")
        self.assertEqual(done.stdout, "a\na ## b\nb ## c\n")

    def refusal(self, *arguments):
        done = self.run_on(*arguments)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_invalid_input_is_rejected(self):
        text = self.file("text", "a\nb ||| c\n")
        self.assertIn("text:2: the text contains the separator |||", self.refusal(text))
        self.assertIn("text has 2 lines", self.refusal(text, "--names", self.file("names", "A 1:1\n")))
        self.assertIn("--previous 0: expected 1 or more", self.refusal(text, "--previous", 0))
        self.assertIn("without blanks", self.refusal(text, "--separator", "a b"))
        self.assertIn("cannot read", self.refusal(self.folder / "nowhere"))


if __name__ == "__main__":
    unittest.main()
