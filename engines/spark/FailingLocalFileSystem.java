package org.apache.hadoop.fs;
import java.io.IOException;
public class FailingLocalFileSystem extends LocalFileSystem {
  private boolean has(Path path, String fault) {
    return path.toUri().getPath().equals(getConf().get("tombstone.path"))
        && getConf().get("tombstone.fault", "").equals(fault);
  }
  public boolean delete(Path path, boolean recursive) throws IOException {
    if (has(path, "it cannot be deleted")) throw new IOException("Input/output error: " + path);
    if (has(path, "its deletion breaks")) throw new IllegalStateException("The file system is broken: " + path);
    if (has(path, "it is deleted by another just before")) super.delete(path, recursive);
    return super.delete(path, recursive);
  }
  private void check(Path path) throws IOException {
    if (has(path, "it is gone when it is listed")) throw new java.io.FileNotFoundException("File " + path + " does not exist");
    if (has(path, "it cannot be listed")) throw new IOException("Input/output error: " + path);
  }
  public FileStatus[] listStatus(Path path) throws IOException { check(path); return super.listStatus(path); }
  public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
    check(path);
    return super.listStatusIterator(path);
  }
  public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
    check(path);
    return super.listLocatedStatus(path);
  }
}
