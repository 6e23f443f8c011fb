/** @jsxImportSource hono/jsx */
/** A value that a form carries so that pressing its button twice, or sending it again, counts once. */
import { isUuid } from '../../database/uuid.ts'
import type { Form } from '../http/form.ts'
import type { Html } from '../http/html.ts'
import { PageError } from '../http/page-error.ts'

export function IdempotencyField({ value = crypto.randomUUID() }: { value?: string }): Html {
  return <input type="hidden" name="idempotencyKey" value={value} />
}

/** @throws PageError 400 for a form without one */
export function idempotencyKeyOf(form: Form): string {
  const once = form.get('idempotencyKey') ?? ''
  if (!isUuid(once)) throw malformedForm()
  return once.toLowerCase()
}

/** What no page of ours sends. */
export function malformedForm(): PageError {
  return new PageError(
    400,
    'This form is not whole',
    'Nothing was charged. Go back, load the page again and repeat what you did.',
  )
}
