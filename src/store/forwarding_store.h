// ForwardingStore: forwards all calls to another store; base class for stores that change some calls.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"

namespace esker {

/// The same for an open file.
class ForwardingFile : public File {
 public:
  explicit ForwardingFile(std::unique_ptr<File> inner) : inner_(std::move(inner)) {}

  Status write_at(std::span<const std::byte> bytes, Index offset) override {
    return inner_->write_at(bytes, offset);
  }
  Status read_at(std::span<std::byte> bytes, Index offset) const override {
    return inner_->read_at(bytes, offset);
  }
  [[nodiscard]] Index cheap_gap_bytes() const override { return inner_->cheap_gap_bytes(); }
  [[nodiscard]] Result<Index> size_bytes() const override { return inner_->size_bytes(); }
  Status extend_to(Index size_bytes) override { return inner_->extend_to(size_bytes); }
  Status shrink_to(Index size_bytes) override { return inner_->shrink_to(size_bytes); }
  Status sync() override { return inner_->sync(); }
  Status close() override { return inner_->close(); }

 private:
  std::unique_ptr<File> inner_;
};

class ForwardingStore : public Store {
 public:
  explicit ForwardingStore(std::shared_ptr<Store> inner) : inner_(std::move(inner)) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    return inner_->open(path, mode);
  }
  Status create_exclusive(const std::string& path, const std::string& text) override {
    return inner_->create_exclusive(path, text);
  }
  Status make_directories(const std::string& path) override { return inner_->make_directories(path); }
  Status rename(const std::string& from, const std::string& to) override { return inner_->rename(from, to); }
  Status remove(const std::string& path) override { return inner_->remove(path); }
  Status remove_all(const std::string& path) override { return inner_->remove_all(path); }
  Status sync_directory(const std::string& path) override { return inner_->sync_directory(path); }
  Result<bool> exists(const std::string& path) const override { return inner_->exists(path); }
  Result<bool> is_directory(const std::string& path) const override { return inner_->is_directory(path); }
  Result<std::string> follow_link(const std::string& path) const override {
    return inner_->follow_link(path);
  }
  Result<bool> is_link(const std::string& path) const override { return inner_->is_link(path); }
  Result<Index> free_bytes(const std::string& path) const override { return inner_->free_bytes(path); }
  Striping striping(const std::string& path) const override { return inner_->striping(path); }
  bool is_local() const override { return inner_->is_local(); }
  std::string boot() const override { return inner_->boot(); }
  std::map<std::string, std::string> effective_hints() const override { return inner_->effective_hints(); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return inner_->list(path); }

 protected:
  [[nodiscard]] Store& inner() const { return *inner_; }

 private:
  std::shared_ptr<Store> inner_;
};

}  // namespace esker
