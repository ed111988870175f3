"""The assertion of a call, checked by what docs/verify-assertion.md has for Python and for TypeScript.

The programs are taken out of the page as they stand there. The server is one of its own: its worker keeps what it
was sent.
"""

import base64
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.request
from contextlib import contextmanager
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
CACHE = ROOT / "target/clients/assertion"
PAGE = (ROOT / "docs/verify-assertion.md").read_text()
PORTERO = os.environ["PORTERO_BIN"]
CONFIG = """
public_url = "{base}"
listen = "{listen}"
[database]
url = "sqlite://portero.db"
[plans.flow]
features = ["mcp"]
[brand.mico]
name = "Mico"
issuer = "{base}/mcp"
[[service]]
id = "mico"
brand = "mico"
name = "Mico"
resource = "{base}/mcp"
[[service.upstream]]
id = "meetings"
kind = "worker"
url = "{worker}"
assertion = true
"""


def program(language):
    return re.search(rf"```{language}\n(.*?)```", PAGE, re.S)[1]


class Worker(BaseHTTPRequestHandler):
    """Has one tool, and keeps the last call of it."""

    last = None

    def do_GET(self):
        tool = {"name": "list_meetings", "description": "Lists", "inputSchema": {"type": "object"}}
        self.answer([tool] if self.path == "/tools" else [])

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        Worker.last = (self.headers["x-portero-assertion"], body)
        self.answer({"ok": True})

    def answer(self, value):
        text = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def send(url, token, message):
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    headers["authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, json.dumps(message).encode(), headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


@contextmanager
def server():
    """A server before a worker that wants proof; gives its issuer and a token."""
    worker = HTTPServer(("127.0.0.1", 0), Worker)
    threading.Thread(target=worker.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        listen = f"127.0.0.1:{free_port()}"
        base = f"http://{listen}"
        config = Path(folder) / "portero.toml"
        config.write_text(CONFIG.format(base=base, listen=listen, worker=f"http://127.0.0.1:{worker.server_port}"))
        own = [PORTERO, "--config", str(config)]
        with open(Path(folder) / "log", "w") as log, subprocess.Popen([*own, "serve"], stderr=log) as running:
            try:
                wait_for(f"{base}/mcp/jwks.json", running)
                run = lambda *args: json.loads(subprocess.check_output([*own, "--json", *args]))
                run("user", "create", "--email", "ana@example.com", "--name", "Ana", "--plan", "flow")
                made = run("token", "create", "--user", "ana@example.com", "--brand", "mico", "--name", "t")
                yield f"{base}/mcp", made["token"]
            finally:
                running.terminate()
    worker.shutdown()


def wait_for(url, running):
    for _ in range(300):
        assert running.poll() is None, "the server ended at once"
        try:
            return urllib.request.urlopen(url, timeout=2)
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"nothing answers at {url}")


def by_python(case):
    class Shifted(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(seconds=case["shift"])

    os.environ.update(case["env"])
    space = {}
    exec(compile(program("python"), "verify-assertion.md", "exec"), space)
    real, jwt.api_jwt.datetime = jwt.api_jwt.datetime, Shifted
    try:
        return space["verify"](case["assertion"], case["tool"], case["body"])
    except jwt.PyJWTError as error:
        return str(error)
    finally:
        jwt.api_jwt.datetime = real


def compile_typescript():
    (CACHE / "verify.ts").write_text(program("ts"))
    options = ["--module", "nodenext", "--target", "es2022", "--strict", "--skipLibCheck", "--types", "node"]
    subprocess.run([CACHE / "node_modules/.bin/tsc", *options, "verify.ts"], cwd=CACHE, check=True)


def by_typescript(case):
    env = {**os.environ, **case["env"], "SHIFT": str(case["shift"]), "VERIFY": str(CACHE / "verify.js")}
    asked = {**case, "body": base64.b64encode(case["body"]).decode()}
    ran = subprocess.run(
        ["node", str(CACHE / "check.mjs")], input=json.dumps(asked), env=env, capture_output=True, text=True
    )
    assert ran.returncode in (0, 3), ran.stderr
    return json.loads(ran.stdout) if ran.returncode == 0 else ran.stderr


def cases(issuer, assertion, body):
    good = {
        "assertion": assertion,
        "tool": "list_meetings",
        "body": body,
        "shift": 0,
        "env": {"PORTERO_ISSUER": issuer, "PORTERO_UPSTREAM": "meetings"},
    }
    claims = jwt.decode(assertion, options={"verify_signature": False})
    header = jwt.get_unverified_header(assertion)
    foreign = jwt.encode(claims, ec.generate_private_key(ec.SECP256R1()), "ES256", {"kid": header["kid"]})
    symmetric = jwt.encode(claims, "x" * 32, "HS256", {"kid": header["kid"]})
    yield "a good one passes", good, True
    yield "a changed body", {**good, "body": body + b" "}, False
    yield "another tool", {**good, "tool": "delete_meeting"}, False
    yield "another audience", {**good, "env": {**good["env"], "PORTERO_UPSTREAM": "billing"}}, False
    yield "expired", {**good, "shift": 120}, False
    yield "another key", {**good, "assertion": foreign}, False
    yield "another algorithm", {**good, "assertion": symmetric}, False


def main():
    failed = 0
    compile_typescript()
    with server() as (issuer, token):
        params = {"name": "list_meetings", "arguments": {"query": "ñ"}}
        send(issuer, token, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        assertion, body = Worker.last
        for language, check in [("Python", by_python), ("TypeScript", by_typescript)]:
            for name, case, passes in cases(issuer, assertion, body):
                try:
                    told = check(case)
                    assert isinstance(told, dict) == passes, told
                    assert not passes or (told["tool"], told["aud"]) == ("list_meetings", "meetings"), told
                    print(f"  ok {language}: {name}{'' if passes else ' is refused'}", flush=True)
                except Exception:
                    failed = 1
                    print(f"  FAILED {language}: {name}\n{traceback.format_exc()}", flush=True)
    return failed


sys.exit(main())
