"""docs/cli.md: every verb, argument and option of the command line, and the exit codes, from click's own commands."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from planner.cli.main import VERBS
from planner.cli.main import command as root
from planner.errors import ExitCode
from tools import pool_reference
from tools.markdown import anchor, cell, prose

HEAD = """\
# The command line

<!-- written by `make docs` from the commands; a test fails when it is stale -->

`planner VERB --help` prints the same. The result alone goes to standard output, notes and warnings to standard error.
Only `check`, `acceptance`, `node`, `reserve`, `spot`, `teardown-check`, `pool`, `prices update` and `prices add` read a
clock, a network or credentials. `NO_COLOR`, `FORCE_COLOR` and `COLUMNS` are honoured.
"""

CODES = {
    ExitCode.OK: "done; every gate holds",
    ExitCode.UNEXPECTED: "a defect of ours, or the result could not be written; --debug shows where",
    ExitCode.USAGE: "the call, the plan or a price book is wrong, or --yes is missing",
    ExitCode.CREDENTIALS: "AWS credentials are missing or not allowed to",
    ExitCode.AWS: "AWS or a deployment failed",
    ExitCode.GATE: "a gate is violated (--max-cost, --max-days; --deadline or --budget of `optimize`), nothing is "
    "feasible, or nothing was bought",
    ExitCode.STALE: "prices are stale, under --strict",
    ExitCode.UNPRICED: "lines without a price, under --strict or --max-unpriced",
    ExitCode.BLOCKER: "a blocker was found, a deployed stack misses its plan, or something of a stack is left",
    ExitCode.DIFFERENT: "differences were found, under --exit-code",
    ExitCode.MOVE: "`planner spot watch`: the rule of the stack moves the run to On-Demand now",
    ExitCode.INTERRUPTED: "interrupted (Ctrl-C)",
}

# an argument as the usage line writes it, with its command before it where another has one of that name -> what it is
ARGUMENTS = {
    "PLAN": "a plan file; - is standard input",
    "PLAN...": "plan files; - is standard input",
    "[PLAN]": "a plan file; - is standard input",
    "[FILE]": "the file to write",
    "planner simulate [PLAN] [FILE]...": "a plan file (.yaml, .yml); further recordings after --traces FILE",
    "FILE...": "recordings of spot capacity in the public JSON format; - is standard input",
    "GPUS=LOG...": "a log of training steps, named with the GPUs that trained: 64=run.log",
    "DEMAND": "what ran in each hour, by instance type, or an hourly cost export: [mix.md](mix.md#the-file); - is "
    "standard input",
    "planner demand show FILE": "jobs as `sacct --parsable2` prints them ([fleet.md](fleet.md#jobs-as-they-were)), or "
    "hours as `planner mix` reads them; - is standard input",
    "[STACKFILE]": "a stack file, as `planner stack` writes it",
    "[NAME]": "an equation by its name or number",
    "[KEY=VALUE]...": "its inputs, by the names that `planner calc NAME` prints",
    "TYPE...": "instance types, such as p5.48xlarge",
    "planner diff A": "a plan, or a comparison saved as JSON",
    "planner diff [B]": "another; without it A is held against itself, with other prices or values",
    "planner explain [SCENARIO]": "a scenario by its id, by its rank like 3, or best; without it they are listed",
    "planner explain [ID]": "a line of its bill, or any number of `compare -f json` by its path; without it they are "
    "listed",
    "planner prices diff A": "the older book: its date or folder",
    "planner prices diff B": "the newer one",
    "[WORDS]...": "words that a line must have, all of them",
    "[DIR]": "the folder of a price book",
    "planner pool [WORDS]...": "a verb and what it takes, as below",
    "{bash|zsh|fish}": "the shell",
}


def commands() -> Iterator[tuple[str, click.Command, str]]:
    """(words of the call, command, the verb it is another name of) of every verb and subcommand, in --help's order."""
    homes: dict[str, str] = {}
    verbs: dict[int, str] = {}  # a verb may be below a group as well, by another name
    for verb, (module, _) in VERBS.items():
        found = root.get_command(click.Context(root), verb)
        assert found is not None, verb
        alias = homes.setdefault(module, verb)
        verbs[id(found)] = f"planner {alias}"
        yield f"planner {verb}", found, "" if alias == verb else f"planner {alias}"
        if isinstance(found, click.Group):
            for name, below in sorted(found.commands.items()):
                yield f"planner {verb} {name}", below, verbs.get(id(below), "")


def text() -> str:
    """docs/cli.md as it is today."""
    all_commands = list(commands())
    parts = [HEAD, "| command | |\n|---|---|"]
    for words, found, alias in all_commands:
        about = f"another name for [{alias}](#{anchor(alias)})" if alias else cell(_short(words, found))
        parts.append(f"| [`{words}`](#{anchor(words)}) | {about} |")
    parts += ["| [exit codes](#exit-codes) | what a script learns from each |", ""]
    for words, found, alias in all_commands:
        parts.append(f"## {words}\n")
        parts.append(f"Another name for [{alias}](#{anchor(alias)}).\n" if alias else _section(words, found))
        if words == pool_reference.PROGRAM:  # its words are its own: it runs on nodes, where there is no click
            parts.append(pool_reference.text())
    parts += ["## Exit codes\n", "| code | meaning |\n|---:|---|"]
    for code in ExitCode:
        if code not in CODES:
            raise LookupError(f"say what exit code {code:d} ({code.name}) means in CODES of tools/cli_reference.py")
        parts.append(f"| {code:d} | {cell(CODES[code])} |")
    parts.append("\nWhere several gates are violated, the lowest of their codes.")
    return "\n".join(parts) + "\n"


def _short(words: str, found: click.Command) -> str:
    verb = words.removeprefix("planner ")
    return VERBS[verb][1] if verb in VERBS else found.get_short_help_str(limit=200)


def _section(words: str, found: click.Command) -> str:
    above = click.Context(root, info_name="planner", help_option_names=root.context_settings["help_option_names"])
    context = click.Context(found, parent=above, info_name=words, show_default=True)
    usage = " ".join([words, *found.collect_usage_pieces(context)])
    parts = [f"```\n{usage}\n```", _paragraphs(found.help or "")]
    arguments = [one.make_metavar(context) for one in found.params if isinstance(one, click.Argument)]
    if arguments:
        described = [_argument(words, metavar) for metavar in arguments]
        parts.append("\n".join(["| argument | meaning |", "|---|---|", *described]))
    # click keeps the help option as it was first asked for, perhaps by a call without the program around it
    options = [one.get_help_record(context) for one in found.params if isinstance(one, click.Option)]
    options.append((", ".join(context.help_option_names), "Show this message and exit."))
    rows = [_row(record[0].replace(" RANGE", ""), record[1].replace("  [", " [")) for record in options if record]
    parts.append("\n".join(["| option | meaning |", "|---|---|", *rows]))
    return "\n\n".join(part for part in parts if part) + "\n"


def _argument(words: str, metavar: str) -> str:
    about = ARGUMENTS.get(f"{words} {metavar}") or ARGUMENTS.get(metavar)
    if about is None:
        raise LookupError(f"say what {words} {metavar} is in ARGUMENTS of tools/cli_reference.py")
    return _row(metavar, about)


def _row(name: str, about: str) -> str:
    return f"| `{name}` | {cell(about)} |".replace(name, name.replace("|", r"\|"), 1)


def _paragraphs(help_text: str) -> str:
    """Help as paragraphs: what a terminal wraps, the reader's browser wraps."""
    return "\n\n".join(prose(" ".join(part.split())) for part in inspect.cleandoc(help_text).split("\n\n"))
