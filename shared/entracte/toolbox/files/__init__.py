"""Tools that work with the files of one folder: read, list, count, and write in a way that can be undone.

``Agent(tools=FileTools("papers").all)``. Nothing outside of the folder is seen or touched, whatever links lie in it.
"""

from entracte.toolbox.files.tools import FileTools

__all__ = ["FileTools"]
