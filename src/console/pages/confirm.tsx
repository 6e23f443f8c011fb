/** @jsxImportSource hono/jsx */
/**
 * `/operator/confirm?act=ACT&on=SUBJECT&of=ITEM`: the one page that acts go through about which something is to be said first. It asks for
 * the password and a code once more where the act can't be undone, and then does it.
 */
import { isUuid } from '../../database/uuid.ts'
import type { Form as Sent } from '../../site/http/form.ts'
import {
  type FormErrors,
  fieldText,
  notFound,
  tooManyAttempts,
  withFormErrors,
} from '../../site/http/form-errors.ts'
import type { Child } from '../../site/http/html.ts'
import { type Page, type Reply, redirect } from '../../site/http/page.ts'
import { QuietLink, Submit } from '../../site/ui/actions.tsx'
import { CodeField } from '../../site/ui/fields.tsx'
import { Form, PasswordField } from '../../site/ui/form.tsx'
import { type Act, isIdOf, pageOf, type Question, type Target, targetOf } from '../acts/act.ts'
import { ACTS } from '../acts/table.ts'
import { ActFields, type ActReply, answerAct, Refused, resourcesOf, valuesIn } from '../ui/acts.tsx'
import { CONFIRM, confirmPath } from '../ui/confirm-link.tsx'
import { type OperatorContext, operatorPage } from '../ui/frame.tsx'
import { pathOf } from '../ui/paths.ts'
import { PASSWORD_LINK } from './accounts/password-link.tsx'
import { AFTER_UNDO, changeFacts } from './directory/journal.tsx'
import { PERSON_REPLIES } from './directory/person-replies.tsx'
import { BACKUP_FILE } from './system/backups.tsx'

/** Replies of acts that don't lead back to their page. */
const REPLIES: readonly ActReply[] = [PASSWORD_LINK, BACKUP_FILE, AFTER_UNDO, ...PERSON_REPLIES]

/** The act that the address or the form names, with what is to be said. */
interface Request {
  act: Act
  target: Target
  question: Question
}

export async function confirmPage(context: OperatorContext): Promise<Reply> {
  return answer(context, await requestOf(context, new URLSearchParams(context.query)))
}

export async function confirm(context: OperatorContext, form: Sent): Promise<Reply> {
  const request = await requestOf(context, form)
  const { act, target, question } = request
  if (question.instead) return answer(context, request)
  const again = (errors: FormErrors) => pageFor(context, request, errors)
  return withFormErrors(form, again, async () => {
    // What the operator has read must be so still.
    const read = Object.entries(question.read ?? {})
    if (read.some(([name, text]) => fieldText(form, name) !== text)) throw notFound(nounOf(act))
    // The form is checked before the code, because a code counts once.
    const values = valuesIn({ ...act, fields: fieldsOf(act, question) }, form) ?? {}
    if (!act.isUndoable) await prove(context, form)
    return answerAct(context, act, target, values, { replies: REPLIES })
  })
}

/** Checks the password and a code. @throws FieldError, PageError 429 */
async function prove({ application, session, address }: OperatorContext, form: Sent) {
  const proof = { password: fieldText(form, 'password'), code: fieldText(form, 'code') }
  const check = await application.users.secondFactor.prove(session, proof, address)
  if (check.outcome === 'limited') throw tooManyAttempts(check.retryAfter)
}

const nounOf = (act: Act) => act.noun ?? pageOf(act)

const fieldsOf = ({ fields }: Act, { without = [] }: Question) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !without.includes(name)))

/** @throws PageError 404 for an unknown act, or a subject that doesn't exist (any more) */
async function requestOf(context: OperatorContext, sent: Sent): Promise<Request> {
  const act = ACTS.get(fieldText(sent, 'act'))
  if (!act?.ask) throw notFound('act')
  const target = targetOf(act, idIn(sent, 'on'), idIn(sent, 'of'))
  const isId = isIdOf(pageOf(act), target.on)
  const question = isId ? await act.ask(resourcesOf(context), target) : undefined
  if (!question) throw notFound(nounOf(act))
  return { act, target, question }
}

function idIn(sent: Sent, field: string): string {
  const id = fieldText(sent, field)
  return isUuid(id) ? id.toLowerCase() : id
}

async function answer(context: OperatorContext, request: Request): Promise<Reply> {
  const { instead } = request.question
  return instead
    ? redirect(context.href(confirmPath(instead.act, instead.on)))
    : pageFor(context, request)
}

async function pageFor(
  context: OperatorContext,
  { act, target, question }: Request,
  errors?: FormErrors,
): Promise<Page> {
  const { on, of } = target
  const back = pathOf(pageOf(act), on, of)
  const details: Child = act.name === 'directory.undo' ? await changeFacts(context, on) : null
  return operatorPage(
    context,
    { title: question.title, heading: `${question.title}?`, shape: 'text', area: back },
    <>
      <Refused errors={errors} />
      {details}
      <p class="lead">{question.lead}</p>
      <Form context={context} action={CONFIRM}>
        {Object.entries({ act: act.name, on, of }).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <ActFields act={act} values={question.read} errors={errors} without={question.without} />
        {act.isUndoable ? null : (
          <>
            <PasswordField label="Your password" errors={errors} />
            <CodeField of="either" errors={errors} />
          </>
        )}
        <p class="actions">
          <Submit tone={act.isUndoable && !act.isDangerous ? undefined : 'danger'}>
            {act.button}
          </Submit>
          <QuietLink href={context.href(back)}>Cancel</QuietLink>
        </p>
      </Form>
    </>,
  )
}
