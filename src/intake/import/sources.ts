/** The sources of imports, as `chainkin sources` lists them. */
import type { Database } from '../../database/client.ts'
import type { RefusedColumns } from './source-columns.ts'
import type { KindName } from './summary.ts'

export interface ListedSource extends Record<KindName, number> {
  source: string
  /** Files that were refused since its last run for columns that are missing or new; null where none was. */
  refusedColumns: Omit<RefusedColumns, 'source'> | null
  lastRun: {
    run: number
    /** ISO 8601 in UTC. */
    at: string
    /** Null where it broke off, goes on, or was refused its removal. */
    endedAt: string | null
    /** In the journal; `undo` takes it back. */
    change: number
    files: Partial<Record<KindName, string>>
    /** `company`, `person`, `round`: the kinds that it told all of. */
    synced: string[]
  }
}

/** Lists all sources by name, with how many records of each kind they have today. */
export async function listSources(database: Database): Promise<ListedSource[]> {
  const rows = await database.use(
    ({ sql }) => sql<(Omit<ListedSource, 'lastRun'> & ListedSource['lastRun'])[]>`
      select s.source, i.refused as "refusedColumns", n.companies::float8 as companies, n.people::float8 as people, n.rounds::float8 as rounds,
             r.run::float8 as run, r.at, r.ended_at as "endedAt", r.change::float8 as change, r.files, to_json(r.synced) as synced
        from (select source, max(run) as run from import_runs group by source) s
        join import_runs r using (run)
        left join import_sources i on i.source = s.source
       cross join lateral (
         select source_records(s.source, r.run + 1, 'company') as companies,
                source_records(s.source, r.run + 1, 'person') as people,
                source_records(s.source, r.run + 1, 'round') as rounds) n
       order by s.source`,
    { deadlineMs: 30_000 },
  )
  return rows.map(({ source, refusedColumns, companies, people, rounds, ...lastRun }) => {
    return { source, refusedColumns, companies, people, rounds, lastRun }
  })
}
