"""FSx for Lustre in operation: backups, maintenance windows, files that a link deletes."""

from __future__ import annotations

import re

from planner.lint.read.graph import Graph
from planner.lint.read.values import flag, literal, whole
from planner.lint.rule import WARNING, Hits, rule
from planner.lint.storage.lustre import LINK, SYSTEM

BACKUP_DAYS = 90
TIMES = {
    "weeklyMaintenanceStartTime": (re.compile(r"[1-7]:([01]\d|2[0-3]):?[0-5]\d"), "d:HH:MM, where Monday is 1"),
    "dailyAutomaticBackupStartTime": (re.compile(r"([01]\d|2[0-3]):[0-5]\d"), "HH:MM"),
}


@rule(
    "FSX-BACKUP",
    SYSTEM,
    what="invalid backup or maintenance settings",
    why="AWS rejects the file system: backups are kept 0 to 90 days, only persistent file systems have them, "
    "and times are d:HH:MM and HH:MM in UTC",
    remedy="Set automaticBackupRetentionDays to 0 to 90 (0 where S3 holds the data), and times such as 1:05:00",
    example="automaticBackupRetentionDays: 91",
)
def invalid_backup_settings(graph: Graph) -> Hits:
    for system in graph.of(SYSTEM):
        days = whole(system.inputs.get("automaticBackupRetentionDays"))
        if days is not None and not 0 <= days <= BACKUP_DAYS:
            yield system, "automaticBackupRetentionDays", f"{days} days; allowed: 0 to {BACKUP_DAYS}"
        elif days and str(system.inputs.get("deploymentType")).startswith("SCRATCH"):
            yield system, "automaticBackupRetentionDays", f"{system.inputs['deploymentType']} has no backups"
        for key, (pattern, words) in TIMES.items():
            text = literal(system.inputs.get(key))
            if text is not None and not pattern.fullmatch(text):
                yield system, key, f"{text!r} is not {words}"


@rule(
    "FSX-LINK-DELETE",
    LINK,
    severity=WARNING,
    what="a link that deletes files when it is removed",
    why="Files that were not yet exported to S3 are deleted when the link is removed or replaced",
    remedy="Set deleteDataInFilesystem: false",
    example="deleteDataInFilesystem: true",
)
def link_deletes_files(graph: Graph) -> Hits:
    for link in graph.of(LINK):
        if flag(link.inputs.get("deleteDataInFilesystem")):
            yield link, "deleteDataInFilesystem", "the files are deleted with the link"
