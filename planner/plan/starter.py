"""The commented plan that `planner init` writes: it runs as it is, and shows every section."""

from __future__ import annotations

BESIDE = "plan.schema.json"  # the schema, where no other is named

_PLAN = """\
# yaml-language-server: $schema={schema}
# A plan of a GPU training run on AWS. It runs as it is:
#   planner validate {file}      checks it
#   planner compare {file}       prices every storage layout on every purchase option
# Sizes carry a unit: 2.2PB is decimal, 600GiB is binary. Durations: 90m 12h 21d 8w. Shares: 93% or 0.93.
# A line that begins with # is a choice left to the planner; every default it takes is listed in the output.
apiVersion: planner/v1
name: my-run
region: us-east-1
start: 2026-12-07              # first day of the run; the age of prices is counted from it
# prices: 2025-05-31           # a price book of another date; default: the newest

run:                           # how much training, and how fast
  kind: training
  work: {{samples: 300000000}}   # over all epochs; or gpu_hours: 4000
  # work: {{flop: 4.7e22, mfu: 40%}}   # a language model: 6 x parameters x tokens; no table, give data.read_per_gpu
  throughput:                  # samples a second by number of GPUs, measured on your code
    - {{gpus: 8, samples_per_second: 128.2}}
    - {{gpus: 16, samples_per_second: 254.0}}
    - {{gpus: 64, samples_per_second: 912.2}}
    # - {{gpus: 256, samples_per_second: 2589.4, measured: false}}   # somebody's estimate
  # scaling: linear            # default: strong, t(n) = a/n + b through the measured rows
  # deadline: 21d              # slower scenarios are infeasible
  # phases:                    # instead of work and throughput above: parts with their own
  #   - {{name: low resolution, samples: 2e8, throughput: [{{gpus: 64, samples_per_second: 3000}}]}}
  #   - {{name: full resolution, samples: 1e8, throughput: [{{gpus: 64, samples_per_second: 912}}]}}

data:                          # what training reads, and what is kept
  hot_dataset: 12TB            # read in every epoch
  # kept_in_s3: 20TB           # everything kept in S3, the hot data among it; default: the hot data
  # kept_class: STANDARD_IA    # of what training does not read; default: STANDARD
  sample: 40KB                 # bytes one sample reads; or samples: 300000000; or read_per_gpu: 20MB/s
  shard: 100MB                 # size of one object
  order: shuffled              # or sequential
  warm_up: lazy                # or prefetch: the cache is filled before training starts
  checkpoint: 14GB
  checkpoints_kept: 3          # or all
  # ingest: {{source: upload, rate: 2GB/s}}                  # default: the data is in S3 already
  # ingest: {{source: other-region, from_region: us-west-2}}

fleet:
  instance_types: [p4d.24xlarge]
  nodes: 8                     # paid nodes, spares included; [8, 16] or 8..32 compares; or gpus: A100:64
  spares: 0

purchase:
  # options: [on-demand, capacity-block, spot, sp-1y-compute-no-upfront]   # default: nine common ones
  # zone_id: use1-az4          # for spot; default: the median of the region's zones
  # spot_usd_per_hour: 9.50    # of one GPU node, as you have seen it; default: after the price book
  private_discount: 0%         # off the on-demand list price of the GPU nodes
  reuse_value: 0%              # share of an unused commitment that other work takes over

storage:
  layouts: [converged, fsx-lustre, separate-nvme, s3-stream]
  # retention: 30d             # S3 is kept this long after the run
  # fsx-lustre: {{throughput_mbps_per_tib: [250, 1000]}}
  # separate-nvme: {{instance_type: i3en.24xlarge, spares: 1}}

# reliability:                 # rates of failure are assumptions; these are choices
#   checkpoint_interval: 2h    # default: the optimal one
#   checkpoint_blocking: 30s   # training stands still for one checkpoint
#   spot_reclaims_per_node_day: 0.05   # as you have seen them; default: after the Spot Advisor's band

# people:                      # what a run costs beyond machines; only what is written is counted
#   engineers: 2
#   months_before: 1
#   experiments: true

constraints:                   # scenarios beyond these are infeasible
  max_days: 60
  # max_cost_usd: 250000
  # min_hot_fit: true          # the hot data set must fit the layout's usable capacity

# assumptions:                 # numbers nobody can look up; the output lists all that were used
#   goodput.failures_per_1000_node_days: {{value: 8, low: 4, high: 16, source: our own clusters}}

deploy:                        # what `pulumi up` will need; not priced
  stack: dev
"""


def starter_plan(*, file: str = "plan.yaml", schema: str = BESIDE) -> str:
    """The plan's text. file: its name in the comments. schema: path or address for the editor's first line."""
    return _PLAN.format(file=_one_line(file), schema=_one_line(schema))


def _one_line(text: str) -> str:
    # a name with a line break would end the comment it stands in
    return "".join(c if c.isprintable() else "?" for c in text)
