"""The `planner` command: verbs are imported only when they are called, errors become messages and exit codes."""

from __future__ import annotations

import gc
import importlib
import os
import sys

import click

from planner import __version__
from planner.cli.output import ReaderGone
from planner.errors import ExitCode, PlannerError, PlanProblems

# verb -> (module, one line for --help); the module has a click command called `command`
VERBS: dict[str, tuple[str, str]] = {
    "init": ("planner.cli.init", "Write a commented plan that runs."),
    "validate": ("planner.cli.validate", "Check plan files; every problem with its line."),
    "compare": ("planner.cli.compare", "Price every layout and purchase option of a plan, ranked."),
    "estimate": ("planner.cli.compare", "Another name for compare."),
    "report": ("planner.cli.report", "Write the comparison as one HTML page, or as Markdown."),
    "explain": ("planner.cli.explain", "Any number: its formula, its inputs, where each came from, what moves it."),
    "sensitivity": ("planner.cli.sensitivity", "What moves a scenario, and what flips the decision."),
    "diff": ("planner.cli.diff", "What changed between two plans, price books or saved comparisons, by line."),
    "stack": ("planner.cli.stack", "Write the stack file of a scenario for `pulumi up`, or check one."),
    "preview": ("planner.cli.preview", "Every resource that `pulumi up` would create, with its dollars an hour."),
    "lint": ("planner.cli.lint", "Check the planned deployment for mistakes before it exists."),
    "reserve": ("planner.cli.reserve", "Buy the Capacity Block of a stack, for a dollar amount that you type."),
    "teardown-check": ("planner.cli.teardown_check", "What a stack still bills, from its state and from its tags."),
    "pool": ("planner.cli.pool", "Look after a pool that stands: buckets, prefetch, status, drain, canary."),
    "calc": ("planner.cli.calc", "Evaluate one numbered equation and show its steps."),
    "offers": ("planner.cli.offers", "Prices of an instance type on every purchase option, without a plan."),
    "prices": ("planner.cli.prices", "The dated price books: show, diff, verify."),
    "schema": ("planner.cli.schema", "Print the JSON Schema of the plan file, or of compare's JSON."),
    "completion": ("planner.cli.completion", "Print the completion script of bash, zsh or fish."),
}


class Verbs(click.Group):
    """A group that knows its verbs by name and imports the one that is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module, summary = VERBS[cmd_name]
        found = importlib.import_module(module).command
        found.short_help = summary
        return found

    def resolve_command(self, ctx: click.Context, args: list[str]):
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], VERBS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else " `planner --help` lists them."
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in VERBS.items()])


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Offline: no verb but reserve, teardown-check and pool reads a clock, a network or credentials. "
    "Exit codes: 0 ok, 2 usage or plan wrong, 3 credentials, 4 AWS, 10 gate violated, 11 stale prices, 12 unpriced, "
    "13 lint or leftovers, 14 differences.",
)
@click.version_option(__version__, prog_name="planner")
def command() -> None:
    """What a finished GPU training run on AWS costs: every purchase option, every storage layout, as a range."""


def run(arguments: list[str] | None = None) -> None:
    """Entry point of the console script. Exits with the codes of planner.errors."""
    # a command lives for a second: looking for garbage in cycles takes a tenth of that and frees nothing it needs
    gc.disable()
    # a validation plugin that happens to be installed must not change what a plan means, nor delay it
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    debug = os.environ.get("PLANNER_DEBUG") == "1" or "--debug" in (arguments or sys.argv[1:])
    if "_PLANNER_COMPLETE" in os.environ:
        from planner.cli import completion

        completion.register()
    if sys.stdout is None or sys.stderr is None:
        sys.exit(ExitCode.USAGE)  # nowhere to answer to
    try:
        code = command.main(args=arguments, prog_name="planner", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else ExitCode.OK)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(ExitCode.INTERRUPTED)
    except (ReaderGone, BrokenPipeError):
        # whoever read us has gone; nothing is wrong, and nobody is there to be told
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.OK)
    except PlannerError as error:
        if debug:
            raise
        # a problem begins with its place, which editors and CI read; anything else with our name
        click.echo(str(error) if isinstance(error, PlanProblems) else f"planner: {error}", err=True)
        sys.exit(error.exit_code)
    except OSError as error:
        if debug:
            raise
        click.echo(f"planner: cannot write the result: {error.strerror or error}", err=True)
        # what could not be written must not be tried again when Python flushes at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.UNEXPECTED)
    except Exception as error:
        from pricing.book import BrokenBook

        if isinstance(error, BrokenBook) and not debug:
            click.echo(f"planner: {error}", err=True)
            sys.exit(ExitCode.USAGE)
        if debug:
            raise
        click.echo(
            f"planner: unexpected {type(error).__name__}: {error}\n"
            "This is a defect of ours: run again with --debug and report what it prints.",
            err=True,
        )
        sys.exit(ExitCode.UNEXPECTED)


if __name__ == "__main__":
    run()
