"""The bundle of files that nodes fetch when they start, named by its hash, in a bucket of its own."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pulumi
import pulumi_aws as aws
from fleet_pool.node.facts import Stack

from infra.buckets import bucket_name, secure_bucket
from infra.naming import Component, Naming
from infra.node.built import APART, expected
from infra.node.render import LAUNCH_FILE, bundle_files
from infra.node.zipped import launch_file, worker_file


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """texts: rendered files by name. archives: packed files by name. binaries: name -> SHA-256 of the files that
    `make bundle` builds."""

    texts: Mapping[str, str]
    archives: Mapping[str, bytes]
    binaries: Mapping[str, str]

    @cached_property
    def files(self) -> dict[str, bytes]:
        """Every file that needs no build, by name."""
        return {**{name: text.encode() for name, text in self.texts.items()}, **self.archives}

    @cached_property
    def every_sum(self) -> tuple[tuple[str, str], ...]:
        """(name, sha256) of every file."""
        files = {name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()}
        return tuple(sorted({**files, **self.binaries}.items()))

    @cached_property
    def sha256(self) -> str:
        """Hash of all files together. Every key and the user data contain it, so a changed file is a new bundle."""
        whole = "".join(f"{sha256}  {name}\n" for name, sha256 in self.every_sum)
        return hashlib.sha256(whole.encode()).hexdigest()

    @property
    def sums(self) -> tuple[tuple[str, str], ...]:
        """(name, sha256) of the files that every node fetches. The others are fetched and checked by those nodes alone
        that run them."""
        return tuple((name, sha256) for name, sha256 in self.every_sum if name not in APART)

    def key(self, name: str) -> str:
        """The key of a file in the bucket."""
        return f"daemons/{self.binaries[name]}/{name}" if name in APART else f"bundles/{self.sha256}/{name}"


def bundle(stack: Stack, slurm_runs: bool = False) -> Bundle:
    """The bundle of a stack. Without a pool it has no built files. slurm_runs: as in infra.node.render.roles."""
    return Bundle(
        texts=bundle_files(stack, slurm_runs),
        archives={LAUNCH_FILE: launch_file()},
        binaries=expected(stack.files) if stack.proxies else {},
    )


WORKER_FILE = "planner-worker.pyz"


def worker_bundle() -> Bundle:
    """Of nodes that AWS Batch makes: one file, which the jobs' containers see."""
    return Bundle(texts={}, archives={WORKER_FILE: worker_file()}, binaries={})


@dataclass(frozen=True, kw_only=True)
class ArtefactsArgs:
    """key: encrypts the bucket. bundle: its files. folder: of its built files; None in a preview, which shows a text
    instead."""

    key: aws.kms.Key
    bundle: Bundle
    folder: Path | None


class Artefacts(Component):
    """Bucket of bundles. `pulumi destroy` deletes it: everything in it can be built again."""

    def __init__(self, naming: Naming, args: ArtefactsArgs) -> None:
        super().__init__("artefacts", naming)
        self.bucket, self._before = secure_bucket(
            self,
            "bucket",
            name=bucket_name(self, "artefacts"),
            key=args.key,
            rules=[],
            kept=False,
        )
        self.bundle = args.bundle
        texts = [self._text(name, text) for name, text in args.bundle.texts.items()]
        packed = [self._packed(name, data) for name, data in args.bundle.archives.items()]
        built = [self._built(name, sha256, args.folder) for name, sha256 in args.bundle.binaries.items()]
        # nodes wait for all files of their bundle
        self.ready: list[pulumi.Resource] = [*texts, *packed, *built]
        self.register_outputs({"bucket": self.bucket.id, "bundle": args.bundle.sha256})

    def _text(self, name: str, text: str) -> aws.s3.BucketObjectv2:
        part = f"object-{_part(name)}"
        return aws.s3.BucketObjectv2(
            self.named(part),
            bucket=self.bucket.id,
            key=self.bundle.key(name),
            content=text,
            content_type="application/json" if name.endswith(".json") else "text/plain",
            tags=self.tags(part),
            opts=self.child(depends_on=self._before),
        )

    def _packed(self, name: str, data: bytes) -> aws.s3.BucketObjectv2:
        part = f"object-{_part(name)}"
        return aws.s3.BucketObjectv2(
            self.named(part),
            bucket=self.bucket.id,
            key=self.bundle.key(name),
            content_base64=base64.b64encode(data).decode(),
            content_type="application/octet-stream",
            tags=self.tags(part),
            opts=self.child(depends_on=self._before),
        )

    def _built(self, name: str, sha256: str, folder: Path | None) -> aws.s3.BucketObjectv2:
        part = f"object-{_part(name)}"
        placeholder = pulumi.StringAsset(f"{name} with SHA-256 {sha256}, built by `make bundle`")
        return aws.s3.BucketObjectv2(
            self.named(part),
            bucket=self.bucket.id,
            key=self.bundle.key(name),
            source=pulumi.FileAsset(folder / name) if folder else placeholder,
            source_hash=sha256,
            content_type="application/octet-stream",
            tags=self.tags(part),
            opts=self.child(depends_on=self._before),
        )


def _part(name: str) -> str:
    """The part of a resource's name for a file: start for start.sh."""
    return name.partition(".")[0]
