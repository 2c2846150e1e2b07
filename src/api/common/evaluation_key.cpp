// SPDX-License-Identifier: Apache-2.0
#include "toroid/evaluation_key.hpp"

#include "api/common/access.hpp"

namespace toroid {

EvaluationKey::EvaluationKey(std::shared_ptr<const State> state) : state_(std::move(state)) {}

EvaluationKey detail::Access::wrap(scheme::EvaluationKey key) {
    ParameterSet parameters = wrap(key.parameters());
    return EvaluationKey(std::make_shared<const EvaluationKey::State>(
        EvaluationKey::State{std::move(key), std::move(parameters)}));
}

EvaluationKey EvaluationKey::load(const std::filesystem::path& path) {
    return detail::Access::wrap(scheme::EvaluationKey::load(path));
}
void EvaluationKey::save(const std::filesystem::path& path) const {
    state_->key.save(path);
}
const ParameterSet& EvaluationKey::parameters() const noexcept {
    return state_->parameters;
}
std::string EvaluationKey::key_id() const {
    return base::hex(state_->key.key_id());
}

}  // namespace toroid
