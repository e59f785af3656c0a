#!/usr/bin/env bash
# Boots the system in a folder: the real systemd as process 1 of namespaces of its own, without
# an emulator. No network but its own loopback.
#   boot.sh ROOT LAYERS [STATE_IMAGE]     LAYERS: what overlayfs takes, as in upper=...
# Variables: STATE_AT, where the image is mounted; READ_ONLY=yes mounts the root read-only.
set -euo pipefail
if [ "${IN_NAMESPACES:-}" = "" ]; then
    exec env IN_NAMESPACES=1 unshare --mount --uts --ipc --pid --net --cgroup --fork --kill-child "$0" "$@"
fi
root=$1 layers=$2 image=${3:-}
hostname traykeeper
mount --make-rprivate /
mount -t overlay overlay -o "$layers" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for folder in run tmp dev; do mount -t tmpfs -o mode=755 tmpfs "$root/$folder"; done
chmod 1777 "$root/tmp"
for name in null zero full random urandom tty; do
    touch "$root/dev/$name"
    mount --bind "/dev/$name" "$root/dev/$name"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
if [ -n "$image" ]; then
    at=$root${STATE_AT:-/var/lib/traykeeper}
    mkdir -p "$at"
    mount -o loop "$image" "$at"
fi
cd "$root"
mkdir -p old
pivot_root . old
umount -l old
if [ "${READ_ONLY:-no}" = yes ]; then mount -o remount,bind,ro /; fi
exec env -i container=namespaces PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /usr/lib/systemd/systemd --unit=multi-user.target
