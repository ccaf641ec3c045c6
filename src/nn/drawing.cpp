#include "nn/drawing.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <torch/utils.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "core/splitmix.h"
#include "kernels/layer/dropout.h"

namespace attend::nn {
namespace {

thread_local Lines lines_in_scope;
thread_local StepsScope* steps_in_scope = nullptr;
thread_local SeedScope* seeds_in_scope = nullptr;

/// What names a line of the present scope.
uint64_t name_of(uint64_t line) {
  const torch::Tensor& names = lines_in_scope.names;
  return names.defined() ? static_cast<uint64_t>(names.data_ptr<int64_t>()[line]) : line;
}

torch::Tensor state_of(at::Generator generator) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return generator.get_state();
}

void set_state(at::Generator generator, const torch::Tensor& state) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_state(state);
}

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
  const int64_t count = lines.count > 0 ? lines.count : sizes.size() > 1 ? sizes.front() : 1;
  if (count == 0 || sequences % count != 0) {
    throw std::logic_error("drawing for rows that are not whole lines: " +
                           std::to_string(sequences) + " of " + std::to_string(count));
  }
  rows.parts = sequences / count;
  if (lines.names.defined())
    rows.lines = reinterpret_cast<const uint64_t*>(lines.names.data_ptr<int64_t>());
  return rows;
}

SeedScope::SeedScope(uint64_t seed) : seed_(seed), before_(std::exchange(seeds_in_scope, this)) {}

SeedScope::~SeedScope() {
  seeds_in_scope = before_;
}

uint64_t next_seed() {
  if (seeds_in_scope != nullptr)
    return numbered_key(seeds_in_scope->seed_, seeds_in_scope->used_++);
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
}

LinesScope::LinesScope(torch::Tensor keys) : before_(lines_in_scope) {
  lines_in_scope = {keys.contiguous(), keys.numel()};
}

LinesScope::LinesScope(int64_t count) : before_(lines_in_scope) {
  if (before_.count == 0) lines_in_scope = {{}, count};
}

LinesScope::~LinesScope() {
  lines_in_scope = std::move(before_);
}

torch::Tensor LinesScope::renamed(int64_t count) {
  constexpr uint64_t kOthers = 0x7365676d656e7473;  // any seed that is not a line's
  const auto lines = static_cast<uint64_t>(lines_in_scope.count > 0 ? lines_in_scope.count : count);
  const torch::Tensor keys = torch::empty({static_cast<int64_t>(lines)}, torch::kInt64);
  for (uint64_t m = 0; m < lines; ++m)
    keys.data_ptr<int64_t>()[m] = static_cast<int64_t>(numbered_key(kOthers, name_of(m)));
  return keys;
}

torch::Tensor LinesScope::repeated(const torch::Tensor& rows) {
  const torch::Tensor from = rows.contiguous(), keys = torch::empty_like(from);
  std::map<int64_t, uint64_t> times;
  for (int64_t m = 0; m < from.numel(); ++m) {
    const int64_t row = from.data_ptr<int64_t>()[m];
    if (lines_in_scope.count > 0 && row >= lines_in_scope.count)
      throw std::logic_error("a row of a line that is not there");
    const uint64_t name = name_of(static_cast<uint64_t>(row)), time = times[row]++;
    keys.data_ptr<int64_t>()[m] = static_cast<int64_t>(time == 0 ? name : numbered_key(name, time));
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

DrawPoint DrawPoint::here(const torch::Device& device) {
  if (steps_in_scope != nullptr) throw std::logic_error("steps are not drawn for again");
  DrawPoint point;
  point.lines_ = lines_in_scope;
  const auto add = [&](const at::Generator& generator) {
    point.generators_.emplace_back(generator, state_of(generator));
  };
  if (seeds_in_scope != nullptr) {
    point.sequence_.emplace(seeds_in_scope->seed_, seeds_in_scope->used_);
  } else {
    add(at::detail::getDefaultCPUGenerator());
  }
  if (!device.is_cpu()) add(at::globalContext().defaultGenerator(device));
  return point;
}

DrawAgainScope::DrawAgainScope(const DrawPoint& point)
    : outer_lines_(std::exchange(lines_in_scope, point.lines_)),
      outer_seeds_(std::exchange(seeds_in_scope, nullptr)) {
  if (point.sequence_) {
    seeds_.emplace(point.sequence_->first);
    seeds_->used_ = point.sequence_->second;
  }
  for (const auto& [generator, state] : point.generators_) {
    generators_.emplace_back(generator, state_of(generator));
    set_state(generator, state);
  }
}

DrawAgainScope::~DrawAgainScope() {
  for (const auto& [generator, state] : generators_) set_state(generator, state);
  seeds_.reset();
  seeds_in_scope = outer_seeds_;
  lines_in_scope = std::move(outer_lines_);
}

torch::Tensor draw_uniform(torch::IntArrayRef sizes) {
  return uniform(sizes, nullptr);
}

torch::Tensor draw_uniform_at(const torch::Tensor& columns) {
  const torch::Tensor dense = columns.to(torch::kCPU).contiguous();
  return uniform(dense.sizes(), dense.data_ptr<int64_t>());
}

}  // namespace attend::nn
