/** `backup` and `restore`: the embedded database as one file. */
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { restoreBackup, writeBackup } from '../database/backup.ts'
import { expectDatabase } from '../database/data-dir.ts'
import { openDatabase } from '../database/open.ts'
import { EXIT_INTERRUPTED, namingFile, Refusal, reporting, subcommand } from './command.ts'

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
    .action(
      reporting(async (file: string, { force }: { force: boolean }) => {
        const { databaseUrl, dataDir } = readConfig(process.env)
        refuseServer(databaseUrl, 'pg_restore')
        await restoreBackup(file, dataDir, { force }).catch(namingFile(file))
        return { json: { file, dataDir }, text: `${dataDir} holds what ${file} held` }
      }),
    )
}

function refuseServer(databaseUrl: string | undefined, tool: string) {
  if (databaseUrl) {
    throw new Refusal(
      `DATABASE_URL is set, and this is for the embedded database: use PostgreSQL's own ${tool}`,
    )
  }
}
