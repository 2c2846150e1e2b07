# SPDX-License-Identifier: Apache-2.0
# Builds and runs examples/cpp against Toroid, WAY = installed (cmake --install, find_package) or subdirectory
# (add_subdirectory), in the folder WORK. Run by CTest; see CMakeLists.txt for the arguments.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${WORK}")
set(settings -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}"
             "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}")
if(WAY STREQUAL "installed")
  run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/prefix" --component development)
  list(APPEND settings "-DCMAKE_PREFIX_PATH=${WORK}/prefix")
  # A program for `toroid compile` in a native build of the user's own.
  file(WRITE "${WORK}/halving.c" "#include <toroid.h>\n"
       "int halving(TOROID_CLEAR int n) { int c = 0; TOROID_LOOP_BOUND(9) while (n > 1) { n /= 2; c++; } return c; }\n"
       "int main(void) { return halving(300) == 8 ? 0 : 1; }\n")
  run(${CXX} -x c -Wall -Wextra -Werror "-I${WORK}/prefix/include" "${WORK}/halving.c" -o "${WORK}/halving")
  run("${WORK}/halving")
  if(SANITIZE)
    # Libraries built with sanitizers need their run-time library in every program.
    list(APPEND settings "-DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE}")
  endif()
  # Nothing may lead back to the source or build folder of Toroid.
  file(GLOB_RECURSE package "${WORK}/prefix/*.cmake")
  foreach(file IN LISTS package)
    file(READ "${file}" text)
    foreach(folder IN ITEMS "${SOURCE}/" "${BUILD}/")
      string(FIND "${text}" "${folder}" at)
      if(NOT at EQUAL -1)
        message(FATAL_ERROR "${file} names ${folder}")
      endif()
    endforeach()
  endforeach()
else()
  list(APPEND settings "-DTOROID_SOURCE=${SOURCE}" "-DTOROID_SANITIZE=${SANITIZE}")
  if(SANITIZE)
    list(APPEND settings "-DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE}")
  endif()
endif()

run(${CMAKE_COMMAND} -S "${SOURCE}/tests/consumer/${WAY}" -B "${WORK}/build" ${settings})
run(${CMAKE_COMMAND} --build "${WORK}/build" --parallel 2)

execute_process(COMMAND "${WORK}/build/example/add_encrypted" "${SOURCE}/examples/cpp/adder.blif" 9 13
                OUTPUT_VARIABLE output COMMAND_ECHO STDOUT ECHO_OUTPUT_VARIABLE COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "9 \\+ 13 = 22\n")
  message(FATAL_ERROR "the example gave a wrong answer: ${output}")
endif()
execute_process(COMMAND "${WORK}/build/example/add_encrypted" "${SOURCE}/examples/cpp/adder.blif" 9 16
                RESULT_VARIABLE code ERROR_VARIABLE message)
if(NOT code EQUAL 1 OR NOT message MATCHES "16")
  message(FATAL_ERROR "16 does not fit into 4 bits, but the example said: ${code} ${message}")
endif()

# A server's program holds no code that knows a secret key; the example with both sides does, which proves the look.
function(secret_symbols program result)
  execute_process(COMMAND ${NM} -C "${program}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "toroid::client::[A-Za-z_:]+" found "${symbols}")
  set(${result} "${found}" PARENT_SCOPE)
endfunction()
secret_symbols("${WORK}/build/server" server)
secret_symbols("${WORK}/build/example/add_encrypted" both)
if(server OR NOT both)
  message(FATAL_ERROR "secret-key code: in the server '${server}', in the example '${both}'")
endif()
run("${WORK}/build/server")
