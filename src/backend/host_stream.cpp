// SPDX-License-Identifier: Apache-2.0
#include "backend/host_stream.hpp"

#include <fmt/format.h>

#include "toroid/error.hpp"

namespace toroid::backend {

void HostStream::require(const Stream& stream, std::string_view backend) {
    const auto* own = dynamic_cast<const HostStream*>(&stream);
    if (own == nullptr || own->backend_ != backend) {
        throw Error(ErrorKind::internal,
                    fmt::format("the stream belongs to another device than the {} backend", backend));
    }
}

}  // namespace toroid::backend
