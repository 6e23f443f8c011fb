/** Views: filters and order of one of the application's lists, which an account keeps under a name for all of its members. */
import type { Database } from '../../database/client.ts'
import { hitsRow, scalar } from '../../database/scalar.ts'
import { isUuid } from '../../database/uuid.ts'
import { FieldError, validLine } from '../users/validation.ts'

/** Views of one account, over all lists, and characters of one's filters, at most. */
export const MAX_VIEWS = 100
export const MAX_VIEW_QUERY = 2_000

export interface SavedView {
  id: string
  /** The list that it is of: `people`, or a directory of companies. */
  list: string
  name: string
  /** Filters and order as the list's address has them, without the `?`. */
  query: string
}

/** The account's views by list and name. @param list of this list alone; of all unless given @throws DatabaseUnavailable */
export function viewsOf(
  database: Database,
  accountId: string,
  list: string | null = null,
): Promise<SavedView[]> {
  return database.use(
    ({ sql }) => sql<SavedView[]>`
      select id, list, name, query from saved_views
       where account_id = ${accountId} and (${list}::text is null or list = ${list})
       order by list, lower(name), id`,
  )
}

/** @returns undefined where the account has no such view. @throws DatabaseUnavailable */
export async function viewOf(
  database: Database,
  accountId: string,
  id: string,
): Promise<SavedView | undefined> {
  if (!isUuid(id)) return undefined
  const [view] = await database.use(
    ({ sql }) => sql<SavedView[]>`
      select id, list, name, query from saved_views where id = ${id} and account_id = ${accountId}`,
  )
  return view
}

/**
 * Keeps a view; the same one again is kept once.
 * @param replaced the id of the view that it stands for from now on; '' for a new one
 * @returns its id; undefined where there is no view to replace. @throws FieldError, DatabaseUnavailable
 */
export async function keepView(
  database: Database,
  accountId: string,
  { list, name, query }: Omit<SavedView, 'id'>,
  replaced = '',
): Promise<string | undefined> {
  const line = validLine('name', name)
  if (query === '') throw new FieldError('name', 'Choose a filter or an order first.')
  if (query.length > MAX_VIEW_QUERY)
    throw new FieldError('name', 'These are more filters than a view can keep: choose fewer.')
  if (replaced !== '' && !isUuid(replaced)) return undefined
  const end = await database.use(({ sql }) =>
    scalar<string>(
      sql`select view_keep(${accountId}, ${list}, ${line}, ${query}, ${replaced || null}::uuid, ${MAX_VIEWS}::integer)`,
    ),
  )
  if (end === 'taken') throw new FieldError('name', 'Another view of this list has this name.')
  if (end === 'full') throw new FieldError('name', `An account has at most ${MAX_VIEWS} views.`)
  return end ?? undefined
}

/** @returns false where the account has no such view. @throws DatabaseUnavailable */
export async function deleteView(
  database: Database,
  accountId: string,
  id: string,
): Promise<boolean> {
  if (!isUuid(id)) return false
  return database.use(({ sql }) =>
    hitsRow(sql`delete from saved_views where id = ${id} and account_id = ${accountId}`),
  )
}
