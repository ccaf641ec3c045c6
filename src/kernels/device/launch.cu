// Instantiates each body of this folder as a GPU kernel, for float and double.
#include <stdexcept>
#include <string>

#include "kernels/device/cells.h"
#include "kernels/device/elements.h"
#include "kernels/device/energies.h"
#include "kernels/device/launch.h"
#include "kernels/device/memory_gradients.h"
#include "kernels/device/rows.h"

namespace attend::kernels::device {
namespace {

constexpr int kNumbersOfBlock = 256;

template <class Body>
__global__ void run_numbers(const Body body, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kNumbersOfBlock + threadIdx.x;
  if (i < count) body(i);
}

template <class Body>
__global__ void __launch_bounds__(kThreads, 1) run_blocks(const Body body) {
  CudaBlock block;
  body(block, static_cast<int64_t>(blockIdx.x));
}

void check_launch() {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string("cannot start a kernel on the GPU: ") +
                           cudaGetErrorString(error));
}

}  // namespace

template <class Body>
void launch_numbers_on_cuda(const Body& body, int64_t count, void* stream) {
  const auto blocks = static_cast<unsigned>((count + kNumbersOfBlock - 1) / kNumbersOfBlock);
  run_numbers<<<blocks, kNumbersOfBlock, 0, static_cast<cudaStream_t>(stream)>>>(body, count);
  check_launch();
}

template <class Body>
void launch_blocks_on_cuda(const Body& body, int64_t count, void* stream) {
  run_blocks<<<static_cast<unsigned>(count), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      body);
  check_launch();
}

#define ATTEND_NUMBERS(Body)                                                \
  template void launch_numbers_on_cuda(const Body<float>&, int64_t, void*); \
  template void launch_numbers_on_cuda(const Body<double>&, int64_t, void*);
#define ATTEND_BLOCKS(Body)                                                \
  template void launch_blocks_on_cuda(const Body<float>&, int64_t, void*); \
  template void launch_blocks_on_cuda(const Body<double>&, int64_t, void*);
#define ATTEND_ENERGY(Energy)                                                                     \
  template void launch_blocks_on_cuda(const AttentionRow<float, Energy<float>>&, int64_t, void*); \
  template void launch_blocks_on_cuda(const AttentionRow<double, Energy<double>>&, int64_t,       \
                                      void*);                                                     \
  template void launch_blocks_on_cuda(const AttentionRowGradient<float, Energy<float>>&, int64_t, \
                                      void*);                                                     \
  template void launch_blocks_on_cuda(const AttentionRowGradient<double, Energy<double>>&,        \
                                      int64_t, void*);

ATTEND_NUMBERS(LstmUnit)
ATTEND_NUMBERS(LstmUnitGradient)
ATTEND_NUMBERS(LstmOutputUnit)
ATTEND_NUMBERS(LstmOutputUnitGradient)
ATTEND_NUMBERS(GruUnit)
ATTEND_NUMBERS(GruUnitGradient)
ATTEND_NUMBERS(MinGruUnit)
ATTEND_NUMBERS(MinGruUnitGradient)
ATTEND_NUMBERS(TanhNumber)
ATTEND_NUMBERS(TanhNumberGradient)
ATTEND_NUMBERS(PositiveNumber)
ATTEND_NUMBERS(PositiveNumberGradient)
ATTEND_NUMBERS(MaskedNumber)
ATTEND_NUMBERS(SumOfNumbers)
ATTEND_NUMBERS(SumOfNumbersGradient)
ATTEND_NUMBERS(GatheredNumber)
ATTEND_BLOCKS(NormRow)
ATTEND_BLOCKS(NormRowGradient)
ATTEND_BLOCKS(DirectionRow)
ATTEND_BLOCKS(DirectionRowGradient)
ATTEND_BLOCKS(ProductsOverSteps)
ATTEND_BLOCKS(TanhKeysOverSteps)
ATTEND_ENERGY(DotRow)
ATTEND_ENERGY(TanhRow)
ATTEND_ENERGY(TraceRow)
ATTEND_ENERGY(GivenRow)

}  // namespace attend::kernels::device
