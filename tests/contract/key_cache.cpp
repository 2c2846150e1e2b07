// SPDX-License-Identifier: Apache-2.0
#include "contract/key_cache.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

#include "api/evaluation/backend_table.hpp"
#include "base/thread_pool.hpp"
#include "support/seed.hpp"

namespace toroid::tests {

TestKey make_test_key(const scheme::Parameters& parameters, std::uint64_t number) {
    static base::ThreadPool pool;
    const std::string salted = parameters.name() + "#" + std::to_string(number);
    SeededSources random(std::hash<std::string>()(salted));
    client::SecretKey secret = client::SecretKey::generate(parameters, random, true);
    scheme::EvaluationKey evaluation = client::make_evaluation_key(secret, random, pool, {});
    return {std::move(secret), std::move(evaluation)};
}

const TestKey& test_key(const scheme::Parameters& parameters, std::uint64_t number) {
    static std::map<std::pair<std::string, std::uint64_t>, TestKey> keys;
    const std::pair id(parameters.name(), number);
    const auto found = keys.find(id);
    return found != keys.end() ? found->second
                               : keys.emplace(id, make_test_key(parameters, number)).first->second;
}

backend::Backend& test_backend(const std::string& name) {
    static std::map<std::string, std::unique_ptr<backend::Backend>> backends;
    auto& made = backends[name];
    if (made == nullptr) {
        made = api::backend_table().make(devices_without_transform(name), {.transform = transform_of(name)});
    }
    return *made;
}

std::shared_ptr<const backend::LoadedKey> loaded_key(const Instance& instance, std::uint64_t number) {
    using Id = std::tuple<std::string, std::string, std::uint64_t>;
    constexpr std::size_t kept = 4;
    static std::deque<std::pair<Id, std::shared_ptr<const backend::LoadedKey>>> loaded;
    const Id id(instance.backend, instance.parameters.name(), number);
    const auto found = std::ranges::find(loaded, id, [](const auto& entry) { return entry.first; });
    if (found != loaded.end()) return found->second;
    const TestKey& key = test_key(instance.parameters, number);
    loaded.emplace_back(id, test_backend(instance.backend).load(key.evaluation));
    const auto result = loaded.back().second;
    if (loaded.size() > kept) loaded.pop_front();
    return result;
}

}  // namespace toroid::tests
