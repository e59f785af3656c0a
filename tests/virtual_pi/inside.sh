#!/usr/bin/env bash
# Run a command on this project inside the trixie folder that chroot.sh made, on a copy of it.
#   sudo tests/virtual_pi/inside.sh FOLDER COMMAND...
set -euo pipefail
root=$(realpath "${1:?name the folder of chroot.sh}")
project=$(realpath "$(dirname "$0")/../..")
shift
mkdir -p "$root/opt/traykeeper"
find "$root/opt/traykeeper" -mindepth 1 -maxdepth 1 -exec rm -rf {} +
tar -C "$project" -cf - --exclude=./.git --exclude='./.venv*' --exclude='./build' \
    --exclude=__pycache__ --exclude='./.*_cache' . | tar -C "$root/opt/traykeeper" -xf -
# A mount namespace of its own: /proc, /dev and /tmp end with the command.
exec unshare --mount --propagation private /bin/bash -c '
    root=$1; shift
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/tmp"
    cd / && exec chroot "$root" /usr/bin/env -u PIP_FIND_LINKS -u VIRTUAL_ENV -u TRAYKEEPER_PICTURES \
        HOME=/root LC_ALL=C.UTF-8 PATH=/opt/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        /bin/sh -c "cd /opt/traykeeper && { [ -e /opt/venv/bin/traykeeper ] ||
            pip install -q --no-deps --editable . ; } && exec \"\$@\"" sh "$@"
' bash "$root" "$@"
