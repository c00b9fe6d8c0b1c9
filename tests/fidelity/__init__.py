"""How alike Docmill's PDFs of Office documents are to those that Microsoft Office made of the same documents."""
