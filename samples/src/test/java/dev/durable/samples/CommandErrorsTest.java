package dev.durable.samples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.samples.fileimport.Import;
import dev.durable.samples.orders.cli.Orders;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sample that can't go on ends with a sentence and a code. */
class CommandErrorsTest {
    @TempDir
    private Path folder;

    @Test
    void where_its_server_does_not_start_a_sample_says_why() throws Exception {
        Path data = Files.createDirectories(folder.resolve(".durable/postgres/data"));
        Files.writeString(data.resolve("PG_VERSION"), "9\n");

        try (SampleProcess orders = SampleProcess.start(folder, Orders.class, "list")) {
            assertThat(orders.awaitRefusal())
                    .contains("samples/orders list: ")
                    .contains("was created by PostgreSQL 9, but these binaries are")
                    .doesNotContain("\tat ");
        }
        try (SampleProcess imports = SampleProcess.start(folder, Import.class, "--rows=10")) {
            assertThat(imports.awaitRefusal())
                    .contains("samples/import: ")
                    .contains("was created by PostgreSQL 9, but these binaries are")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void where_its_folder_can_not_be_written_a_sample_says_so() throws Exception {
        Files.writeString(folder.resolve(".durable"), "a file, where a folder is to be");

        try (SampleProcess orders = SampleProcess.start(folder, Orders.class, "list")) {
            assertThat(orders.awaitRefusal())
                    .contains("samples/orders list: PostgreSQL cannot be kept in ")
                    .doesNotContain("\tat ");
        }
        try (SampleProcess imports = SampleProcess.start(folder, Import.class, "--rows=10")) {
            assertThat(imports.awaitRefusal())
                    .contains(
                            ".durable can't be used (FileAlreadyExistsException). Usually this user may not write there.")
                    .doesNotContain("\tat ");
        }
    }
}
