package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Durable;
import dev.durable.EncodedValues;
import dev.durable.Run;
import dev.durable.Update;
import dev.durable.UpdateFailedException;
import dev.durable.Workflow;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Handlers of updates of any name. */
@DurableTest
class AnyUpdateTest {
    @Workflow
    static class Ledger {
        private final List<String> lines = new ArrayList<>();

        @Run
        List<String> run() {
            Durable.await(() -> lines.contains("close"));
            return lines;
        }

        @Update
        int count(String prefix) {
            return (int) lines.stream().filter(line -> line.startsWith(prefix)).count();
        }

        @Update(any = true)
        Object other(String name, EncodedValues values) {
            lines.add(values.size() == 0 ? name : name + " " + values.get(0, Integer.class));
            return lines.size();
        }
    }

    @Test
    void an_update_whose_name_no_handler_has_is_answered_by_the_one_of_any_name(TestEngine engine) {
        engine.register(Ledger.class);
        var run = engine.client().start(Ledger.class, "l-1", Ledger::run);

        int first = run.update("paid", Integer.class, 7);
        int second = engine.client().handle("l-1").update("paid", Integer.class, 8);
        int own = run.update(w -> w.count("paid"));

        assertThat(List.of(first, second, own)).containsExactly(1, 2, 2);
        assertThatThrownBy(() -> run.update("paid", Integer.class, "much"))
                .as("a value that it can't read")
                .isInstanceOf(UpdateFailedException.class)
                .hasMessageContaining("PayloadException");
        assertThat(run.describe().stalledBy()).isNull();
        assertThatThrownBy(() -> run.update(w -> w.other("paid", null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("which handles messages of any name, and a lambda says no name. Send it by name:"
                        + " handle.update(\"name\", Type.class, …).");
        int last = run.update("close", Integer.class);
        assertThat(last).isEqualTo(3);
        assertThat(run.result()).containsExactly("paid 7", "paid 8", "close");
        assertThat(run.history()).receivedUpdates("paid", "paid", "count", "paid", "close");
    }
}
