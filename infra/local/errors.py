"""The one error that is meant for the person at the terminal."""


class Problem(Exception):
    """Something that the user can put right. Its text is one line that says what to do."""
