package dev.durable.store.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A port that refuses every connection, and that no other process can take meanwhile. */
public final class ClosedPort implements AutoCloseable {
    /** A socket that is bound, which keeps the port, and that does not listen. */
    private final Socket socket = new Socket();

    public ClosedPort() throws IOException {
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    public int number() {
        return socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
