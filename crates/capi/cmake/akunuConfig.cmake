# CMake's package akunu: the target akunu::akunu is the shared library, looked for from where this file lies (PREFIX/lib/cmake/akunu, or
# PREFIX/share/cmake/akunu), so that the prefix may be moved.
get_filename_component(_akunu_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(_akunu_file "${CMAKE_SHARED_LIBRARY_PREFIX}akunu${CMAKE_SHARED_LIBRARY_SUFFIX}")
set(_akunu_library)
foreach(_akunu_folder lib lib64 "lib/${CMAKE_LIBRARY_ARCHITECTURE}")
  if(NOT _akunu_library AND EXISTS "${_akunu_prefix}/${_akunu_folder}/${_akunu_file}")
    set(_akunu_library "${_akunu_prefix}/${_akunu_folder}/${_akunu_file}")
  endif()
endforeach()
if(NOT _akunu_library)
  set(akunu_FOUND FALSE)
  set(akunu_NOT_FOUND_MESSAGE "there is no ${_akunu_file} under ${_akunu_prefix}/lib; install akunu anew")
elseif(NOT TARGET akunu::akunu)
  add_library(akunu::akunu SHARED IMPORTED)
  set_target_properties(akunu::akunu PROPERTIES
    IMPORTED_LOCATION "${_akunu_library}"
    INTERFACE_INCLUDE_DIRECTORIES "${_akunu_prefix}/include")
endif()
