"""The rules in sentences, for the catalogues; the more particular ones first.

What was assumed where a source is silent stands here, too: of published rules, as of the options.
"""


def _(phrase: str) -> str:
    """Marks a phrase for the catalogues."""
    return phrase


PHRASES = (
    # What scores
    _("Played with %(n)s dice."),
    _("A single %(face)s is %(points)s."),
    _("Three of a kind is 100 times the face."),
    _("Three of a kind is 100 times the face; %(exceptions)s."),
    _("Four, five and six of a kind score no more than a triple."),
    _("Each further matching die doubles the triple: four x2, five x4, six x8."),
    _("Each further matching die adds the triple again: four x2, five x3, six x4."),
    _(
        "Four of a kind %(four)s, five of a kind %(five)s, six of a kind %(six)s, whatever the face."
    ),
    _("Four of a kind %(four)s, five of a kind %(five)s, whatever the face."),
    _("Four %(face)ss are %(points)s."),
    _("Five %(face)ss are %(points)s."),
    _("Six %(face)ss are %(points)s."),
    _("A straight from 1 to 6 is %(points)s."),
    _("A low straight, 1 to 5, is %(points)s."),
    _("A high straight, 2 to 6, is %(points)s."),
    _("Three pairs are %(points)s."),
    _("Four of a kind with a pair is %(points)s."),
    _("Six of a kind taken as three pairs is %(points)s."),
    _("Two triplets are %(points)s."),
    _("A throw of all dice that scores nothing is %(points)s, and a free throw."),
    # A turn
    _("The first points a player banks are at least %(points)s in one turn."),
    _("Every bank is at least %(points)s."),
    _("Who scores with all dice must throw them all again."),
    _("Who scores with all dice may throw them all again."),
    _(
        "A single last die may be thrown twice; if it scores, it brings %(points)s more and all dice "
        "are thrown again."
    ),
    _("After three of a kind is thrown the points are banked and the turn ends."),
    _("The next player may go on with the dice and points that were just banked."),
    _(
        "The next player may go on with the dice and points that were just banked, "
        "unless all dice had scored in that turn."
    ),
    # The end
    _("The game goes to exactly %(points)s: a turn that goes over scores zero."),
    _("The game goes to %(points)s."),
    _("The game goes over %(points)s."),
    _("Who gets there first wins at once."),
    _("Then every other player has one more turn to top that."),
    _("Then the players later in the round have their turn to top that."),
    _("Then every other player has one more throw to top that."),
    _("All dice alike in a single throw win the game."),
    # What is taken away
    _("Three farkles in a row cost %(points)s."),
    _("Three turns in a row whose first throw scores nothing cost %(points)s."),
    _("Three 3s in one throw cost %(points)s and score nothing."),
    _("Four or more 2s in one throw set the score back to zero and end the turn."),
    _("A score never falls below zero."),
    # Exceptions, in a row
    _("%(one)s; %(more)s"),
    _("three %(face)ss are no combination"),
    _("three %(face)ss are %(points)s"),
    # What was assumed
    _(
        "ASSUMED: the page lost its figures; single 1 and 5 and the triples are those all pages share."
    ),
    _("Its optional combinations are off, since their figures are lost."),
    _("10,000 is reached at 10,000, though the page says it breaks it."),
    _("ASSUMED: three pairs 1,500 and a straight 1,500; the page lost the figures."),
    _("ASSUMED: single 1 and 5 and the triples are those all pages share."),
    _("Everything but the number of dice is as in the game with six."),
    _("Three 1s and a 1 may be scored as 1,100, which is more than four of a kind."),
    _("The optional opening of 500 is off, and so is the charity roll."),
    _("Four of a kind and a pair, or six alike, do not count as three pairs."),
    _("The target varies from table to table; 5,000 is taken."),
    _("Plain dice: no wild, weighted or badge dice."),
    _("The first to bank 10,000 wins at once."),
    _("The optional 450 to get on the board is off."),
    _("Points taken over from the player before count for being on the board."),
    _("Six alike are two triplets or three pairs, whichever is more; the page names neither."),
    _("In the last round only those later in the round throw, so that all have had as many turns."),
    _("Four 2s reset the banked score, not only the turn: the page says the player's score."),
    _("Six alike win before four 2s reset."),
    _("The penalty is for three turns in a row whose first throw scores nothing."),
    _("The 5,000 of the shorter game is not switched on: it is a target to choose."),
    _("10,000 is reached at 10,000, not over it: the page says both."),
    _("In the last round a tie keeps the one who was there first: the others must top the score."),
)
