"""Trouble with one path while a step runs, for a reproduction script: a file system that fails.

``reports.reproduction`` copies what a script needs of this module into it, so it uses pyspark and the standard library only.
A plan's step says ``"trouble": {"kind", "path"}``, one of model's troubles and a path relative to the root.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from reports.spark.session import settings

#: Hadoop's local file system, where one path has a trouble. Permissions would not do: root is above them.
TROUBLED_FILE_SYSTEM = """\
package org.apache.hadoop.fs;

import java.io.FileNotFoundException;
import java.io.IOException;

public class FailingLocalFileSystem extends LocalFileSystem {
  private boolean has(Path path, String trouble) {
    return path.toUri().getPath().equals(getConf().get("tombstone.troubled"))
        && getConf().get("tombstone.trouble", "").equals(trouble);
  }

  private void beforeListing(Path path) throws IOException {
    if (has(path, "it is gone when it is listed")) {
      throw new FileNotFoundException("File " + path + " does not exist");
    }
    if (has(path, "it cannot be listed")) {
      throw new IOException("Input/output error: " + path);
    }
  }

  public boolean delete(Path path, boolean recursive) throws IOException {
    if (has(path, "it cannot be deleted")) {
      throw new IOException("Input/output error: " + path);
    }
    if (has(path, "its deletion breaks")) {
      throw new IllegalStateException("The file system is broken: " + path);
    }
    if (has(path, "it is deleted by another just before")) {
      super.delete(path, recursive);
    }
    return super.delete(path, recursive);
  }

  public FileStatus[] listStatus(Path path) throws IOException {
    beforeListing(path);
    return super.listStatus(path);
  }

  public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
    beforeListing(path);
    return super.listStatusIterator(path);
  }

  public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
    beforeListing(path);
    return super.listLocatedStatus(path);
  }
}
"""


def file_system_trouble(op: dict[str, Any], spark: Any, root: str) -> AbstractContextManager[None]:
    io_fault = op.get("trouble")
    if io_fault is None:
        return nullcontext()
    # Every setting of a session reaches Hadoop, in Delta's driver and in Spark's tasks.
    values: dict[str, str | None] = {
        "fs.file.impl": define_file_system(spark),
        "fs.file.impl.disable.cache": "true",
        "tombstone.trouble": io_fault["kind"],
        "tombstone.troubled": os.path.join(root, io_fault["path"]),
    }
    return settings(spark, values)


def define_file_system(spark: Any) -> str:
    """Compile the class with Janino, which Spark ships, and define it beside Hadoop's own. Once in a JVM."""
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped, unused-ignore]

    jvm, name = spark._jvm, "org.apache.hadoop.fs.FailingLocalFileSystem"
    neighbour = jvm.java.lang.Class.forName("org.apache.hadoop.fs.LocalFileSystem")
    loader = neighbour.getClassLoader()
    try:
        jvm.java.lang.Class.forName(name, False, loader)
    except Py4JJavaError:
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(loader)
        compiler.cook(TROUBLED_FILE_SYSTEM)
        lookups = jvm.java.lang.invoke.MethodHandles
        lookup = lookups.privateLookupIn(neighbour, lookups.lookup())
        lookup.defineClass(compiler.getBytecodes()[name])
    return name
