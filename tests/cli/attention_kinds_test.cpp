// Attention of every kind, layer and head, and links by any of them, through the whole program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>

#include "app/model/loaded_model.h"
#include "data/batch.h"
#include "decode/attention/attention_maps.h"
#include "kernels/product/packed_weight.h"
#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tested_device.h"

namespace attend::cli {
namespace {

using attend::test::read_text;
using attend::test::TempDir;
using JsonValue = nlohmann::json;
using test::Ended;
using test::run_program;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

using Arguments = std::vector<std::string>;

/// The settings for one side of a model: "recurrent", "self" (self-attention), "none" (no
/// attention), or a type.
Arguments side_of(const std::string& side, const std::string& kind) {
  if (kind == "recurrent") return {};
  if (kind == "self") return {"model.encoder.self_attention=additive"};
  if (kind == "none") return {"model.decoder.wiring=none"};
  const std::string hidden = side == "encoder" ? "256" : "512";
  return {"model." + side + "={type: " + kind + ", cell: lstm, hidden: " + hidden +
          ", layers: 2, heads: 2, width: 16, feed_forward: 32}"};
}

Arguments both(Arguments some, const Arguments& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

std::vector<JsonValue> records_in(const std::string& text) {
  std::vector<JsonValue> records;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) records.push_back(JsonValue::parse(line));
  return records;
}

Ended with(const Arguments& command, const Arguments& more) {
  return run_program(both(command, more));
}

/// A transformer of two layers with two heads, for all tests of a suite.
class Kinds : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_.emplace();
    const Arguments stacks =
        both(side_of("encoder", "transformer"), side_of("decoder", "transformer"));
    (void)test::train_tiny_model(*folder_, "model", both(stacks, {"model.embedding=16"}));
    (void)test::train_tiny_model(
        *folder_, "back",
        both(stacks, {"model.embedding=16", "seed=8",
                      "data.train={source: " + (*folder_ / "train.tgt").string() +
                          ", target: " + (*folder_ / "train.src").string() + "}"}));
    (void)test::train_tiny_model(*folder_, "recurrent", {});
    folder_->write("source", "a b c\nd a b c\na\nc d\nb c d\n");
    folder_->write("target", "w x y\nz w x\nz\ny z\nx y z\n");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string at(const std::string& name) { return (*folder_ / name).string(); }
  static Ended align(const Arguments& more) {
    return with(
        {"align", "--model", at("model"), "--source", at("source"), "--target", at("target")},
        more);
  }
  static Ended translate(const Arguments& more) {
    return with({"translate", "--model", at("model"), "--input", at("source"), "--quiet"}, more);
  }

  static std::optional<TempDir> folder_;
};
std::optional<TempDir> Kinds::folder_;

std::vector<float> numbers_of(const JsonValue& nested) {
  if (nested.is_number()) return {nested.get<float>()};
  std::vector<float> all;
  for (const JsonValue& part : nested) {
    const std::vector<float> some = numbers_of(part);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

void expect_weights(const JsonValue& nested, const torch::Tensor& expected) {
  const std::vector<float> numbers = numbers_of(nested);
  ASSERT_EQ(static_cast<int64_t>(numbers.size()), expected.numel());
  const torch::Tensor values = expected.contiguous().flatten();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    EXPECT_NEAR(numbers[i], values[static_cast<int64_t>(i)].item<float>(), 1e-6);
}

void expect_kind(const JsonValue& written, const decode::KindMaps& maps) {
  ASSERT_THAT(written["layers"], SizeIs(maps.layers.size()));
  for (std::size_t i = 0; i < maps.layers.size(); ++i)
    expect_weights(written["layers"][i], maps.layers[i]);
  ASSERT_EQ(written.contains("rollout"), maps.rollout.defined());
  if (maps.rollout.defined()) expect_weights(written["rollout"], maps.rollout);
}

// Words are pieces here.
std::vector<text::TokenId> ids_of(const JsonValue& names, const text::Tokenizer& tokenizer) {
  std::vector<text::TokenId> ids;
  for (std::size_t i = 0; i + 1 < names.size(); ++i)
    ids.push_back(tokenizer.find(names[i].get<std::string>()).value());
  return ids;
}

TEST_F(Kinds, OfATranslationAreAllThatTheModelHas) {
  const std::string file = at("kinds.jsonl");
  ASSERT_EQ(translate({"--attention", file, "--attention-kinds", "all", "--n-best", "2"}).code, 0);
  const auto records = records_in(read_text(file));
  ASSERT_THAT(records, SizeIs(10));
  const app::LoadedModel loaded = app::load_model(at("model"), attend::test::tested_device());
  for (const JsonValue& record : records) {
    auto source = ids_of(record["source"], *loaded.source);
    source.push_back(text::kEos);
    const std::vector<std::vector<text::TokenId>> targets{ids_of(record["target"], *loaded.target)};
    const auto maps = decode::attention_maps(*loaded.model, data::pad(data::Sentences{source}),
                                             targets, {true, true, true})[0];
    expect_kind(record["kinds"]["encoder"], maps.encoder);
    expect_kind(record["kinds"]["decoder"], maps.decoder);
    expect_kind(record["kinds"]["cross"], maps.cross);
    EXPECT_EQ(record["target_input"][0], "<s>");
    EXPECT_EQ(record["target_input"].size(), record["target"].size());
    // The attention of the search is that of the last layer.
    expect_weights(record["heads"], maps.cross.layers[1]);
  }
}

TEST_F(Kinds, AreThoseRequested) {
  const auto records =
      records_in(align({"--format", "jsonl", "--attention-kinds", "cross,encoder"}).out);
  ASSERT_THAT(records, SizeIs(5));
  EXPECT_THAT(records[0]["kinds"], SizeIs(2));
  EXPECT_TRUE(records[0]["kinds"].contains("cross") && records[0]["kinds"].contains("encoder"));
  EXPECT_FALSE(records[0].contains("target_input"));
  const auto plain = records_in(align({"--format", "jsonl"}).out);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    JsonValue rest = records[i];
    rest.erase("kinds");
    EXPECT_EQ(rest, plain[i]);
  }
}

TEST_F(Kinds, OfTheDecoderAreTriangularByWordsToo) {
  const auto records = records_in(
      align({"--format", "jsonl", "--level", "word", "--attention-kinds", "decoder"}).out);
  for (const JsonValue& record : records) {
    for (const JsonValue& layer : record["kinds"]["decoder"]["layers"]) {
      for (const JsonValue& head : layer) {
        for (std::size_t t = 0; t < head.size(); ++t) {
          for (std::size_t s = t + 1; s < head[t].size(); ++s) EXPECT_EQ(head[t][s], 0.0);
        }
      }
    }
  }
}

TEST_F(Kinds, DoNotDependOnTheBatchSize) {
  const std::string whole = at("whole.jsonl"), parts = at("parts.jsonl");
  const Arguments asked{"--attention-kinds", "all", "--attention"};
  ASSERT_EQ(translate(both(asked, {whole})).code, 0);
  ASSERT_EQ(translate(both(asked, {parts, "--batch-size", "1", "--threads", "2"})).code, 0);
  const auto a = records_in(read_text(whole)), b = records_in(read_text(parts));
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = numbers_of(a[i]["kinds"]["encoder"]), y = numbers_of(b[i]["kinds"]["encoder"]);
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], y[k], 1e-5);
  }
}

TEST_F(Kinds, ArePicturesOfEachLayer) {
  const std::string pictures = at("pictures");
  ASSERT_EQ(align({"--heatmaps", pictures, "--attention-kinds", "all", "--quiet"}).code, 0);
  for (const char* name :
       {"000000.svg", "000000.encoder.1.svg", "000000.encoder.2.svg", "000000.encoder.rollout.svg",
        "000004.decoder.2.svg", "000004.decoder.rollout.svg", "000003.cross.1.svg",
        "000003.cross.rollout.svg"}) {
    EXPECT_TRUE(std::filesystem::exists(pictures + "/" + name)) << name;
  }
  const Ended ended = align({"--heatmaps", pictures, "--output", pictures + "/000000.cross.1.svg"});
  EXPECT_EQ(ended.code, 2);
}

TEST_F(Kinds, AreOnThePageWithControls) {
  const std::string page = at("page");
  ASSERT_EQ(
      translate({"--heatmaps", page, "--heatmap-format", "html", "--attention-kinds", "all"}).code,
      0);
  EXPECT_THAT(read_text(page + "/index.html"),
              AllOf(HasSubstr("<select id=\"kind\""), HasSubstr("<select id=\"layer\""),
                    HasSubstr("\"kinds\":{\"encoder\":{\"layers\":[["), HasSubstr("\"rollout\"")));
}

TEST_F(Kinds, OnThePageAreThoseOfEachModel) {
  const std::string page = at("two");
  const Ended ended = align({"--heatmaps", page, "--heatmap-format", "html", "--compare-model",
                             at("recurrent"), "--attention-kinds", "encoder,cross", "--quiet"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const std::string html = read_text(page + "/index.html");
  EXPECT_THAT(html, HasSubstr("\"kinds\":{\"encoder\""));
  EXPECT_THAT(html, HasSubstr("\"kinds\":{\"cross\""));
}

TEST_F(Kinds, AreRefusedIfTheModelLacksThem) {
  const auto refusal = [](const Ended& ended) {
    EXPECT_EQ(ended.code, 2);
    return ended.err;
  };
  const Arguments jsonl{"align",    "--model",    at("recurrent"), "--source", at("source"),
                        "--target", at("target"), "--format",      "jsonl"};
  EXPECT_THAT(refusal(with(jsonl, {"--attention-kinds", "cross,encoder"})),
              AllOf(HasSubstr("--attention-kinds encoder"),
                    HasSubstr("no self-attention in its encoder; it has cross")));
  EXPECT_THAT(
      refusal(with(jsonl, {"--attention-kinds", "encodr"})),
      AllOf(HasSubstr("did you mean \"encoder\""),
            HasSubstr("choices: encoder, decoder, cross, encoder_memory, decoder_memory, all")));
  EXPECT_THAT(refusal(align({"--attention-kinds", "all"})), HasSubstr("would have no effect"));
  EXPECT_THAT(refusal(translate({"--attention-kinds", "all"})), HasSubstr("would have no effect"));
  EXPECT_THAT(refusal(translate({"--model", at("model"), "--attention-kinds", "all", "--attention",
                                 at("no.jsonl")})),
              HasSubstr("an ensemble"));
}

TEST_F(Kinds, GiveLinksByAnyLayerAndHead) {
  const auto whole = records_in(align({"--format", "jsonl", "--attention-kinds", "cross"}).out);
  for (const auto& [layer, head] : {std::pair{1, 1}, {1, 2}, {2, 1}, {2, 2}}) {
    const auto chosen = records_in(align({"--format", "jsonl", "--layer", std::to_string(layer),
                                          "--head", std::to_string(head)})
                                       .out);
    ASSERT_THAT(chosen, SizeIs(5));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      EXPECT_EQ(chosen[i]["attention"], whole[i]["kinds"]["cross"]["layers"][layer - 1][head - 1]);
      EXPECT_FALSE(chosen[i].contains("heads"));
    }
  }
  const auto mean = records_in(align({"--format", "jsonl", "--layer", "1"}).out);
  EXPECT_EQ(mean[0]["heads"], whole[0]["kinds"]["cross"]["layers"][0]);
  EXPECT_EQ(align({"--layer", "2", "--head", "mean"}).out, align({}).out);
}

TEST_F(Kinds, RefuseAMissingLayerOrHead) {
  EXPECT_THAT(align({"--layer", "3"}).err, HasSubstr("--layer 3: the source attention of"));
  EXPECT_THAT(align({"--layer", "3"}).err, HasSubstr("has 2 layers"));
  EXPECT_THAT(align({"--layer", "1", "--head", "3"}).err, HasSubstr("has 2 heads"));
  for (const Arguments& wrong : std::vector<Arguments>{{"--layer", "3"},
                                                       {"--layer", "0"},
                                                       {"--head", "3"},
                                                       {"--head", "0"},
                                                       {"--head", "last"},
                                                       {"--head", "best"},
                                                       {"--head", "1", "--method", "posterior"},
                                                       {"--head", "1", "--method", "alti"},
                                                       {"--layer", "1", "--method", "saliency"}}) {
    EXPECT_EQ(align(wrong).code, 2) << wrong[0] << " " << wrong[1];
  }
}

/// A way to read the links, as arguments.
Arguments reading_of(int layer, const std::string& head, int shift) {
  return {"--layer", std::to_string(layer), "--head", head, "--shift", std::to_string(shift)};
}

// If the gold links are those of one head, that head is found and named.
TEST_F(Kinds, TheBestHeadHasTheGoldLinks) {
  std::map<std::string, std::vector<Arguments>> readings;  // by links
  for (const int layer : {1, 2}) {
    for (const char* head : {"mean", "1", "2"}) {
      for (const int shift : {0, 1}) {
        const Arguments reading = reading_of(layer, head, shift);
        readings[align(both(reading, {"--quiet"})).out].push_back(reading);
      }
    }
  }
  int tried = 0;
  for (const auto& [links, same] : readings) {
    if (same.size() > 1 || same[0][3] == "mean") continue;
    ++tried;
    const auto gold = folder_->write("gold", links).string();
    const Ended ended = align({"--head", "best", "--gold", gold});
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(ended.out, links);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("--layer " + same[0][1] + " --head " + same[0][3] +
                                           " --shift " + same[0][5] + " (AER 0.0000)"),
                                 HasSubstr("AER = 0.0000")));
    EXPECT_THAT(
        align({"--head", "best", "--layer", same[0][1] == "1" ? "2" : "1", "--gold", gold}).err,
        Not(HasSubstr("(AER 0.0000)")));
  }
  EXPECT_GE(tried, 2) << "heads whose links differ from all others";
}

// Regression: the whole text was forced, and then the best of no heads was taken.
TEST_F(Kinds, TheBestHeadOfALayerThatIsNotThereIsRefused) {
  const auto gold = folder_->write("gold.none", std::string(5, '\n')).string();
  const Ended ended = align({"--head", "best", "--layer", "9", "--gold", gold});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--layer 9"));
}

// Each model has its own best head; the gold is transposed for the reverse model.
TEST_F(Kinds, TheBestHeadOfTheReverseModelIsItsOwn) {
  const Ended back = with({"align", "--model", at("back"), "--source", at("target"), "--target",
                           at("source"), "--quiet"},
                          reading_of(1, "2", 0));
  ASSERT_EQ(back.code, 0) << back.err;
  const std::string turned = std::regex_replace(back.out, std::regex("([0-9]+)-([0-9]+)"), "$2-$1");
  const auto gold = folder_->write("gold.back", turned).string();
  const Ended ended = align({"--head", "best", "--gold", gold, "--reverse-model", at("back"),
                             "--symmetrize", "intersect"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, testing::ContainsRegex("best for [^\n]*back: [^\n]*\\(AER 0\\.0000\\)"));
  EXPECT_THAT(ended.err, testing::ContainsRegex("best for [^\n]*model: "));
}

TEST_F(Kinds, AreInTheReportOfInspect) {
  const Ended ended =
      run_program({"inspect", at("model"), "--source", at("source"), "--target", at("target")});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("attention over "));
  std::istringstream stream(ended.out);
  std::vector<std::string> rows;
  for (std::string line; std::getline(stream, line);) {
    std::smatch match;
    if (std::regex_match(line, match,
                         std::regex(" +(encoder|decoder|cross) +([0-9]+) +(mean|[0-9]+) +"
                                    "[0-9]\\.[0-9]{4} +[0-9]\\.[0-9]{4}")))
      rows.push_back(match.str(1) + " " + match.str(2) + " " + match.str(3));
  }
  EXPECT_THAT(rows, ElementsAre("encoder 1 mean", "encoder 1 1", "encoder 1 2", "encoder 2 mean",
                                "encoder 2 1", "encoder 2 2", "decoder 1 mean", "decoder 1 1",
                                "decoder 1 2", "decoder 2 mean", "decoder 2 1", "decoder 2 2",
                                "cross 1 mean", "cross 1 1", "cross 1 2", "cross 2 mean",
                                "cross 2 1", "cross 2 2"));
  EXPECT_THAT(
      run_program({"inspect", at("recurrent"), "--source", at("source"), "--target", at("target")})
          .out,
      Not(HasSubstr("layer")));
}

// The head that was guided by links is read by default.
TEST(GuidedHead, IsReadForLinks) {
  const TempDir dir;
  const std::string once = "0-2 1-1 2-0\n0-0 1-1 2-2\n0-3 1-0 2-1 3-2\n0-1 1-0\n";
  const auto links = dir.write("links", once + once + once).string();
  const Arguments stacks =
      both(side_of("encoder", "transformer"), side_of("decoder", "transformer"));
  const Arguments guided = {"model.decoder.alignment_layer=1",
                            "training.guided_alignment={links: " + links + ", weight: 1, head: 2}"};
  const std::string model =
      test::train_tiny_model(
          dir, "model",
          both(both(stacks, guided), {"training.max_updates=80", "training.learning_rate=0.01",
                                      "training.max_epochs=0", "model.embedding=16"}))
          .string();
  const Arguments align = {"align",
                           "--model",
                           model,
                           "--source",
                           (dir / "train.src").string(),
                           "--target",
                           (dir / "train.tgt").string(),
                           "--quiet"};
  EXPECT_EQ(run_program(align).out, once + once + once);
  EXPECT_EQ(with(align, {"--layer", "1", "--head", "2"}).out, once + once + once);
  EXPECT_NE(with(align, {"--head", "1"}).out, once + once + once);
  const auto file = (dir / "translated.links").string();
  const auto source = dir.write("source", "b c d\n").string();
  ASSERT_EQ(run_program(
                {"translate", "--model", model, "--input", source, "--alignments", file, "--quiet"})
                .code,
            0);
  EXPECT_EQ(read_text(file), "0-0 1-1 2-2\n");
}

TEST(GuidedHead, MustExist) {
  const TempDir dir;
  dir.write("links", "\n");
  const auto refusal = [&](const std::string& model, const std::string& guided) {
    const auto file =
        dir.write("c.yaml", "data: {train: {source: a, target: b}, dev: {source: a, target: b}}\n" +
                                model + "training: {guided_alignment: {" + guided + "}}\n");
    const Ended ended = run_program({"train", file.string(), "--dry-run"});
    EXPECT_EQ(ended.code, 2);
    return ended.err;
  };
  EXPECT_THAT(refusal("", "links: links, head: 1"),
              AllOf(HasSubstr("training.guided_alignment.head"), HasSubstr("has a single head")));
  EXPECT_THAT(refusal("model: {decoder: {type: transformer, heads: 4}}\n", "links: links, head: 5"),
              HasSubstr("has 4 heads"));
  EXPECT_THAT(refusal("model: {attention: {heads: 2}}\n", "head: 2"),
              HasSubstr("and there are none"));
}

/// Every encoder with every decoder: each method and kind works or is refused with a reason.
struct ProductOfSides {
  std::string encoder;
  std::string decoder;
};

void PrintTo(const ProductOfSides& product, std::ostream* out) {
  *out << product.encoder << "_" << product.decoder;
}

std::vector<ProductOfSides> products_of_sides() {
  std::vector<ProductOfSides> all;
  for (const char* encoder : {"recurrent", "self", "transformer"}) {
    for (const char* decoder : {"recurrent", "none", "transformer", "ssru"})
      all.push_back({encoder, decoder});
  }
  return all;
}

class AttentionOfProducts : public testing::TestWithParam<ProductOfSides> {};

TEST_P(AttentionOfProducts, IsShownOrRefused) {
  const TempDir dir;
  const auto& [encoder, decoder] = GetParam();
  const Arguments sides = both(side_of("encoder", encoder), side_of("decoder", decoder));
  const std::string model = test::train_tiny_model(dir, "model", sides).string();
  const auto source = dir.write("source", "a b c\n\nd a\n").string();
  const auto target = dir.write("target", "w x y\n\nz\n").string();
  const Arguments align = {"align",    "--model", model,      "--source", source,
                           "--target", target,    "--format", "jsonl",    "--quiet"};
  const bool attends = decoder != "none";
  EXPECT_EQ(with(align, {"--method", "saliency"}).code, 0);
  EXPECT_EQ(with(align, {"--method", "posterior"}).code, attends ? 0 : 2);
  std::map<std::string, bool> there = {{"encoder", encoder != "recurrent"},
                                       {"decoder", decoder == "transformer"},
                                       {"cross", attends}};
  const std::string file = (dir / "a.jsonl").string();
  for (const char* precision : {"f32", attend::test::low_precision()}) {
    const Ended all =
        run_program({"translate", "--model", model, "--input", source, "--attention", file,
                     "--attention-kinds", "all", "--quiet", "--precision", precision});
    const bool any = there["encoder"] || there["decoder"] || there["cross"];
    ASSERT_EQ(all.code, any ? 0 : 2) << all.err;
    if (!any) continue;
    const JsonValue first = records_in(read_text(file))[0];
    for (const auto& [kind, is_there] : there) EXPECT_EQ(first["kinds"].contains(kind), is_there);
    EXPECT_FALSE(records_in(read_text(file))[1].contains("kinds")) << "an empty line has none";
  }
  for (const auto& [kind, is_there] : there) {
    const Ended ended = with(align, {"--attention-kinds", kind});
    EXPECT_EQ(ended.code, is_there ? 0 : 2) << ended.err;
    if (!is_there) continue;
    EXPECT_THAT(records_in(ended.out)[1]["kinds"][kind]["layers"][0][0], SizeIs(1));
  }
}

INSTANTIATE_TEST_SUITE_P(All, AttentionOfProducts, testing::ValuesIn(products_of_sides()),
                         [](const auto& test_case) {
                           return test_case.param.encoder + "_" + test_case.param.decoder;
                         });

}  // namespace
}  // namespace attend::cli
