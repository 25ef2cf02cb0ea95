package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock on a directory across threads and processes, held by a file lock. The system gives the lock back when its
 * holder dies, so no process ever has to clear it away.
 *
 * <p>Threads queue before a lock of their own: POSIX drops a process's lock on a file as soon as <i>any</i> of its
 * handles on that file is closed, so a thread that gave up waiting would take the lock from the one that has it.
 */
final class DirectoryLock implements AutoCloseable {
    /** Those that a thread has or waits for: temporary servers come by the thousand, each with a file of its own. */
    private static final Map<Path, Threads> THREADS = new ConcurrentHashMap<>();

    private final FileChannel channel;
    private final Path file;

    private DirectoryLock(FileChannel channel, Path file) {
        this.channel = channel;
        this.file = file;
    }

    private record Threads(ReentrantLock lock, int count) {
        Threads with(int more) {
            return new Threads(lock, count + more);
        }
    }

    private static ReentrantLock enter(Path file) {
        return Objects.requireNonNull(THREADS.compute(
                        file, (path, others) -> others == null ? new Threads(new ReentrantLock(), 1) : others.with(1)))
                .lock();
    }

    private static void leave(Path file) {
        THREADS.computeIfPresent(file, (path, all) -> all.count() == 1 ? null : all.with(-1));
    }

    static DirectoryLock take(Path file, Deadline deadline) throws IOException, InterruptedException {
        ReentrantLock thread = enter(file);
        try {
            if (!thread.tryLock(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                throw EmbeddedErrors.lockHeld(file, deadline);
            }
            return new DirectoryLock(lock(file, deadline), file);
        } catch (Throwable failure) {
            unlock(thread, file);
            throw failure;
        }
    }

    private static void unlock(ReentrantLock thread, Path file) {
        if (thread.isHeldByCurrentThread()) {
            thread.unlock();
        }
        leave(file);
    }

    private static FileChannel lock(Path file, Deadline deadline) throws IOException, InterruptedException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        try {
            while (tryLock(channel) == null) {
                if (deadline.passed()) {
                    throw EmbeddedErrors.lockHeld(file, deadline);
                }
                deadline.pause();
            }
            return channel;
        } catch (Throwable failure) {
            channel.close();
            throw failure;
        }
    }

    /** Null while another holder has it; within one process the JDK signals that by an exception. */
    static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException heldByThisProcess) {
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        Threads threads = THREADS.get(file);
        try {
            channel.close();
        } finally {
            if (threads != null) {
                unlock(threads.lock(), file);
            }
        }
    }
}
