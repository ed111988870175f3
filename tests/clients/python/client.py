"""The Python SDK from the bare MCP URL to the end of its connection, once for each era of the protocol.

Consent is given by the page's form over HTTP, with a personal access token as proof of identity, as in an
environment that has no browser. At the end three processes share one refresh token.
"""

import asyncio
import json
import re
import sys
import time
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client, MCPError
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from consent import consent
from support import (
    ENDPOINT,
    Memory,
    PATH,
    PROCESSES,
    TOOLS,
    answering,
    at_once,
    check_discovery,
    check_tokens,
    equal,
    eras,
    fresh_token,
    refused_refresh,
    revoke_token,
    status_of,
    step,
)

# Nobody listens there: the redirect is read from the answer to the form.
REDIRECT = "http://127.0.0.1:3030/callback"


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
        status, location = await asyncio.to_thread(consent, url, self.pat)
        equal(status, 303)
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


async def journey(era, mode, revision):
    name = f"python-{era}"
    pat = fresh_token(name)
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
        steps = [entry[:3] for entry in sent]
        check_discovery(sent[0][4].headers["www-authenticate"], steps[:4])
        equal(steps[4:6], [("POST", f"{PATH}/token", 200), ("POST", PATH, 200)])

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
        check_tokens(app.memory.tokens)

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
        return {"wire": app.seen(), "tokens": app.memory.tokens.model_dump_json()}

    answering(answers, work())


async def share(era, app):
    tokens, client = app.memory.tokens, app.memory.client
    async with step(f"{era}: {PROCESSES} processes that share a refresh token refresh at once, and all work"):
        reports = await at_once(sharer, tokens.model_dump_json(), client.model_dump_json(), app.mode)
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
        await revoke_token(pat, app.memory.tokens.access_token)

    ended = app.memory.tokens
    revoked, app.pat = app.pat, fresh_token(f"{app.name} again")["token"]
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
        await refused_refresh(ended.refresh_token, app.memory.client.client_id)
        equal(await status_of(ended.access_token), 401)
        equal(await status_of(revoked), 401)
        again = app.authorizations[1].replace("&state=", "&state=x")
        equal(await asyncio.to_thread(consent, again, revoked), (400, None))


if __name__ == "__main__":
    sys.exit(asyncio.run(eras(journey)))
