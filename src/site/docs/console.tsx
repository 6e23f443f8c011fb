/** @jsxImportSource hono/jsx */
/** The console of an endpoint's page: a form that sends a real call with a key of the signed-in account, and the API's answer. */
import {
  documentedPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
} from '../../contract/endpoints.ts'
import type { Parameter } from '../../contract/query.ts'
import { TIER_RULES } from '../../contract/tiers.ts'
import { uuidOf } from '../../database/uuid.ts'
import type { ResolvedKey } from '../../money/accounts/key-cache.ts'
import { usableKeys } from '../../money/accounts/keys.ts'
import { statusClassOf } from '../../money/accounts/requests.ts'
import { FieldError } from '../../people/users/validation.ts'
import { incoming, socketAddressOf } from '../../runtime.ts'
import type { Form as SentForm } from '../http/form.ts'
import { type FormErrors, fieldText } from '../http/form-errors.ts'
import { isSignedIn, type PageContext, type SignedInContext } from '../http/page.ts'
import { withReturnUrl } from '../http/return-url.ts'
import { ButtonLink, Submit } from '../ui/actions.tsx'
import { Badge } from '../ui/badges.tsx'
import { TONES } from '../ui/call-status.tsx'
import { Field, Form, IdempotencyField, idempotencyKeyOf, Select } from '../ui/form.tsx'
import { Code, Section, Table } from '../ui/page-parts.tsx'
import { figure, plural } from '../ui/text.tsx'
import { callPriceText, EXAMPLE_LIMIT } from './examples.tsx'

/** A form that was sent, and its result. */
export interface Sent {
  /** The keys that the form offers. */
  keys: readonly ResolvedKey[]
  errors?: FormErrors
  call?: AnsweredCall
}

/** Keys on offer; an account may have any number. */
export const SHOWN_KEYS = 20

/** The keys that a console offers, newest first. @throws DatabaseUnavailable */
export function consoleKeys({ application, session }: SignedInContext): Promise<ResolvedKey[]> {
  return usableKeys(application.database, session.account.id, SHOWN_KEYS)
}

/** The console's section, for whoever asks. @throws DatabaseUnavailable */
export async function consoleOf(context: PageContext, name: EndpointName, sent?: Sent) {
  const body = isSignedIn(context) ? (
    <SignedInConsole
      context={context}
      name={name}
      sent={sent ?? { keys: await consoleKeys(context) }}
    />
  ) : (
    <p>
      <a href={context.href(withReturnUrl('/sign-in', context.path))}>Sign in</a> to send this call
      from here with a key of your account. {callPrice(ENDPOINTS[name])}
    </p>
  )
  return (
    <Section id="send" title="Send this call">
      {body}
    </Section>
  )
}

interface ConsoleProps {
  context: SignedInContext
  name: EndpointName
  sent: Sent
}

function SignedInConsole({ context, name, sent: { keys, errors, call } }: ConsoleProps) {
  if (keys.length === 0) {
    return (
      <>
        <p>A call needs a key, and your account has none in force.</p>
        <p>
          <ButtonLink href={context.href('/keys')}>Create a key</ButtonLink>
        </p>
      </>
    )
  }
  const values = errors?.form ?? call?.form
  const endpoint: Endpoint = ENDPOINTS[name]
  const id = pathParameterOf(endpoint)
  return (
    <Form context={context} action={`${context.path}#${ANSWERED}`} class="form console">
      <Select
        name="keyId"
        label="Key"
        options={keys.map(({ id, label, prefix }) => ({
          value: id,
          label: `${label} (${prefix}…)`,
        }))}
        chosen={values?.get('keyId') ?? undefined}
        errors={errors}
      />
      {keys.length === SHOWN_KEYS ? (
        <p class="note">The newest {SHOWN_KEYS} keys in force can be chosen here.</p>
      ) : null}
      {id ? (
        <Field
          name={id}
          label={id}
          autocomplete="off"
          hint="An id or a slug, as lists have them."
          value={values?.get(id) ?? ''}
          errors={errors}
        />
      ) : null}
      {queryFieldsOf(endpoint).map(([field, parameter]) => (
        <ParameterField
          name={field}
          parameter={parameter}
          value={values ? (values.get(field) ?? '') : initialValue(field)}
        />
      ))}
      <p id="call-price">{priceSentences(context, endpoint, call?.charge.balance)}</p>
      <Submit>
        Send <span class="price">{callPriceText(endpoint)}</span>
      </Submit>
      <CallAnswer context={context} call={call} />
    </Form>
  )
}

/** A page of a few records is read more easily than one of thirty. */
function initialValue(name: string): string | undefined {
  return name === 'limit' ? String(EXAMPLE_LIMIT) : undefined
}

interface ParameterFieldProps {
  name: string
  parameter: Parameter
  value: string | undefined
}

/** The API itself says what is wrong with a value. */
function ParameterField({ name, parameter, value }: ParameterFieldProps) {
  if (parameter.kind === 'choice') {
    const options = parameter.choices.map((choice) => ({ value: choice, label: choice }))
    return <Select name={name} label={name} none="not sent" options={options} chosen={value} />
  }
  const isRequired = parameter.kind === 'text' && parameter.required === true
  return (
    <Field
      name={name}
      label={name}
      autocomplete="off"
      placeholder={
        parameter.kind === 'integer' ? String(parameter.default) : (parameter.example ?? '')
      }
      value={value}
      isOptional={!isRequired}
    />
  )
}

/** @param left the balance after the call that the page answers; undefined where it did not say */
function priceSentences(
  { session }: SignedInContext,
  endpoint: Endpoint,
  left: number | undefined,
): string {
  const { credits, revealCredits } = endpoint
  const { tier, creditsBalance } = session.account
  const balance = left ?? creditsBalance
  if (credits === 0) return callPrice(endpoint)
  const { unlimited, sampled } = TIER_RULES[tier]
  const reveal =
    revealCredits > credits
      ? `, or ${revealCredits} where it reveals a contact for the first time`
      : ''
  const price = `A real call, charged as any other: ${plural(credits, 'credit', 'credits')}${reveal}.`
  if (unlimited) return price
  const have = `You have ${plural(balance, 'credit', 'credits')}`
  if (balance >= revealCredits) return `${price} ${have}.`
  const instead = sampled
    ? 'the answer is a sample with invented records, and free'
    : 'the call is refused and costs nothing'
  return `${price} ${have}: ${balance >= credits ? 'where it would reveal, ' : ''}${instead}.`
}

function callPrice(endpoint: Endpoint): string {
  return endpoint.credits === 0
    ? 'This call is free.'
    : `This call costs ${callPriceText(endpoint)}.`
}

/** The name of the parameter in an endpoint's path; undefined where it has none. */
function pathParameterOf({ path }: Pick<Endpoint, 'path'>): string | undefined {
  return /\{(\w+)\}/.exec(documentedPath(path))?.[1]
}

/** Every parameter that can be sent in the query, with its name; those that are always refused are left out. */
function queryFieldsOf({ parameters }: Endpoint): [string, Parameter][] {
  return Object.entries(parameters).filter(
    ([, parameter]) => parameter.kind !== 'choice' || !parameter.rejected,
  )
}

/** A request needs an absolute address; nothing is sent to this one. */
const ORIGIN = 'http://api.invalid'

/**
 * Calls the endpoint as the form says. @param keys those that may be chosen
 * @throws FieldError for another key, or where an id is missing
 */
export async function sendCall(
  context: SignedInContext,
  name: EndpointName,
  keys: readonly ResolvedKey[],
  form: SentForm,
): Promise<AnsweredCall> {
  const key = chosenKey(keys, form)
  const endpoint: Endpoint = ENDPOINTS[name]
  const path = pathOf(endpoint, form)
  const idempotencyKey = idempotencyKeyOf(form)
  const started = performance.now()
  const response = await context.callApi(key, requestOf(context, path, idempotencyKey))
  const text = await response.text()
  return {
    form,
    idempotencyKey,
    url: context.site.baseUrl + path,
    status: response.status,
    headers: [...response.headers],
    text,
    tookMs: performance.now() - started,
    charge: chargeOf(response, text),
  }
}

function chosenKey(keys: readonly ResolvedKey[], form: SentForm): ResolvedKey {
  const found = keys.find(({ id }) => id === uuidOf(form.get('keyId')))
  if (!found) throw new FieldError('keyId', 'Choose a key that is in force.')
  return found
}

/** Path and query. What a field leaves empty is not sent. */
function pathOf(endpoint: Endpoint, form: SentForm): string {
  const documented = documentedPath(endpoint.path)
  const sent = queryFieldsOf(endpoint)
    .map(([name]) => [name, fieldText(form, name)])
    .filter(([, value]) => value !== '')
  const query = sent.length > 0 ? `?${new URLSearchParams(sent)}` : ''
  const name = pathParameterOf(endpoint)
  if (name === undefined) return documented + query
  const id = fieldText(form, name).trim()
  if (id === '') throw new FieldError(name, 'Give an id or a slug.')
  return documented.replace(`{${name}}`, () => encodeURIComponent(id)) + query
}

/** Makes the request from the visitor's own address: requests without a valid key are counted by address. */
function requestOf({ request }: SignedInContext, path: string, idempotencyKey: string) {
  const headers = new Headers({ 'idempotency-key': idempotencyKey })
  const forwarded = request.headers.get('x-forwarded-for')
  if (forwarded !== null) headers.set('x-forwarded-for', forwarded)
  return incoming(new Request(ORIGIN + path, { headers }), socketAddressOf(request))
}

/** Reads the price from an answer. */
function chargeOf(response: Response, text: string): Charge {
  const { meta, error } = bodyOf(text)
  return {
    credits: error ? error.charged : meta?.creditsCharged,
    balance: error ? error.creditsBalance : meta?.creditsBalance,
    isSample: response.headers.has('service-sample'),
    isRepeat: response.headers.has('idempotent-replayed'),
  }
}

interface Billed {
  meta?: { creditsCharged: number; creditsBalance: number }
  error?: { charged: 0 | null; creditsBalance?: number }
}

/** Every answer of the API is a JSON object. */
const bodyOf = (text: string): Billed => JSON.parse(text)

interface AnsweredCall {
  form: SentForm
  idempotencyKey: string
  /** The address that was asked. */
  url: string
  status: number
  headers: readonly (readonly [string, string])[]
  /** The body, not parsed. */
  text: string
  tookMs: number
  charge: Charge
}

/** Credits that a call cost and left. A value that the answer doesn't have is undefined; `credits` is null if the charge's end is unknown. */
interface Charge {
  credits: number | null | undefined
  balance: number | undefined
  isSample: boolean
  isRepeat: boolean
}

/** The fragment of the answer, for browsers without the script. */
const ANSWERED = 'answered'

/** Bytes of a body on the page, so that the page stays below 60 kB. */
const SHOWN_BYTES = 4_000

/** The part of the form that an answer replaces. The idempotency key is in it, so that the next call is a new one. */
function CallAnswer({
  context,
  call,
}: {
  context: SignedInContext
  call: AnsweredCall | undefined
}) {
  // A call that may have been charged keeps its idempotency key: sent again, it is charged once at most.
  const isUnknown = call?.charge.credits === null
  return (
    <div id="call-answer" tabindex={-1}>
      {isUnknown ? <IdempotencyField value={call.idempotencyKey} /> : <IdempotencyField />}
      {call ? <Answered context={context} call={call} /> : null}
    </div>
  )
}

function Answered({ context, call }: { context: SignedInContext; call: AnsweredCall }) {
  const { url, status, headers, tookMs, charge } = call
  const body = new TextEncoder().encode(readable(call.text))
  // `stream` leaves out a character that is cut off at the end.
  const shown = new TextDecoder().decode(body.subarray(0, SHOWN_BYTES), { stream: true })
  return (
    <>
      <h3 id={ANSWERED}>Answer</h3>
      <p role="status">
        <Badge tone={TONES[statusClassOf(call)]}>
          {status}
          {charge.isSample ? ' Sample' : ''}
        </Badge>{' '}
        {chargeText(context, charge)}{' '}
        <span class="quiet">{figure(Math.max(1, Math.round(tookMs)))} ms</span>
      </p>
      <Code text={`GET ${url}`} />
      <details class="more">
        <summary>Headers</summary>
        <Table
          label="Headers of the answer"
          columns={['Header', 'Value']}
          rows={headers.map(([name, value]) => [<code>{name}</code>, <code>{value}</code>])}
        />
      </details>
      <Code text={shown} language="json" />
      {body.length > SHOWN_BYTES ? (
        <p class="note">
          The first {figure(SHOWN_BYTES)} of {figure(body.length)} bytes. A smaller{' '}
          <code>limit</code> shows all, and so does your own program.
        </p>
      ) : null}
      {status === 401 ? (
        <p>
          The key ended meanwhile: <a href={context.href('/keys')}>API keys</a>.
        </p>
      ) : null}
    </>
  )
}

function chargeText({ session }: SignedInContext, charge: Charge): string {
  const { credits, balance, isSample, isRepeat } = charge
  if (credits === null) {
    return 'It is not known whether this was charged. Send it again unchanged: both together are charged once at most.'
  }
  // Without a ceiling the balance is negative: the credits used.
  const isLimited = balance !== undefined && !TIER_RULES[session.account.tier].unlimited
  const left = isLimited ? ` ${plural(balance, 'credit is', 'credits are')} left.` : ''
  if (isSample)
    return `Not real data: the balance does not cover the call. Nothing was charged.${left}`
  if (isRepeat) return `This was charged before; nothing more was.${left}`
  if (!credits) return `Nothing was charged.${left}`
  return `${plural(credits, 'credit was', 'credits were')} charged.${left}`
}

/** JSON with line breaks; anything else as it is. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
