package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.NonDeterminismException;
import dev.durable.Run;
import dev.durable.Workflow;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** An application that writes its values in its own way tests and replays them in that way. */
@DurableTest
class JsonMapperTest {
    private static void snakeCase(JsonMapper.Builder json) {
        json.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);
    }

    record Guest(String firstName) {}

    @Activity(startToClose = "10s")
    interface Door {
        String greet(Guest guest);
    }

    @Workflow
    static class Visit {
        private final Door door;

        Visit(Door door) {
            this.door = door;
        }

        @Run
        String run(Guest guest) {
            return door.greet(guest);
        }
    }

    @Test
    void histories_are_replayed_with_the_mapper_that_wrote_them(TestEngine engine, @TempDir Path folder) {
        engine.jsonMapper(JsonMapperTest::snakeCase)
                .register(Visit.class)
                .activity(Door.class, guest -> "hello " + guest.firstName());
        var visit = engine.client().start(Visit.class, "v-1", w -> w.run(new Guest("ann")));
        assertThat(visit.result()).isEqualTo("hello ann");
        assertThat(visit.history().started().input().json()).isEqualTo("[{\"first_name\":\"ann\"}]");

        engine.client().export("v-1", folder.resolve("v-1.json"));
        assertThat(Replayer.of(Visit.class)
                        .jsonMapper(JsonMapperTest::snakeCase)
                        .replay(folder))
                .isOne();
        assertThatThrownBy(() -> Replayer.of(Visit.class).replay(folder))
                .as("read in another way, the guest has no name")
                .isInstanceOf(NonDeterminismException.class);
    }
}
