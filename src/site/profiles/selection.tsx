/** @jsxImportSource hono/jsx */
/** Rows that a reader selects with boxes, to reveal people or to put records on a list, and the ids that the forms send. */

import { isUuid } from '../../database/uuid.ts'
import type { Directory } from '../../directory/records/directory.ts'
import { BATCH_MAX } from '../../money/accounts/web-reveals.ts'
import { ASSETS } from '../http/assets.ts'
import type { Child } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { isSuspended } from '../ui/suspension.tsx'
import { hasChannels } from './contact.tsx'
import { type MemberRecord, type PersonRecord, personRecord } from './view-models.ts'

const FORM = 'selection'

/** The box of a row. @param name the record's, for screen readers */
export function SelectBox({ id, name }: { id: string; name: string }) {
  return (
    <input
      class="select"
      type="checkbox"
      form={FORM}
      name="ids"
      value={id}
      aria-label={`Select ${name}`}
    />
  )
}

/** Who reads, as far as shared parts may know it: `session` is undefined where nobody is signed in, and more of it is not seen. */
export interface Reader {
  session: unknown
}

/** Whether there is something to do with a person's row: only who is signed in has lists. */
export function isSelectable({ session }: Reader, person: PersonRecord | MemberRecord): boolean {
  return session !== undefined || hasChannels(person)
}

type SelectionContext = Pick<PageContext, 'href' | 'session'>

interface SelectionFormProps {
  context: SelectionContext
  /** What the rows are; only people are revealed. */
  kind?: 'people' | 'companies'
  /** Whether the page is the answer to what was selected before. */
  isDone?: boolean
  /** Further buttons, and what they send. */
  children?: Child
}

/** The form of a page's boxes. Each of its buttons leads to a page that asks before anything is done. */
export function SelectionForm(props: SelectionFormProps) {
  const { context, kind = 'people', isDone, children } = props
  const { href, session } = context
  const isRevealing = kind === 'people' && !isSuspended(context)
  return (
    <form
      id={FORM}
      class="selection"
      action={href(isRevealing ? '/reveal' : '/lists/add')}
      data-selection={kind}
      data-most={BATCH_MAX}
      data-selection-done={isDone || undefined}
    >
      {isRevealing ? (
        <button class="button quiet" type="submit">
          Reveal selected
        </button>
      ) : null}
      {session ? (
        <button class="button quiet" type="submit" formaction={href('/lists/add')}>
          Add to list
        </button>
      ) : null}
      {children}
      {isRevealing ? <span class="note">You see the price before anything is charged.</span> : null}
      <SelectionScript context={context} />
    </form>
  )
}

/** Stands on a page without rows that is the answer to what was selected. @param left people who stay selected; nobody unless given */
export function SelectionDone({
  context,
  left = [],
}: {
  context: SelectionContext
  left?: readonly string[]
}) {
  return (
    <div data-selection-done data-left={left.join() || undefined} hidden>
      <SelectionScript context={context} />
    </div>
  )
}

/** A module, because a page has other scripts beside it. */
function SelectionScript({ context }: { context: SelectionContext }) {
  return <script type="module" src={context.href(ASSETS.selection.path)}></script>
}

/**
 * Returns the ids of `ids`, each once, at most `BATCH_MAX`.
 * @param refusal heading of the page that refuses them @param name of the parameter that has them @throws PageError 400
 */
export function selectedIds(parameters: URLSearchParams, refusal: string, name = 'ids'): string[] {
  const sent = parameters.getAll(name).filter(Boolean)
  const ids = [...new Set(sent.map((id) => id.toLowerCase()))]
  if (ids.length <= BATCH_MAX && ids.every(isUuid)) return ids
  const most = `\`${name}\` names records by their ids, at most ${BATCH_MAX} at once; there were ${ids.length}.`
  throw new PageError(400, refusal, `${most} Nothing was charged.`)
}

/** The query by which a page is told of these, without its `?`. */
export const idsQuery = (ids: readonly string[]) =>
  String(new URLSearchParams(ids.map((id) => ['ids', id])))

/** The error of a page that was asked for without any. @param what one does with them: "reveal" */
export function nobodySelected(what: string): PageError {
  return new PageError(
    400,
    'Nobody is selected',
    `Go back, tick the boxes of those whom you want to ${what}, and press the button again.`,
  )
}

/** People as a page or a form names them, and how many of them are not in the directory. */
export interface SelectedPeople {
  people: PersonRecord[]
  gone: number
}

/** People whose records are read in one step: half a millisecond. */
const STEP_PEOPLE = 25

/** The people of these ids, each once. Read in steps (`one-moment.ts`). */
export function* selectedPeople(
  directory: Pick<Directory, 'person'>,
  ids: readonly string[],
): Generator<void, SelectedPeople> {
  const found = new Map<string, PersonRecord>()
  let gone = 0
  for (const [position, id] of ids.entries()) {
    if (position > 0 && position % STEP_PEOPLE === 0) yield
    const person = directory.person(id)
    if (person) found.set(person.id, personRecord(person))
    else gone++
  }
  return { people: [...found.values()], gone }
}
