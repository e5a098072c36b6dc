"""A node's instance-store drives: which they are, what each needs, and the commands that format and mount them.

Drives are found by their model, never by number: the root volume is NVMe too, and device names change between boots.
A drive that this node formatted has the node's label, so that an orderly reboot keeps its data; after a stop and start
drives are blank and are formatted again. After a crash or a loss of power they are formatted too: files that had not
been flushed are empty then and have the metadata of whole objects, and the engine can neither serve nor evict them. The
array that Deep Learning images build from the drives is dismantled. If a drive
is mounted elsewhere or has another node's label, nothing at all is changed.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fleet_pool import settings
from fleet_pool.compat import frozen

IMAGE_FOLDER = "/opt/dlami/nvme"  # where Deep Learning images mount their array, by the service below
IMAGE_SERVICE = "dlami-nvme.service"
IMAGE_DROP_IN = f"/etc/systemd/system/{IMAGE_SERVICE}.d/planner.conf"
FLUSHED = Path(settings.CONF_FOLDER, "drives-flushed")  # planner-prepare leaves it when it is stopped
STAMP = "pool-"  # an XFS label has 12 characters: this prefix and 7 derived from the node
COLUMNS = "NAME,PATH,TYPE,MODEL,SERIAL,SIZE,MOUNTPOINTS"
# commands whose non-zero exit code is an answer: no signature on the drive, no such unit
ANSWERS = {"blkid": (0, 2), "systemctl": (0, 1)}

Command = tuple[str, ...]
Run = Callable[[Command], str]


class Refused(Exception):
    """Some drives must not be touched. reasons: all of them."""

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("nothing was changed: " + "; ".join(self.reasons))


@frozen
class Drive:
    """One instance-store drive. folder: its mount point for the pool. blank: it must be formatted first."""

    path: str
    serial: str
    size_bytes: int
    folder: str
    blank: bool
    mounted: bool


@frozen
class Arrangement:
    """Drives by serial number. teardown: commands that dismantle the image's own array first."""

    drives: tuple[Drive, ...]
    teardown: tuple[Command, ...]


def stamp_of(node: str) -> str:
    """Label of a node's file systems, 12 characters. node: its instance id."""
    return STAMP + hashlib.sha256(node.encode()).hexdigest()[:7]


def arrangement(
    listed: Mapping[str, Any], node: str, root: str = settings.MOUNT_FOLDER, flushed: bool = True
) -> Arrangement:
    """What to do with the drives in lsblk's output. root: folder for their mount points. flushed: whether what was
    written before this boot is on them; if not, only drives that are mounted are kept. Raises Refused."""
    ours, others = [], []
    for device in listed["blockdevices"]:
        (ours if _is_instance_store(device) else others).append(device)
    stamp, found, reasons, teardown = stamp_of(node), [], [], _Teardown()
    for device in ours:
        folder = f"{root}/{_name(device)}"
        below = [entry for entry in _all(device) if entry is not device]
        label = device.get("label") or ""
        whole = flushed or folder in _mounts(device)
        kept = device.get("fstype") == "xfs" and label == stamp and not below and whole
        allowed = {folder} if kept else {IMAGE_FOLDER}
        places = [(entry["path"], place) for entry in _all(device) for place in _mounts(entry)]
        reasons += [
            f"{path} is mounted at {place}, which is not a folder of the pool"
            for path, place in places
            if place not in allowed and not (not kept and place.startswith(IMAGE_FOLDER + "/"))
        ]
        if not kept and label.startswith(STAMP) and label != stamp:
            reasons.append(f"{device['path']} has the label of another node ({label}; this node has {stamp})")
        if not kept:
            teardown.take(device, below, [place for _, place in places])
        found.append(
            Drive(
                path=device["path"],
                serial=_name(device),
                size_bytes=int(device["size"]),
                folder=folder,
                blank=not kept,
                mounted=kept and bool(places),
            )
        )
    held = {entry["path"] for device in others for entry in _all(device)}
    reasons += [f"{path} is also on a drive that is not instance store" for path in teardown.arrays if path in held]
    if reasons:
        raise Refused(tuple(dict.fromkeys(reasons)))
    return Arrangement(drives=tuple(sorted(found, key=lambda drive: drive.serial)), teardown=teardown.commands())


def commands(found: Arrangement, node: str) -> tuple[Command, ...]:
    """All commands to run, in order; none if every drive is formatted and mounted."""
    needed: list[Command] = list(found.teardown)
    for drive in found.drives:
        if drive.blank:
            needed.append(("wipefs", "--all", "--force", "--quiet", drive.path))
            # -K: no trim, since drives come blank and trimming terabytes takes minutes
            needed.append(("mkfs.xfs", "-q", "-f", "-K", "-L", stamp_of(node), drive.path))
    for drive in found.drives:
        if not drive.mounted:
            needed.append(("mkdir", "-p", drive.folder))
            needed.append(("mount", "-t", "xfs", "-o", ",".join(settings.MOUNT_OPTIONS), drive.path, drive.folder))
    return tuple(needed)


def arrange(node: str, run: Run, root: str = settings.MOUNT_FOLDER, flushed: bool = True) -> Arrangement:
    """Formats and mounts the drives, and lists them again. Raises Refused, CalledProcessError."""
    for command in commands(arrangement(listing(run), node, root, flushed), node):
        run(command)
    return arrangement(listing(run), node, root)


def release_image(run: Run, write: Callable[[str, str], None]) -> None:
    """Stops the image's service that builds an array from the drives, now and for later boots; most images have none.

    write: writes a file, given its path and text. Raises CalledProcessError.
    """
    listed = run(("systemctl", "list-unit-files", "--no-legend", "--plain", IMAGE_SERVICE))
    if IMAGE_SERVICE not in listed or "masked" in listed:
        return
    run(("systemctl", "stop", IMAGE_SERVICE))
    try:
        run(("systemctl", "mask", IMAGE_SERVICE))
    except subprocess.CalledProcessError:
        # the unit's file is where the mask would go: a condition that is never true here has the same effect
        write(IMAGE_DROP_IN, f"[Unit]\nConditionPathExists=!{settings.CONF_FOLDER}/node.env\n")


def listing(run: Run) -> Mapping[str, Any]:
    """lsblk's list of block devices, after udev has settled. Type and label of an instance-store drive are read from
    the drive itself, since udev may remember old ones."""
    run(("udevadm", "settle", "--timeout=30"))
    listed: dict[str, Any] = json.loads(run(("lsblk", "--json", "--bytes", "--output", COLUMNS)))
    drives: list[dict[str, Any]] = [device for device in listed["blockdevices"] if _is_instance_store(device)]
    for device in drives:
        found = run(("blkid", "--probe", "--output", "export", device["path"]))
        read = dict(line.split("=", 1) for line in found.splitlines() if "=" in line)
        device["fstype"], device["label"] = read.get("TYPE"), read.get("LABEL")
    return listed


def run_command(command: Command) -> str:
    """Runs a command and returns its output. Commands that change something are printed first, for the journal.

    Raises CalledProcessError.
    """
    asks = command[0] in ("lsblk", "blkid", "udevadm", "openssl") or command[1:2] == ("list-unit-files",)
    if not asks:
        print("+", *command, flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (ANSWERS.get(command[0], (0,)) if asks else (0,)):
        raise subprocess.CalledProcessError(done.returncode, command)
    return done.stdout


class _Teardown:
    """Mounts, volume groups and arrays to remove, each once, in the order of removal."""

    def __init__(self) -> None:
        self.mounts: list[str] = []
        self.groups: list[str] = []
        self.raids: list[str] = []
        self.members: list[str] = []
        self.arrays: list[str] = []

    def take(self, device: Mapping[str, Any], below: Sequence[Mapping[str, Any]], places: Sequence[str]) -> None:
        self.mounts += places
        for entry in below:
            if entry["type"] == "lvm":
                self.groups.append(_volume_group(entry["name"]))
                self.arrays.append(entry["path"])
            elif str(entry["type"]).startswith("raid"):
                self.raids.append(entry["path"])
                self.arrays.append(entry["path"])
        if device.get("fstype") == "linux_raid_member":
            self.members.append(device["path"])

    def commands(self) -> tuple[Command, ...]:
        deepest_first = sorted(dict.fromkeys(self.mounts), key=lambda place: -place.count("/"))
        return (
            *(("umount", place) for place in deepest_first),
            *(("vgremove", "--force", "--yes", group) for group in dict.fromkeys(self.groups)),
            *(("mdadm", "--stop", raid) for raid in dict.fromkeys(self.raids)),
            *(("mdadm", "--zero-superblock", "--force", path) for path in self.members),
        )


def _is_instance_store(device: Mapping[str, Any]) -> bool:
    return device.get("type") == "disk" and (device.get("model") or "").strip() == settings.DRIVE_MODEL


def _name(device: Mapping[str, Any]) -> str:
    """The serial number, which stays with the drive; the device name if there is none."""
    name = (device.get("serial") or "").strip() or Path(device["path"]).name
    return "".join(letter if letter.isalnum() else "-" for letter in name)


def _all(device: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The device and everything on it."""
    yield device
    for child in device.get("children") or ():
        yield from _all(child)


def _mounts(device: Mapping[str, Any]) -> list[str]:
    return [place for place in device.get("mountpoints") or () if place]


def _volume_group(name: str) -> str:
    """From the device mapper's name, group-volume, in which a hyphen of either part is doubled."""
    return name.replace("--", "\0").split("-")[0].replace("\0", "-")
