"""The steps of an equation as LaTeX that GitHub renders: quotients as fractions, names upright, no bracket too many.

Our own hundred lines, because the libraries of PyPI do not fit: latexify-py nests a/b/c as fractions in fractions,
prints 1e9 with all its zeros and refuses each new Python for a year, pytexit wants one-letter names.
Only macros that GitHub lets through are written: it refuses operatorname and all that could define something.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

_BRACKETS = {"ceil": (r"\left\lceil ", r" \right\rceil"), "floor": (r"\left\lfloor ", r" \right\rfloor")}
_FUNCTIONS = {"exp": r"\exp", "log": r"\ln", "log2": r"\log_2", "min": r"\min", "max": r"\max"}
_COMPARISONS = {ast.Lt: "<", ast.LtE: r"\le", ast.Gt: ">", ast.GtE: r"\ge", ast.Eq: "=", ast.NotEq: r"\ne"}


def typeset(steps: Sequence[str], result: str) -> str:
    """Assignments under each other, aligned at the equals sign; `result` is what the last one is called."""
    rows = []
    for step in steps:
        target, expression = (part.strip() for part in step.split("=", 1))
        rows.append(f"{_name(result if target == 'result' else target)} &= {_broken(expression)}")
    if len(rows) == 1 and _CONTINUED not in rows[0]:
        return rows[0].replace("&=", "=", 1)
    return "\n".join((r"\begin{aligned}", " \\\\\n".join(rows), r"\end{aligned}"))


_CONTINUED = " \\\\\n&\\quad \\cdot "
_WIDE = 88  # characters of an expression that fit one line of a page


def _broken(expression: str) -> str:
    """An expression, its factors on more than one line where it is a product too wide for one."""
    factors = _factors(ast.parse(expression, mode="eval").body)
    if len(expression) <= _WIDE or len(factors) == 1 or any(below for below, _ in factors):
        return formula(expression)
    lines: list[list[ast.expr]] = [[]]
    for _, factor in factors:
        if lines[-1] and sum(len(ast.unparse(one)) for one in (*lines[-1], factor)) > _WIDE:
            lines.append([])
        lines[-1].append(factor)
    return _CONTINUED.join(_times(line, alone=False) for line in lines)


def formula(expression: str) -> str:
    """One expression in plain arithmetic. Raises ValueError for anything that the steps may not hold."""
    return _term(ast.parse(expression, mode="eval").body)


def _name(name: str) -> str:
    return name if len(name) == 1 else r"\mathrm{" + name.replace("_", r"\_") + "}"


def _number(value: float) -> str:
    if value >= 1e6 and value == 10 ** (len(f"{value:.0f}") - 1):
        return f"10^{{{len(f'{value:.0f}') - 1}}}"
    return f"{value:,}".replace(",", "{,}")


def _term(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return _name(name)
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _number(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return "-" + _bracketed(operand, ast.Add, ast.Sub)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            if isinstance(op, ast.Add):
                return f"{_term(left)} + {_bracketed(right)}"
            return f"{_term(left)} - {_bracketed(right, ast.Add, ast.Sub)}"
        case ast.BinOp(op=ast.Mult() | ast.Div()):
            return _product(node)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return f"{_bracketed(left, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)}^{{{_term(right)}}}"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            rows = rf"{_term(body)} & \text{{if }} {_term(test)} \\ {_term(orelse)} & \text{{otherwise}}"
            return rf"\begin{{cases}} {rows} \end{{cases}}"
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            return f"{_term(left)} {_COMPARISONS[type(op)]} {_term(right)}"
        case ast.Call(func=ast.Name(id=function), args=args, keywords=[]):
            return _call(function, args)
    raise ValueError(f"cannot typeset {ast.unparse(node)!r}: add its form to tools/typeset.py")


def _call(function: str, args: Sequence[ast.expr]) -> str:
    inside = ", ".join(_term(arg) for arg in args)
    if function == "sqrt":
        return rf"\sqrt{{{inside}}}"
    if function in _BRACKETS:
        left, right = _BRACKETS[function]
        return f"{left}{inside}{right}"
    if function == "expm1":
        return rf"\left( \exp\left( {inside} \right) - 1 \right)"
    if function in _FUNCTIONS:
        return rf"{_FUNCTIONS[function]}\left( {inside} \right)"
    raise ValueError(f"cannot typeset the function {function}: add it to tools/typeset.py")


def _factors(node: ast.expr, divides: bool = False) -> list[tuple[bool, ast.expr]]:
    """A product and quotient from left to right: (stands below the line, factor)."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return [*_factors(left, divides), *_factors(right, divides)]
        case ast.BinOp(left=left, op=ast.Div(), right=right) if not divides:
            return [*_factors(left), *_factors(right, True)]
    return [(divides, node)]


def _product(node: ast.expr) -> str:
    """One fraction, and behind it what is multiplied after the last division."""
    factors = _factors(node)
    last = max((i for i, (below, _) in enumerate(factors) if below), default=-1)
    behind = [factor for _, factor in factors[last + 1 :]]
    if last < 0:
        return _times(behind)
    above = [factor for below, factor in factors[: last + 1] if not below]
    under = [factor for below, factor in factors if below]
    fraction = rf"\frac{{{_times(above)}}}{{{_times(under)}}}"
    return rf"{fraction} \cdot {_times(behind, alone=False)}" if behind else fraction


def _times(factors: Sequence[ast.expr], alone: bool = True) -> str:
    if len(factors) == 1 and alone:
        return _term(factors[0])
    return r" \cdot ".join(_bracketed(factor, ast.Add, ast.Sub) for factor in factors)


def _bracketed(node: ast.expr, *operators: type[ast.operator]) -> str:
    """In brackets where it is one of these operations, a sign or a choice."""
    loose = isinstance(node, ast.UnaryOp | ast.IfExp) or (
        isinstance(node, ast.BinOp) and isinstance(node.op, operators)
    )
    return rf"\left( {_term(node)} \right)" if loose else _term(node)
