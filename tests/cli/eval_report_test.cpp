#include "cli/eval_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace attend::cli {
namespace {

EvalEntry bleu(const std::string& system, double score) {
  return {.system = system,
          .line = std::nullopt,
          .name = "BLEU",
          .score = score,
          .signature = "nrefs:1",
          .details = "(BP = 1.000)"};
}

TEST(TextReport, HasALinePerEntry) {
  EvalEntry loss = bleu("a", 1.23456);
  loss.name = "loss";
  loss.details = "";
  loss.decimals = 4;
  EXPECT_EQ(text_report({bleu("a", 28.301225), loss}),
            "BLEU|nrefs:1 = 28.30 (BP = 1.000)\nloss|nrefs:1 = 1.2346\n");
}

TEST(TextReport, NamesTheSystemWhereThereAreSeveral) {
  EXPECT_EQ(text_report({bleu("a", 1.0), bleu("b", 2.0)}),
            "a\tBLEU|nrefs:1 = 1.00 (BP = 1.000)\nb\tBLEU|nrefs:1 = 2.00 (BP = 1.000)\n");
}

TEST(TextReport, OfNothingIsEmpty) {
  EXPECT_EQ(text_report({}), "");
}

TEST(JsonReport, KeepsFullPrecisionUnderTheContractsNames) {
  EvalEntry line = bleu("b\xff", 2.0);
  line.line = 7;
  line.details = "";
  const auto json = nlohmann::json::parse(json_report({bleu("a", 28.301225000000123), line}));
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0], (nlohmann::json{{"system", "a"},
                                     {"name", "BLEU"},
                                     {"score", 28.301225000000123},
                                     {"signature", "nrefs:1"},
                                     {"verbose_score", "(BP = 1.000)"}}));
  EXPECT_EQ(json[1], (nlohmann::json{{"system", "b\ufffd"},
                                     {"name", "BLEU"},
                                     {"line", 7},
                                     {"score", 2.0},
                                     {"signature", "nrefs:1"}}));
}

}  // namespace
}  // namespace attend::cli
