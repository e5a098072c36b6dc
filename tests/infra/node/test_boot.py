"""A control node and a target boot from their user data, found the pool's authority, and store an object in S3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from fleet_pool import settings
from fleet_pool.node.drives import stamp_of

from infra.artefacts import bundle
from infra.node.built import POOL_FILE
from infra.node.zipped import pool_file
from infra.userdata import text_of
from tests.infra.node.machine import ROLE_ID, BootedNode
from tests.infra.node.stand import ARTEFACTS, DATA, INSTANCES, KNOWN, Stand, standing
from tests.infra.node.test_scripts import need
from tests.pool.daemon import Daemon, wait_until


@dataclass
class Booted:
    """What stands. said: what each node's start printed."""

    stand: Stand
    nodes: dict[str, BootedNode]
    said: dict[str, str]
    daemons: dict[str, Daemon]

    def curl(self, *words: str, certificate: bool = True) -> str:
        """From the target's node."""
        return self.stand.curl(self.nodes["target"], *words, certificate=certificate)

    @property
    def stands(self) -> bool:
        return self.stand.stands(self.nodes["target"])


@pytest.fixture(scope="module")
def booted(pool_machine: None) -> Iterator[Booted]:
    for program, package in (("aws", "awscli"), ("curl", "curl"), ("openssl", "openssl"), ("useradd", "passwd")):
        need(program, package)
    daemons: dict[str, Daemon] = {}
    nodes: dict[str, BootedNode] = {}
    with standing(reserved_vcpu=0) as stand:
        try:
            said = {}
            for name, host in stand.hosts.items():
                node = nodes[name] = BootedNode(host, stand.folder / name, stand.told, stand.drives_of(name))
                wait_until(lambda node=node: node.ready, f"the files of {name}", 30)
                said[name] = node.boot(stand.user_data(name))
                said[name] += node.start_oneshot("planner-certificate.service")
                said[name] += node.start_oneshot("planner-prepare.service")
                if name == "control":  # signs for the other one
                    daemons["authority"] = node.start_daemon("planner-authority.service")
            daemons["proxy"] = nodes["control"].start_daemon("planner-proxy.service")
            # drives of this machine are loop devices, which the engine takes only when it is told so
            daemons["target"] = nodes["target"].start_daemon("planner-target.service", "-loopback")
            yield Booted(stand=stand, nodes=nodes, said=said, daemons=daemons)
        finally:
            for each in (*daemons.values(), *nodes.values()):
                each.kill() if isinstance(each, Daemon) else each.close()


def test_nodes_boot_and_an_object_is_in_s3_when_it_is_acknowledged(booted):
    for name, daemon in booted.daemons.items():
        assert daemon.running, f"{name}: {daemon.tail()}\n{booted.said}"
    wait_until(lambda: booted.stands, f"the pool ({booted.daemons['target'].tail()})", 120)
    written = booted.stand.put(booted.nodes["target"], "checkpoints/step-1")
    assert booted.stand.in_s3("checkpoints/step-1") == written
    assert booted.curl(booted.stand.object_url("checkpoints/step-1")) == written


def test_daemons_are_not_root_and_own_nothing_but_their_folders(booted):
    for name, role in (("control", "proxy"), ("target", "target")):
        told = booted.nodes[name].run("ps", "-o", "user:16=,args=", "-C", "aisnode")
        ours = [line for line in told.splitlines() if f"-config={settings.STATE_FOLDER}/{role}/" in line]
        assert ours
        assert all(line.startswith("planner ") for line in ours), ours
    folders = booted.nodes["target"].run("stat", "--format=%U", *mounts(booted)).split()
    assert folders == ["planner", "planner"]


def mounts(booted: Booted) -> list[str]:
    lines = booted.nodes["target"].run("cat", "/proc/mounts").splitlines()
    return sorted(line.split()[1] for line in lines if line.split()[1].startswith(settings.MOUNT_FOLDER))


def test_drives_are_formatted_stamped_and_mounted_by_the_first_boot_and_kept_by_the_second(booted):
    assert "2 of 2 drives" in booted.said["target"]
    assert len(mounts(booted)) == 2
    node = booted.nodes["target"]
    for device in node.devices:
        told = node.run("blkid", "--probe", "--output", "export", device)
        assert f"LABEL={stamp_of(INSTANCES['target'])}" in told
    again = node.start_oneshot("planner-prepare.service")
    assert "mkfs" not in again
    assert "2 of 2 drives" in again


def test_who_shows_no_certificate_is_refused(booted):
    told = booted.curl(booted.stand.url("daemon?what=smap"), certificate=False)
    assert told.startswith("curl: ("), told  # the alert, or a connection that is cut before it is read
    assert "tmap" not in told


def test_units_are_enabled_by_role(booted):
    asked = {name: node.asked_of_systemd.read_text() for name, node in booted.nodes.items()}
    assert "enable --now --no-block planner-proxy.service" in asked["control"]
    assert "target.service" not in asked["control"]
    assert "enable --now --no-block planner-target.service" in asked["target"]
    assert "enable --now --no-block planner-notice.service" in asked["target"]


def test_the_authority_s_key_and_the_administrator_s_token_are_where_control_nodes_alone_read(booted):
    def listed(prefix: str) -> list[str]:
        found = booted.stand.s3.client().list_objects_v2(Bucket=ARTEFACTS, Prefix=prefix).get("Contents", ())
        return [entry["Key"].removeprefix(prefix) for entry in found]

    assert listed("authority/") == ["authority.crt", "job.token", "token.pub"]
    assert listed("control/") == ["admin.token", "authority.key", "token.key"]
    assert listed("join/") == [], "every request is answered"
    assert listed("issued/") == [f"{ROLE_ID}:{INSTANCES['target']}/certificate"]
    assert f"{INSTANCES['target']}: signed for {booted.stand.hosts['target'].address}" in booted.daemons[
        "authority"
    ].tail(9)
    for name, node in booted.nodes.items():
        assert "authority.key" not in node.run(
            "find", "/etc/planner", "/opt/planner", "/var/lib/planner", "-name", "*.key"
        )
        for file, owner in (("node.key", "planner 640"), ("job.token", "planner 640"), ("admin.token", "root 600")):
            there = node.run("stat", "--format=%U:%G %a", f"{settings.TLS_FOLDER}/{file}", check=False).strip()
            if (name, file) == ("target", "admin.token"):
                assert "No such file" in there
            else:
                assert there == f"root:{owner}"


def test_neither_a_job_nor_root_of_a_gpu_node_administers_and_root_of_a_control_node_does(booted):
    wait_until(lambda: booted.stands, "the pool", 120)
    node = booted.nodes["target"]
    setting = ("--request", "PUT", "--data", json.dumps({"action": "set-config", "value": {"lru": {"enabled": True}}}))
    refused = booted.curl(*setting, "--write-out", "%{http_code}", booted.stand.url("cluster"))
    assert refused.endswith("403"), refused
    tls = settings.TLS_FOLDER
    shown = {
        "AIS_ENDPOINT": f"https://{booted.stand.stack.proxies[0]}:{settings.PROXY_PORT}",
        "AIS_CRT": f"{tls}/node.crt",
        "AIS_CRT_KEY": f"{tls}/node.key",
        "AIS_CLIENT_CA": f"{tls}/authority.crt",
        "AIS_AUTHN_TOKEN_FILE": f"{tls}/job.token",
    }
    words = ("python3", "/opt/planner/planner-pool.pyz", "register", DATA, "--kind", "rewritten")
    with pytest.raises(AssertionError, match="register"):
        node.run(*words, more=shown)
    booted.nodes["control"].run(*words, more=shown)


def test_what_a_job_finds_on_a_node(booted):
    """As the job's user: nothing of the node's role or of an administrator."""
    node = booted.nodes["target"]
    job = ("setpriv", "--reuid=planner-job", "--regid=planner-job", "--init-groups", "--no-new-privs", "sh", "-c")
    assert node.run(*job, f"cat {settings.TLS_FOLDER}/job.token {settings.TLS_FOLDER}/node.key") != ""
    secrets = "find /etc/planner /opt/planner /var/lib/planner -name '*.token' -o -name '*.key' 2> /dev/null"
    names = {path.rpartition("/")[2] for path in node.run(*job, secrets, check=False).split()}
    assert names == {"job.token", "node.key"}
    for place in (
        "/etc/planner/jobs.env",
        "/etc/planner/tls/node.crt",
        "/opt/planner/planner-pool.pyz",
        "/etc/profile.d/x",
    ):
        assert "Permission denied" in node.run(*job, f"echo x >> {place}", check=False), place
    told = node.run(*job, ". /etc/planner/pool.env; echo $AWS_CONTAINER_CREDENTIALS_FULL_URI $AWS_REGION")
    assert told.split() == ["http://127.0.0.1:432/keys", "us-east-1"]
    # the port is below those that a job may take, so that it cannot answer in place of the node
    takes = "/usr/bin/python3 -c \"import socket; socket.create_server(('127.0.0.1', 432))\""
    assert "Permission denied" in node.run(*job, takes, check=False)


def test_the_node_s_gauges(booted):
    node = booted.nodes["target"]
    node.start_oneshot("planner-metrics.service")
    text = node.run("cat", "/var/lib/planner/metrics/planner.prom")
    assert "planner_pool_drives_expected 2\n" in text
    assert "planner_pool_drives_mounted 2\n" in text
    ends = float(text.rpartition("planner_pool_certificate_ends_seconds ")[2])
    assert 80 * 86_400 < ends <= 90 * 86_400


def test_the_watch_of_a_control_node_that_follows_leaves_it_alone(booted):
    wait_until(lambda: booted.stands, "the pool", 120)
    node = booted.nodes["control"]
    daemon = booted.daemons["proxy"]
    before = daemon.process
    node.start_oneshot("planner-rejoin.service")
    assert daemon.process is before
    assert daemon.running


def test_a_bundle_that_was_changed_on_the_way_is_not_run(booted, tmp_path):
    client, made = booted.stand.s3.client(), bundle(replace(booted.stand.stack, name="changed"))
    put_again = made.files | {POOL_FILE: pool_file()}
    for name, data in put_again.items():
        client.put_object(Bucket=ARTEFACTS, Key=made.key(name), Body=data + (b"\n" if name == "start.sh" else b""))
    node = BootedNode(booted.nodes["target"].host, tmp_path / "other", booted.nodes["target"].environment, [])
    try:
        wait_until(lambda: node.ready, "its files", 30)
        with pytest.raises(AssertionError, match=r"start\.sh: FAILED"):
            node.boot(text_of(made, {**KNOWN, "PLANNER_ROLE": "gpu"}))
        assert not node.asked_of_systemd.exists()
        [log] = client.list_objects_v2(Bucket=DATA, Prefix="boot-logs/")["Contents"]
        assert log["Key"].endswith("/start.log")
    finally:
        node.close()


def test_a_node_of_a_further_instance_type_boots_as_a_client_without_the_engine(booted, tmp_path):
    client, made = booted.stand.s3.client(), bundle(booted.stand.stack, slurm_runs=True)
    for name, data in (made.files | {POOL_FILE: pool_file()}).items():
        client.put_object(Bucket=ARTEFACTS, Key=made.key(name), Body=data)
    node = BootedNode(booted.nodes["target"].host, tmp_path / "further", booted.nodes["target"].environment, [])
    try:
        wait_until(lambda: node.ready, "its files", 30)
        said = node.boot(text_of(made, {**KNOWN, "PLANNER_ROLE": "gpu", "PLANNER_CLIENT": "yes"}))
        (started,) = [line.split() for line in said.splitlines() if line.startswith("planner: started:")]
        assert {"planner-gateway.service", "planner-scratch.service", "planner-health.service"} <= set(started)
        assert "planner-target.service" not in started
        assert "fetching aisnode" not in said
    finally:
        node.close()


def test_a_notice_takes_the_node_out_of_the_map_and_stops_its_daemon(booted):
    """The unit's own command line, from the node's own files; the last test, since the node is gone after it."""
    wait_until(lambda: booted.stands, "the pool", 120)
    node = booted.nodes["target"]
    script = "#!/bin/sh\necho told of $POOL_NOTICE_KIND > /etc/planner/told\n"
    node.run("sh", "-c", "cat > /etc/planner/leave.d/job; chmod +x /etc/planner/leave.d/job", text=script)
    booted.stand.notice()
    said = node.start_oneshot("planner-notice.service")
    assert node.run("cat", "/etc/planner/told").strip() == "told of spot"
    assert "stop planner-target.service" in node.asked_of_systemd.read_text().splitlines()
    assert "this node is in no Auto Scaling group" in said
    assert "drain: done" in said, "a control node did it: this one has no administrator's token"
    told = json.loads(booted.curl(booted.stand.url("daemon?what=smap")))
    [target] = told["tmap"].values()
    assert target["flags"] != "0", said  # in maintenance
