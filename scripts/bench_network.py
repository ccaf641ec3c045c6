#!/usr/bin/env python3
"""Measures `attend train` with two processes on two simulated machines, over simulated networks.

  scripts/bench_network.py build/src/cli/attend tests/bench/reference.yaml --model MODEL [--network NAME]...

Needs root and Debian's iproute2. Two network namespaces stand for two machines. A pair of virtual Ethernet devices
connects them; `tc` limits the rate (tbf) and adds a delay (netem, or this script's relay between two TUN devices if the
kernel has no netem). Each process has one thread on its own core. MODEL is a SentencePiece model for the config
(training the config once writes one: runs/reference/joint.model). For each network and each training.accumulate, prints
the median seconds per update without the first one, the time of one byte one way, and the rate for 200 MB. The network
"none" measures two processes that share a machine. --set goes to attend.
"""

import argparse
import collections
import fcntl
import json
import os
import pathlib
import shlex
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

SPACES = ("attend0", "attend1")
ADDRESSES = ("10.77.0.1", "10.77.0.2")
PORT = 29555
Network = collections.namedtuple("Network", "rate delay")  # bit/s each way, 0: unlimited; seconds each way
NETWORKS = {"none": None, "unlimited": Network(0, 0), "10G": Network(10e9, 0), "1G": Network(1e9, 0),
            "1G+1ms": Network(1e9, 1e-3)}
UPDATES = {1: 16, 4: 6, 16: 4}  # updates to run, by training.accumulate
QUEUE = 0.05  # seconds of queued data; further packets are lost
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000


def run(command):
    subprocess.run(shlex.split(command), check=True)


def succeeds(command):
    return subprocess.run(shlex.split(command), check=False, stderr=subprocess.DEVNULL).returncode == 0


class Relay(threading.Thread):
    """Carries packets from one TUN device to another with the delay and rate of the network."""

    def __init__(self, source, target, network):
        super().__init__(daemon=True)
        self.source, self.target, self.network = source, target, network
        self.waiting = collections.deque()
        self.arrival = threading.Condition()
        threading.Thread(target=self.deliver, daemon=True).start()

    def run(self):
        free = 0.0  # when the line is free
        while True:
            try:
                packet = os.read(self.source, 65536)
            except OSError:
                return  # the device is gone
            now = time.monotonic()
            if free > now + QUEUE:
                continue  # lost
            free = max(free, now) + (8 * len(packet) / self.network.rate if self.network.rate else 0.0)
            with self.arrival:
                self.waiting.append((free + self.network.delay, packet))
                self.arrival.notify()

    def deliver(self):
        while True:
            with self.arrival:
                self.arrival.wait_for(lambda: self.waiting)
                due, packet = self.waiting.popleft()
            time.sleep(max(0.0, due - time.monotonic()))
            os.write(self.target, packet)


def open_tun(name):
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return device


class Machines:
    """The two namespaces and their connection, removed at the end."""

    def __init__(self, network):
        self.network = network
        self.devices = []

    def __enter__(self):
        for space in SPACES:
            succeeds(f"ip netns del {space}")
            run(f"ip netns add {space}")
        has_netem = self.network.delay == 0 or self.try_netem()
        if has_netem:
            succeeds("ip link del attend0")  # left by a run that was killed
            run("ip link add attend0 type veth peer name attend1")
        else:
            self.devices = [open_tun(space) for space in SPACES]
        for space, address, other in zip(SPACES, ADDRESSES, reversed(ADDRESSES)):
            self.connect(space, address, other, has_netem)
        if not has_netem:
            Relay(self.devices[0], self.devices[1], self.network).start()
            Relay(self.devices[1], self.devices[0], self.network).start()
        return self

    @staticmethod
    def try_netem():
        found = succeeds(f"ip netns exec {SPACES[0]} tc qdisc add dev lo root netem delay 1ms")
        return found and succeeds(f"ip netns exec {SPACES[0]} tc qdisc del dev lo root")

    def connect(self, space, address, other, has_netem):
        within = f"ip netns exec {space}"
        run(f"ip link set {space} netns {space}")
        run(f"{within} ip link set lo up")
        if has_netem:
            run(f"{within} ip addr add {address}/24 dev {space}")
            run(f"{within} ip link set {space} up")
        else:
            run(f"{within} ip addr add {address} peer {other} dev {space}")
            run(f"{within} ip link set {space} mtu 65000 txqueuelen 10000 up")
        rate = int(self.network.rate)
        limit = f"{within} tc qdisc add dev {space} root"
        if has_netem and self.network.delay:
            run(f"{limit} netem rate {rate} delay {self.network.delay * 1e3}ms limit 20000")
        elif has_netem and rate:
            run(f"{limit} tbf rate {rate} burst {max(131072, rate // 2000)} latency 50ms")

    def __exit__(self, *_):
        for space in SPACES:
            succeeds(f"ip netns del {space}")
        for device in self.devices:
            os.close(device)


LISTEN = """
import socket
server = socket.create_server(('', 29556))
connection, _ = server.accept()
for _ in range(50):
    connection.sendall(connection.recv(1))
left = 200_000_000
while left:
    left -= len(connection.recv(1 << 20))
connection.sendall(b'.')
"""
SPEAK = """
import socket, statistics, time
for _ in range(100):
    try:
        connection = socket.create_connection(('10.77.0.1', 29556)); break
    except OSError:
        time.sleep(0.05)
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
times = []
for _ in range(50):
    begin = time.monotonic(); connection.sendall(b'.'); connection.recv(1); times.append(time.monotonic() - begin)
begin = time.monotonic()
connection.sendall(bytes(200_000_000)); connection.recv(1)
print(statistics.median(times) / 2, 1.6e9 / (time.monotonic() - begin))
"""


def measure_link():
    """Seconds for one byte one way, and bit/s."""
    listener = subprocess.Popen(["ip", "netns", "exec", SPACES[0], sys.executable, "-c", LISTEN])
    speaker = subprocess.run(["ip", "netns", "exec", SPACES[1], sys.executable, "-c", SPEAK], check=True,
                             stdout=subprocess.PIPE, text=True)
    listener.wait()
    return [float(number) for number in speaker.stdout.split()]


class Training:
    """Two processes, one thread each."""

    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder

    def start(self, rank, accumulate, in_space):
        settings = [f"training.accumulate={accumulate}", f"training.max_updates={UPDATES[accumulate]}",
                    "training.log_every=1", "training.save_every.minutes=0",
                    f"tokenizer.model=[{self.arguments.model.resolve()}]", f"data.cache={self.folder}/text.tokens"]
        command = ["taskset", "-c", str(rank), self.arguments.attend.resolve(), "train",
                   self.arguments.config.resolve(), "--output", self.folder / "run", "--overwrite", "--threads", "1",
                   "--device", "cpu"]
        for setting in settings + self.arguments.set:
            command += ["--set", setting]
        if in_space:  # each machine needs its own host name
            named = f"hostname {SPACES[rank]} && exec \"$@\""
            command = ["ip", "netns", "exec", SPACES[rank], "unshare", "--uts", "sh", "-c", named, "sh", *command]
        environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_RANK": str(0 if in_space else rank),
                       "LOCAL_WORLD_SIZE": "1" if in_space else "2",
                       "MASTER_ADDR": ADDRESSES[0] if in_space else "127.0.0.1", "MASTER_PORT": str(PORT)}
        if not in_space:  # the processes on one machine send messages too
            environment["GLOO_SOCKET_IFNAME"] = "lo"
        with open(self.folder / f"{rank}.log", "w", encoding="utf-8") as log:
            return subprocess.Popen(command, env=environment, stderr=log)

    def measure(self, accumulate, in_space):
        """Seconds per update."""
        processes = [self.start(rank, accumulate, in_space) for rank in (0, 1)]
        if any([process.wait() for process in processes]):
            raise RuntimeError((self.folder / "0.log").read_text() + (self.folder / "1.log").read_text())
        lines = (self.folder / "run" / "train.jsonl").read_text(encoding="utf-8").splitlines()
        times = [json.loads(line)["timing"]["seconds"] for line in lines if '"type":"train"' in line]
        return statistics.median(later - earlier for earlier, later in zip(times[1:], times[2:]))


def measure(name, training, accumulations):
    network = NETWORKS[name]
    result = {"network": name}
    if network is None:
        result["seconds"] = {count: training.measure(count, False) for count in accumulations}
        return result
    with Machines(network):
        result["one_way_seconds"], result["bit_per_second"] = measure_link()
        result["seconds"] = {count: training.measure(count, True) for count in accumulations}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attend", type=pathlib.Path, help="the program")
    parser.add_argument("config", type=pathlib.Path, help="the config to train")
    parser.add_argument("--model", type=pathlib.Path, required=True, help="its SentencePiece model")
    parser.add_argument("--network", action="append", choices=list(NETWORKS), help="only these")
    parser.add_argument("--accumulate", type=int, action="append", choices=list(UPDATES), help="only these")
    parser.add_argument("--set", action="append", default=[], help="a setting of attend")
    parser.add_argument("--json", type=pathlib.Path, help="append one line per network to this file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="attend_network.") as folder:
        training = Training(arguments, pathlib.Path(folder))
        for name in arguments.network or NETWORKS:
            result = measure(name, training, arguments.accumulate or UPDATES)
            print(json.dumps(result), flush=True)
            if arguments.json:
                with open(arguments.json, "a", encoding="utf-8") as file:
                    file.write(json.dumps({**result, "set": arguments.set}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
