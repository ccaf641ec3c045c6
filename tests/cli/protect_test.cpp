// data.protect and translate --protect.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/random.h"
#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"
#include "text/protected_spans.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using attend::test::TempDir;
using test::Ended;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAreArray;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// What is protected in a line, by the rules that the models of these tests have.
std::vector<std::string> parts_of(const std::string& line) {
  static const text::ProtectedSpans spans(
      text::ProtectOptions{.kinds = {text::ProtectedKind::all}, .patterns = {}});
  std::vector<std::string> parts;
  for (const utf8::Span& span : spans.find(line))
    parts.push_back(line.substr(span.begin, span.end - span.begin));
  return parts;
}

/// Messages of words and protected parts, each between blanks.
std::vector<std::string> messages(std::size_t count) {
  static const std::vector<std::string> units = {"a",
                                                 "b",
                                                 "c",
                                                 "d",
                                                 "a",
                                                 "b",
                                                 "5",
                                                 "17%",
                                                 "%s",
                                                 "%1$d",
                                                 "{0}",
                                                 "{name}",
                                                 "${HOME}",
                                                 "&amp;",
                                                 "\\n",
                                                 "a@b.org",
                                                 "/etc/x",
                                                 "1,000.5",
                                                 "https://a.org/b?c=1",
                                                 "\U0001F600",
                                                 "\u27E62\u27E7",
                                                 "12:30"};
  Random random(7);
  std::vector<std::string> lines;
  while (lines.size() < count) {
    std::string line = "a";
    for (uint64_t i = random.below(10); i > 0; --i) line += " " + units[random.below(units.size())];
    lines.push_back(line);
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

/// Untrained models, which lose, double and invent whatever they can: two that write placeholders
/// and letters, one that writes placeholders or text, and one without placeholders.
class Protect : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    models_.emplace();
    const std::string all = joined(messages(200)) + "w x y z\n";
    const std::string texts = fmt::format("data.train={{source: {}, target: {}}}",
                                          models_->write("all.src", all).string(),
                                          models_->write("all.tgt", all).string());
    train("placeholders", {"data.protect={kinds: all}"});
    train("member", {"data.protect={kinds: all}", "seed=5"});
    train("mixed", {"data.protect={kinds: all, share: 0.5}", texts});
    train("text", {texts});
  }
  static void TearDownTestSuite() { models_.reset(); }

  static void train(const std::string& name, std::vector<std::string> settings) {
    settings.insert(settings.end(),
                    {"tokenizer.type=char", "tokenizer.vocabulary=120", "data.max_length=60",
                     "training.max_updates=4", "training.learning_rate=0.05"});
    (void)test::train_tiny_model(*models_, name, settings);
  }
  [[nodiscard]] Ended run(const std::string& model, const std::string& text,
                          std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(),
                     {"translate", "--model", (*models_ / model).string(), "--input",
                      dir_.write("input", text).string(), "--device", "cpu", "--threads", "1"});
    return test::run_program(arguments);
  }
  [[nodiscard]] std::vector<std::string> translated(
      const std::string& text, const std::vector<std::string>& arguments = {},
      const std::string& model = "placeholders") const {
    const Ended ended = run(model, text, arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.err, Not(HasSubstr("protected text")));
    return lines_of(ended.out);
  }
  static void expect_kept(const std::vector<std::string>& sources,
                          const std::vector<std::string>& translations) {
    ASSERT_THAT(translations, SizeIs(sources.size()));
    for (std::size_t i = 0; i < sources.size(); ++i)
      EXPECT_THAT(parts_of(translations[i]), UnorderedElementsAreArray(parts_of(sources[i])))
          << sources[i] << " -> " << translations[i];
  }

  static inline std::optional<TempDir> models_;
  TempDir dir_;
};

TEST_F(Protect, EveryPartIsInTheTranslationOnce) {
  const auto lines = messages(100);
  expect_kept(lines, translated(joined(lines)));
}

TEST_F(Protect, ShortlistsEnsemblesAndSeveralTranslationsKeepTheParts) {
  const auto lines = messages(20);
  expect_kept(lines, translated(joined(lines), {"--model", (*models_ / "member").string()}));
  std::vector<std::string> doubled;
  for (const std::string& line : lines) doubled.insert(doubled.end(), {line, line});
  std::vector<std::string> texts;
  for (const std::string& line : translated(joined(lines), {"--n-best", "2", "--beam", "3"})) {
    const std::size_t begin = line.find("||| ") + 4;
    texts.push_back(line.substr(begin, line.rfind(" |||") - begin));
  }
  expect_kept(doubled, texts);
  const std::string lexicon = (dir_ / "lex").string();
  const Ended made = test::run_program({"lexicon", "--model", (*models_ / "placeholders").string(),
                                        "--source", (*models_ / "train.src").string(), "--target",
                                        (*models_ / "train.tgt").string(), "--output", lexicon});
  ASSERT_EQ(made.code, 0) << made.err;
  expect_kept(lines, translated(joined(lines), {"--shortlist", lexicon, "5", "5"}));
}

TEST_F(Protect, ModelsWithoutPlaceholdersWriteThePartsAsText) {
  const auto lines = messages(40);
  const auto translations = translated(joined(lines), {"--protect", "all"}, "text");
  ASSERT_THAT(translations, SizeIs(lines.size()));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& part : parts_of(lines[i]))
      EXPECT_THAT(translations[i], HasSubstr(part)) << lines[i];
  }
}

TEST_F(Protect, PartsThatTheVocabularyLacksAreAddedWithAWarning) {
  const Ended ended = run("text", "a \u0416@b.org c\n", {"--protect", "emails"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, EndsWith(" \u0416@b.org\n"));
  EXPECT_THAT(ended.err, HasSubstr("line 1: the model did not write every protected text"));
}

// Symptom: --document cut a URL at its question mark, and both halves were translated.
TEST_F(Protect, DocumentsAreNotCutInsideAPart) {
  const std::vector<std::string> lines = {"a https://example.org/a?b=1&c=2 b {0}. C d 5!",
                                          "https://example.org/A?B=1!c. D a"};
  expect_kept(lines, translated(joined(lines), {"--document"}));
}

// Symptom: with --constraints, numbers were glued to each other and to words.
TEST_F(Protect, ConstraintsDoNotGlueThePartsTogether) {
  const auto lines = messages(30);
  std::string constraints;
  for (std::size_t i = 0; i < lines.size(); ++i) constraints += "[\"w\"]\n";
  expect_kept(lines,
              translated(joined(lines), {"--constraints", dir_.write("c", constraints).string()}));
}

TEST_F(Protect, NoneTakesThemAsText) {
  const Ended ended = run("placeholders", "a zz@b.org \u27E61\u27E7\n", {"--protect", "none"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(Not(HasSubstr("zz@b.org")), HasSubstr("\u27E61\u27E7")));
}

TEST_F(Protect, UnknownKindsAreNamed) {
  const Ended ended = run("text", "a\n", {"--protect", "urls,number"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err,
              HasSubstr("--protect: unknown kind \"number\"; did you mean \"numbers\"?"));
}

// Symptom: `--protect none,urls` said: unknown kind "none"; did you mean "none"?
TEST_F(Protect, NoneStandsAlone) {
  for (const char* kinds : {"none,urls", "urls,none"}) {
    const Ended ended = run("text", "a\n", {"--protect", kinds});
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, HasSubstr("--protect: \"none\" stands alone"));
  }
  EXPECT_THAT(run("text", "a\n", {"--protect", "urls,nine"}).err, Not(HasSubstr("none")));
}

TEST_F(Protect, ConstraintsGlossaryAndPrefixNamePartsOfTheLine) {
  const std::string constraints = dir_.write("c", "[\"x 5\"]\n[\"5 w\"]\n").string();
  const std::vector<std::string> lines = {"a 5 b", "c 5 5"};
  const auto met = translated(joined(lines), {"--constraints", constraints}, "mixed");
  EXPECT_THAT(met[0], HasSubstr("x 5"));
  EXPECT_THAT(met[1], HasSubstr("5 w"));
  const std::string glossary = dir_.write("g", "b 7\tz 7 z\n").string();
  EXPECT_THAT(translated("a b 7\n", {"--glossary", glossary}, "mixed").at(0), HasSubstr("z 7 z"));
  const auto begun =
      translated(joined(lines), {"--prefix", dir_.write("p", "5 x\n5 5\n").string()});
  expect_kept(lines, begun);
  EXPECT_THAT(begun[0], StartsWith("5 x"));
  EXPECT_THAT(begun[1], StartsWith("5 5"));
}

// Symptom: "⟦1⟧" of a prefix or constraint came out as the first protected part of the line.
TEST_F(Protect, SymbolsOfPrefixesAndConstraintsAreRefusedUnlessInTheLine) {
  const Ended prefix = run("placeholders", "a\na 5\n",
                           {"--prefix", dir_.write("p", "w\nw \u27E61\u27E7\n").string()});
  EXPECT_EQ(prefix.code, 3);
  EXPECT_THAT(prefix.err,
              HasSubstr("p:2: \"w \u27E61\u27E7\" has \"\u27E61\u27E7\", which would stand "
                        "for a protected part"));
  const auto own = translated("a \u27E62\u27E7 5\n",
                              {"--prefix", dir_.write("p", "w \u27E62\u27E7\n").string()});
  EXPECT_THAT(own.at(0), StartsWith("w \u27E62\u27E7"));
  const Ended constraints =
      run("placeholders", "a 5\n",
          {"--constraints", dir_.write("c", "[\"\u27E61\u27E7\"]\n").string()});
  EXPECT_EQ(constraints.code, 3);
  EXPECT_THAT(constraints.err, HasSubstr("c:1:2: \"\u27E61\u27E7\" has \"\u27E61\u27E7\""));
}

// Symptom: marks of terms in a text became terms for a model with data.terms.
TEST_F(Protect, MarksOfTermsInTheTextAreKept) {
  expect_kept({"a \u27E6<\u27E7 b \u27E6>\u27E7"}, translated("a \u27E6<\u27E7 b \u27E6>\u27E7\n"));
}

TEST_F(Protect, DocumentsAndMarkupKeepTheParts) {
  const auto document = translated("- a 5 b . %s d !\n\n  1. {0}\n", {"--document"});
  EXPECT_THAT(parts_of(document[0]), UnorderedElementsAreArray({"5", "%s"}));
  const auto marked = translated("a <b>5 &lt; %s</b> c\n", {"--markup", "xml"});
  EXPECT_THAT(marked[0], AllOf(HasSubstr("5"), HasSubstr("%s"), HasSubstr("<b>")));
}

TEST_F(Protect, AttentionAndLinksReferToTheWordsOfTheLine) {
  const std::string attention = (dir_ / "a.jsonl").string();
  const std::string links = (dir_ / "links").string();
  const auto lines =
      translated("a https://a.org/b?c=1 (5) b\n",
                 {"--attention", attention, "--level", "word", "--alignments", links});
  const auto record = nlohmann::json::parse(read_text(attention));
  EXPECT_EQ(record["source"], nlohmann::json({"a", "https://a.org/b?c=1", "(5)", "b", "</s>"}));
  std::vector<std::string> words = record["target"];
  words.pop_back();
  EXPECT_EQ(fmt::format("{}", fmt::join(words, " ")), lines[0]);
}

TEST_F(Protect, CopiedUnknownWordsLeaveTheParts) {
  const std::vector<std::string> lines = {"a \u4E2D 5 %s", "\u4E2D\u4E2D {0}"};
  for (const auto& line : translated(joined(lines), {"--copy-unknown"}))
    EXPECT_THAT(line, Not(HasSubstr("\u27E6")));
  expect_kept(lines, translated(joined(lines), {"--copy-unknown"}));
}

TEST_F(Protect, SampledTranslationsGetWhatTheyLackAtTheirEnd) {
  const auto lines = messages(20);
  const Ended ended = run("placeholders", joined(lines), {"--sample", "--seed", "3"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto translations = lines_of(ended.out);
  ASSERT_THAT(translations, SizeIs(lines.size()));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& part : parts_of(lines[i]))
      EXPECT_THAT(translations[i], HasSubstr(part)) << lines[i];
  }
}

TEST_F(Protect, MembersOfAnEnsembleReadTheSamePlaceholders) {
  const Ended ended = run("placeholders", "a\n", {"--model", (*models_ / "text").string()});
  EXPECT_EQ(ended.code, 2);
}

TEST_F(Protect, GivenPairsAreReadAsInTraining) {
  const std::string source = dir_.write("s", "a 5 b\n").string();
  const auto score_of = [&](const std::string& target) {
    const Ended ended = test::run_program({"score", "--model", (*models_ / "placeholders").string(),
                                           "--source", source, "--target",
                                           dir_.write("t", target).string(), "--device", "cpu"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.out;
  };
  const std::string of_five = score_of("w 5\n");
  dir_.write("s", "a 77 b\n");
  EXPECT_EQ(score_of("w 77\n"), of_five);  // the same placeholder
  EXPECT_NE(score_of("w 5\n"), of_five);
}

TEST_F(Protect, EvalTranslatesWithPlaceholders) {
  const std::string file = dir_.write("s", "a 5 b\n").string();
  const Ended ended = test::run_program({"eval", "--model", (*models_ / "placeholders").string(),
                                         "--source", file, "--reference", file, "--device", "cpu"});
  EXPECT_EQ(ended.code, 0) << ended.err;
}

// Symptom: only `translate` had --protect, so that `eval` could not score what it writes.
TEST_F(Protect, EvalTranslatesWithTheKindsThatTranslateTakes) {
  const std::string lines = joined(messages(20));
  const std::string file = dir_.write("s", lines).string();
  for (const char* kinds : {"all", "numbers,urls"}) {
    const std::string translation =
        dir_.write("out", joined(translated(lines, {"--protect", kinds}, "text"))).string();
    const auto score = [&](std::vector<std::string> arguments) {
      arguments.insert(arguments.begin(), {"eval", "--reference", file, "--json"});
      const Ended ended = test::run_program(arguments);
      EXPECT_EQ(ended.code, 0) << ended.err;
      return nlohmann::json::parse(ended.out)[0]["score"].get<double>();
    };
    EXPECT_EQ(score({"--model", (*models_ / "text").string(), "--source", file, "--device", "cpu",
                     "--threads", "1", "--protect", kinds}),
              score({"--hypothesis", translation}))
        << kinds;
  }
}

}  // namespace
}  // namespace attend::cli
