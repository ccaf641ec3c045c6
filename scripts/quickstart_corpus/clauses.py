"""Clauses: a subject, a verb and its objects, as statement, question or verb-final clause."""

from dataclasses import dataclass, field

from . import lexicon
from .phrases import Phrase, tokens
from .verbs import Predicate, Setting, Verbs

_HUMAN = frozenset({"human"})
_ANIMATE = frozenset({"human", "animal"})
_TENSES = (("present", 9), ("past", 5), ("perfect", 5), ("modal", 6), ("future", 3))
# Verbs whose English particle is a preposition, which stays before a pronoun.
_PREPOSITIONS = ("for", "to")


@dataclass
class Parts:
    """All parts of a clause except its subject and verb, in slots. Each slot is a list of phrases."""

    pronouns: list = field(default_factory=list)
    time: list = field(default_factory=list)
    frequency: list = field(default_factory=list)
    dative: list = field(default_factory=list)
    accusative: list = field(default_factory=list)
    already: list = field(default_factory=list)
    manner: list = field(default_factory=list)
    place: list = field(default_factory=list)


def english_words(phrases):
    return [token for phrase in phrases for token in phrase.english]


def german_words(phrases):
    return [token for phrase in phrases for token in phrase.german]


@dataclass
class Clause:
    """A finished clause; the methods put its words in order."""

    subject: Phrase
    predicate: Predicate
    parts: Parts
    nicht: list                 # [Token] where the negation is "nicht"
    prepositional: bool         # the English particle is a preposition
    asked: Phrase = None        # the question word that replaces the subject or object

    def english(self, inverted=False, with_time=True):
        verb, parts = self.predicate, self.parts
        middle = english_words(parts.frequency + parts.already)
        start = [self.subject.english, verb.auxiliary]
        if inverted:
            start.reverse()
        objects = verb.particle + english_words(parts.pronouns + parts.dative + parts.accusative)
        if parts.pronouns and not self.prepositional and not parts.accusative:
            objects = english_words(parts.pronouns) + verb.particle
        end = english_words(parts.manner + parts.place + (parts.time if with_time else []))
        return start[0] + start[1] + verb.negation + middle + verb.rest + objects + end

    def german_middle(self, with_time=True):
        parts = self.parts
        before = parts.pronouns + (parts.time if with_time else []) + parts.frequency
        objects = parts.dative + parts.accusative + parts.already
        return (german_words(before + objects) + self.nicht
                + german_words(parts.manner + parts.place))

    def german_statement(self):
        verb = self.predicate
        return self.subject.german + [verb.finite] + self.german_middle() + verb.cluster

    def german_inverted(self, with_time=True):
        """Verb, subject, rest: after a first element, and in questions."""
        return ([self.predicate.finite] + self.subject.german + self.german_middle(with_time)
                + self.predicate.cluster)

    def german_final(self):
        verb = self.predicate
        return self.subject.german + self.german_middle() + verb.cluster + [verb.finite]


class Clauses:
    """Draws clauses."""

    def __init__(self, phrases):
        self.phrases = phrases
        self.dice = phrases.dice
        self._verbs = Verbs(phrases)
        self._frames = {frame: lexicon.verbs(table) for frame, table in (
            ("transitive", lexicon.TRANSITIVE), ("dative", lexicon.DATIVE),
            ("ditransitive", lexicon.DITRANSITIVE), ("intransitive", lexicon.INTRANSITIVE))}

    def draw_verb(self, *frames):
        """(frame, verb); separable verbs come twice as often."""
        entries = [(frame, verb) for frame in frames for verb in self._frames[frame]
                   for _ in range(2 if verb.prefix else 1)]
        return self.phrases.deck(("verb", frames), entries).draw()

    def draw_setting(self, verb, subject, **kind):
        """A tense that subject and verb allow ("put" and "read" look the same in the past)."""
        tenses = [pair for pair in _TENSES if not (pair[0] == "present" and subject.first_person)
                  and not (pair[0] == "past" and verb.past == verb.base)]
        setting = Setting(self.dice.weighted(tenses), **kind)
        self._complete(setting)
        return setting

    def _complete(self, setting):
        if setting.tense == "modal":
            modals = [modal for modal in lexicon.MODALS
                      if not (setting.negated and modal[0] == "must")]
            setting.modal = self.dice.pick(modals)

    def subject(self, verb=None):
        kind = self.dice.weighted((("noun", 12), ("pronoun", 4), ("name", 2), ("both", 1)))
        if kind == "pronoun":
            return self.phrases.pronoun(self.dice.pick(("I", "he", "she", "we", "they")), "nom")
        if kind == "name":
            return self.phrases.name()
        if kind == "both":
            return self.phrases.both(self._person(), self._person())
        return self.phrases.noun_phrase(_ANIMATE if verb and verb.animal else _HUMAN, "nom")

    def _person(self):
        if self.dice.chance(0.3):
            return self.phrases.name()
        return self.phrases.noun_phrase(_HUMAN, "nom", singular=True,
                                        determiners=("the", "my", "our"))

    def clause(self, *, final=False, question=False, frames=None, subject=None, short=False,
               tense=None):
        """A clause with a random verb.

        `short` leaves adverbials out; `tense` forces a tense if subject and verb have it.
        """
        frame, verb = self.draw_verb(*(frames or self._frames))
        subject = subject or self.subject(verb)
        negated = not question and self.dice.chance(0.2)
        setting = self.draw_setting(verb, subject, final=final, question=question, negated=negated)
        if tense and not (tense == "past" and verb.past == verb.base) and not subject.first_person:
            setting = Setting(tense, final, question, negated)
            self._complete(setting)
        parts = self._objects(frame, verb, subject, negated)
        if not short:
            self._adverbials(parts, frame, verb, setting)
        return self.finish(verb, subject, setting, parts)

    def finish(self, verb, subject, setting, parts):
        predicate = self._verbs.predicate(verb, subject, setting)
        nicht = []
        if setting.negated:
            bearers = [phrase.negation for phrase in parts.accusative if phrase.negation]
            nicht = [] if bearers else tokens("nicht")
            self.phrases.links.sure(predicate.negators, bearers or nicht)
        return Clause(subject, predicate, parts, nicht, verb.english_particle in _PREPOSITIONS)

    def _objects(self, frame, verb, subject, negated):
        parts = Parts()
        definite = ("the", "this", "my", "our") if negated else None
        if frame == "dative":
            self._human_or_pronoun(parts, parts.dative, "dat", verb.objects, subject, definite)
        if frame == "ditransitive":
            self._human_or_pronoun(parts, parts.dative, "dat", _HUMAN, subject, definite)
        if frame in ("transitive", "ditransitive"):
            # A negated "a" becomes "kein" and carries the negation of the clause.
            self._human_or_pronoun(parts, parts.accusative, "acc", verb.objects, subject,
                                   definite and definite + ("a",), negated)
        return parts

    def _human_or_pronoun(self, parts, slot, case, tags, subject, determiners, negated=False):
        if "human" in tags and self.dice.chance(0.2):
            speaker = subject.pronoun and subject.english[0].text in ("I", "we")
            names = ("he", "she", "they") if speaker else ("I", "he", "she", "we", "they")
            parts.pronouns.append(self.phrases.pronoun(self.dice.pick(names), case))
            return
        slot.append(self.phrases.noun_phrase(tags, case, determiners=determiners, negated=negated))

    def _adverbials(self, parts, frame, verb, setting):
        dice = self.dice
        simple = setting.tense == "present" and not setting.negated and not setting.question
        if simple and dice.chance(0.2):
            parts.frequency.append(self.phrases.frequency())
        elif lexicon.TIMES[setting.tense] and dice.chance(0.35):
            parts.time.append(self.phrases.time(setting.tense))
        if setting.tense == "perfect" and not setting.negated and dice.chance(0.3):
            parts.already.append(self.phrases.pair("already", "schon"))
        if frame == "intransitive" and verb.objects and dice.chance(0.35):
            parts.manner.append(self.phrases.manner(verb.objects))
        if frame != "ditransitive" and dice.chance(0.35):
            parts.place.append(self._place(frame, verb))

    def _place(self, frame, verb):
        if frame == "transitive" and "human" not in verb.objects and self.dice.chance(0.4):
            return self.phrases.beneficiary()
        if self.dice.chance(0.35):
            return self.phrases.companion()
        return self.phrases.place()
