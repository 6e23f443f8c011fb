/** @jsxImportSource hono/jsx */
/** Shared parts of the imports' pages: addresses, states, errors. */
import { readJob } from '../../../intake/import/jobs/store.ts'
import {
  type ImportJob,
  JobRefused,
  type JobState,
  type JobSummary,
} from '../../../intake/import/jobs/types.ts'
import { FieldError } from '../../../people/users/validation.ts'
import type { SignedInContext } from '../../../site/http/page.ts'
import { Badge, type Tone } from '../../../site/ui/badges.tsx'
import { sentence } from '../../../site/ui/text.tsx'
import { asFormError } from '../../ui/acts.tsx'
import { foundById } from '../../ui/frame.tsx'

const STATES: Readonly<Record<JobState, { word: string; tone: Tone }>> = {
  uploading: { word: 'on its way', tone: 'plain' },
  waiting: { word: 'to be checked', tone: 'accent' },
  checking: { word: 'being checked', tone: 'plain' },
  checked: { word: 'to be imported', tone: 'accent' },
  importing: { word: 'being imported', tone: 'plain' },
  ended: { word: 'imported', tone: 'good' },
  stopped: { word: 'stopped', tone: 'bad' },
  undoing: { word: 'being undone', tone: 'plain' },
  undone: { word: 'undone', tone: 'warn' },
}

export function StateBadge({ job: { state } }: { job: ImportJob }) {
  const { word, tone } = STATES[state]
  return <Badge tone={tone}>{word}</Badge>
}

/** Rows that were read of it so far, or last. */
export const rowsOf = ({ result, preview, progress }: ImportJob): number =>
  result?.read ?? preview?.read ?? progress?.rows ?? 0

/** Rows that the import would store. */
export const storable = ({ created, updated, unchanged }: JobSummary): number =>
  created + updated + unchanged

/** The import that a path or form names. @throws PageError 404 */
export const jobOf = (context: SignedInContext, id = context.id): Promise<ImportJob> =>
  foundById('import', id, (known) => readJob(context.application.database, known))

/**
 * Turns a refusal into a message beside the form's field.
 * @param fieldOf the field of the form that stands for what is at fault
 * @throws FieldError
 */
export async function orFieldError<T>(
  work: () => Promise<T>,
  fieldOf: (of: string | undefined) => string | undefined = () => undefined,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof JobRefused)) return asFormError(error)
    throw new FieldError(fieldOf(error.of) ?? '', sentence(onPage(error.message)))
  }
}

/** Command-line options in reasons, with the place on the page that does the same. */
const ON_PAGES: readonly (readonly [option: RegExp, there: string])[] = [
  [/import (again )?with --date-order .*$/, 'say the order under “What the columns mean”'],
  [/ by --date-order \w+/, ' in the order that was said'],
  [/other names go by --map .*$/, 'say under “What the columns mean” what the others are'],
  [/by --map "id=externalId"$/, 'which “What the columns mean” says of its column'],
]

/** A reason in the words of a page. */
export const onPage = (reason: string): string =>
  ON_PAGES.reduce((said, [option, there]) => said.replace(option, there), reason)
