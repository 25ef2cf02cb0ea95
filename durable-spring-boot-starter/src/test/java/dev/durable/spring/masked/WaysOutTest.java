package dev.durable.spring.masked;

import static dev.durable.spring.masked.LeakingApplication.SECRET;
import static dev.durable.spring.masked.LeakingApplication.leak;
import static dev.durable.spring.masked.LeakingApplication.thrown;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.durable.client.DurableClient;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.HistoryJson;
import dev.durable.spring.masked.LeakingApplication.Leaking;
import dev.durable.spring.masked.LeakingApplication.Leaks;
import dev.durable.spring.masked.LeakingApplication.Way;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.context.WebApplicationContext;

/**
 * All ways by which text leaves a process, and a secret in every text that an application gives the engine. A new way out
 * belongs into {@link #waysOut}, and a new kind of text into {@link #everythingFails}.
 */
@Tag("slow")
@SpringBootTest(
        classes = LeakingApplication.class,
        properties = {
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.health.show-details=always",
            "management.tracing.sampling.probability=1.0",
            "durable.web.include-message=true",
            "durable.events.alerts=true",
            "durable.actuator.allow-writes=true"
        })
class WaysOutTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    @Autowired
    private WebApplicationContext context;

    @Autowired
    private DurableClient client;

    @Autowired
    private Leaks leaks;

    @Autowired
    private LeakingApplication.Told told;

    @Autowired
    private LeakingApplication.Spans spans;

    @Autowired
    private SimpleMeterRegistry meters;

    @Autowired
    private DataSource database;

    /** As a file of the log has them, with stacks and the MDC. */
    private static final class Lines extends AppenderBase<ILoggingEvent> {
        final Queue<String> all = new ConcurrentLinkedQueue<>();
        private final PatternLayout layout = new PatternLayout();

        @Override
        public void start() {
            layout.setContext(getContext());
            layout.setPattern("%level %logger %mdc %msg%n%ex");
            layout.start();
            super.start();
        }

        @Override
        protected void append(ILoggingEvent line) {
            all.add(layout.doLayout(line));
        }
    }

    @Test
    void a_secret_in_a_text_of_the_application_leaves_the_process_by_no_way() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.durable");
        Lines lines = new Lines();
        lines.setContext(logger.getLoggerContext());
        lines.start();
        Level before = logger.getLevel();
        logger.setLevel(Level.DEBUG);
        logger.addAppender(lines);
        Path recorded = folder.resolve("durable.jfr");
        Map<String, String> out;
        try (Recording recording = new Recording()) {
            List.of("Transition", "ActivityAttempt", "Replay", "Stall")
                    .forEach(event -> recording.enable("dev.durable." + event).withThreshold(Duration.ZERO));
            recording.start();
            everythingFails();
            out = waysOut();
            recording.stop();
            recording.dump(recorded);
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(before);
        }
        out.put("flight recorder", RecordingFile.readAllEvents(recorded).toString());
        out.put("log", String.join("", lines.all));

        assertThat(out).allSatisfy((way, text) -> {
            assertThat(text).as("%s has something to say", way).hasSizeGreaterThan(20);
            assertThat(text.lines().filter(line -> line.contains(SECRET)))
                    .as(way)
                    .isEmpty();
        });
        assertThat(out.get("log"))
                .contains("dev.durable.failed.Run", "dev.durable.failed.Incident", "event listener: password=***")
                .contains("durableSchema=durable", "traceId=")
                .doesNotContain("\n12:00 ERROR forged");
        assertThat(out.get("spans")).contains("run: password=***", "activity: password=***");
        assertThat(out.get("flight recorder")).contains("stall: password=***");
    }

    private void everythingFails() {
        for (Way way : Way.values()) {
            client.startVoid(Leaking.class, way.name(), w -> w.run(way));
        }
        // Headers are data: they are in the database and with the activities, and nowhere else.
        MDC.put("tenant", "acme\n12:00 ERROR forged");
        try {
            client.startVoid(
                    Leaking.class,
                    StartOptions.id("headers").header("credential", "kept-" + data()),
                    w -> w.run(Way.WAIT));
        } finally {
            MDC.remove("tenant");
        }
        client.startVoid(Leaking.class, "handler", w -> w.run(Way.WAIT));
        client.handle(Leaking.class, "handler").signal(Leaking::signal);
        client.enqueue(Leaks.class, Leaks::incident);
        await(() -> leaks.tokens.peek() != null);
        client.activity(leaks.tokens.remove()).fail(thrown("token"));
        client.startVoid(Leaking.class, "paused", w -> w.run(Way.WAIT));
        client.handle("paused").pause(leak("pause"));
        client.handle("paused").terminate(leak("terminate"));
        client.startVoid(Leaking.class, "cancelled", w -> w.run(Way.WAIT));
        client.handle("cancelled").cancel(leak("cancel"));
        for (String id : List.of("RUN", "FAIL", "LOCAL", "REMOTE", "TOKEN", "LATE", "handler", "cancelled")) {
            await(() -> client.handle(id).describe().summary().status() != WorkflowStatus.RUNNING);
        }
        await(() -> client.incidents().count() == 1 && client.deadLetters().count() == 0
                || client.incidents().count() + client.deadLetters().count() >= 2);
        client.incidents().one("INCIDENT", 1).because(leak("because")).fail(leak("operator"));
        await(() -> client.handle("INCIDENT").describe().summary().status() == WorkflowStatus.FAILED);
        await(() -> client.workflows().where(w -> w.stalled()).count() == 1);
        await(() -> told.all.stream().anyMatch(one -> one.startsWith("alert ")));
        await(() -> told.all.stream().anyMatch(one -> one.startsWith("event WorkflowStalledEvent")));
        await(() -> spans.ended.stream().anyMatch(span -> span.getName().equals("Leaks.late")));
    }

    private static String data() {
        return "of-the-run";
    }

    private Map<String, String> waysOut() throws SQLException {
        Map<String, String> out = new LinkedHashMap<>();
        out.put("history, views and tables", everyRow());
        out.put(
                "spans",
                spans.ended.stream()
                        .map(span -> span.getName() + " " + span.getAttributes() + " " + span.getStatus() + " "
                                + span.getEvents().stream()
                                        .map(event -> event.getName() + event.getAttributes())
                                        .toList())
                        .toList()
                        .toString());
        out.put(
                "meters",
                meters.getMeters().stream()
                        .map(meter -> meter.getId().toString())
                        .toList()
                        .toString());
        out.put("events, alerts and observers", told.all.toString());
        MockMvcTester http = MockMvcTester.from(context);
        List<String> pages = new ArrayList<>(List.of(
                "",
                "/workflows",
                "/workflows?status=failed",
                "/incidents",
                "/deadletters",
                "/queues",
                "/workers",
                "/config",
                "/activities"));
        for (Way way : Way.values()) {
            pages.add("/workflows/" + way);
        }
        StringBuilder actuator = new StringBuilder();
        for (String page : pages) {
            actuator.append(body(http, "/actuator/durable" + page)).append('\n');
        }
        actuator.append(body(http, "/actuator/health")).append(body(http, "/actuator/info"));
        out.put("actuator", actuator.toString());
        out.put("problem details", body(http, "/away"));
        out.put("handles", handles());
        return out;
    }

    private static String body(MockMvcTester http, String path) {
        try {
            return http.get().uri(path).exchange().getResponse().getContentAsString();
        } catch (java.io.UnsupportedEncodingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The texts that handles give to a client, and the exception of a result with all that it has. */
    private String handles() {
        StringBuilder shown = new StringBuilder();
        for (Way way : Way.values()) {
            shown.append(client.handle(way.name()).describe()).append(HistoryJson.write(client.history(way.name())));
        }
        java.io.StringWriter stack = new java.io.StringWriter();
        try {
            client.handle("RUN").resultAs(Void.class);
        } catch (RuntimeException e) {
            e.printStackTrace(new java.io.PrintWriter(stack));
        }
        return shown.append(stack).append(client.incidents().page(10)).toString();
    }

    /** All rows of all tables and views, as text. */
    private String everyRow() throws SQLException {
        StringBuilder rows = new StringBuilder();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            List<String> relations = new ArrayList<>();
            try (ResultSet found = statement.executeQuery(
                    "select table_name from information_schema.tables where table_schema = 'durable' order by 1")) {
                while (found.next()) {
                    relations.add(found.getString(1));
                }
            }
            for (String relation : relations) {
                try (ResultSet found =
                        statement.executeQuery("select r::text from durable.\"" + relation + "\" r limit 1000")) {
                    while (found.next()) {
                        rows.append(relation)
                                .append(' ')
                                .append(found.getString(1))
                                .append('\n');
                    }
                }
            }
        }
        return rows.toString();
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(condition);
    }
}
