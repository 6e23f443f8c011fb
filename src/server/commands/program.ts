/** The command line: all commands, and its end on help or wrong usage. */
import { Command, CommanderError } from 'commander'
import { COMMIT } from '../../commit.ts'
import { API_VERSION } from '../../contract/version.ts'
import { exit } from '../../runtime.ts'
import {
  registerAccount,
  registerCredits,
  registerKey,
  registerPlan,
  registerUsage,
} from './accounts.ts'
import { addActs } from './acts.ts'
import { registerBackup, registerRestore } from './backup.ts'
import { fail } from './command.ts'
import { registerConfig, registerDoctor, registerReady } from './doctor.ts'
import { registerErasures } from './erasures.ts'
import { registerExport } from './export.ts'
import { registerImport } from './import.ts'
import { registerImports, registerSources } from './imports.ts'
import { registerGrants, registerIndex, registerLedger, registerMigrate } from './maintenance.ts'
import { registerMcp } from './mcp.ts'
import { registerPayments } from './payments.ts'
import { registerImage } from './pictures.ts'
import { registerLicenses, registerPrint } from './print.ts'
import { registerPrivacy } from './privacy.ts'
import { registerJournal, registerRecords } from './records.ts'
import { registerServe } from './serve.ts'
import { registerSql } from './sql.ts'
import { registerTestServer } from './test-server.ts'
import { registerAudit, registerMail, registerUser } from './users.ts'
import { registerWorker } from './workers.ts'

const WRONG_USAGE = 2

/** In the order of help. */
const REGISTRATIONS = [
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
  registerMail,
  registerImage,
  registerIndex,
  registerAudit,
  registerSql,
  registerBackup,
  registerRestore,
  registerDoctor,
  registerReady,
  registerMcp,
  registerPrint,
  registerConfig,
  registerLicenses,
]

/** The program with its commands. @param writeOut takes help and version */
export function createProgram(writeOut: (text: string) => void): Command {
  const program = new Command('chainkin')
    .description(
      'A read-only API over a directory of crypto people and companies, billed in credits.',
    )
    .version(COMMIT ? `${API_VERSION} (${COMMIT})` : API_VERSION)
    .exitOverride()
    .configureOutput({ writeOut })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help shows what is allowed)')
  for (const register of REGISTRATIONS) register(program)
  addActs(program)
  return program
}

/** Runs the command of the process's arguments. */
export async function runCommandLine(): Promise<void> {
  let output = ''
  const program = createProgram((text) => {
    output += text
  })
  try {
    await program.parseAsync()
  } catch (error) {
    if (!(error instanceof CommanderError)) return fail('', error, asksForJson())
    // Commander throws for help too, which is no mistake.
    const isHelp = error.exitCode === 0
    const json = isHelp ? { text: output } : { error: error.message.replace(/^error: /, '') }
    process.stdout.write(asksForJson() ? `${JSON.stringify(json)}\n` : output)
    exit(isHelp ? 0 : WRONG_USAGE)
  }
}

/** True where the arguments ask for JSON, also where commander can't read them. */
function asksForJson(): boolean {
  const end = process.argv.indexOf('--')
  return process.argv.slice(0, end < 0 ? undefined : end).includes('--json')
}
