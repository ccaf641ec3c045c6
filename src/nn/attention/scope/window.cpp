#include "nn/attention/scope/window.h"

namespace attend::nn {

View window_around(const torch::Tensor& centres, int64_t reach, const Memory& memory) {
  const int64_t source = memory.mask.size(1);
  const int64_t width = 2 * reach + 1;
  const torch::Tensor centre = centres.detach().unsqueeze(2);  // [N, T, 1]
  View view;
  torch::Tensor real = memory.mask.unsqueeze(1);  // [N, 1, S]
  if (width < source) {
    const torch::Tensor first = (centre - reach).ceil().to(torch::kInt64).clamp(0, source - width);
    view.positions = first + torch::arange(width, first.options());
    real = real.expand({-1, centre.size(1), -1}).gather(2, view.positions);
  }
  view.mask = (column_positions({real, view.positions, {}, {}}, centre) - centre).abs() <= reach;
  view.mask = view.mask.logical_and(real);
  return view;
}

torch::Tensor column_positions(const View& view, const torch::Tensor& like) {
  if (view.positions.defined()) return view.positions.to(like.scalar_type());
  return torch::arange(view.mask.size(2), like.options()).view({1, 1, -1});
}

torch::Tensor gather_window(const torch::Tensor& x, const torch::Tensor& positions) {
  if (!x.defined()) return x;
  const int64_t rows = positions.size(0) * positions.size(1), width = positions.size(2);
  const torch::Tensor index = positions.flatten(1);  // [N, T * W]
  if (x.dim() == 2) return x.gather(1, index).view({rows, width});
  return x.gather(1, index.unsqueeze(2).expand({-1, -1, x.size(2)})).view({rows, width, x.size(2)});
}

torch::Tensor gather_window_energies(const torch::Tensor& energies,
                                     const torch::Tensor& positions) {
  if (energies.dim() == 3) return energies.gather(2, positions).flatten(0, 1).unsqueeze(1);
  const torch::Tensor index = positions.unsqueeze(1).expand({-1, energies.size(1), -1, -1});
  return energies.gather(3, index).transpose(1, 2).flatten(0, 1).unsqueeze(2);
}

torch::Tensor scatter_window(const torch::Tensor& weights, const torch::Tensor& positions,
                             int64_t source) {
  return torch::zeros({weights.size(0), weights.size(1), source}, weights.options())
      .scatter(2, positions, weights);
}

}  // namespace attend::nn
