# The tests of a folder are one program: it holds tests/FOLDER/*.cc and is linked with the layers that they test.
#   croft_tests(inference/chain USES inference SOURCES chain_sum_test chain_viterbi_test …)
# The program is called inference_chain_tests; ctest runs it as inference/chain, as several entries side by
# side where SHARDS says so.  THREADS: the tests whose names contain Thread are an entry of their own,
# labelled threads; the thread sanitizer runs these.
function(croft_tests folder)
  cmake_parse_arguments(TESTS "THREADS" "SHARDS;TIMEOUT" "SOURCES;USES;LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" program ${folder}_tests)
  list(TRANSFORM TESTS_SOURCES REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/tests/${folder}/\\1.cc")
  add_executable(${program} ${TESTS_SOURCES})
  croft_compile_together(${program} ${TESTS_SOURCES})
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM TESTS_USES PREPEND "croft_")
  target_link_libraries(${program} PRIVATE ${TESTS_USES} ${TESTS_LIBRARIES} croft_warnings GTest::gtest_main rapidcheck)
  target_compile_definitions(${program} PRIVATE CROFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # A quarter quicker to compile, under sanitizers four times; the library below them is what users get.
  if(CROFT_SANITIZE)
    target_compile_options(${program} PRIVATE -O0)
  else()
    target_compile_options(${program} PRIVATE -O1)
  endif()
  add_dependencies(unit_tests ${program})

  if(NOT TESTS_SHARDS)
    set(TESTS_SHARDS 1)
  endif()
  if(NOT TESTS_TIMEOUT)
    set(TESTS_TIMEOUT 300)
  endif()
  set(names *)
  if(TESTS_THREADS)
    set(names -*Thread*)
    add_dependencies(thread_tests ${program})
    if(NOT CROFT_TESTS_LEFT_OUT)  # those are for the thread sanitizer
      croft_test_entry(${folder}/threads ${program} *Thread* "unit;threads")
    endif()
  endif()
  if(TESTS_SHARDS EQUAL 1)
    croft_test_entry(${folder} ${program} ${names} unit)
  else()
    foreach(shard RANGE 1 ${TESTS_SHARDS})
      math(EXPR index "${shard} - 1")
      croft_test_entry(${folder}/${shard}of${TESTS_SHARDS} ${program} ${names} unit)
      set_tests_properties(${folder}/${shard}of${TESTS_SHARDS} PROPERTIES
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${TESTS_SHARDS};GTEST_SHARD_INDEX=${index}")
    endforeach()
  endif()
endfunction()

# Under the address sanitizer without the long ones, unless CROFT_LONG_TESTS asks for them.
set(CROFT_TESTS_LEFT_OUT "")
if(CROFT_SANITIZE MATCHES address AND NOT CROFT_LONG_TESTS)
  file(STRINGS ${PROJECT_SOURCE_DIR}/tests/long_tests.txt CROFT_TESTS_LEFT_OUT REGEX "^[^#]")
  list(TRANSFORM CROFT_TESTS_LEFT_OUT REPLACE "(.+)" "*\\1*")
  list(JOIN CROFT_TESTS_LEFT_OUT ":" CROFT_TESTS_LEFT_OUT)
endif()

# One entry of ctest: the tests of a program that a filter of GoogleTest leaves.  None left is a failure.
function(croft_test_entry name program filter labels)
  if(CROFT_TESTS_LEFT_OUT AND filter MATCHES "^-")
    string(APPEND filter ":${CROFT_TESTS_LEFT_OUT}")
  elseif(CROFT_TESTS_LEFT_OUT AND filter STREQUAL "*")
    string(APPEND filter "-${CROFT_TESTS_LEFT_OUT}")
  endif()
  add_test(NAME ${name} COMMAND ${program} --gtest_brief=1 --gtest_filter=${filter})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${TESTS_TIMEOUT} LABELS "${labels}"
    FAIL_REGULAR_EXPRESSION "Running 0 tests|\\[  FAILED  \\]|\\[==========\\] 0 tests")
endfunction()

# Fuzz targets fuzz/FOLDER/NAME.cc: programs with libFuzzer, which `fuzzers` builds, and a short run of each.
#   croft_fuzz(data USES data TARGETS fuzz_csv fuzz_columns …)
function(croft_fuzz folder)
  cmake_parse_arguments(FUZZ "" "" "USES;TARGETS" ${ARGN})
  list(TRANSFORM FUZZ_USES PREPEND "croft_")
  foreach(name ${FUZZ_TARGETS})
    add_executable(${name} ${folder}/${name}.cc)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/fuzz ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(${name} PRIVATE ${FUZZ_USES} croft_warnings)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${name})
    # libFuzzer writes what it finds into the first folder: not into the sources.
    set(found ${PROJECT_BINARY_DIR}/fuzz/found/${name})
    file(MAKE_DIRECTORY ${found})
    add_test(NAME fuzz/${name} COMMAND ${name} -max_total_time=2 -timeout=10 -rss_limit_mb=2048
             -artifact_prefix=${found}- ${found} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
    set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT 120 LABELS fuzz)
  endforeach()
endfunction()
