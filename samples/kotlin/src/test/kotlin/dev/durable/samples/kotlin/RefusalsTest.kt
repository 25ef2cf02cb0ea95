package dev.durable.samples.kotlin

import dev.durable.Activity
import dev.durable.Durable
import dev.durable.Query
import dev.durable.RegistrationException
import dev.durable.Run
import dev.durable.Signal
import dev.durable.Workflow
import dev.durable.testing.DurableAssertions.assertThat
import dev.durable.testing.DurableAssertions.assertThatThrownBy
import dev.durable.testing.TestEngine
import kotlin.time.Duration
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.AbstractThrowableAssert
import org.junit.jupiter.api.Test

/** Tests what is refused of Kotlin, when, and with which way out. */
class RefusalsTest {
    private fun refused(vararg registered: Any): AbstractThrowableAssert<*, *> =
        TestEngine.create().use { engine ->
            assertThatThrownBy { engine.register(*registered).client() }
                .isInstanceOf(RegistrationException::class.java)
        }

    private fun accepted(vararg registered: Any) =
        TestEngine.create().use { engine -> assertThat(engine.register(*registered).client()).isNotNull() }

    @Workflow
    class Final {
        @Run
        fun run(): String = ""
    }

    @Test
    fun `a final class without an interface`() {
        refused(Final::class.java)
            .hasMessageContaining("Make it non-final (Kotlin: open; a record: a class), or annotate an interface")
    }

    @Activity
    interface Suspending {
        suspend fun load(id: String): String
    }

    @Test
    fun `a suspend function`() {
        val loading = object : Suspending {
            override suspend fun load(id: String) = id
        }
        refused(loading).hasMessageContaining("make it a plain function, which may wait")
    }

    // docs: kotlin-value-class
    @JvmInline
    value class Cents(val value: Long)

    @Activity
    interface Bank {
        @Activity(name = "pay") // else its name would be pay-9WSi9F8
        fun pay(amount: Cents): String
    }
    // docs: end

    @Activity
    interface UnnamedBank {
        fun pay(amount: Cents): String
    }

    @Workflow
    open class Mangled {
        @Run
        open fun run(amount: Cents): String = "${amount.value}"

        @Signal
        open fun add(amount: Cents) = Unit

        @Signal
        internal open fun stop() = Unit

        @Query
        open fun sum(): Cents = Cents(1)
    }

    @Workflow
    open class Named {
        private var sum = 0L

        @Run
        open fun run(first: Cents): String {
            sum = first.value
            Durable.await { sum > 5 }
            return "$sum"
        }

        @Signal(name = "add")
        open fun add(amount: Cents) {
            sum += amount.value
        }

        @JvmName("stop")
        @Signal
        @Suppress("INAPPLICABLE_JVM_NAME")
        internal open fun stop() = Unit
    }

    @Test
    fun `a name that the compiler made`() {
        val bank = object : UnnamedBank {
            override fun pay(amount: Cents) = ""
        }
        refused(bank)
            .hasMessageContaining("which Kotlin's compiler made")
            .hasMessageContaining("Name it: @Activity(name = \"pay\"), or that very name where runs have recorded it")
        refused(Mangled::class.java)
            .hasMessageContaining("@Signal(name = \"add\")")
            .hasMessageContaining("has the name \"stop\$")
            .hasMessageContaining("@Signal(name = \"stop\")")
            .hasMessageContaining("@Query(name = \"sum\")")
        val named = object : Bank {
            override fun pay(amount: Cents) = "${amount.value}"
        }
        accepted(named)
    }

    @Test
    fun `a value class as a parameter travels as its value`() {
        TestEngine.create().use { engine ->
            val run = engine.register(Named::class.java).client()
                .start(Named::class.java, "1") { it.run(Cents(4)) }
            run.signal { it.add(Cents(3)) }
            assertThat(run.result()).isEqualTo("7")
        }
    }

    data class Plan(val pause: Duration)

    @Workflow
    open class Planned {
        @Run
        open fun run(plan: Plan): String = plan.toString()
    }

    @Test
    fun `a Duration of Kotlin, wherever it stands`() {
        refused(Planned::class.java)
            .hasMessageContaining("pause: kotlin.time.Duration is written as one value")
            .hasMessageContaining("declare what Java has for it (java.time.Duration for kotlin.time.Duration)")
    }

    data class Lazily(val text: Lazy<String>, val call: (Int) -> String)

    @Workflow
    open class Coded {
        @Run
        open fun run(lazily: Lazily): String = lazily.toString()
    }

    @Test
    fun `what is code or not there yet`() {
        refused(Coded::class.java).hasMessageContaining("text: kotlin.Lazy<java.lang.String> is abstract")
    }

    @Workflow
    open class Launching {
        @Run
        open fun run(): String = runBlocking(Dispatchers.Default) { Durable.uuid().toString() }
    }

    @Test
    fun `a coroutine of Kotlin's that calls Durable`() {
        TestEngine.create().use { engine ->
            val run = engine.register(Launching::class.java).client().start(Launching::class.java, "1") { it.run() }
            assertThatThrownBy { run.result() }
                .hasMessageContaining("Durable.uuid was called outside a workflow, on thread 'DefaultDispatcher-worker-")
            run.terminate("tested")
        }
    }
}
