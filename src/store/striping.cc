#include "store/striping.h"

#include <dlfcn.h>

#include <cstdint>
#include <limits>
#include <memory>

namespace esker {
namespace {

// Source: lustreapi(7), llapi_layout_get_by_path(3), llapi_layout_stripe_count_get(3).
struct LustreLayout;
constexpr std::uint32_t kGetExpected = 1;  // for a directory: the layout of its new files

template <class Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

}  // namespace

Striping lustre_striping(const std::string& path, const char* library) {
  const std::unique_ptr<void, int (*)(void*)> loaded(::dlopen(library, RTLD_NOW | RTLD_LOCAL), ::dlclose);
  if (!loaded) return {};
  const auto get = find<LustreLayout*(const char*, std::uint32_t)>(loaded.get(), "llapi_layout_get_by_path");
  const auto get_size =
      find<int(const LustreLayout*, std::uint64_t*)>(loaded.get(), "llapi_layout_stripe_size_get");
  const auto get_count =
      find<int(const LustreLayout*, std::uint64_t*)>(loaded.get(), "llapi_layout_stripe_count_get");
  const auto release = find<void(LustreLayout*)>(loaded.get(), "llapi_layout_free");
  if (!get || !get_size || !get_count || !release) return {};
  const std::unique_ptr<LustreLayout, void (*)(LustreLayout*)> layout(get(path.c_str(), kGetExpected),
                                                                      release);
  std::uint64_t size = 0, count = 0;
  if (!layout || get_size(layout.get(), &size) != 0 || get_count(layout.get(), &count) != 0) return {};
  // "All targets" and "the default" are numbers above any count.
  constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 32, kMaxCount = 1 << 16;
  if (size == 0 || size > kMaxSize || count == 0 || count > kMaxCount) return {};
  return {static_cast<Index>(size), static_cast<int>(count)};
}

}  // namespace esker
