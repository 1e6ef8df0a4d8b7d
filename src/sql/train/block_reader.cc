#include "sql/train/block_reader.h"

#include <algorithm>
#include <array>

#include "croft/core/error.h"

namespace croft {
namespace {

struct BlockColumns {
  std::size_t block, id, domain;  // kNone: not there
};

BlockColumns columns_of(const Query& query, const BlockSpec& spec) {
  constexpr std::array<std::string_view, 3> kBlockColumns = {"block", "id", "domain"};
  for (const std::string& name : query.names()) {
    const bool known = std::ranges::any_of(
        kBlockColumns, [&](std::string_view each) { return query.find(name) == query.find(each); });
    if (!known) {
      query.fail("a column " + in_quotes(name) + " of no meaning",
                 "columns are block, id and domain");
    }
  }
  const BlockColumns at{query.find("block"), query.find("id"), query.find("domain")};
  if (at.block == Query::kNone) query.fail("no column block", "write: select … as block");
  if (at.id == Query::kNone) query.fail("no column id", "write: select … as id");
  if (spec.domain.empty() == (at.domain == Query::kNone)) {
    query.fail(at.domain == Query::kNone
                   ? "no column domain, and no domain = \"…\" beside the query"
                   : "a column domain beside domain = \"…\"",
               "give one of the two");
  }
  return at;
}

std::uint32_t domain_of(const Query& query, const CliqueSchema& schema, std::string_view name) {
  const auto found = std::ranges::find(schema.domains, name, &Domain::name);
  if (found == schema.domains.end()) query.fail_row("there is no domain " + in_quotes(name));
  return static_cast<std::uint32_t>(found - schema.domains.begin());
}

}  // namespace

VariableBlocks read_blocks(const Database& database, const BlockSpec& spec,
                           const CliqueSchema& schema, const CliqueData& data,
                           const VariableTable& variables) {
  Query query(database, spec.query);
  const BlockColumns at = columns_of(query, spec);
  VariableBlocks out{spec.name, {}};
  RowIds names;
  while (query.next()) {
    if (query.is_null(at.block)) query.fail_row("the block is NULL");
    if (query.is_null(at.id)) query.fail_row("the id is NULL");
    const std::uint32_t domain =
        domain_of(query, schema, at.domain == Query::kNone ? spec.domain : query.text(at.domain));
    const std::uint32_t v = variables.find(domain, id_in(query, at.id));
    if (v == kUnknown) {
      query.fail_row("there is no variable " + in_quotes(query.text(at.id)) + " of the domain '" +
                     schema.domains[domain].name + "'");
    }
    bool is_new = false;
    const std::uint32_t number = names.insert(id_in(query, at.block), is_new);
    if (is_new) out.blocks.emplace_back();
    std::vector<std::uint32_t>& block = out.blocks[number];
    if (!block.empty() && data.group_name(block.front()) != data.group_name(v)) {
      query.fail_row("the variable " + in_quotes(query.text(at.id)) +
                         " is of another instance than others of its block",
                     "name the instance in the block, too");
    }
    block.push_back(v);
  }
  for (const std::vector<std::uint32_t>& each : out.blocks) {
    std::vector<std::uint32_t> sorted = each;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice == sorted.end()) continue;
    query.fail("the variable " + in_quotes(variables.id(*twice)) + " is twice in a block",
               "write: select distinct …");
  }
  return out;
}

}  // namespace croft
