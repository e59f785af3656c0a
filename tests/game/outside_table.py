"""An independent table that reads rule files, lists keeps and referees a match by brute force.

It was written from docs/rules.md alone, to check the game, and imports nothing from this program.
"""

import tomllib
from functools import cache
from itertools import combinations
from pathlib import Path

USUAL = {
    "n_dice": 6,
    "singles": {"1": 100, "5": 50},
    "triples": {"1": 1000, "2": 200, "3": 300, "4": 400, "5": 500, "6": 600},
    "alike": "none",
    "alike_fixed": {},
    "alike_faces": {},
    "hot_dice": "may",
    "piggyback": "no",
    "target": 10_000,
    "win": "at least",
    "last_round": "none",
    "ties": "nobody",
    "below_zero": True,
}
"""Defaults of options that are not 0."""

TABLES = ("singles", "triples", "alike_fixed", "alike_faces")


def read(text: str, published: Path) -> dict:
    """Return the options in a rule file and in the files that it extends."""
    options = tomllib.loads(text)
    parent = options.pop("extends", None)
    if options.get("rounds") and "target" in options:
        options.setdefault("target_ends_rounds", True)
    if parent is None:
        return USUAL | options
    rules = read((published / f"{parent}.toml").read_text("utf-8"), published)
    merged = {name: rules[name] | options[name] for name in TABLES if name in options}
    return rules | options | merged


class Keeps:
    """The legal keeps under some rules, found by trying every way to divide the dice."""

    def __init__(self, rules: dict) -> None:
        self.rules = rules
        self.best = cache(self._best)
        self.of = cache(self._of)

    def get(self, key: str) -> int:
        return self.rules.get(key, 0)

    def _of(self, throw: tuple[int, ...]) -> dict[tuple[int, ...], int]:
        """Return the keeps of a throw, as kept dice -> points."""
        chosen = {kept for n in range(1, len(throw) + 1) for kept in combinations(throw, n)}
        found = {kept: self.best(kept) for kept in chosen if self.best(kept)}
        if self.get("keep_all"):
            most = max(map(len, found), default=0)
            found = {kept: points for kept, points in found.items() if len(kept) == most}
        free = len(throw) == self.rules["n_dice"] and not self.costs(throw)
        if not found and self.get("nothing") and free:
            found = {throw: self.get("nothing")}
        return found

    def scoring(self, throw: tuple[int, ...]) -> bool:
        """Return whether dice of the throw score by themselves, without the bonus for scoring nothing."""
        parts = {kept for n in range(1, len(throw) + 1) for kept in combinations(throw, n)}
        return any(map(self.best, parts))

    def costs(self, throw: tuple[int, ...]) -> int:
        """Return what three 3s in the throw cost."""
        return self.get("triple_threes") if throw.count(3) >= 3 else 0

    def _best(self, dice: tuple[int, ...]) -> int:
        """Return the most points of any division of the dice into groups that score, or 0."""
        whole = self.group(dice)
        first, others = dice[0], dice[1:]
        parted = [0]
        for n in range(len(others)):
            for more in set(combinations(others, n)):
                rest = list(others)
                for die in more:
                    rest.remove(die)
                one, two = self.group((first, *more)), self.best(tuple(rest))
                parted.append(one + two if one and two else 0)
        return max(whole, *parted)

    def group(self, dice: tuple[int, ...]) -> int:
        """Return the points of dice that score as one combination."""
        counts = sorted((dice.count(face) for face in set(dice)), reverse=True)
        names = {
            (1, 1, 1, 1, 1, 1): "straight",
            (2, 2, 2): "three_pairs",
            (4, 2): "four_and_pair",
            (6,): "six_as_pairs",
            (3, 3): "two_triplets",
        }
        points = [self.get(names.get(tuple(counts), ""))]
        if dice == (1, 2, 3, 4, 5):
            points.append(self.get("low_straight"))
        if dice == (2, 3, 4, 5, 6):
            points.append(self.get("high_straight"))
        if counts == [3, 2] and self.get("full_house"):
            three = self.three(max(set(dice), key=dice.count))
            points.append(three + self.get("full_house") if three else 0)
        if len(counts) == 1:
            points.append(self.alike(dice[0], len(dice)))
        return max(points)

    def three(self, face: int) -> int:
        if face == 3 and self.get("triple_threes"):
            return 0
        return self.rules["triples"].get(str(face), 0)

    def alike(self, face: int, n: int) -> int:
        """Return the points of n dice alike as one combination."""
        if n < 3:
            return n * self.rules["singles"].get(str(face), 0)
        singly = n * self.rules["singles"].get(str(face), 0)
        if n == 3:
            return max(singly, self.three(face))
        if (exception := self.rules["alike_faces"].get(f"{face}x{n}")) is not None:
            return max(singly, exception)
        if face == 3 and self.get("triple_threes"):
            return singly
        by_rule = {
            "none": 0,
            "doubling": self.three(face) * 2 ** (n - 3),
            "adding": self.three(face) * (n - 2),
            "fixed": self.rules["alike_fixed"].get(str(n), 0),
        }
        return max(singly, by_rule[self.rules["alike"]])


class Table:
    """A match as a careful referee records it: who throws, what is at risk, who has won."""

    def __init__(self, rules: dict, players: int, keeps: Keeps) -> None:
        self.rules, self.all_keeps, self.n = rules, keeps, players
        self.score = [0] * players
        self.on_board = [False] * players
        self.farkles = [0] * players
        self.bad_starts = [0] * players
        self.played = [0] * players
        self.extra = [0] * players
        self.turn_before = 0
        self.to_take_over = None
        self.closer = self.winner = None
        self.last_turns, self.tied = [], []
        self.begin(0)

    def get(self, key: str) -> int:
        return self.rules.get(key, 0)

    def begin(self, seat: int) -> None:
        self.seat, self.at_risk, self.in_hand = seat, 0, self.rules["n_dice"]
        self.hot = self.thrown = 0
        self.took_over = self.second_try = self.bad_start = False
        self.lies, self.keeps = (), {}

    # Moves

    def take_over(self) -> None:
        self.at_risk, self.in_hand = self.to_take_over
        self.took_over, self.to_take_over = True, None

    def throw(self, dice: tuple[int, ...]) -> None:
        self.lies, self.to_take_over = tuple(sorted(dice)), None
        times = 1 + self.hot if self.get("hot_dice_multiply") else 1
        found = self.all_keeps.of(self.lies)
        if (
            self.thrown
            and self.get("nothing_first_throw")
            and not self.all_keeps.scoring(self.lies)
        ):
            found = {}
        self.keeps = {kept: times * points for kept, points in found.items()}
        self.thrown += 1
        if self.thrown == 1:
            self.bad_start = not found
        self.add(self.seat, -self.all_keeps.costs(self.lies))
        self.happens()

    def happens(self) -> None:
        most = max(map(self.lies.count, self.lies))
        if (
            most == self.rules["n_dice"]
            and (
                self.get("all_alike_wins")
                or (self.get("all_ones_win") and self.lies[0] == 1)
                or (self.get("all_sixes_win") and self.lies[0] == 6)
            )
        ) or (self.get("straight_wins") and self.lies == (1, 2, 3, 4, 5, 6)):
            self.winner = self.seat
        elif self.get("four_twos_reset") and self.lies.count(2) >= 4:
            self.score[self.seat] = 0
            self.end()
        elif not self.keeps:
            self.scores_nothing()
        else:
            self.scores(most)

    def scores_nothing(self) -> None:
        if len(self.lies) == 1 and self.get("last_die_twice") and not self.second_try:
            self.second_try = True
        else:
            self.end(farkle=True)

    def scores(self, most: int) -> None:
        if len(self.lies) == 1:
            self.at_risk += self.get("last_die_twice")
        best = self.usual_bank()
        last = self.is_last_throw()
        if last and self.refuses(best):
            self.end(farkle=True)
        elif last or (self.get("must_bank_after_triple") and most >= 3 and not self.refuses(best)):
            self.bank(best)

    def keep(self, kept: tuple[int, ...]) -> None:
        self.at_risk += self.keeps[kept]
        left = len(self.lies) - len(kept)
        self.hot += not left
        self.in_hand = left or self.rules["n_dice"]
        self.lies, self.keeps, self.second_try = (), {}, False

    def bank(self, kept: tuple[int, ...]) -> None:
        left = len(self.lies) - len(kept)
        points = self.at_risk + self.keeps[kept]
        heavy = self.hot or not left
        if self.overshoots(kept):
            self.give_away(points)
            return
        self.end(points)
        again = {"no": False, "yes": True, "not heavy": not heavy}[self.rules["piggyback"]]
        may = self.on_board[self.seat] or not self.get("take_over_on_board")
        if again and may and self.winner is None:
            self.to_take_over = points, left or self.rules["n_dice"]

    # Legality

    def is_last_throw(self) -> bool:
        charity = self.closer is not None and self.rules["last_round"] == "charity roll"
        return charity or 0 < self.get("most_throws") <= self.thrown

    def overshoots(self, kept: tuple[int, ...]) -> bool:
        total = self.score[self.seat] + self.at_risk + self.keeps[kept]
        return self.rules["win"] == "exactly" and total > self.rules["target"]

    def usual_bank(self) -> tuple[int, ...]:
        """Return the best keep that does not overshoot, or the best keep."""
        return max(
            self.keeps, key=lambda k: (not self.overshoots(k), self.keeps[k], -len(k), k[::-1])
        )

    def refuses(self, kept: tuple[int, ...]) -> bool:
        left = len(self.lies) - len(kept)
        points = self.at_risk + self.keeps[kept]
        if not self.is_last_throw():
            if not left and self.rules["hot_dice"] == "must":
                return True
            if left >= self.get("must_throw_from") > 0:
                return True
        if not self.on_board[self.seat] and points < self.get("opening"):
            return True
        if self.get("must_beat_turn") and points <= self.turn_before:
            return True
        return points < self.get("minimum_bank")

    # Ends of turns

    def add(self, seat: int, points: int) -> None:
        self.score[seat] += points
        if points and not self.rules["below_zero"]:
            self.score[seat] = max(self.score[seat], 0)

    def knock_back(self, seat: int) -> None:
        if self.get("knock_back") and self.score[seat]:
            for other in range(self.n):
                if other != seat and self.score[other] == self.score[seat]:
                    self.score[other], self.on_board[other] = 0, False

    def end(self, points: int = 0, *, farkle: bool = False) -> None:
        seat, cost = self.seat, 0
        self.farkles[seat] = self.farkles[seat] + 1 if farkle else 0
        self.bad_starts[seat] = self.bad_starts[seat] + 1 if farkle and self.bad_start else 0
        if self.farkles[seat] >= 3:
            cost += self.get("three_farkles")
            self.farkles[seat] *= bool(self.get("farkles_keep_costing"))
        if farkle and self.took_over:
            cost += self.get("take_over_farkle")
        if farkle and self.bad_start:
            cost += self.get("scoreless_start")
        if self.bad_starts[seat] == 3:
            cost, self.bad_starts[seat] = cost + self.get("three_scoreless_starts"), 0
        self.add(seat, points - cost)
        self.on_board[seat] = self.on_board[seat] or points > 0
        if points:
            self.knock_back(seat)
        if self.get("opening_at_zero") and self.score[seat] <= 0:
            self.on_board[seat] = False
        self.turn_before = points
        self.played[seat] += 1
        self.begin((seat + 1) % self.n)
        self.look_for_an_end(seat)

    def give_away(self, points: int) -> None:
        others = [(self.seat + i) % self.n for i in range(1, self.n)]
        poorest = min(others, key=lambda other: self.score[other])
        given = self.get("welfare") and self.score[poorest] + points <= self.rules["target"]
        if given:
            self.score[poorest] += points
            self.on_board[poorest] = True
        self.end()
        if given:
            self.look_for_an_end(poorest)

    def look_for_an_end(self, seat: int) -> None:
        has_target = not self.get("rounds") or self.get("target_ends_rounds")
        if self.closer is not None:
            self.last_turns = [s for s in self.last_turns if s != seat]
            takes_the_lead = seat != self.closer and self.leader(self.closer) == seat
            if self.rules["last_round"] == "until unbeaten" and takes_the_lead:
                others = self.who_follows(seat)
                still = [s for s in others if s in self.tied] if self.tied else others
                self.closer, self.last_turns = seat, still
            self.play_on_if_tied()
        elif has_target and self.is_there(self.score[seat]):
            self.closer = seat
            self.last_turns = self.who_follows(seat)
            self.play_on_if_tied()
        elif self.get("rounds"):
            self.go_on(self.to_play() or self.one_more_turn(), first=0)

    def play_on_if_tied(self) -> None:
        if not self.last_turns:
            self.last_turns = self.tied = self.play_off(self.closer)
        self.go_on(self.last_turns, first=self.closer)

    def to_play(self) -> list[int]:
        """Return who still has turns in a fixed number of rounds."""
        most = [self.get("rounds") + more for more in self.extra]
        return [s for s in self.in_order(self.seat) if self.played[s] < most[s]]

    def one_more_turn(self) -> list[int]:
        for seat in self.play_off(0):
            self.extra[seat] += 1
        return self.to_play()

    def play_off(self, first: int) -> list[int]:
        """Return who has another turn because of a tie."""
        order = self.in_order(first)
        tied = [s for s in order if self.score[s] == max(self.score)]
        if len(tied) == 1:
            return []
        return {"nobody": [], "tied players": tied, "everybody": order}[self.rules["ties"]]

    def leader(self, first: int) -> int:
        return max(self.in_order(first), key=lambda s: self.score[s])

    def go_on(self, waiting: list[int], first: int) -> None:
        if waiting:
            self.begin(waiting[0])
        else:
            self.winner = self.leader(first)

    def in_order(self, first: int) -> list[int]:
        return [(first + i) % self.n for i in range(self.n)]

    def is_there(self, score: int) -> bool:
        target = self.rules["target"]
        return {"at least": score >= target, "over": score > target, "exactly": score == target}[
            self.rules["win"]
        ]

    def who_follows(self, closer: int) -> list[int]:
        if self.rules["win"] == "exactly" or self.rules["last_round"] == "none":
            return []
        others = self.in_order(closer)[1:]
        if self.rules["last_round"] == "later in round":
            return [seat for seat in others if seat > closer]
        return others
