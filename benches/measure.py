"""What a process costs: CPU and memory from /proc, rates and delays from wrk."""
import os, re, socket, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
TICKS = os.sysconf("SC_CLK_TCK")
UNITS = {"us": 0.001, "ms": 1, "s": 1000, "m": 60000}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def family(pid):
    children = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
    return [pid] + [own for child in children for own in family(int(child))]


def cpu(pid):
    """Seconds of user and system time that a process and its children have taken."""
    total = 0
    for own in family(pid):
        with open(f"/proc/{own}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def resident(pid):
    """Resident memory in megabytes."""
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(r"VmRSS:\s+(\d+) kB", f.read()).group(1)) * 1024 / 1e6


class Load:
    """One run of wrk: how many requests, how many a second, and how long the slowest hundredth took at least."""

    def __init__(self, script, url, connections, seconds, threads=1, arguments=(), env=None, refused=False):
        command = ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--latency",
                   "-s", os.path.join(HERE, script), url]
        out = subprocess.run([*command, "--", *arguments] if arguments else command,
                             capture_output=True, text=True, env={**os.environ, **(env or {})}).stdout
        counted = re.search(r"(\d+) requests in", out)
        bad = re.search(r"Non-2xx or 3xx responses: (\d+)|Socket errors", out)
        if not counted or bool(bad) != refused:
            sys.exit(f"{url}: unexpected answers\n{out}")
        self.requests = int(counted.group(1))
        self.rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))
        number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s|m)\b", out).groups()
        self.p99 = float(number) * UNITS[unit]
