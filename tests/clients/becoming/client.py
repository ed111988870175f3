"""The Python SDK before Becoming: some of the eleven permissions, what is left out, and a second authorization.

Before a service that says no by HTTP status (`STEPS_UP`) the SDK takes the challenge and authorizes again by itself.
"""

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client, MCPError
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from consent import signed_in_consent
from support import Failed, Memory, equal, step

ENDPOINT, EMAIL, PASSWORD = os.environ["ENDPOINT"], os.environ["EMAIL"], os.environ["PASSWORD"]
REDIRECT = "http://127.0.0.1:3030/callback"
READING = ["highlights:read", "sources:read"]


class Agent(Memory):
    """An agent on the SDK with its memory; its person allows `scopes`."""

    def __init__(self, scopes, mode):
        self.scopes, self.mode = scopes, mode
        super().__init__()
        self.asked, self.offered = [], []
        self.provider = OAuthClientProvider(
            server_url=ENDPOINT,
            client_metadata=OAuthClientMetadata(
                client_name="Lectora", redirect_uris=[REDIRECT], token_endpoint_auth_method="none"
            ),
            storage=self,
            redirect_handler=self.authorize,
            callback_handler=self.come_back,
        )

    async def authorize(self, url):
        asked = parse_qs(urlsplit(url).query).get("scope", [""])[0]
        self.asked.append(sorted(asked.split()))
        location, self.offered = await asyncio.to_thread(signed_in_consent, url, EMAIL, PASSWORD, self.scopes)
        assert location.startswith(f"{REDIRECT}?"), location
        self.redirect = {key: values[0] for key, values in parse_qs(urlsplit(location).query).items()}

    async def come_back(self):
        return AuthorizationCodeResult(**self.redirect)

    @asynccontextmanager
    async def connected(self):
        async with httpx2.AsyncClient(auth=self.provider, timeout=30) as http:
            async with Client(streamable_http_client(ENDPOINT, http_client=http), mode=self.mode) as client:
                yield client

    def granted(self):
        return sorted(self.tokens.scope.split())


async def refused(call, number, code):
    try:
        await call
    except MCPError as error:
        equal((error.code, error.data["code"]), (number, code))
    else:
        raise AssertionError("it was answered")


async def chosen(mode, numbers):
    missing, academy, unconfirmed = numbers
    agent = Agent(READING, mode)
    async with agent.connected() as client:
        async with step(f"the Python SDK, {mode}: two of eleven permissions, and the list is what they allow"):
            equal((len(agent.offered), agent.granted()), (11, READING))
            names = sorted(tool.name for tool in (await client.list_tools()).tools)
            reading = ["get_academy_status", "get_highlight", "get_import", "get_source", "list_sources"]
            equal(names, [*reading, "search_highlights"])
            assert not (await client.call_tool("list_sources", {})).is_error
        async with step(f"the Python SDK, {mode}: what was left out is {missing}"):
            await refused(client.call_tool("list_themes", {}), missing, "missing_scope")
            await refused(client.read_resource("becoming://notes"), missing, "missing_scope")
            assert (await client.read_resource("becoming://highlights")).contents
        wider = Agent([*READING, "themes:read", "themes:write"], mode)
        wider.client = agent.client
        async with wider.connected() as more:
            async with step(f"the Python SDK, {mode}: a second authorization adds it, the first stays as it is"):
                assert not (await more.call_tool("list_themes", {})).is_error
                await refused(client.call_tool("list_themes", {}), missing, "missing_scope")
                assert not (await client.call_tool("list_sources", {})).is_error
            async with step(f"the Python SDK, {mode}: the academy needs its plan, and what writes a person"):
                done = {"theme_id": 1, "confirm": True, "user_intent": "Terminar"}
                await refused(more.call_tool("complete_theme", done), academy, "feature_not_included")
                adding = Agent(["sources:write"], mode)
                adding.client = agent.client
                async with adding.connected() as writer:
                    source = {"url": "https://example.com/articulo"}
                    await refused(writer.call_tool("add_source", source), unconfirmed, "confirmation_required")


async def stepped_up(mode):
    agent = Agent(["sources:read"], mode)
    async with agent.connected() as client:
        async with step(f"the Python SDK, {mode}: a 403 makes it authorize again, and the call passes"):
            assert not (await client.call_tool("list_sources", {})).is_error
            agent.scopes = READING
            assert not (await client.call_tool("search_highlights", {"query": "hábito"})).is_error
            # it asks for all that it has ever asked for, and the person allows what they like
            equal(len(agent.asked), 2)
            assert set(READING) <= set(agent.asked[1]), agent.asked
            equal(agent.granted(), READING)
            assert not (await client.call_tool("list_sources", {})).is_error


async def main():
    failed = False
    for mode, numbers in [("auto", (-31002, -31010, -31011)), ("legacy", (-32002, -32010, -32011))]:
        try:
            await (stepped_up(mode) if "STEPS_UP" in os.environ else chosen(mode, numbers))
        except* Failed:
            failed = True
    sys.exit(failed)


asyncio.run(main())
