/** @jsxImportSource hono/jsx */
/** Rows that a reader selects with boxes, to reveal people or to put records on a list, and the ids that the forms send. */

import { uuidOf } from '../../database/uuid.ts'
import type { Directory } from '../../directory/records/directory.ts'
import { BATCH_MAX } from '../../money/accounts/web-reveals.ts'
import { ASSETS } from '../http/assets.ts'
import type { Child } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { Submit } from '../ui/actions.tsx'
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

/** The reader of a shared part, which may only know whether they are signed in. */
export interface Reader {
  session: unknown
}

/** True if the reader can reveal the person or put them on a list. */
export function isSelectable({ session }: Reader, person: PersonRecord | MemberRecord): boolean {
  return session !== undefined || hasChannels(person)
}

type SelectionContext = Pick<PageContext, 'href' | 'session'>

interface SelectionFormProps {
  context: SelectionContext
  kind?: 'people' | 'companies'
  /** True if the page is the result of the previous selection. */
  isDone?: boolean
  /** Further buttons and fields. */
  children?: Child
}

/** Form of a page's boxes. The boxes name it by id, so they may stand anywhere. Each button leads to a page that asks first. */
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
      {isRevealing ? <Submit tone="quiet">Reveal selected</Submit> : null}
      {session ? (
        <Submit tone="quiet" formaction={href('/lists/add')}>
          Add to list
        </Submit>
      ) : null}
      {children}
      {isRevealing ? <span class="note">You see the price before anything is charged.</span> : null}
      <SelectionScript context={context} />
    </form>
  )
}

/** Marks a page without rows as the result of a selection. @param left people who stay selected */
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

function SelectionScript({ context }: { context: SelectionContext }) {
  return <script type="module" src={context.href(ASSETS.selection.path)}></script>
}

/**
 * Distinct ids of the parameter, at most `BATCH_MAX`.
 * @param refusal heading of the error page @throws PageError 400
 */
export function selectedIds(parameters: URLSearchParams, refusal: string, name = 'ids'): string[] {
  const values = parameters.getAll(name).filter(Boolean)
  const ids = [...new Set(values.map(uuidOf))]
  if (ids.length <= BATCH_MAX && ids.every((id) => id !== undefined)) return ids
  const most = `\`${name}\` names records by their ids, at most ${BATCH_MAX} at once; there were ${ids.length}.`
  throw new PageError(400, refusal, `${most} Nothing was charged.`)
}

/** Query string with these ids, without `?`. */
export const idsQuery = (ids: readonly string[]) =>
  String(new URLSearchParams(ids.map((id) => ['ids', id])))

/** Error for an empty selection. @param what verb: "reveal" */
export function nobodySelected(what: string): PageError {
  return new PageError(
    400,
    'Nobody is selected',
    `Go back, tick the boxes of those whom you want to ${what}, and press the button again.`,
  )
}

export interface SelectedPeople {
  people: PersonRecord[]
  gone: number
}

/** People with these ids, each once, and the number of unknown ids. */
export function selectedPeople(
  directory: Pick<Directory, 'person'>,
  ids: readonly string[],
): SelectedPeople {
  const people = ids.flatMap((id) => directory.person(id) ?? [])
  const known = new Map(people.map((person) => [person.id, personRecord(person)]))
  return { people: [...known.values()], gone: ids.length - people.length }
}
