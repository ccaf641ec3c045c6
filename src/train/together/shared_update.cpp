#include "train/together/shared_update.h"

#include <torch/utils.h>

#include "train/update/slices.h"

namespace attend::train {
namespace {

/// The part of process `rank`: whole slices, about equally many for each process.
Part part_of_rank(const torch::Tensor& buffer, int64_t rank, int64_t ranks) {
  const Slices slices(buffer);
  const int64_t begin = slices.begin(slices.count() * rank / ranks);
  return {begin, slices.begin(slices.count() * (rank + 1) / ranks) - begin};
}

}  // namespace

SharedUpdate::SharedUpdate(const FlatParameters& parameters, const distributed::Communicator& peers)
    : memory_(*peers.memory()),
      part_(part_of_rank(parameters.values(), peers.rank(), peers.size())),
      values_(part_.of(parameters.values())),
      gradients_(part_.of(parameters.gradients())) {
  for (int64_t rank = 0; rank < peers.size(); ++rank) {
    if (rank == peers.rank()) continue;
    others_.push_back({part_.of(memory_.of(rank, parameters.values())),
                       part_.of(memory_.of(rank, parameters.gradients()))});
  }
}

void SharedUpdate::add_up(std::vector<double>& losses) {
  losses = memory_.sum(losses);
  const Slices slices(gradients_);
  for_each_slice(slices, [&](int64_t slice) {
    torch::Tensor sum = slices.of(gradients_, slice);
    for (const Other& other : others_) {
      torch::Tensor addend = slices.of(other.gradients, slice);
      sum.add_(addend);
      addend.zero_();
    }
  });
}

double SharedUpdate::sum_over_parts(double value) {
  return memory_.sum({value}).front();
}

void SharedUpdate::share() {
  const torch::NoGradGuard no_grad;
  for (const Other& other : others_) torch::Tensor(other.values).copy_(values_);
  memory_.wait();
}

}  // namespace attend::train
