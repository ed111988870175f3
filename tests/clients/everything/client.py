"""The Python SDK before server-everything behind the gateway, once for each way to begin."""

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
from mcp.types import CreateMessageResult, ElicitResult, ListRootsResult, Root, TextContent

from consent import signed_in_consent
from support import Failed, Memory, equal, step

ENDPOINT, EMAIL, PASSWORD = os.environ["ENDPOINT"], os.environ["EMAIL"], os.environ["PASSWORD"]
REDIRECT = "http://127.0.0.1:3030/callback"


class App(Memory):
    """A program on the SDK with its memory, which answers what servers ask."""

    def __init__(self, mode):
        self.mode = mode
        super().__init__()
        self.asked = []
        self.provider = OAuthClientProvider(
            server_url=ENDPOINT,
            client_metadata=OAuthClientMetadata(
                client_name="Probe", redirect_uris=[REDIRECT], token_endpoint_auth_method="none"
            ),
            storage=self,
            redirect_handler=self.authorize,
            callback_handler=self.come_back,
        )

    async def authorize(self, url):
        location, _ = await asyncio.to_thread(signed_in_consent, url, EMAIL, PASSWORD, ["use"])
        assert location.startswith(f"{REDIRECT}?"), location
        self.redirect = {key: values[0] for key, values in parse_qs(urlsplit(location).query).items()}

    async def come_back(self):
        return AuthorizationCodeResult(**self.redirect)

    async def elicit(self, _context, params):
        self.asked.append(params)
        return ElicitResult(action="accept", content={"name": "Ana", "check": True})

    async def sample(self, _context, params):
        self.asked.append(params)
        return CreateMessageResult(
            role="assistant", content=TextContent(type="text", text="Forty-two."), model="a-model"
        )

    async def roots(self, _context):
        return ListRootsResult(roots=[Root(uri="file:///home/ana/notes", name="Notes")])

    @asynccontextmanager
    async def connected(self):
        async with httpx2.AsyncClient(auth=self.provider, timeout=30) as http:
            async with Client(
                streamable_http_client(ENDPOINT, http_client=http),
                mode=self.mode,
                elicitation_callback=self.elicit,
                sampling_callback=self.sample,
                list_roots_callback=self.roots,
            ) as client:
                yield client


def text_of(result):
    assert not result.is_error, result
    equal([content.type for content in result.content], ["text"])
    return result.content[0].text


async def use(mode):
    """The server knows only revisions with sessions: to a client of the other era come the tools that ask nothing."""
    said = f"the Python SDK, {mode}"
    app = App(mode)
    asking = set() if mode == "auto" else {"get-roots-list", "trigger-elicitation-request", "trigger-sampling-request"}
    async with app.connected() as client:
        async with step(f"{said}: consent leads to the server's tools"):
            names = {tool.name for tool in (await client.list_tools()).tools}
            equal(({"echo", "get-sum"} | asking) - names, set())
        async with step(f"{said}: echo, a sum, a picture"):
            equal(text_of(await client.call_tool("echo", {"message": "¿quién?"})), "Echo: ¿quién?")
            equal(text_of(await client.call_tool("get-sum", {"a": 2, "b": 40})), "The sum of 2 and 40 is 42.")
            content = (await client.call_tool("get-tiny-image", {})).content
            assert any(own.type == "image" and own.mime_type == "image/png" for own in content)
        async with step(f"{said}: the progress of a long operation is told while it runs"):
            await progress(client)
        async with step(f"{said}: resources and prompts"):
            await shelf(client)
        if asking:
            async with step(f"{said}: the server asks person, model and roots, and has the answers"):
                await asked(app, client)


async def progress(client):
    told, began = [], asyncio.get_running_loop().time()

    async def tell(value, total, _message):
        told.append((value, total, asyncio.get_running_loop().time() - began))

    arguments = {"duration": 2, "steps": 4}
    result = await client.call_tool("trigger-long-running-operation", arguments, progress_callback=tell)
    assert "Duration: 2 seconds, Steps: 4" in text_of(result)
    assert len(told) >= 3, told
    equal([own[:2] for own in told], [(at + 1, 4) for at in range(len(told))])
    assert told[2][2] - told[0][2] > 0.7, f"all at once: {told}"


async def shelf(client):
    uris = {str(own.uri) for own in (await client.list_resources()).resources}
    assert "demo://resource/static/document/features.md" in uris, uris
    read = await client.read_resource("demo://resource/dynamic/text/7")
    assert read.contents[0].text.startswith("Resource 7: ")
    names = sorted(prompt.name for prompt in (await client.list_prompts()).prompts)
    equal(names, ["args-prompt", "completable-prompt", "resource-prompt", "simple-prompt"])
    prompt = await client.get_prompt("args-prompt", {"city": "Oviedo"})
    assert "Oviedo" in prompt.messages[0].content.text
    try:
        await client.read_resource("demo://resource/none")
    except MCPError:
        pass
    else:
        raise AssertionError("it was read")


async def asked(app, client):
    content = (await client.call_tool("trigger-elicitation-request", {})).content
    assert any("Ana" in own.text for own in content), content
    content = (await client.call_tool("trigger-sampling-request", {"prompt": "What is it?", "maxTokens": 7})).content
    assert any("Forty-two." in own.text for own in content), content
    assert "file:///home/ana/notes" in text_of(await client.call_tool("get-roots-list", {}))
    equal(len(app.asked), 2)


async def main():
    failed = False
    for mode in ["legacy", "auto"]:
        try:
            await use(mode)
        except* Failed:
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
