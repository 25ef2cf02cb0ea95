package dev.durable.worker;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.RegistrationException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.declare.Registry;
import dev.durable.payload.PayloadCodec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SignatureCheckTest {
    private final PayloadCodec payloads = new PayloadCodec(PayloadCodec.DEFAULT_MAX_BYTES);

    public interface Animal {}

    public record Zoo(List<Animal> animals) {}

    @Activity
    public interface Keeper {
        Map<String, Object> feed(String what);

        Zoo count();
    }

    @Workflow
    public static class Day {
        Day(Keeper keeper) {}

        @Run
        public void run(String name) {}

        @Signal
        public void visit(Animal animal) {}
    }

    @Workflow
    public static class Night {
        @Run
        public List<String> run(String name) {
            return List.of(name);
        }
    }

    @Test
    void everything_that_could_not_be_read_back_is_refused_at_once() {
        Registry registry = Registry.builder().register(Day.class, Night.class).build();
        assertThatThrownBy(() -> SignatureCheck.of(registry, payloads))
                .isExactlyInstanceOf(RegistrationException.class)
                .hasMessageStartingWith(
                        "types that no payload can carry:\n  - argument 1 (animal) of Day.visit is declared as")
                .hasMessageContaining(
                        "\n  - the result of Keeper.count is declared as dev.durable.worker.SignatureCheckTest$Zoo, which could be written but not read back: animals[]: dev.durable.worker.SignatureCheckTest$Animal is abstract");
    }

    @Test
    void what_can_be_read_back_passes() {
        Registry registry = Registry.builder().register(Night.class).build();
        assertThatCode(() -> SignatureCheck.of(registry, payloads)).doesNotThrowAnyException();
    }
}
