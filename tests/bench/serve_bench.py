#!/usr/bin/env python3
"""Clients of a running `attend serve`: sends the lines of a file one by one, from 1, 16 and 64 clients at once, and
prints lines per second and the latencies of each load. Fails if an answer is not 200, or not the line expected.

    serve_bench.py --url http://127.0.0.1:8080 --source FILE [--expected FILE] [--clients 1,16,64] [--seconds 30]
                   [--minutes M] [--pid PID]

--minutes: each load for so long instead. --pid: the server's process, whose memory is printed before and after.
"""
import argparse
import http.client
import json
import statistics
import sys
import threading
import time
import urllib.parse
import urllib.request


class Load:
    """What the clients of one load share."""

    def __init__(self, url, sources, expected, seconds):
        self.address = urllib.parse.urlsplit(url)
        self.sources, self.expected = sources, expected
        self.lock = threading.Lock()
        self.next = 0
        self.latencies = []
        self.wrong = []
        self.until = time.monotonic() + seconds

    def take(self):
        with self.lock:
            self.next += 1
            return (self.next - 1) % len(self.sources)

    def note(self, seconds, complaint):
        with self.lock:
            self.latencies.append(seconds)
            if complaint:
                self.wrong.append(complaint)

    def complaint(self, line, status, body):
        if status != 200:
            return f"line {line + 1}: {status} {body[:200]!r}"
        text = json.loads(body)["translations"][0]["hypotheses"][0]["text"]
        if self.expected and text != self.expected[line]:
            return f"line {line + 1}: {text!r} instead of {self.expected[line]!r}"
        return None

    def ask(self, connection, line):
        """What is wrong with the answer to a line, if there is one."""
        try:
            connection.request("POST", "/v1/translate", json.dumps({"q": self.sources[line]}))
            answer = connection.getresponse()
            return self.complaint(line, answer.status, answer.read())
        except (OSError, http.client.HTTPException) as error:
            connection.close()  # the next request opens another
            return f"line {line + 1}: {error!r}"

    def client(self):
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=120)
        while time.monotonic() < self.until:
            line = self.take()
            start = time.monotonic()
            complaint = self.ask(connection, line)
            self.note(time.monotonic() - start, complaint)
        connection.close()


def run(load, clients):
    threads = [threading.Thread(target=load.client) for _ in range(clients)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - start
    cuts = statistics.quantiles(load.latencies, n=100)
    print(f"{clients} clients: {len(load.latencies) / seconds:.1f} lines/s, latency median {1e3 * cuts[49]:.0f} ms, "
          f"99th percentile {1e3 * cuts[98]:.0f} ms, {len(load.wrong)} wrong", flush=True)
    for complaint in load.wrong[:5]:
        print("  " + complaint)
    return not load.wrong


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def memory_of(pid):
    """Resident, in MB; None of no process."""
    if not pid:
        return None
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS:"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--source", required=True)
    parser.add_argument("--expected", help="what `attend translate` puts out for the source")
    parser.add_argument("--clients", default="1,16,64")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--minutes", type=float, help="instead of --seconds")
    parser.add_argument("--pid", type=int, help="process of the server, whose memory is watched")
    options = parser.parse_args()
    sources = read_lines(options.source)
    expected = read_lines(options.expected) if options.expected else None
    seconds = options.seconds if options.minutes is None else 60 * options.minutes
    with urllib.request.urlopen(options.url + "/readyz", timeout=60):
        pass  # a server that is not there, or not ready, raises
    good = []
    for clients in options.clients.split(","):
        before = memory_of(options.pid)
        good.append(run(Load(options.url, sources, expected, seconds), int(clients)))
        if options.pid:
            print(f"  memory {before:.0f} MB before, {memory_of(options.pid):.0f} MB after", flush=True)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
