package dev.durable.internal.client.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.internal.declare.Registry;
import dev.durable.internal.replay.BackgroundJob;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Starts by name of workflow types that are not registered: refusals and lines of the log. */
@Tag("slow")
class UnknownTypesTest {

    @Workflow
    static class Greeting {
        @Run
        void run() {}
    }

    private final Registry registry =
            Registry.builder().register(Greeting.class, BackgroundJob.class).build();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger target = (Logger) LoggerFactory.getLogger(UnknownTypes.class);

    @BeforeEach
    void listen() {
        lines.start();
        target.setLevel(Level.INFO);
        target.setAdditive(false);
        target.addAppender(lines);
    }

    @AfterEach
    void stop() {
        target.detachAppender(lines);
    }

    @Test
    void a_type_of_a_queue_that_is_not_served_here_is_said_once() {
        UnknownTypes types = new UnknownTypes(registry, Set.of("default"));
        types.start("Printing", "printers");
        types.start("Printing", "printers");
        types.start("Scanning", "printers");
        assertThat(lines.list.stream().map(ILoggingEvent::getFormattedMessage))
                .hasSize(2)
                .contains("workflow type Printing is started by name on task queue printers, and this engine does not"
                        + " register it, only [Greeting]: its arguments are not checked here, and its runs wait until a"
                        + " worker that registers the type serves that queue");
    }

    @Test
    void a_client_only_knows_the_types_of_no_queue() {
        new UnknownTypes(registry, Set.of()).start("Printing", "default");
        assertThat(lines.list).hasSize(1);
    }

    @Test
    void one_of_a_queue_that_is_served_here_is_refused_each_time_and_not_logged() {
        UnknownTypes types = new UnknownTypes(registry, Set.of("default"));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> types.start("Greetings", "default"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("registers no such type, only [Greeting].");
        }
        assertThat(lines.list).isEmpty();
    }
}
