"""docs/model.md is what the equations say today, GitHub renders its formulas, its links lead somewhere."""

from __future__ import annotations

import math
import re
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pylatexenc.latexwalker import LatexEnvironmentNode, LatexMacroNode, LatexWalker, LatexWalkerParseError

from planner.evidence.case import shipped_cases
from planner.models.catalogue import all_equations, find
from planner.models.equation import Equation
from planner.models.formula import evaluate_steps
from tools.docs import ROOT
from tools.markdown import anchor, cell, prose
from tools.model import formula_of, page
from tools.model_checks import SIMULATED, checked, published
from tools.model_examples import EXAMPLES, LOOPS
from tools.model_uses import bill_lines, named_in_source
from tools.typeset import formula, typeset

pytestmark = pytest.mark.xdist_group("documents")  # all of them are made once
MODEL = (ROOT / "docs" / "model.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```math\n(.*?)\n```$", MODEL, flags=re.DOTALL | re.MULTILINE)
# what MathJax knows and GitHub lets through; it refuses operatorname, def, newcommand, mbox, phantom and the like
MACROS = {"arg", "cdot", "exp", "frac", "ge", "in", "lceil", "le", "left", "lfloor", "ln", "log", "mathrm", "max", "ne"}
MACROS |= {"min", "quad", "rceil", "rfloor", "right", "sqrt", "sum", "text", "\\", "_"}
WRITTEN = [entry for entry in all_equations() if entry.steps]


def test_an_equation_without_an_example_says_where_to_add_it():
    examples = {name: words for name, words in EXAMPLES.items() if name != "pool-usable"}
    with pytest.raises(LookupError, match=r"add an example of pool-usable \(S2\) to EXAMPLES in tools/model_examples"):
        page(all_equations(), {}, {}, examples)


def test_an_example_that_does_not_run_says_so():
    with pytest.raises(LookupError, match=r"example of pool-usable .* does not run: raw_tb=many: not a number"):
        page(all_equations(), {}, {}, EXAMPLES | {"pool-usable": "raw_tb=many"})


def test_no_example_or_formula_is_of_an_equation_that_is_gone():
    assert set(EXAMPLES) == {entry.name for entry in all_equations()}
    assert set(LOOPS) == {entry.name for entry in all_equations() if not entry.steps}


def test_every_equation_of_a_bill_is_shown_with_a_line():
    missing = named_in_source() - set(bill_lines())
    assert not missing, f"add a plan whose bill names {sorted(missing)} to PLANS in tools/model_uses.py"


class TestWhereItWasChecked:
    def test_each_simulation_is_of_an_equation_and_in_a_test_that_is_there(self):
        for name, path in SIMULATED.items():
            assert find(name) is not None, name
            assert "simulat" in (ROOT / path).read_text(encoding="utf-8"), path

    def test_published_figures_are_of_cases_that_name_the_equation(self):
        cases = {case.id: case for case in shipped_cases()}
        for name, ids in published().items():
            for id in ids:
                entry = find(name)
                assert entry is not None
                named = {name, entry.number} & {cases[id].equation} or f"{name}(" in cases[id].inputs
                assert named, (name, id)

    def test_an_equation_without_either_says_so(self):
        assert checked("flow-log-gb") == "Checked by its worked example only."
        assert "published figures](evidence.md): SAL-up, R-l3" in checked("observed-interval")
        assert "by simulation in [test_spares.py]" in checked("spare-wait-hours")


def test_contents_link_to_every_equation():
    links = set(re.findall(r"\]\(#([^)]+)\)", MODEL))
    assert {anchor(f"{entry.number} {entry.name}") for entry in all_equations()} <= links


def _nodes(nodes):
    for node in nodes or ():
        yield node
        yield from _nodes(getattr(node, "nodelist", None))
        arguments = getattr(node, "nodeargd", None)
        yield from _nodes([n for n in (arguments.argnlist if arguments else ()) if n is not None])


def parsed(latex: str) -> list:
    """Every node of a formula by somebody else's parser, which raises where a brace or an environment is left open."""
    nodes, *_ = LatexWalker(rf"\[{latex}\]", tolerant_parsing=False).get_latex_nodes()
    return list(_nodes(nodes))


def test_there_is_a_formula_for_every_equation():
    assert len(BLOCKS) == len(all_equations())


@pytest.mark.parametrize("latex", BLOCKS, ids=re.findall(r"^### \S+ (\S+)$", MODEL, flags=re.MULTILINE))
def test_github_renders_every_formula(latex):
    nodes = parsed(latex)
    assert {node.macroname for node in nodes if isinstance(node, LatexMacroNode)} <= MACROS
    assert {node.environmentname for node in nodes if isinstance(node, LatexEnvironmentNode)} <= {"aligned", "cases"}
    assert latex.count(r"\left") == latex.count(r"\right")
    assert "$" not in latex
    assert "#" not in latex


@pytest.mark.parametrize("wrong", [r"\frac{a}{b", r"a}", r"\begin{cases} a", r"\mathrm{a} \end{aligned}"])
def test_the_judge_of_formulas_can_say_no(wrong):
    with pytest.raises(LatexWalkerParseError):
        parsed(wrong)


def read_back(latex: str) -> str:
    """A typeset formula as Python again: the second route to what it says."""
    for old, new in (
        ("{,}", ""),
        (r"\_", "_"),
        (r"\begin{cases}", "(("),
        (r"\text{if }", ") if ("),
        (r"\text{otherwise}", ""),
        (r"\end{cases}", "))"),
        (r" \\ ", ") else ("),
        (r"\left\lceil", "ceil("),
        (r"\left\lfloor", "floor("),
        (r"\right\rceil", ")"),
        (r"\right\rfloor", ")"),
        (r"\left(", "("),
        (r"\right)", ")"),
        (r"\cdot", "*"),
        (r"\le ", "<= "),
        (r"\ge ", ">= "),
        (r"\ne ", "!= "),
        (r"\log_2", "log2"),
        (r"\ln", "log"),
        ("&", " "),
    ):
        latex = latex.replace(old, new)
    inner, before = r"\{([^{}]*)\}", ""
    while before != latex:
        before = latex
        latex = re.sub(r"\\mathrm" + inner, r" \1 ", latex)
        latex = re.sub(r"\\frac" + inner + inner, r"((\1)/(\2))", latex)
        latex = re.sub(r"\\sqrt" + inner, r"sqrt(\1)", latex)
        latex = re.sub(r"\^" + inner, r"**(\1)", latex)
    return re.sub(r"\\(min|max|exp)", r"\1", latex)


def evaluated(entry: Equation, inputs: dict[str, float]) -> float:
    """The formula of the page at some inputs, row by row."""
    latex = (
        formula_of(entry)
        .replace(" \\\\\n&\\quad", "")
        .removeprefix("\\begin{aligned}\n")
        .removesuffix("\n\\end{aligned}")
    )
    functions = {name: getattr(math, name) for name in ("ceil", "floor", "exp", "log", "log2", "sqrt")}
    scope = {**inputs, **functions, "min": min, "max": max}
    value = math.nan
    for row in latex.split(" \\\\\n"):
        target, _, expression = row.partition("=")
        value = eval(read_back(expression).strip(), scope)
        scope[read_back(target).strip()] = value
    return value


@pytest.mark.parametrize("entry", WRITTEN, ids=lambda entry: entry.name)
def test_a_formula_read_back_gives_what_the_steps_give(entry):
    @settings(max_examples=15, deadline=None)
    @given(
        st.fixed_dictionaries(
            {p.name: st.floats(0.02, 0.98 if p.unit == "fraction" else 40.0) for p in entry.parameters}
        )
    )
    def agree(inputs):
        by_steps = evaluate_steps(entry.steps, inputs)[1]
        assert evaluated(entry, inputs) == pytest.approx(by_steps, rel=1e-9, abs=1e-12)

    agree()


class TestLoops:
    """Formulas written by hand, done here in Python as they stand there, against the function."""

    @given(st.floats(0.01, 5.0), st.floats(0.1, 8.0), st.integers(0, 6))
    @settings(max_examples=30, deadline=None)
    def test_no_spare(self, failures_per_hour, replacement_hours, spares):
        m = failures_per_hour * replacement_hours
        by_formula = 1 - sum(math.exp(-m) * m**k / math.factorial(k) for k in range(spares))
        found = find("no-spare-probability").function(
            failures_per_hour=failures_per_hour, replacement_hours=replacement_hours, spares=spares
        )
        assert found == pytest.approx(by_formula, abs=1e-9)

    @given(st.floats(0.01, 5.0), st.floats(0.1, 8.0), st.integers(0, 6))
    @settings(max_examples=30, deadline=None)
    def test_spare_wait(self, failures_per_hour, replacement_hours, spares):
        m = failures_per_hour * replacement_hours
        terms = [m**k / math.factorial(k) for k in range(spares + 1)]
        by_formula = terms[-1] / sum(terms) * replacement_hours / (spares + 1)
        found = find("spare-wait-hours").function(
            failures_per_hour=failures_per_hour, replacement_hours=replacement_hours, spares=spares
        )
        assert found == pytest.approx(by_formula, rel=1e-9)

    @given(st.floats(0.5, 200.0), st.floats(0.001, 0.3))
    @settings(max_examples=30, deadline=None)
    def test_optimal_interval_is_where_the_formula_is_smallest(self, mtbf, write):
        def per_hour(work: float) -> float:
            return (math.exp((work + write) / mtbf) - 1) / work

        best = find("optimal-checkpoint-interval").function(mtbf_hours=mtbf, write_hours=write)
        assert per_hour(best) <= min(per_hour(best * 0.99), per_hour(best * 1.01))

    @given(st.floats(0.1, 1e6), st.sampled_from([2400, 4800, 38_400]))
    def test_lustre_capacity(self, needed, step):
        by_formula = 1200 if step == 2400 and needed <= 1200 else step * max(1, math.ceil(needed / step))
        assert find("lustre-capacity").function(needed_gib=needed, step_gib=step) == by_formula

    @given(st.floats(1200, 2e6))
    def test_metadata_iops(self, capacity):
        steps = [(1200, 1500), (2400, 3000), (9600, 6000), (45_600, 12_000)]
        by_formula = next((v for c, v in steps if capacity <= c), min(192_000, 12_000 * math.floor(capacity / 24_000)))
        assert find("lustre-included-metadata-iops").function(capacity_gib=capacity) == by_formula
        assert all(f"{c:,}".replace(",", "{,}") in LOOPS["lustre-included-metadata-iops"] for c, _ in steps)

    @given(st.floats(0, 2e6))
    def test_tiers(self, stored):
        tiers = [(0, 51_200, 0.023), (51_200, 512_000, 0.022), (512_000, math.inf, 0.021)]
        by_formula = sum(usd * max(0, min(stored, upper) - lower) for lower, upper, usd in tiers)
        found = find("tiered-storage-month").function(stored_gb=stored, tiers=tiers)
        assert found == pytest.approx(by_formula, rel=1e-12)

    def test_tiers_start_again_each_month(self):
        tiers = [(0, 500, 0.023), (500, math.inf, 0.02)]
        one_month = find("tiered-storage-month").function
        by_formula = sum(
            one_month(stored_gb=(300 + 600) * share, tiers=tiers) - one_month(stored_gb=300 * share, tiers=tiers)
            for share in (1, 1, 36 / 744)  # October, November, a day and a half of December
        )
        found = find("tiered-storage").function(
            stored_gb=600, tiers=tiers, start=date(2026, 10, 1), hours=1500, below_gb=300
        )
        assert found == pytest.approx(by_formula, rel=1e-12)

    def test_fit_is_where_the_sum_of_squares_is_smallest(self):
        rows = [(8, 128.2), (16, 254.0), (64, 912.2), (128, 1618.4)]

        def squares(a: float, b: float) -> float:
            return sum(((a / n + b) * rate - 1) ** 2 for n, rate in rows)

        rate = {n: find("strong-scaling-throughput").function(rows=rows, gpus=n) for n in (1, 2)}
        a = 2 * (1 / rate[1] - 1 / rate[2])  # t(1) - t(2) = a/2
        b = 1 / rate[1] - a
        assert squares(a, b) < min(squares(a * f, b * g) for f in (0.99, 1, 1.01) for g in (0.9, 1, 1.1) if f * g != 1)

    def test_spread_adds_the_doublings_to_the_scatter(self):
        # two rows: 2 % are assumed; 64 GPUs are 15 times the second less 14 times the first
        rows = [(4, 4.0), (8, 8.0)]
        found = find("throughput-spread").function(rows=rows, gpus=64, error_per_doubling_fraction=0.05)
        scatter = 1.6448536 * 0.02 * math.sqrt(1 + 15**2 + 14**2)
        assert found == pytest.approx(math.hypot(scatter, max(0, math.log2(64 / 8)) * 0.05))


class TestTypeset:
    @pytest.mark.parametrize(
        ("expression", "latex"),
        [
            ("a / b / c", r"\frac{a}{b \cdot c}"),
            ("a / (b * c)", r"\frac{a}{b \cdot c}"),
            ("a / b * c", r"\frac{a}{b} \cdot c"),
            ("a / (b / c)", r"\frac{a}{\frac{b}{c}}"),
            ("a - (b - c)", r"a - \left( b - c \right)"),
            ("a - b - c", r"a - b - c"),
            ("a * (b + c)", r"a \cdot \left( b + c \right)"),
            ("(a + b) / c", r"\frac{a + b}{c}"),
            ("-(a + b)", r"-\left( a + b \right)"),
            ("a * -b", r"a \cdot \left( -b \right)"),
            ("(a * b) ** 2", r"\left( a \cdot b \right)^{2}"),
            ("x / 1e9", r"\frac{x}{10^{9}}"),
            ("86400 * 0.05", r"86{,}400 \cdot 0.05"),
            ("read_gb", r"\mathrm{read\_gb}"),
        ],
    )
    def test_brackets_where_they_are_needed_and_only_there(self, expression, latex):
        assert formula(expression) == latex

    @pytest.mark.parametrize("expression", ["a and b", "a[0]", "sum(a)", "f(x=1)", "True", "'a'", "a % b"])
    def test_what_it_does_not_know_is_refused_by_name(self, expression):
        with pytest.raises(ValueError, match=r"cannot typeset .*tools/typeset\.py"):
            formula(expression)

    def test_a_product_too_wide_for_a_line_goes_on_in_the_next(self):
        wide = f"result = {'a' * 60} * ({'b' * 40} + c) * {'d' * 50}"
        rows = typeset([wide], "x").splitlines()
        assert rows[1].endswith(r" \\")
        assert rows[2].startswith(r"&\quad \cdot \left(")
        assert len(rows) == 5

    def test_one_step_stands_alone_and_more_are_aligned(self):
        assert typeset(["result = 2 * a"], "x") == r"x = 2 \cdot a"
        assert typeset(["b = 2 * a", "result = b - 1"], "x").splitlines()[1:3] == [r"b &= 2 \cdot a \\", "x &= b - 1"]


def test_markup_in_a_docstring_is_text_on_the_page():
    assert prose("a * b < c [d] $5, `e * f`") == r"a \* b \< c \[d] \$5, `e * f`"
    assert cell("a|b\nc") == r"a\|b c"


def test_a_family_without_a_sentence_says_where_to_add_it():
    stranger = Equation(
        number="Z1",
        name="strange",
        function=lambda: 0,
        parameters=(),
        result_unit="USD",
        source="nowhere",
        steps=("result = 1",),
        docstring="",
    )
    with pytest.raises(LookupError, match="add a sentence on the equations Z to FAMILIES in tools/model"):
        page((stranger,), {}, {})
