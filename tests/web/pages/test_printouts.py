"""What is printed."""

from game.commands import StartMatch


def test_the_card_is_that_of_the_rules_in_force(client, table):
    assert client.get("/card.svg").text.startswith("<svg")
    table.do(StartMatch(("Anna", "Ben"), rules="zilch"))

    assert "Zilch" in client.get("/card.svg").text


def test_the_pad_has_a_column_for_each_player(client, table):
    assert client.get("/pad.svg").mimetype == "image/svg+xml"
    table.do(StartMatch(("Anna", "Ben")))

    assert ">Anna<" in client.get("/pad.svg").text


def test_every_rule_set_on_offer_is_explained_in_sentences(client):
    for rules in client.get("/api/v1/rules").json:
        page = client.get(f"/rules/{rules['name']}")
        assert (page.status_code, rules["title"] in page.text) == (200, True)
    assert client.get("/rules/nothing").status_code == 404
