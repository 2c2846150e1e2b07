# SPDX-License-Identifier: Apache-2.0
# GPU compilers. Asking for one that is absent, or for an engine that this version does not have, stops the
# configuration: a build that silently leaves the GPU out would be found out far too late.
function(toroid_require_accelerator language option hint)
  include(CheckLanguage)
  check_language(${language})
  if(NOT CMAKE_${language}_COMPILER)
    message(FATAL_ERROR "${option} is on, but no ${language} compiler was found. ${hint}")
  endif()
  message(STATUS "${language} compiler: ${CMAKE_${language}_COMPILER}")
  if(NOT EXISTS "${PROJECT_SOURCE_DIR}/src/backend_gpu/CMakeLists.txt")
    message(FATAL_ERROR "${option} is on and a ${language} compiler was found, but this version of Toroid has no "
                        "GPU engine yet (src/backend_gpu is absent). Configure without ${option}.")
  endif()
endfunction()

if(TOROID_ENABLE_CUDA)
  toroid_require_accelerator(CUDA TOROID_ENABLE_CUDA "Install the CUDA toolkit or set CUDACXX.")
endif()
if(TOROID_ENABLE_HIP)
  toroid_require_accelerator(HIP TOROID_ENABLE_HIP "Install hipcc (ROCm) or set HIPCXX.")
endif()
