"""The servers of a run, each a process of its own, and the credentials to ask them with."""
import base64, hashlib, http.cookiejar, json, os, re, secrets, signal, subprocess, sys, time
import urllib.error, urllib.parse, urllib.request, zlib

from measure import HERE, free_port

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
VERIFIER = "a-verifier-of-more-than-forty-three-characters-0123456789"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


def checked(text):
    """A token with its checksum."""
    number, digits = zlib.crc32(text.encode()), ""
    for _ in range(6):
        number, digit = divmod(number, 62)
        digits = ALPHABET[digit] + digits
    return text + digits


def random_token(prefix):
    return checked(prefix + "".join(secrets.choice(ALPHABET) for _ in range(43)))


class Processes:
    def __init__(self, folder):
        self.folder, self.running = folder, []

    def start(self, name, command, env=None):
        log = open(os.path.join(self.folder, f"{name}.log"), "ab")
        process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **(env or {})})
        self.running.append(process)
        return process

    def nginx(self, name, ports):
        text = open(os.path.join(HERE, f"{name}.conf")).read()
        for key, port in ports.items():
            text = text.replace(f"@{key}@", str(port))
        folder = os.path.join(self.folder, name)
        os.makedirs(folder)
        conf = os.path.join(folder, "nginx.conf")
        open(conf, "w").write(text)
        return self.start(name, ["nginx", "-p", folder, "-c", conf])

    def stop(self, process=None):
        for own in [process] if process else self.running:
            if own.poll() is None:
                own.send_signal(signal.SIGTERM)
        for own in [process] if process else self.running:
            own.wait(20)


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Browser:
    """Keeps cookies, follows nothing by itself."""

    def __init__(self):
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(jar, Stay())

    def ask(self, url, form=None, headers=None):
        body = urllib.parse.urlencode(form).encode() if form else None
        try:
            reply = self.opener.open(urllib.request.Request(url, body, headers or {}), timeout=30)
        except urllib.error.HTTPError as error:
            reply = error
        text = reply.read().decode()
        if reply.status >= 400:
            sys.exit(f"{url}: {reply.status} {text}")
        return text, reply.headers.get("location")


def code_of(location):
    return urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)["code"][0]


def request_of(client, redirect):
    return urllib.parse.urlencode({
        "response_type": "code", "client_id": client, "redirect_uri": redirect, "state": "s",
        "code_challenge": CHALLENGE, "code_challenge_method": "S256"})


def redeem(url, client, code, redirect):
    """Access and refresh token of a code."""
    text, _ = Browser().ask(url, {"grant_type": "authorization_code", "code": code, "client_id": client,
                                  "code_verifier": VERIFIER, "redirect_uri": redirect})
    answer = json.loads(text)
    return answer["access_token"], answer["refresh_token"]


class Portero:
    def __init__(self, processes, name, binary, worker, database="sqlite://bench.db", more="", kind="worker"):
        self.processes, self.name, self.binary = processes, name, binary
        self.folder = os.path.join(processes.folder, name)
        os.makedirs(self.folder)
        self.base = f"http://127.0.0.1:{free_port()}"
        self.endpoint = f"{self.base}/mcp"
        tools = [{"name": n, "description": n, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
                 for n in ["list_meetings", "locked_tool", *(f"tool_{i}" for i in range(113))]]
        json.dump(tools, open(os.path.join(self.folder, "tools.json"), "w"))
        # An MCP server says itself what it offers.
        offers = 'unlisted = "default"' if kind == "mcp" else 'catalog = "tools.json"'
        self.config = os.path.join(self.folder, "portero.toml")
        open(self.config, "w").write(f'''
public_url = "{self.base}"
listen = "{self.base.removeprefix("http://")}"
[database]
url = "{database}"
migrate = true
[keys]
file = "bench.keys"
{more}
[plans.flow]
features = ["mcp"]
[brand.mico]
name = "Mico"
authorize_with_pat = true
[[service]]
id = "mico"
brand = "mico"
name = "Mico"
resource = "{self.base}/mcp"
accept = ["pat", "oauth"]
feature = "mcp"
[service.scopes."mico:read"]
default = true
[service.scopes."mico:write"]
[[service.upstream]]
id = "meetings"
kind = "{kind}"
url = "{worker}"
{offers}
[service.tool.locked_tool]
scopes = ["mico:write"]
''')
        self.cli("keys", "init")
        self.start()

    def start(self):
        """Starts it; how many seconds it took to answer."""
        began = time.monotonic()
        self.process = self.processes.start(self.name, [self.binary, "--config", self.config, "serve"])
        while time.monotonic() - began < 20:
            try:
                urllib.request.urlopen(f"{self.base}/.well-known/oauth-protected-resource/mcp", timeout=1)
                return time.monotonic() - began
            except OSError:
                time.sleep(0.002)
        sys.exit(f"{self.name} does not come up; see {self.processes.folder}")

    def stop(self):
        self.processes.stop(self.process)

    @property
    def pid(self):
        return self.process.pid

    def cli(self, *arguments):
        done = subprocess.run([self.binary, "--config", self.config, "--json", *arguments], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"portero {' '.join(arguments)}: {done.stderr}")
        return json.loads(done.stdout or "null")

    def person(self):
        """A person's token that may read."""
        self.cli("user", "create", "--email", "ana@example.com", "--name", "Ana", "--plan", "flow")
        made = self.cli("token", "create", "--user", "ana@example.com", "--name", "bench", "--scope", "mico:read")
        return made["token"]

    def connect(self, count, pat):
        """So many connections of one client: its id, their access and refresh tokens."""
        redirect = "http://127.0.0.1/callback"
        body = json.dumps({"client_name": "bench", "redirect_uris": [redirect]}).encode()
        asked = urllib.request.Request(f"{self.base}/register", body, {"content-type": "application/json"})
        client = json.load(urllib.request.urlopen(asked))["client_id"]
        tokens = []
        for _ in range(count):
            browser = Browser()
            page, _ = browser.ask(f"{self.base}/authorize?{request_of(client, redirect)}")
            form = {name: re.search(f'name="{name}" value="([^"]+)"', page).group(1) for name in ("transaction", "csrf")}
            form.update(decision="allow", scope="mico:read", personal_access_token=pat)
            _, location = browser.ask(f"{self.base}/authorize", form, {"origin": self.base, "accept": "*/*"})
            tokens.append(redeem(f"{self.base}/token", client, code_of(location), redirect))
        return client, tokens


class NodeOidc:
    """node-oidc-provider with its tables in the same database."""

    def __init__(self, processes, folder, database):
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        env = {"PORT": str(port), "PG_URL": database, "NODE_ENV": "production"}
        self.process = processes.start("node-oidc", ["node", os.path.join(folder, "server.mjs")], env)
        for _ in range(400):
            try:
                urllib.request.urlopen(f"{self.base}/.well-known/openid-configuration", timeout=1)
                return
            except OSError:
                time.sleep(0.05)
        sys.exit(f"node-oidc does not come up; see {processes.folder}")

    def connect(self, count):
        redirect, tokens = "http://127.0.0.1/callback", []
        for _ in range(count):
            browser = Browser()
            at = f"{self.base}/auth?{request_of('bench', redirect)}&scope=mcp:read+mcp:write"
            while not at.startswith(redirect):
                _, location = browser.ask(at)
                at = urllib.parse.urljoin(at, location)
            tokens.append(redeem(f"{self.base}/token", "bench", code_of(at), redirect))
        return "bench", tokens
