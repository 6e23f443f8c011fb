/** Definition of a tool, and a call of it. */
import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server'
import type { TObject } from '@sinclair/typebox'
import type { Parameters } from '../contract/query.ts'
import type { Log } from '../log.ts'
import type { Arguments } from './inputs.ts'
import type { Session } from './session.ts'

export type ToolResult = CallToolResult | InputRequiredResult

/** Settings that all servers of a process share. */
export interface Shared {
  /** Whether samples are shown, marked, or withheld. */
  showsSamples: boolean
  log: Log
}

/** One call of a tool, its arguments checked. */
export interface ToolCall {
  session: Session
  given: Arguments
  context: ServerContext
  /** Ends when nobody waits for the answer any more. */
  signal: AbortSignal
  /** Capabilities of the client when it connected; newer clients name them in each request. */
  capabilities: ClientCapabilities | undefined
  shared: Shared
}

export interface Tool {
  name: string
  /** Without the price, which is in `prices.ts`. */
  title: string
  description: string
  /** Whether a call leaves the account's contacts as they are. All calls but free ones take credits. */
  isReading: boolean
  parameters: Parameters
  output: TObject
  /** @throws ChainkinError, ApiError, ConfirmationRefused */
  run(call: ToolCall): Promise<ToolResult>
}
