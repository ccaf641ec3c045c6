#!/usr/bin/env python3
"""Drives the page of a running `attend serve` in a headless Chromium with mouse, keyboard and links.

    page_test.py --program ATTEND [--quick]         trains three small models and serves them
    page_test.py --url http://127.0.0.1:8080 [--sentence TEXT] [--model NAME]
Both take [--pictures FOLDER] [--axe axe.min.js].

The server needs a model with attention. Tests of other features (a second model, layers, runs, training text) are skipped
if the server lacks them. The accessibility check needs axe-core (`npm install axe-core`), from --axe or from node_modules
of this folder or one above; otherwise it is skipped. Exits with 77 if Chromium or chromedriver is missing.
"""
import argparse
import contextlib
import json
import pathlib
import sys
import unittest
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import small_server
import webdriver

SKIPPED = 77
# The tests of --quick.
QUICK = ["test_typing_translates", "test_translates_each_line_by_itself", "test_translates_a_whole_text",
         "test_keeps_the_tags_of_a_text", "test_requires_terms_and_phrases", "test_an_empty_page_shows_an_example_and_help",
         "test_a_phone_shows_the_translation_before_the_settings", "test_hovering_a_word_lights_its_links", "test_looks_inside", "test_forbids_a_word", "test_explains_a_word",
         "test_clicking_an_alternative_searches_again_from_there", "test_dragging_a_cell_forces_the_attention",
         "test_shows_every_layer_and_head", "test_shows_no_mean_of_writing_and_reading",
         "test_finds_the_nearest_training_sentences",
         "test_a_saved_link_restores_everything", "test_shows_the_curves_of_several_runs", "test_works_by_keyboard_alone"]
NOW = '.panel[data-role="now"]'
READY = f"document.querySelector('{NOW}[aria-busy=\"false\"] .text.target') !== null"


class Page(unittest.TestCase):
    """Each test reloads the page and may leave no message in the console."""
    url = ""
    sentence = ""
    browser = None
    models = []
    model = {}
    pictures = None
    axe = ""

    def tearDown(self):
        self.assertEqual(self.browser.console(), [])

    def open(self, ready=READY, **state):
        state = {"model": self.model["name"], **state}
        text = {name: value if isinstance(value, (str, int)) else json.dumps(value) for name, value in state.items()}
        self.browser.open(f"{self.url}/#{urllib.parse.urlencode(text)}")
        self.browser.wait(ready)

    def open_sentence(self, **state):
        self.open(q=self.sentence, **state)

    def texts(self, selector):
        return self.browser.run("[...document.querySelectorAll(args[0])].map((one) => one.textContent)", selector)

    def count(self, selector):
        return self.browser.run("document.querySelectorAll(args[0]).length", selector)

    def target(self, role="now"):
        return self.texts(f'.panel[data-role="{role}"] .text.target [data-side]:not(.end)')

    def state(self):
        """The state in the address."""
        return dict(urllib.parse.parse_qsl(self.browser.run("location.hash.slice(1)")))

    def focus(self):
        return self.browser.run("document.activeElement.dataset.key ?? document.activeElement.id")

    def picture(self, name):
        if self.pictures:
            self.browser.screenshot(self.pictures / f"{name}.png")

    def another(self, place=1):
        """(selector, piece) of the most likely alternative at a position that is not the chosen one."""
        selector = f".positions li:nth-child({place}) .alternative:not([aria-current])"
        return selector, self.texts(f"{selector} .piece")[0]

    def wait_for_prefix(self, piece, place=1):
        self.browser.wait(f"""{READY} && document.querySelectorAll('.positions h3')[args[1]].textContent === args[0]
                          && document.querySelector('#chips li') !== null""", piece, place - 1)

    # Typing

    def test_typing_translates(self):
        self.open(ready="document.activeElement.id === 'q'")
        self.browser.type("#q", self.sentence)
        self.browser.wait(READY)
        self.browser.wait("document.querySelectorAll('ol.best button').length > 1")
        self.assertTrue(self.target())
        self.assertEqual(self.state()["q"], self.sentence)
        self.assertEqual(self.focus(), "q")
        self.assertEqual(self.browser.run("document.querySelector('#q').value"), self.sentence)
        self.picture("typed")

    def test_translates_the_last_sentence_typed(self):
        self.open_sentence()
        expected = self.target()
        self.open(ready="document.activeElement.id === 'q'")
        self.browser.run("""((requests) => {
            const real = window.fetch;
            window.asked = [];
            window.fetch = (path, options) => { window.asked.push(options?.body); return real(path, options); };
        })()""")
        self.browser.type("#q", self.sentence)
        self.browser.wait(f"{READY} && document.querySelector('#status').textContent.includes(' by ')")
        self.browser.wait("[...document.querySelectorAll('.target [data-side]:not(.end)')]"
                          ".map((one) => one.textContent).join(' ') === args[0]", " ".join(expected))
        asked = self.browser.run("window.asked")
        self.assertLess(len(asked), len(self.sentence), "one request for each letter")
        self.assertEqual(json.loads(asked[-1])["q"], self.sentence)

    def test_translates_a_whole_text(self):
        other = " ".join(reversed(self.sentence.split()))
        text = f"- {self.sentence}\n\n  {other}\n"
        self.open(q=text, form="text", ready="!document.querySelector('#whole').hidden")
        self.browser.wait("document.querySelectorAll('#lines button').length === 2 && " + READY)
        whole = self.texts("#whole pre")[0].split("\n")
        self.assertEqual(len(whole), 4)
        self.assertTrue(whole[0].startswith("- "))
        self.assertTrue(whole[2].startswith("  "))
        self.assertEqual(self.texts("#q-label"), ["Text to translate"])
        self.picture("document")
        self.browser.click("#lines li:nth-child(2) button")
        self.browser.wait(f"{READY} && document.querySelector('.panel .text [data-side=source]').textContent === args[0]",
                          other.split()[0])

    def test_keeps_the_tags_of_a_text(self):
        self.open(q=f"<p>{self.sentence}</p>", form="html", ready="!document.querySelector('#whole').hidden")
        whole = self.texts("#whole pre")[0]
        self.assertTrue(whole.startswith("<p>") and whole.endswith("</p>"), whole)
        self.browser.wait(READY)
        self.assertNotIn("<p>", " ".join(self.texts('.panel .text [data-side="source"]')))

    def wait_for_words(self, words):
        self.browser.wait(READY + """ && [...document.querySelectorAll('.panel .text.target [data-side]:not(.end)')]
                          .map((one) => one.textContent).join(' ').includes(args[0])""", words)

    def test_requires_terms_and_phrases(self):
        self.open_sentence()
        word, term = self.target()[0], self.sentence.split()[0]
        self.browser.run("document.querySelector('#glossary-part').open = true")
        self.browser.type("#glossary", f"{term} = {word} {word}")
        self.wait_for_words(f"{word} {word}")
        self.open_sentence(require=[f"{word} {word} {word}"])
        self.wait_for_words(f"{word} {word} {word}")
        self.assertEqual(self.texts("#chips bdi"), [f"contains {word} {word} {word}"])
        self.picture("required")

    def test_translates_each_line_by_itself(self):
        other = " ".join(reversed(self.sentence.split()))
        expected = []
        for sentence in (self.sentence, other):
            self.open(q=sentence)
            self.browser.wait("document.querySelector('ol.best button span[dir]') !== null")
            expected.append(self.texts("ol.best button span[dir]")[0])
        self.open(q=f"{self.sentence}\n\n{other}", best=1)
        lines = "[...document.querySelectorAll('#lines button span:nth-child(2)')].map((one) => one.textContent)"
        self.browser.wait(f"JSON.stringify({lines}) === args[0]", json.dumps(expected, ensure_ascii=False, separators=(",", ":")))
        self.assertEqual(self.texts("ol.best button span[dir]"), expected[:1])
        self.browser.click('[data-key="line:1"]')
        self.browser.wait(f"{READY} && document.querySelector('ol.best button span[dir]').textContent === args[0]", expected[1])
        self.assertEqual(self.texts(f'{NOW} [data-side="source"]:not(.end)'), other.split())
        self.assertEqual(self.state()["line"], "1")
        self.assertEqual(self.focus(), "line:1")
        self.picture("lines")
        self.browser.click(f'{NOW} [data-side="source"][data-i="0"]')  # edits the second line only
        self.browser.wait("document.activeElement.dataset.key === 'edit'")
        self.browser.keys("a", hold=["Control"])
        self.browser.keys(*other.split()[-1], "Enter")
        self.browser.wait(f"{READY} && document.querySelector('.panel[data-role=before] .target') !== null")
        self.assertEqual(self.state()["q"].split("\n"), [self.sentence, "", " ".join([other.split()[-1], *other.split()[1:]])])

    def test_an_empty_page_shows_an_example_and_help(self):
        self.open(ready="document.activeElement.id === 'q'")
        self.assertFalse(self.browser.run("document.querySelector('#start').hidden"))
        self.picture("empty")
        self.browser.run("document.activeElement.blur()")
        self.browser.keys("?")
        self.browser.wait("document.querySelector('#help').open")
        self.picture("help")
        self.browser.click("#help button")
        self.browser.wait("!document.querySelector('#help').open")
        example = self.texts("#example")[0]
        if self.model["source"] != "en":
            return
        self.assertTrue(example)
        self.browser.click("#example")
        self.browser.wait(f"{READY} && document.querySelector('#start').hidden")
        self.assertEqual(self.browser.run("document.querySelector('#q').value"), example)

    def test_an_empty_sentence_shows_nothing(self):
        self.open_sentence()
        self.browser.run("((q) => { q.value = ''; q.focus(); q.dispatchEvent(new Event('input')); })"
                         "(document.querySelector('#q'))")
        self.browser.wait("document.querySelector('.text.target') === null")
        self.assertEqual(self.texts("#status"), ["Type a sentence above."])

    def test_shows_markup_as_text(self):
        self.open(q="<img src=x onerror=alert(1)> <b>a</b> {{q}}")
        self.assertEqual(self.count("#panels img, #panels .text b, #inside img"), 0)

    # Looking

    def test_hovering_a_word_lights_its_links(self):
        self.open_sentence()
        self.assertEqual(self.count(".text .shade"), 0)
        self.browser.mouse(f'{NOW} .target [data-i="0"]')
        self.browser.wait("document.querySelectorAll('.text [data-side=source].shade').length > 0")
        self.assertEqual(self.texts(f"{NOW} .target .here"), self.target()[:1])
        self.assertNotIn("rgba(0, 0, 0, 0)", self.browser.run(
            "[...document.querySelectorAll('.text .shade')].map((one) => getComputedStyle(one).backgroundColor)"))
        self.assertEqual(self.texts(f"{NOW} .matrix tbody th.here"), self.target()[:1])
        self.browser.mouse(f'{NOW} [data-side="source"][data-i="0"]')
        self.browser.wait("document.querySelectorAll('.text [data-side=target].here').length === 0")
        self.assertEqual(self.count(f"{NOW} .matrix thead th.here"), 1)
        self.browser.mouse("h1")
        self.browser.wait("document.querySelectorAll('.text .shade, .here').length === 0")

    def test_shows_the_weights_of_words_and_of_pieces(self):
        self.open_sentence()
        ends = []  # the weight between the end symbols does not depend on the level
        for level, shown in (("words", ".text.target [data-side]"), ("pieces", ".positions li")):
            self.browser.click(f'[data-key="now:level:{level}"]')
            self.browser.wait(f"document.querySelector('[data-key=\"now:level:{level}\"]').ariaPressed === 'true'")
            rows = self.count(f"{NOW} .matrix tbody tr")
            self.assertEqual(rows, self.count(shown))
            columns = self.count(f"{NOW} .matrix thead th") - 2  # without the corner and the space for the last label
            self.assertEqual(self.count(f"{NOW} .matrix td"), rows * columns)
            for row in self.browser.run("""[...document.querySelectorAll(".matrix tbody tr")].map((row) => (
                    [...row.querySelectorAll("td")].reduce((sum, cell) => sum + Number(cell.title.split(" ").at(-1)), 0)))"""):
                self.assertAlmostEqual(row, 1, delta=.01)
            ends.append(self.browser.run("[...document.querySelectorAll('.matrix td')].at(-1).title"))
        self.assertEqual(*ends)

    def test_shows_every_layer_and_head(self):
        name = next((one["name"] for one in self.models if "encoder" in one.get("attention_layers", {})), None)
        if name is None:
            self.skipTest("no model of the server has several kinds of attention")
        layers = next(one for one in self.models if one["name"] == name)["attention_layers"]
        self.open(q=self.sentence, model=name)
        sides = {"encoder": ("source", "source"), "decoder": ("target", "target"), "cross": ("target", "source")}
        shown = f"document.querySelector('{NOW} table').ariaLabel.toLowerCase()"
        for kind, (rows, columns) in sides.items():
            self.select("now:kind", kind)
            self.browser.wait(f"{READY} && {shown}.startsWith(args[0])", kind)
            self.assertEqual(self.count(f"{NOW} .matrix tbody tr"), self.count(f'{NOW} [data-side="{rows}"]'))
            cells = self.count(f"{NOW} .matrix tbody tr:first-child td")
            self.assertEqual(cells, self.count(f'{NOW} [data-side="{columns}"]'))
            if layers[kind][0] > 1:
                self.assertEqual(self.count(f"{NOW} .heads button"), 1 + layers[kind][0])
            last = len(layers[kind])
            first = self.texts(f"{NOW} .matrix td")
            self.select("now:layer", str(last))
            self.browser.wait("[...document.querySelectorAll('.matrix td')].map((td) => td.textContent).join() !== args[0]"
                              if last > 1 else "true", ",".join(first))
            self.assertEqual(self.state().get("layer", "1"), str(last))
            self.browser.click(f'[data-key="now:head:{layers[kind][-1]}"]')
            self.assertEqual(self.state()["head"], str(layers[kind][-1]))
            self.picture(f"kind-{kind}")
        self.select("now:layer", "0")
        self.assertEqual(self.count(f"{NOW} .heads"), 0, "a rollout has no heads")
        self.browser.open(self.browser.run("location.href"))
        self.browser.wait(f"{READY} && {shown}.startsWith('cross')")
        self.assertEqual(self.browser.run("document.querySelector('[data-key=\"now:layer\"]').value"), "0")

    def test_shows_no_mean_of_writing_and_reading(self):
        model = next((one for one in self.models if "decoder_memory" in one.get("attention_layers", {})), None)
        if model is None:
            self.skipTest("no model of the server has a memory")
        self.open(q=self.sentence, model=model["name"])
        self.select("now:kind", "decoder_memory")
        self.browser.wait(f"document.querySelector('{NOW} .heads') !== null")
        readers = model["attention_layers"]["decoder_memory"][0] - 1
        names = ["read"] if readers == 1 else [f"read {i + 1}" for i in range(readers)]
        self.assertEqual(self.texts(f"{NOW} .heads button"), [*names, "write"])
        self.assertEqual(self.texts(f'{NOW} .heads [aria-pressed="true"]'), names[:1])
        self.picture("kind-decoder_memory")

    def select(self, key, value):
        self.browser.run("""((field) => { field.value = args[1]; field.dispatchEvent(new Event("change")); })
                         (document.querySelector(`[data-key="${args[0]}"]`))""", key, value)

    def test_a_word_of_the_encoder_lights_the_words_that_it_attends_to(self):
        name = next((one["name"] for one in self.models if "encoder" in one.get("attention_layers", {})), None)
        if name is None:
            self.skipTest("no model of the server has several kinds of attention")
        self.open(q=self.sentence, model=name, kind="encoder")
        self.browser.mouse(f'{NOW} [data-side="source"][data-i="0"]')
        self.browser.wait("document.querySelectorAll('.text [data-side=source].shade').length > 0")
        self.assertEqual(self.count(".text [data-side=target].shade"), 0)
        self.assertEqual(self.count(f"{NOW} .matrix tbody th.here"), 1)

    def test_finds_the_nearest_training_sentences(self):
        if not self.model.get("nearest"):
            self.skipTest("the server has no training text")
        self.open_sentence()
        self.browser.click("#nearest summary")
        found = self.browser.wait("document.querySelectorAll('.nearest li').length > 1 && "
                                  "[...document.querySelectorAll('.nearest li')].map((one) => one.textContent)", seconds=180)
        numbers = [float(one[:5]) for one in found]
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        self.assertEqual(self.state()["near"], "1")
        self.picture("nearest")
        source = self.texts(".nearest button")[0]
        self.browser.click(".nearest button")
        self.browser.wait(f"{READY} && document.querySelector('#q').value === args[0]", source)
        self.browser.wait("document.querySelector('.nearest .number')?.textContent === '1.000'")
        self.browser.click("#nearest summary")
        self.browser.wait("!document.querySelector('#nearest').open && !location.hash.includes('near')")

    def test_looks_inside(self):
        self.open_sentence()
        positions = self.count(".positions li")
        self.assertEqual(self.count(".positions h3"), positions)
        self.assertGreater(self.count(".alternative"), positions)
        self.assertGreaterEqual(self.count("g.node"), positions)
        self.assertEqual(self.count(".coverage li"), self.count('.text [data-side="source"]'))
        self.assertTrue(all(" H " in f" {text} " for text in self.texts(".positions li p + p")))

    def test_shows_the_translation_that_was_chosen(self):
        self.open_sentence()
        texts = self.texts("ol.best button span[dir]")
        self.browser.click('[data-key="now:best:1"]')
        self.browser.wait("document.querySelectorAll('ol.best button')[1].ariaPressed === 'true'")
        self.assertEqual("".join(self.target()), texts[1].replace(" ", ""))
        self.assertEqual(self.state()["shown"], "1")

    # Intervening

    def test_clicking_an_alternative_searches_again_from_there(self):
        self.open_sentence()
        before = self.texts(".positions h3")
        selector, piece = self.another(2)
        self.browser.click(selector)
        self.wait_for_prefix(piece, 2)
        self.assertEqual(json.loads(self.state()["prefix"]), [before[0], piece])
        self.assertEqual(self.texts(".positions h3")[:2], [before[0], piece])
        self.picture("alternative")
        self.browser.click("#clear")
        self.browser.wait(f"{READY} && document.querySelector('#chips').hidden")
        self.browser.wait("[...document.querySelectorAll('.positions h3')].map((h) => h.textContent).join() === args[0]",
                          ",".join(before))

    def test_a_piece_of_the_beam_searches_again_from_there(self):
        self.open_sentence()
        first = self.texts(".positions h3")[0]
        node = self.browser.run("""[...document.querySelectorAll('g.node')].find((one) => (
            one.textContent.includes('at step 1:') && !one.textContent.startsWith(`${args[0]} `)
            && !one.textContent.startsWith('</s>')))?.dataset.key""", first)
        self.assertTrue(node)
        label = self.browser.run("document.querySelector(args[0]).textContent", f'[data-key="{node}"]')
        self.browser.mouse(f'[data-key="{node}"]', "down", "up")
        self.wait_for_prefix(label.split(" ")[0])

    def test_forbids_a_word(self):
        self.open_sentence()
        word = self.target()[1]
        self.browser.click(f'{NOW} .target [data-i="1"]')
        self.browser.click('[data-key="word:forbid"]')
        self.browser.wait(f"{READY} && document.querySelectorAll('.target [data-side]')[1].textContent !== args[0]", word)
        self.assertNotIn(word, self.target())
        self.assertEqual(json.loads(self.state()["forbid"]), [word])
        self.browser.click("#chips button")
        self.browser.wait(f"{READY} && document.querySelectorAll('.target [data-side]')[1].textContent === args[0]", word)

    def test_explains_a_word(self):
        self.open_sentence()
        before = self.texts(".positions h3")
        self.browser.click(f'{NOW} .target [data-i="1"]')
        self.browser.wait("document.querySelector('#why tbody') !== null")
        self.assertEqual(self.texts("#why tbody th"), self.texts(f'{NOW} [data-side="source"]'))
        column = "[...document.querySelectorAll('#why tbody tr')].map((row) => Number(row.cells[args[0]].innerText))"
        self.assertAlmostEqual(sum(self.browser.run(column, 1)), 1, delta=.01)  # attention
        self.assertAlmostEqual(sum(self.browser.run(column, 3)), 1, delta=.01)  # saliency
        titles = "[...document.querySelectorAll('.matrix tbody tr:nth-child(2) td')].map((cell) => Number(cell.title.split(' ').at(-1)))"
        if len(self.texts('[data-key^="word:piece"]')) == 0:  # otherwise the table has the mean over the pieces
            for shown, weight in zip(self.browser.run(column, 1), self.browser.run(titles)):
                self.assertAlmostEqual(shown, weight, delta=.001)
        self.picture("why")
        button = "#why tbody button:not([aria-current])"
        said = self.texts(button)[0]
        self.browser.click(button)
        self.browser.wait(f"{READY} && document.querySelectorAll('#chips li').length > 0")
        self.assertEqual(said, self.target()[1])

    def test_pins_a_word_to_its_place(self):
        self.open_sentence()
        before = self.texts(".positions h3")
        place = next(i for i in range(1, len(self.target())) if self.target()[i] != self.target()[i - 1])
        word, first = self.target()[place], self.target()[0]
        self.browser.click(f'{NOW} .target [data-i="{place}"]')
        self.browser.click('[data-key="word:place"]')
        self.browser.wait(f"{READY} && document.querySelectorAll('#chips li').length > 0")
        pins = json.loads(self.state()["pins"])
        self.assertEqual([before[position] for position, _ in pins], [piece for _, piece in pins])
        self.browser.click(f'{NOW} .target [data-i="0"]')
        self.browser.click('[data-key="word:forbid"]')
        self.browser.wait(f"{READY} && document.querySelector('.target [data-side]').textContent !== args[0]", first)
        self.assertEqual([self.texts(".positions h3")[position] for position, _ in pins], [piece for _, piece in pins])
        self.assertIn(word, "".join(self.target()))
        self.picture("pinned")
        self.assertIn(f"{word} pinned", " ".join(self.texts("#chips li")))
        self.browser.click('#chips button[aria-label^="Unpin"]')
        self.browser.wait("!location.hash.includes('pins')")

    def test_keeps_all_up_to_a_word(self):
        self.open_sentence()
        expected = self.target()[:2]
        self.browser.click(f'{NOW} .target [data-i="1"]')
        self.browser.click('[data-key="word:pin"]')
        self.browser.wait("document.querySelector('#prefix').value === args[0]", " ".join(expected))
        self.browser.wait(READY)
        self.assertEqual(self.target()[:2], expected)

    def test_begins_with_a_typed_prefix(self):
        self.open_sentence()
        word = self.target()[-1]
        self.browser.type("#prefix", word)
        self.browser.wait(f"{READY} && document.querySelector('.target [data-side]').textContent === args[0]", word)
        self.assertEqual(self.state()["prefix"], json.dumps(word, ensure_ascii=False))

    def test_dragging_a_cell_forces_the_attention(self):
        self.open_sentence(level="pieces")
        last = self.count(f"{NOW} .matrix thead th") - 3
        self.browser.mouse('[data-key="now:cell:0:0"]', "down", f'[data-key="now:cell:0:{last}"]', "up")
        self.browser.wait(f"{READY} && document.querySelectorAll('.matrix td.sure').length === 1")
        self.assertEqual(json.loads(self.state()["force"]), [[0, last]])
        cell = f'[data-key="now:cell:0:{last}"]'
        self.browser.wait("document.querySelector(args[0]).textContent === '1'", cell)
        self.picture("forced")
        self.browser.mouse(cell, "down", "up")
        self.browser.wait("document.querySelectorAll('.matrix td.sure').length === 0")

    def test_editing_a_source_word_shows_old_and_new(self):
        self.open_sentence()
        words = self.texts(f'{NOW} [data-side="source"]:not(.end)')
        self.browser.click(f'{NOW} [data-side="source"][data-i="0"]')
        self.browser.wait("document.activeElement.dataset.key === 'edit'")
        self.browser.keys("a", hold=["Control"])
        self.browser.keys(*words[-1], *words[0], "Enter")
        self.browser.wait(f"{READY} && document.querySelector('.panel[data-role=before] .target') !== null")
        self.assertEqual(self.texts('.panel[data-role="before"] [data-side="source"]:not(.end)'), words)
        self.assertEqual("".join(self.texts(f'{NOW} [data-side="source"].differs')), words[-1] + words[0])
        self.assertEqual(self.texts('.panel[data-role="before"] [data-side="source"].differs'), words[:1])
        self.picture("edited")

    def test_requests_beam_length_penalty_and_temperature(self):
        self.open_sentence()
        self.browser.run("window.asked = []")
        self.browser.run("""(() => { const real = window.fetch;
            window.fetch = (path, options) => { window.asked.push(JSON.parse(options.body)); return real(path, options); }; })()""")
        for field, value in (("beam", "7"), ("penalty", "0.5"), ("temperature", "0.7")):
            self.browser.click(f"#{field}")
            self.browser.keys("a", hold=["Control"])
            self.browser.keys(*value, "Enter")
            self.browser.wait(f"{READY} && window.asked.length > 0 && document.querySelector('.panel .error') === null")
        asked = self.browser.wait("window.asked.length === 3 && window.asked")
        self.assertEqual([asked[0]["beam"], asked[1]["length_penalty"]], [7, .5])
        self.assertEqual(asked[2]["sample"]["temperature"], .7)
        self.assertNotIn("beam", asked[2])  # has no effect when sampling

    def test_shows_errors_of_the_server(self):
        answers = {"Response.json({error: {code: 'x', message: '<b>no</b>'}}, {status: 400})": "<b>no</b>",
                   "new Response('<html>', {status: 502})": "the server answered 502",
                   "Promise.reject(new TypeError('gone'))": "the server cannot be reached"}
        for answer, said in answers.items():
            self.open_sentence()
            self.browser.run(f"window.fetch = async () => {answer}")
            self.browser.type("#prefix", "x")
            self.browser.wait("document.querySelector('.panel .error')")
            self.assertEqual(self.texts(".panel .error"), [said])
            self.assertEqual(self.count(".text.target"), 0, "the old translation is still shown with new settings")

    def test_asks_for_a_required_token(self):
        self.open_sentence()
        self.browser.run("""(() => { const real = window.fetch;
            window.fetch = async (path, options) => options?.headers?.Authorization === "Bearer open sesame"
                ? real(path, {...options, headers: {"Content-Type": "application/json"}})
                : Response.json({error: {code: "no_token", message: "a token is wanted"}}, {status: 401}); })()""")
        self.browser.type("#prefix", "x")
        self.browser.wait("document.activeElement.id === 'token'")
        self.assertEqual(self.texts(".panel .error"), ["a token is wanted"])
        self.browser.keys(*"open sesame", "Enter")
        self.browser.wait(f"{READY} && document.querySelector('#token-form').hidden")
        self.assertNotIn("sesame", self.browser.run("location.href"))
        self.browser.run("sessionStorage.clear()")

    def test_follows_the_search_of_a_long_text(self):
        self.open(q=" ".join([self.sentence] * 12), ready=READY)
        self.assertTrue(self.target())
        self.browser.run("window.fetch = async () => new Response(['step', 'step', 'error'].map((event, i) => `event: ${event}"
                         "\\ndata: ${JSON.stringify(i < 2 ? {position: i, text: 'a'} : {error: {message: 'cut'}})}"
                         "\\n\\n`).join(''))")
        self.browser.type("#prefix", "x")
        self.browser.wait("document.querySelector('.panel .error')?.textContent === 'cut'")

    # Comparing, links, runs

    def test_compares_two_models(self):
        other = next((one["name"] for one in self.models if one["name"] != self.model["name"]), None)
        if other is None:
            self.skipTest("the server has one model")
        self.open_sentence()
        self.browser.run("""((field) => { field.value = args[0]; field.dispatchEvent(new Event("change")); })
                         (document.querySelector("#other"))""", other)
        self.browser.wait("document.querySelector('.panel[data-role=other] .text.target') !== null")
        self.assertEqual(self.texts(".panel h2 b"), [self.model["name"], other])
        if self.target() != self.target("other"):
            self.assertGreater(self.count(".target .differs"), 0)
        self.assertEqual(self.state()["other"], other)
        self.picture("compared")

    def test_a_saved_link_restores_everything(self):
        self.open_sentence(level="pieces", beam=7, penalty=".5", best=2, theme="dark", forbid=["x"],
                           before={"q": self.sentence, "model": self.model["name"], "forbid": ["y"]})
        selector, piece = self.another()
        self.browser.click(selector)
        self.wait_for_prefix(piece)
        self.browser.click('[data-key="now:best:1"]')
        self.browser.wait(f"document.querySelector('{NOW} li:nth-child(2) > button').ariaPressed === 'true'")
        self.browser.wait("document.querySelectorAll('.text.target').length === 2")
        kept = "[document.querySelector('main').innerText, document.querySelector('#beam').value, location.hash]"
        seen = self.browser.run(kept)
        self.browser.open(self.browser.run("location.href"))
        self.browser.wait(f"{READY} && document.querySelectorAll('.text.target').length === 2")
        self.assertEqual(self.browser.run(kept), seen)
        self.assertEqual(self.browser.run("document.documentElement.dataset.theme"), "dark")

    def test_a_broken_link_opens_the_page(self):
        self.open(q=self.sentence, model="none such", force='[["x"]]', before="7", prefix="{", best="many", forbid="[1]",
                  pins='[["x", 1]]', layer="1.5", head="-1", shown="0.5")
        self.assertEqual(self.count(".panel"), 1)
        self.assertEqual(self.count(f"{NOW} .matrix"), 1)
        self.assertEqual(self.count("#chips li"), 0)

    def test_saves_svg_png_and_json(self):
        self.open_sentence()
        self.browser.run("""(() => { window.saved = [];
            const real = URL.createObjectURL;
            URL.createObjectURL = (blob) => { window.saved.push(blob); return real(blob); };
            HTMLAnchorElement.prototype.click = () => {}; })()""")
        for label in ("the attention as SVG", "the attention as PNG", "the beam as SVG", "the answer as JSON"):
            self.browser.click(f'[aria-label="Save {label}"]')
        self.browser.wait("window.saved.length === 4")
        self.assertCountEqual(self.browser.run("window.saved.map((blob) => blob.type)"),
                              ["image/svg+xml", "image/png", "image/svg+xml", "application/json"])
        self.browser.run("(window.saved.forEach((blob) => blob.type.includes('svg') && blob.text().then((text) => {"
                         " (window.parsed ??= []).push(new DOMParser().parseFromString(text, 'image/svg+xml')); })), 1)")
        self.browser.wait("window.parsed?.length === 2")
        self.assertTrue(self.browser.run("window.parsed.every((one) => one.documentElement.nodeName === 'svg'"
                                         " && one.querySelectorAll('text').length > 5)"))

    def test_shows_the_curves_of_several_runs(self):
        with urllib.request.urlopen(f"{self.url}/v1/runs", timeout=30) as answer:
            runs = [run["name"] for run in json.load(answer)["runs"]]
        if not runs:
            self.skipTest("the server has no runs")
        self.open(tab="runs", ready="document.querySelectorAll('#chart path').length > 3")
        self.assertEqual(self.count("#chosen-runs input"), len(runs))
        shown = min(len(runs), 4)
        self.assertEqual(self.count("#run-tables div:first-of-type tbody tr"), shown)
        label = self.browser.run("document.querySelector('#chart svg').getAttribute('aria-label')")
        self.assertTrue(all(run in label for run in runs[:shown]), label)
        self.browser.run("document.querySelector('#chart svg').focus()")
        self.browser.keys("Left", "Right", "Home")
        self.assertRegex(self.texts("#run-status")[0], r"^update \d+: ")
        self.picture("runs")
        if shown < 2:
            return
        self.assertTrue(any("onfiguration" in text for text in self.texts("#run-tables h2")))
        self.browser.click("#chosen-runs input:checked")
        self.browser.wait("document.querySelectorAll('#run-tables div:first-of-type tbody tr').length === args[0]", shown - 1)
        self.assertEqual(json.loads(self.state()["runs"]), runs[1:shown])

    # Accessibility

    def test_works_by_keyboard_alone(self):
        self.open(ready="document.activeElement.id === 'q'")
        self.browser.keys(*self.sentence)
        self.browser.wait(READY)
        self.browser.wait("document.querySelector('#status').textContent.includes(' by ')")
        self.tab_to("now:target:0")
        self.assertGreater(self.count('.text [data-side="source"].shade'), 0, "the focus lights links too")
        self.browser.keys("Right")
        self.assertEqual(self.focus(), "now:target:1")
        word = self.target()[1]
        self.browser.keys("Enter", "Tab")
        self.assertEqual(self.focus(), "word:pin")
        self.browser.keys("Tab", "Tab", "Enter")  # to forbid it
        self.browser.wait(f"{READY} && document.querySelectorAll('.target [data-side]')[1].textContent !== args[0]", word)
        self.tab_to("now:cell:0:0")
        self.browser.keys("Down", "Right", "Enter")
        self.browser.wait("document.querySelectorAll('.matrix td.sure').length === 1")
        self.assertEqual(self.focus(), "now:cell:1:1")
        self.tab_to("alternative:0:0")
        piece = self.texts(".positions li:first-child .alternative .piece")[1]
        self.browser.keys("Down", "Enter")
        self.wait_for_prefix(piece)
        self.assertTrue(self.focus().startswith("alternative:0:"), self.focus())

    def tab_to(self, key):
        for _ in range(80):
            self.browser.keys("Tab")
            if self.focus() == key:
                return
        self.fail(f"the Tab key does not reach {key}")

    def test_tabs_are_changed_by_keyboard(self):
        self.open_sentence()
        self.browser.run("document.querySelector('#tab-translate').focus()")
        self.browser.keys("Right", "Enter")
        self.browser.wait("document.querySelector('#translate').hidden && !document.querySelector('#runs').hidden")
        self.assertEqual(self.focus(), "tab-runs")
        self.browser.wait("document.querySelector('#run-status').textContent || document.querySelector('#chart path')")

    def test_axe_finds_nothing(self):
        if not self.axe:
            self.skipTest("axe-core is not installed")
        self.addCleanup(self.browser.prefer, prefers_color_scheme="light")
        states = [{"forbid": ["x"], "force": [[0, 0]], "before": {"q": self.sentence, "model": self.model["name"], "forbid": ["y"]}},
                  {"near": 1} if self.model.get("nearest") else {}]
        states += [{"model": one["name"], "kind": "encoder"} for one in self.models if "encoder" in one.get("attention_layers", {})][:1]
        for scheme in ("light", "dark"):
            self.browser.prefer(prefers_color_scheme=scheme)
            for state in states:
                self.open_sentence(**state)
                self.assertEqual(self.violations(), [], f"{scheme} {state}")
            self.open(tab="runs", ready="document.querySelectorAll('#chart path').length > 3 || document.querySelector('#run-status').textContent")
            self.assertEqual(self.violations(), [], f"{scheme} runs")

    def violations(self):
        self.browser.run(f"(() => {{ {self.axe}\n; window.found = null; axe.run().then((all) => {{ window.found = all.violations; }}); }})()")
        return [f"{one['id']}: {node['html'][:150]}" for one in self.browser.wait("window.found && window.found.length ? window.found : window.found && [{id: '', nodes: []}]", seconds=60)
                for node in one["nodes"]]

    def test_every_field_and_button_has_a_name(self):
        self.open_sentence(forbid=["x"], force=[[0, 0]])
        unnamed = self.browser.run("""[...document.querySelectorAll("button, input, select, textarea")]
            .filter((one) => !/[\\p{L}\\d]/u.test(`${one.ariaLabel ?? ""}${one.textContent}`
                + [...one.labels].map((label) => label.textContent).join()))
            .map((one) => one.outerHTML)""")
        self.assertEqual(unnamed, [])

    def test_a_phone_shows_the_translation_before_the_settings(self):
        self.addCleanup(self.browser.resize, 1280, 900)
        self.browser.resize(400, 700)
        self.open_sentence()
        bottom = "document.querySelector('.text.target').getBoundingClientRect().bottom"
        self.assertLess(self.browser.run(bottom), 700)
        self.assertFalse(self.browser.run("document.querySelector('#beam').checkVisibility()"))
        self.browser.click("#settings summary")
        self.browser.wait("document.querySelector('#beam').checkVisibility()")
        self.browser.resize(1280, 900)
        self.browser.wait("document.querySelector('#settings').open && !document.querySelector('#settings summary').checkVisibility()")

    def test_fits_narrow_screens_light_and_dark(self):
        self.addCleanup(self.browser.resize, 1280, 900)
        self.addCleanup(self.browser.prefer, prefers_color_scheme="light")
        for width in (1280, 400):
            for scheme in ("light", "dark"):
                self.browser.resize(width, 900)
                self.browser.prefer(prefers_color_scheme=scheme)
                self.open_sentence(before={"q": self.sentence, "model": self.model["name"], "forbid": ["x"]})
                self.browser.wait("document.querySelector('.panel[data-role=before] .text.target') !== null")
                self.assertEqual(self.browser.run("document.documentElement.dataset.theme"), scheme)
                self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), width)
                self.picture(f"page-{width}-{scheme}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--url", help="address of the server")
    where.add_argument("--program", help="the attend program")
    parser.add_argument("--quick", action="store_true", help="run only the most important tests")
    parser.add_argument("--axe", type=pathlib.Path, help="axe.min.js of axe-core")
    parser.add_argument("--sentence", default="a brown dog runs over the green grass .", help="at least five words that the model knows")
    parser.add_argument("--model", help="model with attention (default: the first one)")
    parser.add_argument("--pictures", type=pathlib.Path, help="folder for screenshots")
    options, rest = parser.parse_known_args()
    if webdriver.missing():
        print(f"skipped: {webdriver.missing()}")
        sys.exit(SKIPPED)
    Page.sentence, Page.pictures = options.sentence, options.pictures
    axe = options.axe or axe_of_npm()
    Page.axe = axe.read_text(encoding="utf-8") if axe else ""
    if options.quick:
        rest += [f"Page.{name}" for name in QUICK]
    with contextlib.ExitStack() as stack:
        Page.url = options.url.rstrip("/") if options.url else stack.enter_context(small_server.small_server(options.program))
        with urllib.request.urlopen(f"{Page.url}/v1/models", timeout=30) as answer:
            Page.models = json.load(answer)["models"]
        Page.model = next(one for one in Page.models if one["attends"] and options.model in (None, one["name"]))
        Page.browser = webdriver.Browser()
        stack.callback(Page.browser.quit)
        sys.exit(not unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful())


def axe_of_npm():
    """The path of axe.min.js in a node_modules folder, or None."""
    folders = pathlib.Path(__file__).resolve().parents
    return next(filter(pathlib.Path.is_file, (folder / "node_modules/axe-core/axe.min.js" for folder in folders)), None)


if __name__ == "__main__":
    main()
