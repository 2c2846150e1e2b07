// SPDX-License-Identifier: Apache-2.0
// The whole public API. Programs that only evaluate include evaluator.hpp instead.
#pragma once

#include "toroid/ciphertexts.hpp"
#include "toroid/circuit.hpp"
#include "toroid/client.hpp"
#include "toroid/error.hpp"
#include "toroid/evaluation_key.hpp"
#include "toroid/evaluator.hpp"
#include "toroid/files.hpp"
#include "toroid/interface.hpp"
#include "toroid/parameters.hpp"
#include "toroid/progress.hpp"
#include "toroid/values.hpp"
#include "toroid/version.hpp"
