from croft.compat import _names

_names.fill(__name__)
