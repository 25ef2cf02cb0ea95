package dev.durable.samples.orders.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.samples.SampleProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code kill -9} at random moments, and the same command again until it is done. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class KillTest {
    private static final int ORDERS = Integer.getInteger("killed.orders", 100);
    private static final int KILLS = Integer.getInteger("killed.times", 3);
    private static final Pattern PROGRESS = Pattern.compile(" s  ([\\d,]+) of [\\d,]+ orders");

    @TempDir
    private Path directory;

    @Test
    void nothingIsLostAndNothingHappensTwice() throws Exception {
        long seed = Long.getLong("kill.seed", System.nanoTime());
        System.out.println("KillTest: to kill at the same counts again: -Dkill.seed=" + seed);
        List<Integer> moments =
                new Random(seed).ints(KILLS, 1, ORDERS).sorted().boxed().toList();

        for (int i = 0; i < moments.size(); i++) {
            runUntil(moments.get(i), i > 0);
        }
        try (SampleProcess last = start()) {
            assertThat(last.awaitEnd()).contains("continuing: ").contains("done: ");
        }

        try (Audit audit = Audit.of(directory)) {
            audit.everyOrderEndedOnce(
                    OrderFile.read(Path.of("data", "orders.csv")).first(ORDERS).orders());
            audit.everyChargeHasOneEnd();
            audit.theLedgerAgreesWithTheHistories();
            audit.theStockAgreesWithTheReservations();
            audit.theStoreKeepsItsInvariants();
        }
    }

    private void runUntil(int ended, boolean again) throws Exception {
        try (SampleProcess sample = start()) {
            String first = sample.awaitLine(line -> line.startsWith("starting") || line.startsWith("continuing"))
                    .orElseThrow();
            assertThat(first).startsWith(again ? "continuing" : "starting");
            assertThat(sample.awaitLine(line -> ended(line) >= ended))
                    .as(ended + " orders")
                    .isPresent();
            sample.kill();
        }
    }

    private SampleProcess start() throws Exception {
        return SampleProcess.start(directory, Orders.class, "run", "--limit=" + ORDERS, "--approval-timeout=8s");
    }

    private static int ended(String line) {
        Matcher progress = PROGRESS.matcher(line);
        return progress.find() ? Integer.parseInt(progress.group(1).replace(",", "")) : -1;
    }
}
