/** What a form does, and the form again where a field can't be taken. */
import { FieldError } from '../../users/validation.ts'
import type { Form } from './form.ts'
import type { Page, Reply } from './page.ts'
import { PageError } from './page-error.ts'

/** A form that is shown again: what was sent, and what is wrong with one of its fields. */
export interface FormErrors {
  form: Form
  problem: FieldError
}

/** @param again the page with its form; a mistake in a field is a 422. */
export async function withFormErrors(
  form: Form,
  again: (errors: FormErrors) => Page | Promise<Page>,
  work: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    return { ...(await again({ form, problem: error })), status: 422 }
  }
}

/** A field's text as it was sent; '' where it was not. */
export function fieldText(form: Form, name: string): string {
  return form.get(name) ?? ''
}

/** What was tried too often. @param retryAfter seconds */
export function tooManyAttempts(retryAfter: number): PageError {
  const minutes = Math.ceil(retryAfter / 60)
  return new PageError(
    429,
    'That was tried very often',
    `Nothing was changed. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again.`,
    { 'retry-after': String(retryAfter) },
  )
}

/** What is not there, or not yours: the two answer alike. */
export function notFound(what: string): PageError {
  return new PageError(404, `There is no such ${what}`, 'It may have gone meanwhile.')
}
