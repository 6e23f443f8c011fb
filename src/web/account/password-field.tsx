/** @jsxImportSource hono/jsx */
import { MIN_PASSWORD } from '../../users/validation.ts'
import { Field, type FieldOptions } from '../components/form.tsx'

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
