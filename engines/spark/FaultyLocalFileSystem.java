package org.apache.hadoop.fs;

import java.io.FileNotFoundException;
import java.io.IOException;

/**
 * The local file system with an I/O fault on one path. engines/spark/io_faults.py sets the path and the fault in the
 * configuration of the session.
 */
public class FaultyLocalFileSystem extends LocalFileSystem {

  private String faultOf(Path path) {
    boolean faulty = path.toUri().getPath().equals(getConf().get("tombstone.fault.path"));
    return faulty ? getConf().get("tombstone.fault", "") : "";
  }

  private void beforeListing(Path path) throws IOException {
    String fault = faultOf(path);
    if (fault.equals("DIRECTORY_VANISHES")) {
      throw new FileNotFoundException("File " + path + " does not exist");
    }
    if (fault.equals("CANNOT_LIST")) {
      throw new IOException("Input/output error: " + path);
    }
  }

  public boolean delete(Path path, boolean recursive) throws IOException {
    String fault = faultOf(path);
    if (fault.equals("CANNOT_DELETE")) {
      throw new IOException("Input/output error: " + path);
    }
    if (fault.equals("DELETE_CRASHES")) {
      throw new IllegalStateException("The file system is broken: " + path);
    }
    if (fault.equals("FILE_VANISHES")) {
      super.delete(path, recursive); // as another process would; the deletion below finds nothing
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
