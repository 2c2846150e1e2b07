# SPDX-License-Identifier: Apache-2.0
# `cmake --install` and the package config: find_package(toroid) gives toroid::client (the owner's side) and
# toroid::evaluation (the server's side). The layers below them are static libraries, installed because those two need
# them, and no interface of their own. `cmake --install <build> --component development` leaves the command line out.
include(CMakePackageConfigHelpers)

set_target_properties(toroid_api_client PROPERTIES EXPORT_NAME client)
set_target_properties(toroid_api_evaluation PROPERTIES EXPORT_NAME evaluation)
add_library(toroid::client ALIAS toroid_api_client)
add_library(toroid::evaluation ALIAS toroid_api_evaluation)

# Every static library below src/.
function(toroid_libraries_below folder result)
  get_property(found DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  get_property(children DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(child IN LISTS children)
    toroid_libraries_below("${child}" below)
    list(APPEND found ${below})
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()
toroid_libraries_below("${PROJECT_SOURCE_DIR}/src" all)
set(libraries "")
foreach(target IN LISTS all)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND libraries ${target})
  endif()
endforeach()

set(TOROID_INSTALL_CMAKEDIR "${CMAKE_INSTALL_LIBDIR}/cmake/toroid")
install(TARGETS ${libraries} EXPORT toroidTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        COMPONENT development)
# For a user's own native build of a program that includes it; the compiler carries it along.
install(FILES "${PROJECT_SOURCE_DIR}/include/toroid.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/toroid" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
install(EXPORT toroidTargets NAMESPACE toroid:: DESTINATION "${TOROID_INSTALL_CMAKEDIR}" COMPONENT development)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/toroidConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/toroidConfig.cmake" INSTALL_DESTINATION "${TOROID_INSTALL_CMAKEDIR}")
# Before version 1 every minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/toroidConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/toroidConfig.cmake" "${PROJECT_BINARY_DIR}/toroidConfigVersion.cmake"
        DESTINATION "${TOROID_INSTALL_CMAKEDIR}" COMPONENT development)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT development)
