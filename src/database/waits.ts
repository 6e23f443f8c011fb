/**
 * The longest waits of a call, in milliseconds: for a connection, in the meter's queue, and for the database's answer. A test
 * raises them before it starts the command line, because a process that gets little of the processor would refuse calls.
 */
export const WAITS = { connectMs: 2_000, queueMs: 900, answerMs: 2_000 }
