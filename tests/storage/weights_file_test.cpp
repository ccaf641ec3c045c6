#include "storage/weights_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "model/seq2seq.h"
#include "tests/support/temp_dir.h"

namespace attend::storage {
namespace {

using test::read_text;
using test::TempDir;
using testing::HasSubstr;
using testing::ThrowsMessage;

TensorFile two_tensors() {
  return {{{"b.weight", torch::tensor({{1.0F, 2.0F, 3.0F}, {4.0F, 5.0F, 6.0F}})},
           {"a.counts", torch::tensor({7, 8}, torch::kInt64)}},
          {{"update", "12"}}};
}

std::filesystem::path saved(const TempDir& folder) {
  const auto path = folder / "weights.safetensors";
  save_tensors(path, two_tensors());
  return path;
}

uint64_t header_length(const std::string& bytes) {
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return length;
}

/// The file with another header.
std::string with_header(const std::string& bytes, const std::string& header) {
  const uint64_t length = header.size();
  std::string changed(sizeof length, '\0');
  std::memcpy(changed.data(), &length, sizeof length);
  return changed + header + bytes.substr(sizeof length + header_length(bytes));
}

nlohmann::json header_of(const std::string& bytes) {
  return nlohmann::json::parse(bytes.substr(8, header_length(bytes)));
}

/// The message of loading a file of these bytes; empty if it loads.
std::string complaint(const std::string& bytes) {
  const TempDir folder;
  const auto path = folder.write("damaged.safetensors", bytes);
  try {
    static_cast<void>(load_tensors(path));
  } catch (const ModelFileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("damaged.safetensors"));
    return error.what();
  }
  return "";
}

TEST(WeightsFile, GivesBackWhatWasSaved) {
  const TempDir folder;
  const TensorFile loaded = load_tensors(saved(folder));
  const TensorFile expected = two_tensors();
  ASSERT_EQ(loaded.tensors.size(), 2U);
  EXPECT_TRUE(torch::equal(loaded.tensors.at("b.weight"), expected.tensors.at("b.weight")));
  EXPECT_TRUE(torch::equal(loaded.tensors.at("a.counts"), expected.tensors.at("a.counts")));
  EXPECT_EQ(loaded.metadata, expected.metadata);
}

// The layout of https://github.com/huggingface/safetensors#format.
TEST(WeightsFile, IsLaidOutAsSafetensorsPrescribes) {
  const TempDir folder;
  const std::string bytes = read_text(saved(folder));
  const nlohmann::json header = header_of(bytes);
  EXPECT_EQ(header_length(bytes) % 8, 0U);
  EXPECT_EQ(header["b.weight"]["dtype"], "F32");
  EXPECT_EQ(header["b.weight"]["shape"], (std::vector<int>{2, 3}));
  EXPECT_EQ(header["a.counts"]["dtype"], "I64");
  const auto offsets = header["b.weight"]["data_offsets"].get<std::vector<std::size_t>>();
  EXPECT_EQ(offsets[1] - offsets[0], 6 * sizeof(float));
  float last = 0.0F;
  std::memcpy(&last, bytes.data() + 8 + header_length(bytes) + offsets[1] - sizeof last,
              sizeof last);
  EXPECT_EQ(last, 6.0F);
  EXPECT_EQ(bytes.size(), 8 + header_length(bytes) + 6 * sizeof(float) + 2 * sizeof(int64_t));
}

TEST(WeightsFile, IsTheSameBytesForTheSameContent) {
  const TempDir folder;
  const std::string first = read_text(saved(folder));
  const std::string second = read_text(saved(folder));
  EXPECT_EQ(first, second);
}

TEST(WeightsFile, KeepsEmptyAndScalarTensors) {
  const TempDir folder;
  const auto path = folder / "odd.safetensors";
  save_tensors(path, {{{"empty", torch::empty({0, 4})}, {"scalar", torch::tensor(2.5)}}, {}});
  const TensorFile loaded = load_tensors(path);
  EXPECT_EQ(loaded.tensors.at("empty").sizes(), (torch::IntArrayRef{0, 4}));
  EXPECT_EQ(loaded.tensors.at("scalar").dim(), 0);
  EXPECT_EQ(loaded.tensors.at("scalar").item<double>(), 2.5);
}

TEST(WeightsFile, SavesATransposedTensorByItsElements) {
  const TempDir folder;
  const auto path = folder / "transposed.safetensors";
  const torch::Tensor tensor = torch::tensor({{1.0F, 2.0F}, {3.0F, 4.0F}}).t();
  save_tensors(path, {{{"t", tensor}}, {}});
  EXPECT_TRUE(torch::equal(load_tensors(path).tensors.at("t"), tensor));
}

TEST(WeightsFile, MetadataCanBeReadAlone) {
  const TempDir folder;
  EXPECT_EQ(load_metadata(saved(folder)), two_tensors().metadata);
}

TEST(WeightsFile, NamesAMissingFile) {
  EXPECT_THAT([] { static_cast<void>(load_tensors("nowhere/best.safetensors")); },
              ThrowsMessage<ModelFileError>(testing::AllOf(HasSubstr("nowhere/best.safetensors"),
                                                           HasSubstr("no such file"))));
}

TEST(WeightsFile, RefusesAFolder) {
  const TempDir folder;
  EXPECT_THAT([&] { static_cast<void>(load_tensors(folder.path())); },
              ThrowsMessage<ModelFileError>(HasSubstr("not a file")));
}

TEST(WeightsFile, RefusesAFileCutShortAnywhere) {
  const TempDir folder;
  const std::string bytes = read_text(saved(folder));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_NE(complaint(bytes.substr(0, length)), "") << "cut to " << length << " bytes";
  }
}

TEST(WeightsFile, RefusesAFlippedBitAnywhere) {
  const TempDir folder;
  const std::string bytes = read_text(saved(folder));
  const std::size_t header_end = 8 + header_length(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    const bool padding = i < header_end && bytes[i] == ' ';
    if (padding) continue;
    EXPECT_NE(complaint(damaged), "") << "byte " << i;
  }
}

TEST(WeightsFile, DetectsAFlippedBitInATensor) {
  const TempDir folder;
  std::string bytes = read_text(saved(folder));
  bytes.back() = static_cast<char>(bytes.back() ^ 64);
  EXPECT_THAT(complaint(bytes), HasSubstr("checksum"));
}

TEST(WeightsFile, DoesNotAllocateForAForgedHeaderLength) {
  const TempDir folder;
  std::string bytes = read_text(saved(folder));
  const uint64_t forged = ~uint64_t{0} - 7;
  std::memcpy(bytes.data(), &forged, sizeof forged);
  EXPECT_THAT(complaint(bytes), HasSubstr("the header claims 18446744073709551608 bytes"));
}

TEST(WeightsFile, DoesNotAllocateForAForgedShape) {
  const TempDir folder;
  const std::string bytes = read_text(saved(folder));
  nlohmann::json header = header_of(bytes);
  header["b.weight"]["shape"] = {int64_t{1} << 62, 8};  // times 4 bytes: 0 modulo 2^64
  EXPECT_THAT(complaint(with_header(bytes, header.dump())), HasSubstr("does not fit its shape"));
}

TEST(WeightsFile, RefusesAnEmptyTensorWhoseStridesDoNotFit) {
  const TempDir folder;
  const std::string bytes = read_text(saved(folder));
  nlohmann::json header = header_of(bytes);
  header["empty"] = {
      {"dtype", "F32"}, {"shape", {0, int64_t{1} << 62, 8}}, {"data_offsets", {40, 40}}};
  EXPECT_THAT(complaint(with_header(bytes, header.dump())), HasSubstr("does not fit its shape"));
}

// The checksum serialises the parsed header; deep nesting would overflow the stack there.
TEST(WeightsFile, RefusesDeepNesting) {
  const TempDir folder;
  const std::string bytes = read_text(saved(folder));
  const std::string depth(1'000'000, '[');
  const std::string end(1'000'000, ']');
  const std::string plain = header_of(bytes).dump();
  const std::string extra_key = ",\"more\":" + depth + end + "}";
  std::string in_entry = plain;
  in_entry.replace(in_entry.find('}', in_entry.find("b.weight")), 1, extra_key);
  std::string as_entry = plain;
  as_entry.replace(as_entry.size() - 1, 1, extra_key);
  EXPECT_THAT(complaint(with_header(bytes, in_entry)), HasSubstr("nested too deeply"));
  EXPECT_THAT(complaint(with_header(bytes, as_entry)), HasSubstr("nested too deeply"));
}

// Regression: a header of brackets alone took 40 times its size in memory before it was refused.
TEST(WeightsFile, StopsAtAHeaderThatIsNoObject) {
  const TempDir folder;
  const std::string bytes = read_text(saved(folder));
  EXPECT_THAT(complaint(with_header(bytes, std::string(100'000, '['))),
              HasSubstr("nested too deeply"));
}

TEST(WeightsFile, StopsAtAHeaderOfManyShortValues) {
  const TempDir folder;
  const std::string bytes = read_text(saved(folder));
  std::string shape = R"({"a":{"shape":[1)";
  for (int i = 0; i < 2'000'000; ++i) shape += ",1";
  EXPECT_THAT(complaint(with_header(bytes, shape + "]}}")), HasSubstr("too many values"));
}

TEST(WeightsFile, RefusesOverlappingTensors) {
  const TempDir folder;
  const std::string bytes = read_text(saved(folder));
  nlohmann::json header = header_of(bytes);
  header["c"] = header["b.weight"];
  EXPECT_THAT(complaint(with_header(bytes, header.dump())), HasSubstr("misplaced"));
}

TEST(WeightsFile, NamesBothVersionsWhenTheyDiffer) {
  const TempDir folder;
  const std::string bytes = read_text(saved(folder));
  nlohmann::json header = header_of(bytes);
  header["__metadata__"]["attend_format"] = "999";
  EXPECT_THAT(complaint(with_header(bytes, header.dump())),
              HasSubstr("format version 999, but this build reads version 1"));
}

TEST(WeightsFile, RefusesAFileOfAnotherProgram) {
  const TempDir folder;
  const std::string bytes = read_text(saved(folder));
  nlohmann::json header = header_of(bytes);
  header.erase("__metadata__");
  EXPECT_THAT(complaint(with_header(bytes, header.dump())), HasSubstr("not written by attend"));
}

TEST(WeightsFile, RefusesAFolderThatCannotBeWritten) {
  EXPECT_THROW(save_tensors("/proc/nowhere/x.safetensors", two_tensors()), DataError);
}

model::ModelOptions small_model() {
  model::ModelOptions options;
  options.embedding = 3;
  std::get<model::RecurrentEncoderOptions>(options.encoder).hidden = 4;
  std::get<model::RecurrentDecoderOptions>(options.decoder).hidden = 5;
  return options;
}

TEST(SetWeights, CopiesEveryParameterByName) {
  model::Seq2Seq from(small_model(), 11, 13);
  model::Seq2Seq to(small_model(), 11, 13);
  model::initialize(from, 1);
  model::initialize(to, 2);
  set_weights(to, weights_of(from), "best.safetensors");
  const auto expected = weights_of(from);
  const auto actual = weights_of(to);
  ASSERT_GT(expected.size(), 4U);
  for (const auto& [name, tensor] : expected)
    EXPECT_TRUE(torch::equal(actual.at(name), tensor)) << name;
}

// The shape of position_bias in version 0.1.0.
TEST(SetWeights, CopiesASharedPositionBiasToEveryHead) {
  model::ModelOptions options = small_model();
  options.attention.heads = 2;
  options.attention.scope = nn::ScopeKind::position_bias;
  options.attention.max_distance = 1;
  model::Seq2Seq model(options, 11, 13);
  auto weights = weights_of(model);
  const auto bias = std::find_if(weights.begin(), weights.end(), [](const auto& item) {
    return item.first.ends_with("scope.bias");
  });
  ASSERT_NE(bias, weights.end());
  bias->second = torch::tensor({1.0F, 2.0F, 3.0F});
  set_weights(model, weights, "best.safetensors");
  EXPECT_TRUE(torch::equal(weights_of(model).at(bias->first),
                           torch::tensor({{1.0F, 2.0F, 3.0F}, {1.0F, 2.0F, 3.0F}})));
  bias->second = torch::zeros({5});
  EXPECT_THROW(set_weights(model, weights, "best.safetensors"), ModelFileError);
}

TEST(SetWeights, ListsMismatches) {
  model::Seq2Seq model(small_model(), 11, 13);
  auto weights = weights_of(model);
  const std::string missing = weights.begin()->first;
  const std::string reshaped = weights.rbegin()->first;
  weights.erase(missing);
  weights[reshaped] = torch::zeros({2, 9});
  weights["stranger"] = torch::zeros({7});
  EXPECT_THAT([&] { set_weights(model, weights, "other/best.safetensors"); },
              ThrowsMessage<ModelFileError>(testing::AllOf(
                  HasSubstr("other/best.safetensors"), HasSubstr("the file lacks " + missing),
                  HasSubstr("the file has " + reshaped + " [2, 9], the model ["),
                  HasSubstr("the model has no stranger [7]"))));
}

}  // namespace
}  // namespace attend::storage
