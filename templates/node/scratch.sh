#!/bin/sh
# Gives jobs the drives of this instance as one file system at /scratch. Runs as root at every boot: after a stop and a
# start the drives are blank. What is on them is lost with the node.
set -eu

folder=/scratch
label=planner-scr # XFS labels have 12 characters

say() {
  echo "planner: $*"
}

fail() {
  echo "planner: $*; this node has no $folder" >&2
  exit 1
}

if mountpoint -q "$folder"; then
  say "$folder is mounted already"
  exit 0
fi
mkdir -p "$folder"

# Deep Learning images make one file system of the drives by themselves
image=/opt/dlami/nvme
if mountpoint -q "$image"; then
  mount --bind "$image" "$folder"
  chmod 1777 "$folder"
  say "$folder is $image, which the image has made"
  exit 0
fi

udevadm settle --timeout=30
drives=$(lsblk --nodeps --noheadings --paths --output NAME,MODEL | sed -n 's/^\([^ ]*\) *Amazon EC2 NVMe Instance Storage *$/\1/p')
if [ -z "$drives" ]; then
  say "this instance has no drives of its own: $folder is a folder of the root volume"
  chmod 1777 "$folder"
  exit 0
fi

# several drives are striped; an array that this node made before is found by its name
count=$(echo "$drives" | wc -l)
device=$drives
if [ "$count" -gt 1 ]; then
  command -v mdadm > /dev/null || fail "this image has no mdadm to stripe $count drives"
  device=/dev/md/planner-scratch
  if [ ! -e "$device" ] && ! mdadm --assemble --name=planner-scratch "$device" > /dev/null 2>&1; then
    for drive in $drives; do
      [ -z "$(lsblk --noheadings --output MOUNTPOINTS "$drive" | tr -d '[:space:]')" ] || fail "$drive is mounted elsewhere"
    done
    # shellcheck disable=SC2086 # one word for each drive
    mdadm --create "$device" --run --level=0 --name=planner-scratch --raid-devices="$count" $drives
  fi
fi
found=$(blkid --probe --match-tag LABEL --output value "$device" || true)
if [ "$found" != "$label" ]; then
  [ -z "$(lsblk --noheadings --output MOUNTPOINTS "$device" | tr -d '[:space:]')" ] || fail "$device is mounted elsewhere"
  wipefs --all --force --quiet "$device"
  mkfs.xfs -q -f -K -L "$label" "$device"
fi
mount -t xfs -o noatime "$device" "$folder"
chmod 1777 "$folder"
say "$folder: $count drives, $(df --output=size --block-size=GB "$folder" | tail -n 1 | tr -d ' ')"
