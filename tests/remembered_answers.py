"""Answers inputs that the networks have had in earlier tests from memory."""

from threading import Lock

from vision import networks

LIMIT = 200
"""How many answers are kept. The largest take about a megabyte."""

_load = networks._load
_answers = {}
_lock = Lock()


def load(engine, room, name):
    """Return a function that runs a network, or returns its earlier answer to the same inputs."""

    def run_network(inputs):
        key = (engine, room, name, inputs.shape, hash(inputs.tobytes()))
        answer = _answers.get(key)
        if answer is None:
            answer = _load(engine, room, name)(inputs)
            with _lock:
                _answers[key] = answer
                if len(_answers) > LIMIT:
                    del _answers[next(iter(_answers))]
        return answer.copy()

    return run_network
