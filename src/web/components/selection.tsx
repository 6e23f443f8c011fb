/** @jsxImportSource hono/jsx */
/** Rows that one selects to reveal several at once. The boxes name their form, so that they stand wherever rows do. */
import type { PageContext } from '../http/page.ts'

const FORM = 'selection'

/** The box of a row. @param name the person's, for screen readers */
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

/** The form of a page's boxes: it leads to a page that says the price. */
export function SelectionForm({ context }: { context: Pick<PageContext, 'href'> }) {
  return (
    <form id={FORM} class="selection" action={context.href('/reveal')}>
      <button class="button quiet" type="submit">
        Reveal selected
      </button>
      <span class="note">You see the price before anything is charged.</span>
    </form>
  )
}
