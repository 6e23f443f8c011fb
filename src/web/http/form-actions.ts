/** Several forms on one page: the field `action` says which was sent. */

import type { Form } from './form.ts'
import { type FormErrors, fieldText, withFormErrors } from './form-errors.ts'
import type { Page, Reply, SignedInContext } from './page.ts'
import { PageError } from './page-error.ts'

export type FormActions = Readonly<
  Record<string, (context: SignedInContext, form: Form) => Promise<Reply>>
>

/**
 * Runs the form's action.
 * @param page shown again with the errors of a field that is refused.
 * @throws PageError 400 for a form without a known action
 */
export function runAction(
  actions: FormActions,
  context: SignedInContext,
  form: Form,
  page: (context: SignedInContext, errors: FormErrors) => Promise<Page>,
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
