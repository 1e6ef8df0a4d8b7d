import fr.limsi.wapiti.SWIGTYPE_p_mdl_t;
import fr.limsi.wapiti.Wapiti;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What libwapiti.so promises to Java. Arguments: the library, the words for loadModel(), a file of rows, and where
 * its labelling is to be written.
 */
public class LabelColumns {
  static final int THREADS = 4;

  static void check(boolean condition, String what) {
    if (!condition) throw new AssertionError(what);
  }

  static void refused(String arguments, String message) {
    try {
      Wapiti.loadModel(arguments);
    } catch (RuntimeException error) {
      check(error.getMessage().contains(message), error.getMessage());
      return;
    }
    throw new AssertionError(arguments + " was taken");
  }

  static void wrongArgumentsAreExceptions(String arguments) {
    refused("label -m /no/such/model.wapiti", "/no/such/model.wapiti");
    refused("train -p patterns data model", "this library only labels");
    refused("label", "no model");
    refused(arguments + " --nbest 3", "--nbest");
    try {
      Wapiti.runWapiti("train -p patterns data model");
    } catch (RuntimeException error) {
      check(error.getMessage().contains("croft train"), error.getMessage());
      return;
    }
    throw new AssertionError("runWapiti() did not say what it cannot do");
  }

  static void threadsShareAModel(SWIGTYPE_p_mdl_t model, String data, String expected) throws InterruptedException {
    List<String> found = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int k = 0; k < THREADS; ++k) {
      threads.add(
          new Thread(
              () -> {
                String labelled = Wapiti.labelFromModel(model, data);
                synchronized (found) {
                  found.add(labelled);
                }
              }));
    }
    for (Thread thread : threads) thread.start();
    for (Thread thread : threads) thread.join();
    check(found.size() == THREADS, "a thread ended without an answer");
    for (String each : found) check(each.equals(expected), "a thread got another answer");
  }

  public static void main(String[] args) throws Exception {
    System.load(args[0]);
    wrongArgumentsAreExceptions(args[1]);
    SWIGTYPE_p_mdl_t model = Wapiti.loadModel(args[1]);
    String data = Files.readString(Path.of(args[2]), StandardCharsets.UTF_8);
    String labelled = Wapiti.labelFromModel(model, data);
    Files.writeString(Path.of(args[3]), labelled, StandardCharsets.UTF_8);
    threadsShareAModel(model, data, labelled);
    check(Wapiti.labelFromModel(model, "\n \n").isEmpty(), "blank lines are no sequence");
    String row = data.substring(data.indexOf('\t'), data.indexOf('\n'));
    String rare = "\u00e9\ud83d\ude00" + row; // beyond 16 bits
    check(Wapiti.labelFromModel(model, "  " + rare + " \r\n").startsWith("  " + rare + " \r\t"), "a row is changed");
    try {
      Wapiti.labelFromModel(model, "x\n");
      throw new AssertionError("a row with too few columns was labelled");
    } catch (RuntimeException error) {
      check(error.getMessage().contains("1 cell,"), error.getMessage());
    }
    Wapiti.freeModel(model);
  }
}
