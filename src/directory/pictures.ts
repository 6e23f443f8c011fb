/** Which records have a picture, and which version of it (D150): that pages name it by, without asking the database. */
import type { Connection, Database } from '../database/client.ts'
import { textArray } from '../database/text-array.ts'
import type { LoggedChange } from './changes.ts'

/** By the ids of companies and people. */
export type PictureVersions = Map<string, number>

interface Row {
  id: string
  version: number
}

/** Two numbers a row: more than of records may be read at a time. */
const SLICE = 500
const DEADLINE = { deadlineMs: 30_000 }

/** Takes in all of them. @param pause awaited after each slice */
export async function loadPictures(
  database: Database,
  pictures: PictureVersions,
  pause: () => Promise<void>,
): Promise<void> {
  let after: string | undefined = '00000000-0000-0000-0000-000000000000'
  while (after !== undefined) {
    const from: string = after
    const rows = await read(
      database,
      (sql) => sql`record_id > ${from} order by record_id limit ${SLICE}`,
    )
    for (const { id, version } of rows) pictures.set(id, version)
    after = rows.at(-1)?.id
    await pause()
  }
}

/** Takes in those that the changes name, as the database has them now. */
export async function applyPictures(
  database: Database,
  pictures: PictureVersions,
  changes: readonly LoggedChange[],
): Promise<void> {
  const ids = new Set(changes.filter(({ kind }) => kind === 'picture').map(({ id }) => id))
  if (ids.size === 0) return
  const rows = await read(
    database,
    (sql) => sql`record_id = any (${textArray([...ids])}::text::uuid[])`,
  )
  for (const id of ids) pictures.delete(id)
  for (const { id, version } of rows) pictures.set(id, version)
}

type Sql = Connection['sql']

function read(database: Database, which: (sql: Sql) => ReturnType<Sql>): Promise<Row[]> {
  return database.use(
    ({ sql }) => sql<Row[]>`
      select record_id as id, version from pictures where version is not null and ${which(sql)}`,
    DEADLINE,
  )
}
