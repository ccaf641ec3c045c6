"""Tokens, gold links, and the parts of a clause: noun and prepositional phrases, adverbs."""

import random
from dataclasses import dataclass

from . import inflection, lexicon


class Dice:
    """Random choices by Random.random() alone, whose sequence is stable across Python versions."""

    def __init__(self, seed):
        self._random = random.Random(seed).random

    def chance(self, probability):
        return self._random() < probability

    def pick(self, items):
        return items[int(self._random() * len(items))]

    def weighted(self, pairs):
        """One of (item, weight) pairs."""
        point = self._random() * sum(weight for _, weight in pairs)
        for item, weight in pairs:
            point -= weight
            if point < 0:
                return item
        return pairs[-1][0]

    def shuffled(self, items):
        items = list(items)
        for last in range(len(items) - 1, 0, -1):
            other = int(self._random() * (last + 1))
            items[last], items[other] = items[other], items[last]
        return items


class Deck:
    """Draws without replacement and reshuffles when empty, so that no word is rare."""

    def __init__(self, dice, items):
        self._dice, self._items, self._left = dice, list(items), []

    def draw(self):
        if not self._left:
            self._left = self._dice.shuffled(self._items)
        return self._left.pop()


@dataclass(eq=False)
class Token:
    """One word of a sentence; links refer to it by identity until positions are known."""

    text: str


class Links:
    """Gold links of the sentence under construction: (English token, German token) -> sure?"""

    def __init__(self):
        self.pairs = {}

    def sure(self, english, german):
        for source in english:
            for target in german:
                self.pairs[source, target] = True

    def possible(self, english, german):
        for source in english:
            for target in german:
                self.pairs.setdefault((source, target), False)


def tokens(text):
    return [Token(word) for word in text.split()]


@dataclass
class Phrase:
    """The two sides of a phrase, and the properties that verbs and other phrases need."""

    english: list
    german: list
    number: str = "s"           # s or p
    first_person: bool = False
    pronoun: bool = False
    gender: str = "p"           # for relative pronouns; p for any plural
    negation: Token = None      # German "kein" that carries the clause's negation


class Phrases:
    """Builds phrases and records their links in `links`, which is replaced for every sentence."""

    def __init__(self, dice):
        self.dice = dice
        self.links = Links()
        self._nouns = lexicon.nouns()
        self._adjectives = lexicon.adjectives()
        self._decks = {}

    def deck(self, key, items):
        if key not in self._decks:
            self._decks[key] = Deck(self.dice, items)
        return self._decks[key]

    def noun(self, tags, singular):
        """(noun, plural?). One draw in three is plural, except for places and if `singular`."""
        entries = []
        for noun in (noun for noun in self._nouns if noun.tags & tags):
            only_singular = singular or "place" in noun.tags
            entries += [(noun, False)] if only_singular else [(noun, False)] * 2 + [(noun, True)]
        return self.deck(("noun", tags, singular), entries).draw()

    def pair(self, english, german):
        """A fixed expression whose words translate one by one."""
        english, german = tokens(english), tokens(german)
        for source, target in zip(english, german):
            self.links.sure([source], [target])
        return Phrase(english, german)

    # Noun phrases

    def noun_phrase(self, tags, case, *, singular=False, determiners=None, negated=False):
        """A phrase around a noun that has one of `tags`; `negated` turns "a" to "kein"."""
        noun, plural = self.noun(tags, singular)
        choices = inflection.PLURAL_DETERMINERS if plural else inflection.SINGULAR_DETERMINERS
        if determiners:
            choices = [choice for choice in choices if choice in determiners]
        determiner = self._determiner(choices)
        phrase = self._core(noun, case, plural, determiner, negated)
        if "thing" in noun.tags and determiner == "the" and self.dice.chance(0.3):
            self._append_genitive(phrase)
        return phrase

    def _determiner(self, choices):
        frequent = {"the": 6, "a": 4}
        return self.dice.weighted([(choice, frequent.get(choice, 1)) for choice in choices])

    def _core(self, noun, case, plural, determiner, negated):
        gender = "p" if plural else noun.gender
        adjective = self._adjective(noun) if self.dice.chance(0.4) else None
        german_name = "no" if negated and determiner == "a" else determiner
        english_words = ([adjective.english] if adjective else []) + list(
            noun.english_plural if plural else noun.english)
        english = tokens(inflection.english_determiner(determiner, plural, english_words[0]))
        german = tokens(inflection.german_determiner(german_name, case, gender))
        negation = german[0] if german_name == "no" else None
        self.links.sure(english, german)
        if adjective:
            form = inflection.german_adjective(adjective.stem, german_name, case, gender)
            words = self.pair(adjective.english, form)
            english, german = english + words.english, german + words.german
        heads = tokens(" ".join(noun.english_plural if plural else noun.english))
        target = Token(inflection.german_noun(noun, case, plural))
        self.links.sure(heads, [target])
        return Phrase(english + heads, german + [target], "p" if plural else "s", gender=gender,
                      negation=negation)

    def _adjective(self, noun):
        kind = next(kind for kind in ("human", "animal", "thing", "place") if kind in noun.tags)
        return self.adjective(kind)

    def adjective(self, kind):
        fitting = [word for word in self._adjectives if kind in word.tags]
        return self.deck(("adjective", kind), fitting).draw()

    def _append_genitive(self, phrase):
        owner = self.noun_phrase(frozenset({"human"}), "gen", singular=self.dice.chance(0.6),
                                 determiners=("the", "my", "our", "this"))
        of = tokens("of")
        self.links.possible(of, owner.german[:1])
        phrase.english += of + owner.english
        phrase.german += owner.german

    def pronoun(self, name, case):
        subject, other, nominative, accusative, dative, number = inflection.PRONOUNS[name]
        german = {"nom": nominative, "acc": accusative, "dat": dative}[case]
        phrase = self.pair(subject if case == "nom" else other, german)
        phrase.number, phrase.first_person, phrase.pronoun = number, name == "I", True
        return phrase

    def name(self):
        word = self.deck("name", lexicon.NAMES).draw()
        return self.pair(word, word)

    def both(self, first, second):
        conjunction = self.pair("and", "und")
        return Phrase(first.english + conjunction.english + second.english,
                      first.german + conjunction.german + second.german, "p")

    # Prepositional phrases and adverbs

    def place(self):
        english, german = self.dice.weighted(
            [(pair, 4 if pair[0] == "in" else 1) for pair in lexicon.PLACE_PREPOSITIONS])
        tags = frozenset({"in"} if english == "in" else {"place"})
        inside = self.noun_phrase(tags, "dat", singular=True,
                                  determiners=("the", "a", "this", "our"))
        return self._preposition(english, german, inside)

    def companion(self):
        if self.dice.chance(0.2):
            return self._preposition("with", "mit", self._other_pronoun("dat"))
        company = self.noun_phrase(frozenset({"human", "animal"}), "dat")
        return self._preposition("with", "mit", company)

    def beneficiary(self):
        return self._preposition("for", "für", self.noun_phrase(frozenset({"human"}), "acc"))

    def _other_pronoun(self, case):
        return self.pronoun(self.dice.pick(("he", "she", "they")), case)

    def _preposition(self, english, german, inside):
        before = tokens(english)
        if german == "in" and inside.german[0].text == "dem":
            inside.german[0].text = "im"      # in + dem; the link from "the" stays on it
            self.links.sure(before, inside.german[:1])
            return Phrase(before + inside.english, inside.german)
        preposition = tokens(german)
        self.links.sure(before, preposition)
        return Phrase(before + inside.english, preposition + inside.german)

    def time(self, tense):
        return self.pair(*self.deck(("time", tense), lexicon.TIMES[tense]).draw())

    def frequency(self):
        return self.pair(*self.deck("frequency", lexicon.FREQUENCIES).draw())

    def manner(self, fitting):
        manners = [pair for pair in lexicon.MANNERS if pair[0] in fitting]
        return self.pair(*self.deck(("manner", fitting), manners).draw())
