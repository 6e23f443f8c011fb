/**
 * The tables that a backup holds, as the database's catalog has them: all that `tables/` describes but mails that wait, whose links
 * sign people in, and which a restore would send a second time.
 */
import { getTableName, is, Table } from 'drizzle-orm'
import type { Connection } from '../client.ts'
import * as accounts from '../tables/accounts.ts'
import * as directory from '../tables/directory.ts'
import * as erasures from '../tables/erasures.ts'
import * as imports from '../tables/imports.ts'
import * as metering from '../tables/metering.ts'
import * as operators from '../tables/operators.ts'
import * as payments from '../tables/payments.ts'
import * as privacy from '../tables/privacy.ts'
import * as users from '../tables/users.ts'
import { BackupError } from './file.ts'

const ROOMS = [
  accounts,
  directory,
  erasures,
  imports,
  metering,
  operators,
  payments,
  privacy,
  users,
]

/** Names of all tables with data. Those of migrations and functions are the schema's: a restore makes them anew. */
export const TABLE_NAMES: readonly string[] = ROOMS.flatMap((room) => Object.values(room))
  .filter((value) => is(value, Table))
  .map(getTableName)

/** A holder of rows: a table, or one of its partitions. */
export interface Heap {
  name: string
  /** With what is stored beside it. */
  bytes: number
  pages: number
  /** For a partition: the text of its bound and of its own primary key. */
  bound: string | null
  key: string | null
}

export interface FoundTable {
  name: string
  /** Without those that are computed. */
  columns: string[]
  isPartitioned: boolean
  heaps: Heap[]
  /** Other tables that it refers to. */
  parents: string[]
}

/** Our tables that are there, each behind those that it refers to, and the sequences of their columns. */
export async function findTables(sql: Connection['sql']): Promise<FoundTable[]> {
  const names = `{${TABLE_NAMES.join()}}`
  const found = await sql<FoundTable[]>`
    select c.relname as name, c.relkind = 'p' as "isPartitioned",
           (select json_agg(a.attname order by a.attnum) from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
           (select coalesce(json_agg(json_build_object(
                     'name', h.relname,
                     'bytes', pg_table_size(h.oid),
                     'pages', pg_relation_size(h.oid) / current_setting('block_size')::integer,
                     'bound', pg_get_expr(h.relpartbound, h.oid),
                     'key', (select pg_get_constraintdef(k.oid) from pg_constraint k
                              where k.conrelid = h.oid and k.contype = 'p' and k.conparentid = 0)) order by h.relname), '[]')
              from pg_class h
             where h.oid = c.oid and c.relkind = 'r'
                or h.oid in (select relid from pg_partition_tree(c.oid) where isleaf and c.relkind = 'p')) as heaps,
           (select coalesce(json_agg(distinct p.relname), '[]')
              from pg_constraint f join pg_class p on p.oid = f.confrelid
             where f.conrelid = c.oid and f.contype = 'f' and p.oid <> c.oid) as parents
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and c.relname = any (${names}::text::text[])
     order by c.relname`
  return inOrder(found)
}

/**
 * The last number of each sequence in use by our tables; null where it gave none yet.
 * @throws BackupError where this role may not know it: PostgreSQL says null then as well, and a restore would give its numbers again
 */
export async function findSequences(
  sql: Connection['sql'],
): Promise<Record<string, string | null>> {
  const names = `{${TABLE_NAMES.join()}}`
  const found = await sql<{ name: string; last: string | null; isReadable: boolean }[]>`
    select distinct s.sequencename as name, s.last_value::text as last,
           has_sequence_privilege(d.objid, 'select, usage') as "isReadable"
      from pg_sequences s
      join pg_depend d on d.objid = format('%I.%I', s.schemaname, s.sequencename)::regclass and d.deptype in ('a', 'i')
      join pg_class c on c.oid = d.refobjid and c.relname = any (${names}::text::text[])
     where s.schemaname = 'public'
     order by 1`
  const hidden = found.find(({ isReadable }) => !isReadable)
  if (hidden) {
    throw new BackupError(
      `this role may not read the sequence ${hidden.name}: give it usage on all sequences in schema public`,
    )
  }
  return Object.fromEntries(found.map(({ name, last }) => [name, last]))
}

/** @throws Error where tables refer to each other in a circle: none could be filled first */
export function inOrder(tables: readonly FoundTable[]): FoundTable[] {
  const names = new Set(tables.map(({ name }) => name))
  const ordered: FoundTable[] = []
  const placed = new Set<string>()
  while (ordered.length < tables.length) {
    const next = tables.filter(
      ({ name, parents }) =>
        !placed.has(name) && parents.every((parent) => placed.has(parent) || !names.has(parent)),
    )
    if (next.length === 0) throw new Error('tables refer to each other in a circle')
    for (const table of next) placed.add(table.name)
    ordered.push(...next)
  }
  return ordered
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

export const listOf = (names: readonly string[]) => names.map(quoted).join(', ')

/** How values are written and read, whatever the server's and the role's defaults are; and no limit ends it half-way. */
export const SETTINGS = `
  set local client_encoding = 'UTF8';
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres';
  set local timezone = 'UTC';
  set local extra_float_digits = 1;
  set local bytea_output = 'hex';
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;`
