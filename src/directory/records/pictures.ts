/** Records with a picture, and its version, so that pages can name it without asking the database. */
import type { Connection, Database } from '../../database/client.ts'
import { textArray } from '../../database/text-array.ts'
import type { LoggedChange } from './changes.ts'

export class PictureVersions {
  /** By the ids of companies and people. */
  readonly #versions = new Map<string, number>()
  readonly #onChange: () => void

  /** @param onChange called before each change: what pages show is part of the directory's moment */
  constructor(onChange = () => {}) {
    this.#onChange = onChange
  }

  get(id: string): number | undefined {
    return this.#versions.get(id)
  }

  /** @param version undefined where the record has no picture any more */
  put(id: string, version: number | undefined): void {
    if (version === this.#versions.get(id)) return
    this.#onChange()
    if (version === undefined) this.#versions.delete(id)
    else this.#versions.set(id, version)
  }
}

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
    for (const { id, version } of rows) pictures.put(id, version)
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
  const found = new Map(rows.map(({ id, version }) => [id, version]))
  for (const id of ids) pictures.put(id, found.get(id))
}

type Sql = Connection['sql']

function read(database: Database, which: (sql: Sql) => ReturnType<Sql>): Promise<Row[]> {
  return database.use(
    ({ sql }) => sql<Row[]>`
      select record_id as id, version from pictures where version is not null and ${which(sql)}`,
    DEADLINE,
  )
}
