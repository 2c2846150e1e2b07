// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "backend/backend.hpp"

namespace toroid::backend {

/// The stream of a backend that has finished its work when evaluate() returns.
class HostStream final : public Stream {
 public:
    /// `backend` names its owner and must outlive it: a literal.
    explicit HostStream(std::string_view backend) : backend_(backend) {}
    void synchronize() override {}

    /// Error(internal) unless `stream` is this backend's.
    static void require(const Stream& stream, std::string_view backend);

 private:
    std::string_view backend_;
};

}  // namespace toroid::backend
