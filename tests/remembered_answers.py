"""What the networks answered in earlier tests: the simulated tray shows the same frames in many of them."""

from threading import Lock

from vision import networks

LIMIT = 200
"""How many answers are kept, of at most 0.7 MB each."""

_load = networks._load
_answers = {}
_lock = Lock()


def load(engine, room, name, thread):
    """Load a network that looks up the answer to inputs that it has had before."""
    network = _load(engine, room, name, thread)

    def run_network(inputs):
        key = (engine, room, name, inputs.shape, hash(inputs.tobytes()))
        answer = _answers.get(key)
        if answer is None:
            answer = network(inputs)
            with _lock:
                _answers[key] = answer
                if len(_answers) > LIMIT:
                    del _answers[next(iter(_answers))]
        return answer.copy()

    return run_network
