"""Measures Docmill's engines beside what one would use instead, and soaks them. `make bench`, `make soak`."""
