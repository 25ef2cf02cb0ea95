package dev.durable.samples.orders.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.durable.samples.orders.Money;
import dev.durable.samples.orders.Order;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrderFileTest {
    private static final Path CHECKED_IN = Path.of("data", "orders.csv");
    private static final String GOOD =
            "20418,2026-03-02T08:14:09Z,\"Hotel Seeblick, Konstanz\",einkauf@seeblick.example,DE,tok_visa_4242,LAMP-TABLE-04,2,64.50,EUR";

    @TempDir
    private Path folder;

    @Test
    void aLineBecomesAnOrder() throws IOException {
        assertThat(read(GOOD).orders())
                .containsExactly(new Order(
                        "20418",
                        Instant.parse("2026-03-02T08:14:09Z"),
                        "Hotel Seeblick, Konstanz",
                        "einkauf@seeblick.example",
                        "DE",
                        "tok_visa_4242",
                        "LAMP-TABLE-04",
                        2,
                        Money.euros("64.50")));
    }

    @Test
    void malformedLinesAreReportedWithNumberAndReasonAndTheRestGoesOn() throws IOException {
        OrderFile file = read(
                GOOD.replace(",2,64.50", ",two,64.50"),
                GOOD,
                GOOD.replace("64.50", "64"),
                GOOD.replace("64.50", "0.00"),
                GOOD.replace("2026-03-02T", "2 March "),
                GOOD.replace(",DE,", ",Germany,"),
                GOOD.replace("EUR", "USD"),
                GOOD.replace("einkauf@seeblick.example", "einkauf"),
                GOOD.replace("tok_visa_4242", " "),
                GOOD.replace("Konstanz\"", "Konstanz"),
                GOOD.replace(",EUR", ""),
                "",
                GOOD,
                GOOD.replace("20418", "20419"));

        assertThat(file.malformed())
                .extracting(OrderFile.Malformed::number, OrderFile.Malformed::reason)
                .containsExactly(
                        tuple(2, "quantity \"two\" is not a whole number from 1 to 9999"),
                        tuple(4, "unit_price \"64\" is not a price such as 12.50"),
                        tuple(5, "unit_price \"0.00\" is not a price such as 12.50"),
                        tuple(6, "placed_at \"2 March 08:14:09Z\" is not a time such as 2026-03-02T08:14:09Z"),
                        tuple(7, "country \"Germany\" is not a two-letter country code"),
                        tuple(8, "currency \"USD\" is not EUR, the only one we sell in"),
                        tuple(9, "email \"einkauf\" is not an e-mail address"),
                        tuple(10, "card is empty"),
                        tuple(11, "unbalanced quotes"),
                        tuple(12, "9 fields instead of 10"),
                        tuple(13, "empty line"),
                        tuple(14, "order 20418 already stands in line 3"));
        assertThat(file.orders()).extracting(Order::id).containsExactly("20418", "20419");
    }

    @Test
    void bytesThatAreNoTextSpoilTheirLineOnly() throws IOException {
        Path file = folder.resolve("orders.csv");
        byte[] latin1 =
                ("columns\n" + GOOD.replace("Hotel", "Hôtel") + "\n" + GOOD).getBytes(StandardCharsets.ISO_8859_1);
        Files.copy(new ByteArrayInputStream(latin1), file);

        assertThat(OrderFile.read(file).malformed()).containsExactly(new OrderFile.Malformed(2, "not UTF-8"));
        assertThat(OrderFile.read(file).orders()).hasSize(1);
    }

    @Test
    void theCheckedInFileIsWhatTheGeneratorWrites() throws IOException {
        assertThat(Files.readAllLines(CHECKED_IN)).isEqualTo(OrderFileGenerator.generate());
    }

    @Test
    void theCheckedInFileHasFourHundredOrdersAndTwelveMalformedLines() throws IOException {
        OrderFile file = OrderFile.read(CHECKED_IN);

        assertThat(file.orders()).hasSize(400);
        assertThat(file.malformed())
                .hasSize(12)
                .extracting(OrderFile.Malformed::reason)
                .doesNotHaveDuplicates();
    }

    private OrderFile read(String... lines) throws IOException {
        Path file = folder.resolve("orders.csv");
        Files.writeString(file, String.join(",", OrderLine.COLUMNS) + "\n" + String.join("\n", lines) + "\n");
        return OrderFile.read(file);
    }
}
