package dev.durable.samples.kotlin

import dev.durable.WorkflowFailedException
import dev.durable.testing.DurableAssertions.assertThat
import dev.durable.testing.DurableAssertions.assertThatThrownBy
import dev.durable.testing.DurableTest
import dev.durable.testing.TestEngine
import java.time.Duration
import org.junit.jupiter.api.Test

/** Tests the sample as an application in Kotlin would. */
// docs: kotlin-test
@DurableTest
class OrdersTest {
    private val refunds = mutableListOf<String>()
    private val payments = object : Payments {
        override fun charge(orderId: String, card: String, cents: Long): String =
            if (card == "stolen") throw CardDeclined(43) else "$orderId:$cents"

        override fun refund(orderId: String) {
            refunds += orderId
        }
    }
    private val shipping = object : Shipping {
        override fun label(article: String) = "label for $article"
    }

    private fun start(engine: TestEngine, payment: Payment) =
        engine.register(OrderSteps::class.java, payments, shipping).client()
            .start(OrderWorkflow::class.java, "o-1") {
                it.run(Order("o-1", listOf(Line("pen", 250, 2), Line("ink", 900)), payment))
            }

    @Test
    fun `an approved order is charged and has its labels`(engine: TestEngine) {
        val order = start(engine, Payment.Card("1234"))
        assertThat(order.query { it.approvedBy() }).isNull()

        order.signal { it.approve("ann") }

        assertThat(order.result()).isEqualTo(Receipt("o-1:1400", listOf("label for pen", "label for ink")))
        assertThat(order.query { it.approvedBy() }).isEqualTo("ann")
    }

    @Test
    fun `an order that nobody approves in time ends without a charge`(engine: TestEngine) {
        val order = start(engine, Payment.Card("1234"))
        engine.advance(Duration.ofDays(3))
        assertThat(order.result().charged).isNull()
    }
    // docs: end

    @Test
    fun `a declined card comes back as itself and is refunded`(engine: TestEngine) {
        val order = start(engine, Payment.Card("stolen"))
        order.signal { it.approve("ann") }
        assertThatThrownBy { order.result() }
            .isInstanceOf(WorkflowFailedException::class.java)
            .hasRootCauseInstanceOf(CardDeclined::class.java)
        assertThat(refunds).containsExactly("o-1")
    }

    @Test
    fun `a data object comes back as the one that it is`(engine: TestEngine) {
        val order = start(engine, Payment.Invoice)
        order.signal { it.approve("ann") }
        assertThat(order.result()).isEqualTo(Receipt(null, listOf("label for pen", "label for ink")))
    }
}
