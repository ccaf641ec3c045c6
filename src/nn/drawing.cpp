#include "nn/drawing.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/utils.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "kernels/dropout.h"

namespace attend::nn {
namespace {

thread_local torch::Tensor lines_in_scope;
thread_local StepsScope* steps_in_scope = nullptr;
thread_local SeedScope* seeds_in_scope = nullptr;

/// `columns` may be null.
torch::Tensor uniform(torch::IntArrayRef sizes, const int64_t* columns) {
  const Draw draw = Draw::next();
  torch::Tensor y = torch::empty(sizes, torch::kFloat64);
  kernels::UniformDraws work;
  work.size = sizes.back();
  work.rows = work.size == 0 ? 0 : y.numel() / work.size;
  work.columns = columns;
  work.y = y.data_ptr<double>();
  work.seed = draw.seed;
  work.of = draw.rows_of(sizes);
  kernels::draw_uniform(work);
  return y;
}

}  // namespace

Draw Draw::next() {
  if (steps_in_scope == nullptr) return {next_seed(), 0, lines_in_scope};
  return {steps_in_scope->seed_of_step(), steps_in_scope->position_, lines_in_scope};
}

kernels::LineRows Draw::rows_of(torch::IntArrayRef sizes) const {
  kernels::LineRows rows;
  rows.first = position;
  rows.positions = sizes.size() > 2 ? sizes[sizes.size() - 2] : 1;
  int64_t sequences = 1;
  for (std::size_t i = 0; i + (sizes.size() > 2 ? 2 : 1) < sizes.size(); ++i) sequences *= sizes[i];
  const int64_t count = lines.defined() ? lines.numel() : sizes.size() > 1 ? sizes.front() : 1;
  if (count == 0 || sequences % count != 0) {
    throw std::logic_error("drawing for rows that are not whole lines: " +
                           std::to_string(sequences) + " of " + std::to_string(count));
  }
  rows.parts = sequences / count;
  if (lines.defined()) rows.lines = reinterpret_cast<const uint64_t*>(lines.data_ptr<int64_t>());
  return rows;
}

SeedScope::SeedScope(uint64_t seed) : seed_(seed), before_(std::exchange(seeds_in_scope, this)) {}

SeedScope::~SeedScope() {
  seeds_in_scope = before_;
}

uint64_t next_seed() {
  if (seeds_in_scope != nullptr)
    return kernels::numbered_key(seeds_in_scope->seed_, seeds_in_scope->used_++);
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
}

LinesScope::LinesScope(torch::Tensor keys)
    : before_(std::exchange(lines_in_scope, keys.contiguous())) {}

LinesScope::~LinesScope() {
  lines_in_scope = std::move(before_);
}

torch::Tensor LinesScope::present(int64_t rows) {
  return lines_in_scope.defined() ? lines_in_scope : torch::arange(rows);
}

torch::Tensor LinesScope::renamed(int64_t rows) {
  constexpr uint64_t kOthers = 0x7365676d656e7473;  // any seed that is not a line's
  const torch::Tensor from = present(rows), keys = torch::empty_like(from);
  for (int64_t m = 0; m < from.numel(); ++m) {
    const auto name = static_cast<uint64_t>(from.data_ptr<int64_t>()[m]);
    keys.data_ptr<int64_t>()[m] = static_cast<int64_t>(kernels::numbered_key(kOthers, name));
  }
  return keys;
}

torch::Tensor LinesScope::repeated(const torch::Tensor& rows) {
  const torch::Tensor from = rows.contiguous(), keys = torch::empty_like(from);
  const int64_t* const outer =
      lines_in_scope.defined() ? lines_in_scope.data_ptr<int64_t>() : nullptr;
  std::map<int64_t, uint64_t> times;
  for (int64_t m = 0; m < from.numel(); ++m) {
    const int64_t row = from.data_ptr<int64_t>()[m];
    if (outer != nullptr && row >= lines_in_scope.numel())
      throw std::logic_error("a row of a line that is not there");
    const auto name = static_cast<uint64_t>(outer == nullptr ? row : outer[row]);
    const uint64_t time = times[row]++;
    keys.data_ptr<int64_t>()[m] =
        static_cast<int64_t>(time == 0 ? name : kernels::numbered_key(name, time));
  }
  return keys;
}

StepsScope::StepsScope() : is_inner_(steps_in_scope != nullptr) {
  if (!is_inner_) steps_in_scope = this;
}

StepsScope::~StepsScope() {
  if (!is_inner_) steps_in_scope = nullptr;
}

void StepsScope::begin(int64_t position) {
  position_ = position;
  used_ = 0;
}

uint64_t StepsScope::seed_of_step() {
  if (used_ == seeds_.size()) seeds_.push_back(next_seed());
  return seeds_[used_++];
}

torch::Tensor draw_uniform(torch::IntArrayRef sizes) {
  return uniform(sizes, nullptr);
}

torch::Tensor draw_uniform_at(const torch::Tensor& columns) {
  const torch::Tensor dense = columns.to(torch::kCPU).contiguous();
  return uniform(dense.sizes(), dense.data_ptr<int64_t>());
}

}  // namespace attend::nn
