package dev.durable.samples.kotlin

import dev.durable.testing.DurableAssertions.assertThat
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.nio.file.Path
import kotlin.io.path.writeText
import org.jetbrains.kotlin.cli.common.ExitCode
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir

/** Tests that Kotlin's compiler refuses the forms that could drop a value, and takes those that can't. */
@Tag("slow")
class CompilerTest {
    @TempDir
    private lateinit var folder: Path

    @Test
    fun `no form of async drops a value`() {
        assertThat(compiled("val p: dev.durable.Promise<Int> = Durable.async { 1 }")).isEmpty()
        assertThat(compiled("val p: dev.durable.Promise<Unit> = Durable.async { println() }")).isEmpty()
        assertThat(compiled("val p = Durable.async({ 1 })")).contains("cannot infer type for type parameter 'N'")
        assertThat(compiled("val x = Durable.detached { 1 }")).contains("cannot infer type for type parameter 'X'")
    }

    private fun compiled(statement: String): String {
        val source = folder.resolve("Form.kt")
        source.writeText("import dev.durable.Durable\n\nfun form() {\n    $statement\n}\n")
        val said = ByteArrayOutputStream()
        val exit = PrintStream(said).use {
            K2JVMCompiler().exec(
                it, "-no-stdlib", "-no-reflect", "-nowarn", "-classpath", System.getProperty("java.class.path"),
                "-d", folder.resolve("classes").toString(), source.toString()
            )
        }
        return if (exit == ExitCode.OK) "" else said.toString()
    }
}
