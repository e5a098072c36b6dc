"""Which drives a node takes, what it does with them, and what it leaves alone."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from fleet_pool import settings
from fleet_pool.node import drives
from fleet_pool.node.drives import Command, Refused, arrangement, commands, stamp_of
from hypothesis import given
from hypothesis import strategies as st

from tests.pool.node.nodes import INSTANCE, child, disk, p4d, root_disk

STAMP = stamp_of(INSTANCE)


def told(listed: dict[str, Any], node: str = INSTANCE) -> tuple[Command, ...]:
    return commands(arrangement(listed, node), node)


def kept(name: str, *, mounted: bool = True, node: str = INSTANCE) -> dict[str, Any]:
    place = f"{settings.MOUNT_FOLDER}/AWS{name.upper()}" if mounted else None
    return disk(name, fstype="xfs", label=stamp_of(node), mountpoints=[place])


def of_image(name: str) -> dict[str, Any]:
    """A drive of a Deep Learning image: a member of its volume group, mounted."""
    return disk(name, fstype="LVM2_member", children=[child("vg.01-lv_ephemeral", "lvm", "/opt/dlami/nvme")])


def test_eight_blank_drives_are_formatted_and_mounted_and_the_root_is_not_among_them():
    found = arrangement(p4d(), INSTANCE)
    assert [drive.serial for drive in found.drives] == sorted(f"AWSNVME{n}N1" for n in (0, 1, 2, 3, 5, 6, 7, 8))
    assert all(drive.blank and not drive.mounted for drive in found.drives)
    words = told(p4d())
    assert sum(word[0] == "mkfs.xfs" for word in words) == sum(word[0] == "mount" for word in words) == 8
    assert not any("/dev/nvme4n1" in word for line in words for word in line)
    assert ("mkfs.xfs", "-q", "-f", "-K", "-L", STAMP, "/dev/nvme3n1") in words
    options = "noatime,nodiratime,logbufs=8,logbsize=256k,largeio,inode64,swalloc"
    assert ("mount", "-t", "xfs", "-o", options, "/dev/nvme3n1", f"{settings.MOUNT_FOLDER}/AWSNVME3N1") in words
    assert len(STAMP) == 12  # what an XFS label takes


@given(order=st.permutations(range(9)))
def test_the_order_of_names_makes_no_difference(order):
    devices = p4d()["blockdevices"]
    assert told({"blockdevices": [devices[n] for n in order]}) != ()
    assert arrangement({"blockdevices": [devices[n] for n in order]}, INSTANCE) == arrangement(p4d(), INSTANCE)


def test_a_second_run_does_nothing():
    listed = {"blockdevices": [root_disk(), kept("nvme1n1"), kept("nvme2n1")]}
    assert told(listed) == ()


def test_after_a_reboot_drives_are_mounted_where_they_were_and_not_formatted():
    words = told({"blockdevices": [kept("nvme1n1", mounted=False), kept("nvme9n1", mounted=False), root_disk()]})
    assert {word[0] for word in words} == {"mkdir", "mount"}
    assert words[-1][-1] == f"{settings.MOUNT_FOLDER}/AWSNVME9N1"


def test_after_a_stop_and_start_only_blank_drives_are_formatted():
    words = told({"blockdevices": [kept("nvme1n1", mounted=False), disk("nvme2n1")]})
    assert [word[-1] for word in words if word[0] == "mkfs.xfs"] == ["/dev/nvme2n1"]


def test_the_array_of_a_deep_learning_image_is_taken_apart_first():
    words = told({"blockdevices": [root_disk(), *(of_image(f"nvme{n}n1") for n in range(1, 9))]})
    assert words[:2] == (("umount", "/opt/dlami/nvme"), ("vgremove", "--force", "--yes", "vg.01"))
    assert [word[0] for word in words[2:4]] == ["wipefs", "mkfs.xfs"]


def test_a_raid_below_a_volume_group_goes_from_the_top():
    volume = child("data--1-scratch", "lvm", "/opt/dlami/nvme/scratch")
    raid = child("md127", "raid0", None, volume)
    members = [disk(f"nvme{n}n1", fstype="linux_raid_member", children=[raid]) for n in (1, 2)]
    assert told({"blockdevices": members})[:5] == (
        ("umount", "/opt/dlami/nvme/scratch"),
        ("vgremove", "--force", "--yes", "data-1"),
        ("mdadm", "--stop", "/dev/md127"),
        ("mdadm", "--zero-superblock", "--force", "/dev/nvme1n1"),
        ("mdadm", "--zero-superblock", "--force", "/dev/nvme2n1"),
    )


@pytest.mark.parametrize(
    ("device", "said"),
    [
        (disk("nvme1n1", fstype="ext4", mountpoints=["/scratch"]), "/dev/nvme1n1 is mounted at /scratch"),
        (disk("nvme1n1", children=[child("nvme1n1p1", "part", "/")]), "/dev/nvme1n1p1 is mounted at /"),
        (disk("nvme1n1", mountpoints=["[SWAP]"]), "mounted at [SWAP]"),
        (kept("nvme1n1", mounted=False, node="i-0fedcba9876543210"), "has the label of another node"),
        (disk("nvme1n1", fstype="xfs", label=STAMP, mountpoints=["/mnt"]), "mounted at /mnt"),
        (disk("nvme1n1", mountpoints=["/opt/dlami/nvme-mine"]), "mounted at /opt/dlami/nvme-mine"),
    ],
)
def test_what_is_somebody_else_s_is_refused_and_then_nothing_is_done(device, said):
    with pytest.raises(Refused, match="nothing was changed") as caught:
        told({"blockdevices": [disk("nvme2n1"), device, root_disk()]})
    assert said in str(caught.value)


def test_an_array_that_also_lies_on_the_root_s_volume_is_refused():
    shared = child("vg0-data", "lvm", "/opt/dlami/nvme")
    root = disk("nvme0n1", model="Amazon Elastic Block Store", children=[shared])
    with pytest.raises(Refused, match="is also on a drive that is not instance store"):
        told({"blockdevices": [root, disk("nvme1n1", fstype="LVM2_member", children=[shared])]})


def test_all_reasons_are_reported_at_once():
    devices = [disk(f"nvme{n}n1", mountpoints=[f"/data{n}"]) for n in range(3)]
    with pytest.raises(Refused) as caught:
        told({"blockdevices": devices})
    assert len(caught.value.reasons) == 3


_STATES = st.sampled_from(["blank", "kept", "unmounted", "image", "foreign", "mounted", "ebs"])


@given(states=st.lists(_STATES, max_size=8))
def test_no_mix_of_drives_loses_what_is_not_the_pool_s(states):
    """Either everything is refused, or each blank or image drive is formatted once and nothing else is touched."""
    make = {
        "blank": disk,
        "kept": kept,
        "unmounted": lambda name: kept(name, mounted=False),
        "image": of_image,
        "foreign": lambda name: kept(name, mounted=False, node="i-0fedcba9876543210"),
        "mounted": lambda name: disk(name, fstype="ext4", mountpoints=[f"/{name}"]),
        "ebs": root_disk,
    }
    listed = {"blockdevices": [make[state](f"nvme{n}n1") for n, state in enumerate(states)]}
    if {"foreign", "mounted"} & set(states):
        with pytest.raises(Refused):
            told(listed)
        return
    formatted = [word[-1] for word in told(listed) if word[0] == "mkfs.xfs"]
    assert sorted(formatted) == [f"/dev/nvme{n}n1" for n, s in enumerate(states) if s in ("blank", "image")]


def released(listed: str, *, masks: bool = True) -> tuple[list[Command], dict[str, str]]:
    ran: list[Command] = []
    written: dict[str, str] = {}

    def run(command: Command) -> str:
        ran.append(command)
        if command[1] == "mask" and not masks:
            raise subprocess.CalledProcessError(1, command)
        return listed if command[1] == "list-unit-files" else ""

    drives.release_image(run, lambda path, text: written.update({path: text}))
    return [command for command in ran if command[1] != "list-unit-files"], written


def test_the_image_s_service_is_stopped_and_masked_where_there_is_one():
    assert released("") == ([], {})
    assert released("dlami-nvme.service masked enabled\n") == ([], {})
    stop, mask = ("systemctl", "stop", "dlami-nvme.service"), ("systemctl", "mask", "dlami-nvme.service")
    assert released("dlami-nvme.service enabled enabled\n") == ([stop, mask], {})


def test_a_service_that_cannot_be_masked_is_kept_from_starting_by_a_condition():
    _, written = released("dlami-nvme.service enabled enabled\n", masks=False)
    told = "[Unit]\nConditionPathExists=!/etc/planner/node.env\n"
    assert written == {"/etc/systemd/system/dlami-nvme.service.d/planner.conf": told}


class Machine:
    """Loop devices of this machine shown as instance-store drives; every other command runs for real."""

    def __init__(self, devices: Sequence[str]) -> None:
        self.devices = devices
        self.ran: list[Command] = []

    def run(self, command: Command) -> str:
        if command[0] == "udevadm":
            return ""
        if command[0] != "lsblk":
            if command[0] != "blkid":
                self.ran.append(command)
            return drives.run_command(command)
        listed = json.loads(drives.run_command((*command, *self.devices)))
        for device in listed["blockdevices"]:
            device |= {"type": "disk", "model": settings.DRIVE_MODEL, "serial": f"vol{Path(device['path']).name}"}
        random.Random(7).shuffle(listed["blockdevices"])
        return json.dumps(listed)


@pytest.fixture
def machine(pool_machine: None, tmp_path: Path) -> Iterator[Machine]:
    """Two drives of real blocks."""
    files = [tmp_path / f"drive{n}" for n in range(2)]
    for file in files:
        with file.open("wb") as made:
            made.truncate(400 * 2**20)
    found = [
        subprocess.run(["losetup", "--find", "--show", str(file)], check=True, capture_output=True, text=True).stdout
        for file in files
    ]
    devices = [device.strip() for device in found]
    yield Machine(devices)
    for device in devices:
        subprocess.run(["umount", "--all-targets", "--quiet", device], check=False, capture_output=True)
        subprocess.run(["losetup", "-d", device], check=False)


def test_real_drives_are_arranged_kept_and_refused_to_another_node(machine, tmp_path):
    root = str(tmp_path / "pool")
    found = drives.arrange(INSTANCE, machine.run, root).drives
    assert len(found) == 2
    assert all(drive.mounted and not drive.blank for drive in found)
    mounts = {line.split()[1]: line.split() for line in Path("/proc/self/mounts").read_text().splitlines()}
    for drive in found:
        assert mounts[drive.folder][2] == "xfs"
        assert {"noatime", "nodiratime", "swalloc", "largeio", "logbsize=256k"} <= set(
            mounts[drive.folder][3].split(",")
        )
        Path(drive.folder, "object").write_text("cached")
    machine.ran.clear()
    assert drives.arrange(INSTANCE, machine.run, root).drives == found
    assert machine.ran == []
    for drive in found:  # a reboot
        subprocess.run(["umount", drive.folder], check=True)
    drives.arrange(INSTANCE, machine.run, root)
    assert {command[0] for command in machine.ran} == {"mkdir", "mount"}
    assert [Path(drive.folder, "object").read_text() for drive in found] == ["cached", "cached"]
    assert drives.arrange(INSTANCE, machine.run, root, flushed=False).drives == found, "mounted: no boot since"
    assert [Path(drive.folder, "object").read_text() for drive in found] == ["cached", "cached"]
    for drive in found:  # a crash: what was not flushed is empty files
        subprocess.run(["umount", drive.folder], check=True)
    drives.arrange(INSTANCE, machine.run, root, flushed=False)
    assert [list(Path(drive.folder).iterdir()) for drive in found] == [[], []]
    with pytest.raises(Refused, match="is mounted at"):
        drives.arrange("i-0fedcba9876543210", machine.run, str(tmp_path / "other"))
    for drive in found:
        subprocess.run(["umount", drive.folder], check=True)
    with pytest.raises(Refused, match="label of another node"):
        drives.arrange("i-0fedcba9876543210", machine.run, root)
