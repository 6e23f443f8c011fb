/** @jsxImportSource hono/jsx */
/** Buttons of forms, and the form that asks for confirmation. */
import type { Child } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'
import { Form } from './form.tsx'

interface SubmitProps {
  /** The value that tells this button's form from others of the page. */
  action?: string
  tone?: 'quiet' | 'danger' | undefined
  /** A label for screen readers, if the text alone doesn't name the target. */
  label?: string | undefined
  /** The id of the form that it sends, unless it stands in it. */
  form?: string
  /** The address that the form is sent to instead of its own. */
  formaction?: string
  children?: Child
}

export function Submit({ action, tone, label, children, ...target }: SubmitProps) {
  const chosen = action === undefined ? {} : { name: 'action', value: action }
  return (
    <button
      class={`button ${tone ?? ''}`.trim()}
      type="submit"
      aria-label={label}
      {...chosen}
      {...target}
    >
      {children}
    </button>
  )
}

const linkOf = (look: string) => (link: { href: string; children?: Child }) => (
  <a class={look} href={link.href}>
    {link.children}
  </a>
)

/** A link that looks like a button. */
export const ButtonLink = linkOf('button')
/** A link that looks like a button of less weight. */
export const QuietLink = linkOf('button quiet')

interface RowActionProps extends Record<'action' | 'id' | 'label', string> {
  context: PageContext
  of?: string
}

/** A row's form of one button, sent to the page's own path. @param of the row's name, for screen readers */
export function RowAction({ context, action, id, label, of }: RowActionProps) {
  return (
    <Form context={context} action={context.path} class="inline">
      <input type="hidden" name="id" value={id} />
      <Submit action={action} tone="quiet" label={of && `${label}: ${of}`}>
        {label}
      </Submit>
    </Form>
  )
}

interface ConfirmationProps {
  context: PageContext
  /** Path of the form, below the page that "Cancel" leads back to. */
  action: string
  /** The record or setting that it acts on, sent as `id`. */
  id?: string
  label: string
  /** Label of the link back, "Cancel" by default. */
  back?: string
  isDangerous?: boolean
  children?: Child
}

export function Confirmation(props: ConfirmationProps) {
  const { context, action, id, label, back = 'Cancel', isDangerous = true, children } = props
  return (
    <Form context={context} action={action}>
      {id === undefined ? null : <input type="hidden" name="id" value={id} />}
      {children}
      <p class="actions">
        <Submit tone={isDangerous ? 'danger' : undefined}>{label}</Submit>
        <QuietLink href={context.href(action.slice(0, action.lastIndexOf('/')))}>{back}</QuietLink>
      </p>
    </Form>
  )
}
