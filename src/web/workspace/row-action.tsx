/** @jsxImportSource hono/jsx */
import { Submit } from '../components/actions.tsx'
import { Form } from '../components/form.tsx'
import type { SignedInContext } from '../http/page.ts'

/** A row's form of one button. @param of the row's name, for screen readers */
export function RowAction({
  context,
  action,
  id,
  label,
  of,
}: { context: SignedInContext } & Record<'action' | 'id' | 'label' | 'of', string>) {
  return (
    <Form context={context} action="/workspace" class="inline">
      <input type="hidden" name="id" value={id} />
      <Submit action={action} tone="quiet" label={`${label}: ${of}`}>
        {label}
      </Submit>
    </Form>
  )
}
