/**
 * `bun run test:runtime`: the black-box suite over every runtime and database, or those that are named.
 * Kept out of plain `bun test`, because it starts the program some hundred times.
 */
import { spawnSync } from 'node:child_process'
import { Command, Option } from 'commander'
import { PROJECT_ROOT } from '../helpers/command.ts'
import { DATABASES, RUNTIMES } from './targets.ts'

const options = new Command('test:runtime')
  .addOption(new Option('--runtime <name>', 'only this one').choices(RUNTIMES))
  .addOption(new Option('--database <name>', 'only this one').choices(DATABASES))
  .option('--complete', 'a target that is missing is a failure')
  .parse()
  .opts<{ runtime?: string; database?: string; complete?: true }>()

const { status } = spawnSync(process.execPath, ['test', './test/runtime/suite.ts'], {
  cwd: PROJECT_ROOT,
  stdio: 'inherit',
  env: {
    ...process.env,
    SUITE_RUNTIME: options.runtime,
    SUITE_DATABASE: options.database,
    SUITE_COMPLETE: options.complete && 'yes',
  },
})
process.exit(status ?? 1)
