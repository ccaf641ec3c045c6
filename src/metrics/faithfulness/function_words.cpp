#include <algorithm>
#include <array>

#include "metrics/faithfulness/word_class.h"
#include "metrics/unicode_text.h"

namespace attend::metrics {
namespace {

struct WordList {
  std::string_view language;
  std::string_view words;
};

constexpr std::string_view kGerman = R"(
der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines
ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen sich selbst man einander
mein meine meinen meinem meiner meines dein deine deinen deinem deiner deines sein seine seinen seinem seiner seines
ihre ihren ihrem ihrer ihres unser unsere unseren unserem unserer unseres euer eure euren eurem eurer eures
dieser diese dieses diesen diesem jener jene jenes jenen jenem derselbe dieselbe dasselbe denselben demselben
welcher welche welches welchen welchem wer wen wem wessen was deren dessen denen
jeder jede jedes jeden jedem alle alles allen allem aller manche mancher manches manchen einige einigen einiger
etwas nichts niemand jemand jemanden beide beiden beider beides viel viele vielen vieler mehr mehrere mehreren
wenig wenige wenigen andere anderen anderem anderer anderes solche solchen solcher
in im ins an am ans auf aufs aus bei beim mit nach von vom zu zum zur für durch durchs gegen ohne um ums unter über
vor vorm hinter neben zwischen während wegen trotz seit bis entlang gegenüber außer statt anstatt innerhalb außerhalb
oberhalb unterhalb ab pro per samt nebst
und oder aber denn sondern doch sowie sowohl als wie weder noch entweder wenn weil dass daß ob damit indem nachdem bevor
obwohl falls sobald solange sodass da je desto
bin bist ist sind seid war warst waren wart gewesen sei seien wäre wären habe hast hat haben habt hatte hatten gehabt
hätte hätten werde wirst wird werden werdet wurde wurden worden würde würden kann kannst können könnt konnte konnten
könnte könnten muss musst müssen musste mussten müsste soll sollst sollen sollte sollten will willst wollen wollte
wollten darf darfst dürfen durfte durften mag mögen möchte möchten
nicht nie auch nur schon noch sehr so zu ja nein hier dort da dann nun dabei dafür dagegen daher daran darauf daraus darin
darüber darum darunter davon davor dazu hin her heraus herein hinaus hinein herum wo woher wohin wann warum wieso wobei
womit worauf worin etwa eben gerade
)";

constexpr std::string_view kEnglish = R"(
the a an this that these those some any no every each either neither all both half several many much more most few fewer
little less least other others another such own same
i you he she it we they me him her us them my your his its our their mine yours hers ours theirs
myself yourself himself herself itself ourselves yourselves themselves one ones someone anyone everyone something anything
everything nothing nobody somebody anybody everybody who whom whose which what whoever whatever
in on at by for with from to of off into onto out up down over under above below between among through during before
after since until till against toward towards across along around about behind beside besides beyond near next inside
outside within without upon via per as like than despite except amid atop
and or but nor so yet if because although though while whereas unless whether when whenever where wherever how why that
once
am is are was were be been being isn't aren't wasn't weren't have has had having haven't hasn't hadn't do does did doing
done don't doesn't didn't will would won't wouldn't shall should shouldn't can could can't cannot couldn't may might must
ought i'm you're he's she's it's we're they're i've you've we've they've i'll you'll he'll she'll we'll they'll there's
that's
not n't 's 're 've 'll 'd 'm s t there here then now too also only just very quite rather even still already ever never
again
)";

constexpr std::string_view kSpanish = R"(
el la los las lo un una unos unas al del
yo tú vos él ella ello nosotros nosotras vosotros vosotras ellos ellas usted ustedes me te se nos os le les mí ti sí
conmigo contigo consigo
mi mis tu tus su sus nuestro nuestra nuestros nuestras vuestro vuestra vuestros vuestras mío mía míos mías tuyo tuya
tuyos tuyas suyo suya suyos suyas
este esta esto estos estas ese esa eso esos esas aquel aquella aquello aquellos aquellas mismo misma mismos mismas
que qué quien quienes quién quiénes cual cuales cuál cuáles cuyo cuya cuyos cuyas cuanto cuanta cuantos cuantas
algo alguien alguno alguna algunos algunas algún nada nadie ninguno ninguna ningún todo toda todos todas cada otro otra
otros otras mucho mucha muchos muchas poco poca pocos pocas más menos tanto tanta tantos tantas tal tales ambos ambas
varios varias demasiado uno
a ante bajo con contra de desde durante en entre hacia hasta mediante para por según sin sobre tras
y e o u ni pero mas sino aunque porque pues como cuando donde si mientras
soy eres es somos sois son era eras éramos erais eran fui fuiste fue fuimos fuisteis fueron ser siendo sido sea sean
será serán sería serían estoy estás está estamos están estaba estaban estuvo estuvieron estar estando estado esté estén
he has ha hemos habéis han había habías habíamos habían hubo haber habiendo habido haya hayan habrá habrán habría habrían
hay puede pueden podía podían poder debe deben deber
no ni también tampoco ya aún todavía así muy sólo solo aquí ahí allí allá cómo cuándo dónde adonde luego entonces
)";

constexpr std::string_view kFrench = R"(
le la les l un une des du de d au aux
je j tu il elle on nous vous ils elles me m te t se s lui leur leurs moi toi soi eux y en
mon ma mes ton ta tes son sa ses notre nos votre vos mien mienne tien tienne sien sienne
ce c cet cette ces ça cela ceci celui celle ceux celles même mêmes
qui que qu quoi dont où lequel laquelle lesquels lesquelles auquel duquel quel quelle quels quelles
quelque quelques quelqu'un chacun chacune chaque tout toute tous toutes autre autres aucun aucune nul nulle rien personne
plusieurs certain certaine certains certaines tel telle tels telles beaucoup peu plus moins tant
à dans par pour sur sous avec sans chez vers entre devant derrière contre depuis pendant avant après jusque jusqu parmi
selon malgré dès lors près
et ou mais donc or ni car si comme quand lorsque lorsqu puisque puisqu parce quoique tandis afin
suis es est sommes êtes sont étais était étions étiez étaient fus fut furent être étant été serai sera seront serait
seraient sois soit soient ai as a avons avez ont avais avait avions aviez avaient eut eurent avoir ayant eu aurai aura
auront aurait auraient aie ait aient peut peuvent pouvait pouvaient pouvoir doit doivent devait devoir va vont
ne n pas point jamais non oui aussi très trop encore déjà ici là ainsi alors puis comment pourquoi
l'on d'un d'une qu'il qu'elle qu'ils qu'elles qu'on qu'un qu'une n'est c'est s'est n'a j'ai d'autres
)";

constexpr auto kLists =
    std::to_array<WordList>({{"de", kGerman}, {"en", kEnglish}, {"es", kSpanish}, {"fr", kFrench}});

}  // namespace

std::vector<std::string> function_word_languages() {
  std::vector<std::string> names;
  for (const WordList& list : kLists) names.emplace_back(list.language);
  return names;
}

std::vector<std::string> function_words_of(std::string_view language) {
  const auto* const found = std::ranges::find(kLists, language, &WordList::language);
  std::vector<std::string> words;
  if (found == kLists.end()) return words;
  for (const std::string_view word : split_whitespace(found->words)) words.emplace_back(word);
  return words;
}

}  // namespace attend::metrics
