"""Fixtures of pytest: a test server for the whole run, and a clean one for each test."""

import json
import os
import subprocess
from urllib.request import Request, urlopen

import pytest


class TestServer:
    """`chainkin test-server` in a process of its own, and its control."""

    __test__ = False

    def __init__(self, *options):
        command = os.environ.get("CHAINKIN", "npx chainkin").split()
        self.process = subprocess.Popen(
            [*command, "test-server", "--json", "--until-stdin-ends", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        addresses = json.loads(self.process.stdout.readline())
        self.api_url = addresses["apiUrl"]
        self.control_url = addresses["controlUrl"]

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self.control_url + path, data, method=method)) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def get(self, path):
        return self.ask("GET", path)

    def post(self, path, body=None):
        return self.ask("POST", path, {} if body is None else body)

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


@pytest.fixture(scope="session")
def running_server():
    server = TestServer("--now", "2026-01-31T10:00:00Z")
    yield server
    server.stop()


@pytest.fixture
def server(running_server):
    running_server.post("/reset")
    return running_server
