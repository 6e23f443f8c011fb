/** @jsxImportSource hono/jsx */
/** The link of a profile that puts its record on a list of the account; strangers have none. */
import type { PageContext } from '../http/page.ts'

export function AddToList({ id, context }: { id: string; context: PageContext }) {
  if (!context.session) return null
  return (
    <a class="button quiet" href={context.href(`/lists/add?ids=${id}&from=profile`)}>
      Add to list
    </a>
  )
}
