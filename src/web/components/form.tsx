/** @jsxImportSource hono/jsx */
/** Forms that are posted: each carries a CSRF token, and says beside a field what is wrong with it. */
import { isUuid } from '../../database/uuid.ts'
import { MIN_PASSWORD } from '../../users/validation.ts'
import type { Form as Fields } from '../http/form.ts'
import type { FormErrors } from '../http/form-errors.ts'
import type { Child } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'

interface FormProps {
  context: PageContext
  action: string
  class?: string
  children?: Child
}

/** A form that is posted to a path of this application. @param action the path */
export function Form({ context, action, class: name = 'form', children }: FormProps) {
  return (
    <form class={name} method="post" action={context.href(action)}>
      <input type="hidden" name="csrf" value={context.formToken()} />
      {children}
    </form>
  )
}

export interface FieldOptions {
  name: string
  label: string
  type?: 'text' | 'email' | 'password'
  /** The HTML attribute by which browsers and password managers fill the field in. */
  autocomplete: string
  value?: string | undefined
  /** Shown below the field, also where it has an error. */
  hint?: Child
  minlength?: number
  maxlength?: number
  isOptional?: boolean
  isFirst?: boolean
  errors?: FormErrors | undefined
}

/** A text field with its label. After an error it holds again what was typed, except a password. */
export function Field({
  name,
  label,
  type = 'text',
  autocomplete,
  value,
  hint,
  minlength,
  maxlength,
  isOptional = false,
  isFirst = false,
  errors,
}: FieldOptions) {
  const id = `field-${name}`
  const problem = problemOf(errors, name)
  const typed = type === 'password' ? undefined : (errors?.form.get(name) ?? value)
  const described = [problem ? `${id}-problem` : '', hint ? `${id}-hint` : ''].filter(Boolean)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type={type}
        name={name}
        value={typed}
        autocomplete={autocomplete}
        minlength={minlength}
        maxlength={maxlength}
        required={!isOptional}
        autofocus={problem !== undefined || (isFirst && !errors)}
        aria-invalid={problem === undefined ? undefined : 'true'}
        aria-describedby={described.length > 0 ? described.join(' ') : undefined}
      />
      <Problem name={name} errors={errors} />
      {hint ? (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
    </div>
  )
}

/** The error of a field. */
export function problemOf(errors: FormErrors | undefined, name: string): string | undefined {
  return errors?.problem.field === name ? errors.problem.message : undefined
}

/** The text beside a refused field, which the field names by `aria-describedby`. */
export function Problem({ name, errors }: { name: string; errors: FormErrors | undefined }) {
  const problem = problemOf(errors, name)
  return problem ? (
    <p class="problem" id={`field-${name}-problem`}>
      {problem}
    </p>
  ) : null
}

/** The address of an account. */
export function EmailField(field: Partial<FieldOptions>) {
  return <Field name="email" label="E-mail" type="email" autocomplete="username" {...field} />
}

/** A password that the account has already. */
export function PasswordField(field: Partial<FieldOptions>) {
  const kind = { type: 'password', autocomplete: 'current-password' } as const
  return <Field name="password" label="Password" {...kind} {...field} />
}

/** A password to be set. @param note what to say beside its minimum length */
export function NewPasswordField({
  note,
  label = 'New password',
  ...field
}: Pick<FieldOptions, 'isFirst' | 'errors'> & { label?: string; note?: string }) {
  return (
    <Field
      {...field}
      name="password"
      label={label}
      type="password"
      autocomplete="new-password"
      minlength={MIN_PASSWORD}
      hint={`At least ${MIN_PASSWORD} characters${note ? `; ${note}` : ''}.`}
    />
  )
}

/** The hidden field with an idempotency key: the same form sent twice is charged once. */
export function IdempotencyField({ value = crypto.randomUUID() }: { value?: string }) {
  return <input type="hidden" name="idempotencyKey" value={value} />
}

/** Returns the idempotency key of a form. @throws PageError 400 for a form without one */
export function idempotencyKeyOf(form: Fields): string {
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
