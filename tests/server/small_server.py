"""A server with three small models, for tests that need only some translation.

The models train in about ten seconds on sentences like "a brown dog runs over the green grass .": a recurrent one that
learns them, a transformer with several layers and heads, and one with a memory.
"""
import contextlib
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import threading

RECURRENT = """
model:
  embedding: 32
  encoder: {cell: gru, hidden: 32}
  decoder: {cell: gru, hidden: 48, wiring: luong}
training: {max_updates: 120, learning_rate: 0.01, batch: {size: 32, unit: sentences}}
"""
TRANSFORMER = """
model:
  embedding: 32
  tie: none
  encoder: {type: transformer, layers: 2, heads: 2, feed_forward: 64}
  decoder: {type: transformer, layers: 2, heads: 2, feed_forward: 64}
training: {max_updates: 120, learning_rate: 0.003, batch: {size: 32, unit: sentences}}
"""
MEMORY = """
model:
  embedding: 16
  encoder: {cell: ntm, hidden: 16, bidirectional: false, memory: {slots: 8, width: 4, heads: 2}}
  decoder: {cell: ntm, hidden: 16, wiring: none, bridge: copy, memory: {slots: 8, width: 4, heads: 2}}
training: {max_updates: 10, batch: {size: 32, unit: sentences}}
"""
COMMON = """
seed: 1
data:
  train: {source: train.en, target: train.de}
  dev: {source: dev.en, target: dev.de}
  max_length: 40
tokenizer: {type: bpe, vocabulary: 100, joint: true}
decoding: {beam: 5}
"""
WORDS = {
    "a": "ein", "the": "das", "two": "zwei",
    "brown": "braune", "green": "grüne", "small": "kleine", "old": "alte",
    "dog": "hund", "man": "mann", "grass": "gras", "house": "haus", "dogs": "hunde",
    "runs": "läuft", "sleeps": "schläft", "waits": "wartet",
    "over": "über", "behind": "hinter", ".": ".",
}


def sentence(choose):
    adjectives, nouns = ["brown", "green", "small", "old"], ["dog", "man", "grass", "house"]

    def phrase():
        return [choose(["a", "the"]), *([choose(adjectives)] if choose([0, 1]) else []), choose(nouns)]
    start = ["two", "dogs"] if choose(range(8)) == 0 else phrase()
    verb = [choose(["runs", "sleeps", "waits"])]
    place = [choose(["over", "behind"]), *phrase()] if choose([0, 1]) else []
    return [*start, *verb, *place, "."]


def write_corpus(folder):
    choose = random.Random(1).choice
    for name, count in (("train", 600), ("dev", 20)):
        lines = [sentence(choose) for _ in range(count)]
        for language, words in (("en", lines), ("de", [[WORDS[word] for word in line] for line in lines])):
            text = "".join(" ".join(line) + "\n" for line in words)
            (folder / f"{name}.{language}").write_text(text, encoding="utf-8")


def train(program, folder, name, config):
    (folder / f"{name}.yaml").write_text(COMMON + config, encoding="utf-8")
    done = subprocess.run([program, "train", folder / f"{name}.yaml", "--output", folder / "runs" / name, "--threads", "1",
                           "--quiet"], capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise RuntimeError(f"attend train ended with {done.returncode}:\n{done.stderr}")


def address_of(process):
    """The address in the server's log. Later log lines are read and dropped."""
    said = []
    for line in process.stderr:
        said.append(line)
        found = re.search(r"serving at (http://\S+?)/? ", line)
        if found:
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return found[1]
    raise RuntimeError("attend serve ended:\n" + "".join(said))


@contextlib.contextmanager
def small_server(program, *options):
    """Yields the address of a server with the models "en-de" (recurrent), "transformer" and "memory" and their runs."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_corpus(folder)
        train(program, folder, "recurrent", RECURRENT)
        train(program, folder, "transformer", TRANSFORMER)
        train(program, folder, "memory", MEMORY)
        command = [program, "serve", "--model", f"en-de={folder}/runs/recurrent", "--model", f"{folder}/runs/transformer",
                   "--model", f"{folder}/runs/memory", "--runs", folder / "runs", "--listen", "127.0.0.1:0", "--threads", "1", *options]
        with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as process:
            try:
                yield address_of(process)
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=60)
