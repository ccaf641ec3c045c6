#pragma once
/// What packed_weight.cpp needs of oneDNN, where ATTEND_ONEDNN is defined.
#ifdef ATTEND_ONEDNN
#include <cstdint>
#include <cstdlib>
#include <dnnl.hpp>
#include <memory>
#include <new>

#include "kernels/gemm.h"

namespace attend::kernels::onednn {

inline const dnnl::engine& engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

/// Whether oneDNN may use VNNI, as its own environment variable allows. Without it, products of
/// int8 are rounded: two are added in 16 bits.
inline bool may_use_vnni() {
  constexpr auto kVnni = static_cast<unsigned>(dnnl_cpu_isa_avx512_core_vnni);
  return (static_cast<unsigned>(dnnl_get_effective_cpu_isa()) & kVnni) == kVnni;
}

/// Of a product: what becomes of the result's old content, and who owns the scratch memory.
/// (Otherwise each of the many primitives that oneDNN keeps for later holds memory of its own.)
inline dnnl::primitive_attr attributes(Into into) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (into == Into::add) {
    dnnl::post_ops sum;
    sum.append_sum(1.0F);
    attributes.set_post_ops(sum);
  }
  return attributes;
}

/// Scratch memory of the calling thread: `size` bytes, until the next call asks for more.
inline void* scratch(std::size_t size) {
  constexpr std::size_t kAlignment = 128;  // the largest that oneDNN makes use of
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  thread_local std::unique_ptr<void, Free> memory;
  thread_local std::size_t available = 0;
  if (size > available) {
    const std::size_t wanted = (size + kAlignment - 1) / kAlignment * kAlignment;
    available = 0;  // until there is as much
    memory.reset();
    memory.reset(std::aligned_alloc(kAlignment, wanted));
    if (memory == nullptr) throw std::bad_alloc();
    available = wanted;
  }
  return memory.get();
}

/// What oneDNN calls memory. It takes pointers to non-const for what it only reads, too.
inline dnnl::memory wrap(const dnnl::memory::desc& layout, const void* data) {
  return {layout, engine(), const_cast<void*>(data)};
}

/// A product of matrices, ready to run any number of times.
class Product {
 public:
  explicit Product(const dnnl::matmul::primitive_desc& description)
      : x_(description.src_desc()),
        weight_(description.weights_desc()),
        y_(description.dst_desc()),
        scratchpad_(description.scratchpad_desc()),
        matmul_(description) {}

  /// For several threads at once, too.
  void operator()(const void* x, const void* weight, void* y) const {
    thread_local dnnl::stream stream(engine());
    matmul_.execute(stream,
                    {{DNNL_ARG_SRC, wrap(x_, x)},
                     {DNNL_ARG_WEIGHTS, wrap(weight_, weight)},
                     {DNNL_ARG_DST, wrap(y_, y)},
                     {DNNL_ARG_SCRATCHPAD, wrap(scratchpad_, scratch(scratchpad_.get_size()))}});
    stream.wait();
  }

 private:
  dnnl::memory::desc x_, weight_, y_, scratchpad_;
  dnnl::matmul matmul_;
};

}  // namespace attend::kernels::onednn
#endif
