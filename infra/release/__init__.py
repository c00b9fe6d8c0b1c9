"""A release: one archive that can be deployed without Rust, the list of what is in it (SBOM), and its git tag."""
