/** Messages of an import while it runs, on stderr, and its pace beside a service. */
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
import type { Context } from './command.ts'

/** Milliseconds between two words on the progress: a terminal has them in one line. */
const [LINE_EVERY_MS, TERMINAL_EVERY_MS] = [10_000, 100]

export interface Reporter {
  listeners: {
    onProgress(progress: Progress): void
    onFinding(kind: KindName, finding: Finding): void
    onIgnoredField(kind: KindName, field: string): void
  }
  /** Prints a line, on a terminal above the progress. */
  say(line: string): void
  stop(): void
}

/** Bytes of the files by kind; 0 is unknown. */
export type Sizes = Partial<Record<KindName, number>>

/** Findings that a terminal shows one by one, so that the summary doesn't scroll away. */
const MOST_ON_TERMINAL = 10

/** Clears the line at hand. */
const CLEAR = '\r\x1b[K'

/** Reports to a terminal, which has the progress in its last line, or by lines. @param write takes text as it is */
export function reportProgress(
  sizes: Sizes,
  isTerminal = process.stderr.isTTY === true,
  write = (text: string) => void process.stderr.write(text),
  everyMs = isTerminal ? TERMINAL_EVERY_MS : LINE_EVERY_MS,
): Reporter {
  const pace = paceOf(sizes)
  const most = isTerminal ? MOST_ON_TERMINAL : MOST_REFUSALS_KEPT
  const say = (line: string) => write(`${isTerminal ? CLEAR : ''}${line}\n`)
  let saidAt = performance.now()
  let count = 0
  return {
    listeners: {
      onProgress(progress) {
        const { done, text } = pace(progress)
        if (performance.now() - saidAt < everyMs) return
        saidAt = performance.now()
        if (isTerminal) write(`${CLEAR}${Math.floor(done * 100)} %  ${text}`)
        else say(text)
      },
      onFinding(kind, finding) {
        if (++count <= most) say(lineOf(kind, finding))
      },
      onIgnoredField(kind, field) {
        const columns = columnsOf(kind)
        // An alias is ignored where a column has the field's own name.
        const likely = columns.isField(field) ? undefined : columns.likely(field)
        const meant = likely && ` (did you mean ${likely}? --map "${field}=${likely}")`
        say(`${kind}: unknown field ignored: ${field}${meant ?? ''}`)
      },
    },
    say,
    stop() {
      const unsaid = count - most
      if (unsaid > 0) say(`and ${unsaid} more refused rows and values; --report FILE writes all`)
      else if (isTerminal) write(CLEAR)
    },
  }
}

function lineOf(kind: KindName, { severity, row, line, field, reason }: Finding): string {
  const where = `${kind} ${placeOf({ row, line })}: ${field === null ? '' : `${field}: `}`
  return `${where}${reason}${severity === 'refused' ? '' : field === null ? ' (stored)' : ' (stored without it)'}`
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
