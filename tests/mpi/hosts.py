"""Three hosts on one machine: network namespaces with names of their own, joined by a bridge, over TCP."""

import os
import re
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import same
from launch import LONGEST, PROGRAM, alone, compare, ended, folder, newest, started, wait_until

NET = "10.213.77"
HOSTS = [1, 2, 3]
# Seconds within which a cut link ends a job, where there is a processor for each process, and what has Open MPI notice it:
# docs/guide/clusters.md.
CUT = 60
KEEPALIVE = "--mca oob_tcp_keepalive_time 10 --mca oob_tcp_keepalive_intvl 5 --mca oob_tcp_keepalive_probes 3"


class Refused(Exception):
    """Namespaces are not allowed here, or there is no program to make them."""


def ip(command):
    """Does what must work once the network is there."""
    subprocess.run(["ip", *command.split()], check=True, capture_output=True, text=True)


def allowed(words):
    """Does what may be missing, or not be allowed here."""
    try:
        done = subprocess.run(words, capture_output=True, text=True)
    except FileNotFoundError:
        raise Refused(f"there is no {words[0]}") from None
    if done.returncode:
        raise Refused(f"{' '.join(words)}: {done.stderr.strip()}")


def set_up(name):
    """A bridge, and a pair of ends for each host."""
    for command in [
        f"netns add {name}s",
        f"-n {name}s link set lo up",
        f"-n {name}s link add br0 type bridge",
        f"-n {name}s addr add {NET}.254/24 dev br0",
        f"-n {name}s link set br0 up",
    ]:
        allowed(["ip", *command.split()])
    for host in HOSTS:
        for command in [
            f"netns add {name}h{host}",
            f"-n {name}s link add port{host} type veth peer name eth0 netns {name}h{host}",
            f"-n {name}s link set port{host} master br0 up",
            f"-n {name}h{host} addr add {NET}.{host}/24 dev eth0",
            f"-n {name}h{host} link set eth0 up",
            f"-n {name}h{host} link set lo up",
        ]:
            allowed(["ip", *command.split()])


@contextmanager
def network():
    """A switch, where the launcher runs, and the hosts around it; yields the prefix of the names of the namespaces."""
    name = f"hdp{os.getpid()}"
    try:
        set_up(name)
        yield name
    finally:
        if shutil.which("ip"):
            for end in [*(f"h{host}" for host in HOSTS), "s"]:
                subprocess.run(["ip", "netns", "del", f"{name}{end}"], capture_output=True)


def slow(name, rate):
    """Has every host send no more than this."""
    for host in HOSTS:
        limit = f"tc qdisc add dev eth0 root tbf rate {rate} burst 256kbit latency 400ms"
        allowed(["ip", "netns", "exec", f"{name}h{host}", *limit.split()])


def launcher(name, number):
    """Starts ranks on the hosts in turn, without ssh."""
    agent = Path("agent.sh")
    enter = f'exec ip netns exec {name}h"${{host##*.}}" unshare --uts sh -c "hostname host-${{host##*.}}; $*"'
    agent.write_text(f"#!/bin/sh\nhost=$1\nshift\n{enter}\n")
    agent.chmod(0o755)
    Path("hosts").write_text("".join(f"{NET}.{host} slots=2\n" for host in HOSTS))
    options = f"--hostfile hosts --mca plm_rsh_agent {agent.resolve()} --mca btl tcp,self --mca pml ob1"
    options += f" --mca btl_tcp_if_include {NET}.0/24 --mca oob_tcp_if_include {NET}.0/24 {KEEPALIVE}"
    options += f" --allow-run-as-root --bind-to none --map-by node --mca mpi_yield_when_idle 1 -n {number}"
    return ["ip", "netns", "exec", f"{name}s", "mpirun", *options.split(), PROGRAM]


def left_on(name, host):
    """The processes of a host."""
    listed = subprocess.run(["ip", "netns", "pids", f"{name}h{host}"], check=True, capture_output=True, text=True)
    return listed.stdout.split()


def where_allowed(scenario):
    def run():
        try:
            with network() as name:
                return scenario(name)
        except Refused as refusal:
            return f"SKIPPED: {scenario.__name__}: no network namespaces here ({refusal})"

    run.__name__ = scenario.__name__
    return run


def trained(name, out):
    Path(out).mkdir()
    command = f"train sample --device cpu --threads 1 --quiet --iterations 6 --trace-every 2 --out {out}/run"
    job = started([*launcher(name, 3), *command.split()] if name else [PROGRAM, *command.split()])
    said = ended(job)
    assert job.returncode == 0, said


@where_allowed
def three_hosts_over_tcp(name):
    trained(None, "one")
    trained(name, "three")
    found, files = same.differences("one", "three")
    assert not found and files >= 20, f"{found}, {files} files"
    run = Path("three/run/run.json").read_text()
    assert all(f'"host": "host-{host}"' in run for host in HOSTS), "not every host has had a rank"
    try:
        slow(name, "100mbit")
    except Refused as refusal:
        return f"SKIPPED: three hosts on slow links: {refusal}"
    trained(name, "slow")
    found, _ = same.differences("one", "slow")
    assert not found, f"{found}"
    return None


@where_allowed
def a_cut_link_ends_the_job(name):
    out = folder("cut")
    command = f"train sample --device cpu --threads 1 --quiet --iterations 1000000 --checkpoint-every 5 --out {out}"
    job = started([*launcher(name, 3), *command.split()])
    wait_until(lambda: newest(out) > 0, job)
    cut = time.monotonic()
    ip(f"-n {name}s link set port2 down")
    said = ended(job)
    took = {"the job": time.monotonic() - cut}
    assert job.returncode != 0, said
    # The launcher names the machine that it has lost.
    assert re.search(rf"{NET}\.2\b|host-2", said), f"nobody says what was cut\n{said}"
    # It has not seen to the end of all ranks: those of the lost machine end by themselves.
    for host in HOSTS:
        while left := left_on(name, host):
            assert time.monotonic() < cut + LONGEST, f"processes {left} are left on host {host}"
            time.sleep(0.1)
        took[f"host {host}"] = time.monotonic() - cut
    print(f"after a link was cut: {', '.join(f'{what} ended after {seconds:.0f} s' for what, seconds in took.items())}")
    longest = CUT * max(1, os.getloadavg()[0] / os.cpu_count())
    assert max(took.values()) <= longest, f"more than {longest:.0f} s"
    kept = newest(out)
    assert kept > 0, "no checkpoint is left"
    further = f"train sample --device cpu --threads 1 --quiet --checkpoint-every 5 --iterations {kept + 8}"
    alone(f"{further} --out {out} --resume")
    alone(f"{further} --out {folder('one')}")
    compare("one", "cut", checkpoints=False)
    return None


SCENARIOS = [three_hosts_over_tcp, a_cut_link_ends_the_job]
