"""Deploying a release, rolling it back, removing the stack and bringing it back: change sets, and a record of each deployment."""
