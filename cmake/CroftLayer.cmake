# A layer of the house: one static library per folder, which may use only the layers above it.
#   croft_layer(core SOURCES error.cc … USES … LIBRARIES fmt::fmt)
# Sources live in src/NAME, headers in include/croft/NAME.
function(croft_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;USES;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
  list(TRANSFORM LAYER_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/src/${name}/")
  add_library(croft_${name} STATIC ${LAYER_SOURCES})
  add_library(croft::${name} ALIAS croft_${name})
  set_target_properties(croft_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(croft_${name} PUBLIC cxx_std_20)
  target_include_directories(croft_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM LAYER_USES PREPEND "croft_")
  target_link_libraries(croft_${name}
    PUBLIC ${LAYER_USES} ${LAYER_LIBRARIES}
    PRIVATE ${LAYER_PRIVATE_LIBRARIES} croft_warnings)
  set_property(GLOBAL APPEND PROPERTY CROFT_LAYERS croft_${name})
endfunction()

# A test program tests/FOLDER/NAME.cc, linked with the layers that it tests.
#   croft_test(core compensated_sum_test USES core)
function(croft_test folder name)
  cmake_parse_arguments(TEST "" "LABEL;TIMEOUT" "USES;LIBRARIES" ${ARGN})
  if(NOT CROFT_BUILD_TESTS)
    return()
  endif()
  add_executable(${name} ${PROJECT_SOURCE_DIR}/tests/${folder}/${name}.cc)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM TEST_USES PREPEND "croft_")
  target_link_libraries(${name} PRIVATE ${TEST_USES} ${TEST_LIBRARIES} croft_warnings GTest::gtest_main rapidcheck)
  target_compile_definitions(${name} PRIVATE CROFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 300)
  endif()
  if(NOT TEST_LABEL)
    set(TEST_LABEL unit)
  endif()
  add_test(NAME ${folder}/${name} COMMAND ${name})
  set_tests_properties(${folder}/${name} PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS ${TEST_LABEL})
endfunction()

# A fuzz target fuzz/NAME.cc (libFuzzer, clang), and a short run of it in the suite.
# With another compiler the same entry point runs over the seed corpus only.
function(croft_fuzz name)
  cmake_parse_arguments(FUZZ "" "" "USES" ${ARGN})
  if(NOT CROFT_BUILD_TESTS)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY CROFT_FUZZ_TARGETS ${name})
  add_executable(${name} ${PROJECT_SOURCE_DIR}/fuzz/${name}.cc)
  list(TRANSFORM FUZZ_USES PREPEND "croft_")
  target_link_libraries(${name} PRIVATE ${FUZZ_USES} croft_warnings)
  if(CROFT_FUZZING)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME fuzz/${name} COMMAND ${name} -max_total_time=10 -timeout=10 -rss_limit_mb=2048
             ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
  else()
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/fuzz/replay_main.cc)
    add_test(NAME fuzz/${name} COMMAND ${name} ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
  endif()
  set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT 120 LABELS fuzz)
endfunction()
