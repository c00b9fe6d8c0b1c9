"""The cost of running Docmill on AWS, from measured figures and a dated price list: `make cost`."""
