/** Name and help of each metric of a process. */

export const BUILD = {
  name: 'chainkin_build_info',
  help: 'Always 1: the version, and the commit as far as it is known, stand in the labels',
}
export const REQUESTS = {
  name: 'chainkin_requests_total',
  help: 'Requests answered, by endpoint (application: a page) and class of status',
}
export const LATENCY = {
  name: 'chainkin_request_seconds',
  help: 'Time from a request to the head of its answer',
}
export const CALLS = {
  name: 'chainkin_calls_total',
  help: 'Calls that the meter decided, by endpoint and outcome; unknown: a charge whose end was not heard',
}
export const CREDITS = { name: 'chainkin_credits_charged_total', help: 'Credits charged' }
export const GROUPS = {
  name: 'chainkin_charge_group_calls',
  help: 'Calls that one statement decided',
}
export const ANSWERS = {
  name: 'chainkin_kept_answers_total',
  help: 'Answers from memory (hit, confirmed after a change) and made anew (miss)',
}
export const UNLOGGED = {
  name: 'chainkin_request_log_dropped_total',
  help: 'Calls that the log of requests lacks: too many waited, or the database failed at them',
}
export const ANSWER_BYTES = {
  name: 'chainkin_kept_answer_bytes',
  help: 'Bytes of answers in memory',
}
export const POSITION = {
  name: 'chainkin_directory_position',
  help: 'Sequence of the change log that the directory has followed to',
}
export const LAG = {
  name: 'chainkin_directory_lag_changes',
  help: 'Sequence numbers of the change log that are still to follow; not there while the database is away',
}
export const LAG_SECONDS = {
  name: 'chainkin_directory_lag_seconds',
  help: 'How far the directory is behind the database; not there while the database is away',
}
export const RECORDS = {
  name: 'chainkin_directory_records',
  help: 'Records in memory, each of them in the search index but rounds',
}
export const FOLLOW_FAILURES = {
  name: 'chainkin_follow_failures_total',
  help: 'How often the change log could not be followed, outages of the database included',
}
export const LAST_FOLLOW_FAILURE = {
  name: 'chainkin_follow_last_failure_timestamp_seconds',
  help: 'When that was last; 0 where it never was',
}
export const SET_ASIDE = {
  name: 'chainkin_records_set_aside',
  help: 'Changed records that could not be taken in and are tried again; the log names them',
}
export const READY = {
  name: 'chainkin_ready',
  help: 'Whether /health/ready of this process answers 200',
}
export const DATABASE_WAIT = {
  name: 'chainkin_database_wait_seconds',
  help: 'Time that work waited for a connection, by pool: charges, or all else',
}
export const DATABASE_WORK = {
  name: 'chainkin_database_work_seconds',
  help: 'Time that work had a connection, by pool',
}
export const DATABASE_FAILURES = {
  name: 'chainkin_database_failures_total',
  help: 'Work that the database did not answer; end: unknown where a statement was sent',
}
export const LOOP = {
  name: 'chainkin_event_loop_delay_seconds',
  help: 'How late a timer of 100 ms was',
}
export const MEMORY = {
  name: 'chainkin_resident_memory_bytes',
  help: 'Resident memory of a process',
}
export const CPU = { name: 'chainkin_cpu_seconds_total', help: 'Processor time, user and system' }
export const ORDERS = {
  name: 'chainkin_orders_waiting',
  help: 'Orders that wait: at the operator, or at the payment provider for their owner',
}
export const PRIVACY_REQUESTS = {
  name: 'chainkin_privacy_requests_waiting',
  help: 'Requests of people about their own data that wait for an answer',
}
export const MAILS_WAITING = {
  name: 'chainkin_mails_waiting',
  help: 'Mails that wait, by why the last try failed; new: not tried yet',
}
export const MAILS_GIVEN_UP = {
  name: 'chainkin_mails_given_up',
  help: 'Mails that were given up within a day, by why the last try failed',
}
export const WORKERS = { name: 'chainkin_workers', help: 'Workers that run' }
export const WORKER_RESTARTS = {
  name: 'chainkin_worker_restarts_total',
  help: 'Workers that were replaced',
}
export const DISK_FREE = {
  name: 'chainkin_disk_free_bytes',
  help: 'Room on the disks of the embedded database (data) and of BACKUP_DIR (backups)',
}
export const LAST_BACKUP = {
  name: 'chainkin_last_backup_timestamp_seconds',
  help: 'When the newest backup was made; 0 until the server has looked',
}
export const BACKUP_BYTES = { name: 'chainkin_last_backup_bytes', help: 'Its size' }
export const BACKUP_FAILURES = {
  name: 'chainkin_backup_failures_total',
  help: 'Backups that were due and could not be made; the log says why',
}
