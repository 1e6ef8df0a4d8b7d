# A layer of the house: one static library per folder, which may use only the layers above it.
#   croft_layer(core SOURCES error.cc … USES … LIBRARIES fmt::fmt)
# Sources live in src/NAME, with the headers that only the project uses; those of users in include/croft/NAME.
function(croft_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;USES;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
  list(TRANSFORM LAYER_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/src/${name}/")
  add_library(croft_${name} STATIC ${LAYER_SOURCES})
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
  set_property(GLOBAL APPEND PROPERTY CROFT_LAYERS croft_${name})
endfunction()
