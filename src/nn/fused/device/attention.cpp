#include "nn/fused/device/attention.h"

#include "kernels/device/energies.h"
#include "kernels/device/memory_gradients.h"

namespace attend::nn::fused::device {
namespace {

using kernels::AttentionKeys;
using kernels::Series;
namespace bodies = kernels::device;

/// Adds the gradients of keys, for energies that have no special kernel for them.
template <class T>
void add_products(const char* name, const Where& where, const bodies::StepsOfRows<T>& over,
                  int64_t rows) {
  run_blocks(name, where, bodies::ProductsOverSteps<T>{over}, rows * over.groups());
}

/// Returns `over` with the vectors of `query` and the gradient of `keys`.
template <class T>
bodies::StepsOfRows<T> over_keys(bodies::StepsOfRows<T> over, const AttentionKeys<T>& keys,
                                 const Series<T>& query) {
  over.vectors = query.values;
  over.earlier = query.earlier;
  over.size = keys.inner;
  over.to = keys.gradients;
  return over;
}

// Energies for AttentionOnDevice: at(step) returns the body of a step, and finish() adds the
// remaining gradients. In the forward pass, all gradients are null.

template <class T>
class DotOnDevice {
 public:
  using Body = bodies::DotRow<T>;

  DotOnDevice(const AttentionKeys<T>& keys, Series<T> query, kernels::ProductForm form,
              const Leaf& bias)
      : keys_(keys),
        query_(query),
        form_(form),
        bias_(bias),
        d_bias_(form == kernels::ProductForm::tanh ? bias.gradient : torch::Tensor(),
                query.rows(0)) {}

  [[nodiscard]] Body at(int64_t step) const {
    Body body;
    body.positions = keys_.positions;
    body.inner = keys_.inner;
    body.keys = keys_.values;
    body.query = query_.value(step);
    body.form = form_;
    body.bias = bias_.values.defined() ? bias_.template data<T>() : nullptr;
    body.d_query = gradient_or_null(query_, step);
    body.d_bias = d_bias_.template data<T>();
    return body;
  }

  void finish(const Where& where, const bodies::StepsOfRows<T>& over, int64_t rows) {
    add_products("attend::key_gradient", where, over_keys(over, keys_, query_), rows);
    d_bias_.add_up();
  }

 private:
  AttentionKeys<T> keys_;
  Series<T> query_;
  kernels::ProductForm form_;
  Leaf bias_;
  SumsByRow d_bias_;
};

template <class T>
class TanhOnDevice {
 public:
  using Body = bodies::TanhRow<T>;

  TanhOnDevice(const AttentionKeys<T>& keys, Series<T> query, const Leaf& vector)
      : keys_(keys), query_(query), vector_(vector), d_vector_(vector.gradient, query.rows(0)) {}

  [[nodiscard]] Body at(int64_t step) const {
    Body body;
    body.positions = keys_.positions;
    body.inner = keys_.inner;
    body.keys = keys_.values;
    body.query = query_.value(step);
    body.vector = vector_.template data<T>();
    body.d_query = gradient_or_null(query_, step);
    body.d_vector = d_vector_.template data<T>();
    return body;
  }

  void finish(const Where& where, const bodies::StepsOfRows<T>& over, int64_t rows) {
    const bodies::TanhKeysOverSteps<T> body{over_keys(over, keys_, query_), keys_.values,
                                            vector_.template data<T>()};
    run_blocks("attend::key_gradient", where, body, rows * body.over.groups());
    d_vector_.add_up();
  }

 private:
  AttentionKeys<T> keys_;
  Series<T> query_;
  Leaf vector_;
  SumsByRow d_vector_;
};

template <class T>
class TraceOnDevice {
 public:
  using Body = bodies::TraceRow<T>;

  TraceOnDevice(const Where& where, const AttentionKeys<T>& keys, Series<T> query,
                const Leaf& vector, const TraceParts<T>& trace)
      : keys_(keys),
        query_(query),
        vector_(vector),
        trace_(trace),
        d_vector_(vector.gradient, query.rows(0)),
        d_filters_(trace.filters.gradient, query.rows(0)),
        d_weight_(trace.weight.gradient, query.rows(0)) {
    const int64_t rows = query.rows(0), positions = keys.positions;
    features_ = torch::empty({rows, filter_count(), positions}, where.options);
    if (keys.gradients == nullptr) return;
    d_features_ = torch::empty_like(features_);
    d_sums_ = torch::empty({rows, positions, keys.inner}, where.options);
  }

  [[nodiscard]] Body at(int64_t step) const {
    const auto data = [](const torch::Tensor& x) {
      return x.defined() ? x.template data_ptr<T>() : nullptr;
    };
    Body body;
    body.positions = keys_.positions;
    body.inner = keys_.inner;
    body.keys = keys_.values;
    body.query = query_.value(step);
    body.vector = vector_.template data<T>();
    body.filter_count = filter_count();
    body.width = trace_.width;
    body.numbers = trace_.numbers.value(step);
    body.rates = trace_.rates;
    body.filters = trace_.filters.template data<T>();
    body.weight = trace_.weight.template data<T>();
    body.features = data(features_);
    body.d_keys = keys_.gradients;
    body.d_query = gradient_or_null(query_, step);
    body.d_vector = d_vector_.template data<T>();
    body.d_numbers = gradient_or_null(trace_.numbers, step);
    body.d_rates = trace_.d_rates;
    body.d_filters = d_filters_.template data<T>();
    body.d_weight = d_weight_.template data<T>();
    body.d_features = data(d_features_);
    body.d_sums = data(d_sums_);
    return body;
  }

  void finish(const Where&, const bodies::StepsOfRows<T>&, int64_t) {
    d_vector_.add_up();
    d_filters_.add_up();
    d_weight_.add_up();
  }

 private:
  [[nodiscard]] int64_t filter_count() const { return trace_.filters.values.size(0); }

  AttentionKeys<T> keys_;
  Series<T> query_;
  Leaf vector_;
  TraceParts<T> trace_;
  SumsByRow d_vector_, d_filters_, d_weight_;
  torch::Tensor features_, d_features_, d_sums_;
};

template <class T>
class GivenOnDevice {
 public:
  using Body = bodies::GivenRow<T>;

  explicit GivenOnDevice(Series<T> query) : query_(query) {}

  [[nodiscard]] Body at(int64_t step) const {
    return {query_.size, query_.value(step), gradient_or_null(query_, step)};
  }
  void finish(const Where&, const bodies::StepsOfRows<T>&, int64_t) {}

 private:
  Series<T> query_;
};

template <class T, class Energy>
class AttentionOnDevice final : public kernels::Operation {
 public:
  AttentionOnDevice(const Where& where, const AttentionParts<T>& parts, Energy energy)
      : where_(where),
        parts_(parts),
        energy_(std::move(energy)),
        d_bias_(parts.bias.gradient, rows(0)) {
    if (!parts.begins.defined() || !is_placed()) return;
    uncoloured_ = torch::empty({rows(0), parts.memory.positions}, where.options);
  }

  void forward(int64_t step) override {
    const bodies::AttentionRow<T, typename Energy::Body> body{at(step), energy_.at(step)};
    run_blocks("attend::attention", where_, body, rows(step));
  }

  void backward(int64_t step) override {
    const bodies::AttentionRowGradient<T, typename Energy::Body> body{with_gradients(step),
                                                                      energy_.at(step)};
    run_blocks("attend::attention_gradient", where_, body, rows(step));
  }

  void finish() override {
    bodies::StepsOfRows<T> of_values = over_steps();
    of_values.numbers = parts_.answer.weights.values;
    of_values.mask = parts_.answer.mask;
    of_values.vectors = parts_.answer.context.gradients;
    of_values.size = parts_.memory.size;
    of_values.to = parts_.memory.d_values;
    add_products("attend::value_gradient", where_, of_values, rows(0));
    bodies::StepsOfRows<T> of_keys = over_steps();
    of_keys.numbers = parts_.answer.weights.gradients;
    energy_.finish(where_, of_keys, rows(0));
    d_bias_.add_up();
  }

 private:
  [[nodiscard]] int64_t rows(int64_t step) const { return parts_.answer.weights.rows(step); }
  [[nodiscard]] bool is_placed() const { return parts_.view.place.values != nullptr; }

  [[nodiscard]] bodies::MemoryView view() const {
    bodies::MemoryView view;
    view.positions = parts_.memory.positions;
    view.lengths = parts_.memory.lengths;
    view.owners = parts_.memory.owners;
    view.heads = parts_.memory.heads;
    view.reach = parts_.view.reach;
    view.position = parts_.view.position;
    view.visible = parts_.view.visible;
    return view;
  }

  /// [rows of the step, S] The part of `all` for a step; null if `all` is null.
  [[nodiscard]] const T* of_step(const T* all, int64_t step) const {
    const Series<T>& weights = parts_.answer.weights;
    return all == nullptr ? nullptr : all + weights.steps->begin(step) * weights.size;
  }

  [[nodiscard]] bodies::AttentionStep<T> at(int64_t step) const {
    const kernels::AttentionResult<T>& answer = parts_.answer;
    bodies::AttentionStep<T> work;
    work.view = view();
    work.step = step;
    work.distribution = answer.distribution;
    work.size = parts_.memory.size;
    work.values = parts_.memory.values;
    work.weights = answer.weights.value(step);
    if (answer.kept.values != nullptr) work.kept = answer.kept.value(step);
    work.mask = of_step(answer.mask, step);
    work.noise = of_step(answer.noise, step);
    work.context = answer.context.value(step);
    if (is_placed()) work.place = parts_.view.place.value(step);
    if (!parts_.bias.values.defined()) return work;
    work.bias = parts_.bias.template data<T>();
    work.bias_reach = parts_.bias.values.size(-1) / 2;
    return work;
  }

  [[nodiscard]] bodies::AttentionStep<T> with_gradients(int64_t step) const {
    bodies::AttentionStep<T> work = at(step);
    work.d_weights = parts_.answer.weights.gradient(step);
    work.d_context = parts_.answer.context.gradient(step);
    work.d_bias = d_bias_.template data<T>();
    if (!is_placed()) return work;
    work.d_place = parts_.view.place.gradient(step);
    work.uncoloured = uncoloured_.template data_ptr<T>();
    return work;
  }

  [[nodiscard]] bodies::StepsOfRows<T> over_steps() const {
    bodies::StepsOfRows<T> over;
    over.view = view();
    over.steps = parts_.answer.weights.steps->count();
    over.begins = parts_.begins.template data_ptr<int64_t>();
    return over;
  }

  Where where_;
  AttentionParts<T> parts_;
  Energy energy_;
  SumsByRow d_bias_;
  torch::Tensor uncoloured_;
};

template <class T, class Energy>
OperationPointer attention_with(const Where& where, const AttentionParts<T>& parts, Energy energy) {
  return std::make_unique<AttentionOnDevice<T, Energy>>(where, parts, std::move(energy));
}

}  // namespace

template <class T>
OperationPointer dot_attention(const Where& where, const AttentionParts<T>& parts,
                               const AttentionKeys<T>& keys, Series<T> query,
                               kernels::ProductForm form, const Leaf& bias) {
  return attention_with(where, parts, DotOnDevice<T>(keys, query, form, bias));
}

template <class T>
OperationPointer tanh_attention(const Where& where, const AttentionParts<T>& parts,
                                const AttentionKeys<T>& keys, Series<T> query, const Leaf& vector) {
  return attention_with(where, parts, TanhOnDevice<T>(keys, query, vector));
}

template <class T>
OperationPointer trace_attention(const Where& where, const AttentionParts<T>& parts,
                                 const AttentionKeys<T>& keys, Series<T> query, const Leaf& vector,
                                 const TraceParts<T>& trace) {
  return attention_with(where, parts, TraceOnDevice<T>(where, keys, query, vector, trace));
}

template <class T>
OperationPointer given_attention(const Where& where, const AttentionParts<T>& parts,
                                 Series<T> query) {
  return attention_with(where, parts, GivenOnDevice<T>(query));
}

#define ATTEND_ATTENTION(T)                                                                  \
  template OperationPointer dot_attention(const Where&, const AttentionParts<T>&,            \
                                          const AttentionKeys<T>&, Series<T>,                \
                                          kernels::ProductForm, const Leaf&);                \
  template OperationPointer tanh_attention(const Where&, const AttentionParts<T>&,           \
                                           const AttentionKeys<T>&, Series<T>, const Leaf&); \
  template OperationPointer trace_attention(const Where&, const AttentionParts<T>&,          \
                                            const AttentionKeys<T>&, Series<T>, const Leaf&, \
                                            const TraceParts<T>&);                           \
  template OperationPointer given_attention(const Where&, const AttentionParts<T>&, Series<T>);

ATTEND_ATTENTION(float)
ATTEND_ATTENTION(double)

#undef ATTEND_ATTENTION

}  // namespace attend::nn::fused::device
