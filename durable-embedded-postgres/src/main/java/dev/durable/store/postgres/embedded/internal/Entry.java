package dev.durable.store.postgres.embedded.internal;

import dev.durable.StoreUnavailableException;
import java.io.IOException;
import java.util.Optional;

/** Attaches to the server of a directory, and starts it where it does not run yet, with the directory's lock held. */
record Entry(ServerDirectory directory, Installation installation, ServerSettings settings, Deadline deadline) {

    EmbeddedServer enter() throws IOException, InterruptedException {
        Attachments attachments = new Attachments(directory);
        attachments.sweep();
        while (true) {
            Optional<Postmaster> running = directory.server();
            if (running.isEmpty() && directory.beingStarted()) {
                awaitStart();
                continue;
            }
            if (running.isEmpty()) {
                attachments.refuseOtherMachines();
                return start(attachments.first());
            }
            Attachment attachment = attachments.join();
            if (attachment != null) {
                return attach(attachment);
            }
            running.get().stop(deadline);
        }
    }

    private EmbeddedServer start(Attachment attachment) throws IOException, InterruptedException {
        try {
            RunAs runAs = RunAs.on(directory, installation);
            Cluster cluster = new Cluster(directory, installation, runAs);
            cluster.prepare();
            Postmaster server = new Launch(directory, installation, settings, cluster).start(deadline);
            Cluster.makeRole(directory, server.port());
            return new EmbeddedServer(directory, attachment, server.port());
        } catch (Throwable failure) {
            attachment.close();
            throw failure;
        }
    }

    private EmbeddedServer attach(Attachment attachment) throws IOException, InterruptedException {
        try {
            Postmaster server = awaitReady();
            if (settings.portFixed() && settings.port() != server.port()) {
                throw EmbeddedErrors.otherPort(directory.root(), server.port(), settings.port());
            }
            Cluster.makeRole(directory, server.port());
            return new EmbeddedServer(directory, attachment, server.port());
        } catch (Throwable failure) {
            attachment.close();
            throw failure;
        }
    }

    /** By a process that was killed meanwhile: it would be the second server on the same data. */
    private void awaitStart() throws IOException, InterruptedException {
        if (deadline.passed()) {
            throw notStarted();
        }
        deadline.pause();
    }

    /** It is not ready when the one that started it was killed before it was. */
    private Postmaster awaitReady() throws IOException, InterruptedException {
        while (true) {
            Optional<Postmaster> server = directory.server();
            if (server.isPresent() && server.get().ready()) {
                return server.get();
            }
            if (server.isEmpty() || deadline.passed()) {
                throw notStarted();
            }
            deadline.pause();
        }
    }

    private StoreUnavailableException notStarted() throws IOException {
        return EmbeddedErrors.didNotStart(directory, installation, deadline, new ServerLog(directory.log(), 0).tail());
    }
}
