#include "ptx_instructions.h"

#include <unordered_map>
#include <utility>

#include "ptx_operations.h"
#include "ptx_thread.h"

namespace esker::cuda_double {
namespace {

using Table = std::unordered_map<std::string, PtxInstruction>;
using Form = PtxInstruction::Form;
using namespace operations;  // NOLINT

template <class T>
constexpr PtxType type_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return {'p', 1};
  } else {
    constexpr char kKind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 's' : 'u';
    return {kKind, 8 * sizeof(T)};
  }
}
PtxType as_bits(PtxType type) { return type.kind == 'u' ? PtxType{'b', type.bits} : type; }

template <class... T, class Action>
void for_each_type(const Action& action) {
  (action(T{}), ...);
}
template <class Action>
void for_each_integer(const Action& action) {
  for_each_type<std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>(
      action);
}
template <class Action>
void for_each_float(const Action& action) {
  for_each_type<float, double>(action);
}

template <class Operation, class Target, class... Sources>
struct Apply {
  static void run(Thread& thread, const Instruction& instruction) {
    run_with(thread, instruction, std::index_sequence_for<Sources...>());
  }
  template <std::size_t... n>
  static void run_with(Thread& thread, const Instruction& instruction, std::index_sequence<n...>) {
    thread.set<Target>(instruction.slot[0],
                       static_cast<Target>(Operation{}(thread.get<Sources>(instruction.slot[n + 1])...)));
  }
};

/// `name` is the full one.
template <class Operation, class Target, class... Sources>
void add(Table& table, const std::string& name) {
  table[name] = {
      Form::kPlain, &Apply<Operation, Target, Sources...>::run, {type_of<Target>(), type_of<Sources>()...}};
}
/// Under the name for bits, whose registers may have any type of this size. `name` has no type.
template <class Operation, class Target, class... Sources>
void add_for_bits(Table& table, const std::string& name, PtxType type) {
  add<Operation, Target, Sources...>(table, name + name_of(as_bits(type)));
  for (PtxType& each : table[name + name_of(as_bits(type))].types) each = as_bits(each);
}

template <class Operation, class T>
void add_binary(Table& table, const std::string& name) {
  add<Operation, T, T, T>(table, name + name_of(type_of<T>()));
}
template <class Operation, class T>
void add_unary(Table& table, const std::string& name) {
  add<Operation, T, T>(table, name + name_of(type_of<T>()));
}

template <class T>
void add_comparisons(Table& table, const std::string& type) {
  const std::string name = "setp.";
  add<Equal, bool, T, T>(table, name + "eq" + type);
  add<Less, bool, T, T>(table, name + "lt" + type);
  add<LessOrEqual, bool, T, T>(table, name + "le" + type);
  add<More, bool, T, T>(table, name + "gt" + type);
  add<MoreOrEqual, bool, T, T>(table, name + "ge" + type);
  add<Unequal, bool, T, T>(table, name + "ne" + type);
  if constexpr (std::is_floating_point_v<T>) {
    add<No<Unequal>, bool, T, T>(table, name + "equ" + type);
    add<No<Equal>, bool, T, T>(table, name + "neu" + type);
    add<No<MoreOrEqual>, bool, T, T>(table, name + "ltu" + type);
    add<No<More>, bool, T, T>(table, name + "leu" + type);
    add<No<LessOrEqual>, bool, T, T>(table, name + "gtu" + type);
    add<No<Less>, bool, T, T>(table, name + "geu" + type);
    add<Ordered, bool, T, T>(table, name + "num" + type);
    add<No<Ordered>, bool, T, T>(table, name + "nan" + type);
  }
}

void add_integer_arithmetic(Table& table) {
  for_each_integer([&](auto zero) {
    using T = decltype(zero);
    const std::string type = name_of(type_of<T>());
    add_binary<Add, T>(table, "add");
    add_binary<Subtract, T>(table, "sub");
    add_binary<Multiply, T>(table, "mul.lo");
    add_binary<MultiplyHigh, T>(table, "mul.hi");
    add_binary<Divide, T>(table, "div");
    add_binary<Remainder, T>(table, "rem");
    add_binary<Least, T>(table, "min");
    add_binary<Greatest, T>(table, "max");
    add<MultiplyAdd, T, T, T, T>(table, "mad.lo" + type);
    add<ShiftRight, T, T, std::uint32_t>(table, "shr" + type);
    if constexpr (sizeof(T) < 8) {
      add<MultiplyWide, Twice<T>, T, T>(table, "mul.wide" + type);
      add<MultiplyWideAdd, Twice<T>, T, T, Twice<T>>(table, "mad.wide" + type);
    }
    if constexpr (std::is_signed_v<T>) {
      add_unary<Negate, T>(table, "neg");
      add_unary<Absolute, T>(table, "abs");
    }
    add_comparisons<T>(table, type);
  });
}

void add_float_arithmetic(Table& table) {
  for_each_float([&](auto zero) {
    using T = decltype(zero);
    const std::string type = name_of(type_of<T>());
    for (const char* const rounding : {"", ".rn"}) {
      add_binary<Add, T>(table, std::string("add") + rounding);
      add_binary<Subtract, T>(table, std::string("sub") + rounding);
      add_binary<Multiply, T>(table, std::string("mul") + rounding);
    }
    add_binary<Divide, T>(table, "div.rn");
    add_binary<Least, T>(table, "min");
    add_binary<Greatest, T>(table, "max");
    add_unary<Negate, T>(table, "neg");
    add_unary<Absolute, T>(table, "abs");
    add_unary<SquareRoot, T>(table, "sqrt.rn");
    add_unary<Reciprocal, T>(table, "rcp.rn");
    add<FusedMultiplyAdd, T, T, T, T>(table, "fma.rn" + type);
    add_comparisons<T>(table, type);
  });
}

void add_bit_operations(Table& table) {
  for_each_type<std::uint16_t, std::uint32_t, std::uint64_t, bool>([&](auto zero) {
    using T = decltype(zero);
    const PtxType type = type_of<T>();
    add_for_bits<And, T, T, T>(table, "and", type);
    add_for_bits<Or, T, T, T>(table, "or", type);
    add_for_bits<Xor, T, T, T>(table, "xor", type);
    add_for_bits<Not, T, T>(table, "not", type);
    if constexpr (!std::is_same_v<T, bool>) {
      add_for_bits<ShiftLeft, T, T, std::uint32_t>(table, "shl", type);
      add_for_bits<ShiftRight, T, T, std::uint32_t>(table, "shr", type);
      add_for_bits<Equal, bool, T, T>(table, "setp.eq", type);
      add_for_bits<Unequal, bool, T, T>(table, "setp.ne", type);
    }
  });
}

void add_moves(Table& table) {
  for_each_integer([&](auto zero) {
    using T = decltype(zero);
    add_unary<Move, T>(table, "mov");
    add_for_bits<Move, T, T>(table, "mov", type_of<T>());
    add<Select, T, T, T, bool>(table, "selp" + name_of(type_of<T>()));
    add_for_bits<Select, T, T, T, bool>(table, "selp", type_of<T>());
  });
  for_each_float([&](auto zero) {
    using T = decltype(zero);
    add_unary<Move, T>(table, "mov");
    add<Select, T, T, T, bool>(table, "selp" + name_of(type_of<T>()));
  });
  add_unary<Move, bool>(table, "mov");
  add<Move, std::uint64_t, std::uint64_t>(table, "cvta.to.global.u64");
  add<Move, std::uint64_t, std::uint64_t>(table, "cvta.global.u64");
}

template <class To, class From>
void add_conversion(Table& table, const std::string& rounding) {
  const std::string name = "cvt" + rounding + name_of(type_of<To>()) + name_of(type_of<From>());
  add<Convert<To>, To, From>(table, name);
  table[name].is_wider_allowed = true;
}
void add_conversions(Table& table) {
  const auto for_each_cvt_integer = [](const auto& action) {
    for_each_integer(action);
    for_each_type<std::uint8_t, std::int8_t>(action);
  };
  for_each_cvt_integer([&](auto to) {
    using T = decltype(to);
    for_each_cvt_integer([&](auto from) { add_conversion<T, decltype(from)>(table, ""); });
    for_each_float([&](auto of_float) {
      add_conversion<T, decltype(of_float)>(table, ".rzi");
      add_conversion<decltype(of_float), T>(table, ".rn");
    });
  });
  add_conversion<double, float>(table, "");
  add_conversion<float, double>(table, ".rn");
  for_each_float([&](auto zero) {
    using T = decltype(zero);
    const std::string types = name_of(type_of<T>()) + name_of(type_of<T>());
    add<RoundDown, T, T>(table, "cvt.rmi" + types);
    add<RoundUp, T, T>(table, "cvt.rpi" + types);
    add<RoundToZero, T, T>(table, "cvt.rzi" + types);
    add<RoundToNearest, T, T>(table, "cvt.rni" + types);
  });
}

/// Null: the thread has failed.
std::byte* memory_at(Thread& thread, MemoryRange& range, unsigned long long first, std::size_t bytes) {
  if (first % bytes != 0) {
    thread.fail(kMisalignedAddress);
    return nullptr;
  }
  const auto is_in_range = [&] {
    return range.bytes >= bytes && first >= range.first && first - range.first <= range.bytes - bytes;
  };
  if (!is_in_range()) range = (*thread.find)(first, bytes);
  if (is_in_range()) return range.at + (first - range.first);
  thread.fail(kIllegalAddress);
  return nullptr;
}

template <class T, int kNum>
void load(Thread& thread, const Instruction& i) {
  const auto first = thread.get<unsigned long long>(i.slot[0]) + static_cast<unsigned long long>(i.offset);
  const std::byte* const from = memory_at(thread, thread.loaded, first, kNum * sizeof(T));
  if (from == nullptr) return;
  std::array<T, kNum> values;
  std::memcpy(values.data(), from, sizeof values);
  for (std::size_t n = 0; n < kNum; ++n) thread.set<T>(i.slot[n + 1], values[n]);
}
template <class T, int kNum>
void store(Thread& thread, const Instruction& i) {
  const auto first = thread.get<unsigned long long>(i.slot[0]) + static_cast<unsigned long long>(i.offset);
  std::byte* const to = memory_at(thread, thread.stored, first, kNum * sizeof(T));
  if (to == nullptr) return;
  std::array<T, kNum> values;
  for (std::size_t n = 0; n < kNum; ++n) values[n] = thread.get<T>(i.slot[n + 1]);
  std::memcpy(to, values.data(), sizeof values);
  thread.stored_bytes += sizeof values;
}
template <class T, int kNum>
void load_parameter(Thread& thread, const Instruction& i) {
  const auto first = thread.get<unsigned long long>(i.slot[0]) + static_cast<unsigned long long>(i.offset);
  const std::vector<std::byte>& all = thread.launch->parameters;
  std::array<T, kNum> values;
  if (first % sizeof values != 0) return thread.fail(kMisalignedAddress);
  if (all.size() < sizeof values || first > all.size() - sizeof values) return thread.fail(kIllegalAddress);
  std::memcpy(values.data(), all.data() + first, sizeof values);
  for (std::size_t n = 0; n < kNum; ++n) thread.set<T>(i.slot[n + 1], values[n]);
}

template <class T, int kNum>
void add_accesses_of(Table& table, const std::string& vector) {
  if constexpr (kNum * sizeof(T) <= 16) {
    for (const PtxType type : {type_of<T>(), as_bits(type_of<T>())}) {
      const std::string end = vector + name_of(type);
      const std::vector<PtxType> types(kNum, type);
      for (const char* const kind : {"", ".volatile"}) {
        for (const char* const space : {"", ".global"}) {
          table[std::string("ld") + kind + space + end] = {Form::kLoad, &load<T, kNum>, types, true};
          table[std::string("st") + kind + space + end] = {Form::kStore, &store<T, kNum>, types, true};
        }
      }
      table["ld.global.nc" + end] = {Form::kLoad, &load<T, kNum>, types, true};
      table["ld.param" + end] = {Form::kLoad, &load_parameter<T, kNum>, types, true, true};
    }
  }
}
void add_accesses(Table& table) {
  const auto add_type = [&](auto zero) {
    add_accesses_of<decltype(zero), 1>(table, "");
    add_accesses_of<decltype(zero), 2>(table, ".v2");
    add_accesses_of<decltype(zero), 4>(table, ".v4");
  };
  for_each_integer(add_type);
  for_each_float(add_type);
  for_each_type<std::uint8_t, std::int8_t>(add_type);
}

void go_to(Thread& thread, const Instruction& i) { thread.next = thread.code + i.offset; }
void end(Thread& thread, const Instruction&) { thread.next = nullptr; }

Table make_table() {
  Table table;
  add_integer_arithmetic(table);
  add_float_arithmetic(table);
  add_bit_operations(table);
  add_moves(table);
  add_conversions(table);
  add_accesses(table);
  table["bra"] = table["bra.uni"] = {Form::kBranch, &go_to, {}};
  table["ret"] = table["exit"] = {Form::kReturn, &end, {}};
  return table;
}

}  // namespace

std::string name_of(PtxType type) {
  return type.kind == 'p' ? ".pred" : "." + std::string(1, type.kind) + std::to_string(type.bits);
}

const PtxInstruction* find_instruction(const std::string& name) {
  static const Table table = make_table();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

void branch_if(Thread& thread, const Instruction& instruction) {
  if (thread.get<bool>(instruction.slot[0])) go_to(thread, instruction);
}
void branch_unless(Thread& thread, const Instruction& instruction) {
  if (!thread.get<bool>(instruction.slot[0])) go_to(thread, instruction);
}

}  // namespace esker::cuda_double
