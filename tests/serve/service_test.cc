// Requests to models: answers, refusals, and files that change.
#include "serve/service.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "croft/app/train.h"
#include "croft/core/error.h"
#include "serve/gzip.h"

namespace croft::serve::service_test {
namespace {

constexpr const char* kColumns = "a A\nb B\n\nb B\na A\na A\n\n";
constexpr const char* kOtherLabels = "a X\nb Y\n\nb Y\na X\na X\n\n";
constexpr const char* kTexts = "good\tnice day\nbad\tawful rain\ngood\tnice sun\nbad\train\n";

class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest() : folder_(::testing::TempDir() + "service_test_" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
    train_on(kColumns, "words.croft", "columns");
  }
  ~ServiceTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  void train_on(const std::string& data, const std::string& model, const char* format) const {
    write("data", data);
    TrainingOptions options;
    options.emplace_back("format", format);
    if (std::string_view(format) == "text") options.emplace_back("model", "maxent");
    train({path("data")}, path(model), options);
  }
  ModelStore& store() {
    if (!store_) {
      store_.emplace(std::vector<std::string>{path("words.croft"),
                                              CROFT_SOURCE_DIR "/examples/graphs/sprinkler.bif"});
    }
    return *store_;
  }
  HttpReply send(HttpRequest request, const Access& access = {{"here"}, ""}) {
    if (!request.has("host")) request.fields.emplace_back("host", "here:1");
    const Service service({store(), limits_, metrics_, nullptr, "1"}, access);
    return service.answer(request);
  }
  HttpRequest post(const std::string& to, const std::string& body) const {
    HttpRequest request;
    request.method = "POST";
    request.path = to;
    request.fields = {{"content-type", "application/json"}};
    request.body = body;
    return request;
  }
  HttpRequest get(const std::string& to, const std::string& query = "") const {
    HttpRequest request;
    request.method = "GET";
    request.path = to;
    request.query = query;
    return request;
  }
  Json ask(const std::string& to, const std::string& body) {
    const HttpReply reply = send(post(to, body));
    EXPECT_EQ(reply.status, 200) << reply.body;
    return parse_json(reply.body);
  }

  ServeLimits limits_;
  Metrics metrics_;

 private:
  std::string folder_;
  std::optional<ModelStore> store_;
};

TEST_F(ServiceTest, DataAndSequencesHaveTheSameAnswer) {
  const Json one = ask("/v1/tag", R"({"data": "a\nb\n\nb\n", "marginals": "all"})");
  const Json two = ask("/v1/tag", R"({"sequences": [["a", "b"], ["b"]], "marginals": "all"})");
  EXPECT_EQ(one, two);
  ASSERT_EQ(one["results"].size(), 2);
  EXPECT_EQ(one["results"][0]["labels"][1], Json("B"));
  EXPECT_EQ(one["model"], Json("words"));
}

TEST_F(ServiceTest, AStreamHasALineForEachSequence) {
  HttpRequest request = post("/v1/tag", R"({"data": "a\n\nb\n"})");
  request.fields.emplace_back("accept", "application/x-ndjson");
  const HttpReply reply = send(request);
  ASSERT_TRUE(reply.stream);
  std::string all;
  reply.stream([&](std::string_view piece) {
    all += piece;
    return true;
  });
  EXPECT_EQ(all, "{\"labels\":[\"A\"]}\n{\"labels\":[\"B\"]}\n");
}

TEST_F(ServiceTest, APinnedLabelIsKeptAndTheRestInferredAgain) {
  const Json found = ask(
      "/v1/tag", R"({"sequences": [["a ?", "a B"]], "partial": true, "marginals": "predicted"})");
  EXPECT_EQ(found["results"][0]["labels"][1], Json("B"));
  EXPECT_EQ(found["results"][0]["marginals"][1], Json(1.0));
}

TEST_F(ServiceTest, ItExplainsWhatItLabels) {
  const Json found = ask("/v1/explain", R"({"sequences": [["a", "b"]], "positions": [1]})");
  ASSERT_EQ(found["results"].size(), 1);
  EXPECT_EQ(found["results"][0]["positions"][0]["label"], Json("B"));
  EXPECT_EQ(send(post("/v1/explain", R"({"data": "a\n", "against": "Z"})")).status, 400);
}

TEST_F(ServiceTest, ANetworkIsAskedWithWhatIsKnown) {
  const Json found =
      ask("/v1/infer", R"({"observe": {"rain": "yes", "sprinkler": [0.5, 1]}, "task": "map"})");
  EXPECT_TRUE(found["result"].contains("assignment")) << found.dump();
  EXPECT_EQ(send(post("/v1/infer", R"({"observe": {"rain": "maybe"}})")).status, 400);
  EXPECT_EQ(send(post("/v1/infer", R"({"observe": {"snow": "yes"}})")).status, 400);
  EXPECT_EQ(send(post("/v1/infer", R"({"task": "marginal-map"})")).status, 400);
  EXPECT_EQ(
      ask("/v1/infer", R"({"independent": "rain;sprinkler|season"})")["result"]["independent"],
      Json(true));
}

TEST_F(ServiceTest, ARequestThatIsWrongIsRefusedWithWhatIsWrong) {
  const std::pair<const char*, int> cases[] = {
      {"{", 400},
      {"[]", 400},
      {"{}", 400},
      {R"({"data": "a\n", "colour": 1})", 400},
      {R"({"data": 1})", 400},
      {R"({"data": "a\n", "data": "b\n"})", 400},
      {R"({"data": "a\n", "sequences": []})", 400},
      {R"({"data": "a\n", "model": "none"})", 404},
      {R"({"data": "a\n", "model": "sprinkler"})", 400},
      {R"({"data": "a\n", "k_best": 0})", 400},
      {R"({"data": "a\n", "k_best": 1000})", 400},
      {R"({"data": "a\n", "k_best": 1.5})", 400},
      {R"({"data": "a\n", "marginals": "some"})", 400},
      {R"({"data": "a\n", "constrain": "/etc/passwd"})", 400},
      {R"({"data": "a b c d\n"})", 400},
      {R"({"sequences": [["a\nb"]]})", 400},
      {R"({"sequences": [[]]})", 400},
      {R"({"texts": ["a"]})", 400},
      {R"({"data": "a\n", "rules": ["nonsense"]})", 400},
      {R"([[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]])", 400},
  };
  for (const auto& [body, status] : cases) {
    const HttpReply reply = send(post("/v1/tag", body));
    EXPECT_EQ(reply.status, status) << body << "\n" << reply.body;
    EXPECT_FALSE(parse_json(reply.body)["error"]["message"].string().empty());
  }
  EXPECT_EQ(send(get("/v1/tag")).status, 405);
  EXPECT_EQ(send(get("/nothing")).status, 404);
  EXPECT_EQ(send(get("/v1/../etc/passwd")).status, 404);
}

TEST_F(ServiceTest, EveryMethodAnswersWithoutAWordOfTheServersLimit) {
  for (const char* const method : {"auto", "junction-tree", "belief-propagation", "gibbs",
                                   "mean-field", "likelihood-weighting"}) {
    const Json found = ask("/v1/infer", Json{{"method", method}}.dump());
    EXPECT_EQ(found["result"]["marginals"].size(), 5) << method << found.dump();
  }
  limits_.infer_memory = 1;
  EXPECT_EQ(send(post("/v1/infer", R"({"method": "junction-tree"})")).status, 422);
}

TEST_F(ServiceTest, ARefusalNamesTheMemberOfTheRequest) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"/v1/tag", R"({"data": "a\n", "model": "m", "model": "m"})", R"("model" stands twice)"},
      {"/v1/infer", R"({"observe": {"rain": "yes", "rain": "no"}})", R"("rain" stands twice)"},
      {"/v1/infer", R"({"observe": {"rain": [0, 0]}})",
       R"("observe": the likelihoods of "rain" must be 0 or more, and one of them above 0)"},
      {"/v1/infer", R"({"observe": {"rain": [-1, 1]}})",
       R"("observe": the likelihoods of "rain" must be 0 or more, and one of them above 0)"},
      {"/v1/infer", R"({"observe": {"rain": [1, 2, 3]}})",
       R"("observe": "rain" has 2 states, and there are 3 likelihoods)"},
      {"/v1/infer", R"({"settings": {"restarts": "2"}})", R"("settings" is for a method)"},
      {"/v1/tag", R"({"data": "a\n", "rules": ["nonsense"]})", R"("rules" "nonsense")"},
  };
  for (const auto& [path, body, text] : cases) {
    const HttpReply reply = send(post(path, body));
    EXPECT_EQ(reply.status, 400) << body;
    const std::string message = parse_json(reply.body)["error"]["message"].string();
    EXPECT_NE(message.find(text), message.npos) << body << "\n" << message;
  }
}

TEST_F(ServiceTest, QueriesAreReadAsStrictlyAsBodies) {
  const std::tuple<const char*, const char*, int> cases[] = {
      {"/v1/inspect", "model=words", 200},
      {"/v1/inspect", "", 200},
      {"/v1/inspect", "model=w%6Frds", 200},
      {"/v1/inspect", "model=none", 404},
      {"/v1/inspect", "model=words&model=none", 400},
      {"/v1/inspect", "model=words&top=99999999999", 400},
      {"/v1/inspect", "model=%", 400},
      {"/v1/inspect", "x=%", 400},
      {"/v1/inspect", "model", 400},
      {"/v1/network", "model=sprinkler", 200},
      {"/v1/network", "name=sprinkler", 400},
      {"/v1/models", "x=1", 400},
      {"/metrics", "x=1", 400},
      {"/openapi.json", "x=1", 400},
      {"/health", "x=1", 200},  // of Label Studio: what else it sends
      {"/page/main.js", "v=1", 200},
  };
  for (const auto& [path, query, status] : cases) {
    const HttpReply reply = send(get(path, query));
    EXPECT_EQ(reply.status, status) << path << "?" << query << "\n" << reply.body.substr(0, 200);
  }
  HttpRequest request = post("/v1/tag", R"({"data": "a\n"})");
  request.query = "model=words";
  EXPECT_EQ(send(request).status, 400);
}

TEST_F(ServiceTest, LimitsAreKept) {
  limits_.sequence_length = 3;
  EXPECT_EQ(send(post("/v1/tag", R"({"sequences": [["a", "a", "a"]]})")).status, 200);
  EXPECT_EQ(send(post("/v1/tag", R"({"sequences": [["a", "a", "a", "a"]]})")).status, 413);
  limits_.seconds = 0;
  EXPECT_EQ(send(post("/v1/tag", R"({"sequences": [["a"]]})")).status, 422);
}

TEST_F(ServiceTest, ABodyMayComePacked) {
  HttpRequest request = post("/v1/tag", gzipped(R"({"data": "a\n"})"));
  request.fields.emplace_back("content-encoding", "gzip");
  EXPECT_EQ(send(request).status, 200);
  limits_.body_bytes = 10'000;
  request.body = gzipped(R"({"data": ")" + std::string(20'000, 'a') + "\"}");
  EXPECT_EQ(send(request).status, 413);
  request.body = "no gzip";
  const HttpReply reply = send(request);
  EXPECT_EQ(reply.status, 400);
  EXPECT_NE(reply.body.find("the body is no gzip"), reply.body.npos);
}

TEST_F(ServiceTest, StrangersAreTurnedAway) {
  const auto status = [&](HttpRequest request, const char* name, const char* value) {
    request.fields.emplace_back(name, value);
    return send(request).status;
  };
  EXPECT_EQ(status(get("/v1/models"), "host", "evil.example"), 403);
  EXPECT_EQ(status(get("/v1/models"), "host", "HERE:99"), 200);
  EXPECT_EQ(status(get("/v1/models"), "origin", "http://here:1"), 200);
  for (const char* const origin : {"http://here:2", "http://evil.example", "null", "http://here"}) {
    EXPECT_EQ(status(get("/v1/models"), "origin", origin), 403) << origin;
  }
  EXPECT_EQ(status(get("/v1/models"), "sec-fetch-site", "cross-site"), 403);
  EXPECT_EQ(status(get("/v1/models"), "sec-fetch-site", "same-origin"), 200);
  HttpRequest form = post("/v1/tag", R"({"data": "a\n"})");
  form.fields[0].second = "text/plain";
  EXPECT_EQ(send(form).status, 415);
}

TEST_F(ServiceTest, ATokenIsAskedForWhereThereIsOne) {
  const Access access{{"here"}, "0123456789abcdef"};
  HttpRequest request = get("/v1/models");
  EXPECT_EQ(send(request, access).status, 401);
  EXPECT_EQ(send(get("/v1/health"), access).status, 200);
  for (const char* const wrong :
       {"Bearer 0123456789abcdeX", "Bearer ", "0123456789abcdef", "Bearer 0123456789abcdef0"}) {
    request.fields = {{"authorization", wrong}};
    EXPECT_EQ(send(request, access).status, 401) << wrong;
  }
  request.fields = {{"authorization", "Bearer 0123456789abcdef"}};
  EXPECT_EQ(send(request, access).status, 200);
}

TEST_F(ServiceTest, AFileThatChangesIsTakenOverAndABrokenOneIsNot) {
  const ModelPointer before = store().find("words");
  EXPECT_TRUE(store().refresh().empty());
  write("words.croft", "broken");
  EXPECT_EQ(store().refresh().size(), 1);
  EXPECT_EQ(store().find("words"), before);
  EXPECT_FALSE(store().status("words").problem.empty());
  train_on(kOtherLabels, "words.croft", "columns");
  EXPECT_EQ(store().refresh().size(), 1);
  const Json found = ask("/v1/tag", R"({"data": "a\n"})");
  EXPECT_EQ(found["results"][0]["labels"][0], Json("X"));
  EXPECT_EQ(found["version"], Json(2));
  EXPECT_EQ(before->sequences->label(0), "A");  // whoever began with it has it still
  std::filesystem::remove(path("words.croft"));
  EXPECT_TRUE(store().refresh().empty());
  EXPECT_EQ(store().status("words").refused, 1);
  EXPECT_EQ(store().status("words").taken, 2);
}

TEST_F(ServiceTest, TextsAreClassified) {
  train_on(kTexts, "texts.croft", "text");
  const ModelStore texts({"t=" + path("texts.croft")});
  const Service service({texts, limits_, metrics_, nullptr, "1"}, {{"here"}, ""});
  HttpRequest request = post("/v1/classify", R"({"texts": ["nice\nsun", "", "awful\train"]})");
  request.fields.emplace_back("host", "here");
  const HttpReply reply = service.answer(request);
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json found = parse_json(reply.body);
  ASSERT_EQ(found["results"].size(), 3);
  EXPECT_EQ(found["results"][0]["labels"][0], Json("good"));
  EXPECT_EQ(found["results"][2]["labels"][0], Json("bad"));
  EXPECT_EQ(found["results"][0]["marginals"][0].size(), 2);
}

TEST_F(ServiceTest, TwoModelsOfOneNameAreRefused) {
  EXPECT_THROW(ModelStore({path("words.croft"), path("words.croft")}), UsageError);
  EXPECT_EQ(ModelStore({path("words.croft"), "b=" + path("words.croft")}).all().size(), 2);
}

TEST_F(ServiceTest, TheDescriptionHasEveryEndpointAndEveryMember) {
  const Json described = parse_json(send(get("/openapi.json")).body);
  for (const Endpoint& endpoint : endpoints()) {
    const Json& operation =
        described["paths"][endpoint.path][endpoint.method == "GET" ? "get" : "post"];
    EXPECT_FALSE(operation["summary"].string().empty());
    const auto named = [](const RequestField& field) { return field.name != "*"; };
    if (endpoint.method == "GET") {
      const Json* const parameters = operation.get_if("parameters");
      EXPECT_EQ(parameters == nullptr ? 0 : parameters->size(),
                std::ranges::count_if(endpoint.fields(), named));
      continue;
    }
    const Json& properties =
        operation["requestBody"]["content"]["application/json"]["schema"]["properties"];
    EXPECT_EQ(properties.size(), std::ranges::count_if(endpoint.fields(), named));
    // What is described is what is taken: each member of the right type is read, another is
    // refused.
    for (const RequestField& field : endpoint.fields()) {
      if (field.type == FieldType::anything) continue;
      EXPECT_TRUE(properties.contains(field.name)) << field.name;
      const Json wrong = {{std::string(field.name), nullptr}};
      EXPECT_THROW(read_fields(wrong.dump(), endpoint.fields()), RequestError) << field.name;
    }
  }
}

TEST_F(ServiceTest, ThePageIsServedWithoutInlineScriptsAndLoadsNothingFromElsewhere) {
  const HttpReply page = send(get("/"));
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  EXPECT_NE(page.body.find("<script type=\"module\" src=\"/page/main.js\"></script>"),
            page.body.npos);
  for (const char* const name : {"/page/style.css", "/page/main.js", "/page/networks.js"}) {
    const HttpReply file = send(get(name));
    EXPECT_EQ(file.status, 200) << name;
    for (const char* const word : {"innerHTML", "https://", "eval(", "document.write"}) {
      EXPECT_EQ(file.body.find(word), file.body.npos) << name << " " << word;
    }
  }
  EXPECT_EQ(send(get("/page/index.html")).status, 404);
}

TEST_F(ServiceTest, MetricsCountWhatWasAsked) {
  ask("/v1/tag", R"({"data": "a\n\nb\n"})");
  send(get("/nothing/at/all"));
  const std::string text = send(get("/metrics")).body;
  EXPECT_NE(text.find("croft_requests_total{endpoint=\"/v1/tag\",status=\"200\"} 1\n"), text.npos);
  EXPECT_NE(text.find("croft_requests_total{endpoint=\"other\",status=\"404\"} 1\n"), text.npos);
  EXPECT_NE(text.find("croft_answers_total{model=\"words\"} 2\n"), text.npos);
  EXPECT_EQ(text.find("nothing"), text.npos);
}

}  // namespace
}  // namespace croft::serve::service_test
