package dev.durable.internal.replay;

import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.internal.replay.call.Acts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A workflow whose code is a lambda of the test. */
@Workflow
public class Scripted {
    private static final Map<String, Code> CODES = new ConcurrentHashMap<>();
    private static final AtomicInteger LAST = new AtomicInteger();

    public final Acts acts;

    /** What the code noted, in order; tests look at it by query. */
    final List<String> seen = new ArrayList<>();

    /** The values that signals set. */
    final List<String> flags = new ArrayList<>();

    private Handler handler = (w, text) -> w.flags.add(text);

    Scripted(Acts acts) {
        this.acts = acts;
    }

    /** The code of a run. */
    @FunctionalInterface
    public interface Code {
        Object run(Scripted w) throws Exception;
    }

    /** The code of its signal handler. */
    @FunctionalInterface
    public interface Handler {
        void handle(Scripted w, String text) throws Exception;
    }

    /** Keeps the code under a key, which is the run's argument. */
    static String keep(Code code) {
        String key = "code-" + LAST.incrementAndGet();
        CODES.put(key, code);
        return key;
    }

    @Run
    String run(String key) throws Exception {
        return String.valueOf(CODES.get(key).run(this));
    }

    @Signal
    void tell(String text) throws Exception {
        handler.handle(this, text);
    }

    @Query
    List<String> seen() {
        return seen;
    }

    public void onSignal(Handler code) {
        handler = code;
    }

    public void see(String what) {
        seen.add(what);
    }

    public boolean has(String flag) {
        return flags.contains(flag);
    }
}
