/** The tool `reveal_contact`: it says the price, asks whoever uses the model, and spends nothing before the answer. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { Type } from '@sinclair/typebox'
import { CALL_CREDITS, REVEAL_CREDITS } from '../contract/endpoints.ts'
import type { TextParameter } from '../contract/query.ts'
import { meta } from '../contract/schemas/account.ts'
import { personDetail } from '../contract/schemas/people.ts'
import { count, oneOf, record, text } from '../contract/schemas/shapes.ts'
import type { Agreed } from './confirmations.ts'
import { ID } from './inputs.ts'
import { REVEAL_TOOL } from './prices.ts'
import { detail, shortAnswer } from './records.ts'
import { answered, live, sampled, spentIn } from './results.ts'
import type { Tool, ToolCall, ToolResult } from './tool.ts'

const PARAMETERS = {
  id: {
    ...ID,
    description: 'The slug, by which whoever is asked knows the person; or the id.',
  },
  confirm: {
    kind: 'text',
    maxLength: 200,
    description:
      'The confirmation of an earlier answer of this tool, once whoever you work for has agreed to its price. Leave it out at first.',
  },
} as const satisfies Record<string, TextParameter>

const REVEALED = record('Reveal', 'What became of a reveal.', {
  status: oneOf(
    ['revealed', 'confirmation_required', 'declined'],
    'revealed: `person` has the channels; confirmation_required: nothing was charged yet; declined: nothing was charged.',
  ),
  credits: count('What it cost; where nothing was charged yet, what it would cost at most.'),
  confirm: Type.Optional(text('Goes back to this tool as `confirm` once somebody has agreed.')),
  person: Type.Optional(personDetail),
  meta: Type.Optional(meta),
})

export const REVEAL: Tool = {
  name: REVEAL_TOOL,
  title: 'Reveal private channels',
  description: `Shows the private channels of one person: e-mail, phone, Telegram, LinkedIn. The first time costs ${REVEAL_CREDITS} credits and unlocks the contact for good; later ones ${CALL_CREDITS}, as get_person does, which shows them from then on. hasEmail, hasPhone, hasTelegram and hasLinkedin in lists say before what is on file, so no get_person is needed first. Asks before it spends: where the client can't ask, it answers a price and a confirmation. Tell name and price to whoever you work for, and call again with the confirmation if they agree.`,
  isReading: false,
  parameters: PARAMETERS,
  output: REVEALED,
  run: reveal,
}

/** The name of the question, and of its field. */
const QUESTION = 'reveal'

async function reveal(call: ToolCall): Promise<ToolResult> {
  const { session, context } = call
  const { id, confirm } = call.given
  const { confirmations } = session
  const person = String(id)
  const asks = canAsk(capabilitiesOf(context) ?? call.capabilities)
  if (confirm !== undefined && !asks) {
    return spend(call, confirmations.check(String(confirm), person))
  }
  const answer = inputResponse(context.mcpReq.inputResponses, QUESTION)
  if (answer.kind === 'elicit') {
    const agreed = confirmations.check(context.mcpReq.requestState<string>() ?? '', person)
    const agrees = answer.action === 'accept' && answer.content?.[QUESTION] === true
    if (agrees) return spend(call, agreed)
    const declined = { status: 'declined', credits: 0 }
    return answered('Declined: nothing was revealed, and nothing was charged.', declined)
  }
  return ask(call, person, asks)
}

async function ask(
  { session, signal }: ToolCall,
  person: string,
  asks: boolean,
): Promise<ToolResult> {
  // Free. A reveal that would be refused is refused now, before anybody is asked.
  const quote = await session.quoteReveal(person, signal)
  const { credits, balance } = quote
  const token = session.confirmations.issue(person, credits)
  const why = quote.unlocks ? '' : ' It is unlocked already, or has no channel on file.'
  const price = `It costs ${credits} credits, and the balance is ${balance}.${why} ${spentIn(session)}`
  const question = `Reveal the private channels of ${session.names.of(person)}? ${price}`
  if (!asks) {
    const body = { status: 'confirmation_required', credits, confirm: token }
    const advice = `Nothing was charged yet. Ask whoever you work for; if they agree, call reveal_contact again with the same id and confirm ${JSON.stringify(token)}.`
    return answered(`${question} ${advice}`, body)
  }
  return inputRequired({
    requestState: token,
    inputRequests: {
      [QUESTION]: inputRequired.elicit({
        message: question,
        requestedSchema: {
          type: 'object',
          properties: {
            [QUESTION]: {
              type: 'boolean',
              title: `Spend ${credits} credits`,
              description: 'The contact stays unlocked for the account.',
              default: false,
            },
          },
          required: [QUESTION],
        },
      }),
    },
  })
}

/** Capabilities of the client that the request itself names, as those of newer versions do. */
function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope }
  return envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
}

/** Tells whether a client can put a form before somebody. One that names no kind means forms. */
export function canAsk({ elicitation }: ClientCapabilities = {}): boolean {
  if (!elicitation) return false
  return elicitation.form !== undefined || elicitation.url === undefined
}

async function spend(
  { session, given, signal, shared }: ToolCall,
  agreed: Agreed,
): Promise<ToolResult> {
  const answer = await session.reveal(String(given.id), agreed, signal)
  if (answer.sample) return sampled(answer, shared.showsSamples)
  const { data, meta } = answer
  const credits = answer.call.charged ?? agreed.credits
  session.names.learn(data)
  const view = shortAnswer([], (part) => ({ person: detail({ ...data.person }, part) }))
  return live(session, { status: 'revealed', credits, ...view, meta }, answer.call)
}
