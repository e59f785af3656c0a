"""Charts of a network's scores against the training steps."""

import json
import xml.etree.ElementTree as ET

import pytest

from training.learning import curves

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def lesson(tmp_path):
    """Return a training log with scores at three steps, and a line without scores between them."""
    path = tmp_path / "near.jsonl"
    rows = [
        {"step": step, "missed": {}, "taught": {"face": taught}, "kept_out": {"face": kept_out}}
        for step, taught, kept_out in ((0, 0.1, 0.1), (1000, 0.8, 0.6), (2000, 0.9, 0.7))
    ]
    rows.insert(1, {"step": 50, "missed": {"shown": 1.5}})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_score_on_both_test_sets_is_drawn_against_the_training_steps(lesson):
    one = curves.make_chart(lesson, "face")

    assert one.lines["taught"] == [(0, pytest.approx(10)), (1000, 80), (2000, 90)]
    assert [x for x, _ in one.lines["kept out"]] == [0, 1000, 2000]


def test_each_log_has_its_own_chart(lesson, tmp_path):
    other = tmp_path / "wide.jsonl"
    other.write_text(lesson.read_text())
    curves.main([str(tmp_path / "out.svg"), str(lesson), str(other)])
    root = ET.fromstring((tmp_path / "out.svg").read_text())  # noqa: S314 - our own
    charts = root.findall(f"{SVG}g")
    first = [text.text for text in charts[0].findall(f"{SVG}text")]

    assert [chart.get("transform") for chart in charts] == ["translate(0 0)", "translate(360 0)"]
    assert first == ["steps of near: face", "2000", "100 %", "taught", "kept out"]
    assert charts[0].find(f"{SVG}polyline").get("points") == "50.0,191.0 197.5,58.0 345.0,39.0"


def test_an_unknown_score_is_refused_with_a_list_of_the_known_ones(lesson, tmp_path):
    with pytest.raises(SystemExit) as refused:
        curves.main([str(tmp_path / "out.svg"), str(lesson), "--mark", "clean"])

    assert str(refused.value).endswith(
        "near.jsonl has no grade clean; choose one with --mark: face"
    )
