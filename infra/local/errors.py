"""The only error that is meant for the user of the terminal."""


class Problem(Exception):
    """Something that the user can fix. The text is one line that says how."""
