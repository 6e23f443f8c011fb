/** @jsxImportSource hono/jsx */
/** Fields that few forms have: one choice of several, a box to tick or one that must be ticked, a text of several lines, a code. */
import type { FormErrors } from '../http/form-errors.ts'
import type { Child } from '../http/html.ts'
import { Field, type FieldOptions, Labelled, Problem, problemOf } from './form.tsx'

interface FieldProps {
  name: string
  errors?: FormErrors | undefined
}

interface RadiosProps extends FieldProps {
  legend: string
  options: readonly { value: string; label: string; hint: string }[]
  chosen: string | undefined
}

/** One choice, each with a line that says what it means. */
export function Radios({ name, legend, options, chosen, errors }: RadiosProps) {
  const problem = problemOf(errors, name)
  return (
    <fieldset class="choices" aria-describedby={problem && `field-${name}-problem`}>
      <legend>{legend}</legend>
      {options.map(({ value, label, hint }) => (
        <label>
          <input type="radio" name={name} value={value} checked={value === chosen} required />
          <span>
            {label}
            <span class="hint">{hint}</span>
          </span>
        </label>
      ))}
      <Problem name={name} errors={errors} />
    </fieldset>
  )
}

interface CheckboxProps {
  name: string
  isTicked?: boolean
  hint?: Child
  children?: Child
}

/** A choice that is made by ticking it, or not; the form sends `yes`. */
export function Checkbox({ name, isTicked = false, hint, children }: CheckboxProps) {
  return (
    <div class="choices">
      <label>
        <input type="checkbox" name={name} value="yes" checked={isTicked} />
        <span>
          {children}
          {hint ? <span class="hint">{hint}</span> : null}
        </span>
      </label>
    </div>
  )
}

/** A statement that somebody must make, by ticking it; the form sends `yes`. */
export function Tick({ name, errors, children }: FieldProps & { children?: Child }) {
  const problem = problemOf(errors, name)
  return (
    <div class="choices">
      <label>
        <input
          type="checkbox"
          name={name}
          value="yes"
          checked={errors?.form.get(name) === 'yes'}
          required
          aria-invalid={problem && 'true'}
          aria-describedby={problem && `field-${name}-problem`}
        />
        <span>{children}</span>
      </label>
      <Problem name={name} errors={errors} />
    </div>
  )
}

interface TextAreaProps extends FieldProps {
  label: string
  hint?: Child
  maxlength: number
}

/** A text of several lines, which may stay empty. */
export function TextArea({ name, label, hint, maxlength, errors }: TextAreaProps) {
  return (
    <Labelled name={name} label={label} hint={hint} errors={errors}>
      {({ id, isRefused, described }) => (
        <textarea
          id={id}
          name={name}
          rows={5}
          maxlength={maxlength}
          autofocus={isRefused}
          {...described}
        >
          {errors?.form.get(name) ?? ''}
        </textarea>
      )}
    </Labelled>
  )
}

const CODES = {
  app: {
    label: 'Code',
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    hint: 'The six digits that your app shows now.',
  },
  recovery: {
    label: 'Recovery code',
    autocomplete: 'off',
    hint: '16 letters and digits; each works once.',
  },
  either: {
    label: 'Code',
    autocomplete: 'one-time-code',
    hint: 'The six digits that your app shows now, or a recovery code.',
  },
} as const

/** A code of a second factor, which a page never shows again. @param of what is asked for; recovery codes have letters too */
export function CodeField({ of, ...field }: Partial<FieldOptions> & { of: keyof typeof CODES }) {
  return <Field name="code" maxlength={60} isSecret {...CODES[of]} {...field} />
}
