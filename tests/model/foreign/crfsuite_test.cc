// CRFsuite's files: written and read back, and damaged in every way.
#include <gtest/gtest.h>

#include <cstring>

#include "croft/core/error.h"
#include "model/foreign/crfsuite_strings.h"
#include "model/foreign/foreign_chain.h"
#include "support/foreign_chains.h"

namespace croft::crfsuite_test {
namespace {

using testing_support::random_foreign_chain;
using testing_support::weights_by_name;

const std::string kFile = "m.crfsuite";

std::uint32_t u32(const std::string& bytes, std::size_t at) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}
void set_u32(std::string& bytes, std::size_t at, std::uint32_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::string fault_of(const std::string& bytes) {
  return message_of<InputError>([&] { read_crfsuite(bytes, kFile); });
}

std::string small_file() {
  ForeignChain chain;
  chain.extraction.format = InputFormat::attributes;
  chain.labels = {"A", "B"};
  chain.node.add(0, 0.1);
  chain.node.add(1, -0.1);
  chain.node.end_row("x");
  chain.node.add(1, 2);
  chain.node.end_row("y");
  chain.tied.add(1, 3.3);
  chain.tied.add(2, -3.3);
  chain.tied.end_row("");
  return write_crfsuite(chain, kFile);
}

// Published with the function.
TEST(Crfsuite, TheHashIsLookup3) {
  EXPECT_EQ(jenkins_hash(""), 0xdeadbeefu);
  EXPECT_EQ(jenkins_hash("Four score and seven years ago"), 0x17770551u);
}

TEST(Crfsuite, WhatIsWrittenIsReadBackBitByBit) {
  Random random(1);
  for (int n = 0; n < 20; ++n) {
    ForeignChain chain = random_foreign_chain(1 + random.below(6), random.below(300), random);
    chain.labels[0] = "";  // any bytes are a name
    const std::string bytes = write_crfsuite(chain, kFile);
    const ForeignChain back = read_crfsuite(bytes, kFile);
    EXPECT_EQ(back.labels, chain.labels);
    EXPECT_EQ(weights_by_name(back.node), weights_by_name(chain.node));
    EXPECT_EQ(weights_by_name(back.tied), weights_by_name(chain.tied));
    EXPECT_EQ(write_crfsuite(back, kFile), bytes);
  }
}

TEST(Crfsuite, TheFileIsLaidOutAsCrfsuiteDoes) {
  const std::string bytes = small_file();
  EXPECT_EQ(bytes.substr(0, 4), "lCRF");
  EXPECT_EQ(u32(bytes, 4), bytes.size());
  EXPECT_EQ(u32(bytes, 16), 0u);
  EXPECT_EQ(u32(bytes, 20), 2u);
  EXPECT_EQ(u32(bytes, 24), 2u);
  EXPECT_EQ(u32(bytes, 28), 48u);
  EXPECT_EQ(bytes.substr(48, 4), "FEAT");
  EXPECT_EQ(u32(bytes, 52), 12u + 20 * 5);
  EXPECT_EQ(bytes.substr(u32(bytes, 32), 4), "CQDB");
  EXPECT_EQ(bytes.substr(u32(bytes, 36), 4), "CQDB");
  const std::uint32_t labels = u32(bytes, 40), attributes = u32(bytes, 44);
  EXPECT_EQ(bytes.substr(labels, 4), "LFRF");
  EXPECT_EQ(u32(bytes, labels + 8), 4u);       // two for the begin and the end,
  EXPECT_EQ(u32(bytes, labels + 12 + 8), 0u);  // which it has no more
  EXPECT_EQ(bytes.substr(attributes, 4), "AFRF");
  EXPECT_EQ(attributes + u32(bytes, attributes + 4), bytes.size());
}

TEST(Crfsuite, AModelWithoutTransitionsIsAChain) {
  ForeignChain chain;
  chain.labels = {"A"};
  chain.node.add(0, 1);
  chain.node.end_row("x");
  chain.kind = ChainKind::maxent;
  chain.extraction.format = InputFormat::attributes;
  EXPECT_EQ(read_crfsuite(write_crfsuite(chain, kFile), kFile).tied.weight.size(), 0u);
}

TEST(Crfsuite, WhatTheFormatCannotSayIsRefused) {
  const auto refusal = [](const auto& change) {
    Random random(2);
    ForeignChain chain = random_foreign_chain(2, 2, random);
    change(chain);
    return message_of<UsageError>([&] { write_crfsuite(chain, "m.croft"); });
  };
  EXPECT_EQ(refusal([](ForeignChain& c) { c.edge.end_row("e"); }),
            "m.croft: the model has attributes of edges, which a CRFsuite model cannot say");
  EXPECT_NE(refusal([](ForeignChain& c) { c.kind = ChainKind::memm; }), "");
  EXPECT_NE(refusal([](ForeignChain& c) { c.extraction.boundaries = true; }), "");
  EXPECT_NE(refusal([](ForeignChain& c) { c.extraction.intercept = true; }), "");
  EXPECT_NE(refusal([](ForeignChain& c) { c.extraction.format = InputFormat::text; }), "");
  EXPECT_NE(refusal([](ForeignChain& c) { c.labels[0] = std::string("a\0b", 3); }), "");
}

TEST(Crfsuite, EveryPrefixOfAFileIsAnError) {
  const std::string bytes = small_file();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(fault_of(bytes.substr(0, size)), "no error") << size;
  }
}

// Every number of the file replaced by one that lies.
TEST(Crfsuite, AnyNumberThatLiesIsAnErrorOrAnotherModel) {
  const std::string good = small_file();
  Random random(3);
  for (std::size_t at = 0; at + 4 <= good.size(); ++at) {
    const std::uint32_t of_file = static_cast<std::uint32_t>(random.below(good.size()));
    for (const std::uint32_t lie : {0u, 1u, 2u, 0x7FFFFFFFu, 0xFFFFFFFFu, of_file}) {
      std::string bytes = good;
      set_u32(bytes, at, lie);
      fault_of(bytes);
    }
  }
}

TEST(Crfsuite, ALieIsNamedWithItsByte) {
  const std::string good = small_file();
  const std::uint32_t labels = u32(good, 32), attributes = u32(good, 36), of_labels = u32(good, 40),
                      of_attributes = u32(good, 44);
  ASSERT_EQ(fault_of(good), "no error");
  const auto expect_fault = [&](const std::string& what, std::size_t at, std::uint32_t value) {
    std::string bytes = good;
    set_u32(bytes, at, value);
    const std::string fault = fault_of(bytes);
    EXPECT_TRUE(fault.starts_with("m.crfsuite: ")) << fault;
    EXPECT_NE(fault.find(what), std::string::npos) << fault;
    EXPECT_NE(fault.find("at byte "), std::string::npos) << fault;
  };
  expect_fault("no CRFsuite model of kind FOMC", 8, 0);
  expect_fault("version 101", 12, 101);
  expect_fault("only", 4, 0xFFFFFFFF);
  expect_fault("too short", 20, 0xFFFFFFFF);
  expect_fault("too short", 20, 3);
  expect_fault("too short", 24, 3);
  expect_fault("feature 0 is of no label", 48 + 12 + 8, 2);
  expect_fault("feature 0 is not of the label or attribute", 48 + 12 + 4, 1);
  expect_fault("no table of labels", labels + 12, 0);
  expect_fault("lies outside", attributes + 20, 0xFFFFFF00);          // the list of strings
  expect_fault("label 0 has another number", labels + 24 + 2048, 7);  // the first record
  expect_fault("does not end in NUL", labels + 24 + 2048 + 4, 0);     // its length
  expect_fault("lies outside", labels + 24 + 2048 + 4, 0xFFFFFFFF);
  expect_fault("does not end in NUL", labels + 24 + 2048 + 8, 0x42424242);
  expect_fault("no feature has the number", u32(good, of_labels + 12) + 4, 99);
  expect_fault("lies outside", of_labels + 12, 0xFFFFFFFF);
  expect_fault("lies outside", u32(good, of_attributes + 12), 0x3FFFFFFF);  // how many
  // The second attribute refers to the list of the first.
  expect_fault("is referred to twice", of_attributes + 16, u32(good, of_attributes + 12));
}

TEST(Crfsuite, AStringThatItsHashTableDoesNotFindIsAnError) {
  const std::string good = small_file();
  const std::uint32_t attributes = u32(good, 36);
  const std::uint32_t hash = jenkins_hash(std::string_view("x", 2));
  const std::size_t head = attributes + 24 + 8 * (hash % 256);
  const std::uint32_t begin = u32(good, head), slots = u32(good, head + 4);
  ASSERT_EQ(slots, 2u);
  const std::size_t home = attributes + begin + 8 * ((hash >> 8) % slots);
  const auto expect_fault = [&](std::string bytes) {
    const std::string fault = fault_of(bytes);
    EXPECT_NE(fault.find("attribute 0 is not in its hash table"), std::string::npos) << fault;
  };
  std::string other_hash = good, empty = good, none = good, full = good;
  set_u32(other_hash, home, hash + 1);
  expect_fault(other_hash);
  set_u32(empty, home + 4, 0);
  expect_fault(empty);
  set_u32(none, head + 4, 0);
  expect_fault(none);
  for (std::size_t k = 0; k < slots; ++k) {  // no empty slot, and none is the one
    set_u32(full, attributes + begin + 8 * k, 1);
    set_u32(full, attributes + begin + 8 * k + 4, 24 + 2048);
  }
  expect_fault(full);
}

}  // namespace
}  // namespace croft::crfsuite_test
