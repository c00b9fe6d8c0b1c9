"""The conformance suite of the clients: see README.md in the folder above."""
