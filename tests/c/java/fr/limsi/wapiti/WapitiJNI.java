package fr.limsi.wapiti;

/** The native methods of Wapiti's Java binding that label. */
class WapitiJNI {
  static native long loadModel(String arguments);

  static native String labelFromModel(long model, String data);

  static native void freeModel(long model);

  static native void printModelPath(long model);

  static native int runWapiti(String arguments);
}
