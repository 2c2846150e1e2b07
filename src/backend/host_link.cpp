// SPDX-License-Identifier: Apache-2.0
#include "backend/host_link.hpp"

namespace toroid::backend {

void HostLink::copy(std::span<const std::uint32_t> slots, const CiphertextPool& from, Stream& from_stream,
                    CiphertextPool& to, Stream& to_stream) {
    from_stream.synchronize();
    to_stream.synchronize();
    to.upload(slots, from.download(slots));
}

std::unique_ptr<Link> LoadedKey::make_link(const LoadedKey&) const {
    return std::make_unique<HostLink>();
}

}  // namespace toroid::backend
