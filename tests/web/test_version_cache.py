"""Work that is done once for each version of the table."""

from concurrent.futures import ThreadPoolExecutor

from web.version_cache import VersionCache


def test_function_runs_once_for_a_version_however_many_ask(table):
    made = []
    cache = VersionCache(lambda snapshot: made.append(snapshot.version) or snapshot.version)
    snapshot = table.snapshot()

    with ThreadPoolExecutor(16) as pool:
        answers = set(pool.map(cache, [snapshot] * 64))

    assert answers == {0}
    assert made == [0]


def test_function_runs_again_for_the_next_version(table):
    cache = VersionCache(lambda snapshot: snapshot.message)

    assert str(cache(table.snapshot())) == "Welcome"
    assert str(cache(table.show(message="Anna begins"))) == "Anna begins"


def test_old_snapshot_gets_the_newest_result(table):
    cache = VersionCache(lambda snapshot: snapshot.message)
    old = table.snapshot()
    cache(table.show(message="new"))

    assert str(cache(old)) == "new"
