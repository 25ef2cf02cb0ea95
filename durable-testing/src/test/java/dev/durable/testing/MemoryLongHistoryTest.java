package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.client.WorkflowHandle;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@DurableTest
class MemoryLongHistoryTest extends LongHistoryTest {
    @Test
    void a_history_of_many_bytes_is_told_once(TestEngine engine) {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.durable.internal");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        String id = "c-" + UUID.randomUUID();
        try {
            engine.withoutReplayCheck().register(Counter.class);
            WorkflowHandle<Counter, Integer> run = engine.client().start(Counter.class, id, w -> w.run(0));
            add(engine, run, 12, "x".repeat(2_000_000));

            assertThat(run.query(Counter::count)).isEqualTo(12);
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains(id) && line.contains("history"))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith("the history of " + id
                                + " has more than 20000000 bytes of payloads, and each replay of"
                                + " the run (after an eviction, on another worker, for a query) repeats all of them."));
    }
}
