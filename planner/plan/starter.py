"""The commented plan that `planner init` writes: it is valid, and shows every section."""

from __future__ import annotations

BESIDE = "plan.schema.json"  # default file name of the schema

_PLAN = """\
# yaml-language-server: $schema={schema}
# A plan of a GPU training run on AWS. It is complete:
#   planner validate {file}      checks it
#   planner compare {file}       compares the cost of every storage layout and purchase option
# Sizes have a unit: 2.2PB is decimal, 600GiB is binary. Durations: 90m 12h 21d 8w. Shares: 93% or 0.93.
# Keys behind a # are optional; the output lists every default that is used.
apiVersion: planner/v1
name: my-run
region: us-east-1
start: 2026-12-07              # first day of the run; the age of prices is counted from it
# prices: 2025-05-31           # a price book of another date; default: the newest

run:                           # how much training, and its speed
  kind: training
  work: {{samples: 300000000}}   # total over all epochs; or gpu_hours: 4000
  # work: {{flop: 4.7e22, mfu: 40%}}   # a language model: 6 x parameters x tokens; no table, give data.read_per_gpu
  throughput:                  # samples per second by number of GPUs, measured with your code
    - {{gpus: 8, samples_per_second: 128.2}}
    - {{gpus: 16, samples_per_second: 254.0}}
    - {{gpus: 64, samples_per_second: 912.2}}
    # - {{gpus: 256, samples_per_second: 2589.4, measured: false}}   # an estimate
  # scaling: linear            # default: strong, t(n) = a/n + b through the measured rows
  # deadline: 21d              # slower scenarios are infeasible
  # phases:                    # replace work and throughput above: parts of the run
  #   - {{name: precompute latents, gpu_hours: 400, speedup: 1.4}}   # later phases are so much faster because of it
  #   - {{name: low resolution, samples: 2e8, throughput: [{{gpus: 64, samples_per_second: 3000}}]}}
  #   - {{name: full resolution, samples: 1e8, throughput: [{{gpus: 64, samples_per_second: 912}}]}}

data:                          # what training reads, and what is kept in S3
  hot_dataset: 12TB            # read in every epoch
  # kept_in_s3: 20TB           # everything kept in S3, including the hot data; default: the hot data
  # kept_class: STANDARD_IA    # S3 class of the data that training does not read; default: STANDARD
  sample: 40KB                 # bytes read per sample; or samples: 300000000; or read_per_gpu: 20MB/s,
                               # or profile: webdataset-images, a published rate (or latents, tokens, unet3d, ...)
  shard: 100MB                 # size of one object
  order: shuffled              # or sequential
  warm_up: lazy                # or prefetch: fill the cache before training starts
  checkpoint: 14GB
  checkpoints_kept: 3          # or all
  # ingest: {{source: upload, rate: 2GB/s}}                  # default: the data is in S3 already
  # ingest: {{source: other-region, from_region: us-west-2}}

fleet:
  instance_types: [p4d.24xlarge]
  nodes: 8                     # paid nodes, spares included; [8, 16] or all of 8..32 compares sizes; or gpus: A100:64
  # spares: 0                  # of these nodes; default: as many as cost least

purchase:
  # options: [on-demand, capacity-block, spot, sp-1y-compute-no-upfront]   # default: nine common ones
  # zone_id: use1-az4          # for spot; default: the median of the region's zones
  # spot_usd_per_hour: 9.50    # what you see for one GPU node; default: from the price book
  # capacity_block: {{days: 28}} # length to buy; default: the one that costs least with its tail
  private_discount: 0%         # discount on the On-Demand list price of the GPU nodes
  reuse_value: 0%              # share of an unused commitment that other work uses

storage:
  layouts: [converged, fsx-lustre, separate-nvme, s3-stream]
  # retention: 30d             # how long data stays in S3 after the run
  # fsx-lustre: {{throughput_mbps_per_tib: [250, 1000]}}
  # separate-nvme: {{instance_type: i3en.24xlarge, spares: 1}}

# reliability:                 # failure rates are assumptions; these are choices
#   checkpoint_interval: 2h    # default: the optimal one
#   checkpoint_blocking: 30s   # pause of training for one checkpoint
#   spot_observed: {{interruptions: 4, node_days: 90, nodes: 8}}   # that you counted; default: AWS Spot Advisor's
#   observed: {{failures: 12, node_days: 3400}}   # failures that you counted, with the range of such a count

# people:                      # costs other than AWS resources; only what is written here is counted
#   engineers: 2
#   months_before: 1
#   experiments: true

constraints:                   # what may exceed a cost or a time is not recommended
  max_days: 60
  # max_cost_usd: 250000
  # min_hot_fit: true          # the hot data set must fit the layout's usable capacity

decision:                      # when a scenario may be recommended, and which one is
  confidence: 90%              # share of the outcomes that have to keep the limits
  rank_by: p50                 # p50, p90, mean or planned
  # slack: 1.5                 # without a deadline: how much longer than the shortest P90 a run may take

# assumptions:                 # estimates that no price list has; the output lists all that are used
#   goodput.failures_per_1000_node_days: {{value: 8, low: 4, high: 16, source: our own clusters}}

deploy:                        # what `pulumi up` needs; not priced
  stack: dev
"""


def starter_plan(*, file: str = "plan.yaml", schema: str = BESIDE) -> str:
    """The plan's text. file: its name in the comments. schema: path or address for the editor's first line."""
    return _PLAN.format(file=_one_line(file), schema=_one_line(schema))


def _one_line(text: str) -> str:
    # a line break in the name would end the comment
    return "".join(c if c.isprintable() else "?" for c in text)
