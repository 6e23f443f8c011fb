/** Shows a form again where one of its fields is refused, and the errors that forms share. */
import type { Database } from '../../database/client.ts'
import type { Session } from '../../people/users/sessions.ts'
import { FieldError } from '../../people/users/validation.ts'
import type { Form } from './form.ts'
import { type Page, type Reply, redirect, type SignedInContext } from './page.ts'
import { PageError } from './page-error.ts'

/** The errors of a form that is shown again: what was sent, and what is wrong with its fields, the first one first. */
export interface FormErrors {
  form: Form
  problems: readonly FieldError[]
}

/** Does what a form asks for. Where fields are refused, answers 422 with the form again. @param again renders it */
export async function withFormErrors(
  form: Form,
  again: (errors: FormErrors) => Page | Promise<Page>,
  work: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    return { ...(await again({ form, problems: [error, ...error.others] })), status: 422 }
  }
}

/** Returns a field's text as it was sent, '' where it was not. */
export function fieldText(form: Form, name: string): string {
  return form.get(name) ?? ''
}

/** The error of an action that was tried too often. @param retryAfter seconds */
export function tooManyAttempts(retryAfter: number, instead = ''): PageError {
  const minutes = Math.ceil(retryAfter / 60)
  return new PageError(
    429,
    'That was tried very often',
    `Nothing was changed. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again.${instead}`,
    { 'retry-after': String(retryAfter) },
  )
}

/** The error of a thing that doesn't exist or belongs to another account: both answer alike. */
export function notFound(what: string): PageError {
  return new PageError(404, `There is no such ${what}`, 'It may have gone meanwhile.')
}

/**
 * Makes the action of a form that changes one thing.
 * @param change returns false where the thing is not there for the session: the answer is a 404 then
 * @param field holds the thing's id or its new value @param what the thing in words @param next the page afterwards
 */
export function changeAction(
  change: (database: Database, session: Session, value: string) => boolean | Promise<boolean>,
  { field = 'id', what, next }: { field?: string; what: string; next: string },
) {
  return async ({ application, session, href }: SignedInContext, form: Form): Promise<Reply> => {
    const isDone = await change(application.database, session, fieldText(form, field))
    if (!isDone) throw notFound(what)
    return redirect(href(next))
  }
}

/** Several forms on one page: the field `action` says which was sent. */
export type FormActions<C extends SignedInContext = SignedInContext> = Readonly<
  Record<string, (context: C, form: Form) => Promise<Reply>>
>

/**
 * Runs the form's action.
 * @param page shown again with the errors of a field that is refused.
 * @throws PageError 400 for a form without a known action
 */
export function runAction<C extends SignedInContext>(
  actions: FormActions<C>,
  context: C,
  form: Form,
  page: (context: C, errors: FormErrors) => Promise<Page>,
): Promise<Reply> {
  const name = fieldText(form, 'action')
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action)
    throw new PageError(400, 'The form could not be read', 'It does not say what to change.')
  return withFormErrors(
    form,
    (errors) => page(context, errors),
    () => action(context, form),
  )
}
