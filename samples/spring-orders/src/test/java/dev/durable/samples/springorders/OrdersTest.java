package dev.durable.samples.springorders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.durable.WorkflowFailedException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableClient;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.transaction.support.TransactionTemplate;

/** The application over HTTP, as its users see it. */
@Tag("slow")
class OrdersTest extends RunningApplication {
    @Autowired
    private DurableClient client;

    @Autowired
    private OrderDesk desk;

    @Autowired
    private PurchaseOrders orders;

    @Autowired
    private Bookings bookings;

    @Autowired
    private TransactionTemplate transaction;

    private RestTestClient http;

    @BeforeEach
    void connect() {
        http = RestTestClient.bindToServer().baseUrl("http://localhost:" + port).build();
    }

    @Test
    void anOrderIsBookedOnce() {
        place("small one", "ann", "64.50");

        assertThat(client.handle("order-small one").resultAs(String.class)).startsWith("AUTH-");

        assertThat(orders.findById("small one").orElseThrow().isBooked()).isTrue();
        assertThat(bookings.countByOrderId("small one")).isOne();
    }

    @Test
    void aLargeOrderIsFollowedThroughItsApproval() {
        place("large", "ann", "6400.00");
        // Its first turn, which begins to wait, may be made behind the answer.
        await().atMost(Duration.ofMinutes(1))
                .until(() -> client.handle("order-large").describe().historyLength() > 1);
        var waiting = http.get()
                .uri("/orders/large")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .returnResult();
        assertThat(waiting.getResponseBody()).contains("AWAITING_APPROVAL");
        http.get()
                .uri("/orders/large")
                .header(HttpHeaders.IF_NONE_MATCH, waiting.getResponseHeaders().getETag())
                .exchange()
                .expectStatus()
                .isNotModified();

        http.post()
                .uri("/orders/large/approval")
                .contentType(MediaType.APPLICATION_JSON)
                .body(Map.of("by", "bob"))
                .exchange()
                .expectStatus()
                .isAccepted();

        assertThat(events("large")).endsWith("status BOOKED", "end COMPLETED");
        assertThat(client.handle("order-large").resultAs(String.class)).startsWith("AUTH-");
    }

    @Test
    void aDeclinedCardIsShown() {
        place("declined", "broke", "64.50");

        assertThatThrownBy(() -> client.handle("order-declined").resultAs(String.class))
                .isInstanceOf(WorkflowFailedException.class)
                .hasRootCauseInstanceOf(CardDeclined.class);

        http.get()
                .uri("/orders/declined")
                .exchange()
                .expectBody()
                .jsonPath("$.failure")
                .value(String.class, failure -> assertThat(failure).contains("card declined: no funds"));
        assertThat(bookings.countByOrderId("declined")).isZero();
    }

    @Test
    void anOrderThatIsRolledBackHasNoWorkflow() {
        transaction.executeWithoutResult(status -> {
            desk.place("undone", "ann", new BigDecimal("64.50"));
            status.setRollbackOnly();
        });

        assertThat(orders.existsById("undone")).isFalse();
        assertThatThrownBy(() -> desk.describe("undone")).isInstanceOf(WorkflowNotFoundException.class);
    }

    private void place(String id, String customer, String total) {
        http.post()
                .uri("/orders")
                .contentType(MediaType.APPLICATION_JSON)
                .body(Map.of("id", id, "customer", customer, "total", total))
                .exchange()
                .expectStatus()
                .isCreated();
    }

    /** All server-sent events until the end of the order, each as its name and its data. */
    private List<String> events(String id) {
        String stream = http.get()
                .uri("/orders/" + id + "/events")
                .exchange()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody();
        assertThat(stream).isNotNull();
        return stream.strip()
                .lines()
                .filter(line -> !line.isBlank())
                .map(line -> line.substring(line.indexOf(':') + 1))
                .collect(Collectors.collectingAndThen(Collectors.toList(), OrdersTest::pairs));
    }

    private static List<String> pairs(List<String> lines) {
        return java.util.stream.IntStream.range(0, lines.size() / 2)
                .mapToObj(i -> lines.get(2 * i) + " " + lines.get(2 * i + 1))
                .toList();
    }
}
