package dev.durable.spring.operated;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** A web application with Actuator, whose histories are in memory, so that it starts at once. */
@SpringBootConfiguration
@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
@Import({TicketController.class, OwnAdvice.class})
public class OperatedApplication {

    @Bean(destroyMethod = "close")
    HistoryStore historyStore() {
        return new InMemoryHistoryStore();
    }

    @Bean
    Desk desk() {
        return new Desk();
    }

    /** Fails until it is mended. */
    @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.INCIDENT))
    public static class Desk {
        final AtomicBoolean mended = new AtomicBoolean();

        public String stamp(String ticket) {
            if (ticket.startsWith("bad") && !mended.get()) {
                throw new IllegalStateException("no ink, password=hunter2");
            }
            return "stamped " + ticket;
        }
    }

    /** Waits for a signal, then has a ticket stamped. */
    @Workflow
    public static class TicketWorkflow {
        private final Desk desk;
        private boolean let;

        public TicketWorkflow(Desk desk) {
            this.desk = desk;
        }

        @Run
        public String run(String ticket) {
            Durable.await(() -> let);
            return desk.stamp(ticket);
        }

        @Signal
        public void let() {
            let = true;
        }
    }

    /** Continues as new once, and says then what it waits for. */
    @Workflow
    public static class TurnstileWorkflow {
        @Run
        public String run(boolean first) {
            if (first) {
                throw Durable.continueAsNew(TurnstileWorkflow.class, w -> w.run(false));
            }
            Durable.details("waits for the next guest");
            Durable.await(() -> false);
            return "";
        }
    }
}
