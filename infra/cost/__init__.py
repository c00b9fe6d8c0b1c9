"""What running Docmill on AWS costs, from measured figures and a dated price list: `make cost`."""
