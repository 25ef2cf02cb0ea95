package dev.durable.samples.springorders;

import org.springframework.data.jpa.repository.JpaRepository;

interface Bookings extends JpaRepository<Booking, Long> {
    long countByOrderId(String orderId);
}
