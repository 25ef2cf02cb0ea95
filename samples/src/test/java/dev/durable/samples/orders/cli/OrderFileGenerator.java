package dev.durable.samples.orders.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** Wrote {@code samples/data/orders.csv}; always writes the same. Its argument is where to. */
final class OrderFileGenerator {
    private static final int LINES = 412;

    private static final List<String> PEOPLE = List.of(
            "Ines Ferreira,PT",
            "Jonas Lindqvist,SE",
            "Maëlle Rousseau,FR",
            "Tomasz Wójcik,PL",
            "Aoife Brennan,IE",
            "Katharina Vogt,DE",
            "Luca Moretti,IT",
            "Sanne de Vries,NL",
            "Eero Mäkinen,FI",
            "Clara Jiménez,ES",
            "Petr Dvořák,CZ",
            "Freja Sørensen,DK",
            "Lukas Steiner,AT",
            "Eleni Pappas,GR",
            "Noémie Lambert,BE",
            "Bálint Szabó,HU",
            "Marta Kowalczyk,PL",
            "Oskar Nilsson,SE",
            "Giulia Conti,IT",
            "Anke Petersen,DE",
            "Hugo Marchand,FR",
            "Roisin Kavanagh,IE",
            "Diogo Almeida,PT",
            "Femke Bakker,NL",
            "Matthias Huber,AT",
            "Lucía Navarro,ES",
            "Ivana Horvat,HR",
            "Mikkel Andersen,DK",
            "Sofia Laine,FI",
            "Julien Claes,BE");
    private static final List<String> ISLANDERS = List.of("Malik Petrussen,GL", "Ingrid Haugen,SJ");
    private static final List<String> COMPANIES = List.of(
            "Hotel Seeblick, Konstanz,DE,einkauf@hotel-seeblick.example",
            "Studio Norr AB,SE,order@studionorr.example",
            "Café Lumière, Lyon,FR,bonjour@cafe-lumiere.example",
            "Brouwer & Zonen BV,NL,inkoop@brouwer.example");

    /** Articles and their prices. */
    private static final Map<String, String> ARTICLES = Map.ofEntries(
            Map.entry("BED-OAK-180", "949.00"),
            Map.entry("CHAIR-ASH-02", "129.00"),
            Map.entry("CHAIR-RATTAN-03", "149.00"),
            Map.entry("DESK-WALNUT-140", "489.00"),
            Map.entry("LAMP-FLOOR-07", "119.00"),
            Map.entry("LAMP-TABLE-04", "64.50"),
            Map.entry("MIRROR-ROUND-80", "89.90"),
            Map.entry("RUG-WOOL-200", "279.00"),
            Map.entry("SHELF-PINE-05", "74.00"),
            Map.entry("SOFA-LINEN-3", "1290.00"),
            Map.entry("TABLE-OAK-160", "790.00"),
            Map.entry("THROW-WOOL-01", "59.90"));
    /** Cheap ones more often. */
    private static final List<String> ASKED_FOR = List.of(
            "CHAIR-ASH-02",
            "LAMP-TABLE-04",
            "THROW-WOOL-01",
            "SHELF-PINE-05",
            "LAMP-FLOOR-07",
            "MIRROR-ROUND-80",
            "LAMP-TABLE-04",
            "THROW-WOOL-01",
            "SHELF-PINE-05",
            "RUG-WOOL-200",
            "DESK-WALNUT-140",
            "CHAIR-ASH-02",
            "LAMP-FLOOR-07",
            "MIRROR-ROUND-80",
            "TABLE-OAK-160",
            "BED-OAK-180",
            "SOFA-LINEN-3");

    private static final List<String> CARDS = List.of("tok_visa_4242", "tok_mastercard_4444", "tok_amex_8431");
    private static final List<String> BAD_CARDS = List.of("tok_visa_0002", "tok_visa_0069", "tok_mastercard_0119");

    private final Random random = new Random(11);
    private Instant placedAt = Instant.parse("2026-03-02T06:04:11Z");

    private OrderFileGenerator() {}

    public static void main(String[] args) throws IOException {
        Files.write(Path.of(args[0]), generate());
    }

    static List<String> generate() {
        OrderFileGenerator generator = new OrderFileGenerator();
        List<String> lines = new ArrayList<>(List.of(String.join(",", OrderLine.COLUMNS)));
        for (int i = 1; i <= LINES; i++) {
            String good = generator.order(20000 + i);
            lines.add(i % 34 == 17 ? spoilt(i / 34, good, lines.getLast()) : good);
        }
        return lines;
    }

    private String order(int id) {
        placedAt = placedAt.plus(20 + random.nextInt(400), ChronoUnit.SECONDS);
        String sku = random.nextInt(40) == 0 ? "CHAIR-RATTAN-03" : pick(ASKED_FOR);
        int quantity = random.nextInt(3) == 0 ? 2 + random.nextInt(3) : 1;
        String card = random.nextInt(18) == 0 ? pick(BAD_CARDS) : pick(CARDS);
        return String.join(
                ",",
                String.valueOf(id),
                placedAt.toString(),
                customer(),
                card,
                sku,
                String.valueOf(quantity),
                ARTICLES.get(sku),
                "EUR");
    }

    /** Name, e-mail address and country. */
    private String customer() {
        if (random.nextInt(14) == 0) {
            String company = pick(COMPANIES);
            int mail = company.lastIndexOf(',');
            int country = company.lastIndexOf(',', mail - 1);
            String name = company.substring(0, country);
            String quoted = name.contains(",") ? '"' + name + '"' : name;
            return String.join(",", quoted, company.substring(mail + 1), company.substring(country + 1, mail));
        }
        String[] person = pick(random.nextInt(40) == 0 ? ISLANDERS : PEOPLE).split(",", -1);
        return String.join(",", person[0], address(person[0]), person[1]);
    }

    private static String address(String name) {
        String plain = Normalizer.normalize(name, Normalizer.Form.NFD)
                .replace("ø", "o")
                .replaceAll("\\p{M}", "");
        return plain.toLowerCase(Locale.ROOT).replace(' ', '.') + "@mail.example";
    }

    /** Faults of real files: by hands, spreadsheets, other systems, broken transfers. */
    private static String spoilt(int kind, String line, String lineBefore) {
        return switch (kind) {
            case 0 -> line.replaceFirst(",\\d,(\\d+\\.\\d\\d),", ",two,$1,");
            case 1 -> line.substring(0, line.length() / 2);
            case 2 -> line.replaceFirst("(\\d+)\\.(\\d\\d),EUR", "\"$1,$2\",EUR");
            case 3 -> line.replaceFirst("2026-03-(\\d\\d)T", "$1.03.2026 ");
            case 4 -> line.replaceFirst("tok_[^,]*", "");
            case 5 -> lineBefore;
            case 6 -> line.replaceFirst(",(\\d+\\.\\d\\d),EUR", ",-$1,EUR");
            case 7 -> line.replaceFirst(",EUR$", ",USD");
            case 8 -> line.replaceFirst(",([A-Z]{2}),tok", ",\"$1,tok");
            case 9 -> line.replaceFirst("@[^,]*", "");
            case 10 -> "";
            default -> line.replaceFirst(",\\d,(\\d+\\.\\d\\d),", ",0,$1,");
        };
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
