// Tests the whole server over a socket, with a tiny model.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "core/file.h"
#include "server/server.h"
#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/server/client.h"
#include "tests/server/spoil.h"
#include "tests/support/tested_device.h"

namespace attend::server {
namespace {

using nlohmann::json;
using test::Client;
using test::Reply;
using testing::AllOf;
using testing::Contains;
using testing::DoubleNear;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> kLines = {"a b c", "b", "d c b a", "", "c c c c c", "a zzz b"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class ApiTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    model_.make();
    models_ = std::make_unique<ServedModels>(std::vector{"en-de=" + model_.path()}, std::nullopt,
                                             attend::test::tested_device());
  }
  static void TearDownTestSuite() {
    models_.reset();
    model_.clear();
  }

  ApiTest() { start({}); }
  ~ApiTest() override { stop(); }

  void start(ServerOptions options, ServedModels& models = *models_) {
    options.port = 0;
    if (options.runs.empty()) options.runs = std::filesystem::path(model_.path()).parent_path();
    options.shows_training_text = shows_training_text_;
    options.batch.threads = 2;
    server_ = std::make_unique<Server>(models, options);
    thread_ = std::thread([this] { server_->run(); });
  }
  void stop() {
    if (server_) server_->stop();
    if (thread_.joinable()) thread_.join();
    server_.reset();
  }

  [[nodiscard]] Reply post(const std::string& path, const json& body) const {
    return Client(server_->port()).post(path, body.dump(), "Content-Type: application/json\r\n");
  }
  [[nodiscard]] json answer(const std::string& path, const json& body) const {
    const Reply reply = post(path, body);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  }
  [[nodiscard]] json get(const std::string& path) const {
    const Reply reply = Client(server_->port()).get(path);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  }
  [[nodiscard]] json best(const json& body) const {
    return answer("/v1/translate", body)["translations"][0]["hypotheses"][0];
  }
  /// Translations of `lines` by `attend translate`.
  [[nodiscard]] static std::vector<std::string> translate(const std::vector<std::string>& lines,
                                                          std::vector<std::string> options = {}) {
    const attend::test::TempDir dir;
    std::ofstream file(dir / "in");
    for (const std::string& line : lines) file << line << '\n';
    file.close();
    std::vector<std::string> arguments = {
        "translate",           "--model",  model_.path(),          "--input",
        (dir / "in").string(), "--output", (dir / "out").string(), "--quiet"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto ended = cli::test::run_program(arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return lines_of(read_file(dir / "out"));
  }

  [[nodiscard]] uint16_t port() const { return server_->port(); }

  static cli::test::SuiteModel model_;
  bool shows_training_text_ = true;

 private:
  static std::unique_ptr<ServedModels> models_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

cli::test::SuiteModel ApiTest::model_;
std::unique_ptr<ServedModels> ApiTest::models_;

TEST_F(ApiTest, AnswersLikeTheTranslateCommand) {
  const auto expected = translate(kLines);
  const json all = answer("/v1/translate", {{"q", kLines}})["translations"];
  ASSERT_EQ(all.size(), kLines.size());
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    EXPECT_EQ(all[i]["hypotheses"][0]["text"], expected[i]) << kLines[i];
    EXPECT_EQ(best({{"q", kLines[i]}})["text"], expected[i]) << kLines[i];
  }
}

TEST_F(ApiTest, AnswersConcurrentRequestsTheSame) {
  const auto expected = translate(kLines);
  std::vector<std::thread> threads;
  std::vector<std::string> wrong(16);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      Client client(port());
      for (std::size_t i = 0; i < 60; ++i) {
        const std::size_t line = (i + t) % kLines.size();
        const Reply reply = client.post("/v1/translate", json{{"q", kLines[line]}}.dump());
        const json body = json::parse(reply.body, nullptr, false);
        if (reply.status != 200 ||
            body["translations"][0]["hypotheses"][0]["text"] != expected[line])
          wrong[t] += kLines[line] + "; ";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& lines : wrong) EXPECT_EQ(lines, "");
}

TEST_F(ApiTest, ReturnsTheNBestListOfTranslateWithScores) {
  const auto expected = translate({"a b c"}, {"--n-best", "3", "--beam", "4"});
  const json found =
      answer("/v1/translate", {{"q", "a b c"}, {"n_best", 3}, {"beam", 4}})["translations"][0];
  ASSERT_EQ(found["hypotheses"].size(), 3);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_THAT(expected[i], HasSubstr(found["hypotheses"][i]["text"].get<std::string>()));
}

TEST_F(ApiTest, BeginsWithThePrefixOrThePrefixPieces) {
  const std::string word = best({{"q", "a b"}})["text"].get<std::string>().substr(0, 1);
  const std::string other = word == "x" ? "y" : "x";
  EXPECT_TRUE(
      best({{"q", "a b"}, {"prefix", other}})["text"].get<std::string>().starts_with(other));
  const json pieces = best({{"q", "a b"}, {"prefix", other}})["pieces"];
  const json same = best({{"q", "a b"}, {"prefix_pieces", {pieces[0]}}});
  EXPECT_EQ(same["pieces"][0], pieces[0]);
}

TEST_F(ApiTest, EndsAtAnEndSymbolInThePrefixPieces) {
  const json pieces = best({{"q", "a b"}, {"prefix", "x y"}})["pieces"];
  const json ended = best({{"q", "a b"}, {"prefix_pieces", {pieces[0], "</s>"}}});
  EXPECT_EQ(ended["text"], "x");
  EXPECT_TRUE(ended["finished"]);
}

TEST_F(ApiTest, ForcedAttentionChangesThePosition) {
  const json forced = best({{"q", "a b c"},
                            {"alternatives", 3},
                            {"attention", "piece"},
                            {"force_attention", {{{"position", 0}, {"source", 1}}}}});
  EXPECT_EQ(forced["attention"]["weights"][0], json({0.0, 1.0, 0.0, 0.0}));
  double log_prob = 0.0;
  for (const json& one : forced["log_probs"]) log_prob += one.get<double>();
  EXPECT_NEAR(log_prob, forced["log_prob"].get<double>(), 1e-4);
  EXPECT_NE(log_prob, best({{"q", "a b c"}})["log_prob"].get<double>());
  EXPECT_EQ(
      post("/v1/translate", {{"q", "a"}, {"force_attention", {{{"position", 0}, {"source", 2}}}}})
          .status,
      400);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST_F(ApiTest, LeavesOutForbiddenWords) {
  const json longest = {{"q", "a b c"}, {"length_penalty", 10.0}};
  const auto words = words_of(best(longest)["text"]);
  ASSERT_THAT(words, Contains("y"));
  json without = longest;
  without["forbid"] = {"y"};
  EXPECT_THAT(words_of(best(without)["text"]), Not(Contains("y")));
}

TEST_F(ApiTest, ContainsConstraintsInEveryHypothesis) {
  const json found = answer("/v1/translate", {{"q", {"a b c", "", "d"}},
                                              {"beam", 5},
                                              {"n_best", 3},
                                              {"constraints", {"z z", {"w w w", "y y y"}}}});
  for (const std::size_t i : {0U, 2U}) {
    ASSERT_EQ(found["translations"][i]["hypotheses"].size(), 3);
    for (const json& hypothesis : found["translations"][i]["hypotheses"]) {
      const auto text = hypothesis["text"].get<std::string>();
      EXPECT_THAT(text, HasSubstr("z z"));
      EXPECT_THAT(text, testing::AnyOf(HasSubstr("w w w"), HasSubstr("y y y")));
    }
  }
  EXPECT_EQ(found["translations"][1]["hypotheses"][0]["text"], "");
}

TEST_F(ApiTest, ContainsTheTermsOfTheRequestsAndTheModelsGlossary) {
  const attend::test::TempDir dir;
  ServedModels models({"en-de=" + model_.path()}, std::nullopt, attend::test::tested_device());
  models.add_glossary(dir.write("terms", "b\tz z z\n").string());
  stop();
  start({}, models);
  const json found =
      answer("/v1/translate",
             {{"q", {"a", "b", "c d"}}, {"glossary", {{"a", "w w w"}, {"d", {"x x", "y y"}}}}});
  const auto text = [&found](int i) {
    return found["translations"][i]["hypotheses"][0]["text"].get<std::string>();
  };
  EXPECT_THAT(text(0), HasSubstr("w w w"));
  EXPECT_THAT(text(1), HasSubstr("z z z"));
  EXPECT_THAT(text(2), testing::AnyOf(HasSubstr("x x"), HasSubstr("y y")));
  EXPECT_EQ(post("/v1/translate", {{"q", "b"}, {"sample", json::object()}}).status, 200);
  const auto soft = post("/v1/translate", {{"q", "b"}, {"glossary_mode", "soft"}});
  EXPECT_EQ(soft.status, 400);
  EXPECT_THAT(soft.body, HasSubstr("the model was trained without data.terms"));
  const json libre = answer("/translate", {{"q", "b"}, {"source", "en"}, {"target", "de"}});
  EXPECT_THAT(libre["translatedText"].get<std::string>(), HasSubstr("z z z"));
  stop();
}

// Symptom: a glossary with symbols of placeholders or terms was taken for them.
TEST_F(ApiTest, RefusesSymbolsOfPlaceholdersAndTermsInTerms) {
  for (const json& body : {json{{"q", "a"}, {"glossary", {{"a", "x ⟦1⟧"}}}},
                           json{{"q", "a"}, {"glossary", {{"a ⟦<⟧", "x"}}}},
                           json{{"q", "a"}, {"constraints", {"⟦=⟧"}}}}) {
    const Reply reply = post("/v1/translate", body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_THAT(reply.body, HasSubstr("which stands for protected parts and terms"));
  }
}

// A model whose vocabulary has one word of each language.
TEST_F(ApiTest, CopiesUnknownWordsOnRequest) {
  const attend::test::TempDir dir;
  const auto folder = cli::test::train_tiny_model(
      dir, "model", {"tokenizer.vocabulary=5", "data.max_unknown=1", "training.max_updates=40"});
  ServedModels models({folder.string()}, std::nullopt, attend::test::tested_device());
  stop();
  start({}, models);
  EXPECT_THAT(best({{"q", "a b c"}})["text"].get<std::string>(), testing::Not(HasSubstr("b")));
  EXPECT_THAT(best({{"q", "a b c"}, {"copy_unknown", true}})["text"].get<std::string>(),
              HasSubstr("b"));
  const Reply wrong = post("/v1/translate", {{"q", "a"}, {"copy_unknown", 1}});
  EXPECT_EQ(wrong.status, 400);
  EXPECT_THAT(wrong.body, HasSubstr("copy_unknown"));
  stop();
}

// Symptom: /v1/explain read the text without the terms and placeholders of the translation.
TEST_F(ApiTest, ExplainsWithTheTermsAndPlaceholdersThatTheModelReads) {
  const attend::test::TempDir dir;
  std::string links;
  for (int i = 0; i < 3; ++i) links += "0-0 1-1\n1-1\n0-0 1-1 2-2 3-3\n\n";
  const auto folder = cli::test::train_tiny_model(
      dir, "model",
      {"tokenizer.type=char", "tokenizer.vocabulary=60", "tokenizer.joint=true",
       "data.max_length=60", "data.protect.kinds=numbers", "data.terms.share=1",
       "data.terms.links=" + dir.write("links", links).string()});
  ServedModels models({folder.string()}, std::nullopt, attend::test::tested_device());
  stop();
  start({}, models);
  const auto probability = [&](json body) {
    body["pieces"] = {"▁"};
    return answer("/v1/explain", body)["probability"].get<double>();
  };
  const double plain = probability({{"source", "a b"}});
  const json glossary = {{"a", "z"}};
  EXPECT_EQ(probability({{"source", "a b"}, {"glossary", glossary}}), plain) << "hard";
  const json soft = {{"source", "a b"}, {"glossary", glossary}, {"glossary_mode", "soft"}};
  EXPECT_NE(probability(soft), plain);
  EXPECT_EQ(probability({{"source", "a 5"}}), probability({{"source", "a 77"}}));
  std::vector<std::string> words;
  json body = soft;
  body["pieces"] = {"▁"};
  const json found = answer("/v1/explain", body);
  for (const json& word : found["words"]) words.push_back(word["word"]);
  EXPECT_THAT(words, testing::ElementsAre("a", "b", "</s>"));
  stop();
}

TEST_F(ApiTest, RepeatsNoForbiddenNgram) {
  const auto different_words = [this](const json& query) {
    const auto words = words_of(best(query)["text"]);
    return std::set(words.begin(), words.end()).size() == words.size();
  };
  json longest = {{"q", "a b c"}, {"length_penalty", 10.0}};
  ASSERT_FALSE(different_words(longest));
  longest["no_repeat_ngram_size"] = 1;
  EXPECT_TRUE(different_words(longest));
}

TEST_F(ApiTest, ReturnsAlternativesPerPosition) {
  const json found = best({{"q", "a b c"}, {"alternatives", 3}});
  ASSERT_EQ(found["alternatives"].size(), found["pieces"].size());
  double log_prob = 0.0;
  for (std::size_t i = 0; i < found["pieces"].size(); ++i) {
    ASSERT_EQ(found["alternatives"][i].size(), 3);
    log_prob += found["log_probs"][i].get<double>();
    EXPECT_GE(found["alternatives"][i][0]["probability"].get<double>(),
              found["alternatives"][i][1]["probability"].get<double>());
    EXPECT_GT(found["entropy"][i].get<double>(), 0.0);
  }
  EXPECT_NEAR(log_prob, found["log_prob"].get<double>(), 1e-4);
}

TEST_F(ApiTest, ReturnsTheBeamAsATree) {
  const json found =
      answer("/v1/translate", {{"q", "a b c"}, {"beam", 3}, {"tree", true}})["translations"][0];
  const json& nodes = found["tree"]["nodes"];
  std::vector<double> ends;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const json& parent = nodes[nodes[i]["parent"].get<std::size_t>()];
    EXPECT_LT(nodes[i]["parent"], i);
    EXPECT_EQ(nodes[i]["step"].get<int>(), parent["step"].get<int>() + 1);
    EXPECT_LE(nodes[i]["log_prob"].get<double>(), parent["log_prob"].get<double>() + 1e-6);
    if (nodes[i]["state"] == "ended") ends.push_back(nodes[i]["log_prob"].get<double>());
  }
  EXPECT_THAT(ends, Contains(DoubleNear(found["hypotheses"][0]["log_prob"].get<double>(), 1e-5)));
}

TEST_F(ApiTest, ReturnsTheWeightsOfEachWord) {
  const json found = best({{"q", "a b c"}, {"attention", "word"}})["attention"];
  EXPECT_EQ(found["source"], json({"a", "b", "c", "</s>"}));
  for (const json& row : found["weights"]) {
    double sum = 0.0;
    for (const json& weight : row) sum += weight.get<double>();
    EXPECT_NEAR(sum, 1.0, 1e-4);
  }
}

TEST_F(ApiTest, PinsAPieceWhateverComesBefore) {
  const json free = best({{"q", "a b c"}, {"length_penalty", 10.0}});
  for (const char* piece : {"\u2581w", "\u2581z"}) {
    const json pinned = best({{"q", "a b c"},
                              {"beam", 5},
                              {"force_pieces", {{{"position", 2}, {"piece", piece}}}},
                              {"forbid", {"w", "z"}}});
    EXPECT_EQ(pinned["pieces"][2], piece) << "a pin overrides a forbidden word";
    EXPECT_NE(pinned["pieces"][0], "</s>");
    EXPECT_NE(pinned["pieces"][1], "</s>");
    EXPECT_THAT((std::vector{pinned["pieces"][0], pinned["pieces"][1]}),
                Not(Contains(testing::AnyOf("\u2581w", "\u2581z"))))
        << "the pin completes the forbidden word before it";
  }
  const std::string other = free["pieces"][0] == "\u2581w" ? "\u2581z" : "\u2581w";
  const json in_prefix = {{"q", "a b c"},
                          {"prefix_pieces", {free["pieces"][0]}},
                          {"force_pieces", {{{"position", 0}, {"piece", other}}}}};
  EXPECT_THAT(post("/v1/translate", in_prefix).body, HasSubstr("position 0 is in the prefix"));
  const json behind_the_end = {{"q", "a b c"},
                               {"prefix_pieces", {"</s>"}},
                               {"force_pieces", {{{"position", 1}, {"piece", other}}}}};
  EXPECT_THAT(post("/v1/translate", behind_the_end).body, HasSubstr("ends the translation before"));
  const json twice = {
      {"q", "a b c"},
      {"force_pieces",
       {{{"position", 1}, {"piece", "\u2581w"}}, {{"position", 1}, {"piece", "\u2581z"}}}}};
  EXPECT_THAT(post("/v1/translate", twice).body, HasSubstr("two pieces for position 1"));
}

TEST_F(ApiTest, ReturnsTheAttentionOfEveryLayerAndHead) {
  const json plain = best({{"q", "a b c"}, {"attention", "piece"}})["attention"];
  EXPECT_FALSE(plain.contains("kinds")) << "it was not requested";
  const json found =
      best({{"q", "a b c"}, {"attention", "piece"}, {"attention_kinds", "all"}})["attention"];
  ASSERT_EQ(found["kinds"]["cross"]["layers"].size(), 1);
  ASSERT_EQ(found["kinds"]["cross"]["layers"][0].size(), 1);
  const json& weights = found["kinds"]["cross"]["layers"][0][0];
  ASSERT_EQ(weights.size(), plain["weights"].size());
  for (std::size_t t = 0; t < weights.size(); ++t) {
    for (std::size_t s = 0; s < weights[t].size(); ++s)
      EXPECT_NEAR(weights[t][s].get<double>(), plain["weights"][t][s].get<double>(), 1e-5);
  }
  EXPECT_EQ(get("/v1/models")["models"][0]["attention_layers"], json({{"cross", {1}}}));
}

TEST_F(ApiTest, ReturnsTheHeadsOfAMemoryWithoutAttention) {
  const attend::test::TempDir dir;
  const std::string cell = "{cell: ntm, hidden: 6, memory: {slots: 5, width: 3}, ";
  const auto path =
      cli::test::train_tiny_model(dir, "ntm",
                                  {"model.encoder=" + cell + "bidirectional: false}",
                                   "model.decoder=" + cell + "wiring: none, bridge: copy}"});
  ServedModels models(std::vector{"ntm=" + path.string()}, std::nullopt,
                      attend::test::tested_device());
  stop();
  start({}, models);
  EXPECT_EQ(get("/v1/models")["models"][0]["attention_layers"],
            json({{"encoder_memory", {2}}, {"decoder_memory", {2}}}));
  const json found =
      best({{"q", "a b c"}, {"attention", "piece"}, {"attention_kinds", "all"}})["attention"];
  EXPECT_EQ(found["weights"], json::array());
  const json& reading = found["kinds"]["encoder_memory"]["layers"][0];
  ASSERT_EQ(reading.size(), 2) << "a write head and a read head";
  ASSERT_EQ(reading[0].size(), 4) << "a b c </s>";
  EXPECT_EQ(reading[0][0].size(), 5) << "slots";
  EXPECT_EQ(found["kinds"]["decoder_memory"]["layers"][0][0].size(), found["target"].size());
  stop();
}

TEST_F(ApiTest, ReportsAModelWithoutAttention) {
  const attend::test::TempDir dir;
  const auto path = cli::test::train_tiny_model(
      dir, "plain", {"model.encoder.bidirectional=false", "model.decoder.wiring=none"});
  ServedModels models(std::vector{"plain=" + path.string()}, std::nullopt,
                      attend::test::tested_device());
  stop();
  start({}, models);
  const Reply reply =
      post("/v1/translate", {{"q", "a"}, {"attention", "piece"}, {"attention_kinds", "all"}});
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("has none (model.decoder.wiring: none)"));
  EXPECT_THAT(post("/v1/explain", {{"source", "a"}, {"pieces", {"▁x"}}}).body,
              HasSubstr("explain needs attention"));
  stop();
}

// The training text is "a b c", "b c d", "c d a b", "d a", three times.
TEST_F(ApiTest, FindsATrainingSentenceNearestToItself) {
  const auto ask = [&](const std::string& text) {
    for (int i = 0; i < 300; ++i) {
      const Reply reply = post("/v1/nearest", {{"q", text}, {"n", 3}});
      if (reply.status != 202) return json::parse(reply.body);
      EXPECT_TRUE(json::parse(reply.body).contains("total"));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return json();
  };
  EXPECT_TRUE(get("/v1/models")["models"][0]["nearest"].get<bool>());
  const json found = ask("c d a b");
  EXPECT_EQ(found["sentences"], 12);
  EXPECT_EQ(found["of"], 12);
  ASSERT_EQ(found["nearest"].size(), 3);
  const int lines[] = {3, 7, 11};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found["nearest"][i]["line"], lines[i]);
    EXPECT_EQ(found["nearest"][i]["source"], "c d a b");
    EXPECT_EQ(found["nearest"][i]["target"], "y z w x");
    EXPECT_NEAR(found["nearest"][i]["similarity"].get<double>(), 1.0, 1e-5);
  }
  EXPECT_EQ(ask("d a")["nearest"][0]["line"], 4);
  EXPECT_EQ(post("/v1/nearest", {{"q", " "}}).status, 400);
}

TEST_F(ApiTest, ShowsTrainingTextOnlyIfAllowed) {
  stop();
  shows_training_text_ = false;
  start({});
  EXPECT_FALSE(get("/v1/models")["models"][0]["nearest"].get<bool>());
  EXPECT_EQ(post("/v1/nearest", {{"q", "a b"}}).status, 403);
}

TEST_F(ApiTest, ReportsMissingTrainingText) {
  const std::string kept = model_.path() + ".tokens";
  std::filesystem::rename(kept, kept + ".away");
  EXPECT_FALSE(get("/v1/models")["models"][0]["nearest"].get<bool>());
  const Reply reply = post("/v1/nearest", {{"q", "a b"}});
  EXPECT_EQ(reply.status, 404);
  EXPECT_THAT(reply.body, HasSubstr("model.tokens"));
  std::filesystem::rename(kept + ".away", kept);
}

TEST_F(ApiTest, ReportsAChangedTrainingText) {
  const std::string kept = model_.path() + ".tokens";
  std::filesystem::rename(kept, kept + ".away");
  std::ofstream(kept) << "another text";
  for (int call = 0; call < 2; ++call) {
    Reply reply = post("/v1/nearest", {{"q", "a b"}});
    for (int i = 0; i < 300 && reply.status == 202; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      reply = post("/v1/nearest", {{"q", "a b"}});
    }
    EXPECT_EQ(reply.status, 409) << "call " << call;
    EXPECT_FALSE(get("/v1/models")["models"][0]["nearest"].get<bool>());
  }
  std::filesystem::rename(kept + ".away", kept);
}

TEST_F(ApiTest, StreamsStepsAsEvents) {
  Client client(port());
  const std::string body = json{{"q", "a b c"}, {"stream", true}}.dump();
  client.send("POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + body);
  const std::string all = client.receive_all();
  EXPECT_THAT(all, HasSubstr("event: step\ndata: {\"position\":1,"));
  const std::size_t done = all.find("event: done\ndata: ");
  ASSERT_NE(done, std::string::npos) << all;
  EXPECT_EQ(json::parse(all.substr(done + 18)), answer("/v1/translate", {{"q", "a b c"}}));
}

// The requests of the guide at https://docs.libretranslate.com.
TEST_F(ApiTest, AcceptsRequestsOfLibreTranslateClients) {
  const auto expected = translate({"a b", "c"});
  const json one = answer(
      "/translate",
      {{"q", "a b"}, {"source", "en"}, {"target", "de"}, {"format", "text"}, {"api_key", ""}});
  EXPECT_EQ(one, json({{"translatedText", expected[0]}}));
  const json detected = answer("/translate", {{"q", "a b"}, {"source", "auto"}, {"target", "de"}});
  EXPECT_EQ(detected["detectedLanguage"]["language"], "en");
  EXPECT_GT(detected["detectedLanguage"]["confidence"], 90);
  const json list = answer("/translate", {{"q", {"a b", "c"}}, {"source", "en"}, {"target", "de"}});
  EXPECT_EQ(list["translatedText"], json(expected));
  const json others =
      answer("/translate", {{"q", "a b"}, {"source", "en"}, {"target", "de"}, {"alternatives", 2}});
  EXPECT_EQ(others["alternatives"].size(), 2);
  // Clients also look for the code of the target language here.
  EXPECT_EQ(get("/languages"),
            json::array({{{"code", "de"}, {"name", "de"}, {"targets", json::array()}},
                         {{"code", "en"}, {"name", "en"}, {"targets", {"de"}}}}));
  // As called by the npm package libretranslate 1.0.1.
  EXPECT_EQ(
      answer("/translate", {{"q", "a b"}, {"source", "en"}, {"target", "de"}, {"apiKey", ""}}),
      json({{"translatedText", expected[0]}}));
  const Reply form = Client(port()).post("/translate", "q=a+b&source=en&target=de",
                                         "Content-Type: application/x-www-form-urlencoded\r\n");
  EXPECT_EQ(json::parse(form.body)["translatedText"], expected[0]);
  const Reply wrong = post("/translate", {{"q", "a"}, {"source", "en"}, {"target", "fr"}});
  EXPECT_EQ(wrong.status, 400);
  EXPECT_TRUE(json::parse(wrong.body)["error"].is_string());
}

// Regression: every text was "detected" as the source language of the first model.
TEST_F(ApiTest, DetectsLanguagesByTheTrainingTextsOfItsModels) {
  const auto detected = [&](const std::string& text) {
    json languages = json::array();
    for (const json& found : answer("/detect", {{"q", text}}))
      languages.push_back(found["language"]);
    return languages;
  };
  EXPECT_EQ(detected("b c d a"), json({"en", "de"}));
  EXPECT_EQ(detected("x y z w"), json({"de", "en"}));
  EXPECT_EQ(detected("двое мужчин"), json::array());
  EXPECT_EQ(detected(""), json::array());
  EXPECT_EQ(post("/detect", {{"text", "a"}}).status, 400);
  // No model translates from German, so the text goes to the only model.
  for (const std::string text : {"x y z w", "двое мужчин", ""}) {
    const json found = answer("/translate", {{"q", text}, {"source", "auto"}, {"target", "de"}});
    EXPECT_FALSE(found.contains("detectedLanguage")) << text;
    EXPECT_TRUE(found["translatedText"].is_string()) << text;
  }
}

// Regression: the first model for the target language took every text.
TEST_F(ApiTest, TranslatesFromTheLanguageThatItDetects) {
  const attend::test::TempDir dir;
  const auto french = dir.write("fr",
                                "k l m\nl m n\nm n k l\nn k\nk l m\nl m n\nm n k l\nn k\n"
                                "k l m\nl m n\nm n k l\nn k\n");
  const auto third =
      cli::test::train_tiny_model(dir, "third", {"data.train.source=" + french.string()});
  ServedModels two({"fr-de=" + third.string(), "en-de=" + model_.path()}, std::nullopt,
                   attend::test::tested_device());
  stop();
  start({}, two);
  const auto ask = [&](const std::string& text, const std::string& source) {
    return answer("/translate", {{"q", text}, {"source", source}, {"target", "de"}});
  };
  for (const auto& [text, language] : {std::pair{"b c d a", "en"}, {"l m n k", "fr"}}) {
    const json found = ask(text, "auto");
    EXPECT_EQ(found["detectedLanguage"]["language"], language);
    EXPECT_EQ(found["translatedText"], ask(text, language)["translatedText"]);
  }
  stop();
}

// Regression: line feeds became blanks, and the lines one sentence.
TEST_F(ApiTest, TranslatesTheLinesOfALibreTranslateTextOneByOne) {
  const auto expected = translate({"a b", "c d", "d a"});
  const auto of = [&](const json& q, int alternatives) {
    return answer("/translate",
                  {{"q", q}, {"source", "en"}, {"target", "de"}, {"alternatives", alternatives}});
  };
  EXPECT_EQ(of("a b\n\nc d\r\nd a\n", 0)["translatedText"],
            expected[0] + "\n\n" + expected[1] + "\r\n" + expected[2] + "\n");
  EXPECT_EQ(of("\n", 0)["translatedText"], "\n");
  EXPECT_EQ(of({"a b\nd a", "c d"}, 0)["translatedText"],
            json({expected[0] + "\n" + expected[2], expected[1]}));
  const json one = of("a b", 2)["alternatives"], other = of("c d", 2)["alternatives"];
  ASSERT_EQ(one.size(), 2);
  EXPECT_EQ(of("a b\n\nc d", 2)["alternatives"],
            json({one[0].get<std::string>() + "\n\n" + other[0].get<std::string>(),
                  one[1].get<std::string>() + "\n\n" + other[1].get<std::string>()}));
  std::string many_lines;
  for (int i = 0; i < 1001; ++i) many_lines += "a\n";
  const Reply many = post("/translate", {{"q", many_lines}, {"source", "en"}, {"target", "de"}});
  EXPECT_EQ(many.status, 400);
  EXPECT_THAT(many.body, HasSubstr("more than 1000 texts or sentences"));
}

TEST_F(ApiTest, TranslatesLibreTranslateTextsAsDocuments) {
  const auto expected = translate({"a b", "c d .", "d a !"});
  const json found = answer(
      "/translate", {{"q", "# a b\n\n  - c d . d a !  \n---"}, {"source", "en"}, {"target", "de"}});
  EXPECT_EQ(found["translatedText"],
            "# " + expected[0] + "\n\n  - " + expected[1] + " " + expected[2] + "  \n---");
}

TEST_F(ApiTest, KeepsTheTagsOfHtmlOfLibreTranslateClients) {
  const auto expected = translate({"a b", "c d .", "d a !"});
  const json found =
      answer("/translate", {{"q", "<h1>a b</h1>\n<!-- a\nb --><p>c d . <b>d a !</b></p>"},
                            {"source", "en"},
                            {"target", "de"},
                            {"format", "html"}});
  EXPECT_EQ(found["translatedText"], "<h1>" + expected[0] + "</h1>\n<!-- a\nb --><p>" +
                                         expected[1] + " <b>" + expected[2] + "</b></p>");
  const json list = answer("/translate", {{"q", {"<br>", "<i>a b</i>"}},
                                          {"source", "en"},
                                          {"target", "de"},
                                          {"format", "html"},
                                          {"alternatives", 1}});
  EXPECT_EQ(list["translatedText"], json({"<br>", "<i>" + expected[0] + "</i>"}));
  EXPECT_EQ(list["alternatives"][1].size(), 1);
}

TEST_F(ApiTest, KeepsTheTagsOfTextsWithMarkup) {
  const auto expected = translate({"a b", "c"});
  const json found =
      answer("/v1/translate",
             {{"q", {"<td>a b</td><td>c</td>", "<br>"}}, {"markup", "html"}, {"n_best", 2}});
  const json& first = found["translations"][0];
  EXPECT_EQ(first["source"]["text"], "<td>a b</td><td>c</td>");
  EXPECT_EQ(first["hypotheses"].size(), 2);
  EXPECT_EQ(first["hypotheses"][0]["text"],
            "<td>" + expected[0] + "</td><td>" + expected[1] + "</td>");
  EXPECT_LE(first["hypotheses"][1]["score"], first["hypotheses"][0]["score"]);
  EXPECT_EQ(found["translations"][1]["hypotheses"][0]["text"], "<br>");
  const json forced = answer("/v1/translate", {{"q", "# **a b**"},
                                               {"markup", "markdown"},
                                               {"constraints", {"w"}},
                                               {"glossary", {{"a b", "z"}}}});
  EXPECT_THAT(forced["translations"][0]["hypotheses"][0]["text"].get<std::string>(),
              AllOf(StartsWith("# **"), EndsWith("**"), HasSubstr("w"), HasSubstr("z")));
}

TEST_F(ApiTest, RefusesWhatMarkupExcludes) {
  const auto refused = [&](json body) {
    if (!body.contains("markup")) body["markup"] = "html";
    const Reply reply = post("/v1/translate", body);
    EXPECT_EQ(reply.status, 400) << body;
    return reply.body;
  };
  EXPECT_THAT(refused({{"q", "a"}, {"attention", "word"}}), HasSubstr("excludes"));
  EXPECT_THAT(refused({{"q", "a"}, {"tree", true}}), HasSubstr("excludes"));
  EXPECT_THAT(refused({{"q", "a"}, {"prefix", "w"}}), HasSubstr("excludes"));
  EXPECT_THAT(refused({{"q", "a<br>b"}, {"constraints", {"w"}}}), HasSubstr("2 parts"));
  EXPECT_THAT(refused({{"q", "a"}, {"markup", "rtf"}}), HasSubstr("\\\"markup\\\""));
}

TEST_F(ApiTest, TranslatesDocumentsSentenceBySentence) {
  const auto expected = translate({"Aa bb.", "Cc dd.", "b"});
  const json found =
      answer("/v1/translate",
             {{"q", {"- Aa bb. Cc dd.\r\n\n  b\n", ""}}, {"document", true}, {"n_best", 2}});
  const json& text = found["translations"][0];
  EXPECT_EQ(text["source"]["text"], "- Aa bb. Cc dd.\r\n\n  b\n");
  EXPECT_EQ(text["hypotheses"].size(), 2);
  EXPECT_EQ(text["hypotheses"][0]["text"],
            "- " + expected[0] + " " + expected[1] + "\r\n\n  " + expected[2] + "\n");
  ASSERT_EQ(text["sentences"].size(), 3);
  EXPECT_EQ(text["sentences"][1]["source"], "Cc dd.");
  EXPECT_EQ(text["sentences"][1]["text"], expected[1]);
  double sum = 0.0;
  for (const json& sentence : text["sentences"]) sum += sentence["log_prob"].get<double>();
  EXPECT_NEAR(sum, text["hypotheses"][0]["log_prob"].get<double>(), 1e-9);
  EXPECT_EQ(found["translations"][1]["hypotheses"][0]["text"], "");
}

TEST_F(ApiTest, KeepsTheTagsOfDocuments) {
  const auto expected = translate({"Aa bb.", "Cc dd."});
  const json found =
      answer("/v1/translate",
             {{"q", "<p>Aa bb. Cc dd.</p>\n<br>"}, {"document", true}, {"markup", "html"}});
  EXPECT_EQ(found["translations"][0]["hypotheses"][0]["text"],
            "<p>" + expected[0] + " " + expected[1] + "</p>\n<br>");
  EXPECT_EQ(found["translations"][0]["sentences"].size(), 2);
}

TEST_F(ApiTest, RefusesWhatDocumentsExclude) {
  const auto refused = [&](json body) {
    body["document"] = true;
    const Reply reply = post("/v1/translate", body);
    EXPECT_EQ(reply.status, 400) << body;
    return reply.body;
  };
  EXPECT_THAT(refused({{"q", "a"}, {"attention", "word"}}),
              AllOf(HasSubstr("\\\"document\\\" cuts texts"), Not(HasSubstr("stream"))));
  EXPECT_THAT(refused({{"q", "Aa bb. Cc dd."}, {"constraints", {"w"}}}), HasSubstr("2 parts"));
  EXPECT_THAT(refused({{"q", {"a", "b"}}, {"stream", true}}), HasSubstr("only one text"));
  std::string many;
  for (int i = 0; i <= 1000; ++i) many += "a\n";
  EXPECT_EQ(post("/v1/translate", {{"q", many}, {"document", true}}).status, 400);
}

TEST_F(ApiTest, RefusesTextsOfVeryManyLines) {
  const json body = {{"q", std::string(20'000, '\n')}, {"document", true}};
  const Reply reply = post("/v1/translate", body);
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("at most 20000 lines"));
}

// The first sentence does not wait for the last one.
TEST_F(ApiTest, StreamsTheSentencesOfADocument) {
  const auto events_of = [this](const std::string& q) {
    Client client(port());
    const std::string body = json{{"q", q}, {"document", true}, {"stream", true}}.dump();
    client.send("POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    std::vector<std::pair<std::string, json>> events;
    std::string name;
    for (const std::string& line : lines_of(client.receive_all())) {
      if (line.starts_with("event: ")) name = line.substr(7);
      if (line.starts_with("data: ")) events.emplace_back(name, json::parse(line.substr(6)));
    }
    return events;
  };
  if (!attend::test::tested_device().is_cpu())
    GTEST_SKIP() << "a result depends on the other sentences of its batch";
  std::string text;
  for (int i = 0; i < 20; ++i) text += i % 7 == 3 ? "\n" : "a b c\n";
  const json whole = answer("/v1/translate", {{"q", text}, {"document", true}});
  const json& sentences = whole["translations"][0]["sentences"];
  const auto events = events_of(text);
  ASSERT_EQ(events.size(), sentences.size() + 1);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    EXPECT_EQ(events[i].first, "sentence");
    EXPECT_EQ(events[i].second["position"], i);
    EXPECT_EQ(events[i].second["of"], sentences.size());
    EXPECT_EQ(events[i].second["text"], sentences[i]["text"]);
  }
  EXPECT_EQ(events.back(), std::pair(std::string("done"), whole));
  const auto none = events_of("\n\n");
  ASSERT_EQ(none.size(), 1);
  EXPECT_EQ(none.front().second["translations"][0]["hypotheses"][0]["text"], "\n\n");
}

// Regression: 60 sentences came back as a short one.
TEST_F(ApiTest, CutsLongSentencesOfLibreTranslateClients) {
  const std::string most = "a b c d a b c d a b c d";  // data.max_length is 12
  const auto expected = translate({most, "b c"});
  const json found =
      answer("/translate", {{"q", most + " b c"}, {"source", "en"}, {"target", "de"}});
  EXPECT_EQ(found, json({{"translatedText", expected[0] + " " + expected[1]}}));
}

TEST_F(ApiTest, ReportsDroppedPiecesOfSeveralSourcesToLibreTranslateClients) {
  const attend::test::TempDir dir;
  const std::string text = dir.write("text", "a b c\nb c d\nc d a b\nd a\n").string();
  const std::string target = dir.write("target", "w x y\nx y z\ny z w x\nz w\n").string();
  const auto both =
      cli::test::train_tiny_model(dir, "both",
                                  {"data.train.source={\"to\":" + text + ",\"fro\":" + text + "}",
                                   "data.train.target=" + target});
  ServedModels two({"en-de=" + both.string()}, std::nullopt, attend::test::tested_device());
  stop();
  start({}, two);
  std::string line = "b\ta";
  for (int i = 0; i < 13; ++i) line += " a";  // data.max_length is 12
  const auto of = [&](const json& q) {
    return answer("/translate", {{"q", q}, {"source", "en"}, {"target", "de"}});
  };
  EXPECT_EQ(of(line + "\na\ta\n" + line)["dropped"], 4);
  EXPECT_EQ(of({"a\ta", line})["dropped"], json({0, 2}));
  EXPECT_EQ(of({"a\ta", line})["dropped_more"], json({false, false}));
  EXPECT_FALSE(of("a\tb").contains("dropped"));
  stop();
}

TEST_F(ApiTest, AcceptsMultipartFormsOfLibreTranslateClients) {
  const auto part = [](const std::string& name, const std::string& value) {
    return "--X\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
  };
  const std::string form = part("q", "a b\nc") + part("source", "en") + part("target", "de") +
                           part("alternatives", "1") + "--X--\r\n";
  const std::string type = "Content-Type: multipart/form-data; boundary=X\r\n";
  const Reply reply = Client(port()).post("/translate", form, type);
  ASSERT_EQ(reply.status, 200) << reply.body;
  const auto expected = translate({"a b", "c"});
  EXPECT_EQ(json::parse(reply.body)["translatedText"], expected[0] + "\n" + expected[1]);
  EXPECT_EQ(json::parse(reply.body)["alternatives"].size(), 1);
  const Reply cut = Client(port()).post("/translate", form.substr(0, 50), type);
  EXPECT_EQ(cut.status, 400);
  EXPECT_THAT(cut.body, HasSubstr("not a form"));
}

// Regression: two models for one pair of languages listed its target twice.
TEST_F(ApiTest, ListsEachTargetLanguageOnce) {
  ServedModels two({"en-de=" + model_.path(), "de-en=" + model_.path()}, std::nullopt,
                   attend::test::tested_device());
  for (const auto& model : two.all()) {
    model->source_language = "en";
    model->target_language = "de";
  }
  stop();
  start({}, two);
  EXPECT_EQ(get("/languages"),
            json::array({{{"code", "de"}, {"name", "de"}, {"targets", json::array()}},
                         {{"code", "en"}, {"name", "en"}, {"targets", {"de"}}}}));
  stop();
}

// Regression: a request of 2 KB made an answer of 700 MB.
TEST_F(ApiTest, RefusesAnswersThatTakeTooMuchMemory) {
  const auto refusal = [&](json body) {
    body["beam"] = 100;
    const Reply reply = post("/v1/translate", body);
    EXPECT_EQ(reply.status, 400) << reply.body.substr(0, 200);
    return json::parse(reply.body)["error"].value("message", "");
  };
  // 8 texts have 800 hypotheses of at most 12 * 10 + 10 pieces and the end symbol, with 50
  // alternatives of 450 bytes each, and 400 bytes for the piece: 2,289 MB.
  std::string longest = "a";
  for (int i = 1; i < 12; ++i) longest += " a";
  const json eight = std::vector<std::string>(8, longest);
  EXPECT_THAT(
      refusal({{"q", eight}, {"n_best", 100}, {"alternatives", 50}, {"max_length_ratio", 10}}),
      testing::StartsWith("the answer could take 2289 MB, more than 384 MB"));
  const json many = std::vector<std::string>(200, longest);
  EXPECT_THAT(
      refusal({{"q", many}, {"n_best", 100}, {"attention", "piece"}, {"max_length_ratio", 10}}),
      HasSubstr("split the request"));
  json one = {{"q", longest},         {"beam", 100},        {"n_best", 100},
              {"attention", "piece"}, {"alternatives", 40}, {"max_length_ratio", 10}};
  EXPECT_EQ(post("/v1/translate", one).status, 200);
  one["attention_kinds"] = "all";
  EXPECT_THAT(refusal(one), HasSubstr("split the request"));
  EXPECT_EQ(post("/v1/translate", {{"q", many}, {"attention", "word"}, {"alternatives", 5}}).status,
            200);
}

TEST_F(ApiTest, ScoresAndAlignsLikeTheCommands) {
  const attend::test::TempDir dir;
  std::ofstream(dir / "s") << "a b c\n";
  std::ofstream(dir / "t") << "x y\n";
  const auto run = [&](const std::string& command) {
    return cli::test::run_program({command, "--model", model_.path(), "--source",
                                   (dir / "s").string(), "--target", (dir / "t").string(),
                                   "--quiet"})
        .out;
  };
  const json pair = {{"source", "a b c"}, {"target", "x y"}};
  EXPECT_NEAR(answer("/v1/score", pair)["log_prob"].get<double>(), std::stod(run("score")), 1e-5);
  std::string links;
  const json aligned = answer("/v1/align", pair);
  for (const json& link : aligned["links"])
    links += fmt::format("{}{}-{}", links.empty() ? "" : " ", link[0].dump(), link[1].dump());
  EXPECT_EQ(links + "\n", run("align"));
}

// Regression: the server read the mean of the heads.
TEST_F(ApiTest, AlignsByTheHeadThatTrainingGuided) {
  const attend::test::TempDir dir;
  const auto links = dir.write("links", std::string(12, '\n')).string();
  const auto path = cli::test::train_tiny_model(
      dir, "guided",
      {"model.attention.heads=2", "training.guided_alignment={links: " + links + ", head: 2}"});
  const std::string source = dir.write("s", "a b c\n").string();
  const std::string target = dir.write("t", "x y\n").string();
  const auto weights_of = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"align", "--model",  path.string(), "--source",
                                          source,  "--target", target,        "--format",
                                          "jsonl", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ended = cli::test::run_program(arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return json::parse(ended.out)["attention"];
  };
  ServedModels models({"guided=" + path.string()}, std::nullopt, attend::test::tested_device());
  stop();
  start({}, models);
  const json found = answer("/v1/align", {{"source", "a b c"}, {"target", "x y"}})["weights"];
  const json expected = weights_of({});
  ASSERT_NE(expected, weights_of({"--head", "mean"}));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t t = 0; t < found.size(); ++t) {
    for (std::size_t s = 0; s < found[t].size(); ++s)
      EXPECT_NEAR(found[t][s].get<double>(), expected[t][s].get<double>(), 1e-4);
  }
  stop();
}

// Regression: "all" was answered without any, and names were refused with "choices: all".
TEST_F(ApiTest, RefusesKindsOfAModelThatWritesFromTheEnd) {
  const attend::test::TempDir dir;
  const auto path = cli::test::train_tiny_model(dir, "turned", {"data.reverse_target=true"});
  ServedModels models({"turned=" + path.string()}, std::nullopt, attend::test::tested_device());
  stop();
  start({}, models);
  for (const char* kind : {"all", "cross"}) {
    const Reply reply =
        post("/v1/translate", {{"q", "a"}, {"attention", "piece"}, {"attention_kinds", kind}});
    EXPECT_EQ(reply.status, 400);
    EXPECT_THAT(reply.body, HasSubstr("data.reverse_target")) << kind;
  }
  stop();
}

// The other routes are the second implementation: align of attention and saliency, score of the
// source without a word, and translate with forced attention.
TEST_F(ApiTest, ExplainsAPieceAsTheOtherRoutesDo) {
  const json body = {{"source", "a b c"}, {"pieces", {"▁x", "▁w", "</s>"}}, {"position", 1}};
  const json found = answer("/v1/explain", body);
  const std::size_t t = 1;
  const json pair = {{"source", "a b c"}, {"target", "x w"}};
  const auto row = [&](const char* method) {
    json asked = pair;
    asked["method"] = method;
    return answer("/v1/align", asked)["weights"][t];
  };
  const auto probability = [&](const std::string& source) {
    const json score = answer("/v1/score", {{"source", source}, {"target", "x w"}});
    return std::exp(score["log_probs"][t].get<double>());
  };
  const json attention = row("attention"), saliency = row("saliency");
  EXPECT_EQ(found["piece"], "▁w");
  const double before = found["probability"];
  EXPECT_NEAR(before, probability("a b c"), 1e-6);
  ASSERT_EQ(found["words"].size(), 4) << "a b c </s>";
  const std::vector<std::string> without = {"b c", "a c", "a b"};
  for (std::size_t s = 0; s < 4; ++s) {
    const json& word = found["words"][s];
    EXPECT_NEAR(word["attention"].get<double>(), attention[s].get<double>(), 1e-5);
    EXPECT_NEAR(word["saliency"].get<double>(), saliency[s].get<double>(), 1e-5);
    const json forced = best({{"q", "a b c"},
                              {"prefix_pieces", {"▁x"}},
                              {"beam", 1},
                              {"alternatives", 1},
                              {"force_attention", {{{"position", t}, {"source", s}}}}});
    EXPECT_EQ(word["elsewhere"]["pieces"][0], forced["pieces"][t]);
    EXPECT_NEAR(word["elsewhere"]["probability"].get<double>(),
                forced["alternatives"][t][0]["probability"].get<double>(), 1e-5);
    if (s == 3) continue;
    const double left = word["probability_without"].get<double>();
    EXPECT_NEAR(left, probability(without[s]), 1e-6);
    EXPECT_GE(word["leave_one_out"].get<double>(), std::abs(left - before) - 1e-9);
    EXPECT_LT(word["leave_one_out"].get<double>(), 1.0);
  }
  EXPECT_EQ(found["words"][3]["word"], "</s>");
  EXPECT_TRUE(found["words"][3]["leave_one_out"].is_null());
}

TEST_F(ApiTest, RefusesToExplainWithTheReason) {
  std::string longest;
  for (int i = 0; i < 13; ++i) longest += "a ";
  const std::vector<std::pair<json, std::string>> cases = {
      {{{"source", "a"}}, "\"pieces\" is missing"},
      {{{"source", "a"}, {"pieces", {"▁x"}}, {"position", 1}}, "\"position\""},
      {{{"source", "a"}, {"pieces", {"no"}}}, "no piece \"no\""},
      {{{"source", "a"}, {"pieces", {"</s>", "▁x"}}, {"position", 1}}, "before \"position\""},
      {{{"source", " "}, {"pieces", {"▁x"}}}, "has no words"},
      {{{"source", longest}, {"pieces", {"▁x"}}}, "the model's limit of 12"},
      {{{"source", "a"}, {"pieces", std::vector<std::string>(14, "▁x")}}, "limit of 12"},
      {{{"source", std::string(100'000, 'a')}, {"pieces", {"▁x"}}}, "exceeds 65536 bytes"},
      {{{"source", "a"}, {"pieces", {"▁x"}}, {"constraints", {"x"}}}, "\"constraints\" change"},
      {{{"source", "a"}, {"pieces", {"▁x"}}, {"glossary", {{"a", "?"}}}},
       "\"glossary\": \"?\" has"},
      {{{"source", "a"}, {"pieces", {"▁x"}}, {"glossary_mode", "soft"}}, "without data.terms"},
  };
  for (const auto& [body, message] : cases) {
    const Reply reply = post("/v1/explain", body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_THAT(json::parse(reply.body)["error"]["message"].get<std::string>(), HasSubstr(message));
  }
  EXPECT_EQ(answer("/v1/explain", {{"source", "a"}, {"pieces", {"</s>"}}})["piece"], "</s>");
}

TEST_F(ApiTest, ShowsRunsAndNothingElseOfTheDisk) {
  const json runs = get("/v1/runs")["runs"];
  ASSERT_EQ(runs.size(), 1);
  const json run = get("/v1/runs/" + runs[0]["name"].get<std::string>());
  EXPECT_EQ(run["config"]["seed"], "3");
  EXPECT_EQ(run["config"]["model.decoder.wiring"], "luong");
  for (const char* path : {"/v1/runs/..", "/v1/runs/%2e%2e", "/v1/runs/../../etc/passwd",
                           "/v1/runs/%2fetc%2fpasswd", "/v1/runs/nothing", "/../CMakeLists.txt"})
    EXPECT_EQ(Client(port()).get(path).status, 404) << path;
}

TEST_F(ApiTest, SkipsLinesThatTrainingDoesNotWrite) {
  const attend::test::TempDir runs;
  std::filesystem::create_directory(runs / "odd");
  runs.write("odd/train.jsonl",
             "{\"type\":\"train\",\"update\":5,\"loss\":2.0}\n[1]\nno JSON\n"
             "{\"type\":\"train\",\"loss\":1.0}\n{\"type\":\"train\",\"update\":\"six\"}\n"
             "{\"type\":\"validation\",\"update\":6,\"best\":1}\n{\"type\":\"tr");
  stop();
  start({.runs = runs / ""});
  const json all = get("/v1/runs")["runs"];
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0]["name"], "odd");
  EXPECT_EQ(all[0]["updates"], 5);
  EXPECT_EQ(all[0]["unreadable_lines"], 5) << "the last line may be incomplete";
  const json odd = get("/v1/runs/odd");
  EXPECT_EQ(odd["train"].size(), 1);
  EXPECT_EQ(odd["validation"].size(), 0);
}

TEST_F(ApiTest, NamesTheRootFolderByItsOwnName) {
  for (const char* given : {"", "/", "/."}) {
    stop();
    start({.runs = model_.path() + given});
    EXPECT_EQ(get("/v1/runs")["runs"][0]["name"], "model") << given;
    EXPECT_EQ(get("/v1/runs/model")["name"], "model") << given;
  }
}

TEST_F(ApiTest, AnswersHeadLikeGet) {
  Client client(port());
  const auto head = [&](const std::string& path) {
    client.send("HEAD " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return client.receive_until("\r\n\r\n");
  };
  EXPECT_THAT(head("/healthz"), HasSubstr("200 OK"));
  const std::string refused = head("/v1/translate");
  EXPECT_THAT(refused, HasSubstr("405 Method Not Allowed"));
  EXPECT_THAT(refused, HasSubstr("Allow: POST\r\n"));
  EXPECT_THAT(head("/nothing"), HasSubstr("404 Not Found"));
  EXPECT_EQ(client.get("/healthz").body, "ok\n");
  EXPECT_EQ(client.post("/healthz", "").headers["allow"], "GET, HEAD");
}

TEST_F(ApiTest, RequiresTheTokenExceptOnOpenRoutes) {
  stop();
  start({.token = "secret"});
  for (const char* path : {"/", "/healthz", "/readyz"})
    EXPECT_EQ(Client(port()).get(path).status, 200) << path;
  for (const char* path : {"/v1/models", "/v1/openapi.json", "/languages", "/metrics", "/v1/new"}) {
    const Reply reply = Client(port()).get(path);
    EXPECT_EQ(reply.status, 401) << path;
    EXPECT_EQ(reply.headers.at("www-authenticate"), "Bearer");
  }
}

// LibreTranslate clients expect "error" to be a string.
TEST_F(ApiTest, ReportsErrorsLikeLibreTranslateOnItsPaths) {
  const auto error_of = [](const Reply& reply) { return json::parse(reply.body)["error"]; };
  EXPECT_TRUE(error_of(Client(port()).get("/translate")).is_string()) << "a wrong method";
  EXPECT_TRUE(error_of(Client(port()).post("/translate", "{")).is_string());
  EXPECT_TRUE(error_of(Client(port()).get("/v1/translate")).is_object());
  for (const char* lacking : {"/suggest", "/translate_file", "/frontend/settings"}) {
    const Reply reply = Client(port()).post(lacking, "{}");
    EXPECT_EQ(reply.status, 404);
    EXPECT_EQ(error_of(reply), std::string("unknown path ") + lacking);
  }
  EXPECT_TRUE(error_of(Client(port()).get("/nothing")).is_object());
  stop();
  start({.token = "secret"});
  for (const char* path : {"/translate", "/languages"})
    EXPECT_TRUE(error_of(Client(port()).get(path)).is_string()) << path;
  EXPECT_TRUE(error_of(Client(port()).get("/v1/models")).is_object());
}

// Symptom: an error repeated a name of any length.
TEST_F(ApiTest, ShortensNamesInErrors) {
  const std::string name(5000, 'x');
  const std::vector<Reply> replies = {
      Client(port()).get("/" + name),
      Client(port()).get("/v1/runs/" + name),
      post("/v1/translate", {{"q", "a"}, {"model", name}}),
      post("/v1/translate", {{"q", "a"}, {"markup", name}}),
      post("/v1/translate", {{"q", "a"}, {name, 1}}),
      post("/v1/translate", {{"q", "a"}, {"prefix_pieces", {name}}}),
      post("/v1/translate", {{"q", "a"}, {"attention", "word"}, {"attention_kinds", {name}}}),
      post("/v1/explain", {{"source", "a"}, {"pieces", {name}}}),
      post("/translate", {{"q", "a"}, {"source", name}, {"target", name}})};
  for (const Reply& reply : replies) {
    EXPECT_TRUE(reply.status == 400 || reply.status == 404) << reply.status;
    EXPECT_LT(reply.body.size(), 1000U);
    EXPECT_THAT(reply.body, HasSubstr("xxx..."));
  }
}

TEST_F(ApiTest, SamplesWithItsOwnSeedByDefault) {
  if (!attend::test::tested_device().is_cpu())
    GTEST_SKIP() << "a result depends on the other sentences of its batch";
  const auto drawn = [&](json sample) {
    json texts = json::array();
    for (int i = 0; i < 20; ++i) texts.push_back("a b c");
    return answer("/v1/translate", {{"q", texts}, {"sample", std::move(sample)}})["translations"];
  };
  const json by_one = drawn({{"temperature", 2}}),
             by_nine = drawn({{"temperature", 2}, {"seed", 9}});
  EXPECT_NE(by_one, by_nine);
  stop();
  start({.seed = 9});
  EXPECT_EQ(drawn({{"temperature", 2}}), by_nine);
}

TEST_F(ApiTest, CountsAFailedStreamAsAFailure) {
  ServedModels broken({"broken=" + model_.path()}, std::nullopt, attend::test::tested_device());
  test::spoil(broken.named("broken").loaded(), "d");
  stop();
  start({}, broken);
  Client client(port());
  const std::string body = json{{"q", "d"}, {"stream", true}}.dump();
  client.send("POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_THAT(client.receive_all(), HasSubstr("event: error\ndata: "));
  EXPECT_THAT(Client(port()).get("/metrics").body,
              HasSubstr("attend_requests_total{path=\"/v1/translate\",status=\"500\"} 1\n"));
  stop();
}

TEST_F(ApiTest, ReportsUncountedDroppedPieces) {
  std::string line;
  for (int i = 0; i < 14; ++i) line += "a ";
  const json two = answer("/v1/translate", {{"q", line}})["translations"][0]["source"];
  EXPECT_EQ(two["dropped"], 2) << "data.max_length is 12";
  EXPECT_EQ(two["dropped_more"], false);
  for (int i = 0; i < 16; ++i) line += line.substr(0, 16'384);
  const json many = answer("/v1/translate", {{"q", line}})["translations"][0]["source"];
  EXPECT_EQ(many["dropped_more"], true);
}

TEST_F(ApiTest, RejectsInvalidRequestsWithTheReason) {
  const std::vector<std::pair<json, std::string>> cases = {
      {{{"q", 1}}, "\"q\""},
      {{{"q", "a"}, {"model", "fr"}}, "choices: en-de"},
      {{{"q", "a"}, {"beam", 0}}, "\"beam\""},
      {{{"q", "a"}, {"beam", 2}, {"n_best", 3}}, "beam"},
      {{{"q", {"a", "b"}}, {"tree", true}}, "one text"},
      {{{"q", "a"}, {"sample", {{"temperature", 0}}}}, "\"sample.temperature\""},
      {{{"q", "a"}, {"sample", {{"top", 1}}}}, "\"sample.top\""},
      {{{"q", "a"}, {"prefix_pieces", {"nothing"}}}, "no piece \"nothing\""},
      {{{"q", "a"}, {"forbid", {"two words"}}}, "\"forbid\""},
      {{{"q", "a"}, {"constraints", "w"}}, "\"constraints\" must be a list"},
      {{{"q", "a"}, {"constraints", {1}}}, "expected strings or lists"},
      {{{"q", "a"}, {"constraints", {"w", json::array()}}}, "expected 1 to 100 alternatives"},
      {{{"q", "a"}, {"constraints", {"\u2603"}}}, "which the model's vocabulary lacks"},
      {{{"q", "a"}, {"constraints", {"w x"}}, {"forbid", {"x"}}}, "contains a forbidden word"},
      {{{"q", "a"}, {"constraints", {"w"}}, {"sample", json::object()}}, "excludes"},
      {{{"q", "a"}, {"glossary", {"a"}}}, "\"glossary\" must be an object"},
      {{{"q", "a"}, {"glossary", {{" ", "w"}}}}, "empty source term"},
      {{{"q", "a"}, {"glossary", {{"\u3000", "w"}}}}, "empty source term"},
      {{{"q", "a"}, {"glossary", {{"a", ""}}}}, "\"glossary\": \"\" is empty"},
      {{{"q", "a"}, {"atention", "word"}}, "did you mean \"attention\""},
      {{{"q", "a"}, {"attention", "word"}, {"attention_kinds", "encoder"}}, "choices: all, cross"},
      {{{"q", "a"}, {"attention_kinds", "cross"}}, "needs \"attention\""},
      {{{"q", "a"}, {"force_pieces", {{{"position", 0}, {"piece", "no"}}}}}, "no piece \"no\""},
      {{{"q", "a"}, {"force_pieces", {{{"position", 0}, {"piece", "</s>"}}}}}, "no piece"},
  };
  for (const auto& [body, message] : cases) {
    const Reply reply = post("/v1/translate", body);
    EXPECT_TRUE(reply.status == 400 || reply.status == 404) << body << reply.status;
    EXPECT_THAT(json::parse(reply.body)["error"]["message"].get<std::string>(), HasSubstr(message))
        << body;
  }
  EXPECT_EQ(Client(port()).get("/v1/translate").status, 405);
  EXPECT_EQ(Client(port()).get("/v1/nothing").status, 404);
}

TEST_F(ApiTest, RejectsMoreLinesThanTheQueueHolds) {
  stop();
  start({.batch = {.most_waiting = 3}});
  const Reply reply = post("/v1/translate", {{"q", {"a", "b", "c", "d"}}});
  EXPECT_EQ(reply.status, 413) << "the queue can never hold them";
  EXPECT_EQ(post("/v1/translate", {{"q", {"a", "b", "c"}}}).status, 200);
}

// Handlers accept exactly the fields of the description.
TEST_F(ApiTest, MatchesItsDescription) {
  const json described = get("/v1/openapi.json");
  for (const auto& [path, methods] : described["paths"].items()) {
    if (!methods.contains("post")) continue;
    const json& content = methods["post"]["requestBody"]["content"]["application/json"];
    json names = json::array();
    for (const auto& [name, schema] : content["schema"]["properties"].items()) {
      names.push_back(name);
      const Reply reply = post(path, {{name, {{"wrong", "type"}}}});
      EXPECT_THAT(reply.body, Not(HasSubstr("unknown field \\\"" + name + "\\\"")))
          << path << " " << name;
    }
    if (path == "/translate" || path == "/detect") continue;  // ignore unknown fields
    const Reply reply =
        post(path, {{"q", "a"}, {"source", "a"}, {"target", "de"}, {"never described", 1}});
    EXPECT_EQ(reply.status, 400) << path << reply.body;
  }
  EXPECT_TRUE(described["paths"].contains("/v1/runs/{name}"));
}

TEST_F(ApiTest, CountsRequestsAndPieces) {
  (void)best({{"q", "a b"}});
  const std::string text = Client(port()).get("/metrics").body;
  EXPECT_THAT(text, HasSubstr("attend_requests_total{path=\"/v1/translate\",status=\"200\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("attend_batch_lines_bucket{le=\"1\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("attend_source_pieces_total 2\n"));
}

}  // namespace
}  // namespace attend::server
