// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.hpp"

namespace toroid::backend {

/// Between any two devices: down from the one, up to the other. Waits for both streams.
class HostLink final : public Link {
 public:
    void copy(std::span<const std::uint32_t> slots, const CiphertextPool& from, Stream& from_stream,
              CiphertextPool& to, Stream& to_stream) override;
    [[nodiscard]] bool through_host() const noexcept override { return true; }
};

}  // namespace toroid::backend
