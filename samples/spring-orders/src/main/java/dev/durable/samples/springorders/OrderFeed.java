package dev.durable.samples.springorders;

import dev.durable.client.WorkflowDescription;
import dev.durable.client.WorkflowStatus;
import java.io.IOException;
import java.time.Duration;
import org.springframework.stereotype.Service;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Sends the progress of an order to clients that follow it, as server-sent events. */
@Service
class OrderFeed {
    private static final Duration PAUSE = Duration.ofMillis(200);
    /** After so many polls without news a comment is sent: by that the server notices a client that has left. */
    private static final int QUIET = 25;

    private final OrderDesk desk;

    OrderFeed(OrderDesk desk) {
        this.desk = desk;
    }

    SseEmitter follow(String id) {
        desk.describe(id); // refused here and now where there is no such order
        SseEmitter emitter = new SseEmitter(0L);
        Thread.ofVirtual().name("feed of order " + id).start(() -> {
            try {
                send(id, emitter);
                emitter.complete();
            } catch (IOException e) {
                emitter.completeWithError(e); // the client has left
            } catch (InterruptedException | RuntimeException e) {
                emitter.completeWithError(e);
            }
        });
        return emitter;
    }

    private void send(String id, SseEmitter emitter) throws IOException, InterruptedException {
        long seen = -1;
        int quiet = 0;
        OrderStatus sent = null;
        while (true) {
            WorkflowDescription workflow = desk.describe(id);
            if (workflow.historyLength() != seen) {
                seen = workflow.historyLength();
                OrderStatus status = desk.status(id);
                if (status != sent) {
                    emitter.send(SseEmitter.event().name("status").data(status.name()));
                    sent = status;
                    quiet = 0;
                }
            }
            if (++quiet > QUIET) {
                emitter.send(SseEmitter.event().comment("nothing new"));
                quiet = 0;
            }
            WorkflowStatus ended = workflow.summary().status();
            if (ended != WorkflowStatus.RUNNING) {
                emitter.send(SseEmitter.event().name("end").data(ended.name()));
                return;
            }
            Thread.sleep(PAUSE);
        }
    }
}
