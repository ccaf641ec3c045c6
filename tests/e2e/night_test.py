#!/usr/bin/env python3
"""Runs scripts/night.sh on a tiny corpus, also killed and resumed: night_test.py ATTEND"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
TINY = ("model.embedding=8", "model.encoder.hidden=8", "model.decoder.hidden=8", "tokenizer.vocabulary=120",
        "training.max_epochs=0", "training.max_updates=24", "training.batch.size=8", "training.log_every=1",
        "training.validate_every={updates: 8, epochs: 0}", "training.patience=0",
        "decoding.max_length_ratio=0.2", "decoding.length_penalty=0.7")
COMPARED = ("final.1/best.safetensors", "tuned.1/best.safetensors", "right_to_left/last.safetensors", "dev.list",
            "monolingual.1.source", "monolingual.1.target", "weights.json", "way.scores",
            "length_penalty.scores", "results.txt")


def settings_of(values):
    return [argument for value in values for argument in ("--set", value)]


def without(command, option):
    """Removes the option and its value from the command."""
    at = command.index(option)
    del command[at:at + 2]


def where_numbers_have_commas(folder):
    """Returns a German environment if localedef can create one (Debian package locales)."""
    if shutil.which("localedef") is None:
        return os.environ
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"], capture_output=True,
                          check=False)
    return os.environ | ({"LOCPATH": str(folder), "LC_ALL": "de_DE.UTF-8"} if made.returncode == 0 else {})


def heed_interrupts():
    """Restores SIGINT, which is ignored if these tests are a background job."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Night(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, lines in (("train", 64), ("dev", 6), ("test", 5)):
            for language in ("en", "de"):
                text = (ROOT / "data/quickstart" / f"{name}.{language}").read_text(encoding="utf-8").splitlines()
                (self.folder / f"{name}.{language}").write_text("\n".join(text[:lines]) + "\n", encoding="utf-8")

    def command(self, output, *more):
        pair = {name: [self.folder / f"{name}.en", self.folder / f"{name}.de"] for name in ("train", "dev", "test")}
        # Training options may precede the script's own options.
        return [ROOT / "scripts/night.sh", *settings_of(TINY), "--train", *pair["train"], "--dev", *pair["dev"], "--test",
                *pair["test"], "--config", ROOT / "configs/quickstart.yaml", "--program", PROGRAM, "--models", "1",
                "--minutes", "9", "--final-minutes", "9", "--mrt-minutes", "9", "--right-to-left", "--monolingual",
                self.folder / "dev.de", "--monolingual-source", self.folder / "test.en", "--device", "cpu",
                "--penalties", "0.8 1.2", "--output", self.folder / output, *more]

    def run_to_the_end(self, output):
        result = subprocess.run(self.command(output), capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def run_until(self, output, file, text="", more=()):
        """Starts the script and returns its process once the file contains the text."""
        with open(self.folder / "log", "a", encoding="utf-8") as log:
            process = subprocess.Popen(self.command(output, *more), stdout=log, stderr=log, start_new_session=True,
                                       preexec_fn=heed_interrupts)
        path = self.folder / output / file
        while not (path.exists() and text in path.read_text(encoding="utf-8")):
            self.assertIsNone(process.poll(), (self.folder / "log").read_text(encoding="utf-8"))
            time.sleep(0.01)
        return process

    def contents(self, output):
        found = {name: (self.folder / output / name).read_bytes() for name in COMPARED}
        return {name: content.replace(str(self.folder / output).encode(), b"") for name, content in found.items()}

    def test_a_killed_and_resumed_run_equals_an_uninterrupted_one(self):
        whole = self.run_to_the_end("whole")
        self.assertIn("BLEU|nrefs:1", whole.stdout)
        self.assertIn("in all about", whole.stderr)
        tuned = (self.folder / "whole/tuned.1/config.yaml").read_text(encoding="utf-8")
        self.assertRegex(tuned, r"mrt:\n(    .*\n)*    length_penalty: 0\.7\n")
        self.assertRegex(tuned, r"(?m)^    sharpness: 6\.65")  # 15^0.7
        in_training = self.run_until("killed", "final.1/train.jsonl", '"update":12')
        os.killpg(in_training.pid, signal.SIGKILL)
        in_training.wait()
        self.assertFalse((self.folder / "killed/final.1.done").exists())
        choosing = self.run_until("killed", "dev.beam.0.8")
        choosing.terminate()
        self.assertNotEqual(choosing.wait(), 0)
        self.assertFalse((self.folder / "killed/length_penalty").exists())
        self.run_to_the_end("killed")
        self.assertEqual(self.contents("killed"), self.contents("whole"))
        again = self.run_to_the_end("killed")
        self.assertNotIn("training", again.stderr.split("everything in")[1])
        other = subprocess.run(self.command("killed", "--seed", "7"), capture_output=True, text=True, check=False)
        self.assertEqual(other.returncode, 2)
        self.assertIn("was begun with other settings", other.stderr)

    def test_a_signal_to_the_process_group_saves_the_training(self):
        """timeout, service managers and closed terminals signal a whole group. Regression: the script forwarded the
        signal, and the second one ended training before it had saved."""
        for sent in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            output = f"stopped{sent}"
            process = self.run_until(output, "final.1/train.jsonl", '"update":12',
                                     more=("--final-set", "training.max_updates=1000000"))
            os.killpg(process.pid, sent)
            self.assertNotEqual(process.wait(), 0)
            log = (self.folder / output / "final.1.log").read_text(encoding="utf-8")
            self.assertIn("stopped by a signal", log)

    def test_the_better_of_final_and_tuned_models_translates(self):
        """Replaces translations so that first one candidate scores better, then the other."""
        self.run_to_the_end("stage")
        output = self.folder / "stage"
        reference = (self.folder / "dev.de").read_text(encoding="utf-8")
        for better, worse in (("final", "tuned"), ("tuned", "final")):
            for file in output.glob("dev.*"):
                if file.name != "dev.source":
                    file.unlink()
            for name in ("stage", "length_penalty", "way", "weights.json", "results.txt"):
                (output / name).unlink()
            (output / f"dev.{better}").write_text(reference, encoding="utf-8")
            (output / f"dev.{worse}").write_text("\n" * 6, encoding="utf-8")
            self.assertIn(f"models {better}, of these", self.run_to_the_end("stage").stdout)
            expected = subprocess.run([PROGRAM, "translate", "--model", output / f"{better}.1", "--input",
                                       self.folder / "dev.en", "--length-penalty", "0.8"],
                                      capture_output=True, check=True).stdout
            self.assertEqual((output / "dev.beam.0.8").read_bytes(), expected)

    def test_warns_if_the_best_length_penalty_is_at_the_edge(self):
        self.run_to_the_end("edge")
        output = self.folder / "edge"
        reference = (self.folder / "dev.de").read_text(encoding="utf-8")
        for best, worst, edge in (("0.8", "1.2", "lowest"), ("1.2", "0.8", "highest")):
            for name in ("length_penalty", "way", "results.txt"):
                (output / name).unlink()
            (output / f"dev.beam.{best}").write_text(reference, encoding="utf-8")
            (output / f"dev.beam.{worst}").write_text("\n" * 6, encoding="utf-8")
            self.assertIn(f"length penalty {best} is the {edge} of --penalties", self.run_to_the_end("edge").stderr)

    def recipe(self, name, *replacements):
        text = (ROOT / "configs/quickstart.yaml").read_text(encoding="utf-8")
        for before, after in (("../data", str(ROOT / "data")), *replacements):
            self.assertIn(before, text)
            text = text.replace(before, after)
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        return file

    def recipe_of_grus(self):
        return self.recipe("teachers.yaml", ("cell: lstm", "cell: gru"))

    def test_teachers_of_another_family_form_an_ensemble_and_back_translations_are_tagged(self):
        command = self.command("together", "--together", "--models", "2", "--rounds", "2",
                               "--teachers", self.recipe_of_grus())
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        output = self.folder / "together"
        for model, cell in (("forward.1", "gru"), ("backward.2", "gru"), ("final.1", "lstm")):
            self.assertIn(f"cell: {cell}", (output / model / "config.yaml").read_text(encoding="utf-8"))
        self.assertEqual(sorted(file.name for file in output.glob("forward.*.target")), ["forward.together.target"])
        for model, tagged in (("final.1", {("monolingual.together.source", "dev.de"),
                                           ("round2.monolingual.together.source", "dev.de")}),
                              ("round2.backward.1", {("monolingual.together.target", "test.en")}), ("backward.1", set())):
            texts = re.findall(r"source: (\S+)\n +target: (\S+)\n +weight: \d+\n +tag: (\S+)\n",
                               (output / model / "config.yaml").read_text(encoding="utf-8"))
            self.assertEqual({tuple(pathlib.Path(side).name for side in (source, target))
                              for source, target, tag in texts if tag == '"<bt>"'}, tagged)
            self.assertEqual({tag for _, _, tag in texts} - {'"<bt>"'}, {"null"})
        learnt = (output / "final.1/config.yaml").read_text(encoding="utf-8")
        for text in ("forward.together.target", "backward.together.source", "monolingual.together.source",
                     "monolingual.together.target"):
            self.assertIn(text, learnt)
        together = subprocess.run([PROGRAM, "translate", "--model", output / "forward.1", "--model", output / "forward.2",
                                   "--shortlist", output / "forward.together.lexicon", "--input",
                                   self.folder / "train.en"], capture_output=True, check=True)
        self.assertEqual(together.stdout, (output / "forward.together.target").read_bytes())

    def test_without_backward_models_the_final_model_learns_only_forward_translations(self):
        output = self.folder / "forward"
        command = self.command("forward", "--forward-only", "--together", "--models", "2",
                               "--final-set", "model.dropout.layer=0.25", "--final-set", "training.max_updates=16")
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--forward-only has none", refused.stderr)
        without(command, "--monolingual")
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("2 trainings of 9 minutes, 2 at a time: 9 minutes", result.stderr)
        self.assertEqual([file.name for file in output.glob("*backward*")], [])
        learnt = (output / "final.1/config.yaml").read_text(encoding="utf-8")
        self.assertIn("forward.together.target", learnt)
        self.assertIn("monolingual.together.target", learnt)
        self.assertRegex((output / "way.scores").read_text(encoding="utf-8"), r"(?m)^[0-9.]+ reranked$")
        self.assertIn("layer: 0.25", learnt)
        self.assertIn("layer: 0.1", (output / "forward.2/config.yaml").read_text(encoding="utf-8"))
        updates = {name: (output / name / "train.jsonl").read_text(encoding="utf-8").count('"type":"train"')
                   for name in ("forward.1", "final.1", "tuned.1", "right_to_left")}
        self.assertEqual(updates, {"forward.1": 24, "final.1": 16, "tuned.1": 16, "right_to_left": 16})

    def test_in_a_second_round_models_of_both_recipes_learn_from_the_first(self):
        output = self.folder / "rounds"
        command = self.command("rounds", "--forward-only", "--together", "--models", "2", "--rounds", "2", "--teachers",
                               self.recipe_of_grus(), "--teachers", ROOT / "configs/quickstart.yaml")
        without(command, "--monolingual")
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("4 trainings of 9 minutes, 2 at a time: 18 minutes", result.stderr)
        learnt = {name: (output / name / "config.yaml").read_text(encoding="utf-8")
                  for name in ("forward.1", "forward.2", "round2.forward.1", "round2.forward.2", "final.1")}
        for model, cell in (("forward.1", "gru"), ("forward.2", "lstm"), ("round2.forward.1", "gru"),
                            ("round2.forward.2", "lstm")):
            self.assertIn(f"cell: {cell}", learnt[model])
        texts = ("/forward.together.target", "/monolingual.together.target", "/round2.forward.together.target",
                 "/round2.monolingual.together.target")
        for model, rounds, weight in (("forward.1", 0, 1), ("round2.forward.2", 1, 2), ("final.1", 2, 2)):
            self.assertEqual([text for text in texts if text in learnt[model]], list(texts[:2 * rounds]))
            self.assertEqual("weight: 2" in learnt[model], weight == 2)
        students = [option for i in (1, 2) for option in ("--model", output / f"round2.forward.{i}")]
        together = subprocess.run([PROGRAM, "translate", *students, "--shortlist",
                                   output / "round2.forward.together.lexicon", "--input", self.folder / "train.en"],
                                  capture_output=True, check=True)
        self.assertEqual(together.stdout, (output / "round2.forward.together.target").read_bytes())
        again = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertNotIn("training", again.stderr.split("everything in")[1])
        command[command.index("--rounds") + 1] = "1"
        other = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertIn("was begun with other settings", other.stderr)

    def test_a_second_cycle_continues_from_the_first_at_half_the_rate(self):
        output = self.folder / "cycles"
        command = self.command("cycles", "--forward-only", "--cycles", "3", "--final-set", "training.learning_rate=0.006")
        without(command, "--monolingual")
        result = subprocess.run(command, capture_output=True, text=True, check=False,
                                env=where_numbers_have_commas(self.folder))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("2 of 27 minutes: 27;", result.stderr)
        for name in ("final.1", "right_to_left"):
            for cycle, seed, rate, start in ((f"{name}.cycle1", 1, "0.006", "null"),
                                             (f"{name}.cycle2", 101, "0.003", f"{output}/{name}.cycle1"),
                                             (name, 201, "0.003", f"{output}/{name}.cycle2")):
                learnt = (output / cycle / "config.yaml").read_text(encoding="utf-8")
                self.assertRegex(learnt, rf"(?m)^seed: {seed}$")
                self.assertRegex(learnt, rf"(?m)^  learning_rate: {rate}$")
                self.assertRegex(learnt, rf"(?m)^  init_from: {start}$")
        self.assertRegex((output / "tuned.1/config.yaml").read_text(encoding="utf-8"),
                         rf"(?m)^  init_from: {output}/final.1$")
        command[command.index("--cycles") + 1] = "1"
        other = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertIn("was begun with other settings", other.stderr)

    def test_a_dry_run_prints_the_cost_and_writes_nothing(self):
        result = subprocess.run(self.command("none", "--dry-run"), capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        # 2 training runs in parallel, then 2 more, one of them tuned, of 9 minutes each.
        self.assertIn("2 trainings of 9 minutes, 2 at a time: 9 minutes", result.stderr)
        self.assertIn("in all about 28 minutes", result.stderr)
        self.assertFalse((self.folder / "none").exists())

    def test_finds_errors_in_any_recipe_before_training(self):
        unknown = self.recipe("unknown.yaml", ("cell: lstm", "cell: lstn"))
        cut_otherwise = self.recipe("cut_otherwise.yaml", ("type: bpe", "type: unigram"))
        grus = self.recipe_of_grus()
        for arguments, message in ((("--config", unknown, "--teachers", grus), "unknown value \"lstn\""),
                                   (("--teachers", grus, "--teachers", unknown), "unknown value \"lstn\""),
                                   (("--teachers", grus, "--teachers", cut_otherwise, "--together"),
                                    f"{cut_otherwise} has another tokenizer than {grus}"),
                                   (("--final-set", "model.dropout.layr=0.1"), "did you mean \"layer\"?")):
            result = subprocess.run(self.command("tried", *arguments), capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(message, result.stderr)
            self.assertEqual(list((self.folder / "tried").iterdir()), [])

    def test_finds_unreadable_text_before_training(self):
        subprocess.run([PROGRAM, "train", ROOT / "configs/quickstart.yaml", *settings_of(TINY), "--set",
                        "training.max_updates=1", "--output", self.folder / "plain"], capture_output=True, check=True)
        command = self.command("untagged", "--set", f"tokenizer.model={self.folder}/plain/joint.model")
        at = command.index("tokenizer.vocabulary=120")
        del command[at - 1:at + 1]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("no piece for the tag <bt>", result.stderr)
        self.assertEqual(list((self.folder / "untagged").iterdir()), [])

    def test_rejects_separate_tokenizers_with_backward_models(self):
        subprocess.run([PROGRAM, "train", ROOT / "configs/quickstart.yaml", *settings_of(TINY), "--set",
                        "training.max_updates=1", "--set", "tokenizer.joint=false", "--output", self.folder / "two"],
                       capture_output=True, check=True)
        command = self.command("exchanged", "--set", "tokenizer.joint=false", "--set",
                               f"tokenizer.model=[{self.folder}/two/source.model, {self.folder}/two/target.model]")
        at = command.index("tokenizer.vocabulary=120")
        del command[at - 1:at + 1]
        for option in ("--monolingual", "--monolingual-source"):
            without(command, option)
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("one model for the source and one for the target", result.stderr)

    def test_warns_if_models_are_selected_by_untokenized_words(self):
        for stop, said in (" .", False), (".", True):
            text = (self.folder / "dev.de").read_text(encoding="utf-8").replace(" .", stop)
            (self.folder / "dev.de").write_text(text, encoding="utf-8")
            command = self.command(f"stops{len(stop)}", "--forward-only", "--set", "training.validation.tokenize=none",
                                   "--set", "training.max_updates=2")
            for option in ("--monolingual", "--monolingual-source"):
                without(command, option)
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual("add --set training.validation.tokenize=13a" in result.stderr, said, result.stderr)

    def test_reports_invalid_arguments(self):
        for arguments, message in ((("--models", "0"), "1 or more"), (("--rounds", "0"), "1 or more"),
                                   (("--final-minutes", "0"), "1 or more"), (("--weight", "0"), "above 0"),
                                   (("--weight", "two"), "above 0"), (("--penalties", "0,6 1"), "blanks between"),
                                   (("--penalties", ""), "blanks between"), (("--config", "no/such"), "no such file"),
                                   (("--jobs", "x"), "a whole number"), (("--monolingual", "no/such"), "no such file"),
                                   (("--seed",), "needs a value")):
            result = subprocess.run([ROOT / "scripts/night.sh", "--train", self.folder / "train.en",
                                     self.folder / "train.de", "--dev", self.folder / "dev.en", self.folder / "dev.de",
                                     "--program", PROGRAM, *arguments], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 2)
            self.assertIn(message, result.stderr)


if __name__ == "__main__":
    unittest.main()
