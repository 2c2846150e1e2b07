# SPDX-License-Identifier: Apache-2.0
# What a build without any setting means. A project that includes Toroid keeps its own choices.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

get_property(several_configurations GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT several_configurations AND NOT CMAKE_BUILD_TYPE)
  # An unoptimised build is some twenty times slower, and nobody asks for that by saying nothing.
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TOROID_CCACHE ccache)
  if(TOROID_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${TOROID_CCACHE}")
    set(CMAKE_CUDA_COMPILER_LAUNCHER "${TOROID_CCACHE}")
  endif()
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
