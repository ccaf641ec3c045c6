#!/usr/bin/env python3
"""Benchmarks a running `attend serve`. Sends the lines of a file one by one from 1, 16 and 64 concurrent clients. Prints
lines per second, latencies and the clients' own CPU use for each load. Fails if a response is not 200 or not the
expected line.

    serve_bench.py --url http://127.0.0.1:8080 --source FILE [--expected FILE] [--clients 1,16,64] [--seconds 30]
                   [--minutes M] [--pid PID]

--minutes: duration of each load, instead of --seconds. --pid: server process, to print its memory before and after.

All clients share one thread and use plain sockets: the standard library's HTTP client would use a tenth of the server's
cores.
"""
import argparse
import json
import re
import selectors
import socket
import statistics
import sys
import time
import urllib.parse
import urllib.request

LENGTH = re.compile(rb"^content-length: *(\d+)", re.IGNORECASE | re.MULTILINE)
PATIENCE = 120  # timeout of a response, seconds


class Load:
    """State shared by the clients of one load."""

    def __init__(self, url, sources, expected, seconds):
        parts = urllib.parse.urlsplit(url)
        self.address = (parts.hostname, parts.port or 80)
        self.requests = [request(parts.netloc, source) for source in sources]
        self.expected = expected
        self.next = 0
        self.latencies = []
        self.wrong = []
        self.until = time.monotonic() + seconds

    def take(self):
        self.next += 1
        return (self.next - 1) % len(self.requests)

    def over(self):
        return time.monotonic() >= self.until

    def note(self, seconds, complaint):
        self.latencies.append(seconds)
        if complaint:
            self.wrong.append(complaint)


class Client:
    """Sends a line, waits for the response, then sends the next line."""

    def __init__(self, load, selector):
        self.load, self.selector = load, selector
        self.connection = None
        self.ask()

    def ask(self):
        if self.connection is None:
            self.connection = socket.create_connection(self.load.address)
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.selector.register(self.connection, selectors.EVENT_READ, self)
        self.line, self.answer, self.start = self.load.take(), b"", time.monotonic()
        try:
            self.connection.sendall(self.load.requests[self.line])
        except OSError as error:
            self.end(repr(error))

    def read(self):
        """Reads available data; disconnects if the server closed the connection."""
        try:
            part = self.connection.recv(1 << 16)
        except OSError as error:
            return self.end(repr(error))
        if not part:
            return self.end("connection closed before the response was complete")
        self.answer += part
        head, found, body = self.answer.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        if found and length and len(body) >= int(length.group(1)):
            self.done(complaint(self.load, self.line, head, body))

    def done(self, wrong):
        self.load.note(time.monotonic() - self.start, wrong and f"line {self.line + 1}: {wrong}")
        if self.load.over():
            self.leave()
        else:
            self.ask()

    def end(self, wrong):
        self.leave()
        self.done(wrong)

    def leave(self):
        if self.connection is not None:
            self.selector.unregister(self.connection)
            self.connection.close()
            self.connection = None

    def give_up_late(self):
        if self.connection is not None and time.monotonic() - self.start > PATIENCE:
            self.end(f"no response within {PATIENCE} seconds")


def request(host, source):
    body = json.dumps({"q": source}).encode()
    head = f"POST /v1/translate HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


def complaint(load, line, head, body):
    status = head.split(b" ", 2)[1]
    if status != b"200":
        return f"{status.decode()} {body[:200]!r}"
    text = json.loads(body)["translations"][0]["hypotheses"][0]["text"]
    if load.expected and text != load.expected[line]:
        return f"got {text!r}, expected {load.expected[line]!r}"
    return None


def run_clients(load, count):
    with selectors.DefaultSelector() as selector:
        clients = [Client(load, selector) for _ in range(count)]
        while selector.get_map():
            for key, _ in selector.select(timeout=1):
                key.data.read()
            for client in clients:
                client.give_up_late()


def run(load, clients):
    start, own = time.monotonic(), time.process_time()
    run_clients(load, clients)
    seconds, own = time.monotonic() - start, time.process_time() - own
    cuts = statistics.quantiles(load.latencies * 2, n=100)  # doubled, because quantiles() needs two values
    print(f"{clients} clients: {len(load.latencies) / seconds:.1f} lines/s, latency median {1e3 * cuts[49]:.0f} ms, "
          f"99th percentile {1e3 * cuts[98]:.0f} ms, {len(load.wrong)} wrong; the clients used {own / seconds:.0%} of "
          "a core", flush=True)
    for wrong in load.wrong[:5]:
        print("  " + wrong)
    return not load.wrong


def read_lines(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return [line.removesuffix("\n") for line in file]


def memory_of(pid):
    """Resident memory in MB; None without a process."""
    if not pid:
        return None
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS:"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--source", required=True)
    parser.add_argument("--expected", help="output of `attend translate` for the source")
    parser.add_argument("--clients", default="1,16,64")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--minutes", type=float, help="duration of each load, instead of --seconds")
    parser.add_argument("--pid", type=int, help="server process, to print its memory")
    options = parser.parse_args()
    sources = read_lines(options.source)
    expected = read_lines(options.expected) if options.expected else None
    seconds = options.seconds if options.minutes is None else 60 * options.minutes
    with urllib.request.urlopen(options.url + "/readyz", timeout=60):
        pass  # raises unless the server is ready
    good = []
    for clients in options.clients.split(","):
        before = memory_of(options.pid)
        good.append(run(Load(options.url, sources, expected, seconds), int(clients)))
        if options.pid:
            print(f"  memory {before:.0f} MB before, {memory_of(options.pid):.0f} MB after", flush=True)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
