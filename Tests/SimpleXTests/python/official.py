"""The official client's types and command strings, without the rest of its package: that would look for a native library."""

import importlib.util
import pathlib
import sys


def load():
    """The modules of types, commands, replies and events, in this order."""
    package = importlib.util.find_spec("simplex_chat")
    folder = pathlib.Path(package.submodule_search_locations[0]) / "types"
    spec = importlib.util.spec_from_file_location(
        "official", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["official"] = module
    spec.loader.exec_module(module)
    return module.T, module.CC, module.CR, module.CEvt
