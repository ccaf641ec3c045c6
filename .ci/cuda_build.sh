#!/usr/bin/env bash
# Builds program and tests with an upstream LibTorch for CUDA, from nothing, and runs the tests with it on the CPU. Needs
# NVIDIA's toolkit (nvcc) of the CUDA version in the name of the wheel, but no GPU.
#   .ci/cuda_build.sh [TORCH_VERSION]    default 2.11.0; installs it from PyPI in build-cuda-venv/
#   .ci/cuda_build.sh configure          only checks the configure messages for a LibTorch that does not fit
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'cuda_build.sh: %s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

# fake_torch FOLDER CUDA_VERSION CXX_FLAGS: a folder that looks like a LibTorch to CMake; no version: one for the CPU.
fake_torch() {
  mkdir -p "$1/lib" "$1/share/cmake/Torch"
  if [[ -n $2 ]]; then
    touch "$1/lib/libtorch_cuda.so"
    printf "cuda: Optional[str] = '%s'\n" "$2" >"$1/version.py"
  fi
  printf 'set(Torch_FOUND ON)\nset(TORCH_CXX_FLAGS "%s")\nset(TORCH_INSTALL_PREFIX "%s")\n' "$3" "$1" \
    >"$1/share/cmake/Torch/TorchConfig.cmake"
}

# configure_says TEXT CUDA_VERSION CXX_FLAGS [OPTION...]
configure_says() {
  local text=$1 folder
  folder=$(mktemp -d)
  fake_torch "$folder/torch" "$2" "$3"
  cmake -G Ninja -S . -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/torch" "${@:4}" >"$folder/output" 2>&1 || true
  tr -s ' \n' ' ' <"$folder/output" | grep -qF -- "$text" || {
    tail -n 20 "$folder/output" >&2
    fail "configuring with a LibTorch \"$2\" \"$3\" and ${*:4} does not say: $text"
  }
  rm -rf "$folder"
}

check_configure() {
  say "configuring with a LibTorch of another CUDA version, without a CUDA compiler, and with the old C++ ABI"
  configure_says "was built for CUDA 9.2, but" 9.2 ""
  configure_says "but no CUDA compiler was found. Install NVIDIA's CUDA toolkit 9.2" 9.2 "" -DCMAKE_CUDA_COMPILER=NOTFOUND
  configure_says "has the old C++ ABI" "" -D_GLIBCXX_USE_CXX11_ABI=0
}

if [[ ${1:-} == configure ]]; then
  check_configure
  exit
fi
scripts/install_packages.sh python3-venv
check_configure
python3 -m venv build-cuda-venv
build-cuda-venv/bin/pip install --quiet "torch==${1:-2.11.0}"
prefix=$(build-cuda-venv/bin/python3 -c 'import torch; print(torch.utils.cmake_prefix_path)')
cmake --preset cuda -DATTEND_BUILD_TESTS=ON -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CUDA_FLAGS=-Xptxas=-v
cmake --build --preset cuda --parallel "$(nproc)" 2>&1 | tee build-cuda/build.log
if grep -q ptxas build-cuda/build.log; then .ci/cuda_registers.py build-cuda/build.log; fi  # absent if nothing was rebuilt
# Upstream has no headers of Gloo: processes share memory or send messages through the rendezvous. NCCL is linked, but its
# tests are skipped without a GPU.
ctest --preset cuda --parallel "$(nproc)" --label-exclude slow
say "all checks passed"
