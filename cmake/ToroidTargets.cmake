# SPDX-License-Identifier: Apache-2.0
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Flags of our own code only; never exported to consumers.
add_library(toroid_flags INTERFACE)
target_compile_options(toroid_flags INTERFACE -Wall -Wextra -Wconversion -Werror)
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
  if(NOT sources)
    file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/${LAYER_NAME}_stub.cpp" "")
    set(sources "${CMAKE_CURRENT_BINARY_DIR}/${LAYER_NAME}_stub.cpp")
  endif()
  add_library(toroid_${LAYER_NAME} STATIC ${sources})
  target_include_directories(toroid_${LAYER_NAME} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_include_directories(toroid_${LAYER_NAME} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                                         "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  foreach(used IN LISTS LAYER_USES)
    target_link_libraries(toroid_${LAYER_NAME} PUBLIC toroid_${used})
  endforeach()
  target_link_libraries(toroid_${LAYER_NAME} PRIVATE $<BUILD_INTERFACE:toroid_flags> ${LAYER_LIBRARIES})
endfunction()

# toroid_test(NAME <folder> LABELS <label>... [USES <layer>...]): one test program from tests/<folder>.
# Each GoogleTest suite becomes one CTest entry, so that a costly fixture is set up once a suite.
function(toroid_test)
  cmake_parse_arguments(TEST "" "NAME;TIMEOUT" "LABELS;USES;LIBRARIES;SOURCES" ${ARGN})
  if(TEST_SOURCES)
    set(sources ${TEST_SOURCES})
  else()
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${TEST_NAME}/*_test.cpp")
  endif()
  if(NOT sources)
    return()
  endif()
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 300)
  endif()
  add_executable(test_${TEST_NAME} ${sources})
  target_include_directories(test_${TEST_NAME} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(test_${TEST_NAME} PRIVATE toroid_flags toroid_test_support ${TEST_LIBRARIES})
  foreach(used IN LISTS TEST_USES)
    target_link_libraries(test_${TEST_NAME} PRIVATE toroid_${used})
  endforeach()
  gtest_discover_tests(test_${TEST_NAME} TEST_PREFIX "${TEST_NAME}." DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT ${TEST_TIMEOUT})
endfunction()
