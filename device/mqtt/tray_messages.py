"""The messages that a tray publishes on a broker: its state, its entries, and its announcement to Home Assistant.

docs/mqtt.md describes them.
"""

import json
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

from device.mqtt.client import (
    ROOT,
    Topics,
)
from game.dice_log import DiceLog
from game.journal.history import FeedLine
from game.situation import Situation
from game.stats.announcements import AnnouncementKind
from game.stats.summary import summary
from web.contracts import Snapshot

NO_MATCH_SUMMARY: dict[str, Any] = {
    "rules": None,
    "target": 0,
    "rounds": 0,
    "target_ends_rounds": False,
    "players": [],
    "turn": None,
    "throw": None,
    "turns": 0,
    "last_round": False,
    "winner": None,
    "series": None,
}

_TURN = "{{ value_json.turn.%s if value_json.turn else %s }}"
_IS_ON = "{{ 'ON' if value_json.%s else 'OFF' }}"

_SCORES = (
    "{% set said = namespace(scores='') %}{% for p in value_json.players %}"
    "{% set said.scores = said.scores ~ (', ' if said.scores else '') ~ p.name ~ ' ' ~ p.score %}"
    "{% endfor %}{{ said.scores[:250] or 'no match' }}"
)
"""Template for the scores. Home Assistant limits a state to 255 characters; the attributes list all twenty players."""

_THROW = "{{ value_json.throw.dice | join(' ') if value_json.throw else 'none' }}"
_WINNER = "{{ value_json.players[value_json.winner].name if value_json.winner is not none else 'nobody' }}"

_SERIES = (
    "{% set said = namespace(wins='') %}{% set series = value_json.series %}"
    "{% for p in value_json.players if series %}{% set said.wins = said.wins ~ "
    "(', ' if said.wins else '') ~ p.name ~ ' ' ~ series.wins[loop.index0] %}{% endfor %}"
    "{{ said.wins[:250] or 'no series' }}"
)

_ALL = (
    "{{ {'players': value_json.players, 'rules': value_json.rules, 'target': value_json.target, "
    "'last_round': value_json.last_round, 'series': value_json.series} | tojson }}"
)


def tray_state_json(snapshot: Snapshot, line: FeedLine | None) -> dict[str, Any]:
    """Return the state of a tray and its match as JSON, without pictures.

    Args:
        snapshot: The current state of the tray and its match.
        line: The last published entry of the journal, with its match; None before the first.
    """
    lamp = snapshot.lamp
    return {
        "match": line.entry.match if line else None,
        "seq": line.entry.seq if line else 0,
        "chain": line.entry.chain if line else "",
        **(summary(line.match) if line else NO_MATCH_SUMMARY),
        "just_dice": _just_dice(snapshot.just_dice),
        "situation": snapshot.situation.value,
        "message": str(snapshot.message),
        "question": str(snapshot.question) if snapshot.question else None,
        "lamp": {"colour": lamp.colour, "blink": lamp.blink, "meaning": str(lamp.meaning)},
        "camera": snapshot.camera,
        "notice": str(snapshot.notice or ""),
        "page": snapshot.join_url,
    }


def _just_dice(log: DiceLog | None) -> dict[str, Any] | None:
    """Return the latest throw that was made without a match, as JSON; None if there is none."""
    if log is None or log.last is None:
        return None
    throw = log.last
    return {"index": throw.index, "dice": [*throw.dice], "sum": throw.sum}


def discovery(topics: Topics, page: str = "") -> dict[str, Any]:
    """Return the announcement of a tray to Home Assistant.

    Args:
        topics: The topics of the tray.
        page: Address of the scoreboard; empty if it is not known.
    """
    device = {
        "identifiers": [f"{ROOT}_{topics.tray}"],
        "name": f"Dice tray {topics.tray}",
        "manufacturer": "Traykeeper",
        "model": "Dice tray",
        "sw_version": version("traykeeper"),
    }
    return {
        "device": device | ({"configuration_url": page} if page else {}),
        "origin": {"name": "Traykeeper", "sw_version": version("traykeeper")},
        "components": {
            key: {"unique_id": f"{ROOT}_{topics.tray}_{key}"} | component
            for key, component in _components(topics)
        },
        "availability_topic": topics.availability,
        "state_topic": topics.state,
        "qos": 1,
    }


def _components(topics: Topics) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "turn", _sensor("Turn", _TURN % ("player", "'nobody'"), "mdi:account")
    yield "points", _points("Turn points", _TURN % ("points", 0), "mdi:dice-multiple")
    yield "dice", _points("Dice to throw", _TURN % ("dice", 0), "mdi:dice-6")
    yield "throw", _sensor("Last throw", _THROW, "mdi:dice-5")
    yield (
        "scores",
        _sensor("Scores", _SCORES, "mdi:scoreboard")
        | {"json_attributes_topic": topics.state, "json_attributes_template": _ALL},
    )
    yield "winner", _sensor("Winner", _WINNER, "mdi:trophy")
    yield "series", _sensor("Series", _SERIES, "mdi:tournament")
    yield (
        "happened",
        {
            "platform": "event",
            "name": "Happened",
            "icon": "mdi:party-popper",
            "state_topic": topics.moment,
            "event_types": [kind.value for kind in AnnouncementKind],
        },
    )
    yield (
        "situation",
        _sensor("Table", "{{ value_json.situation }}", "mdi:table-furniture")
        | {"device_class": "enum", "options": [situation.value for situation in Situation]},
    )
    yield "message", _sensor("Message", "{{ value_json.message[:250] }}", "mdi:message-text")
    yield (
        "lamp",
        _sensor("Lamp", "{{ value_json.lamp.meaning }}", "mdi:led-on")
        | {
            "json_attributes_topic": topics.state,
            "json_attributes_template": "{{ value_json.lamp | tojson }}",
        },
    )
    yield "camera", _diagnostic("Camera", "connectivity", "camera")
    yield "health", _diagnostic("Health", "problem", "notice")


def _sensor(name: str, template: str, icon: str) -> dict[str, Any]:
    return {"platform": "sensor", "name": name, "value_template": template, "icon": icon}


def _diagnostic(name: str, device_class: str, field: str) -> dict[str, Any]:
    """Return a sensor that is on while a field of the state is neither null nor empty."""
    return {
        "platform": "binary_sensor",
        "name": name,
        "device_class": device_class,
        "entity_category": "diagnostic",
        "value_template": _IS_ON % field,
    }


def _points(name: str, template: str, icon: str) -> dict[str, Any]:
    return _sensor(name, template, icon) | {"state_class": "measurement"}


def compact_json(data: Mapping[str, Any]) -> str:
    """Return data as JSON without spaces."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)
