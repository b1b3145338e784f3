# SPDX-License-Identifier: BSD-3-Clause
# An overlay port over this checkout: vcpkg install perp --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

set(PERP_OPTIONS "")
foreach(PAIR files:hdf5 scenes:jansson robots:libxml2 robots:zlib shapes:ode shapes:qhull)
  string(REPLACE ":" ";" PAIR "${PAIR}")
  list(GET PAIR 0 FEATURE)
  list(GET PAIR 1 LIBRARY)
  if(FEATURE IN_LIST FEATURES)
    list(APPEND PERP_OPTIONS "--with-${LIBRARY}")
  else()
    list(APPEND PERP_OPTIONS "--without-${LIBRARY}")
  endif()
endforeach()

vcpkg_configure_make(
  SOURCE_PATH "${SOURCE_PATH}"
  AUTOCONFIG
  OPTIONS
    ${PERP_OPTIONS}
    --without-metis --without-mumps --without-lpsolve --without-cvode --without-check --without-petsc
    --without-gmp --without-quadmath
    --without-siconos --without-siconos-kernel --without-odelcp --without-dart --without-bullet
    --without-simbody --without-siconos-mechanics
)
vcpkg_install_make()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/perp)
vcpkg_copy_tools(TOOL_NAMES perp AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
