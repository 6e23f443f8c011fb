/** `grants`: what the roles of a PostgreSQL may do, as SQL for its owner. Nothing is changed by it. */
import { type Command, InvalidArgumentError } from 'commander'
import { isRoleName, reportGrants, serveGrants } from '../../database/grants.ts'
import { Refusal, type Result, reporting, subcommand } from './command.ts'

interface Options {
  serve?: string
  report?: string
}

export function registerGrants(program: Command) {
  subcommand(program, 'grants', 'print the rights of roles on a PostgreSQL, as SQL for its owner')
    .option('--serve <role>', 'the role of DATABASE_URL for serve: rows, and no tables', parseRole)
    .option(
      '--report <role>',
      'a role that reads, without private channels and addresses',
      parseRole,
    )
    .action(reporting(grants))
}

function parseRole(name: string): string {
  if (isRoleName(name)) return name
  throw new InvalidArgumentError(
    'Expected the name of a role: one line of at most 63 bytes, without "$".',
  )
}

async function grants({ serve, report }: Options): Promise<Result> {
  if (!serve && !report) throw new Refusal('expected --serve ROLE, --report ROLE, or both')
  const sql = [serve && serveGrants(serve), report && reportGrants(report)].filter(Boolean)
  return { json: { sql: sql.join('\n') }, text: sql.join('\n').trimEnd() }
}
