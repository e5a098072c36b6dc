"""`planner completion`: scripts by which bash, zsh and fish complete verbs, options, plan files, scenarios, equations.

The scripts and the protocol are click's own. Added here: what an argument takes is known by its metavar, so that a
verb says nothing about completion, and `KEY=` is completed without a space behind it.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)

from planner.cli.output import write_result

VARIABLE = "_PLANNER_COMPLETE"  # the one that click derives from the program's name
ROOT = Path(__file__).resolve().parent.parent
Items = list[CompletionItem]


@click.command(name="completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script by which SHELL completes verbs, options, plans and their scenarios, equations and their inputs.

    bash, in ~/.bashrc: `eval "$(planner completion bash)"`

    zsh, in ~/.zshrc after compinit: `eval "$(planner completion zsh)"`

    fish, once: `planner completion fish > ~/.config/fish/completions/planner.fish`
    """
    write_result(SHELLS[shell](ctx.find_root().command, {}, "planner", VARIABLE).source(), None)


def _files(ctx: click.Context, incomplete: str) -> Items:
    return [CompletionItem(incomplete, type="file")]


def _equations(ctx: click.Context, incomplete: str) -> Items:
    return [
        CompletionItem(name, help=f"{number}: {summary}")
        for number, name, summary, _ in equations_of_source()
        if name.startswith(incomplete)
    ]


def _inputs(ctx: click.Context, incomplete: str) -> Items:
    asked = ctx.params.get("name")
    given = {text.partition("=")[0] for text in ctx.params.get("inputs") or ()}
    keys = next((keys for number, name, _, keys in equations_of_source() if asked in (number, name)), ())
    return [CompletionItem(f"{key}=") for key in keys if key.startswith(incomplete) and key not in given]


def _plan_values(ctx: click.Context, incomplete: str) -> Items:
    if "=" in incomplete:
        return []
    schema = json.loads((ROOT / "plan" / "schema.json").read_text(encoding="utf-8"))
    return [
        CompletionItem(f"{path}=", help=words) for path, words in _paths(schema, schema) if path.startswith(incomplete)
    ]


def _paths(schema: dict, node: dict, at: str = "") -> Iterator[tuple[str, str]]:
    for key, value in node.get("properties", {}).items():
        target = value.get("$ref", "").removeprefix("#/$defs/")
        if target and schema["$defs"][target].get("properties"):
            yield from _paths(schema, schema["$defs"][target], f"{at}{key}.")
        else:
            yield f"{at}{key}", value.get("description", "")


def _books(ctx: click.Context, incomplete: str) -> Items:
    from pricing import snapshot

    days = [CompletionItem(str(day)) for day in snapshot.available() if str(day).startswith(incomplete)]
    return days or [CompletionItem(incomplete, type="dir")]


def _types(ctx: click.Context, incomplete: str) -> Items:
    from pricing import snapshot

    table = snapshot.DATA / str(max(snapshot.available())) / "instances.csv"
    names = [row.partition(",")[0] for row in table.read_text(encoding="utf-8").splitlines()[1:]]
    return [CompletionItem(name) for name in sorted(names) if name.startswith(incomplete)]


def _scenarios(ctx: click.Context, incomplete: str) -> Items:
    from planner.cli.complete_plan import scenarios

    return [CompletionItem(id) for id in scenarios(_given(ctx)) if id.startswith(incomplete)]


def _numbers(ctx: click.Context, incomplete: str) -> Items:
    from planner.cli.complete_plan import numbers

    return [CompletionItem(id) for id in numbers(_given(ctx)) if id.startswith(incomplete)]


def _given(ctx: click.Context) -> dict[str, Any]:
    """What stands on the line. Where an option waits for its value click leaves the arguments unread."""
    return {"plan": next(iter(ctx.args), None), **{key: value for key, value in ctx.params.items() if value}}


# an argument's or option's metavar, else its name -> what completes it
COMPLETERS: dict[str, Callable[[click.Context, str], Items]] = {
    "FILE": _files,
    "[FILE]": _files,
    "PLAN...": _files,
    "PATH|URL": _files,
    "DATE|DIR": _books,
    "A": _books,
    "B": _books,
    "[DIR]": _books,
    "PATH=VALUE": _plan_values,
    "TYPE": _types,
    "TYPE...": _types,
    "ID": _scenarios,
    "scenario": _scenarios,
    "[ID]": _numbers,
    "name": _equations,
    "[KEY=VALUE]...": _inputs,
}


class _Completed(click.ParamType):
    """Text, with what completes it."""

    name = "text"

    def __init__(self, complete: Callable[[click.Context, str], Items]) -> None:
        self.complete = complete

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
        return self.complete(ctx, incomplete)


def _fit(root: click.Command, args: list[str]) -> None:
    """Give the arguments and options of the verb that is being completed what completes them."""
    verb = root
    for word in args:
        if isinstance(verb, click.Group):
            verb = verb.get_command(click.Context(verb), word) or verb
    for parameter in verb.params:
        key = parameter.metavar or parameter.name or ""
        if parameter.type is click.STRING and key in COMPLETERS:
            parameter.type = _Completed(COMPLETERS[key])


class _Fitted(ShellComplete):
    def get_completions(self, args: list[str], incomplete: str) -> Items:
        _fit(self.cli, args)
        return super().get_completions(args, incomplete)


class _Bash(_Fitted, BashComplete):
    # a completion that ends in = waits for its value
    source_template = BashComplete.source_template.replace(
        "    done\n\n    return 0", "    done\n    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n\n    return 0"
    )

    def source(self) -> str:
        return ShellComplete.source(self)  # without asking the bash that happens to be here for its version

    def get_completion_args(self) -> tuple[list[str], str]:
        """Words as they were typed: bash cuts them at = signs."""
        args, incomplete = super().get_completion_args()
        whole: list[str] = []
        for word in [*args, incomplete]:
            if whole and (word == "=" or whole[-1].endswith("=")):
                whole[-1] += word
            else:
                whole.append(word)
        return whole[:-1], whole[-1]


_WAITING = """\
    if [ -n "$waiting" ]; then
        compadd -U -S "" -V unsorted -a waiting
    fi

"""


class _Zsh(_Fitted, ZshComplete):
    source_template = (
        ZshComplete.source_template.replace("    local -a response\n", "    local -a response\n    local -a waiting\n")
        .replace('if [[ "$descr" ==', 'if [[ "$key" == *= ]]; then waiting+=("$key")\n            elif [[ "$descr" ==')
        .replace('    if [ -n "$completions" ]', _WAITING + '    if [ -n "$completions" ]')
    )


class _Fish(_Fitted, FishComplete):
    """As click has it: fish puts no space behind = by itself."""


SHELLS: dict[str, type[ShellComplete]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


def register() -> None:
    """Make click answer the shells through the classes above."""
    for name, answers in SHELLS.items():
        add_completion_class(answers, name)


def equations_of_source() -> list[tuple[str, str, str, tuple[str, ...]]]:
    """(number, name, summary, inputs) of every equation, read from the source: importing it takes too long here."""
    from planner.models.equation import summary_of

    found = []
    for path in sorted((ROOT / "models").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef):
                continue
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "equation":
                    number, name = (ast.literal_eval(argument) for argument in decorator.args)
                    summary = summary_of(ast.get_docstring(node) or "")
                    found.append((number, name, summary, tuple(arg.arg for arg in node.args.kwonlyargs)))
    return found
