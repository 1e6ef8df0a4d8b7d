// The tables of strings in CRFsuite's model files: "CQDB", a hash of strings with their numbers.
//
//     0  "CQDB", u32 size of all, u32 flag 0, u32 0x62445371, u32 n, u32 offset of the last part
//    24  256 x {u32 offset of a hash table, or 0; u32 its slots}
//  2072  records {u32 number, u32 length with the NUL, bytes, NUL}
//        hash tables: slots {u32 hash, u32 offset of a record; 0: empty}
//        n x u32 offset of the record of each number
//
// Offsets count from the beginning of the table.  A string is in hash table h mod 256, from slot
// floor(h / 256) mod slots on; h is Bob Jenkins' hash of it with its NUL.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/foreign/foreign_bytes.h"

namespace croft {

inline constexpr std::uint32_t kCrfsuiteVersion = 100;  // of the files' format

// hashlittle() of Bob Jenkins' lookup3 (2006), with initial value 0.
std::uint32_t jenkins_hash(std::string_view bytes);

// The strings by number, 0 to count - 1.  Throws InputError where CRFsuite would not find one of
// them under its number, or the number under the string.
//   bytes : from the beginning of the table on; what follows it is not looked at
//   what  : they are, for messages: "attribute"
std::vector<std::string> read_crfsuite_strings(const ForeignBytes& bytes, std::size_t count,
                                               std::string_view what);

// Appends the table.  The strings are distinct and without a NUL.
void append_crfsuite_strings(std::span<const std::string> strings, std::string& out);

}  // namespace croft
