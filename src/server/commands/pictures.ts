/** `image refresh`: fetches logos and avatars. */
import type { Command } from 'commander'
import { reachWith } from '../../directory/pictures/addresses.ts'
import { type RefreshCounts, refreshPictures } from '../../directory/pictures/refresh.ts'
import {
  type Context,
  EXIT_INTERRUPTED,
  interruption,
  Refusal,
  subcommand,
  tell,
  withDatabase,
} from './command.ts'
import { parseDuration, parseWhole } from './parsers.ts'

/** Seconds: 30 days. */
const OLDER_THAN = 30 * 86_400
/** Interval of progress lines. */
const LINE_EVERY_MS = 10_000
/** Failures that are printed one by one. */
const FAILURES_MAX = 100

interface Options {
  limit?: number
  olderThan: number
}

export function registerImage(program: Command) {
  const image = program.command('image').description('logos and avatars, as pages show them')

  subcommand(image, 'refresh', 'fetch the pictures that are missing or old, and keep small ones')
    .option('--limit <n>', 'this many records at most', parseWhole(1, 1_000_000))
    .option(
      '--older-than <duration>',
      'ask again for pictures that were last asked for this long ago (default: 30d)',
      parseDuration,
      OLDER_THAN,
    )
    .addHelpText('after', HELP)
    .action(withDatabase(run))
}

const HELP = `
The pictures are those that records name as logoUrl and avatarUrl. Each is fetched once, and again when it is
old, if its host says that it has changed. What fails is tried again after a day, then after twice as long each
time. Hosts have to be on the public internet, at port 80 or 443, or in PICTURE_NETWORKS. PNG, JPEG, WebP, GIF and ICO
up to 2 MB and 4096 pixels a side are taken. Stop it whenever you like: the next run goes on from there. Run it each night.`

async function run({ config, database, takeLongLock }: Context, { limit, olderThan }: Options) {
  const lock = await takeLongLock('image refresh')
  if (!lock) throw new Refusal('another image refresh goes on: repeat this when it has ended')
  const signal = interruption()
  let saidAt = performance.now()
  let failures = 0
  try {
    const counts = await refreshPictures(database, {
      limit,
      olderThan,
      reach: reachWith(config.pictureNetworks),
      signal,
      onProgress(counts) {
        if (performance.now() - saidAt < LINE_EVERY_MS) return
        saidAt = performance.now()
        tell(textOf(counts))
      },
      onFailure(id, reason) {
        if (++failures <= FAILURES_MAX) tell(`${id}: ${reason}`)
      },
    })
    if (failures > FAILURES_MAX) tell(`and ${failures - FAILURES_MAX} more`)
    const { aborted: isInterrupted } = signal
    return {
      json: { ...counts, interrupted: isInterrupted },
      text: isInterrupted ? `interrupted: ${textOf(counts)}` : textOf(counts),
      exitCode: isInterrupted ? EXIT_INTERRUPTED : 0,
    }
  } finally {
    await lock.release()
  }
}

function textOf({ got, same, gone, failed, left }: RefreshCounts): string {
  return `${got} got, ${same} as before, ${gone} gone, ${failed} failed, ${left} left for the next run`
}
