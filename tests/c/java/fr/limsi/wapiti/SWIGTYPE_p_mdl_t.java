package fr.limsi.wapiti;

/** A model, as Wapiti's Java binding names its type. */
public class SWIGTYPE_p_mdl_t {
  final long handle;

  SWIGTYPE_p_mdl_t(long handle) {
    this.handle = handle;
  }
}
