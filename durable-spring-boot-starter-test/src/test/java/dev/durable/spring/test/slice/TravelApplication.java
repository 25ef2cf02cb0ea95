package dev.durable.spring.test.slice;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application whose components a test does not want. */
@SpringBootApplication
public class TravelApplication {}
