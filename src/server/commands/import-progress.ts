/** Messages of an import while it runs, on stderr, and its pace beside a service. */
import { SingleBar } from 'cli-progress'
import { watchCalls } from '../../database/calls.ts'
import type { ImportOptions, Progress } from '../../intake/import/import.ts'
import { columnsOf } from '../../intake/import/read.ts'
import {
  type Finding,
  type KindName,
  MOST_REFUSALS_KEPT,
  placeOf,
} from '../../intake/import/summary.ts'
import { yieldProcessor } from '../service/command-process.ts'
import { type Context, tell } from './command.ts'

/** Interval of progress lines where no terminal shows a bar. */
const LINE_EVERY_MS = 10_000

export interface Reporter {
  listeners: {
    onProgress(progress: Progress): void
    onFinding(kind: KindName, finding: Finding): void
    onIgnoredField(kind: KindName, field: string): void
  }
  /** Prints a line above the bar. */
  say(line: string): void
  stop(): void
}

/** Bytes of the files by kind; 0 is unknown. */
export type Sizes = Partial<Record<KindName, number>>

/** Shows a bar on a terminal, elsewhere a line now and then. */
export function reportProgress(sizes: Sizes, say: (line: string) => void): Reporter {
  return process.stderr.isTTY ? reportWithBar(sizes) : reportWithLines(sizes, say)
}

/** Findings that a terminal shows one by one, so that the summary doesn't scroll away. */
const MOST_ON_TERMINAL = 10

/** Prints each refused row, omitted value and ignored field; after `most` of them the number of the rest. */
function reportFindings(say: (line: string) => void, most: number) {
  let count = 0
  return {
    onFinding(kind: KindName, finding: Finding) {
      if (++count <= most) say(lineOf(kind, finding))
    },
    onIgnoredField(kind: KindName, field: string) {
      const columns = columnsOf(kind)
      // An alias is ignored where a column has the field's own name.
      const likely = columns.isField(field) ? undefined : columns.likely(field)
      const meant = likely && ` (did you mean ${likely}? --map "${field}=${likely}")`
      say(`${kind}: unknown field ignored: ${field}${meant ?? ''}`)
    },
    stop() {
      const unsaid = count - most
      if (unsaid > 0) say(`and ${unsaid} more refused rows and values; --report FILE writes all`)
    },
  }
}

function lineOf(kind: KindName, { severity, row, line, field, reason }: Finding): string {
  const where = `${kind} ${placeOf({ row, line })}: ${field === null ? '' : `${field}: `}`
  return `${where}${reason}${severity === 'refused' ? '' : field === null ? ' (stored)' : ' (stored without it)'}`
}

/** Prints the progress every `everyMs`. */
export function reportWithLines(
  sizes: Sizes,
  say: (line: string) => void,
  everyMs = LINE_EVERY_MS,
): Reporter {
  const { stop, ...findings } = reportFindings(say, MOST_REFUSALS_KEPT)
  const pace = paceOf(sizes)
  let saidAt = performance.now()
  return {
    listeners: {
      ...findings,
      onProgress(progress) {
        const { text } = pace(progress)
        if (performance.now() - saidAt < everyMs) return
        saidAt = performance.now()
        say(text)
      },
    },
    say,
    stop,
  }
}

const BAR_PARTS = 1_000

/** Shows a bar over all files, and prints the findings once it has stopped. */
function reportWithBar(sizes: Sizes): Reporter {
  const waiting: string[] = []
  const { stop, ...findings } = reportFindings((line) => waiting.push(line), MOST_ON_TERMINAL)
  const bar = new SingleBar({
    format: '{bar} {percentage}%  {text}',
    stream: process.stderr,
    hideCursor: true,
  })
  const pace = paceOf(sizes)
  bar.start(BAR_PARTS, 0, { text: '' })
  return {
    listeners: {
      ...findings,
      onProgress(progress) {
        const { done, text } = pace(progress)
        bar.update(Math.floor(done * BAR_PARTS), { text })
      },
    },
    // The next update draws the bar below this line.
    say: (line) => void process.stderr.write(`\r\x1b[K${line}\n`),
    stop() {
      bar.stop()
      stop()
      for (const line of waiting) tell(line)
    },
  }
}

/** The progress over all files, from 0 to 1 and in words. */
export function paceOf(sizes: Sizes, now = () => performance.now()) {
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0)
  const startedAt = now()
  const rowsOf = new Map<KindName, number>()
  let before = 0
  let latest: KindName | undefined
  return ({ kind, bytes, rows }: Progress): { done: number; text: string } => {
    if (latest !== undefined && latest !== kind) before += sizes[latest] ?? 0
    latest = kind
    rowsOf.set(kind, rows)
    const size = sizes[kind] ?? 0
    const done = total === 0 ? 0 : (before + Math.min(bytes, size)) / total
    const seconds = Math.max(now() - startedAt, 1) / 1_000
    const all = [...rowsOf.values()].reduce((sum, count) => sum + count, 0)
    const left = done > 0 && done < 1 ? `, ${inWords((seconds * (1 - done)) / done)} left` : ''
    const rate = Math.round(all / seconds).toLocaleString('en')
    return { done, text: `${kind}: ${rows.toLocaleString('en')} rows, ${rate} rows/s${left}` }
  }
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

interface PaceOptions {
  /** `--fast`: full speed although calls are answered. */
  isFast?: boolean | undefined
  isDryRun?: boolean | undefined
  /** True on a copy of the database, which answers no calls. */
  isOnCopy?: boolean | undefined
  /** Takes a line about the pace at the start and at each change. */
  say: (line: string) => void
}

/** @returns a value for `ImportOptions.isGentle` */
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
