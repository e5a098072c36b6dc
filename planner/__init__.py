"""GPU fleet planner: what a finished training run on AWS costs, on every purchase option and storage layout."""

import sys

__version__ = "0.1.0"


class _Moved:
    """Asked last, for modules that nobody else finds: old paths, for one release."""

    @staticmethod
    def find_spec(fullname: str, path: object = None, target: object = None) -> object:
        if not fullname.startswith(("planner.", "infra.")):
            return None
        from planner.moved import spec_of

        return spec_of(fullname)


sys.meta_path.append(_Moved)  # pyright: ignore[reportArgumentType]  a finder needs this one function
