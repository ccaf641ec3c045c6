"""German articles, adjective endings and noun forms; English articles and plurals need no table."""

# Endings by case, for masculine, feminine, neuter and plural.
_GENDERS = {"m": 0, "f": 1, "n": 2, "p": 3}
_DEFINITE = {"nom": ("der", "die", "das", "die"), "acc": ("den", "die", "das", "die"),
             "dat": ("dem", "der", "dem", "den"), "gen": ("des", "der", "des", "der")}
_DER_WORD = {"nom": ("er", "e", "es", "e"), "acc": ("en", "e", "es", "e"),
             "dat": ("em", "er", "em", "en"), "gen": ("es", "er", "es", "er")}
_EIN_WORD = {"nom": ("", "e", "", "e"), "acc": ("en", "e", "", "e"),
             "dat": ("em", "er", "em", "en"), "gen": ("es", "er", "es", "er")}
_WEAK = {"nom": ("e", "e", "e", "en"), "acc": ("en", "e", "e", "en"),
         "dat": ("en", "en", "en", "en"), "gen": ("en", "en", "en", "en")}
_MIXED = {"nom": ("er", "e", "es", "en"), "acc": ("en", "e", "es", "en"),
          "dat": ("en", "en", "en", "en"), "gen": ("en", "en", "en", "en")}
_STRONG_PLURAL = {"nom": "e", "acc": "e", "dat": "en", "gen": "er"}

_DER_STEMS = {"this": "dies", "every": "jed"}
_EIN_STEMS = {"a": "ein", "my": "mein", "our": "unser", "no": "kein"}
_NUMBERS = {"two": "zwei", "three": "drei", "four": "vier"}

SINGULAR_DETERMINERS = ("the", "a", "this", "my", "our", "every")
PLURAL_DETERMINERS = ("the", "this", "my", "our", "two", "three", "four", "many")

# Personal pronouns: English subject and object; German nominative, accusative, dative; number.
PRONOUNS = {
    "I": ("I", "me", "ich", "mich", "mir", "s"),
    "he": ("he", "him", "er", "ihn", "ihm", "s"),
    "she": ("she", "her", "sie", "sie", "ihr", "s"),
    "we": ("we", "us", "wir", "uns", "uns", "p"),
    "they": ("they", "them", "sie", "sie", "ihnen", "p"),
}


def german_determiner(determiner, case, gender):
    """The German form of an English determiner; `gender` is m, f, n or p (plural)."""
    column = _GENDERS[gender]
    if determiner == "the":
        return _DEFINITE[case][column]
    if determiner in _DER_STEMS:
        return _DER_STEMS[determiner] + _DER_WORD[case][column]
    if determiner in _EIN_STEMS:
        return _EIN_STEMS[determiner] + _EIN_WORD[case][column]
    if determiner == "many":
        return "viel" + _STRONG_PLURAL[case]
    return _NUMBERS[determiner]


def german_adjective(stem, determiner, case, gender):
    """An adjective between its determiner and its noun."""
    if determiner == "many" or determiner in _NUMBERS:
        return stem + _STRONG_PLURAL[case]
    table = _MIXED if determiner in _EIN_STEMS else _WEAK
    return stem + table[case][_GENDERS[gender]]


def german_noun(noun, case, plural):
    if plural:
        form = noun.german_plural
        return form + "n" if case == "dat" and form[-1] not in "ns" else form
    if case == "gen":
        return noun.genitive
    return noun.genitive if noun.weak and case != "nom" else noun.german


def english_determiner(determiner, plural, next_word):
    if determiner == "a":
        return "an" if next_word[0] in "aeiou" else "a"
    return "these" if determiner == "this" and plural else determiner


def english_verb(verb, person, tense):
    """Present or past of a verb; person is 's' for he, she, it and 'p' for all others."""
    if tense == "past":
        return verb.past
    return verb.third if person == "s" else verb.base


def finite_have(number, german_auxiliary, first_person=False):
    """("has"/"have", the matching form of haben or sein)."""
    english = "have" if number == "p" or first_person else "has"
    forms = {"haben": ("habe", "hat", "haben"), "sein": ("bin", "ist", "sind")}[german_auxiliary]
    return english, forms[0] if first_person else forms[1 if number == "s" else 2]
