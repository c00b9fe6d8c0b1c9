"""Measures Docmill's engines beside alternatives, and soak-tests them. `make bench`, `make soak`."""
