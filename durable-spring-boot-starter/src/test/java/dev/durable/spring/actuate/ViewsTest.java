package dev.durable.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.WorkflowSummary;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ViewsTest {
    @Test
    void the_endpoint_shows_each_column_of_the_listing_but_texts_of_users_and_the_chain() {
        List<String> shown = names(Views.Workflow.class);

        assertThat(Stream.concat(shown.stream(), Stream.of("memo", "chain", "details")))
                .containsExactlyInAnyOrderElementsOf(names(WorkflowSummary.class));
    }

    private static List<String> names(Class<? extends Record> type) {
        return Stream.of(type.getRecordComponents())
                .map(RecordComponent::getName)
                .toList();
    }
}
