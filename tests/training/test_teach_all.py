"""The command that trains all networks: the order of its steps, and how it resumes.

The programs that it calls are replaced with fakes.
"""

import pytest

from training import teach_all

STAND_IN = """#!/bin/sh
echo "$(basename "$0") $*" >>"{said}"
case "$*" in *"$(cat "{fails}")"*) exit 3;; esac
"""

NEAR, WIDE = (
    f"learn learning.teach {kind} nets --rests rests --traced traced --workers 1"
    " --from vision/nets/deep.onnx --vary --rate 8e-4"
    for kind in ("near", "wide")
)
CHANGE = (
    "learn learning.teach change nets --rests rests --traced traced --workers 1"
    " --steps 11000 --rate 3e-3 --again 4"
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs the command and returns the command lines of the programs that it called.

    A faked program fails if its command line contains `failing`.
    """
    said, fails = tmp_path / "said", tmp_path / "fails"
    for name in ("learn", "render"):
        (tmp_path / name).write_text(STAND_IN.format(said=said, fails=fails))
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(teach_all, "LEARN_PYTHON", str(tmp_path / "learn"))

    def go(*words, failing="no command at all"):
        said.write_text("")
        fails.write_text(failing)
        try:
            teach_all.main([str(tmp_path / "all"), *words])
        finally:
            lines = said.read_text().replace(f"{tmp_path}/all/", "").splitlines()
            go.asked = [line.replace(" -m training.", " ") for line in lines]
        return go.asked

    return go


def test_each_step_comes_after_the_steps_it_needs(run, tmp_path):
    asked = run("--render", str(tmp_path / "render"))

    assert asked == [
        "learn scenes.throws.rest_library rests",
        "render rendering.make_pictures traced rests/rests.npz --count 500",
        "render rendering.own_evenings own",
        "learn learning.teach finder nets --rests rests --traced traced --workers 1",
        "learn learning.export finder nets",
        "learn learning.teach finder_alone nets --rests rests --traced traced --workers 1",
        "learn learning.export finder_alone nets",
        "learn learning.teach deep nets --rests rests --traced traced --workers 1 --imagenet",
        "learn learning.export deep nets",
        NEAR,
        "learn learning.export near nets",
        WIDE,
        "learn learning.export wide nets",
        CHANGE,
        "learn learning.export change nets",
        "learn learning.weigh --rests rests",
        "learn learning.lamp_evenings evenings",
        "learn learning.judge_evenings evenings --fit",
        "learn learning.train_tray floor nets --rests rests",
        "learn learning.train_tray frame nets --rests rests",
    ]


def test_the_command_resumes_at_the_step_that_failed(run, capsys):
    with pytest.raises(SystemExit) as stopped:
        run(failing="teach near")

    assert (
        str(stopped.value)
        == "teach near failed with exit status 3; run the same command again to resume"
    )
    assert run.asked[-1].startswith("learn learning.teach near ")
    asked = run()
    assert asked[0].startswith("learn learning.teach near ")
    assert asked[-1] == "learn learning.train_tray frame nets --rests rests"
    assert "teach finder: done\n" in capsys.readouterr().out
    assert run() == []


def test_a_step_is_repeated_after_its_line_is_removed(run, tmp_path):
    run()
    done = tmp_path / "all" / "done.txt"
    done.write_text(done.read_text().replace("weigh\n", ""))

    assert run() == ["learn learning.weigh --rests rests"]


def test_existing_throws_are_not_simulated_again(run, tmp_path):
    rests = tmp_path / "all" / "rests"
    rests.mkdir(parents=True)
    for name in ("rests.npz", "rests_kept_out.npz"):
        (rests / name).touch()

    assert run()[0].startswith("learn learning.teach finder ")


def test_without_blender_the_command_says_what_is_skipped(run, capsys):
    asked = run()

    assert not any("traced" in line or line.startswith("render ") for line in asked)
    assert "without --render PYTHON, no images are path traced" in capsys.readouterr().out


def test_the_options_half_and_workers_are_passed_to_the_training_of_each_network(run):
    taught = [line for line in run("--half", "--workers", "15") if "learning.teach" in line]

    assert len(taught) == 6
    assert all("--half --workers 15" in line for line in taught)


def test_a_missing_python_program_is_refused_before_any_step(run, tmp_path, capsys):
    with pytest.raises(SystemExit):
        run("--render", str(tmp_path / "nowhere"))

    assert f"{tmp_path / 'nowhere'} is not a program" in capsys.readouterr().err
    assert not (tmp_path / "all").exists()
