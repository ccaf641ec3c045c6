#include "tests/support/torch_pch.h"
