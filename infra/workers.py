"""A pool of workers: nodes that AWS Batch makes for the jobs in a queue, and ends when there are none.

One job has a whole node. Batch queues, places and starts jobs again; planner-worker in the job's container does the
rest (fleet_pool.worker), by the same retry rules.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
from fleet_pool.worker.exits import MOST_TRIES, RULES
from fleet_pool.worker.here import BUCKET, CHECKPOINTS

from infra.artefacts import WORKER_FILE, Artefacts
from infra.data_bucket import DataBucket
from infra.launch import PATIENCE, imdsv2, launch_tags, version_of
from infra.naming import Component, Naming
from infra.userdata import as_base64
from infra.worker_role import job_role, node_role
from infra.worker_userdata import FOLDER, worker_user_data
from planner.stack.spec import Data, Fleet
from planner.stack.spec import Workers as Settings

LOG_DAYS = 30
ROOT_DEVICE = "/dev/xvda"  # of AWS's images for Amazon ECS
# AWS Batch API reference, Ec2Configuration: Amazon Linux 2023, with drivers where the type has GPUs
IMAGE_TYPES = {True: "ECS_AL2023_NVIDIA", False: "ECS_AL2023"}
# a job that fits no node would wait forever (AWS Batch User Guide, "Jobs stuck in a RUNNABLE status")
STUCK = ("MISCONFIGURATION:JOB_RESOURCE_REQUIREMENT", "MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE")
STUCK_S = 600
NO_LIST = "none"
MOST_UPDATE_MINUTES = 360  # AWS Batch API reference, UpdatePolicy


@dataclass(frozen=True, kw_only=True)
class WorkersArgs:
    """fleet: the type of a node, and how many at most. spot: whether on spot. subnet_ids: one in each zone. waits_for:
    what must exist before the first node boots."""

    fleet: Fleet
    settings: Settings
    spot: bool
    data: Data
    data_bucket: DataBucket
    artefacts: Artefacts
    subnet_ids: list[pulumi.Input[str]]
    security_group_id: pulumi.Input[str]
    waits_for: list[pulumi.Resource]


class WorkerFleet(Component):
    """Compute environment, job queue and job definition of AWS Batch, with their roles, template and logs."""

    def __init__(self, naming: Naming, args: WorkersArgs) -> None:
        super().__init__("fleet", naming)
        self.logs = aws.cloudwatch.LogGroup(
            self.named("logs"),
            name=f"/planner/{self.physical('logs')}",
            retention_in_days=LOG_DAYS,
            tags=self.tags("logs"),
            opts=self.child(),
        )
        profile, ready = node_role(self, args.artefacts, args.data_bucket, self.logs, args.settings.image)
        template = self._template(args)
        environment = self._environment(args, profile, template, [*ready, *args.waits_for])
        self.queue = aws.batch.JobQueue(
            self.named("queue"),
            name=self.physical("queue"),
            state="ENABLED",
            priority=1,
            compute_environment_orders=[
                aws.batch.JobQueueComputeEnvironmentOrderArgs(order=1, compute_environment=environment.arn)
            ],
            job_state_time_limit_actions=[
                aws.batch.JobQueueJobStateTimeLimitActionArgs(
                    action="CANCEL", state="RUNNABLE", reason=reason, max_time_seconds=STUCK_S
                )
                for reason in STUCK
            ],
            tags=self.tags("queue"),
            opts=self.child(),
        )
        role, rights = job_role(self, args.data_bucket, args.data)
        self.job = self._job(args, role, rights)
        self.register_outputs({"queue": self.queue.name, "job": self.job.name})

    def _template(self, args: WorkersArgs) -> aws.ec2.LaunchTemplate:
        """What AWS Batch leaves to a template; type, profile, network and market are the environment's."""
        return aws.ec2.LaunchTemplate(
            self.named("template"),
            name=self.physical("template"),
            description=f"Workers of stack {self.naming.stack}",
            update_default_version=True,
            metadata_options=imdsv2(),
            monitoring=aws.ec2.LaunchTemplateMonitoringArgs(enabled=False),  # detailed metrics are billed
            block_device_mappings=[
                aws.ec2.LaunchTemplateBlockDeviceMappingArgs(
                    device_name=ROOT_DEVICE,
                    ebs=aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(
                        volume_type="gp3",
                        volume_size=args.fleet.root_volume_gib,
                        encrypted="true",
                        delete_on_termination="true",
                    ),
                )
            ],
            tag_specifications=launch_tags(self),
            user_data=as_base64(worker_user_data(args.artefacts, self.naming.region)),
            tags=self.tags("template"),
            opts=self.child(),
        )

    def _environment(
        self,
        args: WorkersArgs,
        profile: aws.iam.InstanceProfile,
        template: aws.ec2.LaunchTemplate,
        waits_for: list[pulumi.Resource],
    ) -> aws.batch.ComputeEnvironment:
        """Without a service role, so that AWS Batch uses its service-linked one: only then it updates in place, and the
        provider only with these strategies (hashicorp/terraform-provider-aws issue 38695). A new one in its place could
        not be made: the queue keeps the old one, which has the same name. Of one type in one zone every strategy for
        spot is the same, and it has the one that every release updates in place; by price, those from 6.10.0 on, which
        pulumi-aws has since 7.6.
        """
        settings = args.settings
        types = [args.fleet.instance_type, *settings.more_types]
        strategy = (
            "SPOT_PRICE_CAPACITY_OPTIMIZED" if len(types) + len(settings.more_zones) > 1 else "SPOT_CAPACITY_OPTIMIZED"
        )
        if not args.spot:
            types, strategy = [settings.tail_type] if settings.tail_type else types, "BEST_FIT_PROGRESSIVE"
        vcpu = args.fleet.vcpu
        return aws.batch.ComputeEnvironment(
            self.named("environment"),
            name=self.physical("environment"),
            type="MANAGED",
            state="ENABLED",
            compute_resources=aws.batch.ComputeEnvironmentComputeResourcesArgs(
                type="SPOT" if args.spot else "EC2",
                allocation_strategy=strategy,
                min_vcpus=args.settings.least_nodes * vcpu,
                max_vcpus=args.fleet.nodes * vcpu,
                instance_types=types,
                instance_role=profile.arn,
                subnets=args.subnet_ids,
                security_group_ids=[args.security_group_id],
                ec2_configurations=[
                    aws.batch.ComputeEnvironmentComputeResourcesEc2ConfigurationArgs(
                        image_type=IMAGE_TYPES[args.fleet.gpus > 0]
                    )
                ],
                launch_template=aws.batch.ComputeEnvironmentComputeResourcesLaunchTemplateArgs(
                    launch_template_id=template.id, version=version_of(template)
                ),
                tags=self.tags("node"),
            ),
            # a change of the nodes waits for running jobs, as long as one try may take
            update_policy=aws.batch.ComputeEnvironmentUpdatePolicyArgs(
                terminate_jobs_on_update=False,
                job_execution_timeout_minutes=min(max(1, round(args.settings.limit_hours * 60)), MOST_UPDATE_MINUTES),
            ),
            tags=self.tags("environment"),
            opts=self.child(depends_on=waits_for, patience=PATIENCE),
        )

    def _job(self, args: WorkersArgs, role: aws.iam.Role, rights: aws.iam.RolePolicy) -> aws.batch.JobDefinition:
        container = pulumi.Output.all(
            role=role.arn, bucket=args.data_bucket.bucket.id, logs=self.logs.name, rights=rights.id
        ).apply(lambda given: json.dumps(self._container(args, given), sort_keys=True))
        return aws.batch.JobDefinition(
            self.named("job"),
            name=self.physical("job"),
            type="container",
            platform_capabilities=["EC2"],
            container_properties=container,
            parameters={"list": NO_LIST},
            retry_strategy=aws.batch.JobDefinitionRetryStrategyArgs(
                attempts=MOST_TRIES,
                evaluate_on_exits=[
                    aws.batch.JobDefinitionRetryStrategyEvaluateOnExitArgs(
                        action=rule.action,
                        on_status_reason=rule.on_status_reason or None,
                        on_exit_code=rule.on_exit_code or None,
                        on_reason=rule.on_reason or None,
                    )
                    for rule in RULES
                ],
            ),
            timeout=aws.batch.JobDefinitionTimeoutArgs(
                attempt_duration_seconds=round(args.settings.limit_hours * 3600)
            ),
            propagate_tags=True,
            tags=self.tags("job"),
            opts=self.child(),
        )

    def _container(self, args: WorkersArgs, given: Mapping[str, str]) -> dict[str, object]:
        """As AWS Batch reads it (API reference, ContainerProperties). The worker comes from the node, the job's
        program from the image."""
        wants = {"VCPU": args.fleet.vcpu, "MEMORY": args.settings.memory_mib, "GPU": args.fleet.gpus}
        return {
            "image": args.settings.image,
            "command": ["python3", f"{FOLDER}/{WORKER_FILE}", "run", "--list", "Ref::list"],
            "jobRoleArn": given["role"],
            "privileged": False,
            "resourceRequirements": [{"type": kind, "value": str(count)} for kind, count in wants.items() if count],
            "environment": [
                {"name": name, "value": value}
                for name, value in (
                    ("AWS_REGION", self.naming.region),
                    (CHECKPOINTS, args.data.checkpoint_prefix),
                    (BUCKET, given["bucket"]),
                )
            ],
            "volumes": [{"name": "planner", "host": {"sourcePath": FOLDER}}],
            "mountPoints": [{"sourceVolume": "planner", "containerPath": FOLDER, "readOnly": True}],
            "logConfiguration": {
                "logDriver": "awslogs",
                "options": {
                    "awslogs-group": given["logs"],
                    "awslogs-region": self.naming.region,
                    "awslogs-stream-prefix": "jobs",
                },
            },
        }
