"""The exceptions whose messages are written for the person at the keyboard."""


class OodexpError(Exception):
    """A mistake that a user can mend: the message names the culprit, the expectation, the remedy.

    `oodexp.run` prints the message without a traceback and ends with exit status 2.
    """


class Paused(OodexpError):
    """A run that stopped before its end and goes on with the same command: nothing is lost.

    Exhausted quota and budget, and a server that stays away, end in it; `oodexp.run` ends with exit
    status 4.
    """
