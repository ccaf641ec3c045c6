// A GPU simulated in the memory of the host, for tests on machines without one. To be loaded before
// LibTorch:
//   LD_PRELOAD=build/tests/simulated_gpu/libsimulated_gpu.so ATTEND_TEST_DEVICE=cuda
//   build/tests/cli/cli_test
// LibTorch then has the device cuda:0. Its operations run on the CPU, but show what a GPU would
// show: operands on different devices are refused, gradients are computed in another thread, and
// the host cannot read the memory of the GPU: the program ends with SIGSEGV. With
// ATTEND_SIMULATED_GPU=shared, the memory is the host's, so that our kernels for a GPU, too, run on
// the CPU (kernels::device::gpu_is_simulated).
#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>
#include <torch/types.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace attend::simulated_gpu {
namespace {

using c10::IValue;
using torch::Tensor;

const c10::Device kGpu(c10::kCUDA, 0);

/// From an address in the host's memory to the address on the simulated GPU, which no program can
/// read unless the memory is shared.
std::uintptr_t distance() {
  static const char* const simulated = std::getenv("ATTEND_SIMULATED_GPU");
  static const bool shared = simulated != nullptr && simulated == std::string("shared");
  return shared ? 0 : std::uintptr_t{1} << 55;
}

void* there(void* host) {
  return host == nullptr
             ? nullptr
             : reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(host) + distance());
}

/// The address in the host's memory of the first byte of a storage on either device.
void* host_address(const c10::Storage& storage) {
  if (storage.data() == nullptr || storage.device() != kGpu) return storage.data();
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(storage.data()) - distance());
}

/// A storage that shares the memory of `storage` and keeps it, on another device.
c10::Storage storage_on(c10::Device device, const c10::Storage& storage,
                        c10::Allocator* allocator) {
  auto* const kept = new c10::Storage(storage);
  void* const host = host_address(storage);
  c10::DataPtr data(
      device == kGpu ? there(host) : host, kept,
      [](void* context) { delete static_cast<c10::Storage*>(context); }, device);
  return {c10::Storage::use_byte_size_t(), storage.nbytes(), std::move(data), allocator,
          /*resizable=*/true};
}

/// Gives `x` the place of `like` in its storage.
Tensor shaped(Tensor x, const Tensor& like) {
  auto* const implementation = x.unsafeGetTensorImpl();
  implementation->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
  if (like.unsafeGetTensorImpl()->is_wrapped_number()) implementation->set_wrapped_number(true);
  return x;
}

Tensor tensor_of(const c10::Storage& storage, c10::DispatchKey key, const Tensor& like) {
  return shaped(at::detail::make_tensor<c10::TensorImpl>(c10::Storage(storage),
                                                         c10::DispatchKeySet(key), like.dtype()),
                like);
}

/// A view of `x` that is shaped as `like`.
Tensor view_of(const Tensor& x, const Tensor& like) {
  return shaped(at::detail::make_tensor<c10::TensorImpl>(
                    c10::TensorImpl::VIEW, c10::Storage(x.storage()), x.key_set(), like.dtype()),
                like);
}

class Memory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) const override {
    c10::DataPtr data = c10::GetCPUAllocator()->allocate(bytes);
    const c10::DeleterFnPtr deleter = data.get_deleter();
    void* const host = data.get();
    return {there(host), data.release_context(), deleter, kGpu};
  }
};

Memory& memory() {
  static Memory memory;
  return memory;
}

/// One call of an operation: its operands on the host, and its results on the simulated GPU.
class Call {
 public:
  explicit Call(const c10::OperatorHandle& operation)
      : operation_(operation), name_(operation.schema().name()) {}

  void run(torch::jit::Stack& stack) {
    const std::size_t count = operation_.schema().arguments().size(), first = stack.size() - count;
    for (std::size_t i = 0; i < count; ++i) {
      stack[first + i] = on_host(stack[first + i], operation_.schema().arguments()[i]);
    }
    operation_.callBoxed(&stack);
    for (auto& [there, host] : operands_) follow(there, host);
    const auto& returns = operation_.schema().returns();
    const std::size_t first_result = stack.size() - returns.size();
    for (std::size_t i = 0; i < returns.size(); ++i) {
      stack[first_result + i] = on_gpu(stack[first_result + i]);
    }
  }

 private:
  struct Operand {
    Tensor there, host;
  };

  IValue on_host(const IValue& value, const c10::Argument& argument) {
    if (value.isTensor()) return moved(value.toTensor(), place_of(argument));
    if (value.isDevice()) return c10::Device(c10::kCPU);
    if (value.isTensorList()) {
      c10::List<Tensor> list;
      for (const Tensor& x : value.toTensorList()) list.push_back(moved(x, Place::gpu));
      return list;
    }
    if (value.isOptionalTensorList()) {
      c10::List<c10::optional<Tensor>> list;
      for (const IValue& x : value.toListRef()) {
        list.push_back(x.isTensor() ? c10::optional<Tensor>(moved(x.toTensor(), Place::any))
                                    : c10::nullopt);
      }
      return list;
    }
    return value;
  }

  /// Where an operand may be, as on a GPU.
  enum class Place { gpu, gpu_or_number, any };

  [[nodiscard]] Place place_of(const c10::Argument& argument) const {
    if (name_ == "aten::copy_") return Place::any;
    const bool written = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
    return written ? Place::gpu : Place::gpu_or_number;
  }

  Tensor moved(const Tensor& x, Place place) {
    if (!x.defined()) return x;
    if (x.device() != kGpu) {
      TORCH_CHECK(place == Place::any || (place == Place::gpu_or_number && x.dim() == 0), name_,
                  ": Expected all tensors to be on the same device, but found cuda:0 and ",
                  x.device(), " (simulated GPU)");
      return x;
    }
    for (const auto& [there, host] : operands_) {
      if (there.is_same(x)) return host;
    }
    Tensor host = tensor_of(host_storage(x.storage()), c10::DispatchKey::CPU, x);
    operands_.push_back({x, host});
    return host;
  }

  /// One for all operands that share a storage.
  c10::Storage host_storage(const c10::Storage& storage) {
    for (const auto& [there, host] : operands_) {
      if (there.storage().is_alias_of(storage)) return host.storage();
    }
    return storage_on(c10::kCPU, storage, c10::GetCPUAllocator());
  }

  /// The operation may have given its operand another size, and so other memory.
  static void follow(Tensor& there, const Tensor& host) {
    auto* const implementation = there.unsafeGetTensorImpl();
    if (host_address(host.storage()) != host_address(there.storage())) {
      implementation->set_storage_keep_dtype(storage_on(kGpu, host.storage(), &memory()));
    }
    if (host.sizes() != there.sizes() || host.strides() != there.strides() ||
        host.storage_offset() != there.storage_offset()) {
      implementation->set_sizes_and_strides(host.sizes(), host.strides(), host.storage_offset());
    }
  }

  IValue on_gpu(const IValue& value) {
    if (value.isTensor()) return returned(value.toTensor());
    if (!value.isTensorList()) return value;
    c10::List<Tensor> list;
    for (const Tensor& x : value.toTensorList()) list.push_back(returned(x));
    return list;
  }

  Tensor returned(const Tensor& x) {
    if (!x.defined() || x.device() == kGpu) return x;
    for (const auto& [there, host] : operands_) {
      if (host.is_same(x)) return there;
    }
    for (const auto& [there, host] : operands_) {  // a view
      if (host.storage().data() == x.storage().data() && x.storage().data() != nullptr) {
        return view_of(there, x);
      }
    }
    return tensor_of(storage_on(kGpu, x.storage(), &memory()), c10::DispatchKey::CUDA, x);
  }

  const c10::OperatorHandle& operation_;
  std::string name_;
  std::vector<Operand> operands_;
};

void run_on_host(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
  Call(operation).run(*stack);
}

Tensor empty(at::IntArrayRef sizes, c10::optional<at::ScalarType> type, c10::optional<at::Layout>,
             c10::optional<at::Device>, c10::optional<bool>,
             c10::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(sizes, &memory(), c10::DispatchKeySet(c10::DispatchKey::CUDA),
                                   c10::dtype_or_default(type), format);
}

Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides,
                     c10::optional<at::ScalarType> type, c10::optional<at::Layout>,
                     c10::optional<at::Device>, c10::optional<bool>) {
  return at::detail::empty_strided_generic(sizes, strides, &memory(),
                                           c10::DispatchKeySet(c10::DispatchKey::CUDA),
                                           c10::dtype_or_default(type));
}

bool is_pinned(const Tensor&, c10::optional<at::Device>) {
  return false;
}

Tensor pin_memory(const Tensor& x, c10::optional<at::Device>) {
  return x.clone();
}

class Hooks final : public at::CUDAHooksInterface {
 public:
  explicit Hooks(at::CUDAHooksArgs) {}
  void initCUDA() const override {}
  [[nodiscard]] bool hasCUDA() const override { return true; }
  [[nodiscard]] bool hasCUDART() const override { return true; }
  [[nodiscard]] std::string showConfig() const override { return "  - simulated GPU\n"; }
  [[nodiscard]] int getNumGPUs() const override { return 1; }
  [[nodiscard]] int64_t current_device() const override { return 0; }
  [[nodiscard]] bool hasPrimaryContext(int64_t) const override { return true; }
  void deviceSynchronize(int64_t) const override {}
  [[nodiscard]] at::Device getDeviceFromPtr(void*) const override { return kGpu; }
  [[nodiscard]] bool isPinnedPtr(void*) const override { return false; }
  [[nodiscard]] at::Allocator* getPinnedMemoryAllocator() const override {
    return c10::GetCPUAllocator();
  }
  [[nodiscard]] at::Allocator* getCUDADeviceAllocator() const override { return &memory(); }
  [[nodiscard]] const at::Generator& getDefaultCUDAGenerator(at::DeviceIndex) const override {
    return at::globalContext().defaultGenerator(at::kCPU);
  }
};

/// One device with one stream, which has always done all its work.
class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  Guard() = default;
  explicit Guard(c10::DeviceType) {}
  [[nodiscard]] c10::DeviceType type() const override { return c10::kCUDA; }
  c10::Device exchangeDevice(c10::Device) const override { return kGpu; }
  [[nodiscard]] c10::Device getDevice() const override { return kGpu; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device device) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override { return stream; }
  [[nodiscard]] c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  void record(void**, const c10::Stream&, const c10::DeviceIndex,
              const c10::EventFlag) const override {}
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream&) const override {}
};

// LibTorch has the steps of recurrent cells only for GPUs. Gates are i, f, g, o and r, z, n.

Tensor gates_of(const Tensor& x, const c10::optional<Tensor>& bias) {
  return bias.has_value() && bias->defined() ? x + *bias : x;
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell(const Tensor& x, const Tensor& h, const Tensor& cell,
                                             const c10::optional<Tensor>& x_bias,
                                             const c10::optional<Tensor>& h_bias) {
  const std::vector<Tensor> sums = (gates_of(x, x_bias) + gates_of(h, h_bias)).chunk(4, 1);
  const Tensor i = sums[0].sigmoid(), f = sums[1].sigmoid(), g = sums[2].tanh(),
               o = sums[3].sigmoid(), next = f * cell + i * g;
  return {o * next.tanh(), next, torch::cat({i, f, g, o}, 1)};
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell_backward(const c10::optional<Tensor>& d_hidden,
                                                      const c10::optional<Tensor>& d_next,
                                                      const Tensor& cell, const Tensor& next,
                                                      const Tensor& workspace, bool has_bias) {
  const std::vector<Tensor> gates = workspace.chunk(4, 1);
  const Tensor &i = gates[0], &f = gates[1], &g = gates[2], &o = gates[3], tanh = next.tanh();
  const bool has_d = d_hidden.has_value() && d_hidden->defined();
  const Tensor d_h = has_d ? *d_hidden : torch::zeros_like(next);
  Tensor d_c = d_h * o * (1 - tanh * tanh);
  if (d_next.has_value() && d_next->defined()) d_c = d_c + *d_next;
  const Tensor d_gates = torch::cat({d_c * g * i * (1 - i), d_c * cell * f * (1 - f),
                                     d_c * i * (1 - g * g), d_h * tanh * o * (1 - o)},
                                    1);
  return {d_gates, d_c * f, has_bias ? d_gates.sum(0) : Tensor()};
}

std::tuple<Tensor, Tensor> gru_cell(const Tensor& x, const Tensor& h, const Tensor& state,
                                    const c10::optional<Tensor>& x_bias,
                                    const c10::optional<Tensor>& h_bias) {
  const std::vector<Tensor> of_x = gates_of(x, x_bias).chunk(3, 1);
  const std::vector<Tensor> of_h = gates_of(h, h_bias).chunk(3, 1);
  const Tensor r = (of_x[0] + of_h[0]).sigmoid(), z = (of_x[1] + of_h[1]).sigmoid(),
               n = (of_x[2] + r * of_h[2]).tanh();
  return {n + z * (state - n), torch::cat({r, z, n, state, of_h[2]}, 1)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> gru_cell_backward(const Tensor& d_next,
                                                                     const Tensor& workspace,
                                                                     bool has_bias) {
  const std::vector<Tensor> kept = workspace.chunk(5, 1);
  const Tensor &r = kept[0], &z = kept[1], &n = kept[2], &state = kept[3], &of_h = kept[4];
  const Tensor d_n = d_next * (1 - z) * (1 - n * n), d_r = d_n * of_h * r * (1 - r),
               d_z = d_next * (state - n) * z * (1 - z);
  const Tensor d_x = torch::cat({d_r, d_z, d_n}, 1), d_h = torch::cat({d_r, d_z, d_n * r}, 1);
  if (!has_bias) return {d_x, d_h, d_next * z, Tensor(), Tensor()};
  return {d_x, d_h, d_next * z, d_x.sum(0), d_h.sum(0)};
}

[[maybe_unused]] const bool kAllocatorIsSet = [] {
  c10::SetAllocator(c10::kCUDA, &memory());
  return true;
}();

}  // namespace
}  // namespace attend::simulated_gpu

// NOLINTBEGIN: the macros of LibTorch
namespace at {
using attend::simulated_gpu::Hooks;
C10_REGISTER_TYPED_CLASS(CUDAHooksRegistry, "CUDAHooks", Hooks);
}  // namespace at

namespace c10::impl {
C10_REGISTER_GUARD_IMPL(CUDA, attend::simulated_gpu::Guard);
}  // namespace c10::impl

TORCH_LIBRARY_IMPL(_, CUDA, library) {
  library.fallback(
      torch::CppFunction::makeFromBoxedFunction<&attend::simulated_gpu::run_on_host>());
}

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  library.impl("empty.memory_format", attend::simulated_gpu::empty);
  library.impl("empty_strided", attend::simulated_gpu::empty_strided);
  library.impl("is_pinned", attend::simulated_gpu::is_pinned);
  library.impl("_pin_memory", attend::simulated_gpu::pin_memory);
  library.impl("_thnn_fused_lstm_cell", attend::simulated_gpu::lstm_cell);
  library.impl("_thnn_fused_lstm_cell_backward_impl", attend::simulated_gpu::lstm_cell_backward);
  library.impl("_thnn_fused_gru_cell", attend::simulated_gpu::gru_cell);
  library.impl("_thnn_fused_gru_cell_backward", attend::simulated_gpu::gru_cell_backward);
  library.impl("copy_",
               torch::CppFunction::makeFromBoxedFunction<&attend::simulated_gpu::run_on_host>());
}
// NOLINTEND
