#!/usr/bin/env python3
"""What an event of a stream waits longer for on its way through Portero.

As a program, `streams.py PORT COUNT PAUSE`: a server whose every answer is a stream of COUNT events, PAUSE seconds
apart, each with the moment when it was written; as a plain worker under /tools, as an MCP server under /mcp. All
processes of a machine read one monotonic clock.
"""
import http.client, json, socket, statistics, sys, time, urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOL = {"name": "list_meetings", "description": "Streams.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
TYPES = "application/json, text/event-stream"


class Streamer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    count, pause = 0, 0.0

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
        if not self.path.startswith("/mcp"):
            return self.stream(lambda stamp, n: f"event: progress\ndata: {json.dumps({'progress': n, 'message': stamp})}\n\n",
                               'event: result\ndata: {"done":true}\n\n')
        if "id" not in body:
            self.send_response(202)
            self.send_header("content-length", "0")
            return self.end_headers()
        if body["method"] == "tools/call":
            return self.call(body)
        return self.say(json.dumps({"jsonrpc": "2.0", "id": body["id"], "result": self.result(body)}))

    def do_GET(self):
        self.say("{}", 405 if self.path.startswith("/mcp") else 404)

    def result(self, body):
        cached = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        info = {"name": "streamer", "version": "1"}
        if body["method"] == "initialize":
            return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
        if body["method"] == "server/discover":
            return {**cached, "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
        return {**cached, "tools": [TOOL]} if body["method"] == "tools/list" else cached

    def call(self, body):
        token = body["params"].get("_meta", {}).get("progressToken", "none")
        result = {"content": [{"type": "text", "text": "done"}], "resultType": "complete"}

        def event(stamp, n):
            params = {"progressToken": token, "progress": n, "message": stamp}
            return f"data: {json.dumps({'jsonrpc': '2.0', 'method': 'notifications/progress', 'params': params})}\n\n"

        self.stream(event, f"data: {json.dumps({'jsonrpc': '2.0', 'id': body['id'], 'result': result})}\n\n")

    def say(self, text, status=200):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def stream(self, event, last):
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for n in range(1, self.count + 1):
            time.sleep(self.pause)
            self.wfile.write(event(str(time.monotonic_ns()), n).encode())
        self.wfile.write(last.encode())
        self.close_connection = True

    def log_message(self, *_):
        pass


def delays(url, headers):
    """How many milliseconds each event of one call was on its way."""
    at = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(at.hostname, at.port, timeout=60)
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
               "params": {"name": "list_meetings", "arguments": {}, "_meta": {"progressToken": "p", **MODERN}}}
    connection.request("POST", at.path, json.dumps(message), headers)
    answer = connection.getresponse()
    if answer.status != 200 or not answer.headers["content-type"].startswith("text/event-stream"):
        sys.exit(f"{url}: no stream: {answer.status} {answer.read()!r}")
    found = []
    while line := answer.readline():
        now = time.monotonic_ns()
        if line.startswith(b"data:") and b'"message"' in line:
            data = json.loads(line[5:])
            data = data.get("params", data)
            found.append((now - int(data["message"])) / 1e6)
    connection.close()
    return found


def headers_for(token=None):
    mirrored = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "list_meetings"}
    bearer = {"authorization": f"Bearer {token}"} if token else {}
    return {"content-type": "application/json", "accept": TYPES, **mirrored, **bearer}


def measure(sides, count):
    """Median and 99th percentile of each side, and of what the second adds to the first."""
    figures = {}
    for name, (url, headers) in sides.items():
        own = delays(url, headers)
        if len(own) != count:
            sys.exit(f"{url}: {len(own)} of {count} events came")
        figures[f"{name} median"], figures[f"{name} p99"] = statistics.median(own), statistics.quantiles(own, n=100)[98]
    return figures


def main():
    Streamer.count, Streamer.pause = int(sys.argv[2]), float(sys.argv[3])
    ThreadingHTTPServer.daemon_threads = True
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Streamer).serve_forever()


if __name__ == "__main__":
    main()
