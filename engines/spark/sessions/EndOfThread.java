package tombstone;

/** Ends the JVM at once with a thread that an exception ends. No shutdown hook runs, as one might wait for the same. */
public final class EndOfThread implements Thread.UncaughtExceptionHandler {
    public void uncaughtException(Thread thread, Throwable error) {
        try {
            System.err.println("The thread " + thread.getName() + " died of this:");
            error.printStackTrace();
        } finally {
            Runtime.getRuntime().halt(1);
        }
    }
}
