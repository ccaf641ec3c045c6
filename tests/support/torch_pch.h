#pragma once
// Precompiled for every test that uses LibTorch. Each source still includes what it uses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/torch_pch.h"
