#pragma once
#include <cstdint>

namespace attend::kernels {

/// One step of Adam (Kingma & Ba 2015, Alg. 1) for `count` parameters p with gradients d, in one
/// pass over the memory. `step_size` and `epsilon` include the bias corrections:
///   p <- shrink p;  g = scale d + decay p;  d <- 0
///   m <- m + (1 - beta1) (g - m);  v <- beta2 v + (1 - beta2) g^2
///   p <- p - step_size m / (sqrt(v) + epsilon)
template <class T>
struct AdamStep {
  int64_t count = 0;
  T* values = nullptr;     // p
  T* gradients = nullptr;  // d
  T* mean = nullptr;       // m
  T* square = nullptr;     // v
  double scale = 1.0;
  double shrink = 1.0;  // AdamW: less than 1
  double decay = 0.0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double step_size = 0.0;
  double epsilon = 1e-8;
};

template <class T>  // float or double
void adam_step(const AdamStep<T>& step);

/// One step of gradient descent with momentum (Sutskever et al. 2013, without Nesterov's
/// look-ahead):
///   g = scale d + decay p;  d <- 0;  b <- momentum b + g;  p <- p - rate b
template <class T>
struct MomentumStep {
  int64_t count = 0;
  T* values = nullptr;     // p
  T* gradients = nullptr;  // d
  T* velocity = nullptr;   // b; null: b = g
  double scale = 1.0;
  double decay = 0.0;
  double momentum = 0.0;
  double rate = 0.0;
};

template <class T>
void momentum_step(const MomentumStep<T>& step);

}  // namespace attend::kernels
