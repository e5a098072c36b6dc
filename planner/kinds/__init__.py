"""The kinds of plans. `registry` has their names; a folder each has what only that kind knows.

Every verb, writer and function of the Python interface asks the plan's kind for one of its parts, and never which kind
it is. A kind's folder:

| module | has |
|---|---|
| `plan` | the type of its root, its checks, its JSON Schema |
| `book` | its check against a price book |
| `answers` | a comparison: every choice, ranked |
| `pages` | the comparison in each format, and the page to sign |
| `sizes` | the search of `optimize` |
| `varied` | the study of `sensitivity` |
| `quoted` | its card beside the way of today |
| `numbers` | what `explain` tells |
| `runs` | what `simulate` replays |
| `billed` | the plan beside AWS's bill |
| `deployed` | the stack of a choice |
| `python` | its classes in the Python interface |
"""
