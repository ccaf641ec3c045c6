"""Verb forms of both languages, with the links between them."""

from dataclasses import dataclass, field

from .inflection import english_verb, finite_have
from .phrases import Token, tokens


@dataclass
class Predicate:
    """A verb form: English auxiliary and rest, German finite form and final cluster."""

    auxiliary: list = field(default_factory=list)
    rest: list = field(default_factory=list)
    particle: list = field(default_factory=list)
    negators: list = field(default_factory=list)    # English tokens that carry the negation
    negation: list = field(default_factory=list)    # "not" if it is a separate word
    finite: Token = None
    cluster: list = field(default_factory=list)     # prefix, participle or infinitive


@dataclass
class Setting:
    """The kind of clause to build."""

    tense: str
    final: bool = False         # German verb-final
    question: bool = False
    negated: bool = False
    modal: tuple = None


class Verbs:
    """Verb forms with their links."""

    def __init__(self, phrases):
        self._phrases = phrases

    def predicate(self, verb, subject, setting):
        result = Predicate(particle=tokens(verb.english_particle))
        build = {"present": self._simple, "past": self._simple, "perfect": self._perfect,
                 "future": self._future, "modal": self._modal}[setting.tense]
        build(result, verb, subject, setting)
        return result

    def _simple(self, result, verb, subject, setting):
        person = "p" if subject.first_person else subject.number
        past = setting.tense == "past"
        if setting.negated or setting.question:
            result.auxiliary = tokens("did" if past else "does" if person == "s" else "do")
            result.rest = tokens(verb.base)
            self._negate(result, setting)
        else:
            result.rest = tokens(english_verb(verb, person, setting.tense))
        if past:
            self._compound_past(result, verb, subject)
            self._phrases.links.possible(result.rest, [result.finite])
        else:
            self._present(result, verb, subject.number, setting.final)
        link = self._phrases.links.sure if past else self._phrases.links.possible
        link(result.auxiliary, [result.finite])

    def _present(self, result, verb, number, final):
        text = verb.german_third if number == "s" else verb.infinitive
        links = self._phrases.links
        if final or not verb.prefix:
            result.finite = Token(verb.prefix + text)
            links.sure(result.rest + result.particle, [result.finite])
            return
        result.finite, prefix = Token(text), Token(verb.prefix)
        result.cluster = [prefix]
        links.sure(result.rest, [result.finite])
        links.sure(result.particle or result.rest, [prefix])
        links.possible(result.rest + result.particle, [result.finite, prefix])

    def _compound_past(self, result, verb, subject):
        result.finite = Token(finite_have(subject.number, verb.auxiliary, subject.first_person)[1])
        result.cluster = tokens(verb.german_participle)
        self._phrases.links.sure(result.rest + result.particle, result.cluster)

    def _perfect(self, result, verb, subject, setting):
        have = finite_have(subject.number, verb.auxiliary, subject.first_person)[0]
        result.auxiliary = tokens(have)
        result.rest = tokens(verb.participle)
        self._negate(result, setting)
        self._compound_past(result, verb, subject)
        self._phrases.links.sure(result.auxiliary, [result.finite])

    def _future(self, result, verb, subject, setting):
        result.auxiliary = tokens("will")
        result.rest = tokens(verb.base)
        self._negate(result, setting)
        german = "werde" if subject.first_person else "wird" if subject.number == "s" else "werden"
        result.finite = Token(german)
        self._phrases.links.sure(result.auxiliary, [result.finite])
        self._infinitive(result, result.rest, verb)

    def _infinitive(self, result, english, verb):
        result.cluster = [Token(verb.prefix + verb.infinitive)]
        self._phrases.links.sure(english + result.particle, result.cluster)

    def _modal(self, result, verb, subject, setting):
        name, singular, plural = setting.modal
        result.finite = Token(singular if subject.number == "s" else plural)
        if name == "want":
            self._want(result, verb, subject, setting)
            return
        result.auxiliary, result.rest = tokens(name), tokens(verb.base)
        if setting.negated and name == "can":
            result.auxiliary = result.negators = tokens("cannot")
        else:
            self._negate(result, setting)
        self._phrases.links.sure(result.auxiliary, [result.finite])
        self._infinitive(result, result.rest, verb)

    def _want(self, result, verb, subject, setting):
        person = "p" if subject.first_person else subject.number
        links = self._phrases.links
        supported = setting.negated or setting.question
        if supported:
            result.auxiliary = tokens("does" if person == "s" else "do")
            self._negate(result, setting)
        want = tokens("wants" if person == "s" and not supported else "want")
        to, base = tokens("to"), tokens(verb.base)
        result.rest = want + to + base
        links.sure(want, [result.finite])
        links.possible(result.auxiliary, [result.finite])
        self._infinitive(result, base, verb)
        links.possible(to, result.cluster)

    @staticmethod
    def _negate(result, setting):
        if setting.negated:
            result.negators = result.negation = tokens("not")
