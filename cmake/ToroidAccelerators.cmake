# SPDX-License-Identifier: Apache-2.0
# GPU compilers. Asking for one that is absent stops the configuration: a build that silently leaves the GPU out would
# be found out far too late.

if(TOROID_ENABLE_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "TOROID_ENABLE_CUDA is on, but no CUDA compiler was found. Install the CUDA toolkit or set "
                        "CUDACXX.")
  endif()
  # The whole list is ours; CMake's default would be the oldest architecture that nvcc knows.
  set(CMAKE_CUDA_ARCHITECTURES OFF)
  enable_language(CUDA)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
    message(FATAL_ERROR "${CMAKE_CUDA_COMPILER} is release ${CMAKE_CUDA_COMPILER_VERSION}; C++20 needs CUDA 12 or newer")
  endif()
  # CMake 3.25 does not know nvcc's flag for C++20.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  find_package(CUDAToolkit REQUIRED)
  execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --list-gpu-arch OUTPUT_VARIABLE known_architectures
                  RESULT_VARIABLE listed ERROR_QUIET)
  if(NOT listed EQUAL 0)
    message(FATAL_ERROR "${CMAKE_CUDA_COMPILER} does not list its architectures")
  endif()
  string(REGEX MATCHALL "[0-9]+" known_architectures "${known_architectures}")
  set(architectures "")
  foreach(architecture IN ITEMS 80 90 100)
    if(architecture IN_LIST known_architectures)
      list(APPEND architectures ${architecture}-real)
      set(newest ${architecture})
    endif()
  endforeach()
  if(NOT "90" IN_LIST known_architectures)
    message(FATAL_ERROR "${CMAKE_CUDA_COMPILER} knows no sm_90, only ${known_architectures}")
  endif()
  # Intermediate code lets newer cards translate at start what was not built for them.
  list(APPEND architectures ${newest}-virtual)
  set(TOROID_CUDA_ARCHITECTURES "${architectures}" CACHE STRING
      "CUDA architectures as in CUDA_ARCHITECTURES; default: 80, 90 and 100 as far as nvcc knows them, and PTX")
  message(STATUS "CUDA compiler: ${CMAKE_CUDA_COMPILER} for ${TOROID_CUDA_ARCHITECTURES}")
endif()

if(TOROID_ENABLE_HIP)
  find_program(TOROID_HIP_CLANG NAMES clang++-15 clang++-16 clang++-17 clang++-18 amdclang++
               DOC "clang that compiles HIP")
  if(NOT TOROID_HIP_CLANG)
    message(FATAL_ERROR "TOROID_ENABLE_HIP is on, but no clang++-15 or newer was found. Install clang-15 or set "
                        "TOROID_HIP_CLANG.")
  endif()
  set(TOROID_HIP_ARCHITECTURES "gfx90a;gfx1030" CACHE STRING "AMD architectures to compile for")
  find_path(TOROID_HIP_INCLUDE hip/hip_runtime.h HINTS ENV ROCM_PATH PATHS /opt/rocm PATH_SUFFIXES include
            DOC "Folder of hip/hip_runtime.h")
  if(NOT TOROID_HIP_INCLUDE)
    message(FATAL_ERROR "TOROID_ENABLE_HIP is on, but hip/hip_runtime.h was not found. Install libamdhip64-dev or set "
                        "TOROID_HIP_INCLUDE.")
  endif()
  find_path(TOROID_HIP_DEVICE_LIBRARIES ockl.bc HINTS ENV ROCM_PATH
            PATHS "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}" /opt/rocm PATH_SUFFIXES amdgcn/bitcode
            DOC "Folder of the device libraries (ockl.bc)")
  if(NOT TOROID_HIP_DEVICE_LIBRARIES)
    message(FATAL_ERROR "TOROID_ENABLE_HIP is on, but the device libraries (ockl.bc) were not found. Install "
                        "rocm-device-libs or set TOROID_HIP_DEVICE_LIBRARIES.")
  endif()
  # Distributions keep the parts of ROCm in other folders than ROCm itself, so all of them are named.
  cmake_path(GET TOROID_HIP_INCLUDE PARENT_PATH hip_prefix)
  set(TOROID_HIP_HOST_FLAGS -D__HIP_PLATFORM_AMD__ -std=c++20 -O3)
  # Naming the compiler's own folder again would change the order that its #include_next relies on.
  if(NOT TOROID_HIP_INCLUDE IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    list(APPEND TOROID_HIP_HOST_FLAGS -isystem "${TOROID_HIP_INCLUDE}")
  endif()
  set(TOROID_HIP_DEVICE_FLAGS -x hip "--rocm-path=${hip_prefix}"
      "--rocm-device-lib-path=${TOROID_HIP_DEVICE_LIBRARIES}")
  foreach(architecture IN LISTS TOROID_HIP_ARCHITECTURES)
    list(APPEND TOROID_HIP_DEVICE_FLAGS "--offload-arch=${architecture}")
  endforeach()
  set(trial "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/hip_trial")
  file(WRITE "${trial}.cu" "#include <hip/hip_runtime.h>\n__global__ void trial() {}\nvoid run() { trial<<<1, 1>>>(); }\n")
  execute_process(COMMAND "${TOROID_HIP_CLANG}" ${TOROID_HIP_HOST_FLAGS} ${TOROID_HIP_DEVICE_FLAGS} -c "${trial}.cu"
                          -o "${trial}.o"
                  RESULT_VARIABLE failed ERROR_VARIABLE output OUTPUT_VARIABLE output)
  if(NOT failed EQUAL 0)
    message(FATAL_ERROR "TOROID_ENABLE_HIP is on, but ${TOROID_HIP_CLANG} cannot compile for "
                        "${TOROID_HIP_ARCHITECTURES} (is lld-15 installed?):\n${output}")
  endif()
  message(STATUS "HIP compiler: ${TOROID_HIP_CLANG} for ${TOROID_HIP_ARCHITECTURES}")
endif()
