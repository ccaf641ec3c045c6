#pragma once
/// What this folder shares of oneDNN. For its .cpp files, where ATTEND_ONEDNN is defined.
#ifdef ATTEND_ONEDNN
#include <cstdint>
#include <dnnl.hpp>

#include "kernels/gemm.h"

namespace attend::kernels::onednn {

inline const dnnl::engine& engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
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

/// What oneDNN calls memory. It takes pointers to non-const for what it only reads, too.
inline dnnl::memory wrap(const dnnl::memory::desc& layout, const void* data) {
  return {layout, engine(), const_cast<void*>(data)};
}

/// A product of matrices, ready to run any number of times.
class Product {
 public:
  explicit Product(const dnnl::matmul::primitive_desc& description)
      : description_(description), matmul_(description) {}

  /// For several threads at once, too.
  void operator()(const void* x, const void* weight, void* y) const {
    dnnl::stream stream(engine());
    const dnnl::memory scratchpad(description_.scratchpad_desc(), engine());
    matmul_.execute(stream, {{DNNL_ARG_SRC, wrap(description_.src_desc(), x)},
                             {DNNL_ARG_WEIGHTS, wrap(description_.weights_desc(), weight)},
                             {DNNL_ARG_DST, wrap(description_.dst_desc(), y)},
                             {DNNL_ARG_SCRATCHPAD, scratchpad}});
    stream.wait();
  }

 private:
  dnnl::matmul::primitive_desc description_;
  dnnl::matmul matmul_;
};

}  // namespace attend::kernels::onednn
#endif
