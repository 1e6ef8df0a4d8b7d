#include "croft/model/extraction_record.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "croft/core/error.h"
#include "model/string_section.h"

namespace croft {
namespace {

using nlohmann::json;

// Whether it is the first; throws where it is neither.
bool one_of(const json& value, std::string_view first, std::string_view second) {
  if (value != first && value != second) throw std::invalid_argument("unknown");
  return value == first;
}

}  // namespace

json extraction_record(const ExtractionConfig& config) {
  json record = {{"format", config.format == InputFormat::attributes ? "attributes" : "columns"},
                 {"columns", config.columns},
                 {"boundaries", config.boundaries},
                 {"language", config.language == TemplateLanguage::wapiti ? "wapiti" : "crfpp"}};
  if (config.intercept) record["intercept"] = true;  // said only where there is one
  return record;
}

void write_extraction_sections(const ExtractionConfig& config, ContainerWriter& out) {
  if (!config.template_text.empty()) out.add("template", config.template_text);
}

ExtractionConfig read_extraction(const Container& container, const json& meta) {
  ExtractionConfig config;
  try {
    const json& extraction = meta.at("extraction");
    config.format = one_of(extraction.at("format"), "attributes", "columns")
                        ? InputFormat::attributes
                        : InputFormat::columns;
    config.columns = extraction.at("columns").get<std::size_t>();
    config.boundaries = extraction.at("boundaries").get<bool>();
    config.intercept = extraction.value("intercept", false);
    config.language = one_of(extraction.at("language"), "wapiti", "crfpp")
                          ? TemplateLanguage::wapiti
                          : TemplateLanguage::crfpp;
  } catch (const std::exception&) {
    throw Error(container.name() + ": section meta" + std::string(kDamaged));
  }
  if (container.has("template")) config.template_text = container.text("template");
  config.template_name = container.name() + " (template)";
  return config;
}

}  // namespace croft
