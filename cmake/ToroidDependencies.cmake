# SPDX-License-Identifier: Apache-2.0
# Third-party libraries, all from the distribution; docs/dependencies.md says why each was chosen.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium>=1.0.18)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(CLI11 REQUIRED)
# For the C and C++ front end; only the shared library is linked.
find_package(LLVM 19.1 REQUIRED CONFIG)
