#include <algorithm>
#include <map>
#include <utility>

#include "ptx_instructions.h"
#include "ptx_thread.h"
#include "ptx_tokens.h"

namespace esker::cuda_double {
namespace {

using Form = PtxInstruction::Form;

constexpr std::uint64_t kNeverSet = 0xcccccccccccccccc;  // in registers that a thread has not set

PtxType parse_type(const PtxTokens& tokens, const std::string& name) {
  for (const char kind : {'b', 'u', 's', 'f'}) {
    for (const unsigned bits : {8U, 16U, 32U, 64U}) {
      const PtxType type{kind, bits};
      if (name == name_of(type) && (kind != 'f' || bits >= 32)) return type;
    }
  }
  if (name == ".pred") return {'p', 1};
  throw tokens.failure("unknown type '" + name + "'");
}

bool may_be_in(PtxType type, PtxType of_register, bool is_wider_allowed) {
  if (type.kind == 'p' || of_register.kind == 'p') return type.kind == of_register.kind;
  const bool fits = type.bits == of_register.bits || (is_wider_allowed && type.bits < of_register.bits);
  return fits &&
         (type.kind == 'b' || of_register.kind == 'b' || (type.kind == 'f') == (of_register.kind == 'f'));
}

/// Decodes an entry from its name on.
class EntryParser {
 public:
  explicit EntryParser(PtxTokens& tokens) : tokens_(tokens) {
    for (const char* const name : {"%tid", "%ntid", "%ctaid", "%nctaid"}) {
      for (const char* const axis : {".x", ".y", ".z"}) special_[std::string(name) + axis] = new_slot(0);
    }
  }

  Kernel parse() {
    kernel_.name = tokens_.take();
    if (tokens_.take_if("(")) parse_parameters();
    parse_limits();
    tokens_.expect("{");
    while (!tokens_.take_if("}")) parse_statement();
    const PtxInstruction& ret = *find_instruction("ret");
    kernel_.code.push_back({ret.run});
    for (const auto& [index, label] : branches_) {
      const auto found = labels_.find(label.text);
      if (found == labels_.end()) throw PtxFailure{label.line, "no label '" + label.text + "'"};
      kernel_.code[index].offset = static_cast<std::int64_t>(found->second);
    }
    return std::move(kernel_);
  }

 private:
  struct Register {
    std::uint16_t slot = 0;
    PtxType type;
  };

  void parse_parameters() {
    if (tokens_.take_if(")")) return;
    do {
      parse_parameter();
    } while (tokens_.take_if(","));
    tokens_.expect(")");
  }
  void parse_parameter() {
    constexpr std::size_t kMostBytes = 4096;
    tokens_.expect(".param");
    std::size_t alignment = 0;
    if (tokens_.take_if(".align")) alignment = tokens_.take_number();
    const PtxType type = parse_type(tokens_, tokens_.take());
    if (type.kind == 'p') throw tokens_.failure("a parameter cannot be a predicate");
    const std::string name = tokens_.take();
    std::size_t bytes = type.bits / 8;
    if (alignment == 0) alignment = bytes;
    if ((alignment & (alignment - 1)) != 0) throw tokens_.failure("the alignment is not a power of two");
    if (tokens_.take_if("[")) {
      bytes *= tokens_.take_number();
      tokens_.expect("]");
    }
    const std::size_t begin = (kernel_.parameter_bytes + alignment - 1) / alignment * alignment;
    kernel_.parameters.push_back({begin, bytes});
    kernel_.parameter_bytes = begin + bytes;
    if (kernel_.parameter_bytes > kMostBytes)
      throw tokens_.failure("the parameters have more than 4096 bytes");
    if (!parameters_.emplace(name, begin).second) throw tokens_.failure("'" + name + "' is there twice");
  }
  /// .maxntid, .minnctapersm
  void parse_limits() {
    for (;;) {
      if (tokens_.take_if(".maxntid")) {
        std::size_t threads = tokens_.take_number();
        while (tokens_.take_if(",")) threads *= tokens_.take_number();
        kernel_.most_threads = static_cast<unsigned>(std::min<std::size_t>(threads, kernel_.most_threads));
      } else if (tokens_.take_if(".minnctapersm")) {
        tokens_.take_number();
      } else {
        return;
      }
    }
  }

  void parse_statement() {
    if (tokens_.take_if(".reg")) return parse_registers();
    if (tokens_.take_if(".pragma")) {
      tokens_.take();
      return tokens_.expect(";");
    }
    if (tokens_.take_if("@")) {
      const bool is_opposite = tokens_.take_if("!");
      const std::uint16_t predicate = source({'p', 1}, false);
      return parse_instruction(is_opposite ? branch_unless : branch_if,
                               is_opposite ? branch_if : branch_unless, predicate);
    }
    if (tokens_.is_label()) {
      const std::string label = tokens_.take();
      tokens_.expect(":");
      if (!labels_.emplace(label, kernel_.code.size()).second)
        throw tokens_.failure("label '" + label + "' is there twice");
      return;
    }
    parse_instruction(nullptr, nullptr, 0);
  }

  void parse_registers() {
    const PtxType type = parse_type(tokens_, tokens_.take());
    do {
      const std::string name = tokens_.take();
      if (!tokens_.take_if("<")) {
        declare(name, type);
        continue;
      }
      const std::size_t num = tokens_.take_number();
      for (std::size_t n = 0; n < num; ++n) declare(name + std::to_string(n), type);
      tokens_.expect(">");
    } while (tokens_.take_if(","));
    tokens_.expect(";");
  }
  void declare(const std::string& name, PtxType type) {
    if (!registers_.emplace(name, Register{new_slot(kNeverSet), type}).second)
      throw tokens_.failure("register '" + name + "' is there twice");
  }
  std::uint16_t new_slot(std::uint64_t value) {
    if (kernel_.registers.size() > 0xffff) throw tokens_.failure("too many registers");
    kernel_.registers.push_back(value);
    return static_cast<std::uint16_t>(kernel_.registers.size() - 1);
  }

  /// With a predicate: `branch` goes to a label, or `skip` past another instruction.
  void parse_instruction(decltype(Instruction::run) branch, decltype(Instruction::run) skip,
                         std::uint16_t predicate) {
    const std::string name = tokens_.take();
    const PtxInstruction* const known = find_instruction(name);
    if (known == nullptr) throw tokens_.failure("unknown instruction '" + name + "'");
    if (known->form == Form::kBranch) {
      branches_.emplace_back(kernel_.code.size(), tokens_.next());
      kernel_.code.push_back({branch != nullptr ? branch : known->run, 0, {predicate}});
      tokens_.take();
      return tokens_.expect(";");
    }
    const std::size_t skipping = kernel_.code.size();
    if (skip != nullptr) kernel_.code.push_back({skip, 0, {predicate}});
    Instruction made{known->run};
    if (known->form == Form::kPlain) parse_operands(name, *known, made);
    if (known->form == Form::kLoad || known->form == Form::kStore) parse_access(*known, made);
    tokens_.expect(";");
    kernel_.code.push_back(made);
    if (skip != nullptr) kernel_.code[skipping].offset = static_cast<std::int64_t>(kernel_.code.size());
  }

  void parse_operands(const std::string& name, const PtxInstruction& known, Instruction& made) {
    const bool is_move = name.starts_with("mov.");
    for (std::size_t n = 0; n < known.types.size(); ++n) {
      if (n > 0) tokens_.expect(",");
      if (n == 1 && is_move) {
        made.slot[1] = source_of_move(known.types[1]);
      } else {
        made.slot[n] = n == 0 ? target(known.types[0], known.is_wider_allowed)
                              : source(known.types[n], known.is_wider_allowed);
      }
    }
  }
  void parse_access(const PtxInstruction& known, Instruction& made) {
    const bool is_load = known.form == Form::kLoad;
    if (!is_load) {
      parse_address(known, made);
      tokens_.expect(",");
    }
    const bool is_vector = known.types.size() > 1;
    if (is_vector) tokens_.expect("{");
    for (std::size_t n = 0; n < known.types.size(); ++n) {
      if (n > 0) tokens_.expect(",");
      made.slot[n + 1] = is_load ? target(known.types[n], true) : source(known.types[n], true);
    }
    if (is_vector) tokens_.expect("}");
    if (!is_load) return;
    tokens_.expect(",");
    parse_address(known, made);
  }
  void parse_address(const PtxInstruction& known, Instruction& made) {
    tokens_.expect("[");
    const auto parameter = parameters_.find(tokens_.next().text);
    if (parameter != parameters_.end()) {
      if (!known.is_of_parameters) throw tokens_.failure("a parameter is accessed by ld.param alone");
      tokens_.take();
      made.slot[0] = constant(parameter->second);
    } else {
      made.slot[0] = source({'u', 64}, false);
    }
    if (tokens_.take_if("+")) made.offset = static_cast<std::int64_t>(tokens_.take_number());
    tokens_.expect("]");
  }

  std::uint16_t target(PtxType type, bool is_wider_allowed) {
    return register_of(tokens_.take(), type, is_wider_allowed).slot;
  }
  const Register& register_of(const std::string& name, PtxType type, bool is_wider_allowed) {
    const auto found = registers_.find(name);
    if (found == registers_.end()) throw tokens_.failure("no register '" + name + "'");
    if (!may_be_in(type, found->second.type, is_wider_allowed))
      throw tokens_.failure("register '" + name + "' is " + name_of(found->second.type) + ", expected " +
                            name_of(type));
    return found->second;
  }
  std::uint16_t source(PtxType type, bool is_wider_allowed) {
    if (tokens_.is_number()) return constant(tokens_.take_literal(type));
    return register_of(tokens_.take(), type, is_wider_allowed).slot;
  }
  /// It also reads special registers, and addresses of parameters.
  std::uint16_t source_of_move(PtxType type) {
    const std::string& name = tokens_.next().text;
    if (const auto found = special_.find(name); found != special_.end() && type.bits == 32) {
      tokens_.take();
      return found->second;
    }
    if (const auto found = parameters_.find(name); found != parameters_.end() && type.bits == 64) {
      tokens_.take();
      return constant(found->second);
    }
    return source(type, false);
  }
  std::uint16_t constant(std::uint64_t value) {
    const auto known = constants_.find(value);
    if (known != constants_.end()) return known->second;
    return constants_[value] = new_slot(value);
  }

  PtxTokens& tokens_;
  Kernel kernel_;
  std::map<std::string, std::uint16_t> special_;
  std::map<std::string, std::size_t> parameters_, labels_;
  std::map<std::string, Register> registers_;
  std::map<std::uint64_t, std::uint16_t> constants_;
  std::vector<std::pair<std::size_t, PtxTokens::Token>> branches_;  // whose labels may follow
};

/// .version, .target, .address_size
void parse_header(PtxTokens& tokens) {
  tokens.expect(".version");
  tokens.take();
  tokens.expect(".target");
  const std::string target = tokens.take();
  if (!target.starts_with("sm_")) throw tokens.failure("target '" + target + "', expected sm_...");
  if (tokens.take_if(".address_size") && tokens.take() != "64")
    throw tokens.failure("addresses do not have 64 bits");
}

}  // namespace

PtxModule decode_ptx(const std::string& text) {
  PtxModule module;
  try {
    PtxTokens tokens(text);
    parse_header(tokens);
    while (!tokens.is_at_end()) {
      tokens.take_if(".visible");
      tokens.expect(".entry");
      module.kernels.push_back(EntryParser(tokens).parse());
    }
  } catch (const PtxFailure& failure) {
    module.kernels.clear();
    module.error = "line " + std::to_string(failure.line) + ": " + failure.text;
  }
  return module;
}

}  // namespace esker::cuda_double
