"""`traykeeper bench all`: run the shorter benchmarks one after the other, which takes a few minutes."""

import click

from bench import clips, odds, press, rules, start, vision, web


@click.command("all")
@click.pass_context
def command(context: click.Context) -> None:
    """Run the vision, press, start, clips, web, rules and odds benchmarks, one after the other.

    \b
    traykeeper bench all
    """
    context.invoke(vision.command)
    context.invoke(press.command)
    context.invoke(start.command)
    context.invoke(clips.command)
    context.invoke(web.command, seconds=20)
    context.invoke(rules.command)
    context.invoke(odds.command)
