package dev.durable.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.WorkflowDescription;
import dev.durable.client.WorkflowSummary;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
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

    @Test
    void one_run_is_shown_with_all_that_its_description_has_but_its_owner() {
        List<String> described = new ArrayList<>(names(WorkflowDescription.class));
        described.removeAll(List.of("summary", "ownedUntil", "ownerSession"));

        assertThat(names(Views.WorkflowDetails.class))
                .containsAll(described)
                .containsAll(List.of("run", "chain", "details"))
                .hasSize(described.size() + 3);
    }

    private static List<String> names(Class<? extends Record> type) {
        return Stream.of(type.getRecordComponents())
                .map(RecordComponent::getName)
                .toList();
    }
}
