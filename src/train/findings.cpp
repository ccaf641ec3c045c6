#include "train/findings.h"

#include <torch/utils.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace attend::train {
namespace {

using nlohmann::json;

void add_to(std::vector<double>& sums, const std::vector<double>& values) {
  if (sums.size() != values.size()) throw std::logic_error("findings of different validations");
  std::transform(sums.begin(), sums.end(), values.begin(), sums.begin(), std::plus<>());
}

json written_attention(const torch::Tensor& attention) {
  if (!attention.defined()) return nullptr;
  const torch::Tensor rows = attention.contiguous();
  const auto* const begin = rows.data_ptr<float>();
  return {{"shape", rows.sizes().vec()},
          {"values", std::vector<float>(begin, begin + rows.numel())}};
}

torch::Tensor read_attention(const json& value) {
  if (value.is_null()) return {};
  return torch::tensor(value.at("values").get<std::vector<float>>())
      .view(value.at("shape").get<std::vector<int64_t>>());
}

json written_sample(int64_t place, const Sample& sample) {
  return {place,
          sample.source,
          sample.reference,
          sample.hypothesis,
          sample.source_pieces,
          sample.target_pieces,
          written_attention(sample.attention)};
}

Sample read_sample(const json& value) {
  return {.source = value.at(1),
          .reference = value.at(2),
          .hypothesis = value.at(3),
          .source_pieces = value.at(4),
          .target_pieces = value.at(5),
          .attention = read_attention(value.at(6))};
}

}  // namespace

void Findings::add(Findings other) {
  add_to(nll, other.nll);
  add_to(statistics, other.statistics);
  samples.merge(other.samples);
}

void Findings::add(const metrics::Statistics& of_sentence) {
  add_to(statistics, of_sentence);
}

std::string Findings::written() const {
  json value = {{"nll", nll}, {"statistics", statistics}, {"samples", json::array()}};
  for (const auto& [place, sample] : samples)
    value["samples"].push_back(written_sample(place, sample));
  const std::vector<uint8_t> bytes = json::to_cbor(value);
  return {bytes.begin(), bytes.end()};
}

Findings read_findings(const std::string& text) {
  const json value = json::from_cbor(text);
  Findings findings;
  findings.nll = value.at("nll").get<std::vector<double>>();
  findings.statistics = value.at("statistics").get<std::vector<double>>();
  for (const json& sample : value.at("samples"))
    findings.samples.emplace(sample.at(0).get<int64_t>(), read_sample(sample));
  return findings;
}

}  // namespace attend::train
