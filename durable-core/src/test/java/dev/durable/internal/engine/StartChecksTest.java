package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.RegistrationException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class StartChecksTest {
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

    private static EngineBuilder engine(Object... registered) {
        return new EngineBuilder(new InMemoryHistoryStore()).register(registered);
    }

    @Test
    void everything_that_could_not_be_read_back_is_refused_at_once() {
        assertThatThrownBy(() -> engine(Day.class, Night.class).prepare())
                .isExactlyInstanceOf(RegistrationException.class)
                .hasMessageStartingWith(
                        "2 declarations are wrong:\n  1. argument 1 (animal) of Day.visit is declared as")
                .hasMessageContaining(
                        "\n  2. the result of Keeper.count is declared as dev.durable.internal.engine.StartChecksTest$Zoo, which could be written but not read back: animals[]: dev.durable.internal.engine.StartChecksTest$Animal is abstract");
    }

    @Activity
    public interface Ledger {
        Zoo book(Animal animal, Future<String> later);
    }

    public static class OneLedger implements Ledger {
        @Override
        public Zoo book(Animal animal, Future<String> later) {
            return new Zoo(List.of());
        }
    }

    @Workflow
    public static class Undecided {
        Undecided() {}

        Undecided(Ledger ledger, String region) {}

        @Run
        public Animal run(String name) {
            return new Animal() {};
        }
    }

    @Test
    void declarations_and_signatures_come_in_one_list() {
        assertThatThrownBy(() -> engine(Undecided.class, new OneLedger()).prepare())
                .isExactlyInstanceOf(RegistrationException.class)
                .hasMessageStartingWith("5 declarations are wrong:\n  1. ")
                .hasMessageContaining("$Undecided has 2 constructors")
                .hasMessageContaining("book(Animal, Future) has a Future (within")
                .hasMessageContaining("the result of Undecided.run is declared as")
                .hasMessageContaining("argument 1 (animal) of Ledger.book is declared as")
                .hasMessageContaining("the result of Ledger.book is declared as");
    }

    @Test
    void what_can_be_read_back_passes() {
        assertThatCode(() -> engine(Night.class).prepare().close()).doesNotThrowAnyException();
    }
}
