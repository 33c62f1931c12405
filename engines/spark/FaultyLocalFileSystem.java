package org.apache.hadoop.fs;

import java.io.FileNotFoundException;
import java.io.IOException;

/**
 * The local file system, where one path has a trouble. engines/spark/io_faults.py says which path and which trouble, in
 * the configuration of the session: all else, and all other paths, are as ever.
 */
public class FaultyLocalFileSystem extends LocalFileSystem {

  private String troubleWith(Path path) {
    boolean its = path.toUri().getPath().equals(getConf().get("tombstone.troubled.path"));
    return its ? getConf().get("tombstone.trouble", "") : "";
  }

  private void beforeListing(Path path) throws IOException {
    String trouble = troubleWith(path);
    if (trouble.equals("DIRECTORY_VANISHES")) {
      throw new FileNotFoundException("File " + path + " does not exist");
    }
    if (trouble.equals("CANNOT_LIST")) {
      throw new IOException("Input/output error: " + path);
    }
  }

  public boolean delete(Path path, boolean recursive) throws IOException {
    String trouble = troubleWith(path);
    if (trouble.equals("CANNOT_DELETE")) {
      throw new IOException("Input/output error: " + path);
    }
    if (trouble.equals("DELETE_CRASHES")) {
      throw new IllegalStateException("The file system is broken: " + path);
    }
    if (trouble.equals("FILE_VANISHES")) {
      super.delete(path, recursive); // by another; what was asked for finds nothing any more
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
