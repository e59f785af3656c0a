#!/usr/bin/env bash
# Debian trixie in a folder, with these packages; made once, then only what is missing.
#   sudo [ARCH=arm64] [RELEASE=bookworm] tests/virtual_pi/rootfs.sh FOLDER PACKAGE...
# Another ARCH is run by qemu-user-static.
set -euo pipefail
root=$(realpath -m "${1:?name the folder and the packages}")
shift
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
release=${RELEASE:-trixie} arch=${ARCH:-$(dpkg --print-architecture)}

need() { command -v "$1" >/dev/null || { echo "$1 is missing: sudo apt install $1" >&2; exit 1; }; }
[ "$(id -u)" = 0 ] || { echo "a system in a folder needs root: sudo $0 ..." >&2; exit 1; }

inside() {
    chroot "$root" /usr/bin/env -i LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

same() {
    need debootstrap
    debootstrap --variant=minbase --include=ca-certificates "$release" "$root" "$mirror"
}

foreign() { # unpacked and not set up: emulated, that would take the better part of an hour
    local included
    need mmdebstrap
    included=$(IFS=, && echo "$*")
    mmdebstrap --mode=root --arch="$arch" --variant=extract --include="$included" "$release" "$root" "$mirror"
    ln -sf bash "$root/usr/bin/sh"
    cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
    cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
    echo "$*" >"$root/.packages"
}

native() { [ "$arch" = "$(dpkg --print-architecture)" ]; }

has_all() { [ "$*" = "$(cat "$root/.packages" 2>/dev/null)" ]; }

if [ ! -e "$root/.debian" ] || { ! native && ! has_all "$@"; }; then
    rm -rf "$root"
    mkdir -p "$root"
    if native; then same; else foreign "$@"; fi
    mkdir -p "$root/usr/sbin" "$root/etc/ssl/certs"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # nothing is started in there
    chmod +x "$root/usr/sbin/policy-rc.d"
    touch "$root/.debian"
fi
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
if ! has_all "$@"; then
    inside apt-get update -qq
    inside apt-get install -y -qq --no-install-recommends "$@"
    echo "$*" >"$root/.packages"
fi
