#!/usr/bin/python3
"""Tests scripts/join_judgements.py on a table that is worked by hand, and on the judged verses."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/join_judgements.py"


class JoinJudgements(unittest.TestCase):
    def run_on(self, first, second, source, target):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, text in (("first", first), ("second", second), ("source", source), ("target", target)):
                paths.append(pathlib.Path(folder) / name)
                paths[-1].write_text(text)
            return subprocess.run([sys.executable, SCRIPT, *paths], capture_output=True, text=True, check=False)

    def test_joins_and_measures_as_by_hand(self):
        # Twelve pairs of words. Sure and sure: 2; sure and possible: 1; possible and none: 1; none and none: 8. Agreed:
        # 10 / 12. By chance (3 * 2 + 1 * 1 + 8 * 9) / 144 = 79 / 144, so kappa is (120 - 79) / (144 - 79) = 0.631. F of
        # the sure links: 2 * 2 / (3 + 2) = 0.8.
        result = self.run_on("0-0 1-1 2-2 3p0\n", "0-0 1-1 2p2\n", "a b c d\n", "A B C\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "0-0 1-1 2p2 3p0\n")
        self.assertIn("kappa 0.631, sure links F 0.800", result.stderr)

    def test_names_a_link_outside_the_text(self):
        result = self.run_on("0-0\n", "0-2\n", "a b\n", "A B\n")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("second:1: 0-2 is outside of 2 and 2 words", result.stderr)

    def test_names_what_is_no_link(self):
        result = self.run_on("0-0\n", "0=1\n", "a b\n", "A B\n")
        self.assertIn("second:1: 0=1 is not a link", result.stderr)

    def test_makes_the_gold_of_the_judged_verses(self):
        folder = ROOT / "data/bible_judged"
        files = [folder / name for name in ("first.gold", "second.gold", "verses.en", "verses.es")]
        result = subprocess.run([sys.executable, SCRIPT, *files], capture_output=True, text=True, check=True)
        self.assertEqual(result.stdout, (folder / "verses.gold").read_text())
        self.assertIn("kappa 0.970, sure links F 0.982", result.stderr)
        names = (folder / "verses.names").read_text().splitlines()
        self.assertEqual((len(names), len(set(names))), (150, 150))


if __name__ == "__main__":
    unittest.main()
