#pragma once
// Precompiled for every target that uses LibTorch: the narrow headers that our sources include.
// <torch/torch.h> would take twice as long. Each source still includes what it uses.
#include <torch/autograd.h>
#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>
