/** How fast an import goes beside a service, and what it says of that. */
import { watchCalls } from '../../database/calls.ts'
import type { ImportOptions } from '../../intake/import/import.ts'
import { yieldProcessor } from '../service/priority.ts'
import type { Context } from './command.ts'

interface PaceOptions {
  /** `--fast`: at full speed whoever calls. */
  isFast?: boolean | undefined
  isDryRun?: boolean | undefined
  /** True on a copy of the database, which serves nobody. */
  isOnCopy?: boolean | undefined
  /** Told at which pace it goes, and whenever that changes. With `--json` nobody reads it. */
  say: (line: string) => void
}

/** @returns for `ImportOptions.isGentle` */
export function paceBeside(
  { database, isAlone }: Pick<Context, 'database' | 'isAlone'>,
  { isFast = false, isDryRun = false, isOnCopy = false, say }: PaceOptions,
): ImportOptions['isGentle'] {
  const verb = isDryRun ? 'Checking' : 'Importing'
  if (!isAlone && !isFast) yieldProcessor()
  if (isAlone) say(`${verb} at full speed: no service is running`)
  else if (isOnCopy) say(`${verb} at full speed: on a copy of the database`)
  else if (isFast) say(`${verb} at full speed, also beside calls (--fast)`)
  else {
    return watchCalls(database, {
      onChange: (areAnswered) =>
        say(
          areAnswered
            ? `${verb} slowly so that the running service stays fast; --fast for full speed`
            : `${verb} at full speed: no service is answering calls`,
        ),
    })
  }
}
