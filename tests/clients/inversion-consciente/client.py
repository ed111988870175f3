"""The Python SDK before Inversión Consciente: with a token of the issuer's, and with none."""

import asyncio
import json
import os
import sys
import traceback
from contextlib import asynccontextmanager

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

ENDPOINT = os.environ["ENDPOINT"]
TOOLS = ["list_articles", "get_article", "search_articles", "my_ai_usage", "my_recent_messages"]


@asynccontextmanager
async def connected(token, mode):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        async with Client(streamable_http_client(ENDPOINT, http_client=http), mode=mode) as client:
            yield client


async def with_a_token(mode):
    async with connected(os.environ["TOKEN"], mode) as client:
        assert client.protocol_version == "2025-06-18", client.protocol_version
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
        result = await client.call_tool("list_articles", {"category": "IA", "limit": 10})
        articles = result.structured_content["articles"]
        assert len(articles) == 10 and {article["category"] for article in articles} == {"IA"}, articles
        assert json.loads(result.content[0].text) == articles
        usage = await client.call_tool("my_ai_usage", {})
        assert not usage.is_error and usage.structured_content["messages_limit"] == 20, usage
        try:
            await client.call_tool("delete_article", {})
        except MCPError as error:
            assert error.code == -32602, error.code
        else:
            raise AssertionError("it was called")


async def without(mode):
    async with connected(None, mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS[:3]
        result = await client.call_tool("get_article", {"slug": "que-es-un-etf"})
        assert not result.is_error and "Qué es un ETF" in result.structured_content["body_markdown"]
        refused = await client.call_tool("my_recent_messages", {})
        assert refused.is_error and refused.content[0].type == "text", refused


async def main():
    failed = 0
    for mode in ["auto", "legacy"]:
        for name, journey in [("with a token", with_a_token), ("without one", without)]:
            try:
                await journey(mode)
                print(f"  ok V061 the Python SDK, {mode}, {name}", flush=True)
            except Exception:
                failed = 1
                print(f"  FAILED V061 the Python SDK, {mode}, {name}\n{traceback.format_exc()}", flush=True)
    sys.exit(failed)


asyncio.run(main())
