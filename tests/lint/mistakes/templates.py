"""Mistakes about launch templates: user data, metadata, market, image, volumes."""

from __future__ import annotations

import base64
import copy

from tests.lint.graphs import Document
from tests.lint.mistakes.edits import BLOCKED, OURS, Edit, Mistake, block, both, cut, ebs, imds, lt, put, vpc


def market(kind: str, **more: object) -> Edit:
    return put(lt, "instanceMarketOptions", {"marketType": kind, **more})


many_bytes = base64.b64encode(b"#" * 20_480).decode()


def run(text: str, times: int = 1) -> Edit:
    """User data of this text, encoded so many times."""
    data = text.encode()
    for _ in range(times):
        data = base64.b64encode(data)
    return put(lt, "userData", data.decode())


def second_disk(document: Document) -> None:
    held = lt(document)["blockDeviceMappings"]
    lt(document)["blockDeviceMappings"] = [block(held), copy.deepcopy(block(held))]


def root(document: Document) -> Document:
    return block(lt(document)["blockDeviceMappings"])


# no secret: forty letters of the alphabet
SECRET = "AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGhIjKlMn"


MISTAKES = (
    Mistake(
        "groups beside interfaces", "LT-GROUPS", lambda d: lt(d).update(vpcSecurityGroupIds=["sg-0123456789abcdef0"])
    ),
    Mistake("20 KB of user data", "USERDATA-SIZE", put(lt, "userData", many_bytes)),
    Mistake("user data in plain text", "USERDATA-BASE64", put(lt, "userData", "#!/bin/bash\necho")),
    Mistake("metadata without token", "IMDS-V2", put(imds, "httpTokens", "optional")),
    Mistake("no metadata options", "IMDS-V2", cut(lt, "metadataOptions")),
    Mistake("token misspelled", "WORD-UNKNOWN", put(imds, "httpTokens", "require")),
    Mistake("hop limit of 64", "IMDS-HOPS", put(imds, "httpPutResponseHopLimit", 65)),
    Mistake(
        "Capacity Block target without an id",
        "BLOCK-TARGET",
        both(market("capacity-block"), cut(lt, "placement")),
        also=("BLOCK-END",),
    ),
    Mistake(
        "placement in a block",
        "PG-BLOCK",
        both(market("capacity-block"), put(lt, "capacityReservationSpecification", BLOCKED)),
        also=("BLOCK-END",),
    ),
    Mistake(
        "spot options in a block",
        "SPOT-MIX",
        both(
            market("capacity-block", spotOptions={"maxPrice": "1"}),
            put(lt, "capacityReservationSpecification", BLOCKED),
            cut(lt, "placement"),
        ),
        also=("BLOCK-END",),
    ),
    Mistake(
        "spot with a reservation",
        "SPOT-MIX",
        both(market("spot"), put(lt, "capacityReservationSpecification", BLOCKED)),
    ),
    Mistake("market misspelled", "WORD-UNKNOWN", market("capacity_block")),
    Mistake("type misspelled", "TYPE-UNKNOWN", put(lt, "instanceType", "p5.48xlage")),
    Mistake(
        "instance type not offered in this market",
        "TYPE-MARKET",
        both(
            market("capacity-block"),
            put(lt, "capacityReservationSpecification", BLOCKED),
            cut(lt, "placement"),
            put(lt, "instanceType", "g6e.48xlarge"),
        ),
        also=("BLOCK-END", "EFA-CARD", "EFA-DUPLICATE"),
    ),
    Mistake(
        "image of the other architecture",
        "IMAGE-ARCHITECTURE",
        put(lt, "imageId", "resolve:ssm:/aws/service/deeplearning/ami/arm64/latest"),
    ),
    Mistake("no image id", "IMAGE-ID", put(lt, "imageId", "ubuntu-22.04")),
    Mistake("unencrypted root volume", "EBS-ENCRYPTED", cut(ebs, "encrypted")),
    Mistake("volume type misspelled", "WORD-UNKNOWN", put(ebs, "volumeType", "gp4")),
    Mistake("volume without size", "EBS-SIZE", put(ebs, "volumeSize", 0)),
    Mistake("name too short", "LT-NAME", put(lt, "name", "lt")),
    Mistake("an SSH key", "SSH-KEY", put(lt, "keyName", "ops")),
    Mistake("no profile", "NODE-PROFILE", cut(lt, "iamInstanceProfile")),
    Mistake("secret key in user data", "SECRET-PLAIN", run(f"#!/bin/sh\nexport AWS_SECRET_ACCESS_KEY={SECRET}\n")),
    Mistake("secret key in a file", "SECRET-PLAIN", run(f'#cloud-config\n# aws_secret_access_key = "{SECRET}"\n')),
    Mistake("private key in user data", "SECRET-PLAIN", run("#!/bin/sh\n# -----BEGIN OPENSSH PRIVATE KEY-----\n")),
    Mistake("password in user data", "SECRET-PLAIN", run("#!/bin/sh\nexport DB_PASSWORD=correct-horse-battery\n")),
    Mistake("secret key in a tag", "SECRET-PLAIN", lambda d: lt(d).update(description=f"secret_access_key={SECRET}")),
    Mistake("user data encoded twice", "USERDATA-BASE64", run("#!/bin/sh\necho a node begins\n", 2)),
    Mistake("user data after an empty line", "USERDATA-HEAD", run("\n#cloud-config\nruncmd: [true]\n")),
    Mistake("metadata switched off", "IMDS-OFF", put(imds, "httpEndpoint", "disabled")),
    Mistake("root volume below its image", "EBS-SIZE", put(ebs, "volumeSize", 20), only=OURS),
    Mistake("IOPS above the maximum", "EBS-SIZE", lambda d: ebs(d).update(iops=90_000, volumeType="gp3")),
    Mistake("IOPS above the limit for the size", "EBS-SIZE", lambda d: ebs(d).update(iops=16_000, volumeSize=20)),
    Mistake("IOPS below the minimum", "EBS-SIZE", lambda d: ebs(d).update(iops=1_000)),
    Mistake("throughput above the limit for the IOPS", "EBS-SIZE", lambda d: ebs(d).update(throughput=1_000)),
    Mistake("IOPS on gp2", "EBS-SIZE", lambda d: ebs(d).update(iops=3_000, volumeType="gp2")),
    Mistake("cold volume too small", "EBS-SIZE", lambda d: ebs(d).update(volumeSize=50, volumeType="st1")),
    Mistake("volume kept", "EBS-KEPT", lambda d: ebs(d).update(deleteOnTermination="false")),
    Mistake("device without its path", "EBS-DEVICE", put(root, "deviceName", "sda1")),
    Mistake("device twice", "EBS-DEVICE", second_disk),
    Mistake("dedicated tenancy", "TENANCY", put(vpc, "instanceTenancy", "dedicated")),
    Mistake("zone in the template", "ZONE-TWICE", lambda d: lt(d)["placement"].update(availabilityZone="us-east-1a")),
    Mistake("key mistyped", "INPUT-UNKNOWN", lambda d: lt(d).update(instanceTyp="p5.48xlarge")),
    Mistake(
        "key of an interface mistyped", "INPUT-UNKNOWN", lambda d: lt(d)["networkInterfaces"][1].update(networkCard=1)
    ),
    Mistake("key of a volume mistyped", "INPUT-UNKNOWN", lambda d: ebs(d).update(encrypt="true")),
)
