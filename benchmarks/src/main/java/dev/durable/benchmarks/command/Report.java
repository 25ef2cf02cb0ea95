package dev.durable.benchmarks.command;

import dev.durable.benchmarks.Figures;
import dev.durable.benchmarks.Figures.Figure;
import dev.durable.benchmarks.Peer;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The report of a benchmark: the medians of its rounds, as a table for people and as JSON for programs. */
final class Report {
    private final String scenario;
    private final String server;
    private final Map<String, String> options;
    private final Map<Peer, List<Figures>> rounds = new LinkedHashMap<>();
    private final Map<Peer, String> absent = new LinkedHashMap<>();

    Report(String scenario, String server, Map<String, String> options) {
        this.scenario = scenario;
        this.server = server;
        this.options = options;
    }

    void add(Peer peer, Figures figures) {
        rounds.computeIfAbsent(peer, p -> new ArrayList<>()).add(figures);
    }

    void absent(Peer peer, String why) {
        absent.put(peer, why);
    }

    void print(PrintWriter out) {
        out.println(
                scenario + ", medians of " + options.get("rounds") + "; ratio: Durable's advantage, more is better");
        for (Peer peer : rounds.keySet()) {
            out.printf("%n%-28s%16s%12s%n", peer.label(), "", peer == Peer.DURABLE ? "" : "ratio");
            for (Figure figure : medians(peer)) {
                out.printf("  %-26s%,16.2f%12s%n", figure.name(), figure.value(), shown(ratio(peer, figure)));
            }
            if (peer == Peer.BASE) {
                out.printf("  %s by rounds: %s%n", medians(peer).getFirst().name(), byRounds());
            }
        }
        absent.forEach((peer, why) -> out.printf("%n%s: %s%n", peer.label(), why));
        out.flush();
    }

    void write(Path file) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("scenario", scenario);
        all.put("server", server);
        all.put("options", options);
        Map<String, Object> results = new LinkedHashMap<>();
        Map<String, Object> ratios = new LinkedHashMap<>();
        Map<String, Object> ratiosByFigure = new LinkedHashMap<>();
        for (Peer peer : rounds.keySet()) {
            Map<String, Double> byFigure = new LinkedHashMap<>();
            for (Figure figure : medians(peer)) {
                ratio(peer, figure).ifPresent(ratio -> byFigure.put(figure.name(), ratio));
            }
            results.put(peer.label(), result(peer));
            if (!byFigure.isEmpty()) {
                ratios.put(peer.label(), byFigure.values().iterator().next());
                ratiosByFigure.put(peer.label(), byFigure);
            }
        }
        all.put("results", results);
        all.put("ratios", ratios);
        all.put("ratiosByFigure", ratiosByFigure);
        Map<String, String> missing = new LinkedHashMap<>();
        absent.forEach((peer, why) -> missing.put(peer.label(), why));
        all.put("absent", missing);
        JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build().writeValue(file, all);
    }

    private Map<String, Object> result(Peer peer) {
        Map<String, Object> result = new LinkedHashMap<>();
        medians(peer).forEach(figure -> result.put(figure.name(), figure.value()));
        result.put(
                "rounds",
                rounds.getOrDefault(peer, List.of()).stream()
                        .map(round -> round.figures().getFirst().value())
                        .toList());
        return result;
    }

    private List<Figure> medians(Peer peer) {
        List<Figures> all = rounds.getOrDefault(peer, List.of());
        List<Figure> medians = new ArrayList<>();
        for (int i = 0; i < all.getFirst().figures().size(); i++) {
            int index = i;
            Figure one = all.getFirst().figures().get(i);
            double[] values = all.stream()
                    .mapToDouble(round -> round.figures().get(index).value())
                    .sorted()
                    .toArray();
            double median = (values[(values.length - 1) / 2] + values[values.length / 2]) / 2;
            medians.add(new Figure(one.name(), median, one.lessIsBetter()));
        }
        return medians;
    }

    /**
     * The first figure of Durable against that of its base, round by round, as these stand beside each other on a machine
     * whose speed changes: the geometric mean, and twice its standard error.
     */
    private String byRounds() {
        List<Figures> ours = rounds.getOrDefault(Peer.DURABLE, List.of());
        List<Figures> theirs = rounds.getOrDefault(Peer.BASE, List.of());
        double[] logs = IntStream.range(0, Math.min(ours.size(), theirs.size()))
                .mapToDouble(i -> {
                    Figure own = ours.get(i).figures().getFirst();
                    double ratio =
                            own.value() / theirs.get(i).figures().getFirst().value();
                    return Math.log(own.lessIsBetter() ? 1 / ratio : ratio);
                })
                .toArray();
        double mean = Arrays.stream(logs).average().orElse(0);
        double squares =
                Arrays.stream(logs).map(log -> (log - mean) * (log - mean)).sum();
        double error = Math.sqrt(squares / Math.max(1, logs.length - 1) / Math.max(1, logs.length));
        return String.format("%.3f, give or take %.3f", Math.exp(mean), 2 * error);
    }

    /** Durable divided by the peer; where less is better, the peer divided by Durable. */
    private Optional<Double> ratio(Peer peer, Figure peers) {
        if (peer == Peer.DURABLE || !rounds.containsKey(Peer.DURABLE)) {
            return Optional.empty();
        }
        return medians(Peer.DURABLE).stream()
                .filter(ours -> ours.name().equals(peers.name()))
                .findAny()
                .map(ours -> peers.lessIsBetter() ? peers.value() / ours.value() : ours.value() / peers.value())
                .filter(Double::isFinite);
    }

    private static String shown(Optional<Double> ratio) {
        return ratio.map(r -> String.format("%.2f", r)).orElse("");
    }
}
