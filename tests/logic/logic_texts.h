// Networks and evidence from texts.
#pragma once
#include <string>
#include <string_view>

#include "logic/evidence.h"
#include "logic/network_parser.h"

namespace croft {

inline LogicTokens tokens_of(std::string_view text, const std::string& name = "t.mln") {
  return read_logic_tokens(LineReader(text, name));
}

inline LogicNetwork network_of(std::string_view text, LogicDialect dialect = LogicDialect::any) {
  return parse_network(tokens_of(text), dialect);
}

inline LogicEvidence evidence_of(const LogicNetwork& network, std::string_view text) {
  LogicEvidence evidence(network);
  add_evidence(network, read_fact_tokens(LineReader(text, "t.db")), evidence);
  return evidence;
}

}  // namespace croft
