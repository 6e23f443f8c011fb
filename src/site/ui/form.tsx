/** @jsxImportSource hono/jsx */
/** Forms and their fields. One that is posted carries a CSRF token, and says beside a field what is wrong with it. */
import { uuidOf } from '../../database/uuid.ts'
import { MIN_PASSWORD } from '../../people/users/new-password.ts'
import { MAX_NAME } from '../../people/users/validation.ts'
import type { Form as Fields } from '../http/form.ts'
import type { FormErrors } from '../http/form-errors.ts'
import type { Child } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { humanize } from './text.tsx'

interface FormProps {
  context: PageContext
  action: string
  class?: string
  /** Needed where a field takes a file. */
  enctype?: 'multipart/form-data'
  children?: Child
}

/** A form that is posted to a path of this application. @param action the path */
export function Form({ context, action, class: name = 'form', enctype, children }: FormProps) {
  return (
    <form class={name} method="post" action={context.href(action)} enctype={enctype}>
      <input type="hidden" name="csrf" value={context.formToken()} />
      {children}
    </form>
  )
}

export interface FieldOptions {
  name: string
  label: string
  type?: 'text' | 'email' | 'password' | 'date'
  /** The HTML attribute by which browsers and password managers fill the field in. */
  autocomplete?: string
  /** The keyboard that a phone shows. */
  inputmode?: 'numeric'
  value?: string | undefined
  placeholder?: string
  /** Shown below the field, also where it has an error. */
  hint?: Child
  minlength?: number
  maxlength?: number
  isOptional?: boolean
  isFirst?: boolean
  /** Drops the typed value when the form is shown again, as for a password. */
  isSecret?: boolean
  errors?: FormErrors | undefined
}

/** A text field with its label. After an error it holds again what was typed, except a secret. */
export function Field(field: FieldOptions) {
  const { name, label, type = 'text', value, hint, isOptional, isFirst, errors, ...rest } = field
  const { isSecret = type === 'password', ...others } = rest
  return (
    <Labelled name={name} label={label} hint={hint} errors={errors}>
      {({ id, isRefused, described }) => (
        <input
          id={id}
          type={type}
          name={name}
          value={isSecret ? undefined : (errors?.form.get(name) ?? value)}
          {...others}
          required={!isOptional}
          autofocus={isRefused || (isFirst && !errors)}
          {...described}
        />
      )}
    </Labelled>
  )
}

interface LabelledProps extends Pick<FieldOptions, 'name' | 'label' | 'hint' | 'errors'> {
  /** Makes the element that is filled in. @param isRefused whether it is the form's first that is refused @param described the attributes by which it names its error and its hint */
  children: (field: {
    id: string
    isRefused: boolean
    described: Record<'aria-invalid' | 'aria-describedby', string | undefined>
  }) => Child
}

/** A label, an error and a hint around a field. */
export function Labelled({ name, label, hint, errors, children }: LabelledProps) {
  const id = `field-${name}`
  const problem = problemOf(errors, name)
  const parts = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean)
  const described = {
    'aria-invalid': problem && 'true',
    'aria-describedby': parts.join(' ') || undefined,
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, isRefused: errors?.problems[0]?.field === name, described })}
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
  return errors?.problems.find(({ field }) => field === name)?.message
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

interface SearchFieldProps {
  id: string
  label: string
  value?: string | undefined
  placeholder?: string
  isUnlabelled?: boolean
  /** The key that leads to it. */
  shortcut?: string
  maxlength?: number
}

/** The text to search for, in a form of filters. @param isUnlabelled hides the label from eyes */
export function SearchField(field: SearchFieldProps) {
  const { id, label, value, placeholder, isUnlabelled, shortcut, maxlength = 200 } = field
  return (
    <div class="field grows">
      <label for={id} class={isUnlabelled ? 'unseen' : undefined}>
        {label}
      </label>
      <input
        id={id}
        type="search"
        name="q"
        value={value}
        maxlength={maxlength}
        placeholder={placeholder}
        spellcheck={false}
        aria-keyshortcuts={shortcut}
      />
    </div>
  )
}

/** The name of a user. */
export function NameField(field: Partial<FieldOptions>) {
  return <Field name="name" label="Name" autocomplete="name" maxlength={MAX_NAME} {...field} />
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

interface SelectProps {
  name: string
  label: string
  none?: string
  options: readonly { value: string; label: string }[]
  chosen: string | undefined
  errors?: FormErrors | undefined
}

/** A choice of one option, or of none. @param none the label of no choice, where that is allowed */
export function Select({ name, label, none, options, chosen, errors }: SelectProps) {
  const id = `field-${name}`
  const problem = problemOf(errors, name)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        autofocus={problem !== undefined && errors?.problems[0]?.field === name}
        aria-invalid={problem && 'true'}
        aria-describedby={problem && `${id}-problem`}
      >
        {none === undefined ? null : <option value="">{none}</option>}
        {options.map(({ value, label: text }) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
      <Problem name={name} errors={errors} />
    </div>
  )
}

const LABELS: Readonly<Record<string, string>> = {
  prominence: 'Most prominent',
  followers: 'Followers',
  raised: 'Raised',
  'last-round': 'Last round',
  investors: 'Investors',
  active: 'Most active',
  portfolio: 'Largest portfolio',
  roi: 'Highest return',
  recent: 'Newest',
  added: 'Added last',
  name: 'Name',
}

/** An order of the lists in words. */
export const orderLabel = (order: string): string => LABELS[order] ?? humanize(order)

interface SortFieldProps {
  /** The first is the order that holds where none is chosen and nothing is searched for. */
  choices: readonly string[]
  values: { q?: string | undefined; sort?: string | undefined }
}

export function SortField({ choices, values: { q, sort } }: SortFieldProps) {
  const [first = '', ...others] = choices
  const named = (value: string) => ({ value, label: orderLabel(value) })
  const options = q ? choices : others
  return (
    <Select
      name="sort"
      label="Sort by"
      none={q ? 'Best match' : named(first).label}
      options={options.map(named)}
      chosen={sort}
    />
  )
}

/** The hidden field with an idempotency key: the same form sent twice is charged once. */
export function IdempotencyField({ value = crypto.randomUUID() }: { value?: string }) {
  return <input type="hidden" name="idempotencyKey" value={value} />
}

/** Returns the idempotency key of a form. @throws PageError 400 for a form without one */
export function idempotencyKeyOf(form: Fields): string {
  const once = uuidOf(form.get('idempotencyKey'))
  if (once === undefined) throw malformedForm()
  return once
}

/** The error for a form that no page of this application sends. */
export function malformedForm(): PageError {
  return new PageError(
    400,
    'This form is incomplete',
    'Nothing was charged. Go back, load the page again and repeat what you did.',
  )
}
