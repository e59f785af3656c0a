"""The recipe of the card image, as far as it can be checked without the archive of Raspberry Pi.

`make test-pi` runs the steps of the recipe in a trixie root, which it then starts read-only.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

IMAGE = Path(__file__).parents[2] / "image"
LAYERS = {path.stem: path for path in sorted((IMAGE / "layer").glob("*.yaml"))}
DEVICES = {"pi3": "rpi3", "pi4": "rpi4", "pi5": "rpi5", "zero2w": "rpizero2w"}
"""The devices, with their layers in rpi-image-gen 2.7."""

SHIPPED = {
    *("debian-trixie-arm64-multi", "rpi-debian-trixie", "rpi-essential-base", "rpi-misc-skel"),
    *("rpi-misc-utils", "network-manager", "wireless-regulatory", "openssh-server"),
    *("systemd-timesyncd", "image-base", "device-base"),
}
"""Other layers of rpi-image-gen 2.7 that we use, from its layer reference."""

BUILT_IN = {"IGconf_image_name", "IGconf_image_suffix", "IGconf_device_class"}
"""Variables that layers of rpi-image-gen declare."""

SIGNATURE = "7472796b"
SCRIPTS = [
    IMAGE / "build",
    IMAGE / "layer" / "traykeeper-layout.d" / "cmdline",
    *sorted((IMAGE / "layer").glob("*.d/hooks/*")),
    IMAGE / "layer/traykeeper.d/customize.overlay/usr/local/sbin/traykeeper-card",
]


def config(name):
    return yaml.safe_load((IMAGE / "config" / f"{name}.yaml").read_text("utf-8"))


def about(path):
    """Return the metadata of a layer, which is written as DEB822 in comments with indented continuation lines."""
    block = path.read_text("utf-8").partition("# METABEGIN\n")[2].partition("# METAEND")[0]
    lines = re.sub(r"\n# {2,}", " ", block).splitlines()
    return dict(line[2:].split(":", 1) for line in lines if line != "#")


def values(text):
    return [value.strip() for value in text.split(",")]


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_shellcheck_finds_nothing(script):
    done = subprocess.run(["shellcheck", script], capture_output=True, text=True, check=False)

    assert done.stdout == ""
    assert os.access(script, os.X_OK)


@pytest.mark.parametrize("name", DEVICES)
def test_every_pi_has_a_configuration_with_its_layer(name):
    own = config(name)

    assert own["device"]["layer"] == DEVICES[name]
    assert (IMAGE / "config" / own["include"]["file"]).exists()


def test_every_layer_is_ours_or_shipped():
    ours = {about(path)["X-Env-Layer-Name"].strip() for path in LAYERS.values()}
    common = config("traykeeper")
    required = {
        name for path in LAYERS.values() for name in values(about(path)["X-Env-Layer-Requires"])
    }

    assert ours == {"traykeeper", "image-traykeeper"}
    assert {common["image"]["layer"], *common["layer"].values()} <= ours | SHIPPED
    assert required <= ours | SHIPPED


@pytest.mark.parametrize("path", LAYERS.values(), ids=lambda path: path.stem)
def test_a_layer_declares_each_variable_fully_and_lists_real_packages(path):
    found = about(path)
    names = {key.split("-")[3] for key in found if key.startswith("X-Env-Var-")}

    assert re.fullmatch(r"\d+\.\d+\.\d+", found["X-Env-Layer-Version"].strip())
    assert names
    for name in names:
        for field in ("", "-Desc", "-Required", "-Valid", "-Set"):
            assert found[f"X-Env-Var-{name}{field}"].strip(), name
    packages = yaml.safe_load(path.read_text("utf-8").partition("\n---\n")[2])["mmdebstrap"]
    assert packages["packages"] == sorted(packages["packages"])


def test_every_variable_that_is_used_is_declared():
    declared = {
        f"IGconf_{found['X-Env-VarPrefix'].strip()}_{key.split('-')[3]}"
        for found in map(about, LAYERS.values())
        for key in found
        if key.startswith("X-Env-Var-")
    }
    files = [*SCRIPTS, *(IMAGE / "config").glob("*.yaml")]
    used = {name for file in files for name in re.findall(r"IGconf_\w+", file.read_text("utf-8"))}

    assert used <= declared | BUILT_IN


def test_the_packages_of_the_installer_are_in_the_image_or_come_with_it():
    """The installer in the chroot gets the packages in `apt-packages.txt` itself; these are needed before it runs."""
    text = LAYERS["traykeeper"].read_text("utf-8").partition("\n---\n")[2]

    assert {"python3", "python3-venv", "avahi-daemon"} <= {
        *yaml.safe_load(text)["mmdebstrap"]["packages"]
    }


def test_the_configuration_of_genimage_is_complete(tmp_path):
    layout = IMAGE / "layer" / "traykeeper-layout.d"
    sizes = {"boot": "256M", "root": "3G", "state": "2G"}
    variables = {"IGconf_image_name": "traykeeper-pi4", "IGconf_image_suffix": "img"}
    variables |= {f"IGconf_image_{name}_part_size": size for name, size in sizes.items()}
    subprocess.run(
        [layout / "hooks" / "preimage50-genimage", tmp_path, tmp_path],
        env=os.environ | variables | {"LAYER_DOTD": str(layout)},
        check=True,
    )
    written = (tmp_path / "genimage.cfg").read_text()

    assert "<" not in written
    assert written.count("{") == written.count("}")
    assert "image traykeeper-pi4.img {" in written
    assert f'disk-signature = "0x{SIGNATURE}"' in written
    order = re.findall(r"^   partition (\w+)", written, re.MULTILINE)
    assert order == ["boot", "root", "state"]
    for name, size in sizes.items():
        assert re.search(rf"image {name}\.(vfat|ext4) {{[^}}]*}}\n   size = {size}\n", written)


def test_the_file_systems_are_found_by_the_numbers_of_the_partition_table():
    overlay = IMAGE / "layer" / "traykeeper.d" / "customize.overlay"
    fstab = [
        line.split()
        for line in (overlay / "etc" / "fstab").read_text().splitlines()
        if line.startswith("PARTUUID")
    ]

    assert [(line[0], line[1]) for line in fstab] == [
        (f"PARTUUID={SIGNATURE}-02", "/"),
        (f"PARTUUID={SIGNATURE}-01", "/boot/firmware"),
        (f"PARTUUID={SIGNATURE}-03", "/state"),
    ]
    assert fstab[0][3].startswith("ro,")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "console=tty1 root=/dev/mmcblk0p2 rootfstype=ext4 rw rootwait fsck.repair=yes\n",
            "console=tty1 fsck.repair=yes",
        ),
        (None, "console=tty1"),
    ],
)
def test_the_kernel_starts_read_only_from_the_root_partition(tmp_path, before, after):
    if before:
        (tmp_path / "cmdline.txt").write_text(before)
    subprocess.run(
        [IMAGE / "layer" / "traykeeper-layout.d" / "cmdline"],
        env=os.environ | {"IMAGEMOUNTPATH": str(tmp_path)},
        check=True,
    )
    words = (tmp_path / "cmdline.txt").read_text().split()

    assert words[:4] == [f"root=PARTUUID={SIGNATURE}-02", "rootfstype=ext4", "rootwait", "ro"]
    assert words[4:] == after.split()


def test_what_changes_is_moved_to_the_state_partition_once(tmp_path):
    for name in (
        "etc/ssh/sshd_config",
        "etc/ssh/ssh_host_rsa_key",
        "var/lib/dpkg/status",
        "home/pi/x",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "etc/fstab").write_text("# first\n")
    (tmp_path / "etc/machine-id").write_text("of the machine that built it\n")
    for _ in range(2):
        subprocess.run([IMAGE / "layer/traykeeper.d/hooks/preimage20-state", tmp_path], check=True)
    fstab = (tmp_path / "etc/fstab").read_text().splitlines()

    assert (tmp_path / "state/var/lib/dpkg/status").read_text() == "var/lib/dpkg/status"
    assert list((tmp_path / "var").iterdir()) == []
    assert [path.name for path in (tmp_path / "state/etc/ssh").iterdir()] == ["sshd_config"]
    assert (tmp_path / "etc/machine-id").read_text() == ""
    assert fstab[0] == "# first"
    assert len(fstab) == len(set(fstab)) == 7
    assert "/state/var /var none bind 0 0" in fstab


def test_the_first_start_takes_networks_from_the_boot_partition_whatever_fails(tmp_path):
    state, boot, networks = (tmp_path / name for name in ("state", "boot", "networks"))
    programs = tmp_path / "programs"
    for folder in (state, boot, networks, programs):
        folder.mkdir()
    (boot / "home.nmconnection").write_text("[connection]\n")
    for name in ("findmnt", "lsblk", "mount", "systemd-machine-id-setup", "ssh-keygen"):
        (programs / name).write_text("#!/bin/sh\nexit 1\n")
        (programs / name).chmod(0o755)
    done = subprocess.run(
        [SCRIPTS[-1], state, boot, networks],
        env=os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "keeps its size" in done.stdout
    assert (networks / "home.nmconnection").stat().st_mode & 0o777 == 0o600
    assert not (boot / "home.nmconnection").exists()
    assert (state / "prepared").exists()


def test_a_network_stays_on_the_boot_partition_until_its_copy_is_on_the_card(tmp_path):
    script = SCRIPTS[-1].read_text().partition("\ngrow ||")[0]
    (tmp_path / "home.nmconnection").write_text("[connection]\n")
    (tmp_path / "networks").mkdir()
    command = ["bash", "-c", f"{script}\nsync() {{ false; }}; join", "-", tmp_path, tmp_path]
    subprocess.run([*command, tmp_path / "networks"], check=False)

    assert (tmp_path / "home.nmconnection").exists()


@pytest.mark.parametrize(("words", "code"), [(["--help"], 0), ([], 2), (["pi2"], 2)])
def test_the_build_names_its_devices(words, code):
    done = subprocess.run([IMAGE / "build", *words], capture_output=True, text=True, check=False)

    assert done.returncode == code
    assert "pi3|pi4|pi5|zero2w" in done.stdout + done.stderr
