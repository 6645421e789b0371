"""The one exception whose message is written for the person at the keyboard."""


class OodexpError(Exception):
    """A mistake that a user can mend: the message names the culprit, the expectation, the remedy.

    `oodexp.run` prints the message without a traceback and ends with exit status 2.
    """
