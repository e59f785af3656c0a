"""The lines of the health page, for the catalogues; the more particular ones first."""


def _(phrase: str) -> str:
    """Marks a phrase for the catalogues."""
    return phrase


PHRASES = (
    # What is looked at
    _("camera"),
    _("journal"),
    _("backup"),
    _("lamp"),
    _("space"),
    _("disk"),
    _("power"),
    _("heat"),
    _("clock"),
    # What was found
    _("looking for it"),
    _("no complaint"),
    _("none yet"),
    _("%(matches)s, %(size)s MB, in %(folder)s"),
    _("%(held)s, made %(when)s"),
    _("1 match"),
    _("%(n)s matches"),
    _("%(one)s and %(more)s"),
    _("%(size)s GB free in %(folder)s"),
    _("/proc/mounts does not tell"),
    _("%(kind)s, no errors counted"),
    _("never too low since the start"),
    _("not too low now"),
    _("this machine does not measure it"),
    _("%(when)s, set from the network"),
    _("%(when)s; timedatectl does not tell"),
    # What is wrong
    _("the companion has no picture"),
    _("the journal cannot be written: nothing is accepted"),
    _("the journal was damaged"),
    _("the daily backup cannot be made"),
    _("button, lamp, buzzer or voice fail"),
    _("the disk is nearly full"),
    _("the disk is read-only"),
    _("the disk has had errors"),
    _("the power supply is too weak"),
    _("the Pi is too hot"),
    _("the clock is not set"),
    _("now"),
    _("at least once since the start"),
    _("cannot be made (%(why)s)"),
    _("%(trouble)s (%(detail)s)"),
    # What to do about it
    _("check the cable; then `sudo systemctl restart traykeeper`; meanwhile tap the dice in"),
    _("free space (`sudo apt clean`), or restart; if the card is read-only, use a new one"),
    _("compare the scores with what you remember, correct them by hand; a worn card is replaced"),
    _("free space; until then save one to your phone with the button below"),
    _("check their wires, their pins in the settings, and whether another program uses them"),
    _("free space: `sudo apt clean`, `sudo journalctl --vacuum-size=50M`"),
    _("restart; if it stays so the card is worn out: copy the matches away and use a new card"),
    _("copy the matches away now (`sudo cp -r /var/lib/traykeeper ...`), then use a new card"),
    _("use the supply made for this Pi, plugged in directly: no hub, no thin phone cable"),
    _("give it air or a heat sink: it slows down at 80 °C"),
    _("it sets itself from the network: check the Wi-Fi; matches are kept all the same"),
)
