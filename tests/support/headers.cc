// The headers that all tests include: see esker_test_headers in tests/CMakeLists.txt.
