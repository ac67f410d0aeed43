# Which requests of find_package(akunu VERSION) this version meets: its own, and those before it of the same minor version while there is
# no 1.0.
set(PACKAGE_VERSION "0.1.0")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" _akunu_minor "${PACKAGE_VERSION}")
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION AND PACKAGE_FIND_VERSION VERSION_GREATER_EQUAL _akunu_minor)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
