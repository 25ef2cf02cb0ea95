package dev.durable.samples.fileimport;

import java.math.BigDecimal;

/**
 * A measurement of a weather station.
 *
 * @param row the line in the file, from 1
 * @param station its id
 * @param measuredAt when, ISO 8601
 * @param celsius the temperature
 */
record Reading(long row, String station, String measuredAt, BigDecimal celsius) {

    static Reading parse(long row, String line) {
        String[] fields = line.split(",", -1);
        return new Reading(row, fields[0], fields[1], new BigDecimal(fields[2]));
    }
}
