"""Whole sentences of all kinds, with punctuation and gold links."""

from dataclasses import dataclass

from . import lexicon
from .clauses import Clauses, Parts
from .inflection import german_determiner
from .phrases import Dice, Links, Phrase, Phrases, Token
from .verbs import Setting

_CLAUSE_WORDS = {"that": "dass", "whether": "ob", "why": "warum"}
_QUESTION_WORDS = (("why", "warum"), ("when", "wann"), ("where", "wo"))
_COPULAS = {("present", "s"): ("is", "ist"), ("present", "p"): ("are", "sind"),
            ("past", "s"): ("was", "war"), ("past", "p"): ("were", "waren")}


@dataclass(frozen=True)
class Pair:
    """One sentence pair; gold is a tuple of (English position, German position, sure?)."""

    english: str
    german: str
    gold: tuple

    def gold_line(self):
        return " ".join(f"{source}{'-' if sure else 'p'}{target}"
                        for source, target, sure in self.gold)


class Sentences:
    """Draws sentence pairs."""

    def __init__(self, seed):
        self._dice = Dice(seed)
        self._phrases = Phrases(self._dice)
        self._clauses = Clauses(self._phrases)
        self._kinds = (
            (self._statement, 28), (self._copula, 11), (self._that, 13), (self._adverbial, 16),
            (self._fronted, 7), (self._relative, 11), (self._coordination, 5),
            (self._question, 8), (self._why, 5), (self._who_or_what, 4))
        clausal = lexicon.verbs(lexicon.CLAUSAL)
        self._clausal = [(verb, word) for verb in clausal for word in sorted(verb.objects)]

    def draw(self):
        self._phrases.links = Links()
        english, german = self._dice.weighted(self._kinds)()
        german = _tidy_commas(german)
        for side in (english, german):
            side[0].text = side[0].text[0].upper() + side[0].text[1:]
        texts = (" ".join(token.text for token in side) for side in (english, german))
        return Pair(*texts, self._gold(english, german))

    def _gold(self, english, german):
        sources = {token: position for position, token in enumerate(english)}
        targets = {token: position for position, token in enumerate(german)}
        links = self._phrases.links.pairs.items()
        return tuple(sorted((sources[source], targets[target], sure)
                            for (source, target), sure in links if target in targets))

    def _linked(self, english, german):
        phrase = self._phrases.pair(english, german)
        return phrase.english, phrase.german

    def _end(self, english, german, mark="."):
        stop = self._linked(mark, mark)
        return english + stop[0], german + stop[1]

    def _comma(self, english):
        """A German comma without an English counterpart, with a possible link to the word that causes it."""
        comma = Token(",")
        self._phrases.links.possible(english, [comma])
        return [comma]

    # Kinds of sentences: each returns (English tokens, German tokens)

    def _statement(self):
        clause = self._clauses.clause()
        if clause.parts.time and self._dice.chance(0.45):
            time = clause.parts.time[0]
            return self._end(time.english + clause.english(with_time=False),
                             time.german + clause.german_inverted(with_time=False))
        return self._end(clause.english(), clause.german_statement())

    def _copula(self):
        kind = self._dice.pick(("human", "animal", "thing", "thing", "place"))
        subject = self._phrases.noun_phrase(frozenset({kind}), "nom",
                                            determiners=("the", "this", "my", "our"))
        tense = self._dice.pick(("present", "past"))
        words = [self._linked(*_COPULAS[tense, subject.number])]
        if self._dice.chance(0.25):
            words.append(self._linked("not", "nicht"))
        if self._dice.chance(0.4):
            words.append(self._linked(*self._dice.pick((("very", "sehr"), ("too", "zu")))))
        adjective = self._phrases.adjective(kind)
        words.append(self._linked(adjective.english, adjective.german))
        english, german = zip(*words)
        return self._end(sum(english, subject.english), sum(german, subject.german))

    def _that(self):
        verb, word = self._phrases.deck("clausal", self._clausal).draw()
        subject = self._clauses.subject()
        past = subject.first_person or self._dice.chance(0.3)
        negated = self._dice.chance(0.2) and word != "why"
        setting = Setting("past" if past else "present", negated=negated)
        matrix = self._clauses.finish(verb, subject, setting, Parts())
        inner = self._clauses.clause(final=True)
        english, german = self._linked(word, _CLAUSE_WORDS[word])
        comma = self._comma(english)
        return self._end(matrix.english() + english + inner.english(),
                         matrix.german_statement() + comma + german + inner.german_final())

    def _conjunction(self):
        return self._phrases.deck("conjunction", lexicon.CONJUNCTIONS).draw()

    def _adverbial(self):
        word, translation = self._conjunction()
        outer, inner = self._clause_pair(word)
        english, german = self._linked(word, translation)
        comma = self._comma(english)
        return self._end(outer.english() + english + inner.english(),
                         outer.german_statement() + comma + german + inner.german_final())

    def _clause_pair(self, word):
        """A main and a verb-final clause. With "when" both are in the present tense, so that it is "wenn"."""
        tense = "present" if word == "when" else None
        short = self._dice.chance(0.5)
        return (self._clauses.clause(short=short, tense=tense),
                self._clauses.clause(final=True, short=not short, tense=tense,
                                     subject=self._third_person(tense)))

    def _third_person(self, tense):
        return self._phrases.noun_phrase(frozenset({"human"}), "nom") if tense else None

    def _fronted(self):
        word, translation = self._conjunction()
        outer, inner = self._clause_pair(word)
        english, german = self._linked(word, translation)
        comma = self._linked(",", ",")
        return self._end(english + inner.english() + comma[0] + outer.english(),
                         german + inner.german_final() + comma[1] + outer.german_inverted())

    def _relative(self):
        head = self._phrases.noun_phrase(frozenset({"human"}), "nom",
                                         determiners=("the", "this", "a", "our", "two", "many"))
        who, pronoun = self._linked("who", german_determiner("the", "nom", head.gender))
        inner = self._clauses.clause(final=True, short=self._dice.chance(0.7),
                                     subject=Phrase(who, pronoun, head.number))
        opening, closing = self._comma(who), self._comma(who)
        subject = Phrase(head.english + inner.english(),
                         head.german + opening + inner.german_final() + closing, head.number)
        outer = self._clauses.clause(subject=subject, short=self._dice.chance(0.5))
        return self._end(outer.english(), outer.german_statement())

    def _coordination(self):
        first, second = self._clauses.clause(short=True), self._clauses.clause(short=True)
        word, translation = self._dice.pick((("and", "und"), ("but", "aber")))
        english, german = self._linked(word, translation)
        comma = self._comma(english) if word == "but" else []
        return self._end(first.english() + english + second.english(),
                         first.german_statement() + comma + german + second.german_statement())

    def _question(self):
        clause = self._clauses.clause(question=True)
        return self._end(clause.english(inverted=True), clause.german_inverted(), "?")

    def _why(self):
        english, german = self._linked(*self._dice.pick(_QUESTION_WORDS))
        clause = self._clauses.clause(question=True, short=True)
        return self._end(english + clause.english(inverted=True),
                         german + clause.german_inverted(), "?")

    def _who_or_what(self):
        if self._dice.chance(0.5):
            who = self._phrases.pair("who", "wer")
            clause = self._clauses.clause(subject=who, short=self._dice.chance(0.5))
            return self._end(clause.english(), clause.german_statement(), "?")
        english, german = self._linked("what", "was")
        clause = self._clauses.clause(question=True, frames=("transitive",), short=True)
        clause.parts = Parts()      # the question word stands for the object
        return self._end(english + clause.english(inverted=True),
                         german + clause.german_inverted(), "?")


def _tidy_commas(words):
    """Drops a closing comma before another comma or the end of the sentence."""
    return [word for word, following in zip(words, words[1:] + [Token("")])
            if not (word.text == "," and following.text in (",", ".", "?"))]
