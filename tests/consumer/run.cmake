# Installs a build into a new prefix, builds the project of this folder against it, runs both programs.
#   cmake -D BUILD=… -D WORK=… -D COMPILER=… -D SOURCE=… -P run.cmake
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build
    -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_PREFIX_PATH=${WORK}/prefix
    -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run(${CMAKE_COMMAND} --build ${WORK}/build)

run(${WORK}/prefix/bin/croft --version)
execute_process(
  COMMAND ${WORK}/build/tag ${SOURCE}/examples/ingredients/train.txt ${WORK}/m.croft
          2 cups whole-wheat flour , sifted
  OUTPUT_VARIABLE labels COMMAND_ERROR_IS_FATAL ANY)
if(NOT labels STREQUAL "QTY\nUNIT\nNAME\nNAME\nOTHER\nPREP\n")
  message(FATAL_ERROR "the installed library gave other labels:\n${labels}")
endif()
