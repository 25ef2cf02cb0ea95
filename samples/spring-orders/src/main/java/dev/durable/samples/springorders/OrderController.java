package dev.durable.samples.springorders;

import dev.durable.client.WorkflowDescription;
import java.math.BigDecimal;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.util.UriComponentsBuilder;

/** Orders over HTTP. What Durable refuses becomes a problem detail: 404 for an unknown order, 409 for one that there is. */
@RestController
@RequestMapping("/orders")
class OrderController {
    record NewOrder(String id, String customer, BigDecimal total) {}

    record Approval(String by) {}

    /**
     * @param failure why the workflow failed, if it did
     */
    record Order(String id, OrderStatus status, @Nullable String failure) {}

    private final OrderDesk desk;
    private final OrderFeed feed;

    OrderController(OrderDesk desk, OrderFeed feed) {
        this.desk = desk;
        this.feed = feed;
    }

    @PostMapping
    ResponseEntity<Void> place(@RequestBody NewOrder order) {
        desk.place(order.id(), order.customer(), order.total());
        URI place = UriComponentsBuilder.fromPath("/orders/{id}").build(order.id()); // an id may have blanks, say
        return ResponseEntity.created(place).build();
    }

    @PostMapping("/{id}/approval")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void approve(@PathVariable String id, @RequestBody Approval approval) {
        desk.approve(id, approval.by());
    }

    /** The tag is the length of the history: a client that has seen this much is answered by the database alone. */
    @GetMapping("/{id}")
    @Nullable
    Order order(@PathVariable String id, WebRequest request) {
        WorkflowDescription workflow = desk.describe(id);
        if (request.checkNotModified("\"" + workflow.historyLength() + "\"")) {
            return null;
        }
        return new Order(id, desk.status(id), workflow.failure());
    }

    /** The status, and each change of it until the end. */
    @GetMapping(path = "/{id}/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    SseEmitter events(@PathVariable String id) {
        return feed.follow(id);
    }
}
