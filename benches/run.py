#!/usr/bin/env python3
"""CPU per request of Portero beside nginx, in one run on one machine.

Load generator, proxies and worker share the cores, so requests per second say little; what a process costs is the user
and system time it took, divided by the requests it answered. Median of the rounds, ratio to the named peer.
"""
import argparse, json, os, re, signal, socket, statistics, subprocess, sys, tempfile, time, urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def family(pid):
    children = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
    return [pid] + [own for child in children for own in family(int(child))]


def cpu(pids):
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


class Run:
    def __init__(self, options):
        self.options = options
        self.dir = tempfile.mkdtemp(prefix="portero-bench-")
        self.ports = {name: free_port() for name in ("WORKER", "PROXY", "ASKING", "CHECKER", "PORTERO")}
        self.processes = {}

    def nginx(self, name):
        text = open(os.path.join(HERE, f"{name}.conf")).read()
        for key, port in self.ports.items():
            text = text.replace(f"@{key}@", str(port))
        folder = os.path.join(self.dir, name)
        os.makedirs(folder)
        conf = os.path.join(folder, "nginx.conf")
        open(conf, "w").write(text)
        self.start(name, ["nginx", "-p", folder, "-c", conf])

    def start(self, name, command):
        log = open(os.path.join(self.dir, f"{name}.log"), "ab")
        self.processes[name] = subprocess.Popen(command, stdout=log, stderr=log)

    def portero(self):
        base = f"http://127.0.0.1:{self.ports['PORTERO']}"
        tools = [{"name": n, "description": n, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
                 for n in ["list_meetings", "locked_tool", *(f"tool_{i}" for i in range(113))]]
        json.dump(tools, open(os.path.join(self.dir, "tools.json"), "w"))
        self.config = os.path.join(self.dir, "portero.toml")
        open(self.config, "w").write(f'''
public_url = "{base}"
listen = "127.0.0.1:{self.ports['PORTERO']}"
[database]
url = "sqlite://bench.db"
[plans.flow]
features = ["mcp"]
[brand.mico]
name = "Mico"
[[service]]
id = "mico"
brand = "mico"
name = "Mico"
resource = "{base}/mcp"
accept = ["pat", "oauth"]
feature = "mcp"
[service.scopes."mico:read"]
default = true
[service.scopes."mico:write"]
[[service.upstream]]
id = "meetings"
kind = "worker"
url = "http://127.0.0.1:{self.ports['WORKER']}"
catalog = "tools.json"
[service.tool.locked_tool]
scopes = ["mico:write"]
''')
        self.start("portero", [self.options.binary, "--config", self.config, "serve"])
        self.endpoint = f"{base}/mcp"
        for _ in range(200):
            try:
                urllib.request.urlopen(f"{base}/.well-known/oauth-protected-resource/mcp", timeout=1)
                break
            except OSError:
                time.sleep(0.05)
        self.cli("user", "create", "--email", "ana@example.com", "--name", "Ana", "--plan", "flow")
        made = self.cli("token", "create", "--user", "ana@example.com", "--name", "bench", "--scope", "mico:read")
        return made["token"]

    def cli(self, *arguments):
        done = subprocess.run([self.options.binary, "--config", self.config, "--json", *arguments],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"portero {' '.join(arguments)}: {done.stderr}")
        return json.loads(done.stdout or "null")

    def load(self, names, url, env, refused):
        pids = [pid for name in names for pid in family(self.processes[name].pid)]
        before = cpu(pids)
        out = subprocess.run(["wrk", "-t1", f"-c{self.options.connections}", f"-d{self.options.seconds}s", "--latency",
                              "-s", os.path.join(HERE, "call.lua"), url],
                             capture_output=True, text=True, env={**os.environ, **env}).stdout
        requests = int(re.search(r"(\d+) requests in", out).group(1))
        bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
        if bool(bad) != refused:
            sys.exit(f"{url}: unexpected answers\n{out}")
        return (cpu(pids) - before) / requests * 1e6

    def stop(self):
        for process in self.processes.values():
            process.send_signal(signal.SIGTERM)
        for process in self.processes.values():
            process.wait(20)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/portero")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--connections", type=int, default=32)
    options = parser.parse_args()
    run = Run(options)
    try:
        for name in ("worker", "checker", "peers"):
            run.nginx(name)
        token = run.portero()
        proxy, asking = f"http://127.0.0.1:{run.ports['PROXY']}/", f"http://127.0.0.1:{run.ports['ASKING']}/"
        last = "A" if token[-1] != "A" else "B"
        unknown = "mico_pat_" + "0" * 43
        unknown += checksum(unknown)
        targets = {
            "nginx proxy_pass": (["peers"], proxy, {"TOKEN": token}, False),
            "nginx auth_request": (["peers", "checker"], asking, {"TOKEN": token}, False),
            "tools/call": (["portero"], run.endpoint, {"TOKEN": token}, False),
            "tools/list of 115": (["portero"], run.endpoint, {"TOKEN": token, "METHOD": "tools/list"}, False),
            "refused: bad checksum": (["portero"], run.endpoint, {"TOKEN": token[:-1] + last}, True),
            "refused: unknown token": (["portero"], run.endpoint, {"TOKEN": unknown}, True),
            "refused: no scope": (["portero"], run.endpoint, {"TOKEN": token, "TOOL": "locked_tool"}, False),
        }
        figures = {name: [] for name in targets}
        for _ in range(options.rounds):
            for name, target in targets.items():
                figures[name].append(run.load(*target))
    finally:
        run.stop()
    report({name: statistics.median(values) for name, values in figures.items()})


ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def checksum(text):
    import zlib
    number, digits = zlib.crc32(text.encode()), ""
    for _ in range(6):
        number, digit = divmod(number, 62)
        digits = ALPHABET[digit] + digits
    return digits


def report(us):
    call = us["tools/call"]
    print(f"\n{'':28}{'µs of CPU a request':>22}")
    for name, value in us.items():
        print(f"{name:28}{value:>22.1f}")
    rows = [
        ("S1", "tools/call against nginx proxy_pass", call / us["nginx proxy_pass"], 1.8),
        ("S2", "tools/call against nginx auth_request", call / us["nginx auth_request"], 0.9),
        ("S4", "tools/list of 115 against tools/call", us["tools/list of 115"] / call, 1.5),
        ("S5", "bad checksum against tools/call", us["refused: bad checksum"] / call, 0.5),
        ("S5", "unknown token against tools/call", us["refused: unknown token"] / call, 0.5),
        ("S5", "no scope against tools/call", us["refused: no scope"] / call, 0.5),
    ]
    print()
    for name, what, ratio, bar in rows:
        print(f"{name}  {what:44}{ratio:>7.2f} ×   bar {bar} ×   {'held' if ratio <= bar else 'MISSED'}")


if __name__ == "__main__":
    main()
