"""Plays a match with the client that openapi-python-client has generated: python play.py URL TOKEN."""

import random
import sys

from client import Client, models
from client.api.default import (
    get_corrections,
    get_health,
    get_healthz,
    get_match_json,
    get_matches,
    get_rules,
    get_scorekeeper,
    post_bank,
    post_dice,
    post_keep,
    post_match,
    post_scorekeeper_link,
)


def main(url, token):
    client = Client(url, raise_on_unexpected_status=True)
    rng = random.Random(4)

    def ask(function, model=None, **fields):
        body = {"body": model(**fields)} if model else {}
        answer = function.sync(client=client, **body)
        assert answer is not None, function
        assert not isinstance(answer, models.Problem), answer
        return answer

    ask(post_scorekeeper_link, models.PostScorekeeperLinkBody, token=token)
    options = models.PostMatchBodyOptions.from_dict({"opening": 0})
    names = ["Anna", "Ben"]
    state = ask(post_match, models.PostMatchBody, names=names, target=2_000, options=options)
    while state.winner is None:
        bank, throws = state.bank, state.turn.throws
        if throws and bank and not bank.refusal and bank.points >= 200:
            state = ask(post_bank, models.PostBankBody, dice=bank.dice, points=bank.points)
            continue
        if throws and state.keeps and throws[-1].kept is None:
            state = ask(post_keep, models.PostKeepBody, dice=state.keeps[0].dice)
        dice = [rng.randint(1, 6) for _ in range(state.dice_to_throw)]
        state = ask(post_dice, models.PostDiceBody, dice=dice)

    for function in (get_health, get_healthz, get_rules, get_corrections, get_scorekeeper):
        ask(function)
    assert ask(get_match_json).winner == state.winner == ask(get_matches)[0].winner
    print(*[player.score for player in state.players])


if __name__ == "__main__":
    main(*sys.argv[1:])
