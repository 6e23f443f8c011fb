/** @jsxImportSource hono/jsx */
/** The forms of acts, made of their rows, and what a page answers to them. */
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
  withFormErrors,
} from '../../site/http/form-errors.ts'
import type { Child } from '../../site/http/html.ts'
import { type Page, type PageContext, type Reply, redirect } from '../../site/http/page.ts'
import { Submit } from '../../site/ui/actions.tsx'
import { Checkbox, TextArea, Tick } from '../../site/ui/fields.tsx'
import {
  Form,
  IdempotencyField,
  idempotencyKeyOf,
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
import { actorOf, type OperatorContext } from './frame.tsx'
import { pathOf } from './paths.ts'

/** What the acts of a page work with. */
export function resourcesOf(context: OperatorContext): Resources {
  const { application, console } = context
  const { database, payments, referralCredits } = application
  const { dir } = console.config.backups
  return {
    ...{ database, by: actorOf(context), gateway: () => payments, referralCredits },
    ...{ desk: () => console.desk, imports: console.imports },
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

/** What came of the act that led here. @param messages of what a page's own forms do */
export const Said = (of: { context: PageContext; messages?: Readonly<Record<string, string>> }) => (
  <Flash context={of.context} messages={{ ...MESSAGES, ...of.messages }} />
)

/** Says why nothing was done, where that is the fault of no field. */
export function Refused({ errors }: { errors: FormErrors | undefined }) {
  const problem = problemOf(errors, '')
  return problem ? <Notice tone="bad">{problem}</Notice> : null
}

/** Whether the form of an act is shown again, because it was refused. */
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
  return readValues(act, (name) =>
    // Fields that were not edited stay as they are now, because a second operator may have changed them meanwhile.
    act.isPartial && !isChanged(name) ? undefined : fieldText(form, name),
  )
}

/** Turns what an act is refused for into the form's error. @throws FieldError */
export function asFormError(error: unknown): never {
  if (error instanceof ChangeRefused)
    throw new FieldError(error.field ?? '', sentence(error.reason))
  const isRefusal = error instanceof ActRefused || error instanceof JobRefused
  throw isRefusal ? new FieldError('', sentence(error.message)) : error
}

/** A page of its own after an act, or a file; others lead back to their page. */
export interface ActReply {
  name: string
  reply(context: OperatorContext, result: unknown, target: Target): Reply | Promise<Reply>
}

/** @param reply the answer where something was done */
export const replyTo = <F extends Fields, S, R>(
  { name }: Act<F, S, R>,
  reply: (context: OperatorContext, result: R, target: Target) => Reply | Promise<Reply>,
): { name: string; reply: typeof reply } => ({ name, reply })

/**
 * Does an act, and answers: leads back to its page, which says what came of it.
 * @throws PageError 404 where there was nothing to do it to, FieldError where it is refused
 */
export async function answerAct(
  context: OperatorContext,
  act: Act,
  target: Target,
  values: Values<Fields>,
  { key = null, replies = [] }: { key?: string | null; replies?: readonly ActReply[] } = {},
): Promise<Reply> {
  try {
    const done = await doAct(resourcesOf(context), act, target, values, key)
    const own = replies.find(({ name }) => name === act.name)
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
        const target = targetOf(act, context.id.toLowerCase(), act.page && fieldText(form, 'id'))
        if (!isIdOf(act.subject, target.id)) throw notFound(act.noun ?? kind)
        const values = valuesIn(act, form)
        if (!values) return redirect(context.href(context.path))
        const key = act.isOnce ? idempotencyKeyOf(form) : null
        return answerAct(context, act, target, values, { key })
      },
    )
  }
}
