#!/usr/bin/env python3
"""Load for croft serve: requests a second, percentiles of their times, and the server's memory.

    serve_load.py --croft PATH --model FILE --data FILE [--seconds 5] [--clients 1,8,64]
    serve_load.py … --requests 100000      memory before and after so many
    serve_load.py … --soak 300             the model's file is replaced every second; failures are counted

Each request is one sequence of the data, /v1/tag with the probabilities of the predicted labels; connections stay open.
One process asks for all clients: what it takes is in the figures.
"""

import argparse
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time


def requests_of(path):
    blocks = [b for b in pathlib.Path(path).read_text("utf-8").split("\n\n") if b.strip()]
    made = []
    for block in blocks[:500]:
        body = json.dumps({"data": block.strip("\n") + "\n", "marginals": "predicted"}).encode()
        made.append(b"POST /v1/tag HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
                    + str(len(body)).encode() + b"\r\n\r\n" + body)
    return made


class Client:

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.got = b""
        self.begin = 0.0

    def send(self, request):
        self.got = b""
        self.begin = time.perf_counter()
        self.socket.sendall(request)

    def answered(self):
        """The status once the answer is whole; 0 before."""
        piece = self.socket.recv(1 << 18)
        if not piece:
            raise ConnectionError("the server closed a connection")
        self.got += piece
        head = self.got.find(b"\r\n\r\n")
        if head < 0:
            return 0
        at = self.got.index(b"Content-Length: ") + 16
        length = int(self.got[at:self.got.index(b"\r\n", at)])
        return int(self.got[9:12]) if len(self.got) >= head + 4 + length else 0


def load(port, requests, clients, seconds, count=None, each=lambda: None):
    """(answers a second, times in seconds, failures)"""
    poll, by_number, sent, times, failures = select.epoll(), {}, 0, [], 0
    for _ in range(clients):
        client = Client(port)
        by_number[client.socket.fileno()] = client
        poll.register(client.socket, select.EPOLLIN)
        client.send(requests[sent % len(requests)])
        sent += 1
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds and (count is None or len(times) < count):
        each()
        for number, _ in poll.poll(0.2):
            client = by_number[number]
            status = client.answered()
            if not status:
                continue
            times.append(time.perf_counter() - client.begin)
            failures += status != 200
            client.send(requests[sent % len(requests)])
            sent += 1
    taken = time.perf_counter() - begin
    for client in by_number.values():
        client.socket.close()
    return len(times) / taken, sorted(times), failures


def resident(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


class Replacer:
    """Puts a copy of the model in its place every second."""

    def __init__(self, source, path):
        self.source, self.path, self.next, self.times = source, path, time.monotonic() + 1, 0

    def __call__(self):
        if time.monotonic() < self.next:
            return
        self.next += 1
        self.times += 1
        shutil.copy(self.source, f"{self.path}.new")
        os.replace(f"{self.path}.new", self.path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--croft", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--clients", default="1,8,64")
    parser.add_argument("--requests", type=int)
    parser.add_argument("--soak", type=float)
    options = parser.parse_args()
    requests = requests_of(options.data)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "served.croft")
        shutil.copy(options.model, path)
        with subprocess.Popen([options.croft, "serve", "-m", path, "--port", "0", "--quiet"], text=True,
                              stdout=subprocess.PIPE) as process:
            port = int(process.stdout.readline().split(":")[2].rstrip("/\n"))
            if options.requests:
                load(port, requests, 8, 1e9, 2000)
                before = resident(process)
                _, times, failures = load(port, requests, 8, 1e9, options.requests)
                print(f"{len(times)} requests, {failures} failed, memory {before} KB before, "
                      f"{resident(process)} KB after")
            elif options.soak:
                replace = Replacer(options.model, path)
                rate, times, failures = load(port, requests, 8, options.soak, None, replace)
                print(f"{len(times)} requests, {rate:.0f} a second, {failures} failed, model replaced "
                      f"{replace.times} times, memory {resident(process)} KB")
            else:
                for clients in map(int, options.clients.split(",")):
                    rate, times, failures = load(port, requests, clients, options.seconds)
                    half, most = times[len(times) // 2], times[int(len(times) * 0.99)]
                    print(f"{clients:3} clients: {rate:8.0f} a second, 50 % {half * 1e3:6.2f} ms, "
                          f"99 % {most * 1e3:6.2f} ms, {failures} failed")
            process.send_signal(signal.SIGTERM)


if __name__ == "__main__":
    main()
