/** Rights of the database's roles, the least that each needs, as SQL that the owner runs. */

/** Tables of which the service reads alone what the owner keeps. */
const OF_THE_OWNER = ['chainkin_migrations', 'chainkin_functions']

/** Whole tables that reports may read: they hold no private channel, no secret, and nobody's address. */
const REPORTED = [
  ...['companies', 'people', 'funding_rounds', 'round_investors', 'redirects', 'pictures'],
  ...['change_log', 'ledger', 'ledger_days', 'ledger_folds', ...OF_THE_OWNER],
]

/** Columns of an account that reports may read: no name, no address. */
const REPORTED_OF_ACCOUNTS = [
  ...['id', 'tier', 'balance', 'unlock_count', 'plan', 'plan_credits', 'plan_renews'],
  ...['plan_started_at', 'plan_ends_at', 'created_at'],
]

/** The longest name of a role: PostgreSQL would cut a longer one. */
const NAME_BYTES = 63

/** True if a role can have this name here: one line, and nothing that ends the quotes of a block of SQL. */
export const isRoleName = (name: string): boolean =>
  /^[^\p{Cc}$]+$/u.test(name) && Buffer.byteLength(name) <= NAME_BYTES

/**
 * The rights of the role that serves: rows of all tables, but no entry of the ledger and no line of the audit log or note is
 * changed or deleted by it, and no table, function or trigger made, changed or dropped. Tables that are made later, by a new version or for a month of the
 * ledger, are granted as their owner makes them, whoever has run this. One statement: all of it or nothing.
 * @param role as `isRoleName` has it
 */
export function serveGrants(role: string): string {
  const name = quoted(role)
  return `-- ${role}: what "serve" needs, run by the owner of the tables
do $grants$ declare
  v_owner regrole := (select relowner from pg_class where oid = 'ledger'::regclass);
  v_part regclass;
begin
  revoke create on schema public from public;
  grant usage on schema public to ${name};
  grant select, insert, update, delete on all tables in schema public to ${name};
  grant usage on all sequences in schema public to ${name};
  execute format('alter default privileges for role %s in schema public', v_owner) ||
    ' grant select, insert, update, delete on tables to ${literal(name)}';
  execute format('alter default privileges for role %s in schema public', v_owner) ||
    ' grant usage on sequences to ${literal(name)}';
  for v_part in select relid from pg_partition_tree('ledger') loop
    execute format('revoke update, delete on %s from ', v_part) || '${literal(name)}';
  end loop;
  revoke update, delete on audit_log, account_notes from ${name};
  revoke insert, update, delete on ${OF_THE_OWNER.join(', ')} from ${name};
  grant update (applied_at) on chainkin_migrations to ${name};
end $grants$;
`
}

/** The rights of a role that reads the directory without private channels, the ledger, and accounts without who they are. */
export function reportGrants(role: string): string {
  const name = quoted(role)
  return `-- ${role}: reports, and DATABASE_READ_URL
grant usage on schema public to ${name};
grant select on ${REPORTED.join(', ')} to ${name};
grant select (${REPORTED_OF_ACCOUNTS.join(', ')}) on accounts to ${name};
`
}

const quoted = (role: string) => `"${role.replaceAll('"', '""')}"`

/** Within single quotes. */
const literal = (text: string) => text.replaceAll("'", "''")
