"""A question is put once, and again until somebody answers."""

import pytest

from web.club.tray_requests import AGAIN_S, MOST_OPEN, TrayRequests


def there(_tray):
    return True


@pytest.fixture
def put():
    return []


@pytest.fixture
def asking(put, clock):
    return TrayRequests(lambda tray, request: put.append((tray, request["after"])), clock)


def test_a_question_that_nobody_answers_is_put_again(asking, put, clock):
    asking.put("t1", "m", {"after": 3})
    asking.put("t1", "m", {"after": 4})
    asking.again(there)
    assert put == [("t1", 3)]

    clock.now_s += AGAIN_S
    asking.again(there)
    asking.again(there)
    assert put == [("t1", 3), ("t1", 3)]


def test_a_tray_that_is_not_there_is_let_be(asking, put, clock):
    asking.put("t1", "m", {"after": 3})
    clock.now_s += AGAIN_S
    asking.again(lambda _tray: False)

    assert put == [("t1", 3)]


def test_an_answered_one_is_not(asking, put, clock):
    asking.put("t1", "m", {"after": 3})
    asking.answered("t1", "m")
    clock.now_s += AGAIN_S
    asking.again(there)

    assert put == [("t1", 3)]


def test_a_tray_that_left_is_asked_anew_when_it_comes(asking, put, clock):
    asking.put("t1", "m", {"after": 3})
    asking.put("t2", "m", {"after": 5})
    asking.forget("t1")
    asking.put("t1", "m", {"after": 4})
    clock.now_s += AGAIN_S
    asking.forget()
    asking.again(there)

    assert put == [("t1", 3), ("t2", 5), ("t1", 4)]


def test_no_flood_of_questions_is_remembered(asking, put):
    for number in range(2 * MOST_OPEN):
        asking.put("t1", str(number), {"after": 0})

    assert len(put) == 2 * MOST_OPEN
    assert len(asking._open) <= MOST_OPEN + 1
