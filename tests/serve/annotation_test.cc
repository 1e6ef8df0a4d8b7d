// What people label, the model that learns from it, its mistakes, and Label Studio's requests.
#include "serve/annotation.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "croft/app/train.h"
#include "croft/core/error.h"
#include "serve/retraining.h"
#include "serve/service.h"

namespace croft::serve::annotation_test {
namespace {

constexpr const char* kTraining =
    "Ann B-PER\nlives O\nin O\nOslo B-LOC\n\nBob B-PER\nSmith I-PER\nleft O\nRome B-LOC\n\n";
constexpr const char* kQueue = "Ann\nleft\nOslo\n\nEve\nsaw\nRome\n\nin\nBonn\n\n";

class AnnotationTest : public ::testing::Test {
 protected:
  AnnotationTest()
      : folder_(::testing::TempDir() + "annotation_test_" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
    write("train.txt", kTraining);
    write("queue.txt", kQueue);
    train({path("train.txt")}, path("m.croft"));
    models_.emplace(std::vector<std::string>{path("m.croft")});
  }
  ~AnnotationTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  Annotation annotation() {
    return Annotation({"m", path("queue.txt"), path("labelled.txt")}, *models_);
  }
  // The answer of an endpoint.
  HttpReply send(const std::string& to, const std::string& body, ServiceParts parts) {
    HttpRequest request;
    request.method = body.empty() ? "GET" : "POST";
    request.path = to;
    request.fields = {{"content-type", "application/json"}, {"host", "here"}};
    request.body = body;
    return Service(parts, {{"here"}, ""}).answer(request);
  }
  ServiceParts parts() { return {*models_, limits_, metrics_, nullptr, "1"}; }

  std::optional<ModelStore> models_;
  ServeLimits limits_;
  Metrics metrics_;

 private:
  std::string folder_;
};

int status_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const RequestError& error) {
    return error.status();
  }
  return 200;
}

using Labels = std::vector<std::string>;

TEST_F(AnnotationTest, TakesWhatSuggestWrote) {
  write("queue.txt",
        "{\"labels\":[\"B-PER\",\"O\"],\"line\":5,\"rows\":[\"Eve\",\"saw\"],\"score\":0.5,"
        "\"sequence\":1}\n"
        "{\"labels\":[\"O\"],\"line\":9,\"rows\":[\"Bonn\"],\"score\":0.25,\"sequence\":2}\n");
  const Annotation queue = annotation();
  EXPECT_EQ(queue.counts().all, 2U);
  EXPECT_EQ(queue.item(0).rows, (std::vector<std::string>{"Eve", "saw"}));
  EXPECT_EQ(queue.item(1).rows, (std::vector<std::string>{"Bonn"}));
  EXPECT_TRUE(queue.item(0).labels.empty());
}

TEST_F(AnnotationTest, TheLeastSureSequenceComesFirst) {
  Annotation annotation = this->annotation();
  const auto items = annotation.next("a", Uncertainty::margin, {}, 10);
  ASSERT_EQ(items.size(), 3);
  EXPECT_GE(*items[0].uncertainty, *items[1].uncertainty);
  EXPECT_GE(*items[1].uncertainty, *items[2].uncertainty);
  EXPECT_EQ(annotation.next("a", Uncertainty::entropy, {items[0].id}, 1)[0].labels, Labels());
  EXPECT_NE(annotation.next("a", Uncertainty::margin, {items[0].id}, 1)[0].id, items[0].id);
}

TEST_F(AnnotationTest, TwoViewersSeeDifferentSequencesWhileThereAreSome) {
  Annotation annotation = this->annotation();
  const std::size_t first = annotation.next("a", Uncertainty::margin, {}, 1)[0].id;
  EXPECT_NE(annotation.next("b", Uncertainty::margin, {}, 1)[0].id, first);
  EXPECT_EQ(annotation.next("a", Uncertainty::margin, {}, 1)[0].id, first);
  EXPECT_EQ(annotation.next("c", Uncertainty::margin, {}, 3).size(), 3);
}

TEST_F(AnnotationTest, LabelsAreInTheFileAndChangeThere) {
  Annotation annotation = this->annotation();
  EXPECT_EQ(annotation.label(0, 0, {"B-PER", "O", "B-LOC"}).version, 1);
  EXPECT_EQ(annotation.label(2, 0, {"O", "B-LOC"}).version, 1);
  const std::string second = "in O\nBonn B-LOC\n\n";
  EXPECT_EQ(read("labelled.txt"), "Ann B-PER\nleft O\nOslo B-LOC\n\n" + second);
  EXPECT_EQ(annotation.label(0, 1, {"O", "O", "O"}).version, 2);
  EXPECT_EQ(read("labelled.txt"), "Ann O\nleft O\nOslo O\n\n" + second);
  EXPECT_EQ(annotation.label(0, 2, {}).version, 3);
  EXPECT_EQ(read("labelled.txt"), second);
  EXPECT_EQ(annotation.counts().labelled, 1);
  EXPECT_EQ(annotation.next("a", Uncertainty::margin, {}, 9).size(), 2);
}

TEST_F(AnnotationTest, AServerThatStartsAgainKnowsWhatIsLabelled) {
  write("labelled.txt",
        "other O\n\nEve B-PER\nsaw O\nRome B-LOC");  // no line end, as from an editor
  Annotation annotation = this->annotation();
  EXPECT_EQ(annotation.counts().labelled, 1);
  EXPECT_EQ(annotation.item(1).labels, Labels({"B-PER", "O", "B-LOC"}));
  annotation.label(2, 0, {"O", "O"});
  Annotation again = this->annotation();
  EXPECT_EQ(again.counts().labelled, 2);
  again.label(1, 1, {});
  EXPECT_EQ(read("labelled.txt"), "other O\n\nin O\nBonn O\n\n");
}

TEST_F(AnnotationTest, HalfALineOrHalfASequenceIsNotTakenForLabels) {
  { annotation().label(1, 0, {"B-PER", "O", "B-LOC"}); }
  const std::string whole = read("labelled.txt");
  for (std::size_t size = 1; size < whole.size(); ++size) {
    write("labelled.txt", whole.substr(0, size));
    try {
      const Annotation again = this->annotation();
      EXPECT_EQ(again.item(1).labels, Labels({"B-PER", "O", "B-LOC"}));
      EXPECT_GE(size, whole.size() - 2) << "without line ends at most";
    } catch (const Error&) {
      EXPECT_LT(size, whole.size() - 2);
    }
  }
  write("labelled.txt", "Eve B-PER\nsaw O\nRome B-LO");
  try {
    annotation();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("labelled.txt: the last line has no end"),
              std::string::npos);
  }
}

TEST_F(AnnotationTest, NobodyOverwritesWhatHeHasNotSeen) {
  Annotation annotation = this->annotation();
  annotation.label(0, 0, {"O", "O", "O"});
  EXPECT_EQ(status_of([&] { annotation.label(0, 0, {"B-PER", "O", "O"}); }), 409);
  write("labelled.txt", read("labelled.txt") + "more O\n\n");
  EXPECT_EQ(status_of([&] { annotation.label(1, 0, {"O", "O", "O"}); }), 409);
  EXPECT_EQ(annotation.counts().labelled, 1);
}

TEST_F(AnnotationTest, LabelsThatAreNoneAreRefused) {
  Annotation annotation = this->annotation();
  for (const Labels& wrong : {Labels{"O"}, Labels{"O", "", "O"}, Labels{"O", "a b", "O"},
                              Labels{"O", "a\n", "O"}, Labels{"O", std::string(201, 'x'), "O"}}) {
    EXPECT_EQ(status_of([&] { annotation.label(0, 0, wrong); }), 400);
  }
  EXPECT_EQ(status_of([&] { annotation.label(3, 0, {"O"}); }), 404);
  EXPECT_EQ(read("labelled.txt"), "");
}

TEST_F(AnnotationTest, TextsHaveOneLabel) {
  write("texts", "good\tnice day\nbad\tawful rain\ngood\tnice sun\nbad\train\n");
  write("queue.txt", "nice rain\n\nsun and a bit of rain\n");
  train({path("texts")}, path("t.croft"), {{"format", "text"}, {"model", "maxent"}});
  ModelStore models({path("t.croft")});
  Annotation annotation({"t", path("queue.txt"), path("labelled.txt")}, models);
  EXPECT_EQ(annotation.counts().all, 2);
  annotation.label(1, 0, {"quite good"});
  EXPECT_EQ(read("labelled.txt"), "quite good\tsun and a bit of rain\n");
}

TEST_F(AnnotationTest, AQueueIsForAModelOfColumnsOrTexts) {
  ModelStore network({"n=" CROFT_SOURCE_DIR "/examples/graphs/sprinkler.bif"});
  EXPECT_THROW(Annotation({"n", path("queue.txt"), path("l")}, network), UsageError);
  EXPECT_THROW(Annotation({"m", path("none"), path("l")}, *models_), Error);
  write("broken.txt", "a B c d\n");
  EXPECT_THROW(Annotation({"m", path("broken.txt"), path("l")}, *models_), InputError);
}

Json wait_for(const Retraining& retraining) {
  for (int k = 0; k < 600; ++k) {
    const Json now = retraining.status();
    if (now["state"] != Json("running")) return now;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return retraining.status();
}

TEST_F(AnnotationTest, AModelLearnsFromTheLabelsIsTakenAndGivenBack) {
  Annotation annotation = this->annotation();
  Retraining retraining({{path("train.txt")}, path("train.txt")}, *models_, annotation);
  EXPECT_EQ(status_of([&] { retraining.start(); }), 409);  // nothing is labelled
  EXPECT_EQ(status_of([&] { retraining.accept(); }), 409);
  EXPECT_EQ(status_of([&] { retraining.restore(); }), 409);
  annotation.label(2, 0, {"O", "B-CITY"});
  retraining.start();
  const Json done = wait_for(retraining);
  ASSERT_EQ(done["state"], Json("done")) << done.dump();
  EXPECT_EQ(done["labelled"], Json(1));
  EXPECT_TRUE(done["before"].contains("chunk_f1"));
  const std::string before = read("m.croft");
  EXPECT_EQ(models_->refresh().size(), 0);
  retraining.accept();
  EXPECT_EQ(models_->refresh().size(), 1);
  EXPECT_EQ(models_->find("m")->sequences->labels(), 5);  // with the label of the person
  EXPECT_FALSE(std::filesystem::exists(path("m.croft.candidate")));
  const std::string learnt = read("m.croft");
  retraining.restore();
  EXPECT_EQ(read("m.croft"), before);
  EXPECT_EQ(read("m.croft.before"), learnt);
  EXPECT_EQ(retraining.status()["can_restore"], Json(true));
  retraining.restore();  // which undoes it
  EXPECT_EQ(read("m.croft"), learnt);
  EXPECT_EQ(read("m.croft.before"), before);
}

TEST_F(AnnotationTest, AFileThatIsNoModelIsNotGoneBackTo) {
  Annotation annotation = this->annotation();
  Retraining retraining({}, *models_, annotation);
  const std::string model = read("m.croft");
  for (const std::string& wrong : {std::string("precious\n"), model.substr(0, model.size() / 2)}) {
    write("m.croft.before", wrong);
    EXPECT_EQ(retraining.status()["can_restore"], Json(false));
    EXPECT_EQ(status_of([&] { retraining.restore(); }), 409);
    EXPECT_EQ(read("m.croft"), model);
    EXPECT_EQ(read("m.croft.before"), wrong);
  }
  write("m.croft.before", model);
  EXPECT_EQ(retraining.status()["can_restore"], Json(true));
}

TEST_F(AnnotationTest, FilesOfOthersAreNeitherReplacedNorRemoved) {
  Annotation annotation = this->annotation();
  annotation.label(2, 0, {"O", "B-CITY"});
  Retraining retraining({{path("train.txt")}, ""}, *models_, annotation);
  const std::string model = read("m.croft");
  write("m.croft.candidate", "precious\n");
  EXPECT_EQ(status_of([&] { retraining.start(); }), 409);
  EXPECT_EQ(read("m.croft.candidate"), "precious\n");
  std::filesystem::remove(path("m.croft.candidate"));
  retraining.start();
  ASSERT_EQ(wait_for(retraining)["state"], Json("done"));
  write("m.croft.before", "precious\n");
  EXPECT_EQ(status_of([&] { retraining.accept(); }), 409);
  EXPECT_EQ(read("m.croft.before"), "precious\n");
  EXPECT_EQ(read("m.croft"), model);
  write("m.croft.candidate", "of somebody else\n");
  EXPECT_EQ(status_of([&] { retraining.accept(); }), 409);
  retraining.discard();
  EXPECT_EQ(read("m.croft.candidate"), "of somebody else\n");
}

TEST_F(AnnotationTest, AFailedTrainingRemovesWhatItWroteAlone) {
  Annotation annotation = this->annotation();
  annotation.label(2, 0, {"O", "B-CITY"});
  Retraining retraining({{path("none.txt")}, ""}, *models_, annotation);
  retraining.start();
  EXPECT_EQ(wait_for(retraining)["state"], Json("failed"));
  EXPECT_FALSE(std::filesystem::exists(path("m.croft.candidate")));
  std::filesystem::create_directory(path("m.croft.candidate"));  // it cannot be written
  retraining.start();
  EXPECT_EQ(wait_for(retraining)["state"], Json("failed"));
  EXPECT_TRUE(std::filesystem::exists(path("m.croft.candidate")));
}

TEST_F(AnnotationTest, LabelsThatAnotherProgramHasChangedAreNotLearnt) {
  Annotation annotation = this->annotation();
  annotation.label(2, 0, {"O", "B-CITY"});
  Retraining retraining({{path("train.txt")}, ""}, *models_, annotation);
  write("labelled.txt", read("labelled.txt") + "more O\n\n");
  EXPECT_EQ(status_of([&] { retraining.start(); }), 409);
  EXPECT_EQ(retraining.status()["state"], Json("none"));
}

TEST_F(AnnotationTest, AModelWithAQueueIsReplacedByOneOfTheSameDataAlone) {
  Annotation annotation = this->annotation();
  write("attributes", "O\ta\nB\tb\n\nB\tb\nO\ta\n\n");
  write("two.txt", "Ann N B-PER\nlives V O\n\nleft V O\nRome N B-LOC\n\n");
  train({path("attributes")}, path("m.croft"), {{"format", "attributes"}});
  std::vector<std::string> said = models_->refresh();
  ASSERT_EQ(said.size(), 1);
  EXPECT_TRUE(said[0].starts_with("refused ")) << said[0];
  EXPECT_NE(models_->status("m").problem.find(
                "is for data of the format attributes, and people label 1 column by \"m\""),
            std::string::npos)
      << models_->status("m").problem;
  train({path("two.txt")}, path("m.croft"));
  EXPECT_TRUE(models_->refresh().at(0).starts_with("refused "));
  annotation.label(2, 0, {"O", "B-CITY"});
  Retraining retraining({{path("train.txt")}, ""}, *models_, annotation);
  EXPECT_EQ(status_of([&] { retraining.start(); }), 409);
  EXPECT_EQ(annotation.next("a", Uncertainty::margin, {}, 9).size(), 2);
  train({path("train.txt")}, path("m.croft"), {{"l2", "3"}});
  EXPECT_TRUE(models_->refresh().at(0).starts_with("took over "));
  EXPECT_TRUE(models_->status("m").problem.empty());
}

// Clients who start and discard at the same time: the lock of one was waited for by the training
// whose end the other waited for.
TEST_F(AnnotationTest, ClientsWhoStartAndDiscardAtOnceDoNotWaitForEachOther) {
  Annotation annotation = this->annotation();
  annotation.label(2, 0, {"O", "B-CITY"});
  Retraining retraining({{path("train.txt")}, ""}, *models_, annotation);
  const auto often = [&](auto act) {
    return std::thread([act] {
      for (int k = 0; k < 40; ++k) {
        try {
          act();
        } catch (const RequestError&) {  // 409: a training is under way
        }
      }
    });
  };
  std::vector<std::thread> clients;
  for (int k = 0; k < 2; ++k) {
    clients.push_back(often([&] { retraining.start(); }));
    clients.push_back(often([&] { retraining.discard(); }));
  }
  for (std::thread& each : clients) each.join();
  status_of([&] { retraining.discard(); });  // the last one, if any
  EXPECT_EQ(retraining.status()["state"], Json("none"));
  EXPECT_FALSE(std::filesystem::exists(path("m.croft.candidate")));
}

TEST_F(AnnotationTest, AcceptingKeepsModesAndLinksAndTearsNothing) {
  namespace fs = std::filesystem;
  fs::permissions(path("m.croft"), fs::perms(0600));
  fs::rename(path("m.croft"), path("kept.croft"));
  fs::create_symlink("kept.croft", path("m.croft"));
  Annotation annotation = this->annotation();
  annotation.label(2, 0, {"O", "B-CITY"});
  Retraining retraining({{path("train.txt")}, ""}, *models_, annotation);
  retraining.start();
  ASSERT_EQ(wait_for(retraining)["state"], Json("done"));
  const auto mode = [&](const char* name) { return fs::status(path(name)).permissions(); };
  EXPECT_EQ(mode("m.croft.candidate"), fs::perms(0600));
  const std::string old = read("m.croft");
  fs::create_directory(path("m.croft.before"));  // it cannot be written: nothing is replaced
  EXPECT_THROW(retraining.accept(), Error);
  EXPECT_EQ(read("m.croft"), old);
  fs::remove(path("m.croft.before"));
  retraining.accept();
  EXPECT_NE(read("m.croft"), old);
  EXPECT_EQ(read("m.croft.before"), old);
  EXPECT_TRUE(fs::is_symlink(path("m.croft")));
  EXPECT_EQ(mode("kept.croft"), fs::perms(0600));
  EXPECT_EQ(mode("m.croft.before"), fs::perms(0600));
  retraining.restore();
  EXPECT_EQ(read("kept.croft"), old);
  EXPECT_TRUE(fs::is_symlink(path("m.croft")));
}

TEST_F(AnnotationTest, WithoutTrainingDataTheModelIsThePrior) {
  Annotation annotation = this->annotation();
  annotation.label(1, 0, {"B-PER", "O", "B-LOC"});
  Retraining retraining({}, *models_, annotation);
  retraining.start();
  ASSERT_EQ(wait_for(retraining)["state"], Json("done"));
  retraining.discard();
  EXPECT_EQ(retraining.status()["state"], Json("none"));
  EXPECT_FALSE(std::filesystem::exists(path("m.croft.candidate")));
}

TEST_F(AnnotationTest, EndpointsLabelAndSaySoWhereThereIsNoQueue) {
  EXPECT_EQ(send("/v1/queue", "{}", parts()).status, 404);
  EXPECT_EQ(send("/v1/training", "", parts()).status, 404);
  Annotation annotation = this->annotation();
  Retraining retraining({}, *models_, annotation);
  ServiceParts labelling = parts();
  labelling.annotation = &annotation;
  labelling.retraining = &retraining;
  const Json found = parse_json(send("/v1/queue", R"({"id": 2})", labelling).body);
  EXPECT_EQ(found["all"], Json(3));
  EXPECT_EQ(found["items"][0]["rows"][1], Json("Bonn"));
  const HttpReply put =
      send("/v1/label", R"({"id": 2, "version": 0, "labels": ["O", "B-LOC"]})", labelling);
  EXPECT_EQ(parse_json(put.body)["labelled"], Json(1)) << put.body;
  EXPECT_EQ(send("/v1/label", R"({"id": 2, "version": 0, "labels": []})", labelling).status, 409);
  EXPECT_EQ(send("/v1/label", R"({"id": 2})", labelling).status, 400);
  EXPECT_EQ(send("/v1/retrain", R"({"action": "win"})", labelling).status, 400);
  for (const char* const action : {"accept", "discard", "restore"}) {
    const HttpReply reply = send("/v1/retrain", Json{{"action", action}}.dump(), labelling);
    EXPECT_EQ(reply.status, 409) << reply.body;
    EXPECT_EQ(reason_of(reply.status), "Conflict");
  }
}

TEST_F(AnnotationTest, MistakesHaveTheWordsAroundThem) {
  const HttpReply reply =
      send("/v1/evaluate", R"({"data": "Ann B-PER\nlives B-LOC\nin O\nOslo B-LOC\n\n"})", parts());
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json found = parse_json(reply.body);
  EXPECT_EQ(found["summary"]["tokens"]["count"], Json(4));
  Json wrong;
  for (const Json& cell : found["confusion"]) {
    if (cell["gold"] != cell["predicted"]) wrong = cell;
  }
  EXPECT_EQ(wrong["gold"], Json("B-LOC"));
  EXPECT_EQ(wrong["predicted"], Json("O"));
  EXPECT_EQ(wrong["count"], Json(1));
  EXPECT_EQ(wrong["examples"][0]["words"].size(), 4);
  EXPECT_EQ(wrong["examples"][0]["word"], Json(1));
  EXPECT_EQ(send("/v1/evaluate", "{}", parts()).status, 400);                     // without --data
  EXPECT_EQ(send("/v1/evaluate", R"({"data": "a\nb\n"})", parts()).status, 400);  // no labels
}

TEST_F(AnnotationTest, LabelStudioGetsSpansWithOffsets) {
  const std::string config =
      R"(<View><Labels name=\"ner\" toName=\"t\"><Label value=\"PER\"/></Labels><Text name=\"t\" value=\"$body\"/></View>)";
  const HttpReply reply =
      send("/predict",
           R"({"tasks": [{"id": 7, "data": {"body": "😀 Bob Smith, left Rome."}}],)"
           R"( "project": "1.2", "label_config": ")" +
               config + "\"}",
           parts());
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json answer = parse_json(reply.body);
  Json found;
  for (const Json& each : answer["results"][0]["result"]) {
    if (each["value"]["text"] == Json("Bob Smith")) found = each;
  }
  ASSERT_TRUE(found.is_object()) << reply.body;
  EXPECT_EQ(found["from_name"], Json("ner"));
  EXPECT_EQ(found["to_name"], Json("t"));
  EXPECT_EQ(found["type"], Json("labels"));
  EXPECT_EQ(found["value"]["labels"][0], Json("PER"));
  EXPECT_EQ(found["value"]["start"], Json(3));  // the picture is two units
  EXPECT_EQ(found["value"]["end"], Json(12));
  EXPECT_EQ(send("/predict", R"({"tasks": [{"data": {"text": 1}}]})", parts()).status, 400);
  EXPECT_EQ(send("/predict", R"({"tasks": 3})", parts()).status, 400);
  EXPECT_EQ(send("/setup", R"({"project": "1", "schema": "<View/>"})", parts()).status, 200);
  EXPECT_EQ(parse_json(send("/health", "", parts()).body)["status"], Json("UP"));
}

}  // namespace
}  // namespace croft::serve::annotation_test
