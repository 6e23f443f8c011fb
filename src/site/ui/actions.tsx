/** @jsxImportSource hono/jsx */
/** Buttons of forms, and the form that asks for confirmation. */
import type { Child } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'
import { Form } from './form.tsx'

interface SubmitProps {
  /** Which of the page's forms it is, where there are several. */
  action?: string
  tone?: 'quiet' | 'danger' | undefined
  /** For screen readers, where the text alone doesn't say what it acts on. */
  label?: string | undefined
  children?: Child
}

export function Submit({ action, tone, label, children }: SubmitProps) {
  const chosen = action === undefined ? {} : { name: 'action', value: action }
  return (
    <button class={`button ${tone ?? ''}`.trim()} type="submit" aria-label={label} {...chosen}>
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
  /** Of what it acts on. */
  id?: string
  label: string
  /** Of the way back: "Cancel" unless given. */
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
