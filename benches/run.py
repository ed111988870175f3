#!/usr/bin/env python3
"""What Portero costs, beside its peers, in one run on one machine.

Load generator, servers and databases share the cores, so absolute figures say little: each row is a ratio to a peer
under the same load, the median of the rounds. What a call costs (S1, S2, S4, S5) is the user and system time that the
process took, divided by the requests it answered.
"""
import argparse, base64, hashlib, itertools, os, shutil, sqlite3, statistics, subprocess, sys, tempfile, time

from measure import Load, cpu, free_port, resident
from servers import NodeOidc, Portero, Processes, checked, random_token
import streams

CHAINS = 16
EVENTS, APART = 1000, 0.002


class Run:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="portero-bench-")
        self.processes = Processes(self.folder)
        self.ports = {name: free_port() for name in ("WORKER", "PROXY", "ASKING", "CHECKER")}
        self.worker = f"http://127.0.0.1:{self.ports['WORKER']}"
        self.nginx = {name: self.processes.nginx(name, self.ports) for name in ("worker", "checker", "peers")}

    def portero(self, name, **more):
        return Portero(self.processes, name, self.options.binary, self.worker, **more)

    def rounds(self, measure):
        """The median of each figure, by its name."""
        figures = [measure() for _ in range(self.options.rounds)]
        return {name: statistics.median(figure[name] for figure in figures) for name in figures[0]}

    def file(self, name, lines):
        path = os.path.join(self.folder, name)
        open(path, "w").writelines(f"{line}\n" for line in lines)
        return path


def costs(run):
    """S1, S2, S4, S5: CPU a request, and S3: what a call waits longer for."""
    portero = run.portero("calls")
    token = portero.person()
    unknown = checked("mico_pat_" + "0" * 43)
    bad = token[:-1] + ("A" if token[-1] != "A" else "B")
    proxy, asking = f"http://127.0.0.1:{run.ports['PROXY']}/", f"http://127.0.0.1:{run.ports['ASKING']}/"
    checker, peers = run.nginx["checker"].pid, run.nginx["peers"].pid
    targets = {
        "nginx proxy_pass": ([peers], proxy, {"TOKEN": token}, False),
        "nginx auth_request": ([peers, checker], asking, {"TOKEN": token}, False),
        "tools/call": ([portero.pid], portero.endpoint, {"TOKEN": token}, False),
        "tools/list of 115": ([portero.pid], portero.endpoint, {"TOKEN": token, "METHOD": "tools/list"}, False),
        "refused: bad checksum": ([portero.pid], portero.endpoint, {"TOKEN": bad}, True),
        "refused: unknown token": ([portero.pid], portero.endpoint, {"TOKEN": unknown}, True),
        "refused: no scope": ([portero.pid], portero.endpoint, {"TOKEN": token, "TOOL": "locked_tool"}, False),
    }

    def measure():
        figures = {}
        for name, (pids, url, env, refused) in targets.items():
            before = sum(map(cpu, pids))
            load = Load("call.lua", url, run.options.connections, run.options.seconds, env=env, refused=refused)
            figures[name] = (sum(map(cpu, pids)) - before) / load.requests * 1e6
        return figures

    us = run.rounds(measure)
    print(f"\n{'':28}{'µs of CPU a request':>22}")
    for name, value in us.items():
        print(f"{name:28}{value:>22.1f}")
    call = us["tools/call"]
    yield "S1", "tools/call against nginx proxy_pass", call / us["nginx proxy_pass"], "×", 1.8
    yield "S2", "tools/call against nginx auth_request", call / us["nginx auth_request"], "×", 0.9
    yield from half_load(run, portero, token)
    yield "S4", "tools/list of 115 against tools/call", us["tools/list of 115"] / call, "×", 1.5
    for name in ("bad checksum", "unknown token", "no scope"):
        yield "S5", f"{name} against tools/call", us[f"refused: {name}"] / call, "×", 0.5
    portero.stop()


def half_load(run, portero, token):
    """wrk keeps no rate; connections that pause between two calls come close: twice as many as at full load, each
    waiting so long that half of the full rate comes out."""
    connections, env = 2 * run.options.connections, {"TOKEN": token}
    full = Load("call.lua", portero.endpoint, run.options.connections, run.options.seconds, env=env)
    env["PAUSE"] = str(max(1, round(2 * connections / full.rate * 1000)))

    def measure():
        through, bare = (Load("call.lua", url, connections, run.options.seconds, env=env)
                         for url in (portero.endpoint, run.worker))
        return {"extra": through.p99 - bare.p99, "through": through.p99, "bare": bare.p99, "rate": through.rate}

    ms = run.rounds(measure)
    print(f"\nhalf load: {ms['rate']:.0f} calls a second of {full.rate:.0f}; 99% within {ms['through']:.2f} ms, "
          f"at the bare worker {ms['bare']:.2f} ms")
    yield "S3", "p99 over the bare worker at half load", ms["extra"], "ms", 2


def exchanges(run):
    """S6 and S7: refreshes and cold introspections a second, on one PostgreSQL with a peer."""
    database = os.environ["PORTERO_TEST_POSTGRES"] + "/postgres"
    portero = run.portero("exchanges", database=database)
    pat = portero.person()
    key = portero.cli("introspection-key", "create", "--name", "bench")
    peer = NodeOidc(run.processes, run.options.peer, database)
    sides = {
        "Portero": (portero.base, "/introspect", f"{key['id']}:{key['secret']}", lambda: portero.connect(CHAINS, pat)),
        "node-oidc-provider": (peer.base, "/token/introspection", "worker:worker-secret", lambda: peer.connect(CHAINS)),
    }
    # Portero remembers what it has read: cold is a token that it has not seen yet. The peer reads each time.
    portero.connect(1, pat)
    unseen = iter(copies_in_postgres(run, database, run.options.tokens * run.options.rounds))

    def refreshes(base, _path, _secret, connect):
        client, tokens = connect()
        file = run.file("refresh", (refresh for _, refresh in tokens))
        # A thread has one connection, a connection one chain.
        return Load("refresh.lua", f"{base}/token", CHAINS, run.options.seconds, CHAINS, [client, file]).rate

    def introspections(base, path, secret, connect):
        basic = "Basic " + base64.b64encode(secret.encode()).decode()
        own = base == portero.base
        tokens = itertools.islice(unseen, run.options.tokens) if own else (access for access, _ in connect()[1])
        arguments = [basic, run.file("access", tokens), "once" if own else "again"]
        return Load("introspect.lua", base + path, CHAINS, run.options.seconds, arguments=arguments).rate

    print(f"\n{'a second, on PostgreSQL':28}{'Portero':>10}{'node-oidc-provider':>22}")
    for row, measure, bar in (("S6", refreshes, 4), ("S7", introspections, 5)):
        rate = run.rounds(lambda: {name: measure(*side) for name, side in sides.items()})
        own, other = rate["Portero"], rate["node-oidc-provider"]
        what = measure.__name__
        print(f"{what:28}{own:>10.0f}{other:>22.0f}")
        yield row, f"{what} a second against the peer", own / other, "×", (bar,)
    portero.stop()


def memory(run):
    """S11: how soon it is ready, and what it keeps in memory."""
    portero = run.portero("memory")
    file = run.file("tokens", many_tokens(portero, run.options.tokens))

    def measure():
        portero.stop()
        took = portero.start()
        time.sleep(1)
        return {"start": took, "idle": resident(portero.pid)}

    figures = run.rounds(measure)
    # What is remembered is remembered for a minute: each token has to come in well below that.
    seconds = max(2, run.options.tokens // 2500)
    load = Load("call.lua", portero.endpoint, run.options.connections, seconds, env={"TOKENS": file})
    if load.requests < run.options.tokens:
        sys.exit(f"only {load.requests} of {run.options.tokens} tokens came in within {seconds} s")
    yield "S11", "start to ready on SQLite", figures["start"], "s", 0.5
    yield "S11", "resident memory, idle", figures["idle"], "MB", 40
    yield "S11", f"resident memory, {run.options.tokens} cached tokens", resident(portero.pid), "MB", 120
    portero.stop()


def events(run):
    """S12: what an event of a stream waits longer for, of a plain worker's and of an MCP server's."""
    port = free_port()
    run.processes.start("streamer", [sys.executable, streams.__file__, str(port), str(EVENTS), str(APART)])
    at = f"http://127.0.0.1:{port}"
    for kind, worker in (("worker", at), ("mcp", f"{at}/mcp")):
        portero = Portero(run.processes, f"events-{kind}", run.options.binary, worker, kind=kind)
        direct = f"{at}/tools/list_meetings" if kind == "worker" else worker
        sides = {"direct": (direct, streams.headers_for()),
                 "through": (portero.endpoint, streams.headers_for(portero.person()))}
        ms = run.rounds(lambda: streams.measure(sides, EVENTS))
        print(f"\nevents of a stream, {kind}: " + ", ".join(f"{name} {value:.3f} ms" for name, value in ms.items()))
        for which in ("median", "p99"):
            yield "S12", f"{kind}: an event's added delay, {which}", ms[f"through {which}"] - ms[f"direct {which}"], "ms", 2
        portero.stop()


def copies_in_postgres(run, database, count):
    """As many_tokens, in a PostgreSQL that holds one connection already."""
    tokens = [random_token("mico_oat_") for _ in range(count)]
    file = run.file("copies", (f"{number},{hashlib.sha256(token.encode()).hexdigest()}" for number, token in enumerate(tokens)))
    own = "jsonb_build_object('digest', copies.digest, 'grant_id', grt, 'first_used_at', t.created_at)"
    copy = "INSERT INTO {} SELECT (jsonb_populate_record(t, {})).* FROM copies, {} t WHERE t.ctid = (SELECT ctid FROM {} LIMIT 1)".format
    script = f"""
        CREATE TEMP TABLE copies (n INT, digest TEXT, grt TEXT);
        \\copy copies (n, digest) FROM '{file}' CSV
        UPDATE copies SET grt = 'grt_' || lpad(n::TEXT, 22, '0');
        {copy("grants", "jsonb_build_object('id', grt)", "grants", "grants")};
        {copy("access_tokens", own, "access_tokens", "access_tokens")};
        ANALYZE;"""
    subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", database], input=script, text=True, check=True)
    return tokens


def many_tokens(portero, count):
    """Makes one connection and copies it in the database, each copy with an access token of its own."""
    portero.connect(1, portero.person())
    database = sqlite3.connect(os.path.join(portero.folder, "bench.db"), timeout=20)
    tokens = [random_token("mico_oat_") for _ in range(count)]
    for table, key in (("grants", "id"), ("access_tokens", "digest")):
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        row = dict(zip(columns, database.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()))
        copies = []
        for number, token in enumerate(tokens):
            grant = f"grt_{number:022}"
            own = {"id": grant} if table == "grants" else {
                "digest": hashlib.sha256(token.encode()).hexdigest(), "grant_id": grant, "first_used_at": row["created_at"]}
            copies.append(list({**row, **own}.values()))
        marks = ",".join("?" * len(columns))
        database.executemany(f"INSERT INTO {table} ({','.join(columns)}) VALUES ({marks})", copies)
    database.commit()
    database.close()
    return tokens


PARTS = {"S1": costs, "S2": costs, "S3": costs, "S4": costs, "S5": costs, "S6": exchanges, "S7": exchanges, "S11": memory,
         "S12": events}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/portero")
    parser.add_argument("--peer", default="target/bench/node-oidc", help="where node-oidc-provider is installed")
    parser.add_argument("--rows", default=",".join(PARTS), help="which rows, and those that are measured with them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--tokens", type=int, default=100_000)
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    run = Run(options)
    rows = []
    try:
        for part in dict.fromkeys(PARTS[row] for row in options.rows.split(",")):
            rows.extend(part(run))
    finally:
        run.processes.stop()
    shutil.rmtree(run.folder)
    print()
    for name, what, figure, unit, bar in rows:
        # A bar in parentheses is one to reach, not one to stay under.
        least = isinstance(bar, tuple)
        bar = bar[0] if least else bar
        held = figure >= bar if least else figure <= bar
        print(f"{name:4} {what:46}{figure:>8.2f} {unit:2}  bar {'≥' if least else '≤'} {bar} {unit:2}  {'held' if held else 'MISSED'}")


if __name__ == "__main__":
    main()
