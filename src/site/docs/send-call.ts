/** Sends what the console's form asks for to the API, with the key that was chosen. */

import {
  documentedPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
} from '../../contract/endpoints.ts'
import type { ResolvedKey } from '../../money/accounts/key-cache.ts'
import { FieldError } from '../../people/users/validation.ts'
import { incoming, socketAddressOf } from '../../runtime.ts'
import type { Form } from '../http/form.ts'
import { fieldText } from '../http/form-errors.ts'
import type { SignedInContext } from '../http/page.ts'
import { idempotencyKeyOf } from '../ui/form.tsx'
import type { AnsweredCall, Charge } from './call-answer.tsx'
import { pathParameterOf, queryFieldsOf } from './endpoint-fields.ts'

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
  form: Form,
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

function chosenKey(keys: readonly ResolvedKey[], form: Form): ResolvedKey {
  const found = keys.find(({ id }) => id === form.get('keyId'))
  if (!found) throw new FieldError('keyId', 'Choose a key that is in force.')
  return found
}

/** Path and query. What a field leaves empty is not sent. */
function pathOf(endpoint: Endpoint, form: Form): string {
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

/** From the visitor's own address, by which requests without a valid key are counted. */
function requestOf({ request }: SignedInContext, path: string, idempotencyKey: string) {
  const headers = new Headers({ 'idempotency-key': idempotencyKey })
  const forwarded = request.headers.get('x-forwarded-for')
  if (forwarded !== null) headers.set('x-forwarded-for', forwarded)
  return incoming(new Request(ORIGIN + path, { headers }), socketAddressOf(request))
}

/** What the answer says about its price. */
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
