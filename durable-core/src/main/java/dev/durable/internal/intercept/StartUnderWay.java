package dev.durable.internal.intercept;

import dev.durable.client.StartOptions;
import dev.durable.intercept.StartCall;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Implements {@link StartCall}. */
final class StartUnderWay implements StartCall {
    private final StartedThing what;
    private final StartOptions options;
    private final Map<String, String> headers;
    private @Nullable UUID runId;

    StartUnderWay(StartedThing what, StartOptions options, Map<String, String> captured) {
        this.what = what;
        this.options = options;
        this.headers = new LinkedHashMap<>(captured);
        this.headers.putAll(options.headers());
    }

    /** Returns the options with the headers as the interceptors have left them. */
    StartOptions changed() {
        return headers.equals(options.headers()) ? options : options.headers(headers);
    }

    void started(@Nullable UUID run) {
        runId = run;
    }

    @Override
    public Kind kind() {
        return what.kind();
    }

    @Override
    public String workflowId() {
        return options.id();
    }

    @Override
    public String type() {
        return what.type();
    }

    @Override
    public @Nullable String taskQueue() {
        String queue = options.taskQueue();
        return queue == null ? what.taskQueue() : queue;
    }

    @Override
    public Optional<String> signal() {
        return message(Kind.SIGNAL_WITH_START);
    }

    @Override
    public Optional<String> update() {
        return message(Kind.UPDATE_WITH_START);
    }

    private Optional<String> message(Kind kind) {
        return kind() == kind ? Optional.ofNullable(what.name()) : Optional.empty();
    }

    @Override
    public Map<String, String> headers() {
        return headers;
    }

    @Override
    public Optional<UUID> runId() {
        return Optional.ofNullable(runId);
    }

    @Override
    public String toString() {
        return "start of " + what.kind() + " " + options.id() + " (" + what.type() + ")";
    }
}
