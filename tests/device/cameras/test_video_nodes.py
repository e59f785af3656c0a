"""USB cameras are found by number, path and name, in a sysfs tree of files."""

import json

import pytest
from click.testing import CliRunner

from device.cameras.base import CameraError
from device.cameras.video_nodes import (
    CAPABILITY,
    CONTROL,
    FORMAT,
    FRAME_SIZE,
    NO_FORMATS,
    VideoNodes,
)
from device.commands import doctor

MJPG = ("MJPG", "YUYV"), ((1920, 1080), (1280, 720))
H264 = ("H264",), ((1920, 1080),)
METADATA = NO_FORMATS


class Machine:
    """A machine whose USB cameras can be plugged in and pulled out."""

    def __init__(self, root):
        self.root, self.formats = root, {}
        self.nodes = VideoNodes(root, lambda path: self.formats.get(path.name))

    def plug(self, port, name, *nodes, by_id=""):
        """Plug in a camera.

        Args:
            port: Name of its USB device, such as "1-1".
            name: Name of the camera.
            nodes: Number and formats of each of its nodes.
            by_id: Its stable name.
        """
        interface = self.root / f"sys/devices/platform/pcie/usb1/{port}/{port}:1.0"
        for index, (number, formats) in enumerate(nodes):
            node = interface / f"video4linux/video{number}"
            node.mkdir(parents=True)
            (node / "name").write_text(f"{name}\n")
            (node / "index").write_text(f"{index}\n")
            (node / "device").symlink_to(interface)
            (self._folder("sys/class/video4linux") / node.name).symlink_to(node)
            (self._folder("dev") / node.name).touch()
            self.formats[node.name] = formats
            if by_id:
                link = self._folder("dev/v4l/by-id") / f"usb-{by_id}-video-index{index}"
                link.unlink(missing_ok=True)
                link.symlink_to(self.root / "dev" / node.name)
            path = self._folder("dev/v4l/by-path") / f"platform-usb-0:{port}-video-index{index}"
            path.unlink(missing_ok=True)
            path.symlink_to(self.root / "dev" / node.name)

    def add_ribbon_camera(self):
        """Add the camera interface of a Pi, as node 0."""
        unicam = self.root / "sys/devices/platform/soc/fe801000.csi/video4linux/video0"
        unicam.mkdir(parents=True)
        (unicam / "name").write_text("unicam-image")
        (unicam / "device").symlink_to(unicam.parents[1])
        (self._folder("sys/class/video4linux") / "video0").symlink_to(unicam)
        self.formats["video0"] = MJPG

    def pull(self, *numbers):
        for number in numbers:
            (self.root / f"sys/class/video4linux/video{number}").unlink()
            (self.root / f"dev/video{number}").unlink()

    def _folder(self, path):
        folder = self.root / path
        folder.mkdir(parents=True, exist_ok=True)
        return folder


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path)
    machine.plug("1-1", "HD Pro Webcam C920", (0, MJPG), (1, METADATA), by_id="046d_C920_A1")
    return machine


def test_a_camera_is_found_by_number_name_and_stable_path(machine):
    found = {
        machine.nodes.find(which).path
        for which in (
            "", "0", "c920", "HD Pro Webcam C920", "/dev/video0", "/dev/v4l/by-id/usb-046d_C920_A1-video-index0"
        )
    }  # fmt: skip

    assert found == {"/dev/video0"}


@pytest.mark.parametrize("which", ["0", "", "c920", "/dev/v4l/by-id/usb-046d_C920_A1-video-index0"])
def test_a_camera_that_was_plugged_in_again_under_another_number_is_found_again(machine, which):
    assert machine.nodes.find(which).number == 0
    machine.pull(0, 1)
    with pytest.raises(CameraError):
        machine.nodes.find(which)
    machine.plug("1-2", "HD Pro Webcam C920", (2, MJPG), (3, METADATA), by_id="046d_C920_A1")

    assert machine.nodes.find(which).number == 2


def test_a_number_that_is_gone_after_a_restart_means_the_only_camera(tmp_path):
    machine = Machine(tmp_path)
    machine.plug("1-1", "HD Pro Webcam C920", (2, MJPG), (3, METADATA))

    assert machine.nodes.find("0").number == 2


def test_without_a_number_the_only_usb_camera_is_chosen(tmp_path):
    """Node 0 belongs to a camera on a ribbon cable, which also delivers pictures."""
    machine = Machine(tmp_path)
    machine.add_ribbon_camera()
    machine.plug("1-1", "HD Webcam C270", (1, MJPG), (2, METADATA))

    assert (machine.nodes.find("").number, machine.nodes.find("0").number) == (1, 0)
    machine.pull(1, 2)
    with pytest.raises(CameraError, match="there is no camera"):
        machine.nodes.find("")
    machine.plug("1-2", "HD Webcam C270", (3, MJPG))
    assert machine.nodes.find("").number == 3


def test_another_camera_is_not_taken_for_the_one_that_was_unplugged(machine):
    machine.nodes.find("0")
    machine.plug("1-2", "Other Cam", (2, MJPG), by_id="other")
    machine.pull(0, 1)

    with pytest.raises(CameraError, match="no camera at /dev/video0"):
        machine.nodes.find("0")
    machine.plug("1-3", "Third Cam", (0, MJPG), by_id="third")
    with pytest.raises(CameraError, match="no camera at /dev/video0"):
        machine.nodes.find("0")


def test_a_metadata_node_is_refused_and_the_node_with_pictures_is_named(machine):
    with pytest.raises(CameraError, match=r"video1 provides only metadata from HD Pro.*use usb:0"):
        machine.nodes.find("1")


def test_of_two_nodes_with_pictures_the_one_that_can_be_decoded_is_chosen(tmp_path):
    machine = Machine(tmp_path)
    machine.plug("1-1", "Creality CAM", (0, H264), (1, METADATA), (2, MJPG))

    assert machine.nodes.find("creality").number == 2


def test_a_name_that_fits_no_camera_or_several_is_refused_with_the_remedy(machine):
    machine.plug("1-2", "HD Pro Webcam C920", (2, MJPG), by_id="046d_C920_B2")

    with pytest.raises(CameraError, match=r"no USB camera called brio.*traykeeper cameras"):
        machine.nodes.find("brio")
    with pytest.raises(CameraError, match=r"several USB cameras.*choose a path"):
        machine.nodes.find("c920")
    assert machine.nodes.find("C920_B2").number == 2


def test_the_pis_own_nodes_are_not_webcams(tmp_path):
    machine = Machine(tmp_path)
    machine.add_ribbon_camera()

    assert machine.nodes.webcams() == []


def test_without_permission_to_open_nodes_the_first_of_a_camera_is_used(tmp_path):
    machine = Machine(tmp_path)
    machine.plug("1-1", "C920", (0, None), (1, None))

    assert [node.number for node in machine.nodes.webcams()] == [0]


def test_the_name_that_the_driver_repeats_is_cut_off(tmp_path):
    machine = Machine(tmp_path)
    machine.plug("1-1", "Integrated Camera: Integrated C", (0, MJPG))

    assert machine.nodes.webcams()[0].name == "Integrated Camera"


def test_the_structures_have_the_sizes_that_the_kernel_expects():
    assert (CAPABILITY.size, FORMAT.size, FRAME_SIZE.size, CONTROL.size) == (0x68, 0x40, 0x2C, 8)


def test_the_command_lists_every_camera_with_its_setting(machine, monkeypatch):
    machine.plug("1-2", "Brio", (2, MJPG), by_id="046d_Brio")
    monkeypatch.setattr(doctor, "VideoNodes", lambda: machine.nodes)
    listed = CliRunner().invoke(doctor.cameras, [], standalone_mode=False)
    data = json.loads(CliRunner().invoke(doctor.cameras, ["--json"]).stdout)

    lines = listed.stdout.splitlines()
    assert "usb:HD Pro Webcam C920  HD Pro Webcam C920  /dev/video0  1920x1080, 1280x720" in lines
    assert "    or /dev/v4l/by-id/usb-046d_C920_A1-video-index0" in lines
    assert "(/dev/video1: another device of HD Pro Webcam C920, which sends no pictures)" in lines
    assert "usb:Brio" in listed.stdout
    assert listed.return_value == 0
    for camera in data["cameras"]:
        if camera["setting"]:
            assert machine.nodes.find(camera["setting"].removeprefix("usb:")).path == camera["path"]


def test_two_cameras_of_one_name_are_listed_with_their_stable_paths(machine):
    machine.plug("1-2", "HD Pro Webcam C920", (2, MJPG), by_id="046d_C920_B2")
    settings = [camera.setting for camera in doctor.webcams(machine.nodes) if camera.setting]

    assert settings == [
        "/dev/v4l/by-id/usb-046d_C920_A1-video-index0",
        "/dev/v4l/by-id/usb-046d_C920_B2-video-index0",
    ]


def test_two_cameras_of_one_name_without_serial_numbers_are_listed_with_their_sockets(tmp_path):
    """Both have the same path below by-id, which means the camera that was plugged in last."""
    machine = Machine(tmp_path)
    for port, number in (("1-1", 0), ("1-2", 2)):
        machine.plug(port, "USB Camera", (number, MJPG), by_id="Generic_USB_Camera")
    listed = list(doctor.webcams(machine.nodes))

    assert [camera.setting for camera in listed] == [
        "/dev/v4l/by-path/platform-usb-0:1-1-video-index0",
        "/dev/v4l/by-path/platform-usb-0:1-2-video-index0",
    ]
    assert [camera.by_id for camera in listed] == ["", ""]
    assert [machine.nodes.find(camera.setting).number for camera in listed] == [0, 2]
