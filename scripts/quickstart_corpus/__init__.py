"""The grammar behind data/quickstart: lexicon, inflection, sentence building with gold links."""
