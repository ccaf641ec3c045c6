#!/usr/bin/env python3
"""Runs the curl commands of src/server/README.md against a server with small models.

    readme_test.py ATTEND

Only the server's address is changed in the commands. Each must get an answer with every field that the comment after the
command shows in braces: `curl ...    # {"translatedText": ...}`. Exits with 77 if curl is missing.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import small_server

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "src/server/README.md"
SKIPPED = 77


def examples():
    """Each curl command and its comment."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.M | re.S)
    lines = re.sub(r"(?m)(^curl[^\n]*)\n +", r"\1 ", re.sub(r"\\\n +", "", "".join(blocks))).splitlines()
    return [(re.split(r"\s+# ", line, maxsplit=1) + [""])[:2] for line in lines if line.startswith("curl")]


def names_in(value):
    """All keys of a JSON value, at any depth."""
    if isinstance(value, dict):
        return set(value) | set().union(*map(names_in, value.values()))
    return set().union(*map(names_in, value)) if isinstance(value, list) else set()


class Guide(unittest.TestCase):
    url = ""

    def answer_to(self, command):
        local = command.replace("localhost:8080", self.url.removeprefix("http://"))
        self.assertNotEqual(local, command, "an example that asks another server")
        done = subprocess.run(["bash", "-c", f"{local} --silent --show-error --max-time 60"], capture_output=True,
                              encoding="utf-8", check=False)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stderr}")
        return done.stdout

    def test_the_commands_answer_what_they_show(self):
        self.assertGreater(len(examples()), 8)
        for command, shown in examples():
            with self.subTest(command):
                if "stream" in command:
                    self.assertRegex(self.answer_to(command), r"(?s)event: (step|sentence)\ndata: \{.*event: done\ndata: \{")
                    continue
                wanted, seen = set(re.findall(r'"(\w+)":', shown)), set()
                end = time.monotonic() + 60  # some answers take a while
                while not wanted <= seen and time.monotonic() < end:
                    answer = json.loads(self.answer_to(command))
                    self.assertNotIn("error", answer)
                    seen |= names_in(answer)
                    time.sleep(.1)
                self.assertEqual(wanted - seen, set())

    def test_every_example_says_what_comes_back(self):
        self.assertEqual([command for command, shown in examples() if not shown], [])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not shutil.which("curl"):
        print("skipped: curl is not installed")
        sys.exit(SKIPPED)
    with small_server.small_server(sys.argv.pop(1)) as Guide.url:
        passed = unittest.main(exit=False).result.wasSuccessful()
    sys.exit(not passed)
