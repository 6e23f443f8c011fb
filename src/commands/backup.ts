/** `backup` and `restore`: the embedded database as one file. */
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { NOBODY, restoreBackup, writeBackup } from '../database/backup.ts'
import { expectDatabase } from '../database/data-dir.ts'
import { openDatabase } from '../database/open.ts'
import { EXIT_INTERRUPTED, namingFile, Refusal, reporting, subcommand } from './command.ts'
import { readErasureFile } from './erasures.ts'
import { who } from './record.ts'

export function registerBackup(program: Command) {
  subcommand(
    program,
    'backup <file>',
    'write the embedded database to a file (.tar.gz), also while a server runs',
  ).action(
    reporting(async (file: string) => {
      const config = readConfig(process.env)
      refuseServer(config.databaseUrl, 'pg_dump')
      expectDatabase(config.dataDir)
      const interrupted = new AbortController()
      process.once('SIGINT', () => interrupted.abort())
      const { database, close } = await openDatabase(config)
      try {
        const bytes = await writeBackup(database, config.dataDir, file, interrupted.signal)
        return { json: { file, bytes }, text: `${file}: ${bytes} bytes` }
      } catch (error) {
        if (!interrupted.signal.aborted) return namingFile(file)(error)
        const text = `${file}: not written, interrupted`
        return { json: { error: text }, text, exitCode: EXIT_INTERRUPTED }
      } finally {
        await close()
      }
    }),
  )
}

export function registerRestore(program: Command) {
  subcommand(program, 'restore <file>', 'put a backup in DATA_DIR; no server may run there')
    .option('--force', 'replace the database that is there', false)
    .option(
      '--erasures <file>',
      'whom it must not bring back, as "erasures save" wrote it, or none (default: whom the database that is there has erased)',
    )
    .action(
      reporting(async (file: string, { force, erasures: list }: RestoreChoices) => {
        const { databaseUrl, dataDir } = readConfig(process.env)
        refuseServer(databaseUrl, 'pg_restore, and then "erasures apply"')
        const erasures = list === 'none' ? NOBODY : list && (await readErasureFile(list))
        const options = { force, who: who(undefined), ...(erasures && { erasures }) }
        const erased = await restoreBackup(file, dataDir, options).catch(namingFile(file))
        const text = [
          `${dataDir} holds what ${file} held`,
          ...(erased
            ? [`but for ${erased.records} people, erased again: they had asked to be forgotten`]
            : []),
        ].join('\n')
        return { json: { file, dataDir, ...(erased && { erased: erased.records }) }, text }
      }),
    )
}

interface RestoreChoices {
  force: boolean
  erasures?: string
}

function refuseServer(databaseUrl: string | undefined, tool: string) {
  if (databaseUrl) {
    throw new Refusal(
      `DATABASE_URL is set, and this is for the embedded database: use PostgreSQL's own ${tool}`,
    )
  }
}
