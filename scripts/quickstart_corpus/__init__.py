"""The grammar behind data/quickstart: lexicon, German inflection, and sentence building with gold word links."""
