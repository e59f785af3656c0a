#!/usr/bin/env bash
# Debian trixie in a folder, with libcamera, picamera2 and what the tests need: once some 5 minutes.
#   sudo tests/virtual_pi/chroot.sh FOLDER
set -euo pipefail
root=$(realpath -m "${1:?name the folder: tests/virtual_pi/chroot.sh FOLDER}")
here=$(realpath "$(dirname "$0")")
picamera2=0.3.38
packages=(chromium espeak-ng gcc libcamera-ipa libcamera-tools libcap-dev make mosquitto
    openssl python3-dev python3-libcamera python3-venv)

inside() {
    chroot "$root" /usr/bin/env -u PIP_FIND_LINKS -u VIRTUAL_ENV LC_ALL=C.UTF-8 \
        PATH=/opt/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

"$here/rootfs.sh" "$root" "${packages[@]}"
if [ ! -e "$root/.python" ]; then
    inside python3 -m venv --system-site-packages /opt/venv
    inside pip install -q "picamera2==$picamera2"
    touch "$root/.python"
fi
# What the project needs, as its pyproject names it: quick where nothing is new.
inside python -c '
import sys, tomllib
project = tomllib.load(sys.stdin.buffer)["project"]
needs = [*project["dependencies"], *sum(project["optional-dependencies"].values(), [])]
print(*(need for need in needs if not need.startswith(project["name"])), sep="\n")
' <"$here/../../pyproject.toml" >"$root/opt/needs.txt"
inside pip install -q -r /opt/needs.txt
