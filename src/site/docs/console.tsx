/** @jsxImportSource hono/jsx */
/** The console of an endpoint's page: a form that sends a real call with a key of the account that is signed in. */

import { ENDPOINTS, type Endpoint, type EndpointName } from '../../contract/endpoints.ts'
import type { Parameter } from '../../contract/query.ts'
import { TIER_RULES } from '../../contract/tiers.ts'
import type { ResolvedKey } from '../../money/accounts/key-cache.ts'
import { usableKeys } from '../../money/accounts/keys.ts'
import type { FormErrors } from '../http/form-errors.ts'
import { isSignedIn, type PageContext, type SignedInContext } from '../http/page.ts'
import { withReturnUrl } from '../http/return-url.ts'
import { ButtonLink, Submit } from '../ui/actions.tsx'
import { Field, Form, Select } from '../ui/form.tsx'
import { Section } from '../ui/page-parts.tsx'
import { plural } from '../ui/text.tsx'
import { ANSWERED, type AnsweredCall, CallAnswer } from './call-answer.tsx'
import { pathParameterOf, queryFieldsOf } from './endpoint-fields.ts'
import { EXAMPLE_LIMIT } from './example-call.ts'
import { callPriceText } from './price-words.ts'

/** What was sent with the form, and what became of it. */
export interface Sent {
  /** Those that could be chosen. */
  keys: readonly ResolvedKey[]
  errors?: FormErrors
  call?: AnsweredCall
}

/** An account may have any number of keys: a page shows so many of those in force. */
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
