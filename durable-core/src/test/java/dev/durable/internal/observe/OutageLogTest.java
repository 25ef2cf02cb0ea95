package dev.durable.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.StoreOutageException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What an outage says in the log, and how often. */
class OutageLogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(OutageLogTest.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final AtomicLong nanos = new AtomicLong();
    private final OutageLog log = new OutageLog(logger, nanos::get);

    @BeforeEach
    void listen() {
        lines.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
        logger.setLevel(null);
    }

    @Test
    void an_outage_is_told_when_it_begins_once_a_minute_and_when_it_is_over() {
        for (int second = 0; second < 150; second++) {
            log.failed("claims", full());
            log.failed("transitions-1", full());
            pass(1);
        }
        log.answered("claims");
        pass(10);
        log.answered("claims");
        log.answered("transitions-1");
        pass(60);
        log.answered("claims");

        assertThat(told())
                .containsExactly(
                        "WARN the database does not answer (SQLSTATE 53100), first met by claims: the"
                                + " database at db refuses work: ERROR: could not extend file: No space left on device Hint:"
                                + " Check free disk space.",
                        "WARN the database has not answered (SQLSTATE 53100) 121 times in the last 60 s, 60 s after the"
                                + " first; lately [claims, transitions-1]: the database at db refuses work: ERROR: could not"
                                + " extend file: No space left on device Hint: Check free disk space.",
                        "WARN the database has not answered (SQLSTATE 53100) 120 times in the last 60 s, 120 s after the"
                                + " first; lately [claims, transitions-1]: the database at db refuses work: ERROR: could not"
                                + " extend file: No space left on device Hint: Check free disk space.",
                        "INFO the database answers again (SQLSTATE 53100): 300 tries were in vain, within 149 s");
        assertThat(lines.list).as("stacks").allMatch(line -> line.getThrowableProxy() == null);
    }

    @Test
    void connections_that_are_cut_one_after_the_other_are_one_outage() {
        for (int i = 0; i < 300; i++) {
            log.failed("claims", new CommitUnknownException("cut", null));
            log.failed("beat", StoreOutageException.ofOneConnection("cut", null));
            log.answered("claims");
            log.answered("beat");
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
        }
        pass(10);
        log.answered("relay");

        assertThat(told())
                .containsExactly(
                        "WARN the database does not answer (a connection was lost), first met by claims: cut",
                        "INFO the database answers again (a connection was lost): 600 tries were in vain, within 29 s");
    }

    @Test
    void each_reason_is_told_apart() {
        log.failed("claims", full());
        log.failed("claims", StoreOutageException.ofAll("unreachable", "nobody there", null));
        log.failed("claims", full());

        assertThat(told()).hasSize(2);
    }

    private static RuntimeException full() {
        return StoreOutageException.ofAll(
                "SQLSTATE 53100",
                "the database at db refuses work: ERROR: could not extend file: No space left on device\n  Hint: Check free"
                        + " disk space.",
                null);
    }

    private void pass(int seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    private List<String> told() {
        return lines.list.stream()
                .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                .toList();
    }
}
