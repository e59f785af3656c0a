"""The weights of the evidence, fitted to a rendered evening."""

import json
import shutil

import pytest


@pytest.fixture(scope="module")
def evenings(tmp_path_factory):
    """A folder with one rendered evening."""
    from training.learning.lamp_evenings import make_evening

    folder = tmp_path_factory.mktemp("evenings")
    make_evening(folder, 3)
    return folder


def fit(evenings, tmp_path, monkeypatch, *names):
    """Return the weights before and after a fit."""
    from training.learning import judge_evenings

    weights = tmp_path / "decision.json"
    shutil.copy(judge_evenings.NETS / "decision.json", weights)
    before = json.loads(weights.read_text())
    argv = ["judge_evenings", str(evenings), "--weights", str(weights), "--fit", *names]
    monkeypatch.setattr("sys.argv", argv)
    judge_evenings.main()
    return before, json.loads(weights.read_text())


def test_an_evening_has_throws_that_should_not_lie_flat(evenings):
    rows = [
        json.loads(line) for line in next(evenings.glob("*/labels.jsonl")).read_text().splitlines()
    ]
    traps = [row["file"] for row in rows if not row["all_readable"]]

    assert len(rows) == 11
    assert set(traps) & {f"throw_{k:02d}.jpg" for k in (5, 6, 7, 8)}


def test_only_the_named_weights_are_fitted(evenings, tmp_path, monkeypatch, capsys):
    before, after = fit(evenings, tmp_path, monkeypatch, "is_flat")

    assert after["is_flat"].keys() == before["is_flat"].keys()
    assert after["is_flat"]["flat_log_odds"] > 0
    assert {**after, "is_flat": None} == {**before, "is_flat": None}
    assert "dice are flat" in capsys.readouterr().out


def test_without_names_both_sums_are_fitted(evenings, tmp_path, monkeypatch):
    before, after = fit(evenings, tmp_path, monkeypatch)

    assert {name for name in before if before[name] != after[name]} == {"is_face_right", "is_flat"}
