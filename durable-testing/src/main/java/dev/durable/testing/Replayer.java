package dev.durable.testing;

import dev.durable.Activity;
import dev.durable.history.History;
import dev.durable.history.HistoryJson;
import dev.durable.intercept.ContextPropagator;
import dev.durable.internal.declare.Registry;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.drive.RandomIds;
import dev.durable.internal.intercept.Interception;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.replay.ReplayCheck;
import dev.durable.internal.replay.match.PendingWait;
import dev.durable.internal.replay.match.ReplaySetup;
import dev.durable.internal.replay.match.StalledException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Replays recorded histories on the code as it is now: {@code
 * Replayer.of(OrderWorkflow.class).replay(Path.of("src/test/histories"))}. Throws {@link
 * dev.durable.NonDeterminismException} where the code gives something else, with both side by side.
 */
public final class Replayer {
    private final Registry registry;
    private final Consumer<? super JsonMapper.Builder> mapper;
    private final Interception carried;
    private final ReplaySetup setup;

    /**
     * @param carried the context that runs have
     * @param sameCode whether the histories were made by this very code
     */
    Replayer(Registry registry, Consumer<? super JsonMapper.Builder> mapper, Interception carried, boolean sameCode) {
        this.registry = registry;
        this.mapper = mapper;
        this.carried = carried;
        PayloadCodec codec = new PayloadCodec(Integer.MAX_VALUE, mapper);
        this.setup = new ReplaySetup(
                codec,
                new FailureCodec(codec),
                registry,
                true,
                sameCode,
                Duration.ofSeconds(10),
                Set.of(),
                carried.context(),
                new RandomIds());
    }

    /**
     * A replayer of these workflow classes. Among them may stand {@code @Activity} types that they call by name only:
     * needed where such an activity is local, of which nothing but its type says so.
     */
    public static Replayer of(Class<?>... workflows) {
        Registry.Builder registry = Registry.builder().register(BackgroundJob.class);
        for (Class<?> type : workflows) {
            if (type.isAnnotationPresent(Activity.class)) {
                registry.activityType(type);
            } else {
                registry.register(type);
            }
        }
        return new Replayer(registry.build(), json -> {}, Interception.NONE, false);
    }

    /**
     * Copies the replayer for an engine that customizes JSON: takes the argument of its builder's {@code jsonMapper}.
     */
    public Replayer jsonMapper(Consumer<? super JsonMapper.Builder> customizer) {
        return new Replayer(registry, customizer, carried, false);
    }

    /**
     * Copies the replayer for an engine that carries context of callers: takes the arguments of its builder's {@code
     * propagate}.
     */
    public Replayer propagate(ContextPropagator... propagators) {
        return new Replayer(registry, mapper, carried.with(propagators), false);
    }

    /** Replays an exported file, or every {@code *.json} below a directory. Gives how many histories that were. */
    public int replay(Path fileOrDirectory) {
        List<Path> files = files(fileOrDirectory);
        if (files.isEmpty()) {
            throw new IllegalArgumentException("no history (*.json) in " + fileOrDirectory.toAbsolutePath()
                    + ". Write one with client.export(workflowId, file).");
        }
        files.forEach(file -> replay(HistoryJson.read(file)));
        return files.size();
    }

    /**
     * Replays one history from scratch.
     *
     * @throws dev.durable.NonDeterminismException where the code gives something else than the history has
     * @throws WorkflowStalledException where the code can't go on: it throws an {@code Error}, does not come to a wait, or
     *     can't read what was recorded
     * @throws IllegalArgumentException where the replayer does not know the workflow's type
     */
    public void replay(History history) {
        with(history, check -> {
            check.fromScratch(history);
            return null;
        });
    }

    /** Replays from scratch, and cut after each of so many turns. */
    void check(History history, int turnsCut) {
        with(history, check -> {
            check.fromScratch(history);
            check.cutAfterEveryTurn(history, turnsCut);
            return null;
        });
    }

    /** Returns what the coroutines of an open run wait for, as its code and its history have it. */
    List<PendingWait> waits(History history) {
        return with(history, check -> check.waits(history));
    }

    private <T extends @Nullable Object> T with(History history, Function<ReplayCheck, T> replay) {
        ReplayCheck check = check(history);
        try {
            return replay.apply(check);
        } catch (StalledException e) {
            throw new WorkflowStalledException(history.workflowId(), e);
        }
    }

    private ReplayCheck check(History history) {
        String name = history.started().workflowType();
        WorkflowType type = registry.workflow(name)
                .orElseThrow(() -> new IllegalArgumentException("history of " + history.workflowId()
                        + " is of workflow type " + name + ", which this replayer does not know; it knows "
                        + Outlook.named(registry.workflowTypes())
                        + ". Was it renamed? Keep the old name as an alias."));
        return new ReplayCheck(type, setup);
    }

    private static List<Path> files(Path fileOrDirectory) {
        if (!Files.isDirectory(fileOrDirectory)) {
            return List.of(fileOrDirectory);
        }
        try (Stream<Path> walk = Files.walk(fileOrDirectory)) {
            return walk.filter(path -> path.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("can't list " + fileOrDirectory.toAbsolutePath(), e);
        }
    }
}
