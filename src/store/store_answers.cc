#include "store/store_answers.h"

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "store/forwarding_store.h"

namespace esker {
namespace {

class RememberedFile final : public File {
 public:
  RememberedFile(std::shared_ptr<Store> inner, std::shared_ptr<StoreAnswers> answers, std::string path,
                 std::unique_ptr<File> file)
      : inner_(std::move(inner)),
        answers_(std::move(answers)),
        path_(std::move(path)),
        file_(std::move(file)) {}

  Status read_at(std::span<std::byte> bytes, Index offset) const override {
    if (!answers_->is_in_use()) return read_from_file(bytes, offset);
    const auto ask = [&]() -> Result<std::string> {
      ESKER_RETURN_IF_ERROR(read_from_file(bytes, offset));
      return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    ESKER_ASSIGN_OR_RETURN(const std::string text,
                           answers_->answer(fmt::format("read {} {} {}", offset, bytes.size(), path_), ask));
    std::memcpy(bytes.data(), text.data(), bytes.size());
    return {};
  }
  [[nodiscard]] Result<Index> size_bytes() const override {
    const auto ask = [&]() -> Result<std::string> {
      ESKER_ASSIGN_OR_RETURN(const File* file, opened());
      ESKER_ASSIGN_OR_RETURN(const Index size, file->size_bytes());
      return std::to_string(size);
    };
    ESKER_ASSIGN_OR_RETURN(const std::string text, answers_->answer("size " + path_, ask));
    return static_cast<Index>(std::stoll(text));
  }
  [[nodiscard]] Index cheap_gap_bytes() const override {
    const auto file = opened();
    return file.ok() ? (*file)->cheap_gap_bytes() : File::cheap_gap_bytes();
  }
  Status write_at(std::span<const std::byte> /*bytes*/, Index /*offset*/) override { return refuse(); }
  Status extend_to(Index /*size_bytes*/) override { return refuse(); }
  Status shrink_to(Index /*size_bytes*/) override { return refuse(); }
  Status sync() override { return refuse(); }
  Status close() override { return file_ ? file_->close() : Status(); }

 private:
  [[nodiscard]] Status refuse() const {
    return error(Code::kUnsupported, "{} is open for reading only", path_);
  }

  [[nodiscard]] Result<const File*> opened() const {
    const std::scoped_lock lock(mutex_);
    if (!file_) {
      ESKER_ASSIGN_OR_RETURN(file_, inner_->open(path_, OpenMode::kRead));
    }
    return file_.get();
  }
  [[nodiscard]] Status read_from_file(std::span<std::byte> bytes, Index offset) const {
    ESKER_ASSIGN_OR_RETURN(const File* file, opened());
    return file->read_at(bytes, offset);
  }

  std::shared_ptr<Store> inner_;
  std::shared_ptr<StoreAnswers> answers_;
  std::string path_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<File> file_;
};

class RememberingStore final : public ForwardingStore {
 public:
  RememberingStore(std::shared_ptr<Store> inner, std::shared_ptr<StoreAnswers> answers)
      : ForwardingStore(inner), inner_(std::move(inner)), answers_(std::move(answers)) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    if (mode != OpenMode::kRead || !answers_->is_in_use()) return inner_->open(path, mode);
    std::unique_ptr<File> file;
    const auto ask = [&]() -> Result<std::string> {
      ESKER_ASSIGN_OR_RETURN(file, inner_->open(path, mode));
      return std::string();
    };
    ESKER_RETURN_IF_ERROR(answers_->answer("open " + path, ask).status());
    return std::unique_ptr<File>(std::make_unique<RememberedFile>(inner_, answers_, path, std::move(file)));
  }
  Result<bool> exists(const std::string& path) const override {
    return yes_or_no("exists " + path, [&] { return inner_->exists(path); });
  }
  Result<bool> is_directory(const std::string& path) const override {
    return yes_or_no("is_directory " + path, [&] { return inner_->is_directory(path); });
  }
  Result<std::string> follow_link(const std::string& path) const override {
    return answers_->answer("link " + path, [&] { return inner_->follow_link(path); });
  }
  /// For the rank that asks the store: all answers must describe the same state of a dataset.
  std::string boot() const override {
    return answers_->answer("boot", [&] { return Result<std::string>(inner_->boot()); }).value();
  }
  Result<std::vector<std::string>> list(const std::string& path) const override {
    const auto ask = [&]() -> Result<std::string> {
      ESKER_ASSIGN_OR_RETURN(const auto names, inner_->list(path));
      return pack_texts(names);
    };
    ESKER_ASSIGN_OR_RETURN(const std::string text, answers_->answer("list " + path, ask));
    return unpack_texts(text);
  }

 private:
  template <class Ask>
  Result<bool> yes_or_no(const std::string& question, const Ask& ask_inner) const {
    const auto ask = [&]() -> Result<std::string> {
      ESKER_ASSIGN_OR_RETURN(const bool yes, ask_inner());
      return std::string(yes ? "yes" : "");
    };
    ESKER_ASSIGN_OR_RETURN(const std::string text, answers_->answer(question, ask));
    return !text.empty();
  }

  std::shared_ptr<Store> inner_;
  std::shared_ptr<StoreAnswers> answers_;
};

}  // namespace

StoreAnswers::StoreAnswers(const std::string& packed) : use_(Use::kTell) {
  const std::vector<std::string> texts = unpack_texts(packed);
  for (std::size_t t = 0; t + 2 < texts.size(); t += 3) {
    const auto code = static_cast<Code>(std::stoi(texts[t + 1]));
    known_.emplace(texts[t], code == Code::kOk ? Result<std::string>(texts[t + 2])
                                               : Result<std::string>(Status(code, texts[t + 2])));
  }
}

std::string StoreAnswers::pack() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> texts;
  for (const auto& [question, answer] : known_) {
    texts.insert(texts.end(), {question, std::to_string(static_cast<int>(answer.status().code())),
                               answer.ok() ? *answer : answer.status().message()});
  }
  return pack_texts(texts);
}

void StoreAnswers::forget() {
  const std::scoped_lock lock(mutex_);
  use_ = Use::kNone;
  known_.clear();
}

Result<std::string> StoreAnswers::answer(const std::string& question, const Ask& ask) {
  if (const std::scoped_lock lock(mutex_); use_ == Use::kTell) {
    if (const auto known = known_.find(question); known != known_.end()) return known->second;
  }
  Result<std::string> answer = ask();
  if (const std::scoped_lock lock(mutex_); use_ == Use::kRecord) known_.insert_or_assign(question, answer);
  return answer;
}

std::shared_ptr<Store> remembering_store(std::shared_ptr<Store> inner,
                                         std::shared_ptr<StoreAnswers> answers) {
  return std::make_shared<RememberingStore>(std::move(inner), std::move(answers));
}

}  // namespace esker
