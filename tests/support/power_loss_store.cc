#include "support/power_loss_store.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/macros.h"

namespace esker::testing_support {
namespace {

std::string normal(std::string path) {
  while (path.starts_with("./")) path.erase(0, 2);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path == "." ? "" : path;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

void resize(std::vector<std::byte>& bytes, Index size) { bytes.resize(static_cast<std::size_t>(size)); }

void write(std::vector<std::byte>& to, std::span<const std::byte> bytes, Index offset) {
  const std::size_t end = static_cast<std::size_t>(offset) + bytes.size();
  if (to.size() < end) to.resize(end);
  std::copy(bytes.begin(), bytes.end(), to.begin() + offset);
}

}  // namespace

// Friends of the device; each call is one or two events.
class PowerLossFile final : public File {
 public:
  PowerLossFile(std::shared_ptr<PowerLossDevice> device, int file, std::string path)
      : device_(std::move(device)), file_(file), path_(std::move(path)) {}

  Status write_at(std::span<const std::byte> bytes, Index offset) override {
    const std::scoped_lock lock(device_->mutex_);
    write(content(), bytes, offset);
    device_->add({PowerLossDevice::Event::kWrite, file_, offset, {bytes.begin(), bytes.end()}});
    return {};
  }
  Status read_at(std::span<std::byte> bytes, Index offset) const override {
    const std::scoped_lock lock(device_->mutex_);
    if (content().size() < static_cast<std::size_t>(offset) + bytes.size()) {
      return error(Code::kDataLoss, "read {}: file ends before the end of what is expected there", path_);
    }
    std::copy_n(content().begin() + offset, bytes.size(), bytes.begin());
    return {};
  }
  Result<Index> size_bytes() const override {
    const std::scoped_lock lock(device_->mutex_);
    return static_cast<Index>(content().size());
  }
  Status extend_to(Index size) override {
    const std::scoped_lock lock(device_->mutex_);
    if (static_cast<Index>(content().size()) < size) change_size(size);
    return {};
  }
  Status shrink_to(Index size) override {
    const std::scoped_lock lock(device_->mutex_);
    if (static_cast<Index>(content().size()) > size) change_size(size);
    return {};
  }
  Status sync() override {
    const std::scoped_lock lock(device_->mutex_);
    device_->sync_file(file_);
    return {};
  }
  Status close() override { return {}; }

 private:
  [[nodiscard]] std::vector<std::byte>& content() const {
    return device_->files_[static_cast<std::size_t>(file_)];
  }
  void change_size(Index size) {
    resize(content(), size);
    device_->add({PowerLossDevice::Event::kResize, file_, size});
  }

  std::shared_ptr<PowerLossDevice> device_;
  int file_;
  std::string path_;
};

class PowerLossStore final : public Store {
 public:
  PowerLossStore(std::shared_ptr<PowerLossDevice> device, std::string boot)
      : device_(std::move(device)), boot_(std::move(boot)) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    const std::scoped_lock lock(device_->mutex_);
    const std::string key = normal(path);
    if (device_->directories_.contains(key)) return system_error(EISDIR, "open", path);
    if (!device_->names_.contains(key)) {
      if (mode == OpenMode::kRead) return system_error(ENOENT, "open", path);
      create(key);
    }
    return std::unique_ptr<File>(std::make_unique<PowerLossFile>(device_, device_->names_.at(key), path));
  }
  Status create_exclusive(const std::string& path, const std::string& text) override {
    const std::scoped_lock lock(device_->mutex_);
    const std::string key = normal(path);
    if (device_->names_.contains(key)) return system_error(EEXIST, "create", path);
    create(key);
    const auto bytes = std::as_bytes(std::span(text));
    const int file = device_->names_.at(key);
    write(device_->files_[static_cast<std::size_t>(file)], bytes, 0);
    device_->add({Event::kWrite, file, 0, {bytes.begin(), bytes.end()}});
    return {};
  }
  Status make_directories(const std::string& path) override {
    const std::scoped_lock lock(device_->mutex_);
    make(normal(path));
    return {};
  }
  Status rename(const std::string& from, const std::string& to) override {
    const std::scoped_lock lock(device_->mutex_);
    auto moved = device_->names_.extract(normal(from));
    if (moved.empty()) return system_error(ENOENT, "rename " + from + " to", to);
    device_->names_[normal(to)] = moved.mapped();
    device_->add({Event::kRename, moved.mapped(), 0, {}, normal(from), normal(to)});
    return {};
  }
  Status remove(const std::string& path) override {
    const std::scoped_lock lock(device_->mutex_);
    if (device_->names_.erase(normal(path)) != 0) device_->add({Event::kUnlink, -1, 0, {}, normal(path)});
    return {};
  }
  Status remove_all(const std::string& path) override {
    const std::scoped_lock lock(device_->mutex_);
    const std::string key = normal(path);
    std::vector<std::string> gone;
    for (const auto& [name, file] : device_->names_) {
      if (name == key || name.starts_with(key + "/")) gone.push_back(name);
    }
    for (const std::string& name : gone) {
      device_->names_.erase(name);
      device_->add({Event::kUnlink, -1, 0, {}, name});
    }
    std::erase_if(device_->directories_,
                  [&](const auto& made) { return made.first == key || made.first.starts_with(key + "/"); });
    return {};
  }
  Status sync_directory(const std::string& path) override {
    const std::scoped_lock lock(device_->mutex_);
    device_->sync_names(normal(path));
    return {};
  }
  Result<bool> exists(const std::string& path) const override {
    const std::scoped_lock lock(device_->mutex_);
    return device_->names_.contains(normal(path)) || device_->directories_.contains(normal(path));
  }
  Result<bool> is_directory(const std::string& path) const override {
    const std::scoped_lock lock(device_->mutex_);
    return device_->directories_.contains(normal(path));
  }
  Result<Index> free_bytes(const std::string&) const override { return std::numeric_limits<Index>::max(); }
  std::string boot() const override { return boot_; }
  Result<std::vector<std::string>> list(const std::string& path) const override {
    const std::scoped_lock lock(device_->mutex_);
    const std::string key = normal(path);
    std::set<std::string> names;
    const auto add = [&](const std::string& name) {
      if (name.empty() || directory_of(name) != key) return;
      names.insert(name.substr(key.empty() ? 0 : key.size() + 1));
    };
    for (const auto& [name, file] : device_->names_) add(name);
    for (const auto& [name, made] : device_->directories_) add(name);
    return std::vector<std::string>(names.begin(), names.end());
  }

 private:
  using Event = PowerLossDevice::Event;

  void make(const std::string& directory) {
    if (directory.empty() || device_->directories_.contains(directory)) return;
    make(directory_of(directory));
    device_->directories_[directory] = true;
    device_->add({Event::kMakeDirectory, -1, 0, {}, directory});
  }
  void create(const std::string& key) {
    make(directory_of(key));
    device_->names_[key] = static_cast<int>(device_->files_.size());
    device_->add({Event::kName, device_->names_[key], 0, {}, key});
    device_->files_.emplace_back();
  }

  std::shared_ptr<PowerLossDevice> device_;
  std::string boot_;
};

std::shared_ptr<Store> PowerLossDevice::store(const std::shared_ptr<PowerLossDevice>& device,
                                              std::string boot) {
  return std::make_shared<PowerLossStore>(device, std::move(boot));
}

std::size_t PowerLossDevice::now() const {
  const std::scoped_lock lock(mutex_);
  return events_.size();
}

void PowerLossDevice::add(Event event) { events_.push_back(std::move(event)); }

void PowerLossDevice::sync_file(int file) {
  add({});
  for (Event& event : events_) {
    const bool is_data = event.kind == Event::kWrite || event.kind == Event::kResize;
    if (is_data && event.file == file) event.durable_from = std::min(event.durable_from, events_.size());
  }
}

void PowerLossDevice::sync_names(const std::string& directory) {
  add({});
  for (Event& event : events_) {
    const bool is_name = event.kind == Event::kName || event.kind == Event::kRename ||
                         event.kind == Event::kUnlink || event.kind == Event::kMakeDirectory;
    const std::string& path = event.kind == Event::kRename ? event.to : event.path;
    if (!is_name || directory_of(path) != directory) continue;
    event.durable_from = std::min(event.durable_from, events_.size());
  }
}

/// Applies the surviving events before the power loss, one by one.
class PowerLossSurvivors {
 public:
  PowerLossSurvivors(std::size_t moment, PowerLoss model, std::size_t num_files, std::mt19937& random)
      : moment_(moment), model_(model), random_(random), cut_(random() % (moment + 1)), files_(num_files) {}

  void apply(const PowerLossDevice::Event& event, std::size_t number) {
    if (event.kind == Event::kSync) return;
    if (event.kind == Event::kWrite || event.kind == Event::kResize) return apply_data(event, number);
    apply_name(event, survives_as_name(event, number));
  }

  [[nodiscard]] std::map<std::string, std::vector<std::byte>> found() const {
    std::map<std::string, std::vector<std::byte>> found;
    for (const auto& [name, file] : names_) {
      bool is_lost = false;
      for (std::string above = directory_of(name); !above.empty(); above = directory_of(above)) {
        is_lost = is_lost || lost_directories_.contains(above);
      }
      if (!is_lost) found[name] = files_[static_cast<std::size_t>(file)];
    }
    return found;
  }

 private:
  using Event = PowerLossDevice::Event;

  [[nodiscard]] bool is(std::initializer_list<PowerLoss> models) const {
    return std::find(models.begin(), models.end(), model_) != models.end();
  }

  bool survives_as_name(const Event& event, std::size_t number) {
    if (event.durable_from <= moment_) return true;
    if (model_ == PowerLoss::kPrefix) return number < cut_;
    if (model_ != PowerLoss::kSomeOfAll) return !is({PowerLoss::kNothing, PowerLoss::kNamesNoneData});
    const std::string directory = directory_of(event.kind == Event::kRename ? event.to : event.path);
    return number < cut_of_directory_.try_emplace(directory, random_() % (moment_ + 1)).first->second;
  }

  void apply_name(const Event& event, bool survives) {
    if (event.kind == Event::kMakeDirectory) {
      lost_directories_.erase(event.path);
      if (!survives) lost_directories_.insert(event.path);
    }
    if (!survives) return;
    if (event.kind == Event::kName) names_[event.path] = event.file;
    if (event.kind == Event::kUnlink) names_.erase(event.path);
    if (event.kind != Event::kRename) return;
    names_.erase(event.path);
    names_[event.to] = event.file;
  }

  void apply_data(const Event& event, std::size_t number) {
    auto& file = files_[static_cast<std::size_t>(event.file)];
    const bool whole = event.durable_from <= moment_ || model_ == PowerLoss::kNamesNoneData ||
                       (model_ == PowerLoss::kPrefix && number < cut_);
    if (event.kind == Event::kResize) {
      if (whole || !is({PowerLoss::kNothing, PowerLoss::kNames, PowerLoss::kPrefix}))
        resize(file, event.offset);
    } else if (whole) {
      write(file, event.bytes, event.offset);
    } else if (model_ == PowerLoss::kNamesAndSizes) {
      const auto end = static_cast<std::size_t>(event.offset) + event.bytes.size();
      if (file.size() < end) file.resize(end);
    } else if (is({PowerLoss::kSomePages, PowerLoss::kSomeOfAll})) {
      write_some(file, event, 4096);
    } else if (model_ == PowerLoss::kSomeSectors) {
      write_some(file, event, 512);
    }
  }

  void write_some(std::vector<std::byte>& file, const Event& event, Index page_bytes) {
    const auto end = event.offset + static_cast<Index>(event.bytes.size());
    if (static_cast<Index>(file.size()) < end) resize(file, end);
    for (Index at = event.offset; at < end;) {
      const Index next = std::min(end, (at / page_bytes + 1) * page_bytes);
      const auto page =
          std::span(event.bytes)
              .subspan(static_cast<std::size_t>(at - event.offset), static_cast<std::size_t>(next - at));
      if (random_() % 2 == 0) write(file, page, at);
      at = next;
    }
  }

  std::size_t moment_;
  PowerLoss model_;
  std::mt19937& random_;
  std::size_t cut_;
  std::map<std::string, std::size_t> cut_of_directory_;
  std::map<std::string, int> names_;
  std::set<std::string> lost_directories_;
  std::vector<std::vector<std::byte>> files_;
};

std::map<std::string, std::vector<std::byte>> PowerLossDevice::after(std::size_t moment, PowerLoss model,
                                                                     std::mt19937& random) const {
  const std::scoped_lock lock(mutex_);
  PowerLossSurvivors survivors(moment, model, files_.size(), random);
  for (std::size_t number = 0; number < moment; ++number) survivors.apply(events_[number], number);
  return survivors.found();
}

}  // namespace esker::testing_support
