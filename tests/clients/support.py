"""What the clients in Python share: steps, the server, what they all check."""

import asyncio
import json
import multiprocessing
import os
import re
import subprocess
import time
import traceback
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

DEMO = json.loads((Path(os.environ["CLIENTS_STATE"]) / "demo.json").read_text().splitlines()[0])
ENDPOINT = DEMO["endpoint"]
PATH = urlsplit(ENDPOINT).path
TOOLS = [
    "get_meeting",
    "get_meeting_transcript",
    "get_recurring_meeting_history",
    "get_shared_note",
    "list_meetings",
    "list_pending_action_items",
    "search_meetings",
    "search_shared_notes",
]
PROCESSES = 3


def portero(*args):
    """Runs a command beside the server and reads its JSON."""
    command = [os.environ["PORTERO_BIN"], "--config", DEMO["config"], *args, "--json"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(text) if text.strip() else None


def fresh_token(name):
    """A personal access token of its own for one client."""
    return portero("token", "create", "--user", DEMO["email"], "--brand", "mico", "--name", name)


async def restart():
    """Stops the demo and starts it again on the same data and port."""
    await asyncio.to_thread(subprocess.run, [os.environ["DEMO"], "restart"], check=True)


def equal(actual, expected):
    assert actual == expected, f"{actual!r} instead of {expected!r}"


class Memory:
    """The SDK's storage: one connection's tokens and registration."""

    def __init__(self, tokens=None, client=None):
        self.tokens, self.client = tokens, client

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Failed(Exception):
    pass


@asynccontextmanager
async def step(name):
    """One line of the report. What depends on a failed step cannot be right, so it ends the journey."""
    try:
        yield
    except Exception:
        print(f"  FAILED {name}")
        print("".join(f"    {line}\n" for line in traceback.format_exc().splitlines()), end="", flush=True)
        raise Failed from None
    print(f"  ok {name}", flush=True)


async def eras(journey):
    """Makes the journey once for each era of the protocol, and says how it went by the exit code."""
    failed = False
    for era, mode, revision in [("modern", "auto", "2026-07-28"), ("legacy", "legacy", "2025-11-25")]:
        try:
            await journey(era, mode, revision)
        except* Failed:
            failed = True
        except* Exception:
            print(f"  FAILED {era}\n{traceback.format_exc()}", flush=True)
            failed = True
    return 1 if failed else 0


def check_discovery(challenge, sent):
    """What came after the first answer, step by step: method, path, status."""
    found = re.fullmatch(r'Bearer resource_metadata="([^"]+)", scope="mico:read"', challenge)
    assert found, challenge
    expected = [
        ("POST", PATH, 401),
        ("GET", urlsplit(found[1]).path, 200),
        ("GET", f"/.well-known/oauth-authorization-server{PATH}", 200),
        ("POST", f"{PATH}/register", 201),
    ]
    equal(sent, expected)


def check_tokens(tokens):
    assert re.fullmatch(r"mico_oat_[0-9A-Za-z]{49}", tokens.access_token)
    assert re.fullmatch(r"mico_ort_[0-9A-Za-z]{49}", tokens.refresh_token)
    equal((tokens.token_type, tokens.expires_in, tokens.scope), ("Bearer", 3600, "mico:read"))


async def status_of(token):
    """The status that an access token gets, without an SDK between."""
    headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with httpx2.AsyncClient() as http:
        return (await http.post(ENDPOINT, json=message, headers=headers)).status_code


async def refused_refresh(refresh_token, client_id):
    """A refresh that has to be refused, for good and without a reason to try again."""
    form = {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": client_id}
    async with httpx2.AsyncClient() as http:
        answer = await http.post(f"{ENDPOINT}/token", data=form)
    equal((answer.status_code, answer.json()["error"]), (400, "invalid_grant"))


async def revoke_token(pat, access_token):
    """Revokes the token that allowed a connection; the connection's own has to end within a second."""
    equal(await status_of(access_token), 200)
    listed = [token for token in portero("token", "list") if token["id"] == pat]
    equal([token["status"] for token in listed], ["active"])
    portero("token", "revoke", pat)
    await ended(access_token)


async def ended(access_token):
    """What a command beside the server took away is gone within a second."""
    deadline = time.monotonic() + 1
    while await status_of(access_token) != 401:
        assert time.monotonic() < deadline, "the token is still good"
        await asyncio.sleep(0.05)


async def at_once(target, *args):
    """Runs `target(barrier, answers, *args)` in several processes and gathers what each of them answers."""
    spawn = multiprocessing.get_context("spawn")
    barrier, answers = spawn.Barrier(PROCESSES), spawn.Queue()
    processes = [spawn.Process(target=target, args=(barrier, answers, *args)) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    reports = [await asyncio.to_thread(answers.get, timeout=90) for _ in processes]
    for process in processes:
        process.join(10)
    assert not any("error" in report for report in reports), "\n".join(r.get("error", "") for r in reports)
    return reports


def answering(answers, work):
    """Runs a coroutine in a process of its own, and answers what it gives or why it failed."""
    try:
        answers.put(asyncio.run(work))
    except BaseException:
        answers.put({"error": traceback.format_exc()})
