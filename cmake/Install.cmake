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

# Manual pages and what shells complete by, made by the program of its tables of options.
install(CODE "
  set(croft \"${CMAKE_BINARY_DIR}/croft\")
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATAROOTDIR}\")
  execute_process(COMMAND \${croft} manual OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL \"croft[^ ]*-[^ ]* [(]1[)]\" pages \"\${page}\")
  file(WRITE \${share}/man/man1/croft.1 \"\${page}\")
  foreach(name IN LISTS pages)
    string(REGEX REPLACE \"^croft.?-|.[(]1[)]\" \"\" verb \"\${name}\")
    string(REPLACE \"\\\\\" \"\" verb \"\${verb}\")
    execute_process(COMMAND \${croft} manual \${verb} OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE \${share}/man/man1/croft-\${verb}.1 \"\${page}\")
  endforeach()
  foreach(place bash:bash-completion/completions/croft zsh:zsh/site-functions/_croft fish:fish/vendor_completions.d/croft.fish)
    string(REPLACE \":\" \";\" place \"\${place}\")
    list(GET place 0 shell)
    list(GET place 1 path)
    execute_process(COMMAND \${croft} completion \${shell} OUTPUT_VARIABLE script COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE \${share}/\${path} \"\${script}\")
  endforeach()
  message(STATUS \"Installing: \${share}/man/man1/croft*.1, completions of bash, zsh and fish\")")
