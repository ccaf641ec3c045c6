#!/usr/bin/env python3
"""Opens an attention page in a headless Chromium and checks what it shows.

    page_test.py SAMPLE_PAGE     the program built from sample_page.cpp

Exits with 77 if there is no Chromium. The expected values follow from the weights in sample_page.cpp.
"""
import html.parser
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


class Observed(html.parser.HTMLParser):
    """The text of <pre id="observed">."""

    def __init__(self):
        super().__init__()
        self.inside = False
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.inside = tag == "pre" and ("id", "observed") in attrs

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.text += data


def browse(browser, sample):
    """Writes the page, runs the driver on it and returns the driver's observations."""
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "index.html")
        subprocess.run([sample, page], check=True)
        text = page.read_text(encoding="utf-8")
        driver = (HERE / "page_driver.js").read_text(encoding="utf-8")
        page.write_text(text.replace("</body>", f"<script>{driver}</script></body>"), encoding="utf-8")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,900",
                   f"--user-data-dir={folder}/profile", "--dump-dom", f"{page.as_uri()}#s=0&view=pieces&cell=1,2"]
        done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", timeout=500)
    parser = Observed()
    parser.feed(done.stdout)
    if not parser.text:
        sys.exit(f"the page's script did not finish; output of {browser}:\n{done.stderr}")
    return json.loads(parser.text)


class AttentionPage(unittest.TestCase):
    seen = {}

    def panel(self, step, index=0):
        return self.seen[step]["panels"][index]

    def test_shows_the_sentence_of_the_address(self):
        opened = self.seen["opened"]
        self.assertEqual(opened["current"], "#0")
        self.assertEqual([panel["name"] for panel in opened["panels"]], ["first", "second & last"])

    def test_lists_all_sentences_and_draws_one(self):
        self.assertEqual(self.seen["opened"]["listed"], 5000)
        self.assertEqual(self.seen["opened"]["count"], "5000 sentences")
        self.assertEqual(len(self.seen["opened"]["panels"]), 2)

    def test_shows_weights_of_pieces(self):
        panel = self.panel("opened")
        self.assertEqual(panel["columns"], ["▁das", "▁ha", "us", "</s>"])
        self.assertEqual(panel["rows"], ["▁the", "▁ho", "use", "</s>"])
        self.assertEqual(panel["cells"], [[".70", ".10", ".15", ".05"], [".05", ".62", ".32", ".01"],
                                          [".15", ".40", ".40", ".05"], ["", "", ".25", ".75"]])

    def test_shows_the_exact_weight_of_both_models(self):
        self.assertEqual(self.seen["opened"]["readout"],
                         ["first: ▁ho ← us 0.32344", "second & last: ▁ho ← us 0.25000"])

    def test_deselects_the_cell(self):
        self.assertEqual(self.seen["deselected"]["readout"], [])
        self.assertNotIn("cell=", self.seen["deselected"]["hash"])

    # haus = ▁ha + us; house = the mean of ▁ho and use: (0.62 + 0.32344 + 0.4 + 0.4) / 2 = 0.87172.
    def test_merges_pieces_to_words(self):
        panel = self.panel("words")
        self.assertEqual(panel["columns"], ["das", "haus", "</s>"])
        self.assertEqual(panel["rows"], ["the", "house", "</s>"])
        self.assertEqual(panel["cells"], [[".70", ".25", ".05"], [".10", ".87", ".03"], ["", ".25", ".75"]])
        self.assertIn("view=words", self.seen["words"]["hash"])

    def test_shows_the_weight_under_the_mouse(self):
        self.assertEqual(self.seen["pointed"]["readout"],
                         ["first: house ← haus 0.87172", "second & last: house ← haus 0.50000"])

    def test_shows_the_largest_weights_of_a_row(self):
        self.assertEqual(self.seen["row pointed"]["readout"][:4],
                         ["first: house ←", "0.872 haus", "0.100 das", "0.028 </s>"])

    def test_marks_gold_and_own_links(self):
        marks = [["sure link", "", ""], ["", "possible link", ""], ["", "", ""]]
        self.assertEqual(self.panel("words")["marks"], marks)

    def test_marks_gold_links_of_all_pieces_of_a_word(self):
        self.assertEqual(self.panel("opened")["marks"],
                         [["sure", "", "", ""], ["", "possible", "possible", ""], ["", "possible", "possible", ""],
                          ["", "", "", ""]])

    def test_offers_the_heads_of_each_model(self):
        self.assertEqual(self.panel("opened")["heads"], ["mean", "head 1", "head 2"])
        self.assertEqual(self.panel("opened", 1)["heads"], [])

    def test_shows_the_selected_head(self):
        self.assertEqual(self.panel("head 1")["head"], "head 1")
        # In words, house has the mean of rows (0, 1, 0, 0) and (0, 0, 1, 0).
        self.assertEqual(self.panel("head 1")["cells"], [["1", "", ""], ["", "1", ""], ["", "", "1"]])
        self.assertEqual(self.panel("head 2")["cells"], [["", "", "1"], ["", "", "1"], ["", "", "1"]])
        self.assertIn("head=2", self.seen["head 2"]["hash"])

    def test_offers_the_existing_kinds_and_layers(self):
        opened = self.seen["opened"]
        self.assertTrue(opened["offered"])
        self.assertEqual(opened["kinds"], ["attention", "encoder self-attention", "decoder self-attention"])
        self.assertEqual((opened["kind"], opened["layers"]), ("attention", []))
        self.assertEqual(self.seen["encoder"]["layers"], ["layer 1", "layer 2", "rollout"])
        self.assertEqual(self.seen["decoder"]["layers"], ["layer 1"])
        self.assertFalse(self.seen["odd names"]["offered"])

    def test_shows_no_mean_of_writing_and_reading(self):
        self.assertEqual(self.seen["memory"]["kind"], "encoder memory")
        panel = self.panel("memory")
        self.assertEqual((panel["heads"], panel["head"]), (["read 1", "read 2", "write"], "read 1"))
        self.assertEqual((panel["columns"], panel["rows"]), (["1", "2", "3"], ["x", "y"]))
        self.assertEqual(panel["cells"], [["", "", "1"], ["", "", "1"]])
        self.assertEqual(self.panel("memory written")["head"], "write")
        self.assertEqual(self.panel("memory written")["cells"], [["1", "", ""], ["", "1", ""]])
        panel = self.panel("decoder memory")
        self.assertEqual((panel["heads"], panel["head"]), (["read", "write"], "read"))
        self.assertEqual(panel["cells"], [["", "", "1"], ["", "", "1"]])

    # haus: the mean of rows (1/2, 1/2, 0, 0) and (1/2, 0, 1/2, 0).
    def test_shows_encoder_self_attention(self):
        self.assertEqual(self.seen["encoder"]["kind"], "encoder self-attention")
        panel = self.panel("encoder")
        self.assertEqual((panel["columns"], panel["rows"]), (["das", "haus", "</s>"],) * 2)
        self.assertEqual(panel["cells"], [["1", "", ""], [".50", ".50", ""], [".50", "", ".50"]])
        self.assertEqual(panel["heads"], ["mean", "head 1", "head 2"])
        self.assertEqual(panel["marks"], [["", "", ""]] * 3)
        self.assertIn("kind=encoder", self.seen["encoder"]["hash"])
        self.assertEqual(self.panel("encoder", 1)["cells"], [])
        self.assertEqual(self.seen["source pointed"]["readout"], ["first: haus ← das 0.50000"])

    def test_shows_the_selected_layer_and_head(self):
        identity = [["1", "", ""], ["", "1", ""], ["", "", "1"]]
        self.assertEqual(self.panel("encoder head 1")["cells"], identity)
        self.assertEqual(self.seen["encoder layer 2"]["layer"], "layer 2")
        self.assertEqual(self.panel("encoder layer 2")["cells"], identity)
        self.assertEqual(self.panel("encoder layer 2")["heads"], [])
        self.assertEqual(self.panel("rollout")["cells"], [[".25", ".50", ".25"]] * 3)
        self.assertIn("layer=rollout", self.seen["rollout"]["hash"])

    # Symptom: the scale of the shades changed without a word.
    def test_says_when_the_darkest_shade_is_not_1(self):
        self.assertEqual(self.seen["encoder head 1"]["scale"], [])
        self.assertEqual(self.seen["rollout"]["scale"],
                         ["the darkest shade is 0.5, because no weight here is larger"])

    # house: the mean of rows (1/2, 1/2, 0, 0) and (0, 0, 1, 0).
    def test_shows_decoder_self_attention(self):
        panel = self.panel("decoder")
        self.assertEqual((panel["columns"], panel["rows"]), (["<s>", "the", "house"], ["the", "house", "</s>"]))
        self.assertEqual(panel["cells"], [["1", "", ""], [".25", ".25", ".50"], [".25", ".25", ".50"]])
        panel = self.panel("decoder pieces")
        self.assertEqual(panel["columns"], ["<s>", "▁the", "▁ho", "use"])
        self.assertEqual(panel["cells"][2], ["", "", "1", ""])

    def test_returns_to_cross_attention(self):
        self.assertEqual(self.seen["attention again"]["kind"], "attention")
        self.assertEqual(self.panel("attention again")["marks"], self.panel("words")["marks"])
        self.assertNotIn("kind=", self.seen["attention again"]["hash"])

    def test_shows_any_name_unchanged(self):
        names = ["</script><script>throw 1</script>", "<!--", "↵", "\"'&amp;", "a␀b", "{{data}}"]
        self.assertEqual(self.seen["odd names"]["current"], "#1")
        self.assertEqual(self.panel("odd names")["columns"], names)
        self.assertEqual(self.panel("odd names")["rows"], names)

    def test_steps_through_the_sentences(self):
        self.assertEqual(self.panel("scripts")["columns"], ["مرحبا", "你好", "шалом"])
        self.assertEqual(self.seen["no attention"]["current"], "#3")
        self.assertEqual(self.seen["back"]["current"], "#2")

    def test_shows_a_model_without_attention(self):
        self.assertEqual(self.panel("no attention")["cells"], [])

    def test_searches(self):
        self.assertEqual(self.seen["searching"]["focus"], "search")
        self.assertEqual(self.seen["found"]["current"], "#4321")
        self.assertEqual(self.seen["found"]["count"], "1 of 5000 sentences")
        self.assertEqual(self.seen["found"]["focus"], "")
        self.assertIn("q=WORD4321", self.seen["found"]["hash"])
        self.assertEqual(self.seen["by line"]["current"], "#17")

    def test_reports_when_nothing_is_found(self):
        self.assertEqual(self.seen["not found"]["listed"], 0)
        self.assertEqual(self.seen["not found"]["panels"], [])
        self.assertIn("No sentence", self.seen["not found"]["facts"])

    def test_returns_to_the_first_sentence(self):
        self.assertEqual(self.seen["other theme"]["current"], "#0")
        self.assertEqual(self.seen["other theme"]["listed"], 5000)

    def test_changes_theme_and_opens_help(self):
        self.assertTrue(self.seen["changedTheme"])
        self.assertTrue(self.seen["help"])


def main():
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print(f"skipped: none of {', '.join(BROWSERS)} is installed")
        sys.exit(SKIPPED)
    AttentionPage.seen = browse(browser, pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()


if __name__ == "__main__":
    main()
