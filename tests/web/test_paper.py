"""What is printed."""


def test_the_card_is_that_of_the_rules_in_force(client, table):
    assert client.get("/card.svg").text.startswith("<svg")
    table.new_match(("Anna", "Ben"), rules="zilch")

    assert "Zilch" in client.get("/card.svg").text


def test_the_pad_has_a_column_for_each_player(client, table):
    assert client.get("/pad.svg").mimetype == "image/svg+xml"
    table.new_match(("Anna", "Ben"))

    assert ">Anna<" in client.get("/pad.svg").text
