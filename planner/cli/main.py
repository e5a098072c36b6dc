"""The `planner` command: verbs are imported only when they are called, errors become messages and exit codes."""

from __future__ import annotations

import atexit
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
    "validate": ("planner.cli.validate", "Check plan files and report every problem with its line."),
    "compare": ("planner.cli.compare", "Price and rank every storage layout and purchase option of a plan."),
    "estimate": ("planner.cli.compare", "Another name for compare."),
    "report": ("planner.cli.report", "Write the comparison as an HTML page or Markdown."),
    "explain": ("planner.cli.explain", "Explain any number: formula, inputs, sources, sensitivity."),
    "sensitivity": ("planner.cli.sensitivity", "What the cost depends on, and what would change the recommendation."),
    "owned": ("planner.cli.owned", "What the GPU nodes of a run cost rented, reserved and owned; energy and CO2."),
    "optimize": ("planner.cli.optimize", "Find the best node count, spares, layout and purchase, by cost or time."),
    "profile": ("planner.cli.profile", "Turn logs of short runs into a throughput table for a plan."),
    "mix": ("planner.cli.mix", "Find which commitments to buy for an hourly demand, now and later."),
    "demand": ("planner.cli.demand", "Show what a file of past demand contains, and how far it can be trusted."),
    "quote": ("planner.cli.quote", "Show what a plan saves against your way today, on one card."),
    "diff": ("planner.cli.diff", "Compare two plans, price books or saved comparisons, line by line."),
    "stack": ("planner.cli.stack", "Write or check the stack file that `pulumi up` deploys."),
    "preview": ("planner.cli.preview", "List every resource that `pulumi up` would create, with its cost per hour."),
    "lint": ("planner.cli.lint", "Check the planned deployment for mistakes before it exists."),
    "check": ("planner.cli.check", "Ask the AWS account, read only, what would stop or surprise the deployment."),
    "acceptance": ("planner.cli.acceptance", "Measure a deployed stack against its plan, and price each miss."),
    "node": ("planner.cli.node", "Replace one node of a gang."),
    "reserve": ("planner.cli.reserve", "Buy the stack's Capacity Block; you type the exact price to confirm."),
    "leave": ("planner.cli.leave", "Move a run to On-Demand nodes: off spot by its rule, or off a Capacity Block."),
    "spot": ("planner.cli.spot", "Watch what spot costs a run, and when its rule moves it to On-Demand."),
    "traces": ("planner.cli.traces", "Show what recordings of spot capacity say: share, interruptions, waits."),
    "simulate": (
        "planner.cli.simulate",
        "Simulate the spot run of a plan, or of any job on recordings, by several rules.",
    ),
    "reconcile": ("planner.cli.reconcile", "Compare a plan with what AWS billed for its stack, line by line."),
    "teardown-check": ("planner.cli.teardown_check", "List what a stack still costs, from its state and tags."),
    "pool": ("planner.cli.pool", "Operate a running storage pool: buckets, prefetch, status, drain, canary."),
    "jobs": ("planner.cli.jobs", "Show a Slurm cluster's jobs: what runs, what waits and why, in dollars by project."),
    "calc": ("planner.cli.calc", "Evaluate one numbered equation and show its steps."),
    "backtest": ("planner.cli.backtest", "Replay published figures: what the planner reproduces, and what not."),
    "offers": ("planner.cli.offers", "List the prices of an instance type under every purchase option; needs no plan."),
    "prices": ("planner.cli.prices", "Show, compare, verify and update the dated price books."),
    "schema": ("planner.cli.schema", "Print the JSON Schema of the plan file or of a verb's JSON."),
    "completion": ("planner.cli.completion", "Print the shell completion script for bash, zsh or fish."),
}


class Verbs(click.Group):
    """A group that imports a verb only when it is called."""

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
    epilog="Only check, acceptance, node, reserve, spot, teardown-check, pool, jobs, `prices update` and `prices add` "
    "use the clock, the network or credentials; the others are offline. Exit codes: 0 ok, 2 invalid usage or plan, 3 "
    "credentials, 4 AWS error, 10 gate violated, 11 prices out of date, 12 unpriced, 13 blockers, misses, lint errors "
    "or remaining resources, 14 differences, 15 leave spot.",
)
@click.version_option(__version__, prog_name="planner")
def command() -> None:
    """What a finished GPU training run on AWS costs, for every purchase option and storage layout, as a range."""


def run(arguments: list[str] | None = None) -> None:
    """Entry point of the console script. Exits with the codes of planner.errors."""
    # a command runs for about a second: garbage collection would take a tenth of it and free nothing useful
    gc.disable()
    # nor is there anything to find in the collection that Python makes at its end, which took as long
    atexit.register(gc.freeze)
    # a validation plugin that happens to be installed must not change what a plan means, nor delay it
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    debug = os.environ.get("PLANNER_DEBUG") == "1" or "--debug" in (arguments or sys.argv[1:])
    if "_PLANNER_COMPLETE" in os.environ:
        from planner.cli import completion

        completion.register()
    if sys.stdout is None or sys.stderr is None:
        sys.exit(ExitCode.USAGE)  # no output stream
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
        # the reader of standard output is gone; this is no error, and there is nobody to report to
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.OK)
    except PlannerError as error:
        if debug:
            raise
        # a problem starts with its location, which editors and CI parse; any other error with our name
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
            "This is a bug in planner: run again with --debug and report the output.",
            err=True,
        )
        sys.exit(ExitCode.UNEXPECTED)


if __name__ == "__main__":
    run()
