#include "metrics/ter.h"

#include <gmock/gmock.h>

namespace attend::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

using Lines = std::vector<std::string>;

double score_of(const Lines& hypotheses, const References& references,
                const TerTokenization& options = {}) {
  return corpus_score(Ter(options), hypotheses, references).value;
}

// sacreBLEU 2.0, test/test_ter.py.
TEST(Ter, AgreesWithSacrebleuOnSmallCases) {
  EXPECT_NEAR(score_of({"aaaa bbbb cccc dddd"}, {{"aaaa bbbb cccc dddd"}}), 0.0, 1e-9);
  EXPECT_NEAR(score_of({"dddd eeee ffff"}, {{"aaaa bbbb cccc"}}), 100.0, 1e-9);
  EXPECT_NEAR(score_of({""}, {{"a"}}), 100.0, 1e-9);
  EXPECT_NEAR(score_of({"d e f g h a b c"}, {{"a b c d e f g h"}}), 100.0 / 8, 1e-9);
}

// sacreBLEU 2.0, test/test_ter.py: "realistic example from WMT dev data (2019)".
TEST(Ter, AgreesWithSacrebleuOnARealisticCase) {
  const Lines hypotheses{
      "wählen Sie \" Bild neu berechnen , \" um beim Ändern der Bildgröße Pixel hinzuzufügen oder "
      "zu "
      "entfernen , damit das Bild ungefähr dieselbe Größe aufweist wie die andere Größe .",
      "wenn Sie alle Aufgaben im aktuellen Dokument aktualisieren möchten , wählen Sie im Menü des "
      "Aufgabenbedienfelds die Option \" Alle Aufgaben aktualisieren . \"",
      "klicken Sie auf der Registerkarte \" Optionen \" auf die Schaltfläche \" Benutzerdefiniert "
      "\" "
      "und geben Sie Werte für \" Fehlerkorrektur-Level \" und \" Y / X-Verhältnis \" ein .",
      "Sie können beispielsweise ein Dokument erstellen , das ein Auto über die Bühne enthält .",
      "wählen Sie im Dialogfeld \" Neu aus Vorlage \" eine Vorlage aus und klicken Sie auf \" Neu "
      ". "
      "\""};
  const Lines reference{
      "wählen Sie \" Bild neu berechnen , \" um beim Ändern der Bildgröße Pixel hinzuzufügen oder "
      "zu "
      "entfernen , damit die Darstellung des Bildes in einer anderen Größe beibehalten wird .",
      "wenn Sie alle Aufgaben im aktuellen Dokument aktualisieren möchten , wählen Sie im Menü des "
      "Aufgabenbedienfelds die Option \" Alle Aufgaben aktualisieren . \"",
      "klicken Sie auf der Registerkarte \" Optionen \" auf die Schaltfläche \" Benutzerdefiniert "
      "\" "
      "und geben Sie für \" Fehlerkorrektur-Level \" und \" Y / X-Verhältnis \" niedrigere Werte "
      "ein "
      ".",
      "Sie können beispielsweise ein Dokument erstellen , das ein Auto enthalt , das sich über die "
      "Bühne bewegt .",
      "wählen Sie im Dialogfeld \" Neu aus Vorlage \" eine Vorlage aus und klicken Sie auf \" Neu "
      ". "
      "\""};
  EXPECT_NEAR(score_of(hypotheses, {reference}), 13.6, 1e-3);
}

// One edit to the second reference; mean length (3 + 4) / 2.
TEST(Ter, TakesTheFewestEditsAndTheMeanLength) {
  const std::vector<std::string_view> references{"x y z", "a b c e"};
  EXPECT_THAT(Ter({}).segment_statistics("a b c d", references), ElementsAre(1, 3.5));
}

TEST(Ter, CountsEveryWordAgainstAnEmptyReference) {
  EXPECT_EQ(score_of({"a b"}, {{""}}), 100.0);
  EXPECT_EQ(score_of({""}, {{""}}), 0.0);
  // Two extra words, divided by one reference word.
  EXPECT_EQ(score_of({"a b", "c"}, {{"", "c"}}), 200.0);
}

TEST(Ter, IgnoresCaseUnlessAsked) {
  EXPECT_EQ(score_of({"Ä B"}, {{"ä b"}}), 0.0);
  EXPECT_EQ(score_of({"Ä B"}, {{"ä b"}}, {.case_sensitive = true}), 100.0);
}

// sacreBLEU's README: TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:...
TEST(Ter, SignatureNamesEveryOption) {
  EXPECT_THAT(Ter({}).signature(1),
              StartsWith("nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:"));
  const TerTokenization all{
      .normalized = true, .no_punct = true, .asian_support = true, .case_sensitive = true};
  EXPECT_THAT(Ter(all).signature(2),
              StartsWith("nrefs:2|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version:"));
}

}  // namespace
}  // namespace attend::metrics
