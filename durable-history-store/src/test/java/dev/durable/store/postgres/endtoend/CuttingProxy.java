package dev.durable.store.postgres.endtoend;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Proxies between a client and PostgreSQL, reads the messages of both, and cuts the connection instead of passing on
 * the answer to COMMIT: of each n-th claim, and of each n-th other transaction. The server has committed then, and the
 * client can't know it. For connections without TLS.
 */
final class CuttingProxy implements AutoCloseable {
    private final int server;
    private final ServerSocket socket;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger commits = new AtomicInteger();
    private final AtomicInteger claims = new AtomicInteger();
    private final AtomicInteger cuts = new AtomicInteger();
    private final AtomicLong roundTrips = new AtomicLong();
    private volatile int everyCommit = Integer.MAX_VALUE;
    private volatile int everyClaim = Integer.MAX_VALUE;

    /** @param server the port of the server, on this machine */
    CuttingProxy(int server) throws IOException {
        this.server = server;
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        thread(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    /** Cuts from here on. */
    void cut(int eachCommit, int eachClaim) {
        everyCommit = eachCommit;
        everyClaim = eachClaim;
    }

    int cuts() {
        return cuts.get();
    }

    /** The number of round trips: messages to the server that wait for its answer. */
    long roundTrips() {
        return roundTrips.get();
    }

    private static void thread(Talk talk) {
        Thread.ofPlatform().daemon().name("cutting-proxy").start(() -> {
            try {
                talk.run();
            } catch (IOException e) {
                // One of the two has closed its connection.
            }
        });
    }

    @FunctionalInterface
    private interface Talk {
        void run() throws IOException;
    }

    private void accept() throws IOException {
        while (!socket.isClosed()) {
            Socket client = socket.accept();
            Socket behind = new Socket(InetAddress.getLoopbackAddress(), server);
            client.setTcpNoDelay(true);
            behind.setTcpNoDelay(true);
            open.add(client);
            open.add(behind);
            Passage passage = new Passage(client, behind);
            thread(passage::ask);
            thread(passage::answer);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        for (Socket each : open) {
            each.close();
        }
    }

    private final class Passage {
        private final Socket client;
        private final Socket behind;
        private final Set<String> claiming = new HashSet<>();
        private volatile boolean claims;

        Passage(Socket client, Socket behind) {
            this.client = client;
            this.behind = behind;
        }

        /**
         * Passes on the messages of the client, and notes which statements are claims, and whether one is executed now.
         */
        void ask() throws IOException {
            pass(client, behind, true, (type, body) -> {
                if (type == 'S' || type == 'Q') {
                    roundTrips.incrementAndGet();
                } else if (type == 'P') {
                    String name = text(body, 0);
                    String sql = text(body, name.length() + 1);
                    if (sql.contains("durable_claim.runs', json_agg") || sql.contains("gen_random_uuid(), claim = ")) {
                        claiming.add(name);
                    } else {
                        claiming.remove(name);
                    }
                } else if (type == 'B') {
                    String portal = text(body, 0);
                    claims |= claiming.contains(text(body, portal.length() + 1));
                }
                return true;
            });
        }

        /** Passes on the messages of the server. */
        void answer() throws IOException {
            pass(behind, client, false, (type, body) -> {
                if (type != 'C' || !text(body, 0).equals("COMMIT")) {
                    return true;
                }
                boolean claim = claims;
                claims = false;
                AtomicInteger counter = claim ? CuttingProxy.this.claims : commits;
                int every = claim ? everyClaim : everyCommit;
                if (every == Integer.MAX_VALUE || counter.incrementAndGet() % every != 0) {
                    return true;
                }
                cuts.incrementAndGet();
                return false;
            });
        }

        private void pass(Socket from, Socket to, boolean startup, Judge judge) throws IOException {
            try (from;
                    to;
                    DataInputStream in = new DataInputStream(new BufferedInputStream(from.getInputStream(), 1 << 16));
                    DataOutputStream out =
                            new DataOutputStream(new BufferedOutputStream(to.getOutputStream(), 1 << 16))) {
                if (startup) {
                    int length = in.readInt();
                    out.writeInt(length);
                    out.write(in.readNBytes(length - 4));
                    out.flush();
                }
                while (true) {
                    int type = in.read();
                    if (type < 0) {
                        throw new EOFException();
                    }
                    int length = in.readInt();
                    byte[] body = in.readNBytes(length - 4);
                    if (!judge.passes((char) type, body)) {
                        return;
                    }
                    out.write(type);
                    out.writeInt(length);
                    out.write(body);
                    if (in.available() == 0) {
                        out.flush();
                    }
                }
            } finally {
                open.remove(from);
                open.remove(to);
            }
        }

        private static String text(byte[] body, int from) {
            int end = from;
            while (body[end] != 0) {
                end++;
            }
            return new String(body, from, end - from, StandardCharsets.ISO_8859_1);
        }
    }

    @FunctionalInterface
    private interface Judge {
        boolean passes(char type, byte[] body);
    }
}
