"""However many watch, and whatever they ask for: the match goes on, and memory stays as it was."""

from http.cookiejar import CookieJar

import pytest

from tests.campaigns.crowding import SIMULATED, attend, told
from tests.campaigns.phone import Played
from tests.campaigns.size import SOAK, count

GROWTH_MB = 30
"""Of an hour; pictures and matches of the evening are kept meanwhile."""

LATE_MS = 400


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.timeout(7200)
def test_a_match_continues_while_watchers_request_everything(tmp_path):
    streams, guests = count(40, 500), count(6, 30)
    table = Played(tmp_path, CookieJar(), *SIMULATED)
    try:
        answers, evening = attend(table, count(5, 3600), streams, guests)
    finally:
        table.kill()
        table.gone()
    assert evening.late_ms, evening.unread
    print(f"\n{told(answers, evening, streams, guests)}")

    assert 500 not in answers
    if SOAK:  # beside other tests a slice says nothing of times
        assert evening.unread == []
        assert max(evening.late_ms) < LATE_MS
        assert evening.growth_mb < GROWTH_MB
