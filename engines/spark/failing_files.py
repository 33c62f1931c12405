"""A file system with an I/O fault at one path: a subclass of Hadoop's local one, in Java."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from model.vocabulary.steps import IOFault

#: The faults when a path is deleted, and when it is listed. Permissions would not do: root ignores them.
_DELETED: Mapping[IOFault, str] = {
    IOFault.CANNOT_DELETE: 'throw new IOException("Input/output error: " + path);',
    IOFault.DELETE_CRASHES: 'throw new IllegalStateException("The file system is broken: " + path);',
    IOFault.FILE_VANISHES: "super.delete(path, recursive);",
}
_LISTED: Mapping[IOFault, str] = {
    IOFault.DIRECTORY_VANISHES: 'throw new java.io.FileNotFoundException("File " + path + " does not exist");',
    IOFault.CANNOT_LIST: 'throw new IOException("Input/output error: " + path);',
}
_DELETE = """
  public boolean delete(Path path, boolean recursive) throws IOException {
CASES
    return super.delete(path, recursive);
  }"""
_LIST = """
  private void check(Path path) throws IOException {
CASES
  }
  public FileStatus[] listStatus(Path path) throws IOException { check(path); return super.listStatus(path); }
  public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
    check(path);
    return super.listStatusIterator(path);
  }
  public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
    check(path);
    return super.listLocatedStatus(path);
  }"""

_FAILING_FILES = '''
def failing_files(spark, fault, path):
    """From now on the file system has this fault at the path. Janino, which Spark ships, compiles the class."""
    jvm = spark._jvm
    parent = jvm.java.lang.Class.forName("org.apache.hadoop.fs.LocalFileSystem")
    if not spark.conf.get("tombstone.path", ""):
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(parent.getClassLoader())
        compiler.cook(FAILING_FILE_SYSTEM)
        lookups = jvm.java.lang.invoke.MethodHandles
        lookup = lookups.privateLookupIn(parent, lookups.lookup())
        lookup.defineClass(compiler.getBytecodes()["org.apache.hadoop.fs.FailingLocalFileSystem"])
    spark.conf.set("tombstone.fault", fault)
    spark.conf.set("tombstone.path", os.path.join(ROOT, path))
    spark.conf.set("fs.file.impl", "org.apache.hadoop.fs.FailingLocalFileSystem")
    spark.conf.set("fs.file.impl.disable.cache", "true")


FAILING_FILE_SYSTEM = """
package org.apache.hadoop.fs;
import java.io.IOException;
public class FailingLocalFileSystem extends LocalFileSystem {
  private boolean has(Path path, String fault) {
    return path.toUri().getPath().equals(getConf().get("tombstone.path"))
        && getConf().get("tombstone.fault", "").equals(fault);
  }METHODS
}
"""
'''


def failing_files(io_faults: Iterable[IOFault]) -> str:
    """The function for the I/O faults of one script."""
    methods = ""
    for known, method in ((_DELETED, _DELETE), (_LISTED, _LIST)):
        cases = [f'    if (has(path, "{fault.value}")) {known[fault]}' for fault in sorted({*io_faults} & {*known})]
        if cases:
            methods += method.replace("CASES", "\n".join(cases))
    return _FAILING_FILES.replace("METHODS", methods)
