package dev.durable.store;

/**
 * A job of a batch: its number in the batch and its run.
 *
 * @param number the number of its item, from 0
 * @param run its run; of a completed one that was discarded the failure says why
 */
public record BatchMember(int number, RunRecord run) {}
