// libwapiti.so as Java programs load it, GROBID first of all: the native methods of
// fr.limsi.wapiti.WapitiJNI that label, on top of croft/c.h.  docs/c.md says what they take.
#include <jni.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "croft/c.h"
#include "croft/core/error.h"

namespace {

struct FreeModel {
  void operator()(croft_model* model) const { croft_model_free(model); }
};
struct FreeTagger {
  void operator()(croft_tagger* tagger) const { croft_tagger_free(tagger); }
};

// What a Java program holds as a number.
struct WapitiModel {
  std::unique_ptr<croft_model, FreeModel> model;
  std::string path;
  bool label_only = false;  // no columns of the input
};

// An exception is under way in Java; nothing more is to be asked of it.
struct JavaFailed {};

void require(croft_status status) {
  if (status != CROFT_OK) throw croft::Error(std::string(croft_error()));
}

template <class T>
T require(T made) {
  if (made == nullptr) throw JavaFailed();
  return made;
}

void throw_in(JNIEnv* java, const char* what) noexcept;

// work(), and what it throws as a RuntimeException of Java.
template <class Work>
auto guarded(JNIEnv* java, const Work& work) noexcept -> decltype(work()) {
  const auto fail = [&](const char* what) { throw_in(java, what); };
  try {
    return work();
  } catch (const JavaFailed&) {
  } catch (const std::bad_alloc&) {
    fail("memory does not suffice");
  } catch (const std::exception& error) {
    fail(error.what());
  }
  return {};
}

// Texts are UTF-8 here; JNI's own functions would give another encoding of rare characters.
std::string text_of(JNIEnv* java, jstring text) {
  if (text == nullptr) throw croft::UsageError("a text was expected, and null was given");
  const jmethodID get_bytes =
      require(java->GetMethodID(java->GetObjectClass(text), "getBytes", "(Ljava/lang/String;)[B"));
  const jstring encoding = require(java->NewStringUTF("UTF-8"));
  auto* const bytes = static_cast<jbyteArray>(java->CallObjectMethod(text, get_bytes, encoding));
  if (java->ExceptionCheck() != JNI_FALSE) throw JavaFailed();
  std::string result(static_cast<std::size_t>(java->GetArrayLength(bytes)), '\0');
  java->GetByteArrayRegion(bytes, 0, java->GetArrayLength(bytes),
                           reinterpret_cast<jbyte*>(result.data()));
  return result;
}

jstring string_of(JNIEnv* java, const std::string& text) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<jsize>::max())) {
    throw croft::Error("an answer of over 2 GB is longer than a text of Java: give fewer rows");
  }
  const auto size = static_cast<jsize>(text.size());
  const jclass strings = require(java->FindClass("java/lang/String"));
  const jmethodID make = require(java->GetMethodID(strings, "<init>", "([BLjava/lang/String;)V"));
  const jbyteArray bytes = require(java->NewByteArray(size));
  java->SetByteArrayRegion(bytes, 0, size, reinterpret_cast<const jbyte*>(text.data()));
  const jstring encoding = require(java->NewStringUTF("UTF-8"));
  return static_cast<jstring>(require(java->NewObject(strings, make, bytes, encoding)));
}

// Not by ThrowNew(), which takes another encoding of rare characters.
void throw_in(JNIEnv* java, const char* what) noexcept {
  try {
    const jclass kind = require(java->FindClass("java/lang/RuntimeException"));
    const jmethodID make = require(java->GetMethodID(kind, "<init>", "(Ljava/lang/String;)V"));
    java->Throw(
        static_cast<jthrowable>(require(java->NewObject(kind, make, string_of(java, what)))));
  } catch (...) {  // Java has an exception of its own by now
  }
}

// Opens the model of "label [--check] [--label] [--post] -m PATH".  A path may have blanks: it
// reaches to the next word that begins with "-".
std::unique_ptr<WapitiModel> open(const std::string& arguments) {
  auto result = std::make_unique<WapitiModel>();
  std::istringstream words(arguments);
  std::string word;
  if (!(words >> word) || word != "label") {
    throw croft::UsageError(croft::in_quotes(arguments),
                            " does not begin with label: this library only labels; train "
                            "with croft train");
  }
  bool in_path = false;
  croft_limits limits{};
  limits.size = sizeof limits;
  limits.decode = CROFT_VITERBI;
  while (words >> word) {
    if (word == "-m" || word == "--model") {
      in_path = true;
      result->path.clear();
    } else if (in_path && !word.starts_with('-')) {
      result->path += (result->path.empty() ? "" : " ") + word;
    } else if (word == "-l" || word == "--label") {
      in_path = false;
      result->label_only = true;
    } else if (word == "-p" || word == "--post") {
      in_path = false;
      limits.decode = CROFT_MARGINAL;
    } else if (word == "-c" || word == "--check") {
      in_path = false;  // its statistics would go to the standard error output
    } else {
      throw croft::UsageError(
          word, " is not known here; there are --model PATH, --label, --post and --check");
    }
  }
  if (result->path.empty()) throw croft::UsageError("no model is given: label -m PATH");
  const auto load = [&] {
    croft_model* model = nullptr;
    require(croft_open(result->path.c_str(), &limits, &model));
    result->model.reset(model);
  };
  load();
  // Wapiti decodes a memm by Viterbi whatever it is asked for.
  if (limits.decode == CROFT_MARGINAL &&
      std::string_view(croft_kind(result->model.get())) == "memm") {
    limits.decode = CROFT_VITERBI;
    load();
  }
  return result;
}

std::string_view without_blanks(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\v\f\r";
  const std::size_t begin = line.find_first_not_of(kBlanks);
  return begin == line.npos ? std::string_view()
                            : line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
}

// Tags the rows, which it forgets, and writes each with its label, then an empty line.
void label_sequence(const WapitiModel& model, croft_tagger* tagger,
                    std::vector<std::string_view>& rows, std::string& out) {
  if (rows.empty()) return;
  for (const std::string_view row : rows) {
    if (row.find('\0') != row.npos) throw croft::UsageError("a row has the character U+0000");
    require(croft_add_row(tagger, std::string(without_blanks(row)).c_str()));
  }
  require(croft_tag(tagger));
  for (std::size_t t = 0; t < rows.size(); ++t) {
    if (!model.label_only) out.append(rows[t]) += '\t';
    out.append(croft_label(model.model.get(), croft_labels(tagger)[t])) += '\n';
  }
  out += '\n';
  rows.clear();
}

std::string label(const WapitiModel& model, std::string_view data) {
  croft_tagger* made = nullptr;
  require(croft_tagger_new(model.model.get(), &made));
  const std::unique_ptr<croft_tagger, FreeTagger> tagger(made);
  std::string out;
  std::vector<std::string_view> rows;
  while (!data.empty()) {
    const std::string_view line = data.substr(0, data.find('\n'));
    data.remove_prefix(std::min(data.size(), line.size() + 1));
    if (without_blanks(line).empty()) {
      label_sequence(model, tagger.get(), rows, out);
    } else {
      rows.push_back(line);
    }
  }
  label_sequence(model, tagger.get(), rows, out);
  return out;
}

const WapitiModel& model_of(jlong handle) {
  if (handle == 0) throw croft::UsageError("there is no model: it was not loaded, or it was freed");
  return *reinterpret_cast<const WapitiModel*>(handle);
}

}  // namespace

extern "C" {

JNIEXPORT jlong JNICALL Java_fr_limsi_wapiti_WapitiJNI_loadModel(JNIEnv* java, jclass,
                                                                 jstring arguments) {
  return guarded(java,
                 [&] { return reinterpret_cast<jlong>(open(text_of(java, arguments)).release()); });
}

JNIEXPORT jstring JNICALL Java_fr_limsi_wapiti_WapitiJNI_labelFromModel(JNIEnv* java, jclass,
                                                                        jlong handle,
                                                                        jstring data) {
  return guarded(java,
                 [&] { return string_of(java, label(model_of(handle), text_of(java, data))); });
}

JNIEXPORT void JNICALL Java_fr_limsi_wapiti_WapitiJNI_freeModel(JNIEnv*, jclass, jlong handle) {
  delete reinterpret_cast<WapitiModel*>(handle);
}

JNIEXPORT void JNICALL Java_fr_limsi_wapiti_WapitiJNI_printModelPath(JNIEnv* java, jclass,
                                                                     jlong handle) {
  guarded(java,
          [&] { return std::fprintf(stderr, "Model path: %s\n", model_of(handle).path.c_str()); });
}

// `wapiti` as a whole, with which GROBID trains.
JNIEXPORT jint JNICALL Java_fr_limsi_wapiti_WapitiJNI_runWapiti(JNIEnv* java, jclass, jstring) {
  return guarded(java, [&]() -> jint {
    throw croft::UsageError(
        "this library only labels; train with croft train --template PATTERNS -o MODEL DATA");
  });
}

}  // extern "C"
