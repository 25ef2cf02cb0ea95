package dev.durable.spring.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.internal.text.Thrown;
import dev.durable.micrometer.DurableMetrics;
import dev.durable.spring.DurableLifecycle;
import dev.durable.store.postgres.PostgresHistoryStore;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No end is lost to a getter of an exception that fails: they are called where that is caught. */
@Tag("slow")
class ForeignThrowablesTest {
    /** The classes that call methods of such exceptions all the same. */
    private static final Set<String> MAY = Set.of(
            // where it is caught
            "Thrown.cause",
            "Thrown.message",
            "Thrown.stack",
            "Thrown.suppressed",
            "Thrown.text",
            // makes exceptions of recorded data: what can't be made comes as data
            "JdkExceptions.create",
            "Rebuilt.of",
            "Rebuilt.rawMessage",
            "Rebuilt.shows",
            // in Thrown.quietly, or where a line of the log that can't be written is lost without it
            "DurableTracing.threw",
            "EngineDispatch.withCaller",
            "EventQueue.publish",
            "FailureCodec.decode",
            "FailureLog.writeUnlessMany",
            "Observers.started",
            "WorkflowLogger.write",
            // what the store, the engine or the JDK has thrown
            "ActivityReports.look",
            "ActivityReports.offer",
            "BodyExecutor.startOne",
            "ChainResult.isGone",
            "Engine.deafen",
            "Lane.write",
            "LateEngine.isOpenNow",
            "OpeningLoop.isDoneNow",
            "OperatedPages.isRetried",
            "PromptNotifications.on",
            "RunActorLoop.unwind",
            "RunClaimLoop.readAndHandOver",
            "TransitionLane.failed",
            "UnreadableJobs.notes");

    @Test
    void only_one_place_asks_exceptions_of_the_application_for_anything() {
        Set<String> found = new TreeSet<>();
        Stream.of(Thrown.class, PostgresHistoryStore.class, DurableMetrics.class, DurableLifecycle.class)
                .forEach(each -> found.addAll(ForeignThrowables.beside(each)));

        assertThat(found)
                .as("use dev.durable.internal.text.Thrown, and for the log what makes exceptions loggable")
                .containsExactlyInAnyOrderElementsOf(MAY);
    }
}
