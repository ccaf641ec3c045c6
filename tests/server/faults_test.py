#!/usr/bin/env python3
"""Sends bad requests to `attend serve` while a good client translates.

    faults_test.py PROGRAM [--requests 600] [--clients 4] [--seed 1] [--model DIR] [--memory-mb 48]

Trains a small model (or uses --model) and starts PROGRAM. Several clients send truncated bodies, endless headers, wrong
lengths, bad chunks, ill-formed UTF-8 and JSON, deep nesting, 100 MB bodies, requests sent byte by byte, path tricks,
foreign host names and origins, pipelines, and connections that close early. Each kind must get its documented answer or
a closed connection, the good client must always get the same translations, the process may not gain open files or
memory, and SIGTERM must end it with exit code 0.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

CONFIG = """seed: 3
data: {train: {source: train.src, target: train.tgt}, max_length: 12}
tokenizer: {type: word, vocabulary: 16, joint: false}
model: {embedding: 6, encoder: {cell: gru, hidden: 5}, decoder: {cell: gru, hidden: 7, wiring: luong}}
training: {max_updates: 1, batch: {size: 4, unit: sentences}}
decoding: {beam: 2}
"""
GOOD_LINES = ["a b c", "b", "d c b a", "", "c c c c c", "a zzz b"]
CLOSED = 0  # pseudo-status: the server closed the connection without an answer
SLOWEST = 60  # seconds to wait for an answer; the server's own limits are shorter
MOST_SLOW = 100  # simultaneous slow connections
HOST = "Host: localhost\r\n"


class Broken(Exception):
    """The server did not behave as required."""


class Connection:
    """A socket with just enough HTTP to read an answer."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=SLOWEST)
        self.received = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """Sends the data; False if the server closed the connection before the end."""
        try:
            self.socket.sendall(data.encode() if isinstance(data, str) else data)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def fill(self):
        try:
            block = self.socket.recv(1 << 16)
        except ConnectionResetError:
            return False
        self.received += block
        return bool(block)

    def answer(self, head=False):
        """Status and body of the next answer; CLOSED if there is none."""
        while b"\r\n\r\n" not in self.received:
            if not self.fill():
                if self.received:
                    raise Broken(f"truncated answer: {self.received[:200]!r}")
                return CLOSED, b""
        header, self.received = self.received.split(b"\r\n\r\n", 1)
        status = int(header[9:12])
        fields = dict(line.lower().split(b": ", 1) for line in header.split(b"\r\n")[1:])
        if status == 100:
            return self.answer(head)
        length = 0 if head else int(fields[b"content-length"])
        while len(self.received) < length:
            if not self.fill():
                raise Broken(f"an answer of {length} bytes ends after {len(self.received)}")
        body, self.received = self.received[:length], self.received[length:]
        if status >= 400 and not head and not json.loads(body)["error"]:
            raise Broken(f"{status} without a reason")
        return status, body


def post(body, path="/v1/translate", headers=""):
    body = body.encode() if isinstance(body, str) else body
    return f"POST {path} HTTP/1.1\r\n{HOST}{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body


def get(path, headers=HOST, method="GET"):
    return f"{method} {path} HTTP/1.1\r\n{headers}\r\n".encode()


class Faults:
    """The kinds of bad requests. Each method sends one and returns the status of the answer."""

    def __init__(self, port, seed):
        self.port = port
        self.random = random.Random(seed)
        self.dripping = collections.deque()
        self.drips_met = collections.Counter()

    def exchange(self, data, allowed, head=False):
        with Connection(self.port) as connection:
            connection.send(data)
            status, body = connection.answer(head)
        if status not in allowed:
            raise Broken(f"{status} {body[:200]!r} to {data[:200]!r}")
        return status

    def bytes(self, count):
        return bytes(self.random.randrange(256) for _ in range(count))

    def cut_body(self):
        with Connection(self.port) as connection:
            connection.send(f"POST /v1/translate HTTP/1.1\r\n{HOST}Content-Length: 100\r\n\r\n"
                            + '{"q": "a b c"'[:self.random.randrange(14)])
            connection.socket.shutdown(socket.SHUT_WR)
            status, _ = connection.answer()
        if status not in (CLOSED, 400):
            raise Broken(f"{status} to a truncated body")
        return status

    def endless_header(self):
        return self.exchange(f"GET / HTTP/1.1\r\n{HOST}" + "X-More: more and more\r\n" * 5000, {431})

    def long_address(self):
        return self.exchange(f"GET /{'a' * 50_000} HTTP/1.1\r\n{HOST}\r\n", {431, 400})

    def wrong_length(self):
        lengths = ["-1", "abc", "9" * 30, "1e3", "0x10", "", "5\r\nContent-Length: 6",
                   "5\r\nTransfer-Encoding: chunked", "5\r\nTransfer-Encoding: xchunked", "5\r\nHost: localhost",
                   "18446744073709551615"]
        length = self.random.choice(lengths)
        return self.exchange(f"POST /v1/translate HTTP/1.1\r\n{HOST}Content-Length: {length}\r\n\r\n" + "{}   ",
                             {400, 413})

    def bad_chunks(self):
        chunks = self.random.choice([
            "zz\r\n{}\r\n0\r\n\r\n", "-2\r\n{}\r\n0\r\n\r\n", "ffffffffffffffffffff\r\n{}", "2\r\n{}x0\r\n\r\n",
            "2;" + "x" * 40_000 + "\r\n{}\r\n0\r\n\r\n", "fffffff\r\n" + "x" * 100_000, "\r\n\r\n",
            "40000\r\n" + "x" * 0x40000 + "\r\n" + ("40000\r\n" + "x" * 0x40000 + "\r\n") * 6 + "0\r\n\r\n"])
        return self.exchange(f"POST /v1/translate HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n{chunks}",
                             {400, 413, 431})

    def invalid_utf8(self):
        text = self.random.choice([b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82", b"a\x80"])
        path = self.random.choice(["/v1/translate", "/translate", "/v1/score"])
        return self.exchange(post(b'{"q": "' + text + b'", "source": "a", "target": "b"}', path), {400})

    def invalid_json(self):
        body = self.random.choice(["", "{", "[]", "1", "nul", '{"q": "a"', '{"q": "a"}}', '{"q": "a",}', "{'q': 'a'}",
                                   '{"q": "\\ud800"}', '{"q": 1e999}', '{"q": "a\nb"}', "\0", '{"q"', '"q"'])
        path = self.random.choice(["/v1/translate", "/translate", "/v1/score", "/v1/align", "/v1/explain"])
        return self.exchange(post(body, path), {400})

    def deep_nesting(self):
        opening = self.random.choice(["[", '{"q":', '{"sample":{"top_k":[', '{"force_attention":['])
        return self.exchange(post(opening * (self.random.choice([40, 1000, 20_000]))), {400})

    def wrong_fields(self):
        values = [None, True, -1, 0, 1.5, 1e300, 2 ** 63, 2 ** 80, "", "x" * 5000, [], [[]], {}, {"q": "a"}, ["a", 1]]
        names = ["model", "q", "beam", "n_best", "length_penalty", "coverage_penalty", "max_length_ratio",
                 "no_repeat_ngram_size", "sample", "prefix", "prefix_pieces", "forbid", "constraints", "glossary", "force_attention", "attention",
                 "alternatives", "tree", "format", "source", "target", "method", "pieces", "position", "nothing"]
        body = {"q": "a b"}
        for _ in range(self.random.randrange(1, 4)):
            body[self.random.choice(names)] = self.random.choice(values)
        path = self.random.choice(["/v1/translate", "/translate", "/v1/score", "/v1/align", "/v1/explain"])
        return self.exchange(post(json.dumps(body), path), {200, 400, 404})

    def huge_body(self):
        megabytes = 100 if self.random.random() < 0.05 else 3
        with Connection(self.port) as connection:
            connection.send(f"POST /v1/translate HTTP/1.1\r\n{HOST}Content-Length: {megabytes << 20}\r\n\r\n")
            for _ in range(megabytes):
                if not connection.send(b"x" * (1 << 20)):
                    break
            status, _ = connection.answer()
        if status not in (CLOSED, 413):
            raise Broken(f"{status} to {megabytes} MB")
        return status

    def slow(self):
        """Opens another slow connection; finish_slow() checks it."""
        while len(self.dripping) >= MOST_SLOW:
            self.finish_slow(self.dripping.popleft())
        connection = Connection(self.port)
        connection.send(self.random.choice([
            f"POST /v1/translate HTTP/1.1\r\n{HOST}Content-Length: 1000\r\n\r\n{{", "GET / HT",
            f"GET / HTTP/1.1\r\n{HOST}X-Slow: "]))
        self.dripping.append(connection)
        return None

    def drip(self):
        for connection in self.dripping:
            connection.send("x")

    def finish_slow(self, connection):
        with connection:
            status, _ = connection.answer()
        self.drips_met[status] += 1
        if status not in (CLOSED, 408):
            raise Broken(f"{status} to a slow request")

    def path_tricks(self):
        secret = self.random.choice(["etc/passwd", "proc/self/environ", "train.src"])
        path = self.random.choice([
            f"/../../../../{secret}", f"/%2e%2e/%2e%2e/%2e%2e/{secret}", f"/v1/runs/../../{secret}",
            f"/v1/runs/%2e%2e%2f%2e%2e%2f{secret}", f"/v1/runs//{secret}", f"/v1/runs/{secret}%00.jsonl",
            f"/v1/runs/..\\..\\{secret}", "/v1/runs/%00", "/v1/runs/%ff%fe", "/v1/runs/" + "../" * 500, "//", "/%",
            "/%g1", "/v1/runs/x?after=" + "9" * 40, f"/page/..%2f{secret}", "/v1/translate/", "/V1/models",
            "/;/metrics"])
        return self.exchange(get(path), {400, 404})

    def odd_targets(self):
        target = self.random.choice(["*", "http://evil.example/", "x", "?", "#", "localhost:80", "/ /"])
        return self.exchange(get(target), {400, 404})

    def foreign_host(self):
        header = self.random.choice([
            "Host: evil.example\r\n", "Host: localhost.evil.example\r\n", "Host: \r\n", "", "Host: [::1\r\n",
            "Host: localhost\r\nOrigin: http://evil.example\r\n", "Host: localhost\r\nOrigin: null\r\n",
            "Host: 127.0.0.1\r\nOrigin: https://127.0.0.1.evil.example\r\n", "Host: a@localhost\r\n"])
        return self.exchange(get(self.random.choice(["/", "/v1/models", "/metrics"]), header), {403})

    def pipeline(self):
        requests = [(get("/healthz"), 200), (get("/nothing"), 404), (post("{"), 400),
                    (post(json.dumps({"q": "a b"})), 200), (get("/readyz"), 200)]
        chosen = [self.random.choice(requests) for _ in range(20)]
        with Connection(self.port) as connection:
            connection.send(b"".join(request for request, _ in chosen))
            for request, expected in chosen:
                status, _ = connection.answer()
                if status != expected:
                    raise Broken(f"{status} instead of {expected} in a pipeline, to {request[:100]!r}")
        return 200

    def early_close(self):
        connection = Connection(self.port)
        body = json.dumps({"q": ["a b c d"] * 50, "stream": False, "beam": 10, "alternatives": 5})
        connection.send(post(body)[:self.random.choice([10, 60, 100_000])])
        if self.random.random() < 0.5:  # a reset
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.socket.close()
        return None

    def leave_a_stream(self):
        with Connection(self.port) as connection:
            connection.send(post(json.dumps({"q": "a b c d", "stream": True, "max_length_ratio": 10})))
            connection.socket.recv(1)
        return None

    def no_http(self):
        data = self.random.choice([
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + self.bytes(50), self.bytes(200) + b"\r\n\r\n",
            b"hello\r\n\r\n", b"\r\n" * 100 + b"GET", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/2.0\r\n\r\n",
            b"GET /\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"\0\0\0\0\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\n folded\r\nX\0Y: b\r\n\r\n", b"GET / HTTP/1.1\nHost: localhost\n\n"])
        with Connection(self.port) as connection:
            connection.send(data)
            connection.socket.shutdown(socket.SHUT_WR)
            status, _ = connection.answer()
        if status not in (CLOSED, 400, 403):
            raise Broken(f"{status} to {data[:100]!r}")
        return status

    def wrong_method(self):
        method = self.random.choice(["TRACE", "PUT", "DELETE", "OPTIONS", "PATCH", "get", "HEAD", "CONNECT", "FOO"])
        path = self.random.choice(["/v1/translate", "/nothing"])
        return self.exchange(get(path, method=method), {400, 404, 405}, head=method == "HEAD")

    def silence(self):
        with Connection(self.port):
            return None

    def unkept_promise(self):
        with Connection(self.port) as connection:
            connection.send(f"POST /v1/translate HTTP/1.1\r\n{HOST}Expect: 100-continue\r\nContent-Length: 50\r\n\r\n")
            if not connection.socket.recv(100).startswith(b"HTTP/1.1 100 "):
                raise Broken("no 100 Continue")
        return None


KINDS = [name for name in vars(Faults)
         if name[0] != "_" and name not in ("exchange", "bytes", "drip", "finish_slow")]


class GoodClient(threading.Thread):
    """Translates the same lines repeatedly on one connection."""

    def __init__(self, port, expected):
        super().__init__()
        self.port, self.expected = port, expected
        self.done = threading.Event()
        self.problems = []
        self.slowest = 0.0
        self.answers = 0

    def run(self):
        try:
            with Connection(self.port) as connection:
                while not self.done.is_set():
                    for line, expected in self.expected.items():
                        self.ask(connection, line, expected)
                    time.sleep(0.02)
        except (Broken, OSError) as error:
            self.problems.append(f"a good request: {type(error).__name__}: {error}")

    def ask(self, connection, line, expected):
        start = time.monotonic()
        found = translation(connection, line)
        self.slowest = max(self.slowest, time.monotonic() - start)
        self.answers += 1
        if found != expected:
            raise Broken(f"{line!r} became {found!r} instead of {expected!r}")


def translation(connection, line):
    connection.send(post(json.dumps({"q": line})))
    status, body = connection.answer()
    return json.loads(body)["translations"][0]["hypotheses"][0]["text"] if status == 200 else f"status {status}"


class Server:
    """A running `attend serve`."""

    def __init__(self, program, model):
        self.process = subprocess.Popen(
            [program, "serve", "--model", f"m={model}", "--listen", "127.0.0.1:0", "--runs", str(model),
             "--threads", "2"], stderr=subprocess.PIPE, text=True)
        self.log = collections.deque(maxlen=30)
        self.port = 0
        for line in self.process.stderr:
            self.log.append(line)
            if "serving at http://127.0.0.1:" in line:
                self.port = int(line.split("http://127.0.0.1:")[1].split("/")[0])
                break
        if not self.port:
            raise Broken("the server did not start:\n" + "".join(self.log))
        threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True).start()

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def memory_mb(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise Broken("the server is gone")

    def wait_for_files(self, most):
        """The number of open files after connections had time to close."""
        until = time.monotonic() + 30
        while self.files() > most and time.monotonic() < until:
            time.sleep(0.1)
        return self.files()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


def small_model(program, folder):
    source, target = "a b c\nb c d\nc d a b\nd a\n", "w x y\nx y z\ny z w x\nz w\n"
    (folder / "train.src").write_text(source * 3, encoding="ascii")
    (folder / "train.tgt").write_text(target * 3, encoding="ascii")
    (folder / "config.yaml").write_text(CONFIG, encoding="ascii")
    subprocess.run([program, "train", str(folder / "config.yaml"), "--output", str(folder / "model"), "--device", "cpu",
                    "--quiet"], check=True)
    return folder / "model"


def translations(program, model):
    """The output of `attend translate` for the good lines."""
    done = subprocess.run([program, "translate", "--model", str(model), "--quiet"], check=True, capture_output=True,
                          input="".join(line + "\n" for line in GOOD_LINES), text=True)
    return dict(zip(GOOD_LINES, done.stdout.split("\n")))


class Attack:
    """Clients that together send `requests` bad requests."""

    def __init__(self, port, requests, clients, seed):
        self.met = collections.defaultdict(collections.Counter)
        self.problems = []
        self.lock = threading.Lock()
        plan = [KINDS[i % len(KINDS)] for i in range(requests)]
        random.Random(seed).shuffle(plan)
        self.threads = [threading.Thread(target=self.send, args=(Faults(port, seed + i), plan[i::clients]))
                        for i in range(clients)]

    def run(self):
        for thread in self.threads:
            thread.start()
        for thread in self.threads:
            thread.join()

    def note(self, kind, status):
        with self.lock:
            self.met[kind][status] += 1

    def send(self, faults, plan):
        for i, kind in enumerate(plan):
            try:
                self.note(kind, getattr(faults, kind)())
                if i % 20 == 0:
                    faults.drip()
            except (Broken, OSError, ValueError, KeyError) as error:
                with self.lock:
                    self.problems.append(f"{kind}: {type(error).__name__}: {error}")
        for connection in faults.dripping:
            try:
                faults.finish_slow(connection)
            except (Broken, OSError) as error:
                self.problems.append(f"slow: {type(error).__name__}: {error}")
        with self.lock:
            self.met["slow, in the end"].update(faults.drips_met)

    def table(self):
        names = {CLOSED: "closed", None: "left"}
        return "\n".join(f"  {kind}: " + ", ".join(f"{names.get(status, status)} {count}" for status, count
                                                   in sorted(met.items(), key=lambda pair: str(pair[0])))
                         for kind, met in sorted(self.met.items()))


def check(options, model):
    expected = translations(options.program, model)
    server = Server(options.program, model)
    first = Attack(server.port, min(options.requests, 10 * len(KINDS)), options.clients, options.seed + 1000)
    files = server.files()
    good = GoodClient(server.port, expected)
    good.start()
    first.run()  # a first run, for memory that is allocated once
    memory = server.memory_mb()
    attack = Attack(server.port, options.requests, options.clients, options.seed)
    attack.run()
    good.done.set()
    good.join()
    problems = first.problems + attack.problems + good.problems
    left, grown = server.wait_for_files(files), server.memory_mb() - memory
    if server.process.poll() is not None:
        problems.append(f"the server ended with {server.process.returncode}")
    if left > files:
        problems.append(f"{left} files are open instead of {files}")
    if grown > options.memory_mb:
        problems.append(f"memory grew by {grown:.0f} MB")
    code = server.end()
    if code != 0:
        problems.append(f"SIGTERM ended it with {code}\n" + "".join(server.log))
    print(f"{options.requests} bad requests (and {sum(map(lambda met: met.total(), first.met.values()))} before):\n"
          f"{attack.table()}\n{good.answers} good ones, the slowest {good.slowest:.2f} s; {left} files open, "
          f"{files} before; memory {memory:.0f} MB, {grown:+.1f} MB; exit code {code}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--requests", type=int, default=600)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", help="model folder to serve instead of a small model")
    parser.add_argument("--memory-mb", type=float, default=48, help="allowed growth of memory after the first requests (%(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        problems = check(options, options.model or small_model(options.program, pathlib.Path(folder)))
    for problem in problems[:20]:
        print("wrong: " + problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
