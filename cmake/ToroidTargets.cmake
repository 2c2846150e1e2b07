# SPDX-License-Identifier: Apache-2.0
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Flags of our own code only; never exported to consumers. Warnings are the host compiler's: nvcc is given its own.
add_library(toroid_flags INTERFACE)
target_compile_options(toroid_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Werror>)
# GCC 12 reports overlaps inside std::string that cannot happen (GCC bug 105329).
target_compile_options(toroid_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
# In C++ GCC's -Wconversion leaves sign conversions to -Wsign-conversion; clang is held to the same set.
target_compile_options(toroid_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-sign-conversion>)
if(TOROID_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TOROID_BUILD_FUZZERS needs clang (-DCMAKE_CXX_COMPILER=clang++), not ${CMAKE_CXX_COMPILER_ID}")
  endif()
  if(NOT TOROID_SANITIZE)
    set(TOROID_SANITIZE address,undefined)
  endif()
endif()
if(TOROID_SANITIZE)
  target_compile_options(toroid_flags INTERFACE -fsanitize=${TOROID_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(toroid_flags INTERFACE -fsanitize=${TOROID_SANITIZE})
endif()

# toroid_layer(NAME <folder> [USES <layer>...] [LIBRARIES <target>...]): one static library for one folder
# of src/. USES must agree with the include rules of docs/architecture.md, which a CTest checks.
function(toroid_layer)
  cmake_parse_arguments(LAYER "" "NAME" "USES;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${LAYER_NAME}/*.cpp")
  add_library(toroid_${LAYER_NAME} STATIC ${sources})
  target_include_directories(toroid_${LAYER_NAME} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_include_directories(toroid_${LAYER_NAME} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                                         "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  foreach(used IN LISTS LAYER_USES)
    target_link_libraries(toroid_${LAYER_NAME} PUBLIC toroid_${used})
  endforeach()
  target_link_libraries(toroid_${LAYER_NAME} PRIVATE $<BUILD_INTERFACE:toroid_flags> ${LAYER_LIBRARIES})
  # Only the layers that read files tell libFuzzer their coverage; the others keep their speed.
  if(TOROID_BUILD_FUZZERS AND LAYER_NAME MATCHES "^(base|scheme|client|circuit)$")
    target_compile_options(toroid_${LAYER_NAME} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# toroid_test(NAME <folder> LABELS <label>... [USES <layer>...] [LIBRARIES <target>...] [SOURCES <file>...]
#             [TIMEOUT <seconds>] [SUITES [<suite filter>...]] [ENVIRONMENT <NAME=value>...])
# One test program test_<folder> from tests/<folder>/*_test.cpp. Without SUITES each GoogleTest case is a CTest entry
# and so a process of its own: right for cheap cases. With SUITES the program keeps costly fixtures (keys) alive:
# one CTest entry for each filter named (a suite name, or a GoogleTest pattern of suites such as Gate*), or one
# for the whole program when none is named. An entry that selects no test fails; one whose
# tests were all skipped is skipped.
function(toroid_test)
  cmake_parse_arguments(PARSE_ARGV 0 TEST "" "NAME;TIMEOUT" "LABELS;USES;LIBRARIES;SOURCES;SUITES;ENVIRONMENT")
  if(TEST_SOURCES)
    set(sources ${TEST_SOURCES})
  else()
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${TEST_NAME}/*_test.cpp")
  endif()
  if(NOT sources)
    message(FATAL_ERROR "toroid_test(${TEST_NAME}): no source file")
  endif()
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 300)
  endif()
  set(target test_${TEST_NAME})
  if(NOT TARGET ${target})
    add_executable(${target} ${sources})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(${target} PRIVATE toroid_flags toroid_test_support ${TEST_LIBRARIES})
    foreach(used IN LISTS TEST_USES)
      target_link_libraries(${target} PRIVATE toroid_${used})
    endforeach()
  endif()
  # ARGV tells "SUITES" without a value from no SUITES at all.
  if(NOT "SUITES" IN_LIST ARGV)
    # Lists do not survive as properties in gtest_discover_tests; the file included after its own sets them.
    gtest_discover_tests(${target} TEST_PREFIX "${TEST_NAME}." TEST_LIST ${target}_cases DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT ${TEST_TIMEOUT})
    set(properties "${CMAKE_CURRENT_BINARY_DIR}/${target}_properties.cmake")
    file(WRITE "${properties}"
         "if(${target}_cases)\n"
         "  set_tests_properties(\${${target}_cases} PROPERTIES LABELS \"${TEST_LABELS}\"\n"
         "                       ENVIRONMENT \"${TEST_ENVIRONMENT}\")\nendif()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${properties}")
    return()
  endif()
  set(entries "")
  if(NOT TEST_SUITES)
    add_test(NAME ${TEST_NAME} COMMAND ${target} --ctest-entry)
    list(APPEND entries ${TEST_NAME})
  endif()
  foreach(suite IN LISTS TEST_SUITES)
    # A whole GoogleTest pattern (with a dot) is taken as it is; a suite name means all its cases, parameterised or not.
    set(filter "${suite}.*:${suite}/*.*:*/${suite}.*:*/${suite}/*.*")
    if(suite MATCHES "\\.")
      set(filter "${suite}")
    endif()
    add_test(NAME ${TEST_NAME}.${suite} COMMAND ${target} --ctest-entry "--gtest_filter=${filter}")
    list(APPEND entries ${TEST_NAME}.${suite})
  endforeach()
  set_tests_properties(${entries} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT ${TEST_TIMEOUT}
                                             SKIP_RETURN_CODE 77 ENVIRONMENT "${TEST_ENVIRONMENT}")
endfunction()
