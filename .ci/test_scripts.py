#!/usr/bin/env python3
"""Tests of the scripts: python3 .ci/test_scripts.py"""

import fcntl
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))

from bench_results import GENERATIONS, LIBRARIES, Comparison, Results, Table, has_avx512, library_limits, run  # noqa: E402
import bench_translate  # noqa: E402
from crash_test import (Damaged, check_token_ids, lock_problem, place_of_death,  # noqa: E402
                        read_tensor_file, temporary_files)
from draw_segments import BadInput, Picture, chosen, view_of  # noqa: E402
from make_bible_corpus import Verse, gold, join  # noqa: E402
from quickstart_corpus import inflection, lexicon  # noqa: E402


def word(numbers, text):
    return f'<w lemma="{" ".join("strong:" + number for number in numbers.split())}">{text}</w>'


class BibleText(unittest.TestCase):
    def test_notes_become_a_space_and_other_markup_vanishes(self):
        verse = Verse('<l level="1"/>' + word("H1", "God")
                      + '<note a="b">The <x>Hebrew</x> word</note>' + word("H2", "made")
                      + ", <q who='Jesus'>“it</q>”\n")
        self.assertEqual(verse.text, "God made, “it”")

    def test_a_glossary_after_the_last_verse_is_not_part_of_it(self):
        verse = Verse('saints. Amen. <chapter eID="Rev.22"/> <div sID="g" type="glossary"/> Abba is father.')
        self.assertEqual(verse.text, "saints. Amen.")

    def test_blanks_collapse(self):
        self.assertEqual(Verse(" a <note>n</note>  b\t\n c ").text, "a b c")

    def test_words_are_split_from_punctuation_but_not_at_inner_apostrophes_and_hyphens(self):
        self.assertEqual(Verse("“God’s sixty-five,” ¿qué?").tokens,
                         ["“", "God’s", "sixty-five", ",", "”", "¿", "qué", "?"])

    def test_verses_without_text_on_one_side_are_left_out_and_the_first_order_is_kept(self):
        english = {"B 1:2": "b", "B 1:1": "a", "B 1:3": "<note>only a note</note>", "B 1:4": "d"}
        spanish = {"B 1:1": "x", "B 1:2": "y", "B 1:3": "z"}
        self.assertEqual([name for name, _, _ in join(english, spanish)], ["B 1:2", "B 1:1"])


class BibleGold(unittest.TestCase):
    def links(self, english, spanish):
        return gold(Verse(english), Verse(spanish))

    def test_one_word_each_is_sure(self):
        self.assertEqual(self.links("In " + word("H7", "light"), word("H07", "luz")), "1-0")

    def test_two_english_words_are_possible(self):
        english = word("H7", "the") + " " + word("H7", "light")
        self.assertEqual(self.links(english, word("H7", "luz")), "0p0 1p0")

    def test_a_phrase_of_two_words_is_possible(self):
        self.assertEqual(self.links(word("H7", "light") + ".", "Y " + word("H7", "la luz")), "0p1 0p2")

    def test_a_number_on_two_spanish_phrases_gives_no_link(self):
        spanish = word("H7", "luz") + " " + word("H7", "luces")
        self.assertEqual(self.links(word("H7", "light"), spanish), "")

    def test_a_phrase_with_two_numbers_links_the_words_of_both(self):
        english = word("G1", "Jesus") + " " + word("G2", "Christ")
        self.assertEqual(self.links(english, word("G1 G2", "Jesucristo")), "0-0 1-0")

    def test_hebrew_and_greek_numbers_differ(self):
        self.assertEqual(self.links(word("H1", "a"), word("G1", "b")), "")


class QuickstartCorpus(unittest.TestCase):
    def lines(self, name):
        return (ROOT / "data" / "quickstart" / name).read_text(encoding="utf-8").splitlines()

    def test_no_held_out_sentence_is_in_training(self):
        for language in ("en", "de"):
            train = set(self.lines(f"train.{language}"))
            self.assertEqual(len(train), 5000)
            for part in ("dev", "test"):
                self.assertFalse(train & set(self.lines(f"{part}.{language}")))

    def test_every_word_of_the_test_set_has_a_gold_link_but_for_commas(self):
        columns = (self.lines(f"test.{name}") for name in ("en", "de", "gold"))
        for english, german, links in zip(*columns):
            pairs = [link.replace("p", "-").split("-") for link in links.split()]
            for side, words in enumerate((english.split(), german.split())):
                linked = {int(pair[side]) for pair in pairs}
                self.assertLessEqual(linked, set(range(len(words))))
                self.assertLessEqual({words[k] for k in set(range(len(words))) - linked}, {","}, english)

    def test_a_separable_verb_links_to_its_stem_and_prefix(self):
        # Every day Paul invites the aunts with the brothers .
        # Jeden Tag lädt Paul die Tanten mit den Brüdern ein .
        index = self.lines("test.en").index("Every day Paul invites the aunts with the brothers .")
        self.assertEqual(self.lines("test.gold")[index],
                         "0-0 1-1 2-3 3-2 3-9 4-4 5-5 6-6 7-7 8-8 9-10")

    def test_articles_adjectives_and_nouns_agree(self):
        nouns = {noun.german: noun for noun in lexicon.nouns()}
        cases = (("a", "nom", "Tisch", False, "ein alter Tisch"),
                 ("the", "acc", "Tisch", False, "den alten Tisch"),
                 ("my", "dat", "Frau", False, "meiner alten Frau"),
                 ("a", "acc", "Kind", False, "ein altes Kind"),
                 ("this", "gen", "Bauer", False, "dieses alten Bauern"),
                 ("two", "nom", "Kuh", True, "zwei alte Kühe"),
                 ("many", "dat", "Kind", True, "vielen alten Kindern"),
                 ("no", "acc", "Junge", False, "keinen alten Jungen"),
                 ("every", "nom", "Buch", False, "jedes alte Buch"),
                 ("our", "nom", "Vater", True, "unsere alten Väter"))
        for determiner, case, name, plural, expected in cases:
            noun = nouns[name]
            gender = "p" if plural else noun.gender
            words = (inflection.german_determiner(determiner, case, gender),
                     inflection.german_adjective("alt", determiner, case, gender),
                     inflection.german_noun(noun, case, plural))
            self.assertEqual(" ".join(words), expected)


class InstallPackages(unittest.TestCase):
    """scripts/install_packages.sh with a fake apt-get that finds its lock held, and a sleep that does not wait."""

    def install(self, tries_with_lock, error="E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7"):
        with tempfile.TemporaryDirectory() as folder:
            programs = {
                "dpkg-query": "exit 1",
                "sleep": "exit 0",
                "id": "echo 0",
                "apt-get": f'echo "$@" >>"{folder}/calls"\n'
                           f'[ "$(wc -l <"{folder}/calls")" -gt {tries_with_lock} ] && exit 0\n'
                           f'echo "{error}" >&2; exit 100'}
            for name, text in programs.items():
                file = pathlib.Path(folder, name)
                file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
                file.chmod(0o755)
            environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
            result = subprocess.run([ROOT / "scripts" / "install_packages.sh", "some-package"], env=environment,
                                    capture_output=True, text=True, check=False)
            return result, pathlib.Path(folder, "calls").read_text(encoding="utf-8").splitlines()

    def test_it_waits_while_another_program_holds_the_lock(self):
        result, calls = self.install(tries_with_lock=20)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("another program is installing; waiting for it", result.stderr)
        self.assertEqual(len(calls), 22)
        self.assertRegex(calls[-1], "^-o DPkg::Lock::Timeout=[0-9]+ install .* some-package$")

    def test_it_gives_up_soon_where_something_else_is_wrong(self):
        result, calls = self.install(tries_with_lock=20, error="E: Unable to locate package")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(len(calls), 4)


    def packages_of(self, system, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            release = pathlib.Path(folder, "os-release")
            name, version = system.split()
            release.write_text(f'ID={name}\nVERSION_ID="{version}"\n', encoding="utf-8")
            result = subprocess.run([ROOT / "scripts" / "install_packages.sh", *arguments], capture_output=True, text=True,
                                    env={**os.environ, "OS_RELEASE_FILE": str(release)}, check=True)
            return set(result.stdout.split()), result.stderr

    def test_ubuntu_has_no_libtorch_of_its_own(self):
        debian, _ = self.packages_of("debian 12", "--list")
        self.assertEqual(self.packages_of("debian 13", "--list")[0], debian)
        self.assertEqual(self.packages_of("ubuntu 24.04", "--list")[0], debian - {"libtorch-dev", "libgloo-dev"})

    def test_a_system_that_was_never_tried_is_named(self):
        self.assertEqual(self.packages_of("debian 12", "bash")[1], "install_packages.sh: all packages are installed\n")
        self.assertIn("names of debian 13 are known, but attend was never built", self.packages_of("debian 13", "bash")[1])
        self.assertIn("tested on Debian 12 only, this is fedora 40", self.packages_of("fedora 40", "bash")[1])


class Quickstart(unittest.TestCase):
    """scripts/quickstart.sh with scripts that build nothing, and a script as the program."""

    PROGRAM = '''#!/bin/bash
job=$1
while [[ $# -gt 0 ]]; do case $1 in --output) output=$2 ;; esac; shift; done
case $job in
  translate) printf 'Satz %s\\n' 1 2 3 4 >"$output" ;;
  eval) echo 'BLEU|nrefs:1 = 95.35 98.0/96.0/94.0/93.0 (BP = 1.000 ratio = 1.000)' ;;
  align) echo 'AER = 0.1234 precision = 0.9000 recall = 0.8000 (links = 9 sure = 9 judge = all)' ;;
esac
'''

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "data/quickstart", self.root / "data/quickstart")
        for name, text in (("scripts/install_packages.sh", "#!/bin/bash\n"), ("scripts/build.sh", "#!/bin/bash\n"),
                           ("build/src/cli/attend", self.PROGRAM)):
            self.write(name, text)
        shutil.copy(ROOT / "scripts/quickstart.sh", self.root / "scripts/quickstart.sh")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def test_it_ends_with_three_translations_the_scores_and_what_to_type_next(self):
        result = subprocess.run([self.root / "scripts/quickstart.sh"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        end = result.stdout[result.stdout.index("== Done in"):]
        self.assertIn("  source       What did Anna repair ?\n  translation  Satz 1\n"
                      "  reference    Was hat Anna repariert ?\n", end)
        self.assertEqual(end.count("  reference    "), 3)
        self.assertIn("  BLEU         95.35 of 100 on ", end)
        self.assertIn("  AER          0.1234 against", end)
        self.assertIn("attend translate --model runs/quickstart\n", end)
        self.assertIn("runs/quickstart-results/heatmaps", end)

    # Symptom: on a busy machine, the limit of 2.2 minutes ended the run with BLEU 60.
    def test_the_number_of_updates_ends_the_run_and_not_the_clock(self):
        config = (ROOT / "configs/quickstart.yaml").read_text(encoding="utf-8")
        self.assertEqual(re.search(r"\n  max_epochs: (\d+)", config).group(1), "12")
        self.assertGreaterEqual(float(re.search(r"\n  max_minutes: ([\d.]+)", config).group(1)), 30)


class Multi30kTask2(unittest.TestCase):
    """A copy of the script with the checksums of a made-up data set."""

    TEXTS = ("train", "val", "test_2016_flickr", "test_2017_flickr", "test_2017_mscoco")
    # Each German caption of files 1 to 5, raw and tokenised.
    CAPTIONS = (("Neu.", "neu ."), ("Nur val.", "nur val ."), ("NEU.", "neu ."), ("anders", "test_2017_mscoco ."),
                ("Train.", "x"))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("scripts", "task1", "task2"):
            (self.root / name).mkdir()
        self.sums = {}
        for text in self.TEXTS:
            for language in ("en", "de"):
                self.put("task1", f"{text}.{language}", "Nur val." if text == "val" else text.capitalize() + ".")
                self.put("task1", f"{text}.lc.norm.tok.{language}", "nur val ." if text == "val" else f"{text} .")
        for number, (raw, tokenised) in enumerate(self.CAPTIONS, 1):
            self.put("task2", f"train.{number}.de", raw)
            self.put("task2", f"train.lc.norm.tok.{number}.de", tokenised)
            self.put("task2", f"train.{number}.en", f"Caption {number}.")
            self.put("task2", f"train.lc.norm.tok.{number}.en", f"caption {number} .")
        script = (ROOT / "scripts" / "get_multi30k.sh").read_text(encoding="utf-8")
        own = re.sub(r"(?m)^[0-9a-f]{64}  (\S+)$", lambda line: f"{self.sums[line[1]]}  {line[1]}", script)
        copy = self.root / "scripts" / "get_multi30k.sh"
        copy.write_text(own, encoding="utf-8")
        copy.chmod(0o755)

    def put(self, folder, name, line):
        content = f"{line}\n".encode()
        self.sums[name] = hashlib.sha256(content).hexdigest()
        (self.root / folder / f"{name}.gz").write_bytes(gzip.compress(content))

    def get(self, *arguments):
        return subprocess.run([self.root / "scripts" / "get_multi30k.sh", *arguments], capture_output=True, text=True,
                              check=False)

    def made(self, name):
        return (self.root / "data" / "multi30k" / name).read_text(encoding="utf-8").splitlines()

    def test_captions_equal_to_a_line_of_task_1_in_either_form_and_repetitions_are_left_out_and_counted(self):
        result = self.get("--task2", "--from", self.root / "task1", "--from", self.root / "task2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.made("train-task2.de"), ["Neu."])
        self.assertEqual(self.made("train-task2.lc.norm.tok.de"), ["neu ."])
        self.assertEqual(self.made("train-task2.en"), [f"Caption {n}." for n in range(1, 6)])
        self.assertIn("de: 5 captions, 1 equal to a line of val, 0 equal to a line of test_2016_flickr, 0 equal to a "
                      "line of test_2017_flickr, 1 equal to a line of test_2017_mscoco, 1 equal to a line of train, "
                      "1 empty or repeated; 1 kept", result.stderr)

    def test_task_1_alone_makes_no_text_of_task_2(self):
        self.assertEqual(self.get("--from", self.root / "task1").returncode, 0)
        self.assertFalse((self.root / "data" / "multi30k" / "train-task2.de").exists())

    def test_a_file_of_another_version_is_refused(self):
        (self.root / "task2" / "train.3.de.gz").write_bytes(gzip.compress(b"other\n"))
        result = self.get("--task2", "--from", self.root / "task1", "--from", self.root / "task2")
        self.assertEqual(result.returncode, 1)
        self.assertIn("train.3.de: sha256 is", result.stderr)


class BenchTable(unittest.TestCase):
    RECORDS = [
        {"part": "roofline", "threads": "2", "f32": 785.0, "bf16": 1570.0},  # 10,000 and 20,000 tokens/s
        {"part": "train", "contender": "attend fused f32", "threads": "2", "tokens_per_second": [9, 5900, 6100]},
        {"part": "train", "contender": "attend fused f32", "threads": "2", "tokens_per_second": [9, 6000, 9000, 100]},
        {"part": "train", "contender": "PyTorch f32", "threads": "2", "tokens_per_second": [9, 4000]},
        {"part": "train", "contender": "PyTorch bf16", "threads": "2", "tokens_per_second": [9, 5000]},
    ]

    def setUp(self):
        self.table = self.table_of(self.RECORDS)

    def table_of(self, records):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
            file.flush()
            return Table(Results(file.name))

    def limits(self, **measured):
        table = self.table_of([{"part": "roofline", "threads": "2", **measured}])
        table.add_roofline()
        return [row[1:3] for row in table.rows]

    def test_a_precision_that_the_cpu_lacks_has_no_limit(self):
        self.assertEqual(self.limits(f32=785.0, bf16=1570.0), [["f32", "785"], ["bf16", "1,570"]])
        self.assertEqual(self.limits(f32=785.0, bf16=0.0), [["f32", "785"]])

    def test_training_is_the_median_of_all_windows_but_each_first_beside_roofline_and_rival(self):
        self.assertEqual(self.table.training_cell("attend fused f32", "2"), ("6,000", "60 %", "1.50x"))

    def test_a_rival_is_of_the_same_precision(self):
        self.assertEqual(self.table.training_cell("PyTorch bf16", "2"), ("5,000", "25 %", "1.00x"))

    def test_what_was_not_measured_is_a_dash(self):
        self.assertEqual(self.table.training_cell("attend fused bf16", "2"), ("-", "-", "-"))


class BenchComparison(unittest.TestCase):
    def rows(self, records):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
            file.flush()
            return list(Comparison(Results(file.name)).rows())

    def test_ratio_of_the_medians_and_the_lowest_and_highest_of_a_round(self):
        def record(side, round_number, *rates):
            return {"part": "train", "contender": "attend fused f32", "threads": "1", "side": side,
                    "round": round_number, "tokens_per_second": [9, *rates]}
        self.assertEqual(self.rows([record("here", "1", 1200, 1300), record("there", "1", 1000),
                                    record("there", "2", 1300), record("here", "2", 1170), record("here", "3", 5000)]),
                         [["training, target tokens/s", "attend fused f32", "1",
                           "1,250", "1,150", "1.09x", "0.90 to 1.25"]])

    def test_what_one_of_them_could_not_do_is_a_dash(self):
        record = {"part": "decode", "contender": "attend int8", "threads": "2", "beam": "5", "batch": "16",
                  "round": "1", "side": "here", "sentences_per_second": 12.34}
        other = dict(record, side="there", failed="exit code 2")
        del other["sentences_per_second"]
        self.assertEqual(self.rows([record, other]),
                         [["translating, sentences/s, beam 5, batch 16", "attend int8", "2", "12.3", "-", "-", "-"]])


@unittest.skipUnless(shutil.which("git"), "needs git")
class BenchAgainst(unittest.TestCase):
    """scripts/bench.sh --against in a temporary repository, with a script as the program."""

    PROGRAM = '''#!/bin/bash
echo "RATE $*" >>"$BENCH_LOG"
while [[ $# -gt 0 ]]; do case $1 in --output) output=$2 ;; train | eval) job=$1 ;; esac; shift; done
line='{"type": "train", "timing": {"target_tokens_per_second": RATE}}'
if [[ $job == train ]]; then
  mkdir -p "$output" && touch "$output/joint.model" && printf '%s\n' "$line" "$line" >"$output/train.jsonl"
elif [[ $job == eval ]]; then
  echo '[{"name": "BLEU", "score": 30}]'
else
  echo x >"$output" && echo "translated 1 lines in 1 s (RATE lines/s)" >&2
fi
'''

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "repository"
        (self.root / "data/multi30k").mkdir(parents=True)
        for side in ("en", "de"):
            (self.root / f"data/multi30k/test_2016_flickr.lc.norm.tok.{side}").write_text("a\n", encoding="utf-8")
        (self.root / "scripts").mkdir()
        for script in ("bench.sh", "bench_results.py"):
            shutil.copy(ROOT / "scripts" / script, self.root / "scripts" / script)
        self.script("get_multi30k.sh", "true")
        self.script("build.sh", 'cd "$(dirname "$0")/.." && mkdir -p build/src/cli && '
                                'cp program build/src/cli/attend && chmod +x build/src/cli/attend')
        (self.root / ".gitignore").write_text("build/\n", encoding="utf-8")
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("100")
        self.git("tag", "old")
        self.commit("120")
        self.log = pathlib.Path(folder.name) / "log"

    def script(self, name, text):
        path = self.root / "scripts" / name
        path.write_text("#!/bin/bash\n" + text + "\n", encoding="utf-8")
        path.chmod(0o755)

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments], cwd=self.root, check=True,
                       stdout=subprocess.DEVNULL)

    def commit(self, rate):
        (self.root / "program").write_text(self.PROGRAM.replace("RATE", rate), encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", rate)

    def bench(self, *arguments):
        return subprocess.run([self.root / "scripts/bench.sh", *arguments], capture_output=True, text=True, check=False,
                              env=dict(os.environ, BENCH_LOG=str(self.log)))

    def test_builds_the_other_commit_and_lets_both_take_turns(self):
        result = self.bench("--against", "old", "--rounds", "2", "--threads", "1", "--beam", "5")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("| training, target tokens/s | attend fused f32 | 1 | 120 | 100 | 1.20x | 1.20 to 1.20 |",
                      result.stdout)
        self.assertIn("| translating, sentences/s, beam 5, batch 64 | attend f32 | 1 | 120.0 | 100.0 | 1.20x |",
                      result.stdout)
        runs = [line.split()[0] for line in self.log.read_text(encoding="utf-8").splitlines()
                if "--overwrite --output build/bench/run" in line and "training.precision=f32" in line]
        self.assertEqual(runs, ["120", "100", "100", "120"])

    def test_an_unknown_commit_is_refused(self):
        result = self.bench("--against", "older")
        self.assertEqual(result.returncode, 1)
        self.assertIn("--against older: Git knows no such commit", result.stderr)

    def test_changes_that_are_in_no_commit_are_refused_by_name(self):
        (self.root / "program").write_text("x", encoding="utf-8")
        result = self.bench("--against", "old")
        self.assertEqual(result.returncode, 1)
        self.assertIn("commit or stash them:\n M program", result.stderr)

    def test_the_commit_itself_and_parts_without_two_sides_are_refused(self):
        self.assertIn("is the commit that is checked out", self.bench("--against", "main").stderr)
        self.assertIn("--only roofline: expected train or decode with --against",
                      self.bench("--against", "old", "--only", "train roofline").stderr)
        self.assertIn("--other-program needs --against COMMIT",
                      self.bench("--other-program", "x").stderr)

    def test_a_commit_that_does_not_build_is_named(self):
        self.script("build.sh", "exit 1")
        self.commit("broken")
        self.git("tag", "broken")
        self.git("checkout", "--quiet", "old")
        result = self.bench("--against", "broken")
        self.assertEqual(result.returncode, 1)
        self.assertIn("broken does not build here", result.stderr)


class BenchOnAnotherCpu(unittest.TestCase):
    """Symptom: on a CPU without AVX-512, PyTorch died by SIGILL, and the table said "left out" without a reason."""

    def has_avx512(self, flags):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(f"processor\t: 0\nflags\t\t: fpu {flags} avx\n")
            file.flush()
            return has_avx512(file.name)

    def test_avx512_is_asked_for_only_where_the_cpu_has_all_of_it(self):
        self.assertTrue(self.has_avx512("avx512f avx512dq avx512bw avx512vl"))
        self.assertFalse(self.has_avx512("avx2 fma"))
        self.assertFalse(self.has_avx512("avx512f avx512cd"))
        self.assertFalse(has_avx512("/nonexistent"))

    def test_pytorch_is_held_to_the_same_cpu_as_attend(self):
        self.assertEqual(library_limits("avx2", True), {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2",
                                                        "OPENBLAS_CORETYPE": "Haswell"})
        for unlimited in (None, "", "native", "amx"):
            self.assertEqual(library_limits(unlimited, True), {"ATEN_CPU_CAPABILITY": "avx512"})
        self.assertEqual(library_limits("avx512", False), {})

    def test_generations_are_those_of_the_program(self):
        source = (ROOT / "src/kernels/cpu/cpu_limit.cpp").read_text(encoding="utf-8")
        for place, library in enumerate(LIBRARIES):
            values = re.search(r'\{"%s",\s*\{(.*?)\}\}' % library, source).group(1)
            self.assertEqual(tuple(re.findall(r'"(\w+)"', values)), tuple(values[place] for values in GENERATIONS.values()))

    def failure_of(self, command):
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder) / "results.jsonl"
            with self.assertRaises(SystemExit):
                run(str(results), ["part=train", "contender=PyTorch f32", "threads=1", "--", "bash", "-c", command])
            return Table(Results(results)).left_out()

    def test_a_process_that_died_is_named_with_its_signal(self):
        self.assertEqual(self.failure_of("kill -ILL $$"),
                         ["Left out: train (contender PyTorch f32, threads 1): died by SIGILL"])

    def test_a_process_that_failed_is_named_with_its_last_words(self):
        self.assertEqual(self.failure_of("echo no such file >&2; exit 3"),
                         ["Left out: train (contender PyTorch f32, threads 1): exit code 3: no such file"])


class DrawSegments(unittest.TestCase):
    def record(self, layers, **more):
        return {"id": 3, "rank": 0, "level": "word", "source": ["a", "b", "|", "c", "</s>"], "target": ["x", "</s>"],
                "kinds": {"encoder": {"layers": layers}}, **more}

    def test_a_fact_has_the_sum_of_its_words_in_each_hop(self):
        hops = [[[[0.25, 0.5, 0, 0.25, 0]]], [[[0, 0.125, 0, 0.875, 0]]]]
        self.assertEqual(view_of(self.record(hops), "|"), (["hop 1", "hop 2"], [[0.75, 0.125], [0.25, 0.875]], {}))

    def test_a_segment_has_its_share_and_its_words_theirs_of_it(self):
        pooling = [[0.75, 0.25, 0, 0, 0], [0.75, 0.25, 0, 0, 0], [0] * 5, [0, 0, 0, 1, 0], [0] * 5]
        record = self.record([[pooling]], segments=[[0.125, 0.875], [1, 0]])
        self.assertEqual(view_of(record, "|"), (["segment"], [[0.125], [0.875]], {0: 0.75, 1: 0.25, 3: 1}))
        picture = Picture()
        picture.line(record, "|")
        self.assertIn(">line 3 → x</text>", picture.svg())
        self.assertIn(">0.88</text>", picture.svg())

    def test_a_file_without_the_layers_is_refused_with_what_writes_them(self):
        with self.assertRaisesRegex(BadInput, "line 3: .*--level word --attention-kinds encoder"):
            view_of(self.record([]), "|")

    def test_words_that_look_at_others_each_in_its_own_way_are_no_hops(self):
        with self.assertRaisesRegex(BadInput, "line 3: neither hops nor segments"):
            view_of(self.record([[[[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]]]]), "|")

    def test_lines_without_words_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.jsonl"
            empty, not_ranked = dict(self.record([]), id=1, source=[]), {"id": 2}
            path.write_text("".join(json.dumps(line) + "\n" for line in (empty, not_ranked, self.record([]))))
            self.assertEqual([record["id"] for record in chosen(str(path), None)], [3])


class CrashTest(unittest.TestCase):
    def test_the_last_moment_tells_where_a_process_died(self):
        validation = ["saved", "validation begins", "batch of validation", "batch of validation"]
        averaging = validation + ["weights measured", "averaging begins", "batch of validation"]
        for trace, place in (([], "before anything is written"),
                             (["update begins", "flush folder of last.state"], "in a save: last.state"),
                             (["write update-00000012.safetensors"], "in a save: update"),
                             (["append to train.jsonl"], "in a save: train.jsonl"),
                             (["rename config.yaml"], "in another file"),
                             (validation, "in a validation"),
                             (averaging, "in averaging"),
                             (validation + ["weights measured"], "after a validation"),
                             (["saved"], "after a save"),
                             (["saved", "update begins"], "in an update")):
            self.assertEqual(place_of_death(trace), place)

    def test_files_before_the_first_update_are_no_save(self):
        begun = ["preparation begins", "tokenizers are ready", "text is ready"]
        for trace, place in ((begun + ["rename joint.model"], "between preparation and the first update"),
                             (begun + ["remove last.state"], "while files are removed"),
                             (begun + ["update begins", "remove update-00000012.safetensors"], "in a save: update"),
                             (["preparation begins", "write run.tokens"], "while token ids are kept"),
                             (begun[:2], "while data is prepared")):
            self.assertEqual(place_of_death(trace), place)

    def test_a_lock_must_be_of_the_process_that_was_killed_and_free(self):
        with tempfile.TemporaryDirectory() as folder:
            lock = pathlib.Path(folder) / "train.lock"
            self.assertIn("missing", lock_problem(lock, 12))
            lock.write_text("12\n", encoding="ascii")
            self.assertEqual(lock_problem(lock, 12), "")
            self.assertIn("names process 12, but 13", lock_problem(lock, 13))
            with open(lock, encoding="ascii") as held:
                fcntl.flock(held, fcntl.LOCK_EX)
                self.assertIn("still held", lock_problem(lock, 12))

    def test_temporary_files_are_known_from_those_of_somebody_else(self):
        with tempfile.TemporaryDirectory() as folder:
            run = pathlib.Path(folder) / "run"
            run.mkdir()
            for name in ("run/last.state.attend-2.tmp", "run.tokens.attend-1.tmp", "run/best.safetensors.tmp",
                         "run/last.state.attend-.tmp", "run.tokens", "run/notes.attend-1.tmp"):
                (run.parent / name).touch()
            self.assertEqual([pathlib.Path(file).name for file in temporary_files(run)],
                             ["run.tokens.attend-1.tmp", "last.state.attend-2.tmp"])

    def test_token_ids_cut_short_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "run.tokens"
            arrays = [(1, 2, b"ab"), (2, 1, b"cd"), (1, 3, b"efg")]  # number of elements, bytes per element, content
            index = b"key" + b"".join(struct.pack("<QQI", count, size, zlib.crc32(data))
                                      for count, size, data in arrays)
            head = b"head\n" + b"".join(data for _, _, data in arrays)
            whole = head + index + struct.pack("<QI", len(head), zlib.crc32(index)) + b"attn"
            file.write_bytes(whole)
            check_token_ids(file)
            for content in (b"", b"ids", whole[:-1], whole.replace(b"cd", b"ce"), whole.replace(b"key", b"kex")):
                file.write_bytes(content)
                self.assertRaises(Damaged, check_token_ids, file)

    def test_a_damaged_file_is_found(self):
        header = {"__metadata__": {"attend_format": "1"},
                  "a": {"data_offsets": [0, 4], "dtype": "F32", "shape": [1]}}
        text = json.dumps(header, sort_keys=True, separators=(",", ":"))
        checksum = zlib.crc32(b"\0\0\0\0", zlib.crc32(text.encode()))
        header["__metadata__"]["checksum"] = f"crc32:{checksum:08x}"
        text = json.dumps(header).encode()
        content = struct.pack("<Q", len(text)) + text + b"\0\0\0\0"
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "last.state"
            file.write_bytes(content)
            self.assertEqual(read_tensor_file(file)[1], b"\0\0\0\0")
            for damaged in (b"", content[:-1], content[:-1] + b"\1"):
                file.write_bytes(damaged)
                with self.assertRaises(Damaged):
                    read_tensor_file(file)


class BenchTranslate(unittest.TestCase):
    """The table of scripts/bench_translate.sh."""

    @staticmethod
    def record(program, seconds, **more):
        return {"part": "translate", "program": program, "precision": "f32", "batch": "16", "threads": 2, "shortlist": False,
                "lines": 100, "seconds": seconds, "translating": seconds - 1, "peak_mb": 50, **more}

    def test_compares_medians_with_the_fastest_setting(self):
        records = [self.record("attend", seconds) for seconds in (2.0, 9.0, 3.0)]
        records += [self.record("CTranslate2 float32 1x2", seconds, peak_mb=70, bleu=30.5) for seconds in (6.0, 6.0, 1.5)]
        records += [self.record("CTranslate2 float32 2x1", seconds) for seconds in (7.0, 8.0, 9.0)]
        cells = bench_translate.row(records, ("f32", "16", 2, False))
        self.assertEqual(cells, ["f32", "16", "no", "2", "33.3", "16.7", "2.00", "2.50", "float32 1x2", "50 / 70", "- / 30.50"])

    def test_leaves_out_a_row_without_an_opponent(self):
        self.assertIsNone(bench_translate.row([self.record("attend", 2.0)], ("bf16", "16", 2, False)))

    def test_reads_the_seconds_of_translating(self):
        log = "12:00:00 translated 1,000 lines in 2.5 s (400.0 lines/s)\n"
        self.assertEqual(bench_translate.translating_seconds("", log), 2.5)
        self.assertEqual(bench_translate.translating_seconds('{"translating": 1.25}\n', ""), 1.25)
        self.assertIsNone(bench_translate.translating_seconds('{"sentences_per_second": 3}\n', ""))


if __name__ == "__main__":
    unittest.main()
