#include "text/protected_spans.h"

#include <gmock/gmock.h>

#include <chrono>

#include "config/load.h"
#include "tests/support/temp_dir.h"
#include "text/placeholders.h"

namespace attend::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> found_in(const std::string& line, const ProtectOptions& options) {
  std::vector<std::string> parts;
  for (const utf8::Span& span : ProtectedSpans(options).find(line))
    parts.push_back(line.substr(span.begin, span.end - span.begin));
  return parts;
}

std::vector<std::string> found_in(const std::string& line, ProtectedKind kind) {
  return found_in(line, ProtectOptions{.kinds = {kind}, .patterns = {}});
}

TEST(ProtectedSpans, Numbers) {
  const auto found = [](const std::string& line) { return found_in(line, ProtectedKind::numbers); };
  EXPECT_THAT(found("from 3 to 1,000.50 in 2021-03-04 at 12:30"),
              ElementsAre("3", "1,000.50", "2021-03-04", "12:30"));
  EXPECT_THAT(found("-5 and +3.5, 50% or 7\u202F%; 0xFF"),
              ElementsAre("-5", "+3.5", "50%", "7\u202F%", "0xFF"));
  EXPECT_THAT(found("In 1984."), ElementsAre("1984"));
  EXPECT_THAT(found("1\u00A0000\u00A0000 \u0967\u0968"),
              ElementsAre("1\u00A0000\u00A0000", "\u0967\u0968"));
  EXPECT_THAT(found("MP3 v2.0 x_1 \u00E93 21st 3rd"), IsEmpty());
  EXPECT_THAT(found("10km 3D 5st\u00FCndig"), ElementsAre("10", "3", "5"));
  EXPECT_THAT(found("5-4=1"), ElementsAre("5-4", "1"));
}

TEST(ProtectedSpans, UrlsWithoutTheMarkAtTheirEnd) {
  const auto found = [](const std::string& line) { return found_in(line, ProtectedKind::urls); };
  EXPECT_THAT(found("See https://example.org/a?b=c&d=1#e. Then"),
              ElementsAre("https://example.org/a?b=c&d=1#e"));
  EXPECT_THAT(found("(www.example.org), <ftp://a.b/c>"),
              ElementsAre("www.example.org", "ftp://a.b/c"));
  EXPECT_THAT(found("https://en.wikipedia.org/wiki/A_(b)!"),
              ElementsAre("https://en.wikipedia.org/wiki/A_(b)"));
  EXPECT_THAT(found("http:// and a://"), IsEmpty());
}

TEST(ProtectedSpans, Emails) {
  const auto found = [](const std::string& line) { return found_in(line, ProtectedKind::emails); };
  EXPECT_THAT(found("Mail jane.doe+x@mail.example.org."),
              ElementsAre("jane.doe+x@mail.example.org"));
  EXPECT_THAT(found("a@b @c d@ .e@f.g"), IsEmpty());
}

// Symptom: parts beside Chinese, Japanese and Thai text were lost.
TEST(ProtectedSpans, BesideLettersOfScriptsWithoutBlanks) {
  EXPECT_THAT(found_in("\u6211\u670942\u672C\u4E66\u30FC7", ProtectedKind::numbers),
              ElementsAre("42", "7"));
  EXPECT_THAT(found_in("\u0E21\u0E3542 \u0E40\u0E25\u0E48\u0E21", ProtectedKind::numbers),
              ElementsAre("42"));
  EXPECT_THAT(found_in("\u8BF7\u770Bhttps://example.org/a \u597D\u7684", ProtectedKind::urls),
              ElementsAre("https://example.org/a"));
  EXPECT_THAT(found_in("\u8054\u7CFBme@example.org\u8C22\u8C22", ProtectedKind::emails),
              ElementsAre("me@example.org"));
}

TEST(ProtectedSpans, Files) {
  const auto found = [](const std::string& line) { return found_in(line, ProtectedKind::files); };
  EXPECT_THAT(found("Edit /etc/fstab, ~/.bashrc or ../a/b.txt."),
              ElementsAre("/etc/fstab", "~/.bashrc", "../a/b.txt"));
  EXPECT_THAT(found("C:\\Users\\me\\a.txt and report.pdf, src/main.cpp; x.tar.gz"),
              ElementsAre("C:\\Users\\me\\a.txt", "report.pdf", "src/main.cpp", "x.tar.gz"));
  EXPECT_THAT(found("and/or he/she </b> end.Next e.g. 1/2"), IsEmpty());
}

// Symptom: REPORT.PDF was translated.
TEST(ProtectedSpans, FilesInCapitals) {
  const auto found = [](const std::string& line) { return found_in(line, ProtectedKind::files); };
  EXPECT_THAT(found("REPORT.PDF, Photo.JPEG; README.MD (SRC\\MAIN.CPP) and A.TAR.GZ or SONG.MP3."),
              ElementsAre("REPORT.PDF", "Photo.JPEG", "README.MD", "SRC\\MAIN.CPP", "A.TAR.GZ",
                          "SONG.MP3"));
  EXPECT_THAT(found("THE END.GO ON. U.S.A. and U.S.O. END.List THE END.LISTED A.PDFs"), IsEmpty());
}

TEST(ProtectedSpans, PrintfConversions) {
  const auto found = [](const std::string& line) { return found_in(line, ProtectedKind::printf); };
  EXPECT_THAT(found("%s: %1$d of %-5.2f%% %(name)s %lu %*d"),
              ElementsAre("%s", "%1$d", "%-5.2f", "%%", "%(name)s", "%lu", "%*d"));
  EXPECT_THAT(found("%1 and %L2, %1% %@ %'d"), ElementsAre("%1", "%L2", "%1%", "%@", "%'d"));
  EXPECT_THAT(found("100% sure, 100%-ig, 100%ige, 50 % der"), IsEmpty());
  EXPECT_THAT(
      found_in("100%% of 5%", ProtectOptions{.kinds = {ProtectedKind::all}, .patterns = {}}),
      ElementsAre("100", "%%", "5%"));
}

TEST(ProtectedSpans, BracesAndVariables) {
  EXPECT_THAT(found_in("{0} {name} {{ user.name }} {0:N2} {} { a b }", ProtectedKind::braces),
              ElementsAre("{0}", "{name}", "{{ user.name }}", "{0:N2}", "{}"));
  EXPECT_THAT(found_in("$name ${a.b} $(HOME) %PATH% $5 100%a%", ProtectedKind::variables),
              ElementsAre("$name", "${a.b}", "$(HOME)", "%PATH%"));
}

TEST(ProtectedSpans, EmojiAsWholes) {
  // A family of four, a flag, a waving hand with a skin tone, a keycap, a heart with its selector.
  const std::string family = "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466";
  EXPECT_THAT(found_in("a" + family +
                           " \U0001F1E9\U0001F1EA\U0001F44B\U0001F3FD 5\uFE0F\u20E3 \u2764\uFE0F 5",
                       ProtectedKind::emoji),
              ElementsAre(family, "\U0001F1E9\U0001F1EA", "\U0001F44B\U0001F3FD", "5\uFE0F\u20E3",
                          "\u2764\uFE0F"));
}

TEST(ProtectedSpans, EntitiesAndEscapes) {
  EXPECT_THAT(found_in("a &amp; b &#10; &#x1F; &; AT&T;", ProtectedKind::entities),
              ElementsAre("&amp;", "&#10;", "&#x1F;"));
  EXPECT_THAT(found_in(R"(a\n\n\tb \u00e4 \012 \w)", ProtectedKind::escapes),
              ElementsAre("\\n", "\\n", "\\t", "\\u00e4", "\\012"));
}

TEST(ProtectedSpans, TheFirstBeginsAndTheLongestWins) {
  const ProtectOptions all{.kinds = {ProtectedKind::all}, .patterns = {"[A-Z]{2,}-\\d+", "x*"}};
  EXPECT_THAT(found_in("%5d in https://a.org/1.html, AB-17", all),
              ElementsAre("%5d", "https://a.org/1.html", "AB-17"));
  EXPECT_THAT(found_in("5\uFE0F\u20E3 ${5} &#10;", all),
              ElementsAre("5\uFE0F\u20E3", "${5}", "&#10;"));
  EXPECT_THAT(found_in("axxb", all), ElementsAre("xx"));
}

TEST(ProtectedSpans, PlaceholderSymbolsInTextAreProtected) {
  EXPECT_THAT(found_in("a \u27E61\u27E7\u27E616\u27E7 \u27E617\u27E7", ProtectOptions{}),
              ElementsAre("\u27E61\u27E7", "\u27E616\u27E7"));
}

TEST(ProtectedSpans, TakeTimeInProportionToTheLine) {
  const ProtectedSpans all(ProtectOptions{.kinds = {ProtectedKind::all}, .patterns = {}});
  const auto start = std::chrono::steady_clock::now();
  testing::internal::CaptureStderr();
  for (const char* unit :
       {"a", "1",  "1.",      "a.", "/", "./", "%", "{",      "{{",         "$", "&",  "\\",
        "@", "a@", "http://", "-",  "+", "+a", "#", "\u200D", "\U0001F1E9", "(", "a/", "a-"}) {
    std::string line;
    while (line.size() < (std::size_t{1} << 17)) line += unit;
    (void)all.find(line);
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), IsEmpty()) << "a pattern was stopped";
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(ProtectedSpans, APatternWithoutEndIsStopped) {
  const ProtectOptions slow{.kinds = {}, .patterns = {"(a+)+b"}};
  EXPECT_THAT(found_in(std::string(50, 'a'), slow), IsEmpty());
}

// Symptom: each match had a limit of its own, so that a line of many took minutes. Each "x" needs
// about 2^18 steps of backtracking.
TEST(ProtectedSpans, APatternIsStoppedForTheWholeLineWithAWarning) {
  std::string line;
  for (int i = 0; i < 60; ++i) line += std::string(17, 'a') + "x";
  const ProtectOptions slow{.kinds = {ProtectedKind::urls}, .patterns = {"(a+)+b|x"}};
  const ProtectedSpans spans(slow);
  testing::internal::CaptureStderr();
  const auto found = spans.find(line + " www.example.org");
  (void)spans.find(line);
  const std::string warning = testing::internal::GetCapturedStderr();
  EXPECT_LT(found.size(), 50U);
  ASSERT_THAT(found, testing::Not(IsEmpty()));
  EXPECT_EQ(found.back().end - found.back().begin, std::string("www.example.org").size())
      << "other patterns go on";
  EXPECT_THAT(warning,
              HasSubstr("data.protect.patterns: \"(a+)+b|x\" backtracks too long in a line "
                        "that begins with \"aaaaaaaaaaaaaaaaax"));
  EXPECT_EQ(warning.find("backtracks"), warning.rfind("backtracks")) << "once";
  testing::internal::CaptureStderr();
  EXPECT_THAT(found_in(line, ProtectOptions{.kinds = {}, .patterns = {"x"}}), testing::SizeIs(60));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), IsEmpty());
}

TEST(ProtectOptions, NameWrongKindsAndPatterns) {
  const test::TempDir dir;
  const auto load = [&](const std::string& text) {
    return config::load<ProtectOptions>(dir.write("config.yaml", text), {});
  };
  EXPECT_THAT(load("kinds: [numbers, urls]\npatterns: '[A-Z]+-\\d+'").kinds,
              ElementsAre(ProtectedKind::numbers, ProtectedKind::urls));
  EXPECT_TRUE(load("kinds: null").empty());
  const auto error_of = [&](const std::string& text) {
    try {
      (void)load(text);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(error_of("kinds: [number]"), HasSubstr("did you mean \"numbers\""));
  EXPECT_THAT(error_of("patterns: ['a(']"),
              HasSubstr("\"a(\" is not a regular expression of ICU (U_REGEX_MISMATCHED_PAREN"));
  EXPECT_THAT(error_of("patterns: ['']"), HasSubstr("is empty"));
}

}  // namespace
}  // namespace attend::text
