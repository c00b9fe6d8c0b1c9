"""Measures how well the structure of documents is read from PDFs: a corpus with exact truth, scores and peers."""
