#include "text/sentence_words.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/utf8.h"

namespace attend::text {
namespace {

/// The lists of a language, with blanks between words; abbreviations without their last period.
/// '~' marks an entry that is a normal word in another language.
struct WordLists {
  std::string_view language;
  bool ordinals;
  std::string_view abbreviations;  // PeriodAfter::kAbbreviation
  std::string_view numberings;     // PeriodAfter::kNumbering
  std::string_view may_end;        // PeriodAfter::kMayEnd, apart from "U.S.", "a.m." and the like
  std::string_view beginnings;
};

// Chosen from the suppressions of CLDR 42 and by reading. ICU's FilteredBreakIterator, which has
// the suppressions, compares only the last letters before a boundary: its German "s." joins every
// sentence that ends in s to the next one.
constexpr auto kLanguages = std::to_array<WordLists>({
    {"cs", true, "mgr ing bc dr MUDr JUDr PhDr RNDr prof doc sv tzn tzv např resp popř tj",
     "č čl str obr tab odst", "atd apod aj mj tis mil mld hod Kč",
     "Ten Ta To Ti Ty Já My Vy On Ona Ono Oni Je Jsou Byl Byla Bylo Byli V Ve Na Do Po Za S Z A "
     "Ale "
     "Když Jak Co Kdo Kde Proč Tak Pak Jeho Její Jejich Podle"},
    {"da", true, "hr fr dr prof bl.a f.eks d.v.s dvs jf ca ~evt ~inkl", "nr s fig kap",
     "osv kr mio mia",
     "Den Det De En Et Han Hun Vi Jeg Du I Men Og Der Da Hvis Når Hvad Hvor Så På Til Fra"},
    {"de", true,
     "Hr Hrn Fr Frl Dr Prof Hl Dipl Ing Dipl.-Ing Dipl.-Kfm St Gebr Fam Abg Hrsg Verf z.B z.T z.Z "
     "d.h "
     "u.U o.g i.d.R i.A i.V m.E v.a sog bzw bspw ggf ggfs evtl vgl ca inkl exkl einschl zzgl abzgl "
     "insb insbes ehem eigtl geb gest verh röm österr schweiz dt engl franz frz ital lat griech "
     "amerik ~resp",
     "Nr Nrn Art Abs Abb Tab Kap Bd Bde Anm Ziff Tel Str Aufl Jg Jan Feb Apr Aug Sept Okt Nov Dez",
     "usw etc Mio Mrd Tsd Std Min Sek Co Inc Ltd Corp Chr Jh Jhd Jahrh Jr Sr",
     "Der Die Das Den Dem Des Ein Eine Einen Einem Einer Er Sie Es Wir Ich Ihr Du Man In Im Am An "
     "Auf Mit Von Vom Für Und Aber Oder Wenn Als Dann Doch So Da Hier Was Wie Warum Wo Wer Welche "
     "Diese Dieser Dieses Nach Nachdem Seit Bei Beim Zu Zum Zur Auch Nur Noch Sein Seine Ihre Kein "
     "Keine Durch Um Unter Während Jedoch Damit Dabei Danach Außerdem Obwohl Weil"},
    {"en", false,
     "Mr Mrs Ms Mx Messrs Dr Drs Prof Rev Revd Hon Col Maj Capt Cpt Lt Sgt Cpl Pvt Cmdr Adm Gov "
     "Sen "
     "Rep Supt Insp St Mt Ft e.g i.e cf viz vs approx ~Gen ~incl",
     "No Nos Fig Figs Eq Eqs Sec Ch Vol Vols Art p pp Jan Feb Mar Apr Aug Sept Sep Oct Nov Dec",
     "etc al Jr Sr Inc Ltd Corp Co Bros Dept Univ Ave Blvd Rd Esq Ph.D ft lb lbs oz",
     "The A An He She It I We They You This That These Those There Here But And Or In On At By "
     "From "
     "For To Of With If When While What Why How Who Where Which His Her Its My Our Their Your As "
     "So Then After Before Since Because Although However Also Not No Yes Let Is Are Was Were Do "
     "Does Did Can Could Will Would Should May Some Many Most All Both Each Every One Today Now "
     "Once Under During According"},
    {"es", false,
     "Sr sr sra St Sra Srta Sres Sras Srtas Dr dr dra Dra Drs Dras Lic Ing Arq Prof Profa Dña Mons "
     "Rvdo Excmo Excma "
     "Fr Sto Sta Gral Cnel Tte Sgto p.ej ej cf aprox Avda av dpto EE",
     "núm núms art arts pág págs p pp vol vols cap fig",
     "etc Ud Uds Vd Vds UU Cía Ltda Inc Corp Jr",
     "El La Los Las Lo Un Una Unos Unas Él Ella Ellos Ellas Yo Tú Usted Nosotros Este Esta Esto "
     "Ese "
     "Esa Eso Estos Estas En De Del Con Por Para Pero Y Si Cuando Que Qué Quién Cómo Dónde Como Su "
     "Sus Mi Mis No Sí Al A Se Es Era Fue Hay También Además Según Desde Durante Sin Entre Hasta "
     "Después Aunque Porque Así"},
    {"fr", false, "MM Mr Dr Pr Prof Mgr St Ste p.ex c.-à-d cf env av apr éd trad ~ex ~Me",
     "art fig p pp vol vols chap janv févr avr juill sept oct nov déc",
     "etc J.-C Cie Inc Ltd Corp Jr",
     "Le La Les L Un Une Des Du Il Elle Ils Elles On Nous Vous Je Tu Ce C Cet Cette Ces Ça Cela En "
     "De D À A Au Aux Dans Par Pour Avec Sur Sous Mais Et Ou Où Si Quand Que Qui Quoi Comment "
     "Pourquoi Comme Son Sa Ses Leur Leurs Mon Ma Mes Notre Votre Ne N Après Avant Depuis Lorsque "
     "Puis Ainsi Alors Selon Pendant Sans Entre Malgré Cependant S Y J Quel Quelle"},
    {"it", false,
     "sig sigg St Sig.ra Sig.na dott dott.ssa dr prof prof.ssa avv ing geom rag mons spett egr "
     "gent "
     "p.es ad.es cfr ~es ~On",
     "nn artt art pag pagg p pp vol cap fig tav tab", "ecc etc S.p.A S.r.l Inc Ltd Corp Co Jr",
     "Il Lo La I Gli Le L Un Uno Una Lui Lei Loro Noi Voi Io Tu Questo Questa Questi Queste Quello "
     "Quella In Di Del Della Dei Con Per Da Dal Dalla A Al Alla Ma E Ed O Se Quando Che Chi Come "
     "Dove Perché Suo Sua Mio Mia Non Sì Si È Era Sono C Ci Anche Dopo Prima Nel Nella Secondo Su "
     "Sul Tra Fra Durante Poi Così Inoltre"},
    {"nl", false,
     "dhr mevr mw mr dr drs prof ing ds mej bijv bv d.w.z o.a m.b.t i.v.m t.a.v m.n vgl zgn St ca "
     "~ir ~resp",
     "nr nrs art blz p pp fig hfdst jan feb apr aug sept okt nov dec",
     "enz etc Inc Ltd Corp Co Chr Jr",
     "De Het Een Hij Zij Ze Wij We Ik Je Jij U Jullie Dit Dat Deze Die Er In Op Van Voor Met Bij "
     "Aan "
     "Uit Om Maar En Of Als Toen Dan Wat Wie Waar Waarom Hoe Zijn Haar Hun Mijn Ons Onze Naar Na "
     "Sinds Tijdens Ook Nog Niet Geen Daar Hier Volgens Omdat Hoewel Daarna"},
    {"pl", true, "dr prof mgr inż ks św np tzw tzn tj ul gen płk mjr kpt ~im",
     "nr str rys art poz pkt ust", "itd itp tys mln mld godz zł",
     "Ten Ta To Te Ci On Ona Ono Oni Ja My Wy W We Na Do Po Za Z Ze A Ale I Jak Co Kto Gdzie Kiedy "
     "Nie Jest Są Był Była Było Jego Jej Ich Tak Jednak Według"},
    {"pt", false,
     "Sr sr sra St Sra Srta Srs Sras Dr dr dra Dra Drs Dras Prof Profa Eng Arq Exmo Exma Ilmo "
     "V.Exa Sto Sta Cel Sgt "
     "p.ex cf aprox av séc ~ex ~Pe ~Gen",
     "núm art arts pág págs p pp vol vols cap fig", "etc Ltda Cia Inc Corp Jr",
     "O A Os As Um Uma Uns Umas Ele Ela Eles Elas Eu Tu Você Vocês Nós Este Esta Isto Esse Essa "
     "Isso "
     "Aquele Aquela Em No Na Nos Nas De Do Da Dos Das Com Por Para Mas E Se Quando Que Quem Como "
     "Onde Porquê Seu Sua Seus Meu Minha Não Sim Ao À Após Antes Depois Durante Também Segundo Sem "
     "Entre Até Desde Embora Porque É Era Foi Há"},
    {"ru", false, "г-н г-жа проф акад доц ул просп пл т.е т.н т.к т.о напр см ср св тов",
     "стр рис табл гл ст п тел кв", "им др пр руб коп тыс млн млрд гг вв н.э мин",
     "Он Она Оно Они Я Мы Вы Ты Это Эта Этот Эти В Во На Но И А С Со К По Из За У О Об От Для Если "
     "Когда Как Что Кто Где Почему Его Её Ее Их Не Так Тогда После До При Все"},
    {"sv", false, "hr fr dr prof bl.a t.ex s.k d.v.s dvs ca ~resp ~inkl", "nr s sid fig kap",
     "osv kr milj Kr st",
     "Den Det De En Ett Han Hon Vi Jag Du Ni I Men Och Där Då Om När Vad Hur Så På Till Från"},
});

using WordSet = std::set<std::string, std::less<>>;

/// `safe`: leaves out the entries marked with '~'.
void add_words(std::string_view list, bool safe, WordSet& words) {
  for (const utf8::Span& span : utf8::word_spans(list)) {
    std::string_view word = list.substr(span.begin, span.end - span.begin);
    const bool marked = word.starts_with('~');
    if (marked && safe) continue;
    words.emplace(word.substr(marked ? 1 : 0));
  }
}

bool has(const WordSet& words, std::string_view word) {
  if (words.contains(word)) return true;
  std::string lower(word);
  if (!lower.empty())
    lower[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(lower[0])));
  return lower != word && words.contains(lower);
}

/// True for "U.S", "a.m", "z.B": letters with periods between them.
bool is_acronym(std::string_view word) {
  const std::u32string letters = utf8::decode(word);
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const bool fits =
        i % 2 == 1 ? letters[i] == U'.' : u_isalpha(static_cast<UChar32>(letters[i])) != 0;
    if (!fits) return false;
  }
  return letters.size() > 1 && letters.size() % 2 == 1;
}

}  // namespace

std::vector<std::string> sentence_languages() {
  std::vector<std::string> languages;
  for (const WordLists& lists : kLanguages) languages.emplace_back(lists.language);
  return languages;
}

SentenceWords::SentenceWords(std::string_view language) {
  const bool known = std::ranges::any_of(
      kLanguages, [&](const WordLists& lists) { return lists.language == language; });
  for (const WordLists& lists : kLanguages) {
    if (known && lists.language != language) continue;
    add_words(lists.abbreviations, !known, abbreviations_);
    add_words(lists.numberings, !known, numberings_);
    add_words(lists.may_end, !known, may_end_);
    add_words(lists.beginnings, !known, beginnings_);
    ordinals_ = ordinals_ || lists.ordinals;
  }
}

PeriodAfter SentenceWords::period_after(std::string_view word) const {
  if (has(abbreviations_, word)) return PeriodAfter::kAbbreviation;
  if (has(may_end_, word) || is_acronym(word)) return PeriodAfter::kMayEnd;
  if (has(numberings_, word)) return PeriodAfter::kNumbering;
  const std::size_t hyphen = word.rfind('-');
  return hyphen == std::string_view::npos ? PeriodAfter::kWord
                                          : period_after(word.substr(hyphen + 1));
}

bool SentenceWords::often_begins(std::string_view word) const {
  return beginnings_.contains(word);
}

}  // namespace attend::text
