#!/usr/bin/env python3
"""Tests scripts/bench_gpu.sh on a CPU, without PyTorch.

  bench_gpu_test.py PROGRAM
"""

import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts" / "gpu_bench"))

from data import write_easy  # noqa: E402
from jobs import JOBS  # noqa: E402
from ledger import Ledger, run  # noqa: E402
from table import Table  # noqa: E402
from widen import widen  # noqa: E402

PROGRAM = ""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ledger(self, budget=100, **options):
        return Ledger(self.folder / "results.jsonl", budget, options.pop("retry", False), **options)


class Measurements(Folder):
    def test_a_measurement_that_is_there_is_skipped(self):
        self.ledger().add({"part": "train", "job": "gnmt"}, seconds=1)
        self.assertFalse(self.ledger().wanted({"part": "train", "job": "gnmt"}, 1))
        self.assertTrue(self.ledger().wanted({"part": "train", "job": "reference"}, 1))

    def test_a_failed_measurement_is_repeated_on_request(self):
        self.ledger().add({"part": "train"}, failed="why")
        self.assertFalse(self.ledger().wanted({"part": "train"}, 1))
        self.assertTrue(self.ledger(retry=True).wanted({"part": "train"}, 1))

    def test_nothing_starts_that_does_not_fit_the_budget(self):
        self.assertFalse(self.ledger(budget=10).wanted({"part": "train"}, 11))
        self.assertTrue(self.ledger(budget=10).wanted({"part": "train"}, 9))

    def test_a_contender_is_measured_again_and_its_old_results_are_kept_aside(self):
        for contender in ("attend", "PyTorch graphs"):
            self.ledger().add({"part": "train", "contender": contender}, seconds=1)
        again = self.ledger(again=["attend"])
        self.assertEqual([record["contender"] for record in again.records], ["PyTorch graphs"])
        self.assertEqual(len((self.folder / "results.before.jsonl").read_text().splitlines()), 1)

    def test_the_first_window_is_no_measurement(self):
        self.ledger().add({"part": "train"}, rates=[1, 10, 20, 30])
        self.assertEqual(self.ledger().median("rates", part="train"), 20)


class Commands(Folder):
    def test_a_command_that_hangs_is_ended_with_its_children(self):
        done = run(["sh", "-c", "sleep 60 & sleep 60"], 1, self.folder / "log")
        self.assertEqual(done.failed, "ended after 1 s")
        self.assertLess(done.seconds, 30)

    def test_a_failed_command_says_its_error_line(self):
        done = run(["sh", "-c", "echo 'x.yaml:3: error: no tf32 here' >&2; echo '  choices: f32' >&2; exit 2"], 9, self.folder / "log")
        self.assertEqual(done.failed, "exit code 2: x.yaml:3: error: no tf32 here")

    def test_a_missing_program_is_a_failure(self):
        self.assertIn("does not start", run([self.folder / "none"], 9, self.folder / "log").failed)


class Work(unittest.TestCase):
    def test_the_reference_job_takes_the_operations_that_its_config_names(self):
        # 78.5 million per target token, as tests/bench/reference.yaml says, of which attention's energies are not counted.
        self.assertAlmostEqual(JOBS["reference"].flop(1, 1) / 1e6, 78.5, delta=1.5)

    def test_bytes_and_products_of_a_transformer_count_its_parameters(self):
        # Vaswani et al. (2017), Table 3: 65 million parameters, with a vocabulary of 37,000.
        job = dataclasses.replace(JOBS["transformer"], vocabulary=37000)
        self.assertAlmostEqual(job.parameters() / 1e6, 65, delta=3)


class Program(Folder):
    def test_a_widened_model_scores_and_translates_like_the_small_one(self):
        write_easy(self.folder, "text", 1, 300)
        settings = {"data.train.source": self.folder / "text.src", "data.train.target": self.folder / "text.tgt",
                    "tokenizer.vocabulary": 300, "training.max_updates": 40, "model.embedding": 16, "training.learning_rate": 0.02,
                    "model.encoder.hidden": 8, "model.decoder.hidden": 16, "training.batch.size": 500}
        small = dataclasses.replace(JOBS["gnmt"], vocabulary=300, embedding=16, encoder_hidden=8, decoder_hidden=16)
        large = dataclasses.replace(small, vocabulary=400, embedding=32, encoder_hidden=24, decoder_hidden=40)
        sets = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        self.attend("train", ROOT / "tests/bench/gnmt.yaml", "--output", self.folder / "small", *sets)
        widen(self.folder / "small", self.folder / "large", small, large)
        scores = [[float(line) for line in self.attend("score", "--model", self.folder / name, "--source", self.folder / "text.src",
                                                       "--target", self.folder / "text.tgt").splitlines()]
                  for name in ("small", "large")]
        self.assertEqual(len(scores[0]), 300)
        for small_score, large_score in zip(*scores):
            self.assertAlmostEqual(small_score, large_score, delta=1e-3)
        self.assertEqual(*[self.attend("translate", "--model", self.folder / name, "--input", self.folder / "text.src")
                           for name in ("small", "large")])

    def attend(self, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments), "--device", "cpu", "--threads", "1", "--quiet"],
                              capture_output=True, encoding="utf-8", check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def bench(self):
        command = [ROOT / "scripts/bench_gpu.sh", "--program", PROGRAM, "--device", "cpu", "--small", "--seconds", "1", "--pairs",
                   "500", "--work", self.folder, "--python", "false", "--only", "train", "--jobs", "gnmt", "--threads", "1",
                   "--precisions", "f32", "--data", self.folder]
        return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)

    def test_the_script_measures_records_and_resumes(self):
        first = self.bench()
        self.assertEqual(first.returncode, 0, first.stderr)
        records = [json.loads(line) for line in (self.folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]
        self.assertEqual([record["contender"] for record in records], ["attend", "PyTorch graphs"])
        self.assertGreater(records[0]["target_rates"][-1], 0)
        self.assertIn("exit code 1", records[1]["failed"])
        self.assertIn("| gnmt | f32 | ", first.stdout)
        self.assertIn("Failed: train gnmt PyTorch graphs f32 1: exit code 1", first.stdout)
        second = self.bench()
        self.assertEqual(second.stderr.count("already there"), 2)
        self.assertEqual(second.stdout, first.stdout)


class Rows(Folder):
    def test_a_ratio_compares_with_the_fastest_loop(self):
        ledger = self.ledger()
        for contender, rate in (("attend", 300.0), ("PyTorch eager", 100.0), ("PyTorch graphs", 150.0)):
            ledger.add({"part": "train", "job": "reference", "contender": contender, "precision": "f32"},
                       target_rates=[rate], source_rates=[rate], tokens_per_update=1000.0)
        row = Table(ledger, JOBS.get).training_row("reference", "f32")
        self.assertEqual(row[:7], ["reference", "f32", "300", "600", "150", "graphs", "2.00"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    PROGRAM = sys.argv.pop()
    unittest.main()
