"""Values on the command line that must say something.

Owns: the types of options and arguments whose value may not be empty. A script whose variable is not
set passes an empty one, and must hear of it: nothing else was meant by it than that.
"""

import math
from typing import Any

import click

MAX_AMOUNT = 1e9
"""More days or dollars are a slip; in milliseconds it still fits a whole number of the store."""


class Text(click.ParamType[Any]):
    """A text; an empty one, or blanks alone, is refused."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the text as it is."""
        if isinstance(value, str) and not value.strip():
            self.fail("it is empty.", param, ctx)
        return value


class NewFolder(Text):
    """A folder that need not be there yet."""

    name = "directory"
    _path = click.Path(file_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        return self._path.convert(super().convert(value, param, ctx), param, ctx)


class Amount(click.ParamType[Any]):
    """A number above 0 with which one can reckon; what is no number is above and below nothing."""

    name = "amount"
    _range = click.FloatRange(min=0, min_open=True, max=MAX_AMOUNT)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        found = self._range.convert(value, param, ctx)
        if math.isnan(found):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return found
