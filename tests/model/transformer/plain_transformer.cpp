#include "tests/model/transformer/plain_transformer.h"

#include <algorithm>
#include <cmath>

#include "tests/support/tensors.h"

namespace attend::test {
namespace {

using model::Activation;
using model::NormPlace;
using nn::PositionKind;

double sigma(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

double normal_share(double x) {
  return 0.5 * (1.0 + std::erf(x / std::sqrt(2.0)));
}

double activated(Activation activation, double x) {
  if (activation == Activation::relu) return std::max(x, 0.0);
  return activation == Activation::swiglu ? x * sigma(x) : x * normal_share(x);
}

Row sum(const Row& a, const Row& b) {
  Row result = a;
  for (std::size_t i = 0; i < a.size(); ++i) result[i] += b[i];
  return result;
}

/// 10000^(-2i / size).
double frequency(std::size_t pair, std::size_t size) {
  return std::pow(10000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(size));
}

/// Su et al. (2021), Eq. 15.
Row turned(const Row& x, std::size_t position) {
  Row result = x;
  for (std::size_t i = 0; 2 * i < x.size(); ++i) {
    const double angle = static_cast<double>(position) * frequency(i, x.size());
    result[2 * i] = x[2 * i] * std::cos(angle) - x[2 * i + 1] * std::sin(angle);
    result[2 * i + 1] = x[2 * i + 1] * std::cos(angle) + x[2 * i] * std::sin(angle);
  }
  return result;
}

Row part_of(const Row& x, int64_t head, std::size_t size) {
  const auto begin = x.begin() + head * static_cast<std::ptrdiff_t>(size);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

double product(const Row& a, const Row& b) {
  double result = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) result += a[i] * b[i];
  return result;
}

Row softmax(const Row& energies) {
  double total = 0.0;
  for (const double energy : energies) total += std::exp(energy);
  Row weights;
  for (const double energy : energies) weights.push_back(std::exp(energy) / total);
  return weights;
}

}  // namespace

PlainTransformer::PlainTransformer(const model::Seq2Seq& model) : model_(model) {}

bool PlainTransformer::has(const std::string& name) const {
  return model_.named_parameters().contains(name);
}

Row PlainTransformer::vector(const std::string& name) const {
  const torch::Tensor values = parameter(model_, name).detach().contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

Rows PlainTransformer::matrix(const std::string& name) const {
  const Row values = vector(name);
  const auto columns = static_cast<std::size_t>(parameter(model_, name).size(1));
  Rows rows;
  for (std::size_t i = 0; i < values.size(); i += columns) {
    rows.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(i),
                      values.begin() + static_cast<std::ptrdiff_t>(i + columns));
  }
  return rows;
}

Row PlainTransformer::linear(const std::string& name, const Row& x) const {
  Row result;
  for (const Row& row : matrix(name + ".weight")) result.push_back(product(row, x));
  return has(name + ".bias") ? sum(result, vector(name + ".bias")) : result;
}

Row PlainTransformer::norm(const std::string& name, const Row& x) const {
  const Row gain = vector(name + ".gain"), bias = vector(name + ".bias");
  const auto count = static_cast<double>(x.size());
  double mean = 0.0, variance = 0.0;
  for (const double value : x) mean += value / count;
  for (const double value : x) variance += (value - mean) * (value - mean) / count;
  Row result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    result.push_back(gain[i] * (x[i] - mean) / std::sqrt(variance + 1e-5) + bias[i]);
  }
  return result;
}

Rows PlainTransformer::input(const std::string& side, const std::string& embedding,
                             const model::TransformerOptions& stack,
                             const std::vector<int64_t>& words) const {
  const Rows vectors = matrix(embedding + ".weight");
  Rows rows;
  for (std::size_t t = 0; t < words.size(); ++t) {
    Row x = vectors[static_cast<std::size_t>(words[t])];
    for (double& value : x) value *= std::sqrt(static_cast<double>(vectors.front().size()));
    if (has(side + ".input.projection.weight")) x = linear(side + ".input.projection", x);
    for (std::size_t i = 0; stack.positions == PositionKind::sinusoidal && i < x.size(); ++i) {
      const double angle = static_cast<double>(t) * frequency(i / 2, x.size());
      x[i] += i % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
    if (stack.positions == PositionKind::learned) {
      const Rows places = matrix(side + ".input.positions.weight");
      x = sum(x, places[std::min(t, places.size() - 1)]);
    }
    rows.push_back(x);
  }
  return rows;
}

Rows PlainTransformer::attention(const Looking& how, const Rows& queries,
                                 const Rows& memory) const {
  Rows results;
  weights_[how.name].assign(static_cast<std::size_t>(how.heads), {});
  added_[how.name].clear();
  const Rows far_keys =
      how.positions == PositionKind::relative ? matrix(how.distances + ".keys") : Rows();
  const Rows far_values =
      how.positions == PositionKind::relative ? matrix(how.distances + ".values") : Rows();
  for (std::size_t t = 0; t < queries.size(); ++t) {
    const Row query = linear(how.name + ".query", queries[t]);
    const std::size_t size = query.size() / static_cast<std::size_t>(how.heads);
    Row joined;
    Rows joined_of(how.causal ? t + 1 : memory.size());
    for (int64_t head = 0; head < how.heads; ++head) {
      const std::size_t seen = how.causal ? t + 1 : memory.size();
      Row energies;
      Rows values;
      for (std::size_t s = 0; s < seen; ++s) {
        Row q = part_of(query, head, size);
        Row k = part_of(linear(how.name + ".key", memory[s]), head, size);
        Row v = part_of(linear(how.name + ".value", memory[s]), head, size);
        if (how.positions == PositionKind::rotary) {
          q = turned(q, t);
          k = turned(k, s);
        }
        if (how.positions == PositionKind::relative) {
          const auto distance = static_cast<int64_t>(s) - static_cast<int64_t>(t);
          const auto index = static_cast<std::size_t>(
              std::clamp(distance, -how.max_distance, how.max_distance) + how.max_distance);
          k = sum(k, far_keys[index]);
          v = sum(v, far_values[index]);
        }
        energies.push_back(product(q, k) / std::sqrt(static_cast<double>(size)));
        values.push_back(v);
      }
      const Row weights = softmax(energies);
      weights_[how.name][static_cast<std::size_t>(head)].push_back(weights);
      Row context(size, 0.0);
      for (std::size_t s = 0; s < seen; ++s) {
        for (std::size_t i = 0; i < size; ++i) context[i] += weights[s] * values[s][i];
        for (std::size_t i = 0; i < size; ++i) joined_of[s].push_back(weights[s] * values[s][i]);
      }
      joined.insert(joined.end(), context.begin(), context.end());
    }
    results.push_back(linear(how.name + ".output", joined));
    Rows added;
    for (const Row& row : joined_of) added.push_back(linear(how.name + ".output", row));
    added_[how.name].push_back(added);
  }
  return results;
}

Rows PlainTransformer::ssru(const std::string& name, const Rows& x) const {
  Rows results;
  Row cell;
  for (const Row& row : x) {
    const Row forget = linear(name + ".forget", row), candidate = linear(name + ".input", row);
    cell.resize(candidate.size(), 0.0);
    Row hidden;
    for (std::size_t i = 0; i < candidate.size(); ++i) {
      cell[i] = sigma(forget[i]) * cell[i] + (1.0 - sigma(forget[i])) * candidate[i];
      hidden.push_back(std::max(cell[i], 0.0));
    }
    results.push_back(hidden);
  }
  return results;
}

// Gates: reset, update, candidate. The candidate's bias of the state is inside the reset (Cho et
// al. 2014, as in cuDNN).
Rows PlainTransformer::gru(const std::string& name, const Rows& x) const {
  const Row within = vector(name + ".candidate_bias"), bias = vector(name + ".bias");
  const Rows from_input = matrix(name + ".input_weight");
  const Rows from_state = matrix(name + ".recurrent_weight");
  const std::size_t size = within.size();
  Rows states{Row(size, 0.0)};
  for (const Row& row : x) {
    Row next;
    for (std::size_t i = 0; i < size; ++i) {
      const auto input = [&](std::size_t j) { return product(from_input[j], row) + bias[j]; };
      const auto state = [&](std::size_t j) { return product(from_state[j], states.back()); };
      const double reset = sigma(input(i) + state(i));
      const double update = sigma(input(size + i) + state(size + i));
      const double candidate =
          std::tanh(input(2 * size + i) + reset * (state(2 * size + i) + within[i]));
      next.push_back((1.0 - update) * candidate + update * states.back()[i]);
    }
    states.push_back(next);
  }
  return {states.begin() + 1, states.end()};
}

// Gates: input, forget, candidate, output (Hochreiter & Schmidhuber 1997, Gers et al. 2000).
Rows PlainTransformer::lstm(const std::string& name, const Rows& x) const {
  const Row bias = vector(name + ".bias");
  const Rows from_input = matrix(name + ".input_weight");
  const Rows from_state = matrix(name + ".recurrent_weight");
  const std::size_t size = from_state.front().size();
  Row cell(size, 0.0);
  Rows states{Row(size, 0.0)};
  for (const Row& row : x) {
    Row next;
    for (std::size_t i = 0; i < size; ++i) {
      const auto gate = [&](std::size_t number) {
        const std::size_t j = number * size + i;
        return product(from_input[j], row) + product(from_state[j], states.back()) + bias[j];
      };
      cell[i] = sigma(gate(1)) * cell[i] + sigma(gate(0)) * std::tanh(gate(2));
      next.push_back(sigma(gate(3)) * std::tanh(cell[i]));
    }
    states.push_back(next);
  }
  return {states.begin() + 1, states.end()};
}

Row PlainTransformer::feed_forward(const std::string& name, Activation activation,
                                   const Row& x) const {
  Row inner = linear(name + ".inner", x);
  for (double& value : inner) value = activated(activation, value);
  if (is_one_of(activation, {Activation::geglu, Activation::swiglu})) {
    const Row gate = linear(name + ".gated", x);
    for (std::size_t i = 0; i < inner.size(); ++i) inner[i] *= gate[i];
  }
  return linear(name + ".outer", inner);
}

template <class Part>
Rows PlainTransformer::residual(const std::string& name, NormPlace place, const Rows& x,
                                const Part& part) const {
  Rows read;
  for (const Row& row : x) read.push_back(place == NormPlace::pre ? norm(name, row) : row);
  const Rows added = part(read);
  Rows result;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const Row total = sum(x[t], added[t]);
    result.push_back(place == NormPlace::pre ? total : norm(name, total));
  }
  return result;
}

Row PlainTransformer::norm_share(const std::string& name, const Row& v, const Row& x) const {
  const Row gain = vector(name + ".gain");
  const auto count = static_cast<double>(x.size());
  double mean = 0.0, mean_of_x = 0.0, variance = 0.0;
  for (const double value : v) mean += value / count;
  for (const double value : x) mean_of_x += value / count;
  for (const double value : x) variance += (value - mean_of_x) * (value - mean_of_x) / count;
  Row result;
  for (std::size_t i = 0; i < v.size(); ++i)
    result.push_back(gain[i] * (v[i] - mean) / std::sqrt(variance + 1e-5));
  return result;
}

void PlainTransformer::record_interactions(const Passed& how, const Rows& x, const Rows& y) const {
  Rows all;
  for (std::size_t t = 0; t < x.size(); ++t) {
    Rows terms = added_.at(how.name)[t];
    Row total = x[t];
    for (const Row& term : terms) total = sum(total, term);
    if (how.residual_apart) {
      terms.insert(terms.begin(), x[t]);
    } else {
      terms[t] = sum(terms[t], x[t]);
    }
    all.emplace_back();
    for (const Row& term : terms) {
      const Row vector =
          how.place == NormPlace::post ? norm_share(how.norm_name, term, total) : term;
      double whole = 0.0, distance = 0.0;
      for (std::size_t i = 0; i < vector.size(); ++i) {
        whole += std::abs(y[t][i]);
        distance += std::abs(y[t][i] - vector[i]);
      }
      all.back().push_back(std::max(0.0, whole - distance));
    }
  }
  interactions_[how.name] = all;
}

Rows PlainTransformer::encode(const std::vector<int64_t>& source) const {
  const auto& options = std::get<model::TransformerEncoderOptions>(model_.options().encoder);
  Rows x = input("encoder", "source_embedding", options, source);
  const auto each = [](const Rows& rows, const auto& function) {
    Rows results;
    for (const Row& row : rows) results.push_back(function(row));
    return results;
  };
  for (int64_t i = 0; i < options.layers; ++i) {
    const std::string layer = "encoder.layer" + std::to_string(i);
    const std::string inside = layer + ".self_attention";
    const Rows seen =
        residual(layer + ".self_attention_norm", options.norm, x, [&](const Rows& rows) {
          return attention(
              {inside + ".heads", options.heads, options.positions, inside + ".attention.scope",
               options.layer_attention.max_distance, false},
              rows, rows);
        });
    record_interactions({inside + ".heads", layer + ".self_attention_norm", options.norm, false}, x,
                        seen);
    x = seen;
    x = residual(layer + ".feed_forward_norm", options.norm, x, [&](const Rows& rows) {
      return each(rows, [&](const Row& row) {
        return feed_forward(layer + ".feed_forward", options.activation, row);
      });
    });
  }
  if (options.norm == NormPlace::post) return x;
  return each(x, [&](const Row& row) { return norm("encoder.norm", row); });
}

Rows PlainTransformer::decode(const Rows& encoded, const std::vector<int64_t>& words) const {
  const model::DecoderOptions& decoder = model_.options().decoder;
  const model::StackDecoderOptions& options = *model::stack_of(decoder);
  const auto each = [](const Rows& rows, const auto& function) {
    Rows results;
    for (const Row& row : rows) results.push_back(function(row));
    return results;
  };
  const Rows memory = each(encoded, [&](const Row& row) {
    return has("decoder.memory.weight") ? linear("decoder.memory", row) : row;
  });
  Rows x = input("decoder", "target_embedding", options, words);
  for (int64_t i = 0; i < options.layers; ++i) {
    const std::string layer = "decoder.layer" + std::to_string(i);
    const std::string inside = layer + ".mixer.self_attention";
    const Rows mixed = residual(layer + ".mixer_norm", options.norm, x, [&](const Rows& rows) {
      const auto* const transformer = std::get_if<model::TransformerDecoderOptions>(&decoder);
      if (transformer != nullptr) {
        return attention(
            {inside + ".heads", options.heads, options.positions, inside + ".attention.scope.scope",
             transformer->layer_attention.max_distance, true},
            rows, rows);
      }
      if (std::holds_alternative<model::SsruDecoderOptions>(decoder))
        return ssru(layer + ".mixer.ssru", rows);
      const bool has_gru = std::holds_alternative<model::GruDecoderOptions>(decoder);
      return has_gru ? gru(layer + ".mixer.cell", rows) : lstm(layer + ".mixer.cell", rows);
    });
    if (std::holds_alternative<model::TransformerDecoderOptions>(decoder))
      record_interactions({inside + ".heads", layer + ".mixer_norm", options.norm, false}, x,
                          mixed);
    x = residual(layer + ".attention_norm", options.norm, mixed, [&](const Rows& rows) {
      return attention({layer + ".attention.heads", model_.options().attention.heads,
                        PositionKind::none, "", 0, false},
                       rows, memory);
    });
    record_interactions({layer + ".attention.heads", layer + ".attention_norm", options.norm, true},
                        mixed, x);
    x = residual(layer + ".feed_forward_norm", options.norm, x, [&](const Rows& rows) {
      return each(rows, [&](const Row& row) {
        return feed_forward(layer + ".feed_forward", options.activation, row);
      });
    });
  }
  return each(x, [&](const Row& row) {
    return linear("output", options.norm == NormPlace::pre ? norm("decoder.norm", row) : row);
  });
}

}  // namespace attend::test
