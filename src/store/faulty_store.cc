#include "store/faulty_store.h"

#include "base/error.h"
#include "base/macros.h"
#include "store/forwarding_store.h"

namespace esker {
namespace {

/// The rule of a test for the calls.
struct Rules {
  FaultRule rule;
  std::function<void()> write_failed;
};

/// Calls the rule; the Status is that of the system call that would fail.
Status ask(const FaultRule& rule, StoreCall call, const char* operation, const std::string& path) {
  const int fault = rule(call, path);
  return fault == 0 ? Status() : system_error(fault, operation, path);
}

class FaultyFile final : public File {
 public:
  FaultyFile(std::unique_ptr<File> inner, std::string path, const Rules& rules)
      : inner_(std::move(inner)), path_(std::move(path)), rules_(rules) {}

  Status write_at(std::span<const std::byte> bytes, Index offset) override {
    const Status fault = ask(rules_.rule, StoreCall::kWrite, "write", path_);
    if (fault.ok()) return inner_->write_at(bytes, offset);
    (void)inner_->write_at(bytes.first(bytes.size() / 2), offset);
    return failed(fault);
  }
  Status read_at(std::span<std::byte> bytes, Index offset) const override {
    ESKER_RETURN_IF_ERROR(ask(rules_.rule, StoreCall::kRead, "read", path_));
    return inner_->read_at(bytes, offset);
  }
  Result<Index> size_bytes() const override { return inner_->size_bytes(); }
  Status extend_to(Index size) override {
    const Status fault = ask(rules_.rule, StoreCall::kWrite, "extend", path_);
    return fault.ok() ? inner_->extend_to(size) : failed(fault);
  }
  Status shrink_to(Index size) override {
    const Status fault = ask(rules_.rule, StoreCall::kWrite, "shrink", path_);
    return fault.ok() ? inner_->shrink_to(size) : failed(fault);
  }
  Status sync() override {
    ESKER_RETURN_IF_ERROR(ask(rules_.rule, StoreCall::kSync, "sync", path_));
    return inner_->sync();
  }
  Status close() override {
    ESKER_RETURN_IF_ERROR(ask(rules_.rule, StoreCall::kClose, "close", path_));
    return inner_->close();
  }

 private:
  [[nodiscard]] Status failed(const Status& fault) const {
    if (rules_.write_failed) rules_.write_failed();
    return fault;
  }

  std::unique_ptr<File> inner_;
  std::string path_;
  const Rules& rules_;
};

class FaultyStore final : public ForwardingStore {
 public:
  FaultyStore(std::shared_ptr<Store> inner, Rules rules)
      : ForwardingStore(std::move(inner)), rules_(std::move(rules)) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    ESKER_RETURN_IF_ERROR(ask(rules_.rule, StoreCall::kOpen, "open", path));
    ESKER_ASSIGN_OR_RETURN(auto file, inner().open(path, mode));
    return std::unique_ptr<File>(std::make_unique<FaultyFile>(std::move(file), path, rules_));
  }
  Status create_exclusive(const std::string& path, const std::string& text) override {
    ESKER_RETURN_IF_ERROR(ask(rules_.rule, StoreCall::kCreate, "create", path));
    return inner().create_exclusive(path, text);
  }
  Status make_directories(const std::string& path) override {
    ESKER_RETURN_IF_ERROR(ask(rules_.rule, StoreCall::kMakeDirectories, "make directory", path));
    return inner().make_directories(path);
  }
  Status rename(const std::string& from, const std::string& to) override {
    ESKER_RETURN_IF_ERROR(ask(rules_.rule, StoreCall::kRename, "rename", to));
    return inner().rename(from, to);
  }
  Status remove(const std::string& path) override {
    ESKER_RETURN_IF_ERROR(ask(rules_.rule, StoreCall::kRemove, "remove", path));
    return inner().remove(path);
  }
  Status remove_all(const std::string& path) override {
    ESKER_RETURN_IF_ERROR(ask(rules_.rule, StoreCall::kRemove, "remove", path));
    return inner().remove_all(path);
  }
  Status sync_directory(const std::string& path) override {
    ESKER_RETURN_IF_ERROR(ask(rules_.rule, StoreCall::kSyncDirectory, "sync directory", path));
    return inner().sync_directory(path);
  }
  Result<Index> free_bytes(const std::string& path) const override {
    ESKER_RETURN_IF_ERROR(ask(rules_.rule, StoreCall::kFreeBytes, "get the free space of", path));
    return inner().free_bytes(path);
  }
  Result<bool> exists(const std::string& path) const override {
    ESKER_RETURN_IF_ERROR(ask(rules_.rule, StoreCall::kExists, "look for", path));
    return inner().exists(path);
  }

 private:
  Rules rules_;
};

}  // namespace

std::shared_ptr<Store> faulty_store(std::shared_ptr<Store> inner, FaultRule rule,
                                    std::function<void()> write_failed) {
  return std::make_shared<FaultyStore>(std::move(inner), Rules{std::move(rule), std::move(write_failed)});
}

}  // namespace esker
