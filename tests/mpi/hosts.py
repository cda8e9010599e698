"""Three hosts on one machine: network namespaces with names of their own, joined by a bridge, over TCP."""

import os
import re
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import same
from launch import LONGEST, PROGRAM, SAMPLE, alone, compare, ended, folder, kill, newest, started, wait_until
from stands_still import ENDLESS, assert_missed, goes_on_from_its_checkpoint

# What the launcher talks over, and MPI too unless it has a network of its own.
NET = "10.213.77"
NET_OF_MPI = "10.213.78"
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
    """Two bridges, and for each host a pair of ends to both."""
    for command in [f"netns add {name}s", f"-n {name}s link set lo up"]:
        allowed(["ip", *command.split()])
    for host in HOSTS:
        for command in [f"netns add {name}h{host}", f"-n {name}h{host} link set lo up"]:
            allowed(["ip", *command.split()])
    for number, net in enumerate([NET, NET_OF_MPI]):
        for command in [
            f"-n {name}s link add br{number} type bridge",
            f"-n {name}s addr add {net}.254/24 dev br{number}",
            f"-n {name}s link set br{number} up",
        ]:
            allowed(["ip", *command.split()])
        for host in HOSTS:
            for command in [
                f"-n {name}s link add port{number}-{host} type veth peer name eth{number} netns {name}h{host}",
                f"-n {name}s link set port{number}-{host} master br{number} up",
                f"-n {name}h{host} addr add {net}.{host}/24 dev eth{number}",
                f"-n {name}h{host} link set eth{number} up",
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


def launcher(name, number, net=NET):
    """Starts ranks on the hosts in turn, without ssh; they talk over this network."""
    agent = Path("agent.sh")
    enter = f'exec ip netns exec {name}h"${{host##*.}}" unshare --uts sh -c "hostname host-${{host##*.}}; $*"'
    agent.write_text(f"#!/bin/sh\nhost=$1\nshift\n{enter}\n")
    agent.chmod(0o755)
    Path("hosts").write_text("".join(f"{NET}.{host} slots=2\n" for host in HOSTS))
    options = f"--hostfile hosts --mca plm_rsh_agent {agent.resolve()} --mca btl tcp,self --mca pml ob1"
    options += f" --mca btl_tcp_if_include {net}.0/24 --mca oob_tcp_if_include {NET}.0/24 {KEEPALIVE}"
    options += f" --allow-run-as-root --bind-to none --map-by node --mca mpi_yield_when_idle 1 -n {number}"
    return ["ip", "netns", "exec", f"{name}s", "mpirun", *options.split(), PROGRAM]


def left_on(name, host):
    """The processes of a host."""
    listed = subprocess.run(["ip", "netns", "pids", f"{name}h{host}"], check=True, capture_output=True, text=True)
    return listed.stdout.split()


def gone_from_hosts(name, since):
    """Waits until no process is left on any host; the seconds that it took since then."""
    took = {}
    for host in HOSTS:
        while left := left_on(name, host):
            assert time.monotonic() < since + LONGEST, f"processes {left} are left on host {host}"
            time.sleep(0.1)
        took[f"host {host}"] = time.monotonic() - since
    return took


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
    command = f"train {SAMPLE} --device cpu --threads 1 --quiet --iterations 6 --trace-every 2 --out {out}/run"
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
    command = f"train {SAMPLE} --device cpu --threads 1 --quiet --iterations 1000000 --checkpoint-every 5 --out {out}"
    job = started([*launcher(name, 3), *command.split()])
    wait_until(lambda: newest(out) > 0, job)
    cut = time.monotonic()
    ip(f"-n {name}s link set port0-2 down")
    said = ended(job)
    took = {"the job": time.monotonic() - cut}
    assert job.returncode != 0, said
    # The launcher names the machine that it has lost.
    assert re.search(rf"{NET}\.2\b|host-2", said), f"nobody says what was cut\n{said}"
    # It has not seen to the end of all ranks: those of the lost machine end by themselves.
    took |= gone_from_hosts(name, cut)
    print(f"after a link was cut: {', '.join(f'{what} ended after {seconds:.0f} s' for what, seconds in took.items())}")
    longest = CUT * max(1, os.getloadavg()[0] / os.cpu_count())
    assert max(took.values()) <= longest, f"more than {longest:.0f} s"
    kept = newest(out)
    assert kept > 0, "no checkpoint is left"
    further = f"train {SAMPLE} --device cpu --threads 1 --quiet --checkpoint-every 5 --iterations {kept + 8}"
    alone(f"{further} --out {out} --resume")
    alone(f"{further} --out {folder('one')}")
    compare("one", "cut", checkpoints=False)
    return None


def on_hosts(name, out, stop):
    """Ranks on the hosts, which have a network beside the launcher's, until something is done to one of them; what they say."""
    job = started([*launcher(name, 3, NET_OF_MPI), *f"{ENDLESS} --out {out}".split()])
    wait_until(lambda: newest(out) > 0, job)
    stopped = time.monotonic()
    stop()
    said = ended(job)
    assert job.returncode == 1, f"exit code {job.returncode}\n{said}"
    took = gone_from_hosts(name, stopped)
    print(f"all have ended after {max(took.values()):.1f} s")
    return said


@where_allowed
def a_rank_that_stands_still_on_a_host(name):
    def stop():
        there = [process for process in left_on(name, 2) if Path(f"/proc/{process}/comm").read_text().strip() == Path(PROGRAM).name]
        assert len(there) == 1 and kill(int(there[0]), signal.SIGSTOP), there

    assert_missed(on_hosts(name, folder("stopped"), stop), 3, (1, "host-2"))
    goes_on_from_its_checkpoint("stopped")


@where_allowed
def a_network_cut_for_ranks_alone(name):
    """The launcher still reaches all hosts. Each end of the cut may tell of the other one."""
    said = on_hosts(name, folder("cut"), lambda: ip(f"-n {name}s link set port1-2 down"))
    assert_missed(said, 3, (1, "host-2"), (0, "host-1"))
    goes_on_from_its_checkpoint("cut")


SCENARIOS = [three_hosts_over_tcp, a_cut_link_ends_the_job, a_rank_that_stands_still_on_a_host, a_network_cut_for_ranks_alone]
