package dev.durable.samples.springorders;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Places orders at a steady rate, each by a customer who asks again until the application says that it has the order. Every
 * tenth order is a large one, and is approved by its customer.
 */
final class Customers implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    /** Platform threads, as an HTTP client that is used by virtual ones stands still where these have one carrier. */
    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory());

    private final String orders;

    /** Orders whose 201 has come. */
    final AtomicInteger placed = new AtomicInteger();

    /** Requests without an answer, or refused while the application came up. */
    final AtomicInteger unanswered = new AtomicInteger();

    /** Orders that were there already when they were sent again. */
    final AtomicInteger repeated = new AtomicInteger();

    Customers(int port) {
        this.orders = "http://localhost:" + port + "/orders";
    }

    /** Returns at once; order i comes at i / rate seconds from now. */
    void come(int count, int rate) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int order = i;
            threads.execute(() -> comeAndBuy(order, begin + TimeUnit.SECONDS.toNanos(order) / rate));
        }
    }

    /** Waits until every customer has an answer. */
    void leave() throws InterruptedException {
        threads.shutdown();
        if (!threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("customers still wait; answered: " + placed.get());
        }
    }

    private void comeAndBuy(int order, long due) {
        while (System.nanoTime() < due) {
            LockSupport.parkNanos(due - System.nanoTime());
        }
        try {
            buy(order);
        } catch (InterruptedException e) {
            // The test has ended.
        }
    }

    private void buy(int order) throws InterruptedException {
        boolean large = order % 10 == 0;
        untilDone("", "{\"id\":\"%d\",\"customer\":\"c\",\"total\":%s}".formatted(order, large ? "6400.00" : "64.50"));
        if (large) {
            untilDone("/" + order + "/approval", "{\"by\":\"bob\"}");
        }
        placed.incrementAndGet();
    }

    private void untilDone(String path, String json) throws InterruptedException {
        boolean done = false;
        while (!done) {
            done = isDone(path, json);
            if (!done) {
                unanswered.incrementAndGet();
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private boolean isDone(String path, String json) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(orders + path))
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json))
                .build();
        try {
            HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
            if (answer.statusCode() == 409) {
                repeated.incrementAndGet();
                return true;
            }
            return answer.statusCode() / 100 == 2;
        } catch (IOException e) {
            return false; // whether it was placed is not known
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        http.close();
    }
}
