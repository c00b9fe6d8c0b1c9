"""Checks for problems before a deployment: `make deploy-check`, also the first step of `make deploy`."""
