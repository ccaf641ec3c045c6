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

/// The name of a line of the current LinesScope.
uint64_t name_of(uint64_t line) {
  const torch::Tensor& names = thread_context().lines.names;
  return names.defined() ? static_cast<uint64_t>(names.data_ptr<int64_t>()[line]) : line;
}

/// The next seed of the current step; requires a StepsScope.
uint64_t seed_of_step() {
  StepDraws& steps = *thread_context().steps;
  if (steps.used == steps.seeds.size()) steps.seeds.push_back(next_seed());
  return steps.seeds[steps.used++];
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
  const ThreadContext& context = thread_context();
  if (!context.steps) return {next_seed(), 0, context.lines};
  return {seed_of_step(), context.steps->position, context.lines};
}

kernels::LineRows Draw::rows_of(torch::IntArrayRef sizes) const {
  kernels::LineRows rows;
  rows.first = position;
  rows.positions = sizes.size() > 2 ? sizes[sizes.size() - 2] : 1;
  int64_t sequences = 1;
  for (std::size_t i = 0; i + (sizes.size() > 2 ? 2 : 1) < sizes.size(); ++i) sequences *= sizes[i];
  const int64_t count = lines.count > 0 ? lines.count : sizes.size() > 1 ? sizes.front() : 1;
  if (count == 0 || sequences % count != 0) {
    throw std::logic_error("draw: the number of rows must be a multiple of the number of lines: " +
                           std::to_string(sequences) + " and " + std::to_string(count));
  }
  rows.parts = sequences / count;
  if (lines.names.defined())
    rows.lines = reinterpret_cast<const uint64_t*>(lines.names.data_ptr<int64_t>());
  return rows;
}

uint64_t next_seed() {
  if (std::optional<SeedSequence>& seeds = thread_context().seeds)
    return numbered_key(seeds->seed, seeds->used++);
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
}

LinesScope::LinesScope(const torch::Tensor& keys)
    : scope_(&ThreadContext::lines, {keys.contiguous(), keys.numel()}) {}

LinesScope::LinesScope(int64_t count)
    : scope_(&ThreadContext::lines,
             thread_context().lines.count > 0 ? thread_context().lines : Lines{{}, count}) {}

torch::Tensor LinesScope::renamed(int64_t count) {
  constexpr uint64_t kOthers = 0x7365676d656e7473;  // an arbitrary seed
  const int64_t present = thread_context().lines.count;
  const auto lines = static_cast<uint64_t>(present > 0 ? present : count);
  const torch::Tensor keys = torch::empty({static_cast<int64_t>(lines)}, torch::kInt64);
  for (uint64_t m = 0; m < lines; ++m)
    keys.data_ptr<int64_t>()[m] = static_cast<int64_t>(numbered_key(kOthers, name_of(m)));
  return keys;
}

torch::Tensor LinesScope::repeated(const torch::Tensor& rows) {
  const torch::Tensor from = rows.contiguous(), keys = torch::empty_like(from);
  const int64_t lines = thread_context().lines.count;
  std::map<int64_t, uint64_t> times;
  for (int64_t m = 0; m < from.numel(); ++m) {
    const int64_t row = from.data_ptr<int64_t>()[m];
    if (lines > 0 && row >= lines) throw std::logic_error("LinesScope: a row has no line");
    const uint64_t name = name_of(static_cast<uint64_t>(row)), time = times[row]++;
    keys.data_ptr<int64_t>()[m] = static_cast<int64_t>(time == 0 ? name : numbered_key(name, time));
  }
  return keys;
}

StepsScope::StepsScope() : is_inner_(thread_context().steps.has_value()) {
  if (!is_inner_) thread_context().steps.emplace();
}

StepsScope::~StepsScope() {
  if (!is_inner_) thread_context().steps.reset();
}

void StepsScope::begin(int64_t position) {
  if (is_inner_) return;
  thread_context().steps->position = position;
  thread_context().steps->used = 0;
}

DrawPoint DrawPoint::here(const torch::Device& device) {
  const ThreadContext& context = thread_context();
  if (context.steps) throw std::logic_error("draws inside a StepsScope cannot be repeated");
  DrawPoint point;
  point.lines_ = context.lines;
  point.seeds_ = context.seeds;
  const auto add = [&](const at::Generator& generator) {
    point.generators_.emplace_back(generator, state_of(generator));
  };
  if (!context.seeds) add(at::detail::getDefaultCPUGenerator());
  if (!device.is_cpu()) add(at::globalContext().defaultGenerator(device));
  return point;
}

DrawAgainScope::DrawAgainScope(const DrawPoint& point)
    : lines_(&ThreadContext::lines, point.lines_), seeds_(&ThreadContext::seeds, point.seeds_) {
  for (const auto& [generator, state] : point.generators_) {
    generators_.emplace_back(generator, state_of(generator));
    set_state(generator, state);
  }
}

DrawAgainScope::~DrawAgainScope() {
  for (const auto& [generator, state] : generators_) set_state(generator, state);
}

torch::Tensor draw_uniform(torch::IntArrayRef sizes) {
  return uniform(sizes, nullptr);
}

torch::Tensor draw_uniform_at(const torch::Tensor& columns) {
  const torch::Tensor dense = columns.to(torch::kCPU).contiguous();
  return uniform(dense.sizes(), dense.data_ptr<int64_t>());
}

}  // namespace attend::nn
