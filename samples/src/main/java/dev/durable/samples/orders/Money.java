package dev.durable.samples.orders;

import java.math.BigDecimal;

/**
 * An amount of one currency.
 *
 * @param amount with the currency's number of decimals
 * @param currency its ISO 4217 code
 */
public record Money(BigDecimal amount, String currency) {

    public static Money euros(String amount) {
        return new Money(new BigDecimal(amount), "EUR");
    }

    public Money times(int factor) {
        return new Money(amount.multiply(BigDecimal.valueOf(factor)), currency);
    }

    public boolean isMoreThan(Money other) {
        if (!currency.equals(other.currency)) {
            throw new IllegalArgumentException(this + " and " + other + " cannot be compared: convert one of them");
        }
        return amount.compareTo(other.amount) > 0;
    }

    @Override
    public String toString() {
        return amount.toPlainString() + " " + currency;
    }
}
