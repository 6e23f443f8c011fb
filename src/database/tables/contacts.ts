/**
 * Kept by accounts: notes about contacts that they have revealed, lists of records, and views of the
 * application's lists. Rows have the id by which a record was kept: who reads them follows `redirects`, so that a merge and
 * its undo change nothing here. No foreign key to records: one that was deleted may come back by an undo. An erasure
 * deletes what is kept of a person. None to accounts: they are never deleted, and to make one holds up charges while
 * instances are upgraded.
 */
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { created, newId, owner, time, words } from './columns.ts'

/** Notes of an account about a contact, for all of its members. */
export const contactNotes = pg.pgTable(
  'contact_notes',
  {
    accountId: pg.uuid('account_id').notNull(),
    personId: pg.uuid('person_id').notNull(),
    note: pg.text('note').notNull(),
    tags: words('tags'),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [
    pg.primaryKey({ columns: [t.accountId, t.personId] }),
    pg.index('contact_notes_person').on(t.personId),
  ],
)

/** A list of people and companies, for all members of its account. */
export const recordLists = pg.pgTable(
  'record_lists',
  {
    id: newId(),
    accountId: pg.uuid('account_id').notNull(),
    name: pg.text('name').notNull(),
    createdAt: created(),
  },
  (t) => [pg.uniqueIndex('record_lists_name').on(t.accountId, sql`lower(${t.name})`)],
)

export const listEntries = pg.pgTable(
  'list_entries',
  {
    listId: owner('list_id', () => recordLists.id),
    recordId: pg.uuid('record_id').notNull(),
    /** `person` or `company`. */
    kind: pg.text('kind').notNull(),
    addedAt: time('added_at').notNull(),
  },
  (t) => [
    pg.primaryKey({ columns: [t.listId, t.recordId] }),
    pg.check('list_entries_kind', sql`${t.kind} in ('person', 'company')`),
    pg.index('list_entries_record').on(t.recordId),
  ],
)

/** Filters and order of one of the application's lists, under a name, for all members of the account. */
export const savedViews = pg.pgTable(
  'saved_views',
  {
    id: newId(),
    accountId: pg.uuid('account_id').notNull(),
    /** `people`, or a directory of companies. */
    list: pg.text('list').notNull(),
    name: pg.text('name').notNull(),
    /** As the list's address has it, without its `?`. */
    query: pg.text('query').notNull(),
    createdAt: created(),
  },
  (t) => [pg.uniqueIndex('saved_views_name').on(t.accountId, t.list, sql`lower(${t.name})`)],
)
