"""The FastMCP client as people use it: the bare MCP URL, `auth=OAuth()`, and what it opens in a browser.

It keeps its tokens in a folder, finds a registration that is gone before it opens the browser, and listens for the
redirect itself. Instead of a browser a person's part is done over HTTP: the form, then the redirect.
"""

import asyncio
import json
import logging
import os
import sys
import tempfile
import threading
import time
import urllib.request
import webbrowser
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import parse_qs, urlsplit

import httpx2
from fastmcp import Client
from fastmcp.client.auth import OAuth
from fastmcp.client.transports import StreamableHttpTransport
from key_value.aio.stores.filetree import (
    FileTreeStore,
    FileTreeV1CollectionSanitizationStrategy,
    FileTreeV1KeySanitizationStrategy,
)
from mcp import MCPError

from consent import consent
from support import (
    ENDPOINT,
    PATH,
    PROCESSES,
    TOOLS,
    answering,
    at_once,
    check_discovery,
    check_tokens,
    ended,
    equal,
    eras,
    fresh_token,
    portero,
    refused_refresh,
    restart,
    revoke_token,
    status_of,
    step,
)

# The report is the only thing to read.
for logger in ("fastmcp", "mcp"):
    logging.getLogger(logger).setLevel(logging.CRITICAL)


class Person(webbrowser.BaseBrowser):
    """Stands where the browser would open: allows what is asked, and takes the redirect to the client's listener."""

    def __init__(self):
        super().__init__()
        self.pat, self.visits, self.way = None, [], None

    def open(self, url, new=0, autoraise=True):
        self.way = threading.Thread(target=self.visit, args=(url,), daemon=True)
        self.way.start()
        return True

    def visit(self, url):
        visit = {"asked": {key: values[0] for key, values in parse_qs(urlsplit(url).query).items()}, "url": url}
        self.visits.append(visit)
        visit["status"], visit["location"] = consent(url, self.pat)
        visit["arrived"] = self.arrive(visit["location"])

    def arrive(self, location):
        """The client opens the browser a moment before it listens."""
        deadline = time.monotonic() + 10
        while True:
            try:
                with urllib.request.urlopen(location, timeout=10) as page:
                    return page.status
            except URLError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)


PERSON = Person()
webbrowser.register("person", None, PERSON, preferred=True)


def tokens_in(folder):
    """The store that FastMCP's own command line uses: one file a value."""
    return FileTreeStore(
        data_directory=folder,
        key_sanitization_strategy=FileTreeV1KeySanitizationStrategy(folder),
        collection_sanitization_strategy=FileTreeV1CollectionSanitizationStrategy(folder),
    )


class App:
    """A program that uses the client, with its folder of tokens and a record of the wire."""

    def __init__(self, name, folder, mode="auto"):
        self.mode, self.wire = mode, []
        self.oauth = OAuth(client_name=name, token_storage=tokens_in(Path(folder)), callback_timeout=20)
        self.transport = StreamableHttpTransport(ENDPOINT, auth=self.oauth, httpx_client_factory=self.http)

    def http(self, **options):
        options.setdefault("timeout", 30)
        return httpx2.AsyncClient(event_hooks={"response": [self.record]}, **options)

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
        async with Client(self.transport, mode=self.mode) as client:
            yield client

    @property
    def tokens(self):
        return self.oauth.context.current_tokens

    @property
    def registration(self):
        return self.oauth.context.client_info

    def expire(self):
        """As if the hour of the access token were over."""
        self.oauth.context.token_expiry_time = time.time() - 1

    async def expire_store(self):
        """The same for a program that starts anew on this folder."""
        adapter = self.oauth.token_storage_adapter
        await adapter._key_value_store.put(
            key=adapter._get_token_expiry_cache_key(),
            value={"expires_at": time.time() - 1},
            collection="mcp-oauth-token-expiry",
        )


async def meetings(client):
    result = await client.call_tool("list_meetings", {"limit": 3})
    equal(result.is_error, False)
    equal([content.type for content in result.content], ["text"])
    return json.loads(result.content[0].text)


async def working(client):
    equal(len((await meetings(client))["meetings"]), 3)


async def journey(era, mode, revision):
    with tempfile.TemporaryDirectory(dir=os.environ["CLIENTS_STATE"]) as folder:
        pat = fresh_token(f"fastmcp-{era}")
        PERSON.pat, PERSON.visits = pat["token"], []
        app = App(f"Bitácora {era}", folder, mode)
        await connect(era, app, revision)
        async with app.connected() as client:
            await use(era, app, client)
            await refresh(era, app, client)
            await share(era, app, folder)
            await outlive(era, app, client, folder)
            await revoke(era, app, client, pat)
            await forget(era, app, client)


async def connect(era, app, revision):
    async with step(f"{era}: from the bare URL to a connection"):
        async with app.connected() as client:
            sent = app.wire[:]
            equal(client.protocol_version, revision)
            equal(client.server_info.name, "mico-mcp")
            assert "reuniones" in client.instructions

    async with step(f"{era}: challenge, discovery, registration, a look at the page, tokens"):
        steps = [entry[:3] for entry in sent]
        check_discovery(sent[0][4].headers["www-authenticate"], steps[:4])
        equal(
            steps[4:7], [("GET", f"{PATH}/authorize", 200), ("POST", f"{PATH}/token", 200), ("POST", PATH, 200)]
        )

    async with step(f"{era}: the authorization asks for the right things, the redirect answers them"):
        equal(len(PERSON.visits), 1)
        await asyncio.to_thread(PERSON.way.join, 10)
        visit = PERSON.visits[0]
        redirect = f"http://localhost:{app.oauth.redirect_port}/callback"
        asked = visit["asked"]
        asked.pop("code_challenge")
        state = asked.pop("state")
        expected = {
            "response_type": "code",
            "client_id": app.registration.client_id,
            "redirect_uri": redirect,
            "code_challenge_method": "S256",
            "resource": ENDPOINT,
            "scope": "mico:read",
        }
        equal(asked, expected)
        equal((visit["status"], visit["arrived"]), (303, 200))
        assert visit["location"].startswith(f"{redirect}?"), visit["location"]
        answer = parse_qs(urlsplit(visit["location"]).query)
        equal((answer["state"], answer["iss"]), ([state], [ENDPOINT]))
        equal(app.registration.client_secret, None)
        equal(app.registration.token_endpoint_auth_method, "none")

    async with step(f"{era}: the tokens are what was granted"):
        check_tokens(app.tokens)
    app.seen()


async def use(era, app, client):
    async with step(f"{era}: the tools are the eight"):
        tools = await client.list_tools()
        equal(sorted(tool.name for tool in tools), TOOLS)
        assert all(tool.annotations.read_only_hint for tool in tools)

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
    before = app.tokens
    async with step(f"{era}: a spent access token is refreshed before a call"):
        app.expire()
        await working(client)
        sent = app.wire[:]
        equal(app.seen(), [("POST", f"{PATH}/token", 200), ("POST", PATH, 200)])
        body = parse_qs(sent[0][3].content.decode())
        equal((body["grant_type"], body["refresh_token"]), (["refresh_token"], [before.refresh_token]))
        assert app.tokens.access_token != before.access_token
        assert app.tokens.refresh_token != before.refresh_token
        equal(app.tokens.scope, "mico:read")
        equal(await status_of(before.access_token), 200)


def sharer(barrier, answers, folder, mode):
    """Another process on the same folder; when all have read it they refresh, and work."""

    async def work():
        app = App("Bitácora", folder, mode)
        await app.oauth._initialize()
        barrier.wait(timeout=60)
        async with app.connected() as connection:
            await working(connection)
            await working(connection)
        return {"wire": app.seen(), "access": app.tokens.access_token, "refresh": app.tokens.refresh_token}

    answering(answers, work())


async def share(era, app, folder):
    before = app.tokens
    async with step(f"{era}: {PROCESSES} processes on one folder of tokens refresh at once, and all work"):
        await app.expire_store()
        reports = await at_once(sharer, folder, app.mode)
        for report in reports:
            # A program that was started anew knows only the URL: it refreshes at the origin's own endpoint.
            equal(report["wire"][0], ("POST", "/token", 200))
            equal([entry for entry in report["wire"] if entry[2] == 401], [])

    async with step(f"{era}: they were led to one live refresh token, the one in the folder"):
        (live,) = {report["refresh"] for report in reports}
        assert live != before.refresh_token
        equal((await app.oauth.token_storage_adapter.get_tokens()).refresh_token, live)
        for report in reports:
            equal(await status_of(report["access"]), 200)

    async with step(f"{era}: the first process keeps working and refreshing with what it had"):
        app.expire()
        async with app.connected() as connection:
            await working(connection)
        equal(app.tokens.refresh_token, live)
        equal(len(PERSON.visits), 1)


async def outlive(era, app, client, folder):
    async with step(f"{era}: the server stops and starts again; the connection works and refreshes"):
        await restart()
        app.seen()
        await working(client)
        equal([entry for entry in app.seen() if entry[2] != 200], [])
        before = app.tokens.refresh_token
        app.expire()
        await working(client)
        assert app.tokens.refresh_token != before

    async with step(f"{era}: a program that starts anew on the folder asks nobody"):
        anew = App("Bitácora", folder, app.mode)
        async with anew.connected() as connection:
            await working(connection)
        equal([entry for entry in anew.seen() if entry[1] != PATH], [])
        equal(len(PERSON.visits), 1)


async def revoke(era, app, client, pat):
    async with step(f"{era}: revoking the token that allowed it is felt within a second"):
        await revoke_token(pat["id"], app.tokens.access_token)

    before = app.tokens
    PERSON.pat = fresh_token(f"fastmcp-{era} again")["token"]
    async with step(f"{era}: the next call is refused, and the person is asked again"):
        app.seen()
        await working(client)
        assert 'error="invalid_token"' in app.wire[0][4].headers["www-authenticate"]
        sent = [entry for entry in app.seen() if ".well-known" not in entry[1]]
        page, tokens = ("GET", f"{PATH}/authorize", 200), ("POST", f"{PATH}/token", 200)
        equal(sent, [("POST", PATH, 401), page, tokens, ("POST", PATH, 200)])
        equal(len(PERSON.visits), 2)
        equal(PERSON.visits[1]["asked"]["client_id"], app.registration.client_id)

    async with step(f"{era}: the ended connection's tokens and the revoked token are good for nothing"):
        await refused_refresh(before.refresh_token, app.registration.client_id)
        equal(await status_of(before.access_token), 401)
        equal(await status_of(pat["token"]), 401)


async def forget(era, app, client):
    """An operator removes the registration; the page says 400 to the client's look, and it registers again."""
    async with step(f"{era}: a registration that is gone is noticed at the page and made again"):
        app.seen()
        portero("client", "delete", app.registration.client_id)
        await ended(app.tokens.access_token)
        await working(client)
        sent = [entry for entry in app.seen() if ".well-known" not in entry[1]]
        expected = [
            ("POST", PATH, 401),
            ("GET", f"{PATH}/authorize", 400),
            ("POST", PATH, 401),
            ("POST", f"{PATH}/register", 201),
            ("GET", f"{PATH}/authorize", 200),
            ("POST", f"{PATH}/token", 200),
            ("POST", PATH, 200),
        ]
        equal(sent, expected)
        equal(len(PERSON.visits), 3)


if __name__ == "__main__":
    sys.exit(asyncio.run(eras(journey)))
