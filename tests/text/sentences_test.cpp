#include "text/sentences.h"

#include <gmock/gmock.h>

#include <random>
#include <string>

#include "text/characters.h"

namespace attend::text {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> cut(const char* language, const std::string& text) {
  std::vector<std::string> sentences;
  for (const auto& span : SentenceSplitter(language).sentences(text))
    sentences.push_back(text.substr(span.begin, span.end - span.begin));
  return sentences;
}

/// A boundary in `text` is written as "|" and must be found, with the language and without it.
void expect_cuts(const char* language, const std::string& text) {
  std::string plain;
  std::vector<std::string> expected(1);
  for (const char c : text) {
    if (c == '|') {
      expected.emplace_back();
    } else {
      plain += c;
      expected.back() += c;
    }
  }
  for (std::string& sentence : expected) {
    const auto span = trimmed(sentence, {0, sentence.size()});
    sentence = sentence.substr(span.begin, span.end - span.begin);
  }
  EXPECT_EQ(cut(language, plain), expected) << language;
  EXPECT_EQ(cut("", plain), expected) << "unknown language";
}

TEST(SentenceSplitter, ReadsEnglish) {
  expect_cuts("en", "Mr. and Mrs. Smith met Dr. J. R. Brown. |They talked for 3.5 hours. |Why?");
  expect_cuts("en",
              "We like fruit, e.g. Apples. |See Fig. 3 and No. 70, p. 512. |No. |That is all.");
  expect_cuts("en", "She works for Acme Inc. in the U.S. Army. |He lives in the U.S. |It is big.");
  expect_cuts("en", "Bring pens, paper, etc. |We start at 6 p.m. |Then we eat.");
  expect_cuts("en", "\"Why?\" he asked. |\"I do not know!\" |So do I. |I. Newton wrote it.");
  expect_cuts("en", "He left (at 5 p.m.). |Was it late?! |Well... |Nobody said so.");
}

TEST(SentenceSplitter, ReadsGerman) {
  expect_cuts("de",
              "Am 3. Oktober kam Dr. Müller, z. B. mit Prof. h. c. Weiß. |Er blieb bis 5 Uhr.");
  expect_cuts("de", "Das gilt z.B. für Äpfel, Birnen usw. |Die Bahn kostet ca. 5 Mio. Euro.");
  expect_cuts("de", "Siehe Abb. 3 auf S. 170. |Ludwig XIV. König von Frankreich. |Das ist es.");
  expect_cuts("de",
              "„Gib mir das Salz.“ |„Hier!“, sagte sie. |Er wurde 1990 geboren. |1995 starb er.");
  expect_cuts("de", "Er wohnt in der Mozart-Str. 5. |Im 2. Weltkrieg stand sie schon.");
}

TEST(SentenceSplitter, ReadsFrench) {
  expect_cuts("fr", "M. Dupont est arrivé. |C’est le Pr. Martin. |Voir p. 12, fig. 3.");
  expect_cuts("fr", "« Oui, je viens. » |Elle sourit. |« Pourquoi ? » |Personne ne répond…");
  expect_cuts("fr", "Il est né vers 300 av. J.-C. |Le roi mourut. |5000 gens, etc. |La suite.");
}

// Without the language, "ex" is a word.
TEST(SentenceSplitter, ReadsAbbreviationsThatAreWordsElsewhere) {
  EXPECT_THAT(cut("fr", "Une ville, p. ex. Paris. Oui."),
              ElementsAre("Une ville, p. ex. Paris.", "Oui."));
  EXPECT_THAT(cut("en", "I met my ex. Paris was cold."),
              ElementsAre("I met my ex.", "Paris was cold."));
}

TEST(SentenceSplitter, ReadsSpanishItalianPortugueseDutchAndRussian) {
  expect_cuts("es", "El Sr. García y la Dra. Ruiz viven en EE. UU. |¿Vienes? |¡Sí! |Voy hoy.");
  expect_cuts("it", "Il dott. Rossi e la sig.ra Bianchi, cfr. Verdi, sono qui. |È tardi. |Sì.");
  expect_cuts("pt", "O Sr. Silva mora na Av. Brasil. |Ele tem carros, casas, etc. |A vida é boa.");
  expect_cuts("nl", "Dhr. Jansen woont bijv. in Den Haag. |Hij heeft o.a. Friese koeien. |Leuk!");
  expect_cuts("ru", "Он родился в 1799 г. в Москве, на ул. Басманной. |Это А. С. Пушкин. |Да.");
}

TEST(SentenceSplitter, ReadsJapaneseAndChinese) {
  expect_cuts("ja", "犬が寝ています。|猫は3.5キロです！|本当ですか？|はい");
  expect_cuts("ja", "彼は「行く。」と言った。|「何？」|「雨だ。」|彼女は来た。");
  expect_cuts("zh", "他睡觉了。|她在读书！|为什么？|“我累了。”|他回家了。");
  expect_cuts("zh", "“你怎么来了？”他惊讶地问我。|我没说话。");
}

// Thai has no mark at the end of a sentence.
TEST(SentenceSplitter, ReadsThaiAndHindi) {
  expect_cuts("th", "สุนัขกำลังนอนหลับ ฉันชอบมัน");
  expect_cuts("hi", "कुत्ता सो रहा है। |वह पढ़ रही है।");
}

TEST(SentenceSplitter, ReadsTokenizedTextInLowerCase) {
  expect_cuts("en", "a dog sleeps . |a man reads a book . |why ? |he is mr. brown .");
  expect_cuts("de", "Ein Hund schläft . |Er heißt Dr. Bello . |\" Warum ? \" fragt sie .");
}

TEST(SentenceSplitter, LeavesOutBlanksOnly) {
  EXPECT_THAT(cut("en", "  One.\t\tTwo.\u00A0\u3000 "), ElementsAre("One.", "Two."));
  EXPECT_THAT(cut("en", "... And 7. So!"), ElementsAre("... And 7.", "So!"));
  EXPECT_THAT(cut("en", ""), IsEmpty());
  EXPECT_THAT(cut("en", " \t "), IsEmpty());
}

TEST(SentenceSplitter, CutsAtLineSeparators) {
  EXPECT_THAT(cut("en", "one\rtwo\u2028three"), ElementsAre("one", "two", "three"));
}

/// Random text of all kinds of characters that the rules distinguish.
std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> kParts = {
      ".",  ". ", "? ",     "!", "…",  "。", "「", "」",  "“",    "”",         "\"",   "'",
      "»",  "(",  ")",      " ", "\t", "A",  "b",  "z.B", "Mr",   "12",        "1999", "と",
      "说", "é",  "\u00A0", "Z", ",",  "-",  "\r", "さ",  "U.S.", "\U0001F600"};
  std::string text;
  for (auto parts = random() % 40; parts > 0; --parts) text += kParts[random() % kParts.size()];
  return text;
}

TEST(SentenceSplitter, KeepsEveryCharacterOfRandomText) {
  std::mt19937 random(7);
  const SentenceSplitter splitter("");
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = random_text(random);
    std::size_t end = 0;
    for (const auto& span : splitter.sentences(text)) {
      ASSERT_GE(span.begin, end) << text;
      ASSERT_GT(span.end, span.begin) << text;
      ASSERT_EQ(trimmed(text, {end, span.begin}).begin, span.begin) << "only blanks: " << text;
      ASSERT_EQ(trimmed(text, span), span) << text;
      end = span.end;
    }
    ASSERT_EQ(trimmed(text, {end, text.size()}).begin, text.size()) << text;
  }
}

// Regression: runs of blanks or marks were read again for each of them.
TEST(SentenceSplitter, ReadsLongRunsInLinearTime) {
  for (const char* part : {" . \" Mr.", "\r", ". ", "» ", "「", "!"}) {
    std::string text = "a";
    for (int i = 0; i < 200'000; ++i) text += part;
    EXPECT_FALSE(SentenceSplitter("en").sentences(text).empty());
  }
}

}  // namespace
}  // namespace attend::text
