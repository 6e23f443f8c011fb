#!/usr/bin/env bun
/** The command line. Everything else is free of side effects at import. */
import { Command, CommanderError } from 'commander'
import { registerAccount } from './commands/account.ts'
import { registerAudit } from './commands/audit.ts'
import { registerBackup } from './commands/backup.ts'
import { registerCompletion } from './commands/completion.ts'
import { registerConfig } from './commands/config.ts'
import { registerCredits } from './commands/credits.ts'
import { registerDoctor } from './commands/doctor.ts'
import { registerErase } from './commands/erase.ts'
import { registerErasures } from './commands/erasures.ts'
import { registerExport } from './commands/export.ts'
import { registerGrants } from './commands/grants.ts'
import { registerImage } from './commands/image.ts'
import { registerImport } from './commands/import.ts'
import { registerImports } from './commands/imports.ts'
import { registerIndex } from './commands/index.ts'
import { registerJournal } from './commands/journal.ts'
import { registerKey } from './commands/key.ts'
import { registerLedger } from './commands/ledger.ts'
import { registerLicenses } from './commands/licenses.ts'
import { registerMcp } from './commands/mcp.ts'
import { registerMigrate } from './commands/migrate.ts'
import { registerPayments } from './commands/payments.ts'
import { registerPlan } from './commands/plan.ts'
import { registerPrint } from './commands/print.ts'
import { registerPrivacy } from './commands/privacy.ts'
import { registerReady } from './commands/ready.ts'
import { registerRecords } from './commands/record.ts'
import { registerRestore } from './commands/restore.ts'
import { registerServe } from './commands/serve.ts'
import { registerSources } from './commands/sources.ts'
import { registerTestServer } from './commands/test-server.ts'
import { registerUsage } from './commands/usage.ts'
import { registerUser } from './commands/user.ts'
import { registerWorker } from './commands/worker.ts'
import { COMMIT } from './commit.ts'
import { API_VERSION } from './contract/version.ts'
import { exit } from './runtime.ts'

const WRONG_USAGE = 2

const program = new Command('chainkin')
  .description(
    'A read-only API over a directory of crypto people and companies, billed in credits.',
  )
  .version(COMMIT ? `${API_VERSION} (${COMMIT})` : API_VERSION)
  .exitOverride()
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError('(--help shows what is allowed)')

for (const register of [
  registerServe,
  registerWorker,
  registerTestServer,
  registerMigrate,
  registerGrants,
  registerImport,
  registerImports,
  registerExport,
  registerSources,
  registerRecords,
  registerErase,
  registerErasures,
  registerJournal,
  registerAccount,
  registerCredits,
  registerPlan,
  registerUsage,
  registerLedger,
  registerKey,
  registerUser,
  registerPayments,
  registerPrivacy,
  registerImage,
  registerIndex,
  registerAudit,
  registerBackup,
  registerRestore,
  registerDoctor,
  registerReady,
  registerMcp,
  registerPrint,
  registerCompletion,
  registerConfig,
  registerLicenses,
]) {
  register(program)
}

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  // Asking for help is no mistake; everything else that commander throws is.
  exit(error.exitCode === 0 ? 0 : WRONG_USAGE)
}
