package dev.durable.store.postgres.embedded.internal;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Path;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.jspecify.annotations.Nullable;

/** The server's programs as they come with the class path: a compressed tar archive inside a jar. */
record BinaryArchive(URL url) {

    static BinaryArchive onClassPath(Platform platform) {
        URL url = find(platform.archive());
        if (url == null) {
            throw EmbeddedErrors.noBinaries(platform);
        }
        return new BinaryArchive(url);
    }

    private static @Nullable URL find(String archive) {
        ClassLoader application = Thread.currentThread().getContextClassLoader();
        URL url = application == null ? null : application.getResource(archive);
        return url != null ? url : BinaryArchive.class.getClassLoader().getResource(archive);
    }

    /** The CRC of its bytes: a jar knows it without being read. */
    String fingerprint() throws IOException {
        return "%08x".formatted(crc());
    }

    private long crc() throws IOException {
        URLConnection connection = connection();
        if (connection instanceof JarURLConnection jar) {
            return jar.getJarEntry().getCrc();
        }
        try (CheckedInputStream in = new CheckedInputStream(connection.getInputStream(), new CRC32())) {
            in.skipNBytes(connection.getContentLengthLong());
            return in.getChecksum().getValue();
        }
    }

    private URLConnection connection() throws IOException {
        URLConnection connection = url.openConnection();
        connection.setUseCaches(false);
        return connection;
    }

    void unpackTo(Path folder) throws IOException {
        try (InputStream packed = new BufferedInputStream(connection().getInputStream())) {
            Txz.unpack(packed, folder);
        }
    }
}
