package dev.durable.samples.kotlin

import dev.durable.Activity
import dev.durable.Durable
import dev.durable.Query
import dev.durable.Retry
import dev.durable.Run
import dev.durable.Signal
import dev.durable.Workflow
import java.time.Duration

// docs: kotlin-types
data class Order(val id: String, val lines: List<Line>, val payment: Payment, val note: String? = null)

data class Line(val article: String, val cents: Long, val pieces: Int = 1)

sealed interface Payment {
    data class Card(val number: String) : Payment

    data object Invoice : Payment
}

data class Receipt(val charged: String?, val labels: List<String>)
// docs: end

class CardDeclined(val code: Int) : RuntimeException("declined")

// docs: kotlin-activities
@Activity(startToClose = "10s", retry = Retry(maxAttempts = 5, doNotRetry = [CardDeclined::class]))
interface Payments {
    @Throws(CardDeclined::class)
    fun charge(orderId: String, card: String, cents: Long): String

    fun refund(orderId: String)
}

@Activity
interface Shipping {
    fun label(article: String): String
}
// docs: end

// docs: kotlin-workflow
@Workflow
interface OrderWorkflow {
    @Run
    @Throws(CardDeclined::class)
    fun run(order: Order): Receipt

    @Signal
    fun approve(by: String)

    @Query
    fun approvedBy(): String?
}

class OrderSteps(private val payments: Payments, private val shipping: Shipping) : OrderWorkflow {
    private var approver: String? = null

    override fun run(order: Order): Receipt {
        if (!Durable.await(Duration.ofDays(3)) { approver != null }) return Receipt(null, listOf())
        val charged = when (val payment = order.payment) {
            is Payment.Card -> charge(order, payment)
            Payment.Invoice -> null
        }
        val labels = order.lines.map { line -> Durable.async { shipping.label(line.article) } }
        return Receipt(charged, labels.map { it.get() })
    }

    private fun charge(order: Order, card: Payment.Card): String {
        Durable.compensate { payments.refund(order.id) }
        return payments.charge(order.id, card.number, order.lines.sumOf { it.cents * it.pieces })
    }

    override fun approve(by: String) {
        approver = by
    }

    override fun approvedBy(): String? = approver
}
// docs: end
