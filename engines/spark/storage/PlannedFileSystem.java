package org.apache.hadoop.fs;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * The local file system with an I/O fault on one path, with a plan for one effect on the storage below a root, and with counts
 * of what is asked of it there. engines/spark/storage/file_system.py puts it below both of Hadoop's interfaces: this class below
 * FileSystem, Context below FileContext, through which Delta commits. Janino, which compiles it, knows neither lambdas nor generics.
 */
public class PlannedFileSystem extends LocalFileSystem {

  public PlannedFileSystem() {
    super(new Raw());
  }

  /** From now on, this happens at the effect: see Plan. */
  public static Plan plan(String root, String action, String point, int nth, String written, String session, long limit) {
    Plan plan = new Plan(root, action, point, nth, written, session, limit);
    Plan.PLANS.put(root, plan);
    return plan;
  }

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
    boolean outermost = Counts.enter("delete", path);
    try {
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
    } finally {
      Counts.leave(outermost);
    }
  }

  public FileStatus[] listStatus(Path path) throws IOException {
    boolean outermost = Counts.enter("list", path);
    try {
      beforeListing(path);
      return super.listStatus(path);
    } finally {
      Counts.leave(outermost);
    }
  }

  public RemoteIterator listStatusIterator(Path path) throws IOException {
    boolean outermost = Counts.enter("list", path);
    try {
      beforeListing(path);
      return super.listStatusIterator(path);
    } finally {
      Counts.leave(outermost);
    }
  }

  public RemoteIterator listLocatedStatus(Path path) throws IOException {
    boolean outermost = Counts.enter("list", path);
    try {
      beforeListing(path);
      return super.listLocatedStatus(path);
    } finally {
      Counts.leave(outermost);
    }
  }

  public FileStatus getFileStatus(Path path) throws IOException {
    boolean outermost = Counts.enter("status", path);
    try {
      return super.getFileStatus(path);
    } finally {
      Counts.leave(outermost);
    }
  }

  public FSDataInputStream open(Path path, int buffer) throws IOException {
    boolean outermost = Counts.enter("open", path);
    try {
      return Counts.read(outermost, super.open(path, buffer), path);
    } finally {
      Counts.leave(outermost);
    }
  }

  /** Of openFile(), by which Parquet reads. Local files are opened at once. */
  protected CompletableFuture openFileWithOptions(Path path, OpenFileParameters parameters) throws IOException {
    boolean outermost = Counts.enter("open", path);
    try {
      CompletableFuture opened = super.openFileWithOptions(path, parameters);
      if (opened.isCompletedExceptionally()) {
        return opened;
      }
      return CompletableFuture.completedFuture(Counts.read(outermost, (FSDataInputStream) opened.join(), path));
    } finally {
      Counts.leave(outermost);
    }
  }

  public FSDataOutputStream create(Path path, FsPermission permission, boolean overwrite, int buffer, short replication,
      long block, Progressable progress) throws IOException {
    boolean outermost = Counts.enter("create", path);
    try {
      return super.create(path, permission, overwrite, buffer, replication, block, progress);
    } finally {
      Counts.leave(outermost);
    }
  }

  public boolean rename(Path from, Path to) throws IOException {
    boolean outermost = Counts.enter("rename", to);
    try {
      return super.rename(from, to);
    } finally {
      Counts.leave(outermost);
    }
  }

  /**
   * How often what was asked below a root, and how many bytes were read of each file. Of a request that makes others, such as
   * that for a file and its checksums, the outermost counts.
   */
  public static class Counts {
    static final Map ROOTS = new ConcurrentHashMap();
    static final ThreadLocal INSIDE = new ThreadLocal(); // whether a request of this thread counts already
    final String root;
    final Map calls = new TreeMap(); // by "operation path": long[] of calls and bytes

    public Counts(String root) {
      this.root = root;
    }

    public void begin() {
      ROOTS.put(root, this);
    }

    /** What comes later does not count. */
    public void end() {
      ROOTS.remove(root, this);
    }

    /** An entry each, "operation calls bytes path", with NUL between two: one answer over Py4J. */
    public synchronized String found() {
      StringBuilder found = new StringBuilder();
      for (Iterator entries = calls.entrySet().iterator(); entries.hasNext(); ) {
        Map.Entry entry = (Map.Entry) entries.next();
        String[] key = ((String) entry.getKey()).split(" ", 2);
        long[] numbers = (long[]) entry.getValue();
        found.append(key[0]).append(' ').append(numbers[0]).append(' ').append(numbers[1]).append(' ').append(key[1]);
        found.append(entries.hasNext() ? "\0" : "");
      }
      return found.toString();
    }

    /** The bytes that are read count. */
    static FSDataInputStream read(boolean outermost, FSDataInputStream in, Path path) throws IOException {
      Counts counts = outermost ? of(path) : null;
      return counts == null ? in : new FSDataInputStream(new CountedInput(in, counts, path));
    }

    static Counts of(Path path) {
      String text = path.toUri().getPath();
      for (int end = text.length(); end > 0; end = text.lastIndexOf('/', end - 1)) {
        Counts counts = (Counts) ROOTS.get(text.substring(0, end));
        if (counts != null) {
          return counts;
        }
      }
      return null;
    }

    /** Whether this request counts; then leave() must follow. */
    static boolean enter(String operation, Path path) {
      if (!enter()) {
        return false;
      }
      Counts counts = ROOTS.isEmpty() ? null : of(path);
      if (counts != null) {
        counts.add(operation, path, 1, 0);
      }
      return true;
    }

    /** Whether this is no part of another request. */
    static boolean enter() {
      boolean outermost = INSIDE.get() == null;
      if (outermost) {
        INSIDE.set(Boolean.TRUE);
      }
      return outermost;
    }

    static void leave(boolean outermost) {
      if (outermost) {
        INSIDE.remove();
      }
    }

    /** Not of the checksums (.name.crc) that this file system alone has. */
    synchronized void add(String operation, Path path, int more, long bytes) {
      if (path.getName().startsWith(".") && path.getName().endsWith(".crc")) {
        return;
      }
      String text = path.toUri().getPath();
      String key = operation + " " + (text.length() == root.length() ? "" : text.substring(root.length() + 1));
      long[] numbers = (long[]) calls.get(key);
      if (numbers == null) {
        numbers = new long[2];
        calls.put(key, numbers);
      }
      numbers[0] += more;
      numbers[1] += bytes;
    }
  }

  /** A file that is read: its bytes count. It has the capabilities of the file below it. */
  public static class CountedInput extends FSInputStream implements StreamCapabilities {
    final FSDataInputStream in;
    final Counts counts;
    final Path path;

    CountedInput(FSDataInputStream in, Counts counts, Path path) {
      this.in = in;
      this.counts = counts;
      this.path = path;
    }

    private void ended(boolean outermost, int bytes) {
      Counts.leave(outermost);
      if (bytes > 0) {
        counts.add("open", path, 0, bytes);
      }
    }

    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    public int read(byte[] buffer, int offset, int length) throws IOException {
      boolean outermost = Counts.enter();
      int found = 0;
      try {
        found = in.read(buffer, offset, length);
      } finally {
        ended(outermost, found);
      }
      return found;
    }

    public int read(long position, byte[] buffer, int offset, int length) throws IOException {
      boolean outermost = Counts.enter();
      int found = 0;
      try {
        found = in.read(position, buffer, offset, length);
      } finally {
        ended(outermost, found);
      }
      return found;
    }

    /** By reflection, as Hadoop has it since 3.3.5. */
    public void readVectored(List ranges, IntFunction allocate) throws IOException {
      boolean outermost = Counts.enter();
      int bytes = 0;
      try {
        Class[] types = {List.class, IntFunction.class};
        FSDataInputStream.class.getMethod("readVectored", types).invoke(in, new Object[] {ranges, allocate});
        Class range = Class.forName("org.apache.hadoop.fs.FileRange");
        for (Iterator each = ranges.iterator(); each.hasNext(); ) {
          bytes += ((Integer) range.getMethod("getLength", new Class[0]).invoke(each.next(), new Object[0])).intValue();
        }
      } catch (InvocationTargetException failed) {
        if (failed.getCause() instanceof IOException) {
          throw (IOException) failed.getCause();
        }
        throw new IOException(failed.getCause());
      } catch (ReflectiveOperationException missing) {
        throw new IOException(missing);
      } finally {
        ended(outermost, bytes);
      }
    }

    public boolean hasCapability(String capability) {
      return in.hasCapability(capability);
    }

    public void seek(long position) throws IOException {
      in.seek(position);
    }

    public long getPos() throws IOException {
      return in.getPos();
    }

    public boolean seekToNewSource(long position) throws IOException {
      return in.seekToNewSource(position);
    }

    public int available() throws IOException {
      return in.available();
    }

    public void close() throws IOException {
      in.close();
    }
  }

  /**
   * What happens at the nth effect of one kind (model.vocabulary.steps.CrashPoint) on the storage below a root, and the
   * effects so far. STOP: the effect happens, and no other one any more, as when the process is killed. REPORT: it happens,
   * and is reported as failed. HOLD: the session waits before it until it is released; PAUSE: after it. An effect happens
   * with the monitor of the plan, which a session that waits does not have.
   */
  public static class Plan {
    static final Map PLANS = new ConcurrentHashMap();
    final String root;
    final String action;
    final String point;
    final String written; // of a file at whose end storage stops: WHOLE, HALF or EMPTY
    final String session; // whose effects count; empty: those of all
    final long limit; // of what waits, in seconds
    final List effects = new ArrayList(); // a line each
    int before; // the effects of this kind that are still to come before the nth
    boolean reached;
    boolean stopped;
    boolean released;
    boolean over;
    boolean expired; // something has waited until the limit

    Plan(String root, String action, String point, int nth, String written, String session, long limit) {
      this.root = root;
      this.action = action;
      this.point = point;
      this.before = nth;
      this.written = written;
      this.session = session;
      this.limit = limit;
    }

    static Plan of(File file) {
      String path = file.getPath();
      for (int end = path.length(); end > 0; end = path.lastIndexOf('/', end - 1)) {
        Plan plan = (Plan) PLANS.get(path.substring(0, end));
        if (plan != null) {
          return plan;
        }
      }
      return null;
    }

    public void remove() {
      PLANS.remove(root, this);
      release();
    }

    public synchronized void release() {
      released = true;
      notifyAll();
    }

    /** The command whose effects count has ended. */
    public synchronized void end() {
      over = true;
      notifyAll();
    }

    /** Waits until the effect is reached, or the command has ended. */
    public synchronized void awaitPoint() throws IOException {
      long end = System.nanoTime() + limit * 1000000000L;
      while (!reached && !over) {
        sleep(end, "The point " + point + " was not reached within " + limit + " s");
      }
    }

    public synchronized boolean isReached() {
      return reached;
    }

    public synchronized boolean isLate() {
      return expired;
    }

    public synchronized List effects() {
      return new ArrayList(effects);
    }

    /** Before an effect; whether it is the nth of its kind, so that what is planned happens at done(). */
    boolean begins(String by, String kinds, String line) throws IOException {
      if (stopped) {
        throw new IOException("Storage has stopped, so this did not happen: " + line);
      }
      boolean counts = Arrays.asList(kinds.split(" ")).contains(point) && (session.isEmpty() || session.equals(by));
      if (!counts || before-- != 0) {
        return false;
      }
      if (action.equals("HOLD")) {
        hold("before this: " + line);
        return false;
      }
      return true;
    }

    private void hold(String place) throws IOException {
      reached = true;
      notifyAll();
      long end = System.nanoTime() + limit * 1000000000L;
      while (!released) {
        sleep(end, "The session was held at " + point + " for " + limit + " s, and not released, " + place);
      }
    }

    private void sleep(long end, String late) throws IOException {
      long left = (end - System.nanoTime()) / 1000000L;
      if (left <= 0) {
        expired = true;
        throw new IOException(late);
      }
      try {
        wait(left);
      } catch (InterruptedException interrupted) {
        throw new InterruptedIOException("Interrupted at " + point);
      }
    }

    /** After an effect. */
    void done(boolean nth, String by, String line) throws IOException {
      effects.add(by.isEmpty() ? line : by + ": " + line);
      if (nth && action.equals("PAUSE")) {
        hold("after this: " + line);
      } else if (nth) {
        reached = true;
        stopped = action.equals("STOP");
        throw new IOException("Storage " + (stopped ? "stopped" : "failed") + " right after this: " + line);
      }
    }

    String relative(File file) {
      String path = file.getPath();
      return path.length() == root.length() ? "." : path.substring(root.length() + 1);
    }

    /** The kinds of an effect on a file, with a space between two; empty: nothing can be planned at it. */
    static String kindsOf(String effect, String path, File content) throws IOException {
      String name = path.substring(path.lastIndexOf('/') + 1);
      boolean log = path.startsWith("_delta_log/");
      if (effect.equals("create")) {
        return log ? "" : "FILE_CREATED";
      }
      if (effect.equals("delete")) {
        return log ? (name.equals("_last_checkpoint") ? "POINTER_DELETED" : "") : "DELETION";
      }
      if (!log) {
        return effect.equals("close") ? "FILE_CLOSED" : "";
      }
      boolean sidecar = path.startsWith("_delta_log/_sidecars/") && !name.startsWith(".");
      if (sidecar || name.matches("[0-9]{20}[.]checkpoint[.].+")) {
        return "CHECKPOINT";
      }
      if (effect.equals("close")) {
        return name.matches("[.][0-9]{20}[.]json[.].+") ? "COMMIT_WRITTEN" : "";
      }
      if (name.matches("[0-9]{20}[.]crc")) {
        return "CHECKSUM";
      }
      if (!name.matches("[0-9]{20}[.]json")) {
        return "";
      }
      String commit = new String(Files.readAllBytes(content.toPath()), StandardCharsets.UTF_8);
      if (commit.indexOf("\"operation\":\"VACUUM START\"") >= 0) {
        return "COMMITTED START";
      }
      return commit.indexOf("\"operation\":\"VACUUM END\"") >= 0 ? "COMMITTED END" : "COMMITTED";
    }
  }

  /** What is written to a file reaches storage when the file is closed. */
  public static class Content extends ByteArrayOutputStream {
    final Raw storage;
    final Plan plan;
    final File file;
    final OutputStream out;
    boolean closed;

    Content(Raw storage, Plan plan, File file, OutputStream out) {
      this.storage = storage;
      this.plan = plan;
      this.file = file;
      this.out = out;
    }

    public void close() throws IOException {
      synchronized (plan) {
        if (closed) {
          return;
        }
        closed = true;
        try {
          storage.closed(plan, file, this);
        } finally {
          out.close();
        }
      }
    }

    void keep(int length) throws IOException {
      out.write(buf, 0, length);
      out.close();
    }
  }

  /** Below both interfaces. Files of its checksums (.name.crc) are no effects of their own. */
  public static class Raw extends RawLocalFileSystem {

    private String session() {
      return getConf().get("tombstone.session", "");
    }

    private static boolean isChecksum(File file) {
      return file.getName().startsWith(".") && file.getName().endsWith(".crc");
    }

    /** Before an effect: see Plan.begins. */
    private boolean begins(Plan plan, String effect, File file, File content, String line) throws IOException {
      String kinds = isChecksum(file) ? "" : Plan.kindsOf(effect, plan.relative(file), content);
      return plan.begins(session(), kinds, line);
    }

    private void done(Plan plan, boolean nth, File file, String line) throws IOException {
      if (!isChecksum(file)) {
        plan.done(nth, session(), line);
      }
    }

    /** Without the permission: to set it, Hadoop starts a process for each file. */
    protected OutputStream createOutputStreamWithMode(Path path, boolean append, FsPermission permission)
        throws IOException {
      File file = pathToFile(path);
      Plan plan = Plan.of(file);
      if (plan == null) {
        return super.createOutputStreamWithMode(path, append, permission);
      }
      synchronized (plan) {
        String line = "create " + plan.relative(file);
        boolean nth = begins(plan, "create", file, null, line);
        OutputStream out = new FileOutputStream(file, append);
        try {
          done(plan, nth, file, line);
        } catch (IOException stopped) {
          out.close();
          throw stopped;
        }
        return new Content(this, plan, file, out);
      }
    }

    void closed(Plan plan, File file, Content content) throws IOException {
      String line = "close " + plan.relative(file);
      boolean nth = begins(plan, "close", file, null, line);
      int length = content.size();
      if (nth && plan.written.equals("HALF")) {
        length = length / 2;
        line = line + " (half of it)";
      }
      if (nth && plan.written.equals("EMPTY")) {
        length = 0;
        line = line + " (nothing of it)";
      }
      content.keep(length);
      done(plan, nth, file, line);
    }

    protected boolean mkOneDirWithMode(Path path, File directory, FsPermission permission) throws IOException {
      Plan plan = Plan.of(directory);
      if (plan == null || directory.exists()) {
        return super.mkOneDirWithMode(path, directory, permission);
      }
      synchronized (plan) {
        String line = "make directory " + plan.relative(directory);
        plan.begins(session(), "", line);
        boolean made = directory.mkdir();
        if (made) {
          plan.done(false, session(), line);
        }
        return made;
      }
    }

    public boolean delete(Path path, boolean recursive) throws IOException {
      File file = pathToFile(path);
      Plan plan = Plan.of(file);
      if (plan == null || !canDelete(file, recursive)) {
        return super.delete(path, recursive);
      }
      synchronized (plan) {
        String line = "delete " + plan.relative(file);
        boolean nth = begins(plan, "delete", file, null, line);
        boolean deleted = super.delete(path, recursive);
        if (deleted) {
          done(plan, nth, file, line);
        }
        return deleted;
      }
    }

    private static boolean canDelete(File file, boolean recursive) {
      if (Files.isSymbolicLink(file.toPath()) || file.isFile()) {
        return true;
      }
      String[] names = file.list(); // null: there is none
      return names != null && (recursive || names.length == 0);
    }

    /** By link and unlink, as atomic as in HDFS: File.renameTo would replace a target that another session made meanwhile. */
    public boolean rename(Path from, Path to) throws IOException {
      File source = pathToFile(from);
      File target = pathToFile(to);
      Plan plan = Plan.of(target);
      if (plan == null || source.isDirectory()) {
        return super.rename(from, to);
      }
      synchronized (plan) {
        String line = "rename " + plan.relative(source) + " to " + plan.relative(target);
        boolean nth = begins(plan, "rename", target, source, line);
        if (isChecksum(target)) {
          return super.rename(from, to);
        }
        try {
          Files.createLink(target.toPath(), source.toPath());
        } catch (java.nio.file.FileAlreadyExistsException exists) {
          throw new FileAlreadyExistsException("rename destination " + to + " already exists.");
        }
        Files.delete(source.toPath());
        done(plan, nth, target, line);
        return true;
      }
    }
  }

  /** Raw for FileContext. */
  public static class RawContext extends DelegateToFileSystem {
    RawContext(URI uri, Configuration conf) throws IOException, URISyntaxException {
      super(uri, new Raw(), conf, "file", false);
    }

    public int getUriDefaultPort() {
      return -1; // there is no port
    }

    public boolean isValidName(String name) {
      return true; // the operating system decides
    }
  }

  /** What LocalFileSystem is for FileSystem, for FileContext. */
  public static class Context extends ChecksumFs {
    public Context(URI uri, Configuration conf) throws IOException, URISyntaxException {
      super(new RawContext(uri, conf));
    }

    public FSDataInputStream open(Path path, int buffer) throws IOException {
      boolean outermost = Counts.enter("open", path);
      try {
        return Counts.read(outermost, super.open(path, buffer), path);
      } finally {
        Counts.leave(outermost);
      }
    }

    public FSDataOutputStream createInternal(Path path, EnumSet flags, FsPermission permission, int buffer, short replication,
        long block, Progressable progress, Options.ChecksumOpt checksum, boolean parents) throws IOException {
      boolean outermost = Counts.enter("create", path);
      try {
        return super.createInternal(path, flags, permission, buffer, replication, block, progress, checksum, parents);
      } finally {
        Counts.leave(outermost);
      }
    }

    public void renameInternal(Path from, Path to) throws IOException {
      boolean outermost = Counts.enter("rename", to);
      try {
        super.renameInternal(from, to);
      } finally {
        Counts.leave(outermost);
      }
    }

    public void renameInternal(Path from, Path to, boolean overwrite) throws IOException {
      boolean outermost = Counts.enter("rename", to);
      try {
        super.renameInternal(from, to, overwrite);
      } finally {
        Counts.leave(outermost);
      }
    }

    public boolean delete(Path path, boolean recursive) throws IOException {
      boolean outermost = Counts.enter("delete", path);
      try {
        return super.delete(path, recursive);
      } finally {
        Counts.leave(outermost);
      }
    }

    public FileStatus getFileStatus(Path path) throws IOException {
      boolean outermost = Counts.enter("status", path);
      try {
        return super.getFileStatus(path);
      } finally {
        Counts.leave(outermost);
      }
    }

    public FileStatus[] listStatus(Path path) throws IOException {
      boolean outermost = Counts.enter("list", path);
      try {
        return super.listStatus(path);
      } finally {
        Counts.leave(outermost);
      }
    }
  }
}
