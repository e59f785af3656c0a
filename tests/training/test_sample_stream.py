"""The worker processes that make samples during training."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

TRAIN = """
import sys
from pathlib import Path
from training.learning.samples.sample_stream import SampleRecipe, SampleStream
from training.learning.samples.view_source import Materials

def main():
    stream = SampleStream(SampleRecipe("deep", Materials(Path(sys.argv[1])), 1), 1, 1, 2, 96)
    batch = stream.batch(4)
    print("ready", len(batch["numbers"]), stream._made, stream._makers[0].pid, flush=True)
    sys.stdin.read()

if __name__ == "__main__":
    main()
"""
MAX_WAIT_S = 60


@pytest.fixture(scope="module")
def training(rests, tmp_path_factory):
    """Start a program that collects samples and then waits; return it with what it has printed and the numbers in it."""
    from training.scenes.throws.rest_library import KEPT_OUT_FILE, TEACHING_FILE, save_rests

    folder = tmp_path_factory.mktemp("rests")
    for name in (TEACHING_FILE, KEPT_OUT_FILE):
        save_rests(list(rests.rests), folder / name)
    script = folder / "train.py"
    script.write_text(TRAIN)
    root = str(Path(__file__).parents[2])
    program = subprocess.Popen(
        [sys.executable, str(script), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
    )
    progress = [program.stdout.readline()]
    while not progress[-1].startswith("ready"):
        progress.append(program.stdout.readline())
        assert program.poll() is None
    yield program, "".join(progress), [int(word) for word in progress[-1].split()[1:]]
    program.kill()
    program.communicate()


def test_training_collects_samples_before_its_first_batch(training):
    _, progress, (in_batch, made, _) = training

    assert in_batch == 4
    assert made >= 96
    assert "collected 100% of 96 samples" in progress


def test_the_workers_of_a_training_that_is_killed_end_by_themselves(training):
    program, _, (*_, worker) = training
    os.kill(worker, 0)

    program.kill()
    program.wait()

    deadline = time.monotonic() + MAX_WAIT_S
    with suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.kill(worker, 0)
            time.sleep(0.2)
        os.kill(worker, signal.SIGKILL)
        pytest.fail("the worker is still running")
