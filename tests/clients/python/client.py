"""The Python SDK from the bare MCP URL to the end of its connection, once for each era of the protocol.

Consent is given by the page's form over HTTP, with a personal access token as proof of identity, as in an
environment that has no browser. At the end three processes share one refresh token.
"""

import asyncio
import json
import multiprocessing
import os
import re
import subprocess
import sys
import time
import traceback
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx2
from mcp import Client, MCPError
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

DEMO = json.loads((Path(os.environ["CLIENTS_STATE"]) / "demo.json").read_text().splitlines()[0])
ENDPOINT = DEMO["endpoint"]
PATH = urlsplit(ENDPOINT).path
# Nobody listens there: the redirect is read from the answer to the form.
REDIRECT = "http://127.0.0.1:3030/callback"
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
CREATE = ["token", "create", "--user", DEMO["email"], "--brand", "mico"]


def portero(*args):
    """Runs a command beside the server and reads its JSON."""
    command = [os.environ["PORTERO_BIN"], "--config", DEMO["config"], *args, "--json"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(text) if text.strip() else None


def equal(actual, expected):
    assert actual == expected, f"{actual!r} instead of {expected!r}"


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


class ConsentForm(HTMLParser):
    """The page's form that takes a token: where it goes, and what it sends untouched."""

    def __init__(self, html):
        super().__init__()
        self.forms = []
        self.feed(html)
        forms = [form for form in self.forms if "personal_access_token" in form["names"]]
        assert len(forms) == 1, f"{len(forms)} forms take a token"
        self.action = forms[0]["action"]
        self.fields = forms[0]["fields"]

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "form":
            self.forms.append({"action": attrs["action"], "names": set(), "fields": {}})
        elif tag == "input" and self.forms and "name" in attrs:
            form = self.forms[-1]
            form["names"].add(attrs["name"])
            kind = attrs.get("type")
            if kind == "hidden":
                form["fields"][attrs["name"]] = attrs["value"]
            elif kind == "checkbox" and "checked" in attrs:
                form["fields"].setdefault(attrs["name"], []).append(attrs["value"])


async def consent(url, pat):
    """Gets the page, fills in its form and sends it, as a program without a browser."""
    async with httpx2.AsyncClient() as http:
        page = await http.get(url)
        equal(page.status_code, 200)
        form = ConsentForm(page.text)
        proof = {"personal_access_token": pat, "decision": "allow"}
        return await http.post(urljoin(url, form.action), data=form.fields | proof)


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


class App:
    """A program that uses the SDK: it remembers, proves who its person is, and keeps a record of the wire."""

    def __init__(self, name, pat, memory=None, mode="auto"):
        self.name, self.pat, self.mode = name, pat, mode
        self.memory = memory or Memory()
        self.wire, self.authorizations, self.redirect = [], [], {}
        self.provider = OAuthClientProvider(
            server_url=ENDPOINT,
            client_metadata=OAuthClientMetadata(
                client_name=name, redirect_uris=[REDIRECT], token_endpoint_auth_method="none"
            ),
            storage=self.memory,
            redirect_handler=self.authorize,
            callback_handler=self.come_back,
        )

    async def authorize(self, url):
        self.authorizations.append(url)
        answer = await consent(url, self.pat)
        equal(answer.status_code, 303)
        location = answer.headers["location"]
        assert location.startswith(f"{REDIRECT}?"), location
        self.redirect = {key: values[0] for key, values in parse_qs(urlsplit(location).query).items()}

    async def come_back(self):
        return AuthorizationCodeResult(**self.redirect)

    async def record(self, response):
        request = response.request
        self.wire.append((request.method, request.url.path, response.status_code, request, response))

    def seen(self):
        """What was sent since the last look, as method, path and status."""
        sent, self.wire = self.wire, []
        return [entry[:3] for entry in sent]

    @asynccontextmanager
    async def connected(self):
        """A connection that has shaken hands."""
        hooks = {"response": [self.record]}
        async with httpx2.AsyncClient(auth=self.provider, event_hooks=hooks, timeout=30) as http:
            async with Client(streamable_http_client(ENDPOINT, http_client=http), mode=self.mode) as client:
                yield client

    def expire(self):
        """As if the hour of the access token were over."""
        self.provider.context.token_expiry_time = time.time() - 1


async def meetings(client):
    result = await client.call_tool("list_meetings", {"limit": 3})
    equal(result.is_error, False)
    equal([content.type for content in result.content], ["text"])
    return json.loads(result.content[0].text)


async def status_of(token):
    """The status that an access token gets, without an SDK between."""
    headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with httpx2.AsyncClient() as http:
        return (await http.post(ENDPOINT, json=message, headers=headers)).status_code


async def journey(era, mode, revision):
    name = f"python-{era}"
    pat = portero(*CREATE, "--name", name)
    app = App(f"Cuaderno {era}", pat["token"], mode=mode)

    async with step(f"{era}: from the bare URL to a connection"):
        async with app.connected() as client:
            sent = app.wire[:]
            equal(client.protocol_version, revision)
            equal(client.server_info.name, "mico-mcp")
            assert client.server_capabilities.tools is not None
            assert client.server_capabilities.resources is None
            assert "reuniones" in client.instructions

    async with step(f"{era}: challenge, discovery and registration in order"):
        challenge = sent[0][4].headers["www-authenticate"]
        found = re.fullmatch(r'Bearer resource_metadata="([^"]+)", scope="mico:read"', challenge)
        assert found, challenge
        expected = [
            ("POST", PATH, 401),
            ("GET", urlsplit(found[1]).path, 200),
            ("GET", f"/.well-known/oauth-authorization-server{PATH}", 200),
            ("POST", f"{PATH}/register", 201),
            ("POST", f"{PATH}/token", 200),
            ("POST", PATH, 200),
        ]
        equal([entry[:3] for entry in sent[:6]], expected)

    async with step(f"{era}: the authorization asks for the right things, the redirect answers them"):
        url = urlsplit(app.authorizations[0])
        equal(f"{url.scheme}://{url.netloc}{url.path}", f"{ENDPOINT}/authorize")
        asked = {key: values[0] for key, values in parse_qs(url.query).items()}
        asked.pop("code_challenge")
        client_info = app.memory.client
        expected = {
            "response_type": "code",
            "client_id": client_info.client_id,
            "redirect_uri": REDIRECT,
            "state": app.redirect["state"],
            "code_challenge_method": "S256",
            "resource": ENDPOINT,
            "scope": "mico:read",
        }
        equal(asked, expected)
        equal(app.redirect["iss"], ENDPOINT)
        equal(client_info.client_secret, None)
        equal(client_info.token_endpoint_auth_method, "none")

    async with step(f"{era}: the tokens are what was granted"):
        tokens = app.memory.tokens
        assert re.fullmatch(r"mico_oat_[0-9A-Za-z]{49}", tokens.access_token)
        assert re.fullmatch(r"mico_ort_[0-9A-Za-z]{49}", tokens.refresh_token)
        equal((tokens.token_type, tokens.expires_in, tokens.scope), ("Bearer", 3600, "mico:read"))

    app.seen()
    async with app.connected() as client:
        await use(era, app, client)
        await refresh(era, app, client)
        await share(era, app)
        await revoke(era, app, client, pat["id"])


async def use(era, app, client):
    async with step(f"{era}: tools/list has the eight tools"):
        tools = (await client.list_tools()).tools
        equal(sorted(tool.name for tool in tools), TOOLS)
        assert all(tool.annotations.read_only_hint for tool in tools)
        assert all(tool.input_schema["type"] == "object" for tool in tools)

    async with step(f"{era}: list_meetings gives meetings, newest first"):
        answer = await meetings(client)
        times = [meeting["created_at"] for meeting in answer["meetings"]]
        equal(len(times), 3)
        equal(times, sorted(times, reverse=True))
        equal(answer["pagination"]["limit"], 3)

    async with step(f"{era}: a tool that is not there is an error of the protocol"):
        try:
            await client.call_tool("delete_meeting", {})
        except MCPError as error:
            equal(error.code, -32602)
        else:
            raise AssertionError("it was called")
        equal([entry for entry in app.seen() if entry[2] == 401], [])


async def refresh(era, app, client):
    before = app.memory.tokens

    async with step(f"{era}: a spent access token is refreshed before a call"):
        app.expire()
        await meetings(client)
        sent = app.wire[:]
        equal(app.seen(), [("POST", f"{PATH}/token", 200), ("POST", PATH, 200)])
        body = parse_qs(sent[0][3].content.decode())
        equal(body["grant_type"], ["refresh_token"])
        equal(body["refresh_token"], [before.refresh_token])
        after = app.memory.tokens
        assert after.access_token != before.access_token
        assert after.refresh_token != before.refresh_token
        equal(after.scope, "mico:read")
        equal(len(app.authorizations), 1)

    async with step(f"{era}: the old access token lives on for its hour"):
        equal(await status_of(before.access_token), 200)


def sharer(barrier, answers, tokens, client, mode):
    """Another process with the same memory; it refreshes when all are ready, and works."""
    memory = Memory(OAuthToken.model_validate_json(tokens), OAuthClientInformationFull.model_validate_json(client))
    app = App("Cuaderno", None, memory, mode)

    async def work():
        app.expire()
        barrier.wait(timeout=60)
        async with app.connected() as connection:
            for _ in range(2):
                equal(len((await meetings(connection))["meetings"]), 3)
        answers.put({"wire": app.seen(), "tokens": app.memory.tokens.model_dump_json()})

    try:
        asyncio.run(work())
    except BaseException:
        answers.put({"error": traceback.format_exc()})


async def share(era, app):
    tokens, client = app.memory.tokens, app.memory.client
    async with step(f"{era}: {PROCESSES} processes that share a refresh token refresh at once, and all work"):
        spawn = multiprocessing.get_context("spawn")
        barrier, answers = spawn.Barrier(PROCESSES), spawn.Queue()
        memory = (tokens.model_dump_json(), client.model_dump_json(), app.mode)
        processes = [spawn.Process(target=sharer, args=(barrier, answers, *memory)) for _ in range(PROCESSES)]
        for process in processes:
            process.start()
        reports = [await asyncio.to_thread(answers.get, timeout=90) for _ in processes]
        for process in processes:
            process.join(10)
        assert not any("error" in report for report in reports), "\n".join(r.get("error", "") for r in reports)
        for report in reports:
            # A program that was started anew knows only the URL: it refreshes at the origin's own endpoint.
            equal(report["wire"][0], ("POST", "/token", 200))
            equal([entry for entry in report["wire"] if entry[2] == 401], [])
        found = [OAuthToken.model_validate_json(report["tokens"]) for report in reports]

    async with step(f"{era}: they were led to one live refresh token"):
        equal(len({each.refresh_token for each in found}), 1)
        assert found[0].refresh_token != tokens.refresh_token
        for each in found:
            equal(await status_of(each.access_token), 200)

    async with step(f"{era}: the first process keeps working and refreshing with what it had"):
        app.expire()
        async with app.connected() as connection:
            await meetings(connection)
        equal(app.memory.tokens.refresh_token, found[0].refresh_token)
        app.expire()
        async with app.connected() as connection:
            await meetings(connection)
        assert app.memory.tokens.refresh_token != found[0].refresh_token
        equal(len(app.authorizations), 1)


async def revoke(era, app, client, pat):
    async with step(f"{era}: revoking the token that allowed it is felt within a second"):
        equal(await status_of(app.memory.tokens.access_token), 200)
        listed = [token for token in portero("token", "list") if token["id"] == pat]
        equal([token["status"] for token in listed], ["active"])
        portero("token", "revoke", pat)
        deadline = time.monotonic() + 1
        while await status_of(app.memory.tokens.access_token) != 401:
            assert time.monotonic() < deadline, "the token is still good"
            await asyncio.sleep(0.05)

    ended = app.memory.tokens
    revoked, app.pat = app.pat, portero(*CREATE, "--name", f"{app.name} again")["token"]
    async with step(f"{era}: the next call is refused, and the SDK starts a new authorization"):
        app.seen()
        equal(len((await meetings(client))["meetings"]), 3)
        refused = app.wire[0]
        assert 'error="invalid_token"' in refused[4].headers["www-authenticate"]
        sent = [entry for entry in app.seen() if ".well-known" not in entry[1]]
        equal(sent, [("POST", PATH, 401), ("POST", f"{PATH}/token", 200), ("POST", PATH, 200)])
        equal(len(app.authorizations), 2)
        asked = parse_qs(urlsplit(app.authorizations[1]).query)
        equal(asked["client_id"], [app.memory.client.client_id])

    async with step(f"{era}: the ended connection's tokens and the revoked token are good for nothing"):
        async with httpx2.AsyncClient() as http:
            form = {
                "grant_type": "refresh_token",
                "refresh_token": ended.refresh_token,
                "client_id": app.memory.client.client_id,
            }
            answer = await http.post(f"{ENDPOINT}/token", data=form)
        equal((answer.status_code, answer.json()["error"]), (400, "invalid_grant"))
        equal(await status_of(ended.access_token), 401)
        equal(await status_of(revoked), 401)
        refused = await consent(app.authorizations[1].replace("&state=", "&state=x"), revoked)
        equal(refused.status_code, 400)
        assert "location" not in refused.headers


async def main():
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


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
