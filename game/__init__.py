"""The rules of the game in pure Python: scoring, matches, the journal, odds and statistics.

    >>> from game.match.match import Match
    >>> from game.match.match_text import to_text
    >>> from game.rules import rule_files
    >>> match = Match.start(rule_files.load("walnut-studiolo"), ["Anna", "Ben"])
    >>> match = match.throw([1, 1, 3, 3, 3, 5])
    >>> for keep in match.state.keeps[:2]: print(keep.dice, keep.score, keep)
    (1, 1, 3, 3, 3, 5) 550 three 3s 300 + two 1s 200 + one 5 50
    (1, 1, 3, 3, 3) 500 three 3s 300 + two 1s 200
    >>> match = match.bank()
    >>> match.state.player.name, match.undo().state.player.name
    ('Ben', 'Anna')
    >>> print(to_text(match))
    traykeeper match 1
    rules walnut-studiolo
    player Anna
    player Ben
    113335: ~333 11 5 = 550, bank             # Anna 550
    <BLANKLINE>

Only `file_io`, `odds.table_store` and the modules in `journal` read or write files.
"""
