package fr.limsi.wapiti;

/** Stands in for Wapiti's Java binding where its jar is not at hand: the same names and types. */
public class Wapiti {
  public static SWIGTYPE_p_mdl_t loadModel(String arguments) {
    return new SWIGTYPE_p_mdl_t(WapitiJNI.loadModel(arguments));
  }

  public static String labelFromModel(SWIGTYPE_p_mdl_t model, String data) {
    return WapitiJNI.labelFromModel(model.handle, data);
  }

  public static void freeModel(SWIGTYPE_p_mdl_t model) {
    WapitiJNI.freeModel(model.handle);
  }

  public static void printModelPath(SWIGTYPE_p_mdl_t model) {
    WapitiJNI.printModelPath(model.handle);
  }

  public static int runWapiti(String arguments) {
    return WapitiJNI.runWapiti(arguments);
  }
}
