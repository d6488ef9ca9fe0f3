# `make deb` and `make tarball`: what `make install` installs, as a Debian package and as an archive that runs wherever it is unpacked.
set(CPACK_PACKAGE_NAME gradus)
set(CPACK_PACKAGE_VENDOR "gradus")
set(CPACK_PACKAGE_CONTACT "the gradus developers <gradus@localhost>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator of robots that walk, roll and play soccer")
set(CPACK_PACKAGE_DESCRIPTION "Every robot runs at the level of detail that the question needs, and all levels share one world.
 Program, viewer, C++ library, scenes, robots and examples.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)  # seconds instead of half a minute
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # libraries by what the program needs; dpkg-dev comes with build-essential
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-numpy, ffmpeg")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
include(CPack)
