# The tests of a layer are one program, LAYER_tests: it holds tests/LAYER/*/*.cc and is linked with the layers
# that they test.
#   croft_tests(inference USES inference SHARDS 3 SOURCES chain/chain_sum_test chain/chain_viterbi_test …)
# ctest runs it as LAYER, or as LAYER/1of3 and so on side by side where SHARDS says so; `make check FOLDER=inference/chain`
# runs the tests of one folder.  THREADS: the tests whose names contain Thread are an entry of their own, labelled
# threads; the thread sanitizer runs these.
function(croft_tests layer)
  cmake_parse_arguments(TESTS "THREADS" "SHARDS;TIMEOUT" "SOURCES;USES;LIBRARIES" ${ARGN})
  set(program ${layer}_tests)
  list(TRANSFORM TESTS_SOURCES REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/tests/${layer}/\\1.cc")
  add_executable(${program} ${TESTS_SOURCES})
  croft_compile_together(${program} ${TESTS_SOURCES})
  croft_test_program(${program})
  list(TRANSFORM TESTS_USES PREPEND "croft_")
  target_link_libraries(${program} PRIVATE ${TESTS_USES} ${TESTS_LIBRARIES})
  target_precompile_headers(${program} REUSE_FROM croft_test_headers)
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
      croft_test_entry(${layer}/threads ${program} *Thread* "unit;threads")
    endif()
  endif()
  if(TESTS_SHARDS EQUAL 1)
    croft_test_entry(${layer} ${program} ${names} unit)
  else()
    foreach(shard RANGE 1 ${TESTS_SHARDS})
      math(EXPR index "${shard} - 1")
      croft_test_entry(${layer}/${shard}of${TESTS_SHARDS} ${program} ${names} unit)
      set_tests_properties(${layer}/${shard}of${TESTS_SHARDS} PROPERTIES
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${TESTS_SHARDS};GTEST_SHARD_INDEX=${index}")
    endforeach()
  endif()
endfunction()

# How every test is compiled; they share the headers that are compiled once.
function(croft_test_program name)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE croft_warnings GTest::gtest_main rapidcheck)
  target_compile_definitions(${name} PRIVATE CROFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # A quarter quicker to compile, under sanitizers four times; the library below them is what users get.
  if(CROFT_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  else()
    target_compile_options(${name} PRIVATE -O1)
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

# Fuzz targets fuzz/FOLDER/NAME.cc that need the same layers are one program with libFuzzer (fuzz/support/driver.cc),
# which `fuzzers` builds; ctest gives each target its seeds, `make fuzz` goes on from there.
#   croft_fuzz(data USES data features TARGETS data/fuzz_csv features/fuzz_template …)
function(croft_fuzz name)
  cmake_parse_arguments(FUZZ "" "" "USES;TARGETS" ${ARGN})
  list(TRANSFORM FUZZ_USES PREPEND "croft_")
  list(TRANSFORM FUZZ_TARGETS REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1.cc")
  add_executable(fuzz_${name} support/driver.cc ${FUZZ_TARGETS})
  croft_compile_together(fuzz_${name} ${FUZZ_TARGETS})
  target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/fuzz ${PROJECT_SOURCE_DIR}/tests)
  target_compile_options(fuzz_${name} PRIVATE -O0)
  target_link_libraries(fuzz_${name} PRIVATE ${FUZZ_USES} croft_warnings)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers fuzz_${name})
  add_test(NAME fuzz/${name} COMMAND fuzz_${name} --replay ${CMAKE_CURRENT_SOURCE_DIR}/corpus)
  set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT 300 LABELS fuzz)
endfunction()
