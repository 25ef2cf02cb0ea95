package dev.durable.samples.kotlin

import dev.durable.Activity
import dev.durable.Body
import dev.durable.Durable
import dev.durable.Promise
import dev.durable.Query
import dev.durable.RetryPolicy
import dev.durable.Run
import dev.durable.Signal
import dev.durable.UsageException
import dev.durable.VoidBody
import dev.durable.Workflow
import dev.durable.client.StartOptions
import dev.durable.testing.DurableAssertions.assertThat
import dev.durable.testing.DurableAssertions.assertThatThrownBy
import dev.durable.testing.DurableTest
import dev.durable.testing.TestEngine
import org.junit.jupiter.api.Test

/** Tests the calls of the API whose overloads or types are Java's: which one Kotlin takes, and what comes back. */
@DurableTest
class CallsTest {
    @Activity
    interface Shop {
        fun price(article: String, pieces: Int = 1): Int

        fun remind(customer: String)
    }

    private val reminded = mutableListOf<String>()
    private val shop = object : Shop {
        override fun price(article: String, pieces: Int) = article.length * pieces

        override fun remind(customer: String) {
            reminded += customer
        }
    }

    @Workflow
    open class Calls(private val shop: Shop) {
        private var stopped = false

        @Run
        open fun run(): List<Any?> {
            // docs: kotlin-async
            val price: Promise<Int> = Durable.async { shop.price("pen") }
            val reminder: Promise<Unit> = Durable.async { shop.remind("ann") }
            val reference: Promise<Int> = Durable.async(shop::price, "ink", 2) // in flight without a thread
            val doubled: Promise<Int> = price.then { it * 2 }
            val all: List<Int> = Promise.map(listOf("a", "bb"), 2) { shop.price(it) }
            // docs: end
            val explicit: Promise<Int> = Durable.async(Body { shop.price("abc") })
            val nothing: Promise<Void?> = Durable.async<Void>(VoidBody { shop.price("abcd") })
            val procedure: Promise<Void?> = Durable.async(shop::remind, "bob")
            // docs: kotlin-detached
            val shielded = Durable.detached<Int, RuntimeException> { shop.price("shielded") }
            val retried = Durable.retry<Int, RuntimeException>({ it.maxAttempts(3) }) { shop.price("again") }
            val undoable = Durable.saga<Int, RuntimeException> { saga ->
                saga.compensate { shop.remind("undone") }
                shop.price("undoable")
            }
            // docs: end
            val polled = Durable.poll<Int, RuntimeException>(RetryPolicy.none(), { shop.price("poll") }) { it > 3 }
            val promise = Durable.newPromise(Int::class.java)
            promise.complete(polled)
            val mapped = Promise.map(listOf("a"), { it.atOnce(2) }) { shop.price(it) }.results()
            val drawn = Durable.sideEffect(Int::class.java) { 6 }
            Durable.await { stopped }
            return listOf(
                price.get(), reminder.get(), reference.get(), doubled.get(), all, explicit.get(), nothing.get(),
                procedure.get(), shielded, drawn, retried, undoable, promise.get(), mapped
            ).map { if (it is Unit) "Unit" else it }
        }

        @Signal
        open fun stop() {
            stopped = true
        }

        @Query
        open fun isStopped(): Boolean = stopped
    }

    @Test
    fun `a coroutine gives its value, whatever form started it`(engine: TestEngine) {
        val run = engine.register(Calls::class.java, shop).client().start(Calls::class.java, "1") { it.run() }
        assertThat(run.query { it.isStopped() }).isFalse()
        run.signal { it.stop() }
        assertThat(run.result())
            .isEqualTo(listOf(3, "Unit", 6, 6, listOf(1, 2), 3, null, null, 8, 6, 5, 8, 4, listOf(1)))
        assertThat(run.query("isStopped", Boolean::class.java)).isTrue()
        assertThat(reminded).containsExactlyInAnyOrder("ann", "bob")
    }

    @Workflow
    open class Cleaning(private val shop: Shop) {
        @Run
        open fun run(customer: String) {
            shop.remind(customer)
        }
    }

    @Test
    fun `a run that returns Unit is started by startVoid`(engine: TestEngine) {
        val client = engine.register(Cleaning::class.java, shop).client()
        // docs: kotlin-unit
        val cleaning = client.startVoid(Cleaning::class.java, "cleaning") { it.run("ann") }
        // docs: end
        assertThat(cleaning.result()).isNull()
        assertThatThrownBy { client.start(Cleaning::class.java, "other") { it.run("bob") } }
            .hasMessageContaining("run(String), which returns nothing (Kotlin: Unit), where a result is asked for.")
            .hasMessageContaining("Start it by startVoid(…) or signalWithStartVoid(…), update it by updateVoid(…).")
        client.enqueue(Shop::class.java) { it.remind("eve") }
        client.enqueueAll(Shop::class.java, listOf("joe")) { shop, customer -> shop.remind(customer) }
        engine.settle()
        assertThat(reminded).contains("ann", "eve", "joe")
    }

    @Workflow
    open class Greeting {
        @Run
        open fun run(name: String, greeting: String = "Hello"): String = "$greeting $name"
    }

    @Test
    fun `a default argument is the caller's, and null by name`(engine: TestEngine) {
        val client = engine.register(Greeting::class.java).client()
        assertThat(client.start(Greeting::class.java, "1") { it.run("Ann") }.result()).isEqualTo("Hello Ann")
        val byName = client.start("Greeting", StartOptions.id("2"), "Ann", "Bye")
        assertThat(byName.resultAs(String::class.java)).isEqualTo("Bye Ann")
    }

    @Workflow
    open class Lambda(private val shop: Shop) {
        @Run
        open fun run(): Int {
            val call: (String, Int) -> Int = { article, pieces -> shop.price(article, pieces) }
            return Durable.async(call, "pen", 1).get()
        }
    }

    @Test
    fun `a lambda where a method of a stub is asked for is refused`(engine: TestEngine) {
        engine.withoutReplayCheck().register(Lambda::class.java, shop)
        val run = engine.client().start(Lambda::class.java, "1") { it.run() }
        assertThatThrownBy { run.result() }
            .hasStackTraceContaining("Durable.async(method, arguments…) takes a method of an activity stub")
        run.terminate("tested")
    }

    @Test
    fun `outside of a workflow the calls say so`() {
        assertThatThrownBy { Durable.async { 1 } }.isInstanceOf(UsageException::class.java)
    }
}
