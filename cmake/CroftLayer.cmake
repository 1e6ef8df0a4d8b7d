# A layer of the house: one library per folder, which may use only the layers above it.
#   croft_layer(core SOURCES error.cc … USES … LIBRARIES fmt::fmt)
# ALONE: sources that are not to be compiled together with others.
# FOR_SIZE, QUICKLY: what waits for other layers most of the time, and what waits for its own kernels; compiled for
# size, or with -O2, and for debugging not optimised at all. It compiles a quarter faster, or a tenth; for debugging
# two to three times. Kernels and what is ALONE are optimised as in every other layer.
# Sources live in src/NAME, with the headers that only the project uses; those of users in include/croft/NAME.
# Under sanitizers the layers are shared libraries: a program of 200 MB takes four seconds to link, and there are 150.
set(CROFT_LAYER_KIND STATIC)
if(CROFT_SANITIZE)
  set(CROFT_LAYER_KIND SHARED)
endif()
function(croft_layer name)
  cmake_parse_arguments(LAYER "FOR_SIZE;QUICKLY" "" "SOURCES;ALONE;USES;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
  list(TRANSFORM LAYER_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/src/${name}/")
  list(TRANSFORM LAYER_ALONE PREPEND "${PROJECT_SOURCE_DIR}/src/${name}/")
  add_library(croft_${name} ${CROFT_LAYER_KIND} ${LAYER_SOURCES} ${LAYER_ALONE})
  croft_compile_together(croft_${name} ${LAYER_SOURCES})
  add_library(croft::${name} ALIAS croft_${name})
  set_target_properties(croft_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(croft_${name} PUBLIC cxx_std_20)
  target_include_directories(croft_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(TRANSFORM LAYER_USES PREPEND "croft_")
  target_link_libraries(croft_${name}
    PUBLIC ${LAYER_USES} ${LAYER_LIBRARIES}
    PRIVATE ${LAYER_PRIVATE_LIBRARIES} $<BUILD_INTERFACE:croft_warnings>)
  if(LAYER_FOR_SIZE OR LAYER_QUICKLY)
    set(level $<IF:$<BOOL:${LAYER_FOR_SIZE}>,-Os,-O2>)
    target_compile_options(croft_${name} PRIVATE $<$<CONFIG:Release>:${level}> $<$<CONFIG:Debug>:-O0>)
    set_source_files_properties(${LAYER_ALONE} PROPERTIES COMPILE_OPTIONS "${CROFT_OPTIMISED}")
  endif()
  set_property(GLOBAL APPEND PROPERTY CROFT_LAYERS croft_${name})
endfunction()

# Sources are compiled together: most of a compilation is the parsing of headers and the code of templates that every
# file would have once more. Those of a folder make groups of at most twenty; those of small folders make groups with
# each other. A kernel, which Highway compiles for each instruction set, stays by itself: for AVX-512, AVX2 and SSE2;
# under sanitizers for the last two.
set(CROFT_OPTIMISED $<$<CONFIG:Release>:-O3> $<$<CONFIG:Debug>:-O1>)
set(CROFT_LEFT_OUT HWY_SSSE3|HWY_SSE4)
if(CROFT_SANITIZE)
  string(APPEND CROFT_LEFT_OUT |HWY_AVX3)
endif()
function(croft_compile_together target)
  set(folders)
  foreach(source ${ARGN})
    file(STRINGS ${source} kernel REGEX "HWY_TARGET_INCLUDE|HWY_TARGETS" LIMIT_COUNT 1)
    if(kernel)
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${CROFT_OPTIMISED}"
        COMPILE_DEFINITIONS "HWY_DISABLED_TARGETS=(${CROFT_LEFT_OUT})")
    else()
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      string(MAKE_C_IDENTIFIER ${folder} folder)
      list(APPEND folders ${folder})
      list(APPEND of_${folder} ${source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(small)
  foreach(folder ${folders})
    list(LENGTH of_${folder} count)
    if(count LESS 10)
      list(APPEND small ${of_${folder}})
    else()
      croft_group(${folder} ${of_${folder}})
    endif()
  endforeach()
  if(small)
    croft_group(${target} ${small})
  endif()
  if(NOT CROFT_ALONE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endif()
endfunction()

# Groups of about the same size.
function(croft_group name)
  math(EXPR groups "(${ARGC} - 1 + 19) / 20")
  set(place 0)
  foreach(source ${ARGN})
    math(EXPR group "${place} * ${groups} / (${ARGC} - 1) + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${group})
    math(EXPR place "${place} + 1")
  endforeach()
endfunction()
