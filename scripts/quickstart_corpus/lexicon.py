"""The words of the quickstart corpus: English and German entries side by side."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Noun:
    """A noun. `english` may be two words (a compound); the German side is always one word."""

    english: tuple          # words of the singular
    english_plural: tuple
    german: str
    gender: str             # m, f or n
    german_plural: str
    genitive: str           # genitive singular
    weak: bool = False      # weak masculine: the genitive form also in accusative and dative
    tags: frozenset = field(default_factory=frozenset)


@dataclass(frozen=True)
class Verb:
    """A verb. English particles (picks up) and German prefixes (holt ... ab) stand apart."""

    base: str
    third: str
    past: str
    participle: str
    english_particle: str
    infinitive: str         # without the separable prefix
    german_third: str       # without the separable prefix
    german_participle: str  # with the separable prefix
    prefix: str
    auxiliary: str          # haben or sein
    objects: frozenset      # tags of possible objects, adverbs or conjunctions
    animal: bool            # an animal may be its subject


@dataclass(frozen=True)
class Adjective:
    english: str
    german: str             # as a predicate
    stem: str               # before an ending
    tags: frozenset


# english, plural, german, gender, german plural, genitive ("" for feminine), "w" for weak
HUMANS = """
man men Mann m Männer Mannes
woman women Frau f Frauen -
child children Kind n Kinder Kindes
boy boys Junge m Jungen Jungen w
girl girls Mädchen n Mädchen Mädchens
teacher teachers Lehrer m Lehrer Lehrers
doctor doctors Arzt m Ärzte Arztes
farmer farmers Bauer m Bauern Bauern w
student students Student m Studenten Studenten w
neighbour neighbours Nachbar m Nachbarn Nachbarn w
friend friends Freund m Freunde Freundes
mother mothers Mutter f Mütter -
father fathers Vater m Väter Vaters
brother brothers Bruder m Brüder Bruders
sister sisters Schwester f Schwestern -
grandmother grandmothers Großmutter f Großmütter -
uncle uncles Onkel m Onkel Onkels
aunt aunts Tante f Tanten -
baker bakers Bäcker m Bäcker Bäckers
driver drivers Fahrer m Fahrer Fahrers
singer singers Sängerin f Sängerinnen -
guest guests Gast m Gäste Gastes
daughter daughters Tochter f Töchter -
son sons Sohn m Söhne Sohnes
"""

ANIMALS = """
dog dogs Hund m Hunde Hundes
cat cats Katze f Katzen -
horse horses Pferd n Pferde Pferdes
bird birds Vogel m Vögel Vogels
mouse mice Maus f Mäuse -
cow cows Kuh f Kühe -
goat goats Ziege f Ziegen -
bear bears Bär m Bären Bären w
rabbit rabbits Kaninchen n Kaninchen Kaninchens
fox foxes Fuchs m Füchse Fuchses
"""

# As above, then the tags.
THINGS = """
book books Buch n Bücher Buches read,write,carry
letter letters Brief m Briefe Briefes read,write
newspaper newspapers Zeitung f Zeitungen - read
poem poems Gedicht n Gedichte Gedichtes read,write
map maps Karte f Karten - read,carry
apple apples Apfel m Äpfel Apfels food
cake cakes Kuchen m Kuchen Kuchens food
egg eggs Ei n Eier Eies food,cook
soup soups Suppe f Suppen - food,cook
potato potatoes Kartoffel f Kartoffeln - food,cook
pear pears Birne f Birnen - food
sausage sausages Wurst f Würste - food,cook
chair chairs Stuhl m Stühle Stuhles carry,repair
table tables Tisch m Tische Tisches carry,repair
lamp lamps Lampe f Lampen - carry,repair
clock clocks Uhr f Uhren - carry,repair
key keys Schlüssel m Schlüssel Schlüssels carry
bag bags Tasche f Taschen - carry,open
cup cups Tasse f Tassen - carry
knife knives Messer n Messer Messers carry
bottle bottles Flasche f Flaschen - carry,open
picture pictures Bild n Bilder Bildes carry,paint
box boxes Kiste f Kisten - carry,open,paint
ball balls Ball m Bälle Balles carry
present presents Geschenk n Geschenke Geschenkes carry,open
bicycle bicycles Fahrrad n Fahrräder Fahrrades repair
umbrella umbrellas Regenschirm m Regenschirme Regenschirmes carry,repair
suitcase suitcases Koffer m Koffer Koffers carry,open
car cars Auto n Autos Autos repair
coat coats Mantel m Mäntel Mantels clothes
hat hats Hut m Hüte Hutes clothes
dress dresses Kleid n Kleider Kleides clothes
shirt shirts Hemd n Hemden Hemdes clothes
jacket jackets Jacke f Jacken - clothes
shoe shoes Schuh m Schuhe Schuhes clothes
door doors Tür f Türen - open,repair,paint
window windows Fenster n Fenster Fensters open,repair,paint
"""

# English modifier = German modifier : possible heads (from THINGS).
COMPOUNDS = """
kitchen=Küchen table chair door window lamp
garden=Garten table chair door lamp
school=Schul table chair door window book
winter=Winter coat hat dress jacket shoe
summer=Sommer coat hat dress jacket shoe
rain=Regen coat hat jacket
tomato=Tomaten soup
potato=Kartoffel soup
apple=Apfel cake
cherry=Kirsch cake
lemon=Zitronen cake
picture=Bilder book
house=Haus key door
car=Auto key door
wine=Wein bottle
water=Wasser bottle
"""

PLACES = """
garden gardens Garten m Gärten Gartens in,tidy
school schools Schule f Schulen - in
kitchen kitchens Küche f Küchen - in,tidy
house houses Haus n Häuser Hauses in,tidy
park parks Park m Parks Parks in
forest forests Wald m Wälder Waldes in
village villages Dorf n Dörfer Dorfes in
town towns Stadt f Städte - in
church churches Kirche f Kirchen - in
station stations Bahnhof m Bahnhöfe Bahnhofs in
museum museums Museum n Museen Museums in
hotel hotels Hotel n Hotels Hotels in
bridge bridges Brücke f Brücken - -
castle castles Schloss n Schlösser Schlosses in
library libraries Bibliothek f Bibliotheken - in,tidy
river rivers Fluss m Flüsse Flusses -
"""

# base third past participle particle | infinitive third participle prefix auxiliary | tags, and
# + if animals may be the subject. The tags name the possible objects, for intransitive verbs the
# adverbs, and for clausal verbs the conjunctions.
TRANSITIVE = """
buy buys bought bought - | kaufen kauft gekauft - haben | read,food,carry,repair,clothes
sell sells sold sold - | verkaufen verkauft verkauft - haben | read,food,carry,repair,clothes
see sees saw seen - | sehen sieht gesehen - haben | human,animal,place,repair +
find finds found found - | finden findet gefunden - haben | animal,read,carry,clothes +
look looks looked looked for | suchen sucht gesucht - haben | human,animal,carry,clothes +
love loves loved loved - | lieben liebt geliebt - haben | human,animal,place
read reads read read - | lesen liest gelesen - haben | read
write writes wrote written - | schreiben schreibt geschrieben - haben | write
eat eats ate eaten - | essen isst gegessen - haben | food
cook cooks cooked cooked - | kochen kocht gekocht - haben | cook
paint paints painted painted - | malen malt gemalt - haben | paint,animal,place
repair repairs repaired repaired - | reparieren repariert repariert - haben | repair
carry carries carried carried - | tragen trägt getragen - haben | carry
put puts put put on | ziehen zieht angezogen an haben | clothes
take takes took taken off | ziehen zieht ausgezogen aus haben | clothes
open opens opened opened - | machen macht aufgemacht auf haben | open
close closes closed closed - | machen macht zugemacht zu haben | open
invite invites invited invited - | laden lädt eingeladen ein haben | human
call calls called called - | rufen ruft angerufen an haben | human
pick picks picked picked up | holen holt abgeholt ab haben | human
visit visits visited visited - | besuchen besucht besucht - haben | human,place
meet meets met met - | treffen trifft getroffen - haben | human
wash washes washed washed - | waschen wäscht gewaschen - haben | clothes,animal
tidy tidies tidied tidied up | räumen räumt aufgeräumt auf haben | tidy
bring brings brought brought along | bringen bringt mitgebracht mit haben | food,read
throw throws threw thrown away | werfen wirft weggeworfen weg haben | food,carry,clothes
forget forgets forgot forgotten - | vergessen vergisst vergessen - haben | read,carry,clothes
lose loses lost lost - | verlieren verliert verloren - haben | read,carry,clothes
hear hears heard heard - | hören hört gehört - haben | human,animal +
need needs needed needed - | brauchen braucht gebraucht - haben | read,carry,clothes,repair
"""

DATIVE = """
help helps helped helped - | helfen hilft geholfen - haben | human
thank thanks thanked thanked - | danken dankt gedankt - haben | human
follow follows followed followed - | folgen folgt gefolgt - sein | human,animal +
answer answers answered answered - | antworten antwortet geantwortet - haben | human
listen listens listened listened to | hören hört zugehört zu haben | human
"""

DITRANSITIVE = """
give gives gave given - | geben gibt gegeben - haben | read,food,carry,clothes
show shows showed shown - | zeigen zeigt gezeigt - haben | read,carry,clothes,repair
lend lends lent lent - | leihen leiht geliehen - haben | read,carry,clothes,repair
send sends sent sent - | schicken schickt geschickt - haben | read,clothes
"""

INTRANSITIVE = """
sleep sleeps slept slept - | schlafen schläft geschlafen - haben | quietly +
laugh laughs laughed laughed - | lachen lacht gelacht - haben | quietly
work works worked worked - | arbeiten arbeitet gearbeitet - haben | quickly,slowly,gladly
sing sings sang sung - | singen singt gesungen - haben | quietly,gladly
dance dances danced danced - | tanzen tanzt getanzt - haben | quickly,slowly,gladly
run runs ran run - | laufen läuft gelaufen - sein | quickly,slowly,gladly +
swim swims swam swum - | schwimmen schwimmt geschwommen - sein | quickly,slowly,gladly +
wait waits waited waited - | warten wartet gewartet - haben | quietly +
play plays played played - | spielen spielt gespielt - haben | quietly,gladly +
get gets got got up | stehen steht aufgestanden auf sein | slowly,quietly +
arrive arrives arrived arrived - | kommen kommt angekommen an sein |
come comes came come back | kommen kommt zurückgekommen zurück sein | slowly,quickly,gladly +
fall falls fell fallen asleep | schlafen schläft eingeschlafen ein sein | slowly,quickly +
go goes went gone away | gehen geht weggegangen weg sein | quietly,quickly,slowly +
stay stays stayed stayed - | bleiben bleibt geblieben - sein | gladly +
"""

# Verbs with a clause as object.
CLAUSAL = """
know knows knew known - | wissen weiß gewusst - haben | that,why
believe believes believed believed - | glauben glaubt geglaubt - haben | that
say says said said - | sagen sagt gesagt - haben | that
hope hopes hoped hoped - | hoffen hofft gehofft - haben | that
ask asks asked asked - | fragen fragt gefragt - haben | whether,why
"""

ADJECTIVES = """
old alt alt human,animal,thing,place
small klein klein human,animal,thing,place
big groß groß animal,thing,place
young jung jung human,animal
tired müde müd human,animal
happy glücklich glücklich human
hungry hungrig hungrig human,animal
sad traurig traurig human
friendly freundlich freundlich human,animal
clever klug klug human,animal
brave mutig mutig human
rich reich reich human
new neu neu thing,place
beautiful schön schön thing,place
expensive teuer teur thing
cheap billig billig thing
heavy schwer schwer thing
red rot rot thing
blue blau blau thing
green grün grün thing
white weiß weiß thing,animal
black schwarz schwarz thing,animal
dirty schmutzig schmutzig thing
quiet ruhig ruhig place
"""

NAMES = ("Anna", "Peter", "Maria", "Paul", "Julia", "Thomas")

# English words, German words; word k of one translates word k of the other.
TIMES = {
    "present": (("today", "heute"), ("now", "jetzt"), ("every day", "jeden Tag")),
    "past": (("yesterday", "gestern"), ("last week", "letzte Woche"),
             ("this morning", "heute Morgen"), ("last year", "letztes Jahr")),
    "future": (("tomorrow", "morgen"), ("soon", "bald"), ("next week", "nächste Woche")),
    "modal": (("today", "heute"), ("now", "jetzt"), ("tomorrow", "morgen")),
    "perfect": (),
}
FREQUENCIES = (("often", "oft"), ("always", "immer"), ("sometimes", "manchmal"), ("never", "nie"),
               ("seldom", "selten"))
MANNERS = (("quickly", "schnell"), ("slowly", "langsam"), ("quietly", "leise"), ("gladly", "gern"))
# English, German singular, German plural
MODALS = (("can", "kann", "können"), ("must", "muss", "müssen"), ("should", "soll", "sollen"),
          ("may", "darf", "dürfen"), ("want", "will", "wollen"))
PLACE_PREPOSITIONS = (("in", "in"), ("behind", "hinter"), ("next to", "neben"),
                      ("in front of", "vor"))
CONJUNCTIONS = (("because", "weil"), ("although", "obwohl"), ("while", "während"),
                ("when", "wenn"), ("before", "bevor"))


def _noun(line, kind):
    fields = line.split()
    genitive = fields[2] if fields[5] == "-" else fields[5]
    rest = fields[6:]
    tags = {kind}
    for item in rest:
        if item not in ("w", "-"):
            tags.update(item.split(","))
    return Noun((fields[0],), (fields[1],), fields[2], fields[3], fields[4], genitive, "w" in rest,
                frozenset(tags))


def _nouns(table, kind):
    return [_noun(line, kind) for line in table.strip().splitlines()]


def _compounds(heads):
    by_name = {head.english[0]: head for head in heads}
    result = []
    for line in COMPOUNDS.strip().splitlines():
        modifier, *names = line.split()
        english, german = modifier.split("=")
        for head in (by_name[name] for name in names):
            result.append(Noun((english,) + head.english, (english,) + head.english_plural,
                               german + head.german.lower(), head.gender,
                               german + head.german_plural.lower(),
                               german + head.genitive.lower(), False, head.tags))
    return result


def _verb(line):
    english, german, rest = (part.split() for part in line.split("|"))
    tags = frozenset(tag for item in rest if item != "+" for tag in item.split(","))
    particle, prefix = (("" if word == "-" else word) for word in (english[4], german[3]))
    return Verb(*english[:4], particle, *german[:3], prefix, german[4], tags, "+" in rest)


def verbs(table):
    return [_verb(line) for line in table.strip().splitlines()]


def nouns():
    """All nouns: humans, animals, things, compounds and places; their tags say what they are."""
    things = _nouns(THINGS, "thing")
    return (_nouns(HUMANS, "human") + _nouns(ANIMALS, "animal") + things + _compounds(things)
            + _nouns(PLACES, "place"))


def adjectives():
    rows = (line.split() for line in ADJECTIVES.strip().splitlines())
    return [Adjective(*words, frozenset(tags.split(","))) for *words, tags in rows]
