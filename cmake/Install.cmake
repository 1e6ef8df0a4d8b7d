# What `cmake --install` copies: the program, the libraries, their headers, and what find_package(croft)
# of another project reads.  tests/consumer is such a project.
include(CMakePackageConfigHelpers)

set(croft_config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/croft)

# Seen from outside as croft::croft (everything) and croft::core, croft::data, … (its layers).
add_library(croft::croft ALIAS croft)
get_property(layers GLOBAL PROPERTY CROFT_LAYERS)
install(TARGETS croft ${layers} EXPORT croft-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS croft_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(CROFT_C)
  install(TARGETS croft_c LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(CROFT_WAPITI_JNI)
  install(TARGETS croft_wapiti_jni LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY include/croft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT croft-targets NAMESPACE croft:: DESTINATION ${croft_config_folder})
configure_package_config_file(cmake/croft-config.cmake.in croft-config.cmake
  INSTALL_DESTINATION ${croft_config_folder})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(croft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/croft-config.cmake
              ${PROJECT_BINARY_DIR}/croft-config-version.cmake
  DESTINATION ${croft_config_folder})
