/** @jsxImportSource hono/jsx */
/** The forms and the confirmation of acts, made of their rows, and what is answered to them. */
import { uuidOf } from '../../database/uuid.ts'
import { ChangeRefused } from '../../intake/editing/records.ts'
import { JobRefused } from '../../intake/import/jobs/types.ts'
import { FieldError } from '../../people/users/validation.ts'
import type { Form as Sent } from '../../site/http/form.ts'
import {
  type FormActions,
  type FormErrors,
  fieldText,
  notFound,
  runAction,
  tooManyAttempts,
  withFormErrors,
} from '../../site/http/form-errors.ts'
import type { Child } from '../../site/http/html.ts'
import { type Page, type PageContext, type Reply, redirect } from '../../site/http/page.ts'
import { QuietLink, Submit } from '../../site/ui/actions.tsx'
import { Checkbox, CodeField, TextArea, Tick } from '../../site/ui/fields.tsx'
import {
  Form,
  IdempotencyField,
  idempotencyKeyOf,
  PasswordField,
  problemOf,
  Select,
  Field as TextField,
} from '../../site/ui/form.tsx'
import { Flash, Notice } from '../../site/ui/page-parts.tsx'
import { humanize, sentence } from '../../site/ui/text.tsx'
import {
  type Act,
  ActRefused,
  type Field,
  type Fields,
  isIdOf,
  pageOf,
  type Question,
  type Resources,
  readValues,
  type SubjectKind,
  type Target,
  targetOf,
  type Values,
} from '../acts/act.ts'
import { listBackups } from '../acts/backup-list.ts'
import { type Done, doAct } from '../acts/perform.ts'
import { ACTS } from '../acts/table.ts'
import { CONFIRM, confirmPath } from './confirm-link.tsx'
import { actorOf, type OperatorContext, operatorPage } from './frame.tsx'
import { pathOf } from './paths.ts'

/** Resources of a page's acts. */
export function resourcesOf(context: OperatorContext): Resources {
  const { application, console } = context
  const { database, payments, referralCredits } = application
  const { dir } = console.config.backups
  return {
    database,
    by: actorOf(context),
    gateway: () => payments,
    referralCredits,
    desk: () => console.desk,
    imports: console.imports,
    backups: async () =>
      dir ? (await listBackups(database, { ...console.config.backups, dir })).backups : [],
  }
}

/** Messages of acts by the parameter `said` of the redirect. */
const MESSAGES: Readonly<Record<string, string>> = Object.fromEntries([
  ['before', 'This form was sent before, and did nothing more now.'],
  ...[...ACTS.values()].flatMap(({ name, said = {}, idle }) => [
    ...(idle ? [[`${name}.idle`, idle]] : []),
    ...(typeof said === 'string'
      ? [[name, said]]
      : Object.entries(said).map(([end, text]) => [`${name}.${end}`, text])),
  ]),
])

/** The outcome of the act that led here. @param messages of what a page's own forms do */
export const Said = (of: { context: PageContext; messages?: Readonly<Record<string, string>> }) => (
  <Flash context={of.context} messages={{ ...MESSAGES, ...of.messages }} />
)

/** Says why nothing was done, where that is the fault of no field. */
export function Refused({ errors }: { errors: FormErrors | undefined }) {
  const problem = problemOf(errors, '')
  return problem ? <Notice tone="bad">{problem}</Notice> : null
}

/** True if the form of an act is shown again, because it was refused. */
export const isRefused = ({ name }: Pick<Act, 'name'>, errors: FormErrors | undefined): boolean =>
  errors?.form.get('action') === name

interface ActFormProps {
  context: PageContext
  act: Act
  /** Stored values of its fields. */
  values?: Readonly<Record<string, string | undefined>>
  errors?: FormErrors | undefined
  /** Text of the button, if it isn't the act's own. */
  button?: Child
  tone?: 'quiet' | 'danger' | undefined
  isInline?: boolean
  /** Between the fields and the button. */
  children?: Child
}

/** The form of an act, sent to the page's own path. */
export function ActForm(props: ActFormProps) {
  const { context, act, values = {}, button, isInline, children } = props
  const errors = isRefused(act, props.errors) ? props.errors : undefined
  const { tone = act.isDangerous ? 'danger' : undefined } = props
  return (
    <Form context={context} action={context.path} {...(isInline && { class: 'inline' })}>
      {act.isOnce ? <IdempotencyField /> : null}
      {act.isPartial
        ? Object.keys(act.fields).map((name) => (
            <input type="hidden" name={wasName(name)} value={values[name] ?? ''} />
          ))
        : null}
      <ActFields act={act} values={values} errors={errors} />
      {children}
      <Submit action={act.name} tone={tone}>
        {button ?? act.button}
      </Submit>
    </Form>
  )
}

const wasName = (field: string) => `${field}Was`

interface ActFieldsProps {
  act: Pick<Act, 'fields'>
  values?: Readonly<Record<string, string | undefined>> | undefined
  errors: FormErrors | undefined
  without?: readonly string[] | undefined
}

/** The fields of an act's form. One without a label is a command's alone. */
export const ActFields = ({ act, values = {}, errors, without = [] }: ActFieldsProps) => (
  <>
    {Object.entries(act.fields).map(([name, field]) =>
      without.includes(name) ? null : (
        <ActField name={name} field={field} value={values[name]} errors={errors} />
      ),
    )}
  </>
)

interface ActFieldProps {
  name: string
  field: Field<unknown>
  value: string | undefined
  errors: FormErrors | undefined
}

function ActField({ name, field, value, errors }: ActFieldProps) {
  const { kind, label, hint, max = 0, choices = [], labels, none, isOptional = false } = field
  if (kind === 'hidden') return <input type="hidden" name={name} value={value ?? ''} />
  if (label === undefined) return null
  const own = { name, label, hint, errors, maxlength: max }
  if (kind === 'tick') {
    const isTicked = (errors?.form.get(name) ?? value) === 'yes'
    return (
      <Checkbox name={name} isTicked={isTicked} hint={hint}>
        {label}
      </Checkbox>
    )
  }
  if (kind === 'statement')
    return (
      <Tick name={name} errors={errors}>
        {label}
      </Tick>
    )
  if (kind === 'text') return <TextArea {...own} />
  if (kind === 'choice')
    return (
      <Select
        name={name}
        label={label}
        {...(none !== undefined && { none })}
        options={choices.map((one) => ({ value: one, label: labels?.[one] ?? humanize(one) }))}
        chosen={errors?.form.get(name) ?? value}
        errors={errors}
      />
    )
  return (
    <TextField
      {...{ ...own, value, isOptional }}
      autocomplete="off"
      {...(kind === 'number' && { inputmode: 'numeric' })}
    />
  )
}

/** Reads the form of an act. @returns undefined where nothing was changed @throws FieldError */
export function valuesIn(act: Act, form: Sent) {
  const isChanged = (name: string) => fieldText(form, name) !== fieldText(form, wasName(name))
  if (act.isPartial && !Object.keys(act.fields).some(isChanged)) return undefined
  return readValues(act, (name, { kind, label }) => {
    // Fields that were not edited stay as they are now, because a second operator may have changed them meanwhile.
    if (act.isPartial && !isChanged(name)) return undefined
    const isForCommands = label === undefined && kind !== 'hidden'
    return isForCommands ? '' : fieldText(form, name)
  })
}

/** A refused change as the form's error. */
export const fieldError = ({
  field,
  reason,
}: Pick<ChangeRefused, 'field' | 'reason'>): FieldError =>
  new FieldError(field ?? '', sentence(reason))

/** Turns what an act is refused for into the form's error. @throws FieldError */
export function asFormError(error: unknown): never {
  if (error instanceof ChangeRefused) throw fieldError(error)
  const isRefusal = error instanceof ActRefused || error instanceof JobRefused
  throw isRefusal ? new FieldError('', sentence(error.message)) : error
}

/** Views of an act beyond its row. */
export interface ActView<R = unknown> {
  name: string
  /** A page of its own after the act, or a file; others lead back to their page. */
  reply(context: OperatorContext, result: R, target: Target): Reply | Promise<Reply>
  /** Stands above what is said before the act. */
  facts?(context: OperatorContext, target: Target): Promise<Child>
}

/** Lets the compiler find the type of an act's result. */
export const viewOf = <F extends Fields, S, R>(
  { name }: Act<F, S, R>,
  view: Omit<ActView<R>, 'name'>,
): ActView<R> => ({ name, ...view })

/**
 * Does an act, and answers: leads back to its page, which says what came of it.
 * @throws PageError 404 where there was nothing to do it to, FieldError where it is refused
 */
export async function answerAct(
  context: OperatorContext,
  act: Act,
  target: Target,
  values: Values<Fields>,
  { key = null, views = [] }: { key?: string | null; views?: readonly ActView[] } = {},
): Promise<Reply> {
  try {
    const done = await doAct(resourcesOf(context), act, target, values, key)
    const own = views.find(({ name }) => name === act.name)
    if (own && done.result !== undefined) return await own.reply(context, done.result, target)
    return redirect(context.href(pathAfter(act, target, values, done)))
  } catch (error) {
    return asFormError(error)
  }
}

function pathAfter(
  act: Act,
  target: Target,
  values: Values<Fields>,
  { isRepeated, result }: Done<unknown>,
): string {
  const { name, end, noun, idle, isLast } = act
  const isIdle = result === undefined && !isRepeated
  if (isIdle && idle === undefined) throw notFound(noun ?? pageOf(act))
  const ended = isIdle ? 'idle' : !isRepeated && end?.(result, values)
  const said = isRepeated ? 'before' : ended ? `${name}.${ended}` : name
  const path = pathOf(pageOf(act), isLast ? '' : target.on, target.of)
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ said })}`
}

/**
 * Answers the forms of a page: the acts that are done there, and what is none. Acts that are asked about first are done by the
 * confirmation page alone.
 * @param page shown again with the errors of a form @param own forms that are no acts, or need more than their fields
 */
export function formsOf(
  kind: SubjectKind,
  page: (context: OperatorContext, errors?: FormErrors) => Page | Promise<Page>,
  own: FormActions<OperatorContext> = {},
) {
  return async (context: OperatorContext, form: Sent): Promise<Reply> => {
    const name = fieldText(form, 'action')
    const act = Object.hasOwn(own, name) ? undefined : ACTS.get(name)
    if (!act?.button || act.ask || pageOf(act) !== kind)
      return runAction(own, context, form, async (...asked) => page(...asked))
    return withFormErrors(
      form,
      (errors) => page(context, errors),
      async () => {
        const target = targetOf(act, context.id, act.page && idIn(form, 'id'))
        if (!isIdOf(act.subject, target.id)) throw notFound(act.noun ?? kind)
        const values = valuesIn(act, form)
        if (!values) return redirect(context.href(context.path))
        const key = act.isOnce ? idempotencyKeyOf(form) : null
        return answerAct(context, act, target, values, { key })
      },
    )
  }
}

/** The act that the address or the form names, with what is to be said. */
interface Request {
  act: Act
  target: Target
  question: Question
}

/**
 * `/operator/confirm?act=ACT&on=SUBJECT&of=ITEM`: the one page that acts go through about which something is to be said first. It asks for
 * the password and a code once more where the act can't be undone, and then does it.
 * @param views of acts that show more before, or don't lead back to their page
 */
export function confirmationOf(views: readonly ActView[]) {
  async function get(context: OperatorContext): Promise<Reply> {
    const request = await requestOf(context, new URLSearchParams(context.query))
    return insteadOf(context, request) ?? pageFor(context, request, views)
  }

  async function post(context: OperatorContext, form: Sent): Promise<Reply> {
    const request = await requestOf(context, form)
    const { act, target, question } = request
    const instead = insteadOf(context, request)
    if (instead) return instead
    const again = (errors: FormErrors) => pageFor(context, request, views, errors)
    return withFormErrors(form, again, async () => {
      // The title names what the act is done to, which another operator or a purchase may have changed meanwhile.
      const title = fieldText(form, 'title')
      if (title !== '' && title !== question.title)
        throw new FieldError('', `This was about something else when you opened it: “${title}?”`)
      // Hidden fields hold the values that the operator has read, which must be so still.
      const read = Object.entries(question.read ?? {})
      if (read.some(([name, text]) => fieldText(form, name) !== text)) throw notFound(nounOf(act))
      // The form is checked before the code, because a code counts once.
      const values = valuesIn({ ...act, fields: fieldsOf(act, question) }, form) ?? {}
      const key = act.isOnce ? idempotencyKeyOf(form) : null
      if (!act.isUndoable) await prove(context, form)
      return answerAct(context, act, target, values, { key, views })
    })
  }

  return { get, post }
}

const insteadOf = ({ href }: OperatorContext, { question: { instead } }: Request) =>
  instead && redirect(href(confirmPath(instead.act, instead.on)))

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
  return uuidOf(id) ?? id
}

async function pageFor(
  context: OperatorContext,
  { act, target, question }: Request,
  views: readonly ActView[],
  errors?: FormErrors,
): Promise<Page> {
  const { on, of } = target
  const back = pathOf(pageOf(act), on, of)
  const facts = await views.find(({ name }) => name === act.name)?.facts?.(context, target)
  return operatorPage(
    context,
    { title: question.title, heading: `${question.title}?`, shape: 'text', area: back },
    <>
      <Refused errors={errors} />
      {facts}
      <p class="lead">{question.lead}</p>
      <Form context={context} action={CONFIRM}>
        {act.isOnce ? <IdempotencyField /> : null}
        {Object.entries({ act: act.name, on, of, title: question.title }).map(([name, value]) => (
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
