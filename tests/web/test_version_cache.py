from concurrent.futures import ThreadPoolExecutor

from web.version_cache import VersionCache


def test_works_once_for_a_version_however_many_ask(table):
    made = []
    once = VersionCache(lambda snapshot: made.append(snapshot.version) or snapshot.version)
    snapshot = table.snapshot()

    with ThreadPoolExecutor(16) as pool:
        answers = set(pool.map(once, [snapshot] * 64))

    assert answers == {0}
    assert made == [0]


def test_works_again_for_the_next_version(table):
    once = VersionCache(lambda snapshot: snapshot.message)

    assert str(once(table.snapshot())) == "Welcome"
    assert str(once(table.show(message="Anna begins"))) == "Anna begins"


def test_who_comes_late_with_an_old_snapshot_gets_the_newest(table):
    once = VersionCache(lambda snapshot: snapshot.message)
    old = table.snapshot()
    once(table.show(message="new"))

    assert str(once(old)) == "new"
