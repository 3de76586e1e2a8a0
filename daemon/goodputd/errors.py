"""The exception tree.

``SettingsError`` is the user's mistake: ``cli`` turns it into one readable message and exit code 2.
``TransitionError`` and ``InvariantError`` are our mistakes: nobody catches them, the traceback is
the report and the exit code is 1. Nothing between the raiser and ``cli`` catches any of the three.
"""


class GoodputdError(Exception):
    """Base of every exception this package raises on purpose."""


class SettingsError(GoodputdError):
    """The settings cannot be used; ``problems`` holds every mistake, one line each."""

    def __init__(self, *problems: str) -> None:
        """Keep the lines apart so that a caller can count or re-order them."""
        super().__init__("\n".join(problems))
        self.problems = problems


class EnvironmentProblemError(GoodputdError):
    """The world refuses: port in use, no permission. One line, exit code 2."""


class TransitionError(GoodputdError):
    """A state machine was asked for a move its table does not hold; its state is unchanged."""


class InvariantError(GoodputdError):
    """The core contradicts itself, for instance simulated seconds that no bucket holds."""
