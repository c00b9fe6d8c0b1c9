"""What would go wrong with a deployment, said before it begins. `make deploy-check`, and first of all in `make deploy`."""
