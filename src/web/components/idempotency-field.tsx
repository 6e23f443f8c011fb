/** @jsxImportSource hono/jsx */
/** The hidden field with an idempotency key: the same form sent twice is charged once. */
import { isUuid } from '../../database/uuid.ts'
import type { Form } from '../http/form.ts'
import type { Html } from '../http/html.ts'
import { PageError } from '../http/page-error.ts'

export function IdempotencyField({ value = crypto.randomUUID() }: { value?: string }): Html {
  return <input type="hidden" name="idempotencyKey" value={value} />
}

/** Returns the idempotency key of a form. @throws PageError 400 for a form without one */
export function idempotencyKeyOf(form: Form): string {
  const once = form.get('idempotencyKey') ?? ''
  if (!isUuid(once)) throw malformedForm()
  return once.toLowerCase()
}

/** The error for a form that no page of this application sends. */
export function malformedForm(): PageError {
  return new PageError(
    400,
    'This form is incomplete',
    'Nothing was charged. Go back, load the page again and repeat what you did.',
  )
}
