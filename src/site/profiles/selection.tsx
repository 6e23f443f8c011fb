/** @jsxImportSource hono/jsx */
/**
 * Rows that one selects to reveal several at once, or to put them on a list. The boxes name their form, so that they stand
 * wherever rows do. The script keeps what is selected while one filters, sorts and turns pages.
 */
import { BATCH_MAX } from '../../money/accounts/web-reveals.ts'
import { ASSETS } from '../http/assets.ts'
import type { Child } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'
import { isSuspended } from '../ui/suspension.tsx'
import { hasChannels } from './contact.tsx'
import type { MemberRecord, PersonRecord } from './view-models.ts'

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
